"""Deliver changes to viewers, late ones too (ADR 0003), wherever the changes come from.

A viewer is only a position. What it has not seen is sent from the newest changes in memory
(`Tail`), or, when it is further behind, from where they are stored: a slow viewer costs no memory.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import math
import threading
import time
from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import AsyncGenerator, Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import NamedTuple

from inspector.errors import StoreUnavailableError
from inspector.service import wire
from inspector.service.feed.messages import SESSION, FeedEntry, event
from inspector.service.feed.narrowing import LIST_ROWS, Narrowing, choose
from inspector.service.feed.tail import (
    Interest,
    News,
    Position,
    Tail,
    Unseen,
    WriteLimits,
    unseen,
)
from inspector.service.model.times import rfc3339
from inspector.service.present import rows as presenter
from inspector.service.storage.health import StoreHealth

MAX_BEHIND = 100_000
"""Limit of changes that a viewer catches up with; further behind, it reads the lists again."""
NO_SESSION = "-"
"""The id of no session. A viewer of it gets no spans, and rows of sessions without delay."""
_MAX_SLOW = 4_096
"""Changes after which rows of other sessions do not wait any longer."""
_MANY_VIEWERS = 100
"""Above so many, they are written to less often: a write takes 50 µs, whatever is in it."""
_TICK_S = 0.005
"""Viewers that are due within it are woken together."""
_LATE_S = 0.001
"""Time after the tick, as a loop may count whole milliseconds: when called, all are due."""
_RETRY_S = 5.0
"""Time until a store that could not be read is read again."""


@dataclass(frozen=True, slots=True)
class FeedTiming:
    """The intervals at which the feed writes to a viewer."""

    interval_s: float = 0.1
    """The interval of writes under load, up to `_MANY_VIEWERS`."""
    row_s: float = 0.005
    """The pause after a write for each row in it and each viewer, while that is shorter."""
    list_interval_s: float = 1.0
    """The interval of changes of other sessions, for a viewer of some."""
    keep_alive_s: float = 10.0

    def next_write_s(
        self, now_s: float, rows: int, viewers: int, interval_s: float | None = None
    ) -> float:
        """Return the time of the next write after one of `rows` at `now_s`.

        Args:
            now_s: The time.
            rows: Number of rows of the write.
            viewers: Number of viewers.
            interval_s: In place of the interval of others.
        """
        pause_s = rows * viewers * self.row_s
        interval_s = self.interval_s if interval_s is None else interval_s
        interval_s *= max(1.0, viewers / _MANY_VIEWERS)
        return now_s + pause_s if pause_s < interval_s else _next(now_s, interval_s)

    def next_list_s(self, now_s: float) -> float:
        """Return the time from which on changes of other sessions are due again."""
        return _next(now_s, self.list_interval_s)


def _next(now_s: float, interval_s: float) -> float:
    """Return a time about an interval later, the same for all: what they share is made once."""
    return math.ceil(now_s / interval_s + 0.5) * interval_s if interval_s else now_s


class _Clock:
    """Calls the viewers of one loop in time, those that are due at about the same time together.

    Beside a thousand writes a second, a timer for each would be much of their cost.
    """

    def __init__(self) -> None:
        self.loop = asyncio.get_running_loop()
        self.viewers: set[_Viewer] = set()
        self.without_slow_news: set[_Viewer] = set()
        self._of_session = defaultdict[str, set[_Viewer]](set)
        self._of_all: set[_Viewer] = set()
        """Viewers of all sessions, or of the whole list."""
        self._calls: dict[int, set[Callable[[], None]]] = {}

    def add(self, viewer: _Viewer) -> None:
        """Report news to a viewer."""
        self.viewers.add(viewer)
        for id_ in viewer.interest.session_ids:
            self._of_session[id_].add(viewer)
        if not viewer.interest.is_list_slow:
            self._of_all.add(viewer)

    def discard(self, viewer: _Viewer) -> None:
        """Report nothing to it any more."""
        for id_ in viewer.interest.session_ids:
            self._of_session[id_].discard(viewer)
            if not self._of_session[id_]:
                del self._of_session[id_]
        for viewers in (self.viewers, self.without_slow_news, self._of_all):
            viewers.discard(viewer)

    def report(self, news: News) -> None:
        """Wake the viewers that a commit concerns, in time."""
        if news.is_for_all:
            concerned = [self.viewers]
        else:
            found = (self._of_session.get(id_) for id_ in news.session_ids)
            concerned = [self._of_all, *filter(None, found)]
        for viewer in itertools.chain.from_iterable(concerned):
            if not viewer.has_news:
                viewer.has_news = True
                viewer.wake_in_time()
        if news.may_wait:  # most have such news already
            others, self.without_slow_news = self.without_slow_news, set()
            for viewer in others:
                viewer.has_slow_news = True
                viewer.wake_in_time()

    def wake_all(self) -> None:
        """Wake all viewers at once."""
        for viewer in self.viewers:
            viewer.call()

    def call_at(self, time_s: float, call: Callable[[], None]) -> None:
        tick = math.ceil(time_s / _TICK_S)
        if tick not in self._calls:
            self._calls[tick] = set()
            self.loop.call_at(tick * _TICK_S + _LATE_S, self._ring, tick)
        self._calls[tick].add(call)

    def _ring(self, tick: int) -> None:
        for call in self._calls.pop(tick):
            call()


class _Viewer:
    """A position, and what its stream waits for. Lives in the loop that serves it."""

    def __init__(
        self, clock: _Clock, interest: Interest, head: int, generation: int, keep_alive_s: float
    ) -> None:
        self.interest = interest
        self.generation = generation
        self.interval_s: float | None = None
        self.seen = Position(head, head)
        self.health: StoreHealth | None = None  # the last that was sent to it
        self.room = 0  # rows of the list that it still gets before the next are due
        self.left_out = 0  # and those that it did not get, until that is reported
        self.has_news = False
        self.has_slow_news = False  # rows of other sessions changed, which may wait
        self.news_due_s = 0.0
        self.slow_news_due_s = 0.0
        self.keep_alive_due_s = clock.loop.time() + keep_alive_s
        self._keep_alive_s = keep_alive_s
        self._clock = clock
        self._is_called = False
        self._waiting: asyncio.Future[None] | None = None

    def now_s(self) -> float:
        return self._clock.loop.time()

    def forget_news(self) -> None:
        """Wait for new ones: what there was is about to be read."""
        self.has_news = self.has_slow_news = False
        self._clock.without_slow_news.add(self)

    def call(self) -> None:
        """Wake at once."""
        self._is_called = True
        self.wake_in_time()

    async def wait(self) -> None:
        """Wait until something is due."""
        self._waiting = self._clock.loop.create_future()
        try:
            self.wake_in_time()
            await self._waiting
        finally:
            self._waiting = None
            self._is_called = False

    def keep_alive(self) -> None:
        """Wake whenever it is due for a sign of life; called once, it calls itself."""
        if self not in self._clock.viewers:
            return
        self.wake_in_time()
        due_s, now_s = self.keep_alive_due_s, self.now_s()
        # One that is stalled by its connection looks by itself when that goes on.
        self._clock.call_at(due_s if due_s > now_s else now_s + self._keep_alive_s, self.keep_alive)

    def wake_in_time(self) -> None:
        """Wake at once if something is due, else when it is."""
        if self._waiting is None or self._waiting.done():
            return
        due_s = self._due_s()
        if self._is_called or due_s <= self.now_s():
            self._waiting.set_result(None)
        elif self.has_news or self.has_slow_news:
            self._clock.call_at(due_s, self.wake_in_time)

    def _due_s(self) -> float:
        if self.has_news:
            return min(self.news_due_s, self.keep_alive_due_s)
        if self.has_slow_news:
            return min(max(self.news_due_s, self.slow_news_due_s), self.keep_alive_due_s)
        return self.keep_alive_due_s


class Write(NamedTuple):
    """Bytes for a viewer."""

    block: bytes
    """Server-sent events, whole ones."""
    cursor: int | None
    """The change that the viewer may go on from after it; None: the one of an earlier write."""


class ChangeStream(ABC):
    """Serves the changes of one store to any number of viewers.

    It may be added to from any thread; streams run in event loops.

    Args:
        tail: The newest changes.
        evicted: The newest change whose content is gone.
        timing: Intervals of writing to a viewer.
        clock: Unix ns, for heartbeats.
    """

    def __init__(
        self,
        tail: Tail,
        evicted: int = 0,
        *,
        timing: FeedTiming | None = None,
        clock: Callable[[], int] = time.time_ns,
    ) -> None:
        self._tail, self._evicted = tail, evicted
        self._timing = timing or FeedTiming()
        self._clock = clock
        self._generation = 0
        """Goes up when what viewers know is of no use any more."""
        self._health = StoreHealth("ok", clock())
        self._lock = threading.Lock()
        self._clocks: dict[asyncio.AbstractEventLoop, _Clock] = {}
        self._is_closed = False

    @abstractmethod
    def position(self, change: int) -> str:
        """Return the position of a change, which lists have as `as_of`."""

    @abstractmethod
    async def _start(self, after: str | None) -> int | None:
        """Return the change to continue from; None when `after` is unknown here."""

    @abstractmethod
    async def _read(self, seen: Position, interest: Interest, limits: WriteLimits) -> Unseen:
        """Return what a viewer has not seen that is further behind than what is in memory."""

    @property
    def head(self) -> int:
        """The newest change."""
        return self._tail.head

    def publish_health(self, health: StoreHealth) -> None:
        """Send the health of the store to every viewer at once; from any thread."""
        self._health = health
        self._wake_all()

    async def close(self) -> None:
        """End every stream. Idempotent."""
        self._is_closed = True
        self._wake_all()

    def _report(self, news: News | None) -> None:
        """Wake the viewers that new changes concern."""
        if news is not None:
            self._in_each_loop(lambda clock: clock.report(news))

    def _wake_all(self) -> None:
        self._in_each_loop(_Clock.wake_all)

    def _in_each_loop(self, act: Callable[[_Clock], None]) -> None:
        with self._lock:
            clocks = list(self._clocks.values())
        for clock in clocks:
            with contextlib.suppress(RuntimeError):  # that loop is closed, and its streams with it
                clock.loop.call_soon_threadsafe(act, clock)

    async def writes(
        self,
        after: str | None = None,
        session_ids: Collection[str] = (),
        narrowing: Narrowing | None = None,
        *,
        is_live: bool = True,
        interval_s: float | None = None,
    ) -> AsyncGenerator[Write, None]:
        """Yield one write at a time, until `close`.

        Args:
            after: The last id that the viewer saw, or `as_of` of a list; None: new changes only.
            session_ids: Spans of these sessions only; empty: of all. Rows of other sessions may
                then come later, unless `NO_SESSION` is among them.
            narrowing: The rows of other sessions to send; None: all. Without `session_ids` spans
                of none are sent then.
            is_live: Whether to go on when everything is sent.
            interval_s: Interval of writes under load, in place of that of others.
        """
        ids = frozenset(session_ids)
        if narrowing is not None:
            ids = ids or frozenset({NO_SESSION})
        interest = Interest(ids, bool(ids) and NO_SESSION not in ids, narrowing)
        with self._watching(interest) as viewer:
            viewer.interval_s = interval_s
            yield self._written(viewer, await self._begin(viewer, after))
            while not self._is_closed:
                for block in self._due(viewer):
                    yield self._written(viewer, block)
                viewer.forget_news()
                limits = self._limits(viewer)
                try:
                    found = await self._find(viewer.seen, interest, limits)
                except StoreUnavailableError:
                    yield self._written(viewer, self._heartbeat(viewer))
                    viewer.has_news, viewer.news_due_s = True, viewer.now_s() + _RETRY_S
                    await viewer.wait()
                    continue
                if found is None:
                    continue
                if block := self._moved(viewer, found, limits):
                    yield self._written(viewer, block)
                if found.is_all:  # else it catches up: the pace is that of its connection
                    if not is_live:
                        break
                    await viewer.wait()
            if not is_live:
                yield self._written(viewer, self._heartbeat(viewer))

    def _moved(self, viewer: _Viewer, found: Unseen, limits: WriteLimits) -> bytes:
        """Return a write to a viewer, and move it to where that brings it."""
        viewer.seen = found.position
        viewer.left_out += found.left_out
        block = self._left_out(viewer) if limits.has_report else b""
        block += found.block
        viewer.has_slow_news |= viewer.seen.cursor < viewer.seen.ahead
        viewer.has_slow_news |= bool(viewer.left_out)
        now_s, timing = viewer.now_s(), self._timing
        viewer.room = limits.room - found.row_count
        if limits.has_report and (found.has_list or found.row_count or found.left_out):
            viewer.slow_news_due_s = timing.next_list_s(now_s)
        if block:
            rows, viewers = found.entry_count, self._viewer_count
            viewer.news_due_s = timing.next_write_s(now_s, rows, viewers, viewer.interval_s)
            viewer.keep_alive_due_s = now_s + timing.keep_alive_s
        return block

    @contextlib.contextmanager
    def _watching(self, interest: Interest) -> Iterator[_Viewer]:
        """Have commits kept for a viewer, and reported to it."""
        loop = asyncio.get_running_loop()
        with self._lock:
            clock = self._clocks.setdefault(loop, _Clock())
            viewer = _Viewer(
                clock, interest, self._tail.head, self._generation, self._timing.keep_alive_s
            )
            clock.add(viewer)
            self._tail.follow(interest)
        self._followed()
        viewer.keep_alive()
        try:
            yield viewer
        finally:
            with self._lock:
                self._tail.unfollow(interest)
                clock.discard(viewer)
                if not clock.viewers:
                    del self._clocks[loop]

    async def _begin(self, viewer: _Viewer, after: str | None) -> bytes:
        """Return the first event, for a viewer that goes on from `after`."""
        cursor = await self._start(after)
        if cursor is None:
            return self._gap(viewer)
        viewer.seen = Position(cursor, cursor)
        return self._heartbeat(viewer)

    def _followed(self) -> None:  # noqa: B027 - a store has what every viewer wants
        """Note that a viewer came, perhaps of other sessions."""

    def _due(self, viewer: _Viewer) -> Iterator[bytes]:
        """Yield what comes before changes: a sign of life, and a gap."""
        if viewer.health is not self._health or viewer.now_s() >= viewer.keep_alive_due_s:
            yield self._heartbeat(viewer)
        is_current = viewer.generation == self._generation
        if not (is_current and self._is_in_reach(viewer.seen.cursor)):
            yield self._gap(viewer)

    def _written(self, viewer: _Viewer, block: bytes) -> Write:
        return Write(block, None if viewer.left_out else viewer.seen.cursor)

    def _is_in_reach(self, change: int) -> bool:
        """Return whether all changes after `change` can still be sent."""
        head = self._tail.head
        return max(head - MAX_BEHIND, self._evicted) <= change <= head

    @property
    def _viewer_count(self) -> int:
        return sum(len(clock.viewers) for clock in list(self._clocks.values()))

    def _limits(self, viewer: _Viewer) -> WriteLimits:
        """Return the limits of the next write to a viewer."""
        is_late = self._tail.head - viewer.seen.cursor > _MAX_SLOW
        is_due = viewer.now_s() >= viewer.slow_news_due_s
        if viewer.interest.narrowing is None:
            return WriteLimits(is_due or is_late or not viewer.interest.is_list_slow)
        if is_due:
            return WriteLimits(is_list_due=True, room=LIST_ROWS)
        return WriteLimits(
            is_late, viewer.room, has_report=False, owes_report=bool(viewer.left_out)
        )

    async def _find(self, seen: Position, interest: Interest, limits: WriteLimits) -> Unseen | None:
        """Return what a viewer has not seen; None: content of it has just gone."""
        with self._lock:
            found = self._tail.unseen(seen, interest, limits)
        if found is None:  # it is further behind than what is in memory
            found = await self._read(seen, interest, limits)
            return found if self._is_in_reach(seen.cursor) else None
        return found

    def _unseen(
        self,
        entries: Iterable[FeedEntry],
        reached: int,
        seen: Position,
        interest: Interest,
        limits: WriteLimits,
        *,
        is_all: bool,
    ) -> Unseen:
        """Return entries that were read from where they are stored, as a write to a viewer.

        Args:
            entries: All that changed after `seen.cursor`.
            reached: The change up to which they are all.
            seen: What the viewer has seen.
            interest: What it follows.
            limits: Limits of the write.
            is_all: Whether there is no more.
        """
        wanted = [entry for entry in entries if _is_wanted(entry, seen, interest)]
        left_out: Sequence[FeedEntry] = ()
        if (narrowing := interest.narrowing) is not None:
            with self._lock:
                in_list = filter(interest.has_in_list, wanted)
                rows = self._tail.queries.wanted(in_list, narrowing, seen.cursor)
                others = itertools.filterfalse(interest.has_in_list, wanted)
                wanted = self._tail.queries.marked(others, narrowing)
            first, left_out = choose(rows, narrowing, limits.room)
            wanted = sorted([*wanted, *first], key=attrgetter("change"))
        return unseen(
            wanted,
            left_out,
            interest,
            seen,
            Position(max(seen.cursor, reached), max(seen.ahead, reached)),
            self._tail.store_id,
            limits,
            is_all=is_all,
            has_list=is_all,  # the rest is due, too, wherever it comes from
        )

    def _heartbeat(self, viewer: _Viewer) -> bytes:
        now_ns = self._clock()
        viewer.health = self._health
        viewer.keep_alive_due_s = viewer.now_s() + self._timing.keep_alive_s
        beat = wire.Heartbeat(
            time=rfc3339(now_ns), now_ns=str(now_ns), store=presenter.store_health(viewer.health)
        )
        is_cut_safe = not viewer.left_out
        position = self._event_id(viewer.seen.cursor) if is_cut_safe else None
        return event(beat.model_dump_json().encode(), position)

    def _left_out(self, viewer: _Viewer) -> bytes:
        """Return the report of rows that were left out, if there are any, and forget them."""
        if not viewer.left_out:
            return b""
        message = wire.LeftOut(
            time=rfc3339(self._clock()),
            count=viewer.left_out,
            through=self.position(viewer.seen.cursor),
        )
        viewer.left_out = 0
        return event(message.model_dump_json().encode())

    def _gap(self, viewer: _Viewer) -> bytes:
        """Return the request to read all lists again, from where the viewer now goes on."""
        head = self._tail.head
        viewer.seen, viewer.left_out = Position(head, head), 0
        viewer.generation = self._generation
        gap = wire.Gap(time=rfc3339(self._clock()))
        return event(gap.model_dump_json().encode(), self._event_id(head))

    def _event_id(self, change: int) -> str | None:
        return None if self._tail.store_id is None else self.position(change)


def _is_wanted(entry: FeedEntry, seen: Position, interest: Interest) -> bool:
    """Return whether a viewer gets an entry that came from the store."""
    ids = interest.session_ids
    if ids and entry.only_for is not None and entry.only_for not in ids:
        return False
    return entry.change > seen.ahead or entry.key[0] == SESSION
