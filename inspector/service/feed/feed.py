"""The change feed of a store (ADR 0003): what is committed, for the viewers of `GET /events`."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncGenerator, Callable, Collection

from inspector.errors import StoreUnavailableError
from inspector.service.feed.messages import entries_of
from inspector.service.feed.narrowing import Narrowing
from inspector.service.feed.tail import CHUNK, Interest, Position, Tail, Unseen, WriteLimits
from inspector.service.feed.viewing import ChangeStream, FeedTiming
from inspector.service.model.records import Changes, SessionRecord
from inspector.service.storage.base import ReadableStore, Reader


class Feed(ChangeStream):
    """Serves `GET /events` for any number of viewers.

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
        with store.read() as reader:
            tail, evicted = Tail(reader.head, store.id), reader.evicted
        super().__init__(tail, evicted, timing=timing, clock=clock)

    def position(self, change: int) -> str:
        """Return the event id of a change, which lists have as `as_of`."""
        return f"{self._store.id}.{change}"

    def publish(self, changes: Changes) -> None:
        """Send a commit to the viewers; after it is durable, and in order."""
        with self._lock:
            news = self._tail.add(changes)
        self._report(news)

    def evicted(self, change: int) -> None:
        """Note that content up to a change goes: who has not seen it reads it elsewhere."""
        self._evicted = max(self._evicted, change)

    def start_again(self) -> None:
        """Forget the commits in memory: viewers continue from the store."""
        head = self._stored_head()
        with self._lock:
            self._tail.forget(head)
        self._wake_all()

    async def stream(
        self,
        after: str | None = None,
        session_ids: Collection[str] = (),
        narrowing: Narrowing | None = None,
        *,
        is_live: bool = True,
        interval_s: float | None = None,
    ) -> AsyncGenerator[bytes, None]:
        """Yield server-sent events, whole ones, one write at a time; see `writes`."""
        async with contextlib.aclosing(
            self.writes(after, session_ids, narrowing, is_live=is_live, interval_s=interval_s)
        ) as writes:
            async for write in writes:
                yield write.block

    async def _start(self, after: str | None) -> int | None:
        """Return the position to continue from; None when `after` is unknown here."""
        if after is None:
            return self._tail.head
        store_id, _, number = after.rpartition(".")
        if store_id != self._store.id or not (number.isascii() and number.isdecimal()):
            return None
        change = int(number[:20])
        with contextlib.suppress(StoreUnavailableError):
            if change > self._tail.head and change <= await asyncio.to_thread(self._stored_head):
                change = min(change, self._tail.head)  # published at any moment: it comes again
        return change if self._is_in_reach(change) else None

    def _stored_head(self) -> int:
        with self._store.read() as reader:
            return reader.head

    async def _read(self, seen: Position, interest: Interest, limits: WriteLimits) -> Unseen:
        """Return what a viewer has not seen that is further behind than what is in memory."""
        return await asyncio.to_thread(self._read_stored, seen, interest, limits)

    def _read_stored(self, seen: Position, interest: Interest, limits: WriteLimits) -> Unseen:
        published = self._tail.head  # a commit comes a moment later than it is stored
        with self._store.read() as reader:
            rows = [row for row in reader.changes(seen.cursor, CHUNK) if row.change <= published]
            entries = entries_of(rows, lambda id_: _destination(reader, id_))
            is_all = len(rows) < CHUNK
            reached = min(reader.head, published) if is_all else rows[-1].change
        return self._unseen(entries, reached, seen, interest, limits, is_all=is_all)


def _destination(reader: Reader, session_id: str) -> SessionRecord | None:
    return reader.session(reader.destination(session_id) or session_id)
