"""Signals for waiting workflows: passed to their handlers, and requested from people.

A session that waits (`session_paused`) is a question in the inspector until it goes on
(`session_resumed`). The answers, and signals without a question, go to the callbacks of
`on_signal`: a framework's own way of waking its workflows.
"""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import Awaitable, Callable
from contextlib import suppress
from inspect import isawaitable
from threading import Lock, Thread
from time import monotonic
from typing import Any, NamedTuple, TypeAlias

from inspector.agent_side.control.answer_check import MAX_PAYLOAD_BYTES
from inspector.agent_side.control.exact_json import BadJsonError, parsed
from inspector.agent_side.control.messages import sendable
from inspector.agent_side.control.open_requests import (
    AnswerOutcome,
    PendingRequest,
    ReceivedAnswer,
    RequestTable,
)
from inspector.agent_side.control.provider import (
    MAX_NAME_CHARS,
    MAX_PROMPT_CHARS,
    MAX_SESSION_ID_CHARS,
    LocationOf,
)
from instrument import Bus
from instrument.ids import next_call_id
from subscribers.bridge.location import NO_LOCATION

NOBODY = "the agent has no handler for this signal: see `inspector.on_signal`"
ELSEWHERE = "answered elsewhere"
_DECISIONS = ("answer", "decline", "cancel")

_logger = logging.getLogger("inspector")


class Signal(NamedTuple):
    """A signal from a person to a workflow."""

    session_id: str | None
    name: str
    payload: Any = None
    decision: str = "answer"
    """`answer`, or `decline` or `cancel` of a question, which have no payload."""
    reason: str | None = None
    actor: str | None = None
    origin: str | None = None


Handler: TypeAlias = Callable[[Signal], Any]


def _bound(fn: Handler) -> Callable[[Signal], bool]:
    """Return a function that calls `fn`, on the present loop if it is async.

    It returns whether the handler accepted the signal.
    """
    loop: asyncio.AbstractEventLoop | None = None
    with suppress(RuntimeError):
        loop = asyncio.get_running_loop()

    def handle(signal: Signal) -> bool:
        returned = fn(signal)
        if not isawaitable(returned):
            return returned is not False
        work = _awaited(returned, signal)
        if loop is None:
            Thread(target=asyncio.run, args=(work,), daemon=True).start()
            return True
        try:
            asyncio.run_coroutine_threadsafe(work, loop)
        except RuntimeError:  # the loop has ended
            work.close()
            if asyncio.iscoroutine(returned):
                returned.close()
            return False
        return True

    return handle


async def _awaited(returned: Awaitable[Any], signal: Signal) -> None:
    try:
        await returned
    except Exception:
        _logger.warning("A callback for signal %s failed.", signal.name, exc_info=True)


class Signals:
    """The registered handlers of signals. Thread-safe."""

    def __init__(self) -> None:
        self._handlers: tuple[Callable[[Signal], bool], ...] = ()
        self._lock = Lock()

    def on_signal(self, fn: Handler) -> Callable[[], None]:
        """See `on_signal` of this module.

        Raises:
            TypeError: `fn` cannot be called.
        """
        if not callable(fn):
            raise TypeError(f"Cannot send signals to {fn!r}: it is not callable.")
        handle = _bound(fn)
        with self._lock:
            self._handlers = (*self._handlers, handle)

        def off() -> None:
            with self._lock:
                self._handlers = tuple(other for other in self._handlers if other is not handle)

        return off

    def send(self, signal: Signal) -> AnswerOutcome:
        """Send a signal to all handlers; return whether one accepted it."""
        fault: str | None = None
        is_accepted = False
        for handle in self._handlers:
            try:
                is_accepted = handle(signal) or is_accepted
            except Exception as error:
                _logger.warning("A callback for signal %s failed.", signal.name, exc_info=True)
                fault = f"the agent's handler failed ({type(error).__name__})"
        return AnswerOutcome(is_accepted, None if is_accepted else fault or NOBODY)

    def deliver(
        self,
        session_id: str | None,
        signal_name: str,
        payload_json: str | None,
        *,
        reason: str | None = None,
        actor: str | None = None,
        origin: str | None = None,
    ) -> AnswerOutcome:
        """Send a signal whose payload is JSON text; refuse invalid JSON."""
        try:
            payload = None if payload_json is None else parsed(payload_json, MAX_PAYLOAD_BYTES)
        except BadJsonError as error:
            return AnswerOutcome(False, f"the payload is invalid: {error}")
        return self.send(Signal(session_id, signal_name, payload, "answer", reason, actor, origin))


_shared = Signals()
deliver = _shared.deliver


def on_signal(fn: Handler) -> Callable[[], None]:
    """Call `fn(signal)`, sync or async, for each later signal.

    Signals are the answers to a session that waits (`session_paused`), and those that people send
    unasked. A handler that returns False has not accepted the signal. An async one runs on the
    event loop of this call, or without one on a thread of its own, and counts as having accepted.
    A sync one runs on the inspector's thread: it must not block, and reaches a loop only by
    `call_soon_threadsafe`.

    Example:
        >>> off = on_signal(lambda signal: loop.call_soon_threadsafe(wake, signal.payload))

    Returns:
        A function that undoes it; idempotent.

    Raises:
        TypeError: `fn` cannot be called.
    """
    return _shared.on_signal(fn)


class _Pause(NamedTuple):
    """A waiting session."""

    request_id: str
    session_id: str
    signal_name: str


class PausedSessions:
    """The waiting sessions, each with an open request for its signal.

    A question of the program for the same signal replaces the request.
    """

    def __init__(
        self,
        requests: RequestTable,
        signals: Signals = _shared,
        location_of: LocationOf = lambda _: NO_LOCATION,
    ) -> None:
        self._requests = requests
        self._signals = signals
        self._location_of = location_of
        self.forget()

    def install(self, bus: Bus) -> Callable[[], None]:
        """Observe `bus` from now on; return a function that stops it."""
        offs = [
            bus.observe("session_paused", self._pause),
            bus.observe("session_resumed", self._resume),
            bus.observe("session_finished", self._finish),
        ]

        def uninstall() -> None:
            for off in offs:
                off()

        return uninstall

    def forget(self) -> None:
        """Start afresh, as in a forked child."""
        self._lock = Lock()
        self._pauses: dict[tuple[str | None, str], _Pause] = {}
        self._answering: dict[tuple[str | None, str], _Pause] = {}
        self._questions: Counter[tuple[str | None, str]] = Counter()

    def question_opened(self, session_id: str | None, signal_name: str) -> None:
        """Withdraw the request for a signal: the program asks a question of its own."""
        key = (session_id, signal_name)
        with self._lock:
            self._questions[key] += 1
        self._close(key, "withdrawn", None, "replaced by another request")

    def question_closed(self, session_id: str | None, signal_name: str) -> None:
        """Record that such a question is closed."""
        with self._lock:
            self._questions[session_id, signal_name] -= 1
            self._questions += Counter()  # drops what is 0

    def _pause(self, session_id: Any, signal_name: Any, prompt: Any = None, **_: Any) -> None:
        if not isinstance(session_id, str) or not isinstance(signal_name, str):
            return
        key = (session_id, signal_name)
        pause = _Pause(next_call_id(), session_id, signal_name)
        with self._lock:
            if self._questions[key]:
                return
            before, self._pauses[key] = self._pauses.get(key), pause
        if before is not None:
            self._requests.close(before.request_id, "withdrawn", None, "asked again")
        try:
            request = self._as_request(pause, prompt)
            self._requests.open(request, lambda answer: self._answer(pause, answer))
        except Exception as error:  # noqa: BLE001 - too many are open: it waits without
            with self._lock:
                self._pauses.pop(key, None)
            _logger.warning(
                "Cannot open a request for session %s, which waits for a signal: %s",
                session_id[:80],
                error,
            )

    def _resume(self, session_id: Any, signal_name: Any, **_: Any) -> None:
        if isinstance(session_id, str) and isinstance(signal_name, str):
            self._close((session_id, signal_name), "withdrawn", None, ELSEWHERE)

    def _finish(self, session_id: Any, **_: Any) -> None:
        with self._lock:
            over = [key for key in (*self._pauses, *self._answering) if key[0] == session_id]
        for key in over:
            self._close(key, "withdrawn", None, "the session has ended")

    def _answer(self, pause: _Pause, answer: ReceivedAnswer) -> AnswerOutcome:
        if answer.decision not in _DECISIONS:
            return AnswerOutcome(
                False, f"{answer.decision!r:.80} is not a valid answer to a question"
            )
        payload_json = answer.payload_json if answer.decision == "answer" else None
        try:
            payload = None if payload_json is None else parsed(payload_json, MAX_PAYLOAD_BYTES)
        except BadJsonError as error:
            return AnswerOutcome(False, f"the answer is invalid: {error}")
        key = (pause.session_id, pause.signal_name)
        with self._lock:  # who removes it answers it
            if self._pauses.get(key) is not pause:
                return AnswerOutcome(False, "the request is closed")
            self._answering[key] = self._pauses.pop(key)
        outcome = self._signals.send(
            Signal(*key, payload, answer.decision, answer.reason, answer.actor, answer.origin)
        )
        with self._lock:
            is_still_waiting = self._answering.pop(key, None) is pause
            if is_still_waiting and not outcome.applied:
                self._pauses[key] = pause
        if outcome.applied:
            self._requests.close(pause.request_id, "answered", answer.decision, answer.reason)
        elif not is_still_waiting:
            self._requests.close(pause.request_id, "withdrawn", None, ELSEWHERE)
        return outcome

    def _close(
        self, key: tuple[str | None, str], status: str, decision: str | None, reason: str
    ) -> None:
        with self._lock:
            self._answering.pop(key, None)  # a running answer sees that it is over
            pause = self._pauses.pop(key, None)
        if pause is not None:
            self._requests.close(pause.request_id, status, decision, reason)

    def _as_request(self, pause: _Pause, prompt: object) -> PendingRequest:
        location = self._location_of(None)
        text = (
            prompt
            if isinstance(prompt, str) and prompt
            else f"Waiting for signal {pause.signal_name}."
        )
        return PendingRequest(
            id=pause.request_id,
            session_id=sendable(pause.session_id, MAX_SESSION_ID_CHARS),
            trace_id=location.trace_id,
            span_id=location.span_id,
            kind="question",
            hook="session_paused",
            prompt=sendable(text, MAX_PROMPT_CHARS),
            signal_name=sendable(pause.signal_name, MAX_NAME_CHARS),
            default="decline",
            opened_monotonic_s=monotonic(),
        )
