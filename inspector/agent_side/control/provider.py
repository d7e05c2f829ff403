"""The approval provider that asks people through the inspector.

The bus owns the time limit. Each request ends once: by the first accepted answer, or by the bus,
which stops waiting. Both happen under one lock, so that an answer accepted in time always counts.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from threading import Event, Lock
from time import monotonic
from typing import Any, Protocol, TypeAlias

from inspector.agent_side.control.allowances import Allowance, Allowances
from inspector.agent_side.control.answer_check import (
    MAX_PAYLOAD_BYTES,
    ArgumentsChangedError,
    check_answer,
)
from inspector.agent_side.control.arguments import ArgumentsView, show
from inspector.agent_side.control.hold import Issuer
from inspector.agent_side.control.messages import sendable
from inspector.agent_side.control.open_requests import (
    AnswerOutcome,
    PendingRequest,
    ReceivedAnswer,
    RequestTable,
)
from instrument import ApprovalAnswer, ApprovalRequest, Bus
from subscribers.bridge.location import NO_LOCATION, TraceLocation

MAX_PROMPT_CHARS = 64 * 1024
MAX_NAME_CHARS = 200
MAX_TOOL_NAME_CHARS = 500
MAX_SESSION_ID_CHARS = 256
MAX_OPTIONS = 50
MAX_TIMEOUT_S = 10 * 365 * 86_400
"""A longer time limit is shown as none."""
UNKNOWN_SESSION = "unknown"

_logger = logging.getLogger("inspector")


LocationOf: TypeAlias = Callable[[str | None], TraceLocation]
"""Returns the trace location of a `call_id`, or of the calling code for None."""


class Watcher(Protocol):
    """An observer of questions for a signal."""

    def question_opened(self, session_id: str | None, signal_name: str) -> None:
        """Record that a question for this signal is open."""

    def question_closed(self, session_id: str | None, signal_name: str) -> None:
        """Record that it is closed."""


class _Pending:
    """A waiting request; the first of several ends counts."""

    def __init__(
        self,
        request: ApprovalRequest,
        view: ArgumentsView,
        location: TraceLocation,
        scope: str | None,
        wake: Callable[[], object],
    ) -> None:
        self.request = request
        self.view = view
        self.location = location
        self.scope = scope  # of an allowance; None: no allowance is possible
        self.deadline_s = monotonic() + request.timeout_s
        self._wake = wake
        self._lock = Lock()
        self._is_over = False
        self._ending: ApprovalAnswer | ArgumentsChangedError | None = None

    def answer(self, answer: ReceivedAnswer) -> AnswerOutcome:
        """Check an answer; the first accepted one is the end."""
        with self._lock:
            if self._is_over:
                return AnswerOutcome(False, "the request is closed")
            if monotonic() >= self.deadline_s:
                return AnswerOutcome(False, "the request has timed out")
            outcome, ending = check_answer(self.request, self.view, self.scope is not None, answer)
            if ending is None:
                return outcome
            self._is_over, self._ending = True, ending
            try:
                self._wake()
            except RuntimeError:
                self._ending = None
                return AnswerOutcome(False, "the agent's event loop is closed")
        return outcome

    def ending(self) -> ApprovalAnswer | None:
        """Return the accepted answer; None: the request was abandoned.

        Raises:
            ArgumentsChangedError: The arguments have changed, so it cannot be allowed.
        """
        if isinstance(self._ending, ArgumentsChangedError):
            raise self._ending
        return self._ending

    def end(self, ending: ApprovalAnswer | None = None) -> bool:
        """End the request by an answer or without one; return False if it was over already."""
        with self._lock:
            if self._is_over:
                return False
            self._is_over, self._ending = True, ending
            try:
                self._wake()
            except RuntimeError:
                _logger.debug("The event loop of %s is closed.", self.request.request_id)
        return True


class InspectorProvider:
    """An `ApprovalProvider` for a bus (`install`), which asks the inspector's users.

    Args:
        requests: The requests that the channel reports.
        location_of: Returns the session and the span of an operation.
        keeps_args: Whether arguments stay readable in a closed request.
        watcher: Observer of questions for a signal.
    """

    def __init__(
        self,
        requests: RequestTable,
        *,
        location_of: LocationOf = lambda _: NO_LOCATION,
        keeps_args: bool = False,
        watcher: Watcher | None = None,
    ) -> None:
        self._requests = requests
        self._location_of = location_of
        self._keeps_args = keeps_args
        self._watcher = watcher
        self._allowances = Allowances()
        self._pending: dict[str, _Pending] = {}

    def install(self, bus: Bus) -> Callable[[], None]:
        """Ask for `bus` from now on; return a function that undoes it, allowances included.

        Open requests then wait for their default.
        """
        offs = [
            bus.set_approval_provider(self),
            bus.observe("request_closed", self._close),
            bus.observe("session_finished", self._forget_session),
        ]

        def uninstall() -> None:
            for off in offs:
                off()
            self._allowances.clear()

        return uninstall

    def forget(self) -> None:
        """Start afresh in a forked child: open requests and allowances are the parent's."""
        self._pending = {}
        self._allowances.clear()

    async def ask(self, request: ApprovalRequest) -> ApprovalAnswer:
        """See `ApprovalProvider`.

        Raises:
            TooManyOpenError: Too many requests are open.
            ArgumentsChangedError: The arguments differ from those shown.
        """
        loop, is_over = asyncio.get_running_loop(), asyncio.Event()
        pending = self._open(request, lambda: loop.call_soon_threadsafe(is_over.set))
        if isinstance(pending, ApprovalAnswer):
            return pending
        await is_over.wait()
        return self._ended(pending) or _ABANDONED

    def ask_sync(self, request: ApprovalRequest) -> ApprovalAnswer:
        """See `SyncApprovalProvider`; the bus leaves the thread that waits here.

        Raises:
            TooManyOpenError: Too many requests are open.
            ArgumentsChangedError: The arguments differ from those shown.
        """
        is_over = Event()
        pending = self._open(request, is_over.set)
        if isinstance(pending, ApprovalAnswer):
            return pending
        is_over.wait()
        return self._ended(pending) or _ABANDONED

    def last_word(self, request: ApprovalRequest) -> ApprovalAnswer | None:
        """See `LastWordProvider`."""
        pending = self._pending.get(request.request_id)
        if pending is None:
            return None
        pending.end()
        return self._ended(pending)

    def cancel(self, names: frozenset[str], by: Issuer) -> int:
        """Refuse the open requests of a cancelled session; return their number.

        Sync code that waits here cannot be interrupted, and nobody may allow its request later.
        """
        count = 0
        for pending in list(self._pending.values()):
            if names.isdisjoint((pending.location.session_id, pending.location.trace_id)):
                continue
            decision = "cancel" if pending.request.kind == "question" else "deny"
            answer = ApprovalAnswer(
                decision, f"cancelled by {by}", actor=by.actor, origin=by.origin
            )
            count += pending.end(answer)
        return count

    def _open(
        self, request: ApprovalRequest, wake: Callable[[], object]
    ) -> _Pending | ApprovalAnswer:
        location = self._find_location(request)
        scope = _scope_of(location) if request.kind == "approval" else None
        if scope is not None:
            found = self._allowances.find(scope, request.interceptor, request.asked_by)
            if found is not None:
                return ApprovalAnswer("allow", found.reason, actor=found.actor, origin="agent")
        pending = _Pending(request, show(request.hook, request.data), location, scope, wake)
        self._pending[request.request_id] = pending
        try:
            opened = _pending_request(pending, keeps_args=self._keeps_args)
            self._requests.open(opened, pending.answer)
        except BaseException:
            self._pending.pop(request.request_id, None)
            raise
        if self._watcher is not None and opened.signal_name is not None:
            self._watcher.question_opened(opened.session_id, opened.signal_name)
        return pending

    def _find_location(self, request: ApprovalRequest) -> TraceLocation:
        try:
            return self._location_of(request.call_id)
        except Exception:
            _logger.warning("Cannot find the span of %s.", request.call_id, exc_info=True)
            return NO_LOCATION

    def _ended(self, pending: _Pending) -> ApprovalAnswer | None:
        """Return the answer; an allowance is in force before the operation goes on."""
        answer = pending.ending()
        if answer is not None and answer.decision == "allow_always" and pending.scope is not None:
            at = datetime.now(UTC).strftime("%H:%M UTC")
            request, reason = pending.request, f"always allowed by {answer.actor} at {at}"
            allowance = Allowance(answer.actor or "", reason, request.asked_by)
            self._allowances.add(pending.scope, request.interceptor, allowance)
        return answer

    def _close(
        self, request_id: str, status: str, answer: Any, reason: str | None, **_: Any
    ) -> None:
        pending = self._pending.pop(request_id, None)
        if pending is None:
            return  # of another provider, or covered by an allowance
        pending.end()
        decision = answer["decision"] if isinstance(answer, Mapping) else None
        self._requests.close(request_id, status, decision, reason)
        request = pending.request
        if self._watcher is not None and request.signal_name is not None:
            self._watcher.question_closed(pending.location.session_id, request.signal_name)

    def _forget_session(self, session_id: object, **_: Any) -> None:
        if isinstance(session_id, str):
            self._allowances.forget(_session_scope(session_id))


_ABANDONED = ApprovalAnswer("deny", "nothing waits for it any more")


def _scope_of(location: TraceLocation) -> str | None:
    """Return the scope of an allowance; None: the location is not known well enough."""
    if location.session_id and location.session_id != UNKNOWN_SESSION:
        return _session_scope(location.session_id)
    return f"trace {location.trace_id}" if location.trace_id else None


def _session_scope(session_id: str) -> str:
    return f"session {session_id}"


def _pending_request(pending: _Pending, *, keeps_args: bool) -> PendingRequest:
    request, view, location = pending.request, pending.view, pending.location
    return PendingRequest(
        id=request.request_id,
        session_id=_text(location.session_id, MAX_SESSION_ID_CHARS),
        trace_id=location.trace_id,
        span_id=location.span_id,
        kind=request.kind,
        hook=_text(request.hook, MAX_NAME_CHARS),
        interceptor=_text(request.interceptor, MAX_NAME_CHARS),
        tool_name=_text(request.data.get("tool_name"), MAX_TOOL_NAME_CHARS),
        prompt=_text(request.prompt, MAX_PROMPT_CHARS) or "",
        options=tuple(_text(str(o), MAX_NAME_CHARS) or "" for o in request.options[:MAX_OPTIONS]),
        args_json=view.args_json,
        args_text=view.args_text,
        args_hash=view.args_hash,
        form_json=_form_text(request.form),
        signal_name=_text(request.signal_name, MAX_NAME_CHARS),
        default=_text(request.default, 50) or "deny",
        can_always=pending.scope is not None,
        timeout_s=request.timeout_s if request.timeout_s <= MAX_TIMEOUT_S else None,
        keeps_args=keeps_args,
        opened_monotonic_s=pending.deadline_s - request.timeout_s,
    )


def _form_text(form: Mapping[str, Any] | None) -> str | None:
    """Return a form as JSON text, with its fields in their order.

    Raises:
        ValueError: It is no JSON, or too long.
    """
    if form is None:
        return None
    try:
        text = json.dumps(dict(form), allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise ValueError(f"the form is not JSON: {error}") from error
    if len(text) > MAX_PAYLOAD_BYTES:
        raise ValueError(f"the form is longer than {MAX_PAYLOAD_BYTES} bytes")
    return text


def _text(value: object, max_chars: int) -> str | None:
    return sendable(value, max_chars) if isinstance(value, str) else None
