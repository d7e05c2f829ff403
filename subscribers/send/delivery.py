"""Delivery to the inspector: one bounded buffer, one daemon thread.

`put` only appends to a deque; behind a whole request it also measures what it appends. The thread
sends a batch 10 ms after its first item or at 128 items, 1 ms after an item that follows silence,
and larger batches when it is behind. While the target is away it buffers as much as fits and
retries with growing pauses. The order stays, so a start never comes after its end.
"""

from __future__ import annotations

import logging
import random
import threading
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from enum import Enum
from itertools import islice
from time import monotonic
from typing import Any, Protocol, TypeAlias, TypeVar

from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ReadableSpan

from subscribers.bridge import late
from subscribers.exits import when_forked
from subscribers.options import EXIT_TIMEOUT, sending_timeout_s
from subscribers.send.live_record import LiveRecord, heartbeat

_logger = logging.getLogger("inspector")

Item: TypeAlias = "LiveRecord | ReadableSpan"


_T = TypeVar("_T")


class SendResult(Enum):
    """The result of sending a batch to a target."""

    ACCEPTED = "taken"
    AWAY = "away"
    """The target is not reachable, or overloaded: try again."""
    TOO_LARGE = "too large"
    UNENCODABLE = "unencodable"
    """An item cannot be encoded; the rest can."""
    REFUSED = "refused"
    """Never accepted: do not try again."""


_DIVISIBLE = frozenset({SendResult.TOO_LARGE, SendResult.UNENCODABLE})
"""Results that may be due to a single item."""
_AWAY_PAUSE_S = 0.25
"""Pause until what could not be made while the target was away is tried again."""
_FIRST_PART = 0.1
"""The first item after silence waits for this part of the pause: what comes with it goes along."""


@dataclass(frozen=True, slots=True)
class Answer:
    """A target's answer to a batch; `retry_after_s` is its wish for the next try."""

    result: SendResult
    retry_after_s: float | None = None


class Target(Protocol):
    """The receiver of batches. Called from the delivery's thread only."""

    name: str

    def send_logs(self, records: Sequence[LiveRecord]) -> Answer:
        """Send live records; ACCEPTED also when the target wants none."""

    def send_spans(self, spans: Sequence[ReadableSpan]) -> Answer:
        """Send ended spans."""

    def reset(self) -> None:
        """Drop connections, which belong to the parent of a fork."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of the buffer and of retries."""

    flush_after_s: float = 0.010
    """From the first item to its batch, unless none was sent for as long: then a tenth."""
    max_batch_items: int = 128
    """Items that end the gathering of a batch."""
    max_request_items: int = 1_024
    """Items of one request when more have gathered during the previous one."""
    max_items: int = 8_192
    """Items that wait for the thread, and items that it has yet to send."""
    max_bytes: int = 64 * 2**20
    """Their memory, for each; the first `max_request_items` that wait are not measured."""
    heartbeat_s: float = 5.0
    lost_after_s: float = 12.0
    first_retry_s: float = 0.1
    last_retry_s: float = 2.0
    exit_s: float = field(default_factory=sending_timeout_s)


@dataclass(slots=True)
class _Flush:
    """A caller of `flush`, who waits until everything is sent."""

    over: threading.Event
    until_back: bool
    is_sent: bool = False


class Delivery:
    """Buffers and sends; safe to use from any thread, and after `fork`."""

    def __init__(
        self,
        target: Target,
        resource: Callable[[], Resource],
        limits: Limits | None = None,
        *,
        treat: Callable[[Item], Item] | None = None,
        on_start: Callable[[], None] | None = None,
        ending: Callable[[], Mapping[str, Any]] = dict,
    ) -> None:
        """Make a delivery; its thread starts with the first item or `start`.

        Args:
            target: Receiver of the batches.
            resource: Returns the resource of heartbeats; called for each, as `fork` changes it.
            limits: Limits; the defaults are those of `attach`.
            treat: Applied to each item once, on the thread.
            on_start: Called after the thread has started, in each process.
            ending: Returns attributes of the last heartbeat.
        """
        self._target = target
        self._resource = resource
        self._limits = limits or Limits()
        self._treat = treat
        self._on_start = on_start
        self._ending = ending
        self.leaves_out: Callable[[Item], bool] | None = None
        """Returns, on the thread, whether an item is not to be sent."""
        self.sent_spans = 0  # accepted ones
        self.lost = 0  # items that `close` has reported as not received
        self._thread: threading.Thread | None = None
        self._is_closing = False
        self._is_closed = False
        self._reset()
        when_forked(self.after_fork)

    def put(self, item: Item) -> None:
        """Add an item; never blocks, never raises. The oldest goes when there are too many."""
        if self._thread is None:
            self.start()
        inbox = self._inbox
        inbox.append(item if len(inbox) < self._unmeasured_items else self._measured(item))
        # Not "if it is the first": two threads may both append before either looks. `is_set` is
        # cheap; `set` takes a lock.
        if not self._wake.is_set():
            self._wake.set()
        if len(inbox) >= self._limits.max_batch_items and not self._full.is_set():
            self._full.set()

    def put_later(self, make: Callable[[], Item | None], after_s: float) -> None:
        """Call `make` on the thread after a while, and add the item that it returns, if any.

        Never blocks, never raises. `after_s` must be the same each time. While the target is away
        it is called later: what it would return would be old.
        """
        if self._thread is None:
            self.start()
        self._later.append((monotonic() + after_s, make))
        if not self._wake.is_set():
            self._wake.set()

    def _measured(self, item: Item) -> tuple[Item, int]:
        """Return `item` with its size, and drop the oldest ones that leave no room for it.

        Without a lock, which a finalizer that ends a span would take twice; see `_drain_inbox`.
        """
        inbox, limits, size = self._inbox, self._limits, _size_bytes(item)
        self._inbox_bytes += size
        with suppress(IndexError):  # the thread took the last one
            while len(inbox) >= limits.max_items or self._inbox_bytes > limits.max_bytes:
                oldest = inbox.popleft()
                self._inbox_bytes -= oldest[1] if isinstance(oldest, tuple) else 0
                self._dropped += 1
                self._is_full = True
        return item, size

    def start(self) -> None:
        """Start the thread, so that heartbeats are sent before the first span."""
        with self._lock:
            if self._thread is not None or self._is_closing:
                return
            self._thread = threading.Thread(
                target=self._run, name="inspector-delivery", daemon=True
            )
            self._thread.start()
        if self._on_start is not None:
            self._on_start()

    def flush(self, timeout_s: float, *, until_back: bool = True) -> bool:
        """Wait until all items so far are sent or refused; False on timeout.

        Args:
            timeout_s: The longest wait.
            until_back: Whether to wait for a target that is away.
        """
        thread = self._thread
        if thread is None or not thread.is_alive():
            return not self._inbox
        if self._is_away and not until_back:
            return False
        flush = _Flush(threading.Event(), until_back)
        self._flushes.append(flush)
        self._hurry()
        return flush.over.wait(timeout_s) and flush.is_sent

    def close(self) -> None:
        """Send the remaining items and a goodbye, for at most `exit_s`; idempotent."""
        self._is_closing = True
        thread = self._thread
        if thread is None or thread is threading.current_thread():
            return
        self._hurry()
        thread.join(self._limits.exit_s)
        lost = self._dropped + len(self._inbox) + len(self._pending)
        if lost and not self._is_closed:
            self.lost = lost
            _logger.warning(
                "The Inspector service at %s did not receive %d records before the exit. %s",
                self._target.name,
                lost,
                "It cannot be reached, or takes no data: is it running?"
                if self._is_away
                else f"If it is only slow, set {EXIT_TIMEOUT}=10.",
            )
        self._is_closed = True

    def _reset(self) -> None:
        self._inbox: deque[Item | tuple[Item, int]] = deque()
        """What waits for the thread; with its size if there is much."""
        self._inbox_bytes = 0
        self._later: deque[tuple[float, Callable[[], Item | None]]] = deque()
        """What is to be made, with the time for it; the next one is first."""
        self._unmeasured_items = min(self._limits.max_request_items, self._limits.max_items)
        self._pending: deque[tuple[Item, int]] = deque()
        self._pending_bytes = 0
        self._flushes: deque[_Flush] = deque()
        self._lock = threading.Lock()
        self._wake = threading.Event()
        self._full = threading.Event()
        self._urgent = threading.Event()
        self._thread = None
        self._is_away = False
        self._failures = 0
        self._dropped = 0
        self._is_full = self._is_full_logged = False
        self._sent_s = 0.0

    def after_fork(self) -> None:
        """Start afresh in the child: the parent sends the buffered items."""
        self._reset()
        self._target.reset()

    def _hurry(self) -> None:
        self._urgent.set()
        self._full.set()
        self._wake.set()

    # --- the thread ---------------------------------------------------------------------------

    def _run(self) -> None:
        next_beat_s = monotonic()
        while not self._is_closing:
            now_s = monotonic()
            if now_s >= next_beat_s:
                self._beat("alive")
                next_beat_s = now_s + self._limits.heartbeat_s
            next_s = min(next_beat_s, self._later[0][0]) if self._later else next_beat_s
            self._gather(max(next_s - monotonic(), 0.0))
            self._send_pending()
            self._sent_s = monotonic()
            self._end_sent_flushes()
        self._send_exit()

    def _gather(self, timeout_s: float) -> None:
        """Wait for the first item, then briefly for more; move them to the pending ones."""
        self._wake.wait(timeout_s)
        self._wake.clear()
        self._make_due()
        if self._inbox and not self._urgent.is_set():
            pause_s = self._limits.flush_after_s
            is_first = monotonic() - self._sent_s > pause_s
            self._full.wait(pause_s * _FIRST_PART if is_first else pause_s)
        self._full.clear()
        self._drain_inbox()

    def _make_due(self) -> None:
        """Add the items that are to be made by now."""
        later, now_s = self._later, monotonic()
        for _ in range(len(later)):
            due_s, make = later[0]
            if due_s > now_s:
                return
            later.popleft()
            if self._is_away:
                later.append((now_s + _AWAY_PAUSE_S, make))
                continue
            try:
                item = make()
            except Exception:  # noqa: BLE001 - a user's redactor
                self._dropped += 1
                continue
            if item is not None:
                self._inbox.append(item)

    def _drain_inbox(self) -> None:
        inbox, pending, limits = self._inbox, self._pending, self._limits
        while inbox:
            item = inbox.popleft()
            if isinstance(item, tuple):
                item, measured_bytes = item
                self._inbox_bytes -= measured_bytes
            if self.leaves_out is not None and self.leaves_out(item):
                continue
            if self._treat is not None:
                try:
                    item = self._treat(item)
                except Exception:  # noqa: BLE001 - a user's redactor; never send it unredacted
                    self._dropped += 1
                    continue
            _complete(item)
            size = _size_bytes(item)
            pending.append((item, size))
            self._pending_bytes += size
            if len(pending) > limits.max_items or self._pending_bytes > limits.max_bytes:
                self._drop_oldest()
        self._inbox_bytes = 0  # threads that count at once may have lost a number
        if self._is_full and not self._is_full_logged:
            self._is_full_logged = True
            _logger.warning(
                "The Inspector service at %s accepts no data and the buffer is full: dropping the "
                "oldest records.",
                self._target.name,
            )

    def _drop_oldest(self) -> None:
        _, size = self._pending.popleft()
        self._pending_bytes -= size
        self._dropped += 1
        self._is_full = True

    def _send_pending(self) -> None:
        while self._pending:
            batch = [item for item, _ in islice(self._pending, self._limits.max_request_items)]
            answer = self._send(batch)
            if answer.result is SendResult.AWAY:
                self._back_off(answer)
                return
            self._came_back()
            for _ in batch:
                self._pending_bytes -= self._pending.popleft()[1]
            self._drain_inbox()

    def _send(self, batch: list[Item]) -> Answer:
        """Send logs, then spans: an end must not overtake its start."""
        spans = [item for item in batch if isinstance(item, ReadableSpan)]
        ended = {span.context.span_id for span in spans if span.context is not None}
        records = [
            item
            for item in batch
            if isinstance(item, LiveRecord) and not (item.span and _span_id(item) in ended)
        ]
        answer = self._send_part(records, self._target.send_logs)
        if answer.result is SendResult.AWAY:
            return answer
        answer = self._send_part(spans, self._target.send_spans)
        if answer.result is SendResult.ACCEPTED:
            self.sent_spans += len(spans)
        return answer

    def _send_part(self, items: list[_T], send: Callable[[Sequence[_T]], Answer]) -> Answer:
        """Send, in halves until an item that is too large or unencodable is alone.

        Refused items are counted and dropped.
        """
        if not items:
            return Answer(SendResult.ACCEPTED)
        answer = send(items)
        if answer.result in _DIVISIBLE and len(items) > 1:
            middle = len(items) // 2
            first = self._send_part(items[:middle], send)
            return (
                first if first.result is SendResult.AWAY else self._send_part(items[middle:], send)
            )
        if answer.result in {*_DIVISIBLE, SendResult.REFUSED}:
            self._dropped += len(items)
        return answer

    def _back_off(self, answer: Answer) -> None:
        """Pause, longer each time, unless `flush` is waiting or the process exits."""
        if not self._is_away:
            self._is_away = True
            _logger.info(
                "Cannot reach the Inspector service at %s; telemetry is buffered until it is back.",
                self._target.name,
            )
        self._end_flushes(is_sent=False)
        limits = self._limits
        pause_s = min(limits.first_retry_s * 2**self._failures, limits.last_retry_s)
        if answer.retry_after_s is not None:
            pause_s = min(answer.retry_after_s, 30.0)
        self._failures = min(self._failures + 1, 16)
        self._urgent.wait(pause_s * random.uniform(0.8, 1.2))
        self._urgent.clear()
        self._wake.set()  # retry pending items without waiting for a new one

    def _came_back(self) -> None:
        if self._is_away:
            self._is_away = False
            _logger.info("The Inspector service at %s is back.", self._target.name)
        self._failures = 0

    def _end_sent_flushes(self) -> None:
        if self._inbox or self._pending:
            return
        self._urgent.clear()
        self._end_flushes(is_sent=True)

    def _end_flushes(self, *, is_sent: bool) -> None:
        """Release waiting callers; while the target is away, only those who do not wait for it."""
        for _ in range(len(self._flushes)):
            flush = self._flushes.popleft()
            if is_sent or not flush.until_back:
                flush.is_sent = is_sent
                flush.over.set()
            else:
                self._flushes.append(flush)

    def _beat(self, state: str) -> None:
        """Send a heartbeat; dropped while the target is away, as it grows stale."""
        record = heartbeat(
            self._resource(),
            state=state,
            lost_after_s=self._limits.lost_after_s,
            ending=self._ending() if state == "exiting" else {},
        )
        if not self._is_away:
            self._inbox.append(record)
            self._wake.set()

    def _send_exit(self) -> None:
        deadline_s = monotonic() + self._limits.exit_s
        self._send_rest(deadline_s)
        self._beat("exiting")  # after the spans, whose session it ends
        self._send_rest(deadline_s)
        self._end_sent_flushes()

    def _send_rest(self, deadline_s: float) -> None:
        self._drain_inbox()
        while self._pending and monotonic() < deadline_s:
            before = len(self._pending)
            self._urgent.set()
            self._send_pending()
            if len(self._pending) == before:
                break


def _span_id(record: LiveRecord) -> int:
    return record.span_context.span_id if record.span_context is not None else 0


def _size_bytes(item: Item) -> int:
    """Estimate the memory of an item; what is late is not computed for it."""
    if isinstance(item, LiveRecord):
        return 512 + late.size_bytes(item.attributes)
    # Not the property: it asks for their number, and so completes them.
    owned = [getattr(item, "_attributes", None), *(event.attributes for event in item.events)]
    return 512 + sum(late.size_bytes(one) for one in owned if one is not None)


def _complete(item: Item) -> None:
    """Have late attributes computed by this thread, not by the agent's or once they are sent."""
    for one in (item, *(item.events if isinstance(item, ReadableSpan) else ())):
        len(one.attributes or ())
