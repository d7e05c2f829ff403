"""The request table: open requests of this process, and unconfirmed reports.

Whoever asks opens and closes requests here, on any thread; the channel says them to the service,
again whenever it may not know them, and brings the answers to their judges.
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
"""Of all texts that open requests hold."""
MAX_UNSAID_CLOSED = 1_000
"""How many requests are remembered that closed while the service was away."""


class PendingRequest(NamedTuple):
    """A pending request: the wire's `OpenedRequest`, with times by this process's clock."""

    id: str
    session_id: str | None
    trace_id: str | None
    span_id: str | None
    kind: str
    """`approval`, `question` or `breakpoint`."""
    hook: str | None
    interceptor: str | None
    tool_name: str | None
    prompt: str
    options: tuple[str, ...]
    args_json: str | None
    """The complete arguments as JSON text, if they are JSON and not too long."""
    args_text: str | None
    args_hash: str | None
    form_json: str | None
    signal_name: str | None
    default: str
    can_always: bool
    timeout_s: float | None
    """From `opened_monotonic_s`; None: never."""
    keeps_args: bool
    opened_monotonic_s: float


class ReceivedAnswer(NamedTuple):
    """A received answer, not yet checked."""

    decision: str
    reason: str | None
    args_json: str | None
    args_hash: str | None
    payload_json: str | None
    actor: str
    origin: str


class AnswerOutcome(NamedTuple):
    """The judge's result for an answer; both fields go to the service."""

    applied: bool
    reason: str | None


Judge: TypeAlias = Callable[[ReceivedAnswer], AnswerOutcome]
"""Takes or refuses an answer. Called on the channel's thread, so it must not block; at most one
call of it returns `applied=True`."""


class RequestOpened(NamedTuple):
    """A report to the service: a request was opened."""

    id: str
    """Of the message, the same on each try."""
    asked: PendingRequest

    @property
    def request_id(self) -> str:
        """The id of the opened request."""
        return self.asked.id


class RequestClosed(NamedTuple):
    """A report to the service: a request was closed, with this result."""

    id: str
    request_id: str
    status: str
    decision: str | None
    reason: str | None


Report: TypeAlias = RequestOpened | RequestClosed


class TooManyOpenError(RuntimeError):
    """No more can be asked at once; the request's default, or a denial, has to do."""


NOT_OPEN = AnswerOutcome(False, "not open here")


@dataclass(slots=True)
class _Entry:
    asked: PendingRequest
    judge: Judge
    opened: RequestOpened | None
    """None once the service has it."""
    closed: RequestClosed | None = None


class RequestTable:
    """A bounded table of requests. Thread-safe."""

    def __init__(self, on_change: Callable[[], None] = lambda: None) -> None:
        """Make an empty table; `on_change` is called, without a lock, when there is more to say."""
        self._on_change = on_change
        self.forget()

    def forget(self) -> None:
        """Start afresh, as in a forked child: open requests are the parent's."""
        self._lock = Lock()  # the old one may be held by a thread that this process has not
        self._entries: dict[str, _Entry] = {}
        self._unsaid: dict[str, None] = {}
        self._closed: dict[str, None] = {}
        self._open_chars = 0

    # --- for those who ask --------------------------------------------------------------------

    def open(self, asked: PendingRequest, judge: Judge) -> None:
        """Open a request; its answer goes to `judge`.

        Raises:
            TooManyOpenError: `MAX_OPEN` requests are open, or their texts are too long together.
            ValueError: A request of this id is open.
        """
        size = _chars(asked)
        with self._lock:
            if asked.id in self._entries:
                raise ValueError(f"Cannot open request {asked.id!r}: it is open already.")
            if len(self._entries) - len(self._closed) >= MAX_OPEN:
                raise TooManyOpenError(f"{MAX_OPEN} requests are open: no more can be asked now.")
            if self._open_chars + size > MAX_OPEN_CHARS:
                raise TooManyOpenError("The requests that are open are too long together.")
            self._entries[asked.id] = _Entry(asked, judge, RequestOpened(_message_id(), asked))
            self._unsaid[asked.id] = None
            self._open_chars += size
        self._on_change()

    def close(self, request_id: str, status: str, decision: str | None, reason: str | None) -> None:
        """Close a request; does nothing if it is not open.

        Args:
            request_id: Which.
            status: `answered`, `expired` or `withdrawn`.
            decision: What counts.
            reason: Why.
        """
        with self._lock:
            entry = self._entries.get(request_id)
            if entry is None or entry.closed is not None:
                return
            self._open_chars -= _chars(entry.asked)
            entry.closed = RequestClosed(_message_id(), request_id, status, decision, reason)
            if not entry.asked.keeps_args:
                entry.asked = entry.asked._replace(args_json=None, args_text=None)
            if entry.opened is not None:
                entry.opened = entry.opened._replace(asked=entry.asked)
            self._unsaid[request_id] = None
            self._closed[request_id] = None
            if len(self._closed) > MAX_UNSAID_CLOSED:
                oldest = next(iter(self._closed))
                self._drop(oldest)
                _logger.debug("Request %s has closed and the service never heard of it.", oldest)
        self._on_change()

    # --- for the channel ----------------------------------------------------------------------

    def answer(self, request_id: str, given: ReceivedAnswer) -> AnswerOutcome:
        """Pass an answer to its judge; if that fails, it is not applied."""
        with self._lock:
            entry = self._entries.get(request_id)
            if entry is None or entry.closed is not None:
                return NOT_OPEN
        try:
            return entry.judge(given)
        except Exception as error:  # a judge that fails has not taken it
            _logger.warning("Cannot take the answer to request %s.", request_id, exc_info=True)
            return AnswerOutcome(False, f"the agent failed on it ({type(error).__name__})")

    def still_open(self) -> list[PendingRequest]:
        """Return the open requests, oldest first."""
        with self._lock:
            return [entry.asked for entry in self._entries.values() if entry.closed is None]

    def to_say(self, limit: int) -> list[Report]:
        """Return the reports that the service has not confirmed, at most `limit`, in order."""
        reports: list[Report] = []
        with self._lock:
            for request_id in self._unsaid:
                entry = self._entries[request_id]
                reports.extend(r for r in (entry.opened, entry.closed) if r is not None)
                if len(reports) >= limit:
                    break
        return reports[:limit]

    def said(self, reports: Iterable[Report]) -> None:
        """Drop reports that the service has, or will never accept."""
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
                        del self._unsaid[report.request_id]

    def say_again(self) -> None:
        """Report all open requests again: the service may have lost them."""
        with self._lock:
            for request_id, entry in self._entries.items():
                if entry.closed is None and entry.opened is None:
                    # A new message: the service may remember the one before, and do nothing.
                    entry.opened = RequestOpened(_message_id(), entry.asked)
                    self._unsaid[request_id] = None
        self._on_change()

    def _drop(self, request_id: str) -> None:
        del self._entries[request_id]
        self._unsaid.pop(request_id, None)
        self._closed.pop(request_id, None)


def _message_id() -> str:
    return uuid.uuid4().hex


def _chars(asked: PendingRequest) -> int:
    return sum(len(value) for value in asked if isinstance(value, str))
