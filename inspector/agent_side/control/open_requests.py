"""The request table: open requests of this process, and unconfirmed reports.

Providers open and close requests here, on any thread. The channel reports them to the service,
again whenever it may have lost them, and passes the answers on.
"""

from __future__ import annotations

import logging
import uuid
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from threading import Lock
from typing import NamedTuple, TypeAlias

_logger = logging.getLogger("inspector")

MAX_OPEN = 1_000
MAX_OPEN_CHARS = 64 * 2**20
"""Bound of all texts of open requests together."""
MAX_UNCONFIRMED_CLOSED = 1_000
"""Bound of requests that have closed and whose reports are not confirmed."""


class PendingRequest(NamedTuple):
    """A pending request: the wire's `OpenedRequest`, with times by this process's clock."""

    id: str
    session_id: str | None
    kind: str
    """`approval`, `question` or `breakpoint`."""
    prompt: str
    default: str
    opened_monotonic_s: float
    timeout_s: float | None = None
    """Time limit, from `opened_monotonic_s`; None: there is none."""
    trace_id: str | None = None
    span_id: str | None = None
    hook: str | None = None
    interceptor: str | None = None
    tool_name: str | None = None
    options: tuple[str, ...] = ()
    args_json: str | None = None
    """The complete arguments as JSON text; None: they are no JSON, or too long."""
    args_text: str | None = None
    args_hash: str | None = None
    form_json: str | None = None
    signal_name: str | None = None
    can_always: bool = False
    keeps_args: bool = False


class ReceivedAnswer(NamedTuple):
    """A received answer, not yet checked."""

    decision: str
    actor: str
    origin: str
    reason: str | None = None
    args_json: str | None = None
    args_hash: str | None = None
    payload_json: str | None = None


class AnswerOutcome(NamedTuple):
    """The outcome of an answer or a command; both fields go to the service."""

    applied: bool
    reason: str | None


AnswerHandler: TypeAlias = Callable[[ReceivedAnswer], AnswerOutcome]
"""Accepts or refuses an answer. It runs on the channel's thread, so it must not block; at most one
call returns `applied=True`."""


class RequestOpened(NamedTuple):
    """A report to the service: a request was opened."""

    id: str
    """Id of the message, the same on each try."""
    request: PendingRequest

    @property
    def request_id(self) -> str:
        """The id of the opened request."""
        return self.request.id


class RequestClosed(NamedTuple):
    """A report to the service: a request was closed, with this result."""

    id: str
    request_id: str
    status: str
    decision: str | None
    reason: str | None


Report: TypeAlias = RequestOpened | RequestClosed


class TooManyOpenError(RuntimeError):
    """Too many requests are open; the default, or a denial, applies."""


NOT_OPEN = AnswerOutcome(False, "the request is not open")


@dataclass(slots=True)
class _Entry:
    request: PendingRequest
    on_answer: AnswerHandler
    opened: RequestOpened | None
    """The message to send; None once the service has confirmed it."""
    closed: RequestClosed | None = None


class RequestTable:
    """A bounded table of requests. Thread-safe."""

    def __init__(self, on_change: Callable[[], None] = lambda: None) -> None:
        """Make an empty table; `on_change` is called without a lock when there is a new report."""
        self._on_change = on_change
        self.forget()

    def forget(self) -> None:
        """Start afresh, as in a forked child: open requests are the parent's."""
        self._lock = Lock()  # a thread of the parent may have locked the old one
        self._entries: dict[str, _Entry] = {}
        self._unconfirmed: dict[str, None] = {}
        self._closed: dict[str, None] = {}
        self._open_chars = 0

    # --- for providers ------------------------------------------------------------------------

    def open(self, request: PendingRequest, on_answer: AnswerHandler) -> None:
        """Open a request; answers go to `on_answer`.

        Raises:
            TooManyOpenError: `MAX_OPEN` requests are open, or their texts are too long together.
            ValueError: A request of this id is open.
        """
        size = _chars(request)
        with self._lock:
            if request.id in self._entries:
                raise ValueError(f"Cannot open request {request.id!r}: it is already open.")
            if len(self._entries) - len(self._closed) >= MAX_OPEN:
                raise TooManyOpenError(f"{MAX_OPEN} requests are open, which is the maximum.")
            if self._open_chars + size > MAX_OPEN_CHARS:
                raise TooManyOpenError("The open requests together are too long.")
            self._entries[request.id] = _Entry(
                request, on_answer, RequestOpened(_message_id(), request)
            )
            self._unconfirmed[request.id] = None
            self._open_chars += size
        self._on_change()

    def close(self, request_id: str, status: str, decision: str | None, reason: str | None) -> None:
        """Close a request; does nothing if it is not open.

        Args:
            request_id: Id of the request.
            status: `answered`, `expired` or `withdrawn`.
            decision: The effective decision.
            reason: The reason of the person, or of the withdrawal.
        """
        with self._lock:
            entry = self._entries.get(request_id)
            if entry is None or entry.closed is not None:
                return
            self._open_chars -= _chars(entry.request)
            entry.closed = RequestClosed(_message_id(), request_id, status, decision, reason)
            if not entry.request.keeps_args:
                entry.request = entry.request._replace(args_json=None, args_text=None)
            if entry.opened is not None:
                entry.opened = entry.opened._replace(request=entry.request)
            self._unconfirmed[request_id] = None
            self._closed[request_id] = None
            if len(self._closed) > MAX_UNCONFIRMED_CLOSED:
                oldest = next(iter(self._closed))
                self._drop(oldest)
                _logger.debug("Request %s closed without a confirmation by the service.", oldest)
        self._on_change()

    # --- for the channel ----------------------------------------------------------------------

    def answer(self, request_id: str, answer: ReceivedAnswer) -> AnswerOutcome:
        """Pass an answer to its handler; if that fails, it is not applied."""
        with self._lock:
            entry = self._entries.get(request_id)
            if entry is None or entry.closed is not None:
                return NOT_OPEN
        try:
            return entry.on_answer(answer)
        except Exception as error:  # a failing handler has not applied it
            _logger.warning("Cannot apply the answer to request %s.", request_id, exc_info=True)
            return AnswerOutcome(False, f"the agent failed to apply it ({type(error).__name__})")

    def pending(self) -> list[PendingRequest]:
        """Return the open requests, oldest first."""
        with self._lock:
            return [entry.request for entry in self._entries.values() if entry.closed is None]

    def unconfirmed(self, limit: int) -> list[Report]:
        """Return the reports that the service has not confirmed, at most `limit`, in order."""
        reports: list[Report] = []
        with self._lock:
            for request_id in self._unconfirmed:
                entry = self._entries[request_id]
                reports.extend(r for r in (entry.opened, entry.closed) if r is not None)
                if len(reports) >= limit:
                    break
        return reports[:limit]

    def confirm(self, reports: Iterable[Report]) -> None:
        """Drop reports that the service has accepted, or will never accept."""
        with self._lock:
            for report in reports:
                entry = self._entries.get(report.request_id)
                if entry is None:
                    continue
                if entry.closed is not None and entry.closed.id == report.id:
                    self._drop(report.request_id)
                elif entry.opened is not None and entry.opened.id == report.id:
                    entry.opened = None
                    if entry.closed is None:
                        del self._unconfirmed[report.request_id]

    def report_again(self) -> None:
        """Report all open requests again: the service may have lost them."""
        with self._lock:
            for request_id, entry in self._entries.items():
                if entry.closed is None and entry.opened is None:
                    # A new id: the service ignores a message whose id it knows.
                    entry.opened = RequestOpened(_message_id(), entry.request)
                    self._unconfirmed[request_id] = None
        self._on_change()

    def _drop(self, request_id: str) -> None:
        del self._entries[request_id]
        self._unconfirmed.pop(request_id, None)
        self._closed.pop(request_id, None)


def _message_id() -> str:
    return uuid.uuid4().hex


def _chars(request: PendingRequest) -> int:
    return sum(len(value) for value in request if isinstance(value, str))
