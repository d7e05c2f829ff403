"""The change feed: it delivers every commit to every viewer, late ones too (ADR 0003).

A viewer is only a position. What it has not seen is sent from the newest commits in memory
(`_Tail`), or, when it is further behind, from the store: a slow viewer costs no memory.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import threading
import time
from collections import deque
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field

from inspector.errors import StoreUnavailableError
from inspector.service import wire
from inspector.service.feed.messages import FeedEntry, entries_of
from inspector.service.model.records import Change, Changes, SpanRecord, shown_bytes
from inspector.service.model.rows import SessionRow
from inspector.service.model.times import rfc3339
from inspector.service.present import rows as presenter
from inspector.service.storage.base import ReadableStore, Reader
from inspector.service.storage.health import StoreHealth

MAX_BEHIND = 100_000
"""Limit of changes that a viewer catches up with; further behind, it reads the lists again."""
_TAIL_ROWS = 16_384
_ROW_BYTES = 4_096
"""Bytes of a request's arguments that count as one row."""
_CHUNK = 500
"""Entries per write."""
_RETRY_S = 5.0
"""Time until a store that could not be read is read again."""


@dataclass(frozen=True, slots=True)
class FeedTiming:
    """The intervals at which the feed writes to a viewer."""

    interval_s: float = 0.1
    keep_alive_s: float = 10.0


@dataclass(eq=False, slots=True)
class _Viewer:
    """Wakes one stream; lives in the loop that serves it."""

    loop: asyncio.AbstractEventLoop
    news: asyncio.Event = field(default_factory=asyncio.Event)
    health: StoreHealth | None = None
    """The last that was sent to it."""


class Feed:
    """Serves `GET /events` for any number of viewers.

    `publish` may be called from any thread; streams run in event loops.

    Args:
        store: For viewers that are behind.
        timing: Intervals of writing to a viewer.
        clock: Unix ns, for heartbeats.
    """

    def __init__(
        self,
        store: ReadableStore,
        *,
        timing: FeedTiming | None = None,
        clock: Callable[[], int] = time.time_ns,
    ) -> None:
        self._store = store
        self._timing = timing or FeedTiming()
        self._clock = clock
        with store.read() as reader:
            self._tail = _Tail(reader.head)
        self._health = StoreHealth("ok", clock())
        self._lock = threading.Lock()
        self._viewers: set[_Viewer] = set()
        self._is_closed = False

    def position(self, change: int) -> str:
        """Return the event id of a change, which lists have as `as_of`."""
        return f"{self._store.id}.{change}"

    def publish(self, changes: Changes) -> None:
        """Send a commit to the viewers; after it is durable, and in order."""
        with self._lock:
            self._tail.add(changes, is_watched=bool(self._viewers))
        self._wake_all()

    def start_again(self) -> None:
        """Forget the commits in memory: viewers continue from the store."""
        with self._store.read() as reader:
            tail = _Tail(reader.head)
        with self._lock:
            self._tail = tail
        self._wake_all()

    def publish_health(self, health: StoreHealth) -> None:
        """Send the health of the store to every viewer at once; from any thread."""
        self._health = health
        self._wake_all()

    async def close(self) -> None:
        """End every stream. Idempotent."""
        self._is_closed = True
        self._wake_all()

    def _wake_all(self) -> None:
        with self._lock:
            viewers = list(self._viewers)
        for loop, group in itertools.groupby(viewers, key=lambda viewer: viewer.loop):
            _wake(loop, list(group))

    async def stream(
        self, after: str | None = None, session_ids: Collection[str] = ()
    ) -> AsyncGenerator[bytes, None]:
        """Yield server-sent events, whole ones, one write at a time, until `close`.

        Args:
            after: The last id that the viewer saw, or `as_of` of a list; None: new changes only.
            session_ids: Spans of these sessions only; empty: of all.
        """
        viewer = _Viewer(asyncio.get_running_loop())
        with self._lock:
            self._viewers.add(viewer)
        try:
            cursor = self._start(after)
            if cursor is None:
                cursor = self._tail.head
                yield self._gap(cursor)
            else:
                yield self._heartbeat(cursor, viewer)
            async for block in self._follow(viewer, cursor, frozenset(session_ids)):
                yield block
        finally:
            with self._lock:
                self._viewers.discard(viewer)

    def _start(self, after: str | None) -> int | None:
        """Return the position to continue from; None when `after` is unknown here."""
        if after is None:
            return self._tail.head
        store_id, _, number = after.rpartition(".")
        if store_id != self._store.id or not (number.isascii() and number.isdecimal()):
            return None
        change = int(number[:20])
        return change if self._is_in_reach(change) else None

    def _is_in_reach(self, change: int) -> bool:
        """Return whether all changes after `change` can still be sent."""
        head = self._tail.head
        return head - MAX_BEHIND <= change <= head

    async def _follow(
        self, viewer: _Viewer, cursor: int, session_ids: frozenset[str]
    ) -> AsyncIterator[bytes]:
        loop, timing = viewer.loop, self._timing
        written_s = loop.time()
        earliest_s = 0.0
        while not self._is_closed:
            viewer.news.clear()
            if viewer.health is not self._health:
                yield self._heartbeat(cursor, viewer)
            if not self._is_in_reach(cursor):
                cursor = self._tail.head
                yield self._gap(cursor)
            if cursor == self._tail.head:
                if not await _has_news(viewer, written_s + timing.keep_alive_s):
                    written_s = loop.time()
                    yield self._heartbeat(cursor, viewer)
                continue
            await _sleep_until(loop, earliest_s)
            try:
                entries, reached = await self._after(cursor, session_ids)
            except StoreUnavailableError:
                yield self._heartbeat(cursor, viewer)
                await _has_news(viewer, loop.time() + _RETRY_S)
                continue
            block = b"".join(self._blocks(entries, cursor, session_ids))
            cursor = reached
            if block:
                written_s = loop.time()
                earliest_s = written_s + timing.interval_s
                yield block
            if cursor < self._tail.head and len(entries) >= _CHUNK:
                earliest_s = 0.0  # it catches up: the pace is that of its connection

    async def _after(
        self, cursor: int, session_ids: frozenset[str]
    ) -> tuple[Sequence[FeedEntry], int]:
        """Return the oldest entries after `cursor`, and the position that they reach."""
        with self._lock:
            commits = self._tail.since(cursor)
        if commits is not None:
            return _oldest(commits, cursor, session_ids)
        return await asyncio.to_thread(self._read_after, cursor)

    def _read_after(self, cursor: int) -> tuple[Sequence[FeedEntry], int]:
        with self._store.read() as reader:
            found = reader.changes(cursor, _CHUNK)
            entries = entries_of(found, lambda id_: _destination_row(reader, id_))
            is_all = len(found) < _CHUNK
            return entries, reader.head if is_all else found[-1].change

    def _blocks(
        self, entries: Iterable[FeedEntry], cursor: int, session_ids: frozenset[str]
    ) -> Iterable[bytes]:
        for entry in entries:
            if entry.concerns(session_ids):
                *before, last = entry.messages(cursor)
                for message in before:
                    yield _event(message)
                # Only the last message of a change has its id: a viewer that is cut off before
                # it gets the change again.
                yield _event(last, self.position(entry.change))

    def _heartbeat(self, cursor: int, viewer: _Viewer) -> bytes:
        now_ns = self._clock()
        viewer.health = self._health
        beat = wire.Heartbeat(
            time=rfc3339(now_ns), now_ns=str(now_ns), store=presenter.store_health(viewer.health)
        )
        return _event(beat.model_dump_json(), self.position(cursor))

    def _gap(self, cursor: int) -> bytes:
        gap = wire.Gap(time=rfc3339(self._clock()))
        return _event(gap.model_dump_json(), self.position(cursor))


class _Commit:
    """The changes of one commit; entries are made on first use."""

    def __init__(self, changes: Changes) -> None:
        self.head = changes.head
        self.rows = changes.published(changes.first - 1)
        shown = sum(shown_bytes(record.row) for record in changes.requests)
        self.weight = len(self.rows) + shown // _ROW_BYTES
        self.moves_spans = bool(changes.departures)
        self._session_rows = {record.row.id: record.row for record in changes.sessions}
        self._entries: dict[int, FeedEntry | None] = {}

    def entry(self, row: Change) -> FeedEntry | None:
        """Return the feed entry of `row`; None: it has none."""
        if row.change not in self._entries:
            made = entries_of([row], self._session_rows.get)
            self._entries[row.change] = made[0] if made else None
        return self._entries[row.change]


class _Tail:
    """The newest commits, while there are viewers."""

    def __init__(self, head: int) -> None:
        self.head = head
        self._floor = head  # everything newer than this is here
        self._commits: deque[_Commit] = deque()
        self._row_count = 0

    def add(self, changes: Changes, *, is_watched: bool) -> None:
        self.head = changes.head
        if is_watched:
            commit = _Commit(changes)
            self._commits.append(commit)
            self._row_count += commit.weight
        else:  # a later viewer reads from the store what it has missed
            self._commits.clear()
            self._floor, self._row_count = changes.head, 0
        while self._row_count > _TAIL_ROWS:
            oldest = self._commits.popleft()
            self._floor = oldest.head
            self._row_count -= oldest.weight

    def since(self, cursor: int) -> list[_Commit] | None:
        """Return the commits after `cursor`, newest first; None when they are not all here."""
        if cursor < self._floor:
            return None
        newest_first = reversed(self._commits)
        return list(itertools.takewhile(lambda commit: commit.head > cursor, newest_first))


def _oldest(
    commits: Sequence[_Commit], cursor: int, session_ids: frozenset[str]
) -> tuple[Sequence[FeedEntry], int]:
    """Return the first entries after `cursor` in `commits` (newest first), and how far they reach.

    Of rows that changed more than once, the newest version.
    """
    moves_spans = any(commit.moves_spans for commit in commits)
    seen: set[tuple[str, ...]] = set()
    pending: list[FeedEntry] = []
    for commit in commits:
        for row in reversed(commit.rows):
            if row.change <= cursor:
                break
            is_other = isinstance(row, SpanRecord) and row.session_id not in session_ids
            if session_ids and is_other and not moves_spans:
                continue  # of these there may be thousands
            entry = commit.entry(row)
            if entry is None or entry.key in seen:
                continue
            seen.add(entry.key)
            pending.append(entry)
    chunk = pending[::-1][:_CHUNK]
    is_all = len(chunk) == len(pending)
    return chunk, (commits[0].head if commits else cursor) if is_all else chunk[-1].change


def _destination_row(reader: Reader, session_id: str) -> SessionRow | None:
    destination = reader.destination(session_id) or session_id
    record = reader.session(destination)
    return record.row if record else None


def _event(data: str, position: str | None = None) -> bytes:
    """Return one server-sent event; JSON has no line breaks of its own."""
    head = "" if position is None else f"id: {position}\n"
    return f"{head}data: {data}\n\n".encode()


def _wake(loop: asyncio.AbstractEventLoop, viewers: Sequence[_Viewer]) -> None:
    def ring() -> None:
        for viewer in viewers:
            viewer.news.set()

    with contextlib.suppress(RuntimeError):  # that loop is closed, and its streams with it
        loop.call_soon_threadsafe(ring)


async def _has_news(viewer: _Viewer, until_s: float) -> bool:
    """Wait for news; return whether there were any in time."""
    try:
        async with asyncio.timeout_at(until_s):
            await viewer.news.wait()
    except TimeoutError:
        return False
    return True


async def _sleep_until(loop: asyncio.AbstractEventLoop, time_s: float) -> None:
    if time_s > loop.time():
        await asyncio.sleep(time_s - loop.time())
