"""Follow the stream of each service once, for all viewers of a reader (ADR 0017)."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import logging
import time
from collections.abc import AsyncGenerator, Callable, Collection, Iterable
from typing import Any, NamedTuple
from urllib.parse import quote

import httpx
import orjson

from inspector.errors import StoreUnavailableError
from inspector.service import wire
from inspector.service.feed.messages import event
from inspector.service.feed.narrowing import Narrowing
from inspector.service.feed.tail import CHUNK, Interest, Position, Tail, Unseen, WriteLimits
from inspector.service.feed.viewing import NO_SESSION, ChangeStream, FeedTiming, Write
from inspector.service.http.events import MAX_IDS_CHARS
from inspector.service.http.problems import ProblemError
from inspector.service.model.times import rfc3339
from inspector.service.model.writer_names import split_id
from inspector.service.present import rows as presenter
from inspector.service.reader.relayed import RelayedEntry
from inspector.service.reader.writers import RemoteWriter
from inspector.service.storage.health import StoreHealth
from inspector.sse import EventSplitter

_log = logging.getLogger("inspector.reader")

_SILENCE_S = 25.0
"""Time after which a stream counts as dead; a service sends something every 10 s."""
_RETRY_S = (0.1, 0.5, 1.0, 2.0)
_RENEW_S = 0.25
"""Interval of connections for other sessions."""
_INTERVAL_MS = 20
"""Interval in which the service writes under load: viewers of the reader wait 100 ms again."""
_MAX_URL_BYTES = 12_000
"""Above it, all sessions are asked for: a service takes addresses of 16 kB."""
_UNREAD_S = 2.0
"""Interval of gaps for what cannot be read: viewers read their lists at each."""
_MOST_READS = 4
"""Limit of viewers of one service for whom it is asked at a time."""
_MOST_MESSAGES = 16
"""Limit of messages with one id; a service sends two."""


class Mirror(ChangeStream):
    """The stream of one service, with the names of the sessions that a reader shows.

    Args:
        writer: The service.
        report: Called when its health changed, or its store.
        earlier_of: Returns the name of an earlier service with the same store, if there is one.
        timing: Intervals of writing to a viewer.

    Attributes:
        ready: Whether it was reached once.
        health: Whether it answers, and can write.
    """

    def __init__(
        self,
        writer: RemoteWriter,
        report: Callable[[], None],
        earlier_of: Callable[[Mirror, str], str | None],
        timing: FeedTiming | None = None,
    ) -> None:
        super().__init__(Tail(0, None), timing=timing)
        self.ready = asyncio.Event()
        self.health = StoreHealth("ok", time.time_ns())
        self.store_id = ""
        self.name = writer.name
        self._writer, self._report_health, self._earlier_of = writer, report, earlier_of
        self._covered = frozenset[str]()
        self._connected_s = 0.0
        self._has_delivered = False
        self._has_unread = False
        """Whether something was passed over that viewers do not know of yet."""
        self._gap_s = -_UNREAD_S
        self._renewing: asyncio.TimerHandle | None = None
        self._following: asyncio.Task[None] | None = None
        self._reads = asyncio.Semaphore(_MOST_READS)

    def position(self, change: int) -> str:
        """Return the position of a change in this service alone."""
        return f"{self.store_id}.{change}"

    async def run(self) -> None:
        """Follow the service until cancelled."""
        failures = 0
        while True:
            with self._lock:
                self._covered = self._tail.followed_keys
                self._tail.begin()
            self._wake_all()  # viewers of what is covered from now on
            self._has_delivered, self._connected_s = False, time.monotonic()
            self._following = asyncio.create_task(self._follow())
            head = self.head
            try:
                await self._following
            except asyncio.CancelledError:
                if self._following.cancelled() and not _is_cancelling():
                    continue  # to follow other sessions
                raise
            except Exception as error:  # noqa: BLE001 - whatever it sent, it is tried again
                failures = 0 if self.head > head else min(failures + 1, len(_RETRY_S) - 1)
                if failures:
                    self._away(error)
            await asyncio.sleep(_RETRY_S[failures])

    async def _follow(self) -> None:
        after = self.position(self.head) if self.store_id else None
        ids = None if "" in self._covered else self._covered
        async for piece in self._pieces(ids, after):
            if earlier := self._earlier_of(self, piece.store_id):
                raise self._writer.is_same_as(earlier)
            self._has_delivered = True
            self._writer.answered()
            if not self.health.is_answering:
                self._back()
            if piece.unread:
                self._pass_over(piece.unread)
            if piece.is_gap or not self.store_id:
                self._begin_anew(piece)
            elif piece.change > self.head:
                with self._lock:
                    news = self._tail.add_entries(piece.change, piece.entries)
                self._report(news)
            if self._has_unread and time.monotonic() >= self._gap_s + _UNREAD_S:
                self._miss_unread()
            if piece.health is not None and piece.health.state != self.health.state:
                self.health = piece.health
                self._report_health()
        raise httpx.RemoteProtocolError("it ended")

    def _begin_anew(self, piece: _Piece) -> None:
        """Go on from a position of which nothing before is known."""
        is_other = piece.store_id not in ("", self.store_id)
        with self._lock:
            self.store_id = piece.store_id or self.store_id
            self._tail.forget(piece.change if piece.store_id else self.head)
            self._generation += self.ready.is_set()
            self._evicted = 0  # of another store, perhaps
        self._has_unread = False
        self.ready.set()
        self._wake_all()
        if is_other:
            self._report_health()

    def restart(self) -> None:
        """Connect anew."""
        if self._following is not None:
            self._following.cancel()

    def _pass_over(self, what: str) -> None:
        """Go on after what a newer service sends; say it once."""
        self._has_unread = True
        if not self.health.message:
            why = f"The service {self.name!r} sends what this version cannot read: {what}."
            _log.warning("%s Update the reader.", why)
            self.health = StoreHealth("ok", time.time_ns(), f"{why} Update the reader.")
            self._report_health()

    def _miss_unread(self) -> None:
        """Have viewers read their lists, which have what was passed over."""
        self._has_unread, self._gap_s = False, time.monotonic()
        self._generation += 1
        self._evicted = self.head
        self._wake_all()

    def _away(self, error: Exception) -> None:
        if isinstance(error, ProblemError):
            why = error.detail
        elif isinstance(error, httpx.HTTPError):
            why = self._writer.failed("ended the connection").detail
        else:
            why = self._writer.failed(f"sends what this version cannot read: {error!r}").detail
        before = self.health
        if before.is_answering or why != before.message:
            since_ns = time.time_ns() if before.is_answering else before.since_ns
            self.health = StoreHealth("incomplete", since_ns, why)
            self._report_health()

    def _back(self) -> None:
        """Have viewers read their lists again: what they read meanwhile lacks this service."""
        self.health = StoreHealth("ok", time.time_ns())
        self._generation += self.ready.is_set()
        self._wake_all()
        self._report_health()

    def _followed(self) -> None:
        """Follow the sessions of a viewer that came; until then they are read in pieces."""
        if new := self._uncovered():
            with self._lock:
                self._tail.postpone(new)
            self._renew()

    def _uncovered(self) -> frozenset[str]:
        if "" in self._covered:
            return frozenset()
        return self._tail.followed_keys - self._covered

    def _renew(self) -> None:
        """Connect anew for what is not covered: not for each viewer, nor before anything came."""
        if self._renewing is not None:
            self._renewing.cancel()
            self._renewing = None
        following = self._following
        if following is None or following.cancelling() or not self._uncovered():
            return
        wait_s = self._connected_s + _RENEW_S - time.monotonic()
        if self._has_delivered and wait_s <= 0:
            following.cancel()
        else:
            self._renewing = asyncio.get_running_loop().call_later(max(wait_s, 0.05), self._renew)

    async def _start(self, after: str | None) -> int | None:
        """Return the change to continue from; None when `after` is unknown here."""
        if after is None:
            return self.head
        store_id, _, number = after.rpartition(".")
        if store_id != self.store_id or not (number.isascii() and number.isdecimal()):
            return None
        change = int(number[:20])
        if change > self.head:  # lists are asked of the service itself, which is ahead
            with contextlib.suppress(ProblemError, KeyError, ValueError):
                newest = await self._writer.read("/sessions", [("limit", "1")])
                if change > int(newest["as_of"].rpartition(".")[2]):
                    return None
            change = min(change, self.head)  # which may have passed it meanwhile
        return change if self._is_in_reach(change) else None

    async def _read(self, seen: Position, interest: Interest, limits: WriteLimits) -> Unseen:
        """Return what a viewer has not seen that is further behind than what is in memory."""
        published = self.head
        found: list[RelayedEntry] = []
        reached, is_all = seen.cursor, True
        ids = interest.session_ids or None
        async with self._reads:
            pieces = self._pieces(ids, self.position(seen.cursor), until="now")
            try:
                async with contextlib.aclosing(pieces):
                    async for piece in pieces:
                        if piece.is_gap or piece.unread:
                            self._evicted = max(self._evicted, seen.cursor + 1)
                        found += piece.entries
                        reached = max(reached, piece.change)
                        if piece.is_gap or len(found) >= CHUNK or reached >= published:
                            is_all = reached >= published
                            break
            except Exception as error:
                raise StoreUnavailableError(str(error)) from error
        entries = [one for one in found if seen.cursor < one.change <= published]
        reached = min(reached, published)
        return self._unseen(entries, reached, seen, interest, limits, is_all=is_all)

    async def _pieces(
        self, ids: Collection[str] | None, after: str | None, until: str | None = None
    ) -> AsyncGenerator[_Piece, None]:
        """Yield what the service sends about sessions, and the rows of all.

        Args:
            ids: The sessions, as they are shown; None: all.
            after: A position; None: now.
            until: `now`: end when everything was sent.
        """
        query = [("interval_ms", str(_INTERVAL_MS))]
        query += [(name, value) for name, value in (("after", after), ("until", until)) if value]
        if ids is not None:
            own = (split_id(one, (self._writer.name,)) for one in ids)
            # With the one that does not exist, rows of others do not wait, so each has an id.
            listed = ",".join([*sorted(one[1] for one in own if one), NO_SESSION])
            if len(listed) <= MAX_IDS_CHARS and len(quote(listed)) <= _MAX_URL_BYTES:
                query.append(("session_id", listed))
        answer = await self._writer.send("GET", "/events", query, timeout_s=_SILENCE_S)
        try:
            if answer.status_code != 200:
                raise self._writer.failed(f"answers {answer.status_code}")
            splitter, messages = EventSplitter(), list[dict[str, Any]]()
            async for bytes_ in answer.aiter_bytes():
                for one in splitter.feed(bytes_):
                    messages.append(orjson.loads(one.data))
                    if len(messages) > _MOST_MESSAGES:
                        raise self._writer.failed("sends changes without ids")
                    if one.id or messages[-1].get("type") in ("Gap", "Heartbeat"):
                        yield _piece(one.id, messages, self._writer.name)
                        messages = []
        finally:
            await answer.aclose()


class _Piece(NamedTuple):
    """What came with one id."""

    store_id: str
    change: int
    entries: list[RelayedEntry]
    is_gap: bool = False
    health: StoreHealth | None = None
    unread: str = ""
    """What of it cannot be read; empty: all can."""


def _piece(id_: str, messages: list[dict[str, Any]], name: str) -> _Piece:
    store_id, _, number = id_.rpartition(".")
    change, last = int(number or 0), messages[-1]
    type_ = last.get("type")
    if type_ == "Gap":
        return _Piece(store_id, change, [], is_gap=True)
    if type_ == "Heartbeat":
        store = last["store"]
        message = f"{name}: {store['message']}" if store["message"] else ""
        health = StoreHealth(store["state"], time.time_ns(), message)
        return _Piece(store_id, change, [], health=health)
    try:
        return _Piece(store_id, change, [RelayedEntry(change, messages, name)])
    except (AttributeError, LookupError, TypeError, ValueError) as error:
        return _Piece(store_id, change, [], unread=f"{type_} ({error!r})"[:200])


def _is_cancelling() -> bool:
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0


def join_positions(positions: Iterable[str]) -> str:
    """Return one position for those of several services."""
    return "-".join(positions)


class MirroredStream:
    """The streams of all services, as one.

    Args:
        writers: The services.
        timing: Intervals of writing to a viewer.
    """

    def __init__(self, writers: Collection[RemoteWriter], timing: FeedTiming | None = None) -> None:
        self._timing = timing or FeedTiming()
        self._mirrors = [
            Mirror(one, self._report_health, self._earlier_of, timing) for one in writers
        ]
        self._tasks: list[asyncio.Task[None]] = []
        self._health = StoreHealth("ok", time.time_ns())

    def start(self) -> None:
        """Follow the services from now on."""
        self._tasks = [asyncio.create_task(one.run()) for one in self._mirrors]

    async def close(self) -> None:
        """End all streams. Idempotent."""
        for mirror in self._mirrors:
            await mirror.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    @property
    def health(self) -> StoreHealth:
        """The health of all: that of the first that is not well."""
        return self._health

    @property
    def is_ready(self) -> bool:
        """Whether a service answers, and each has answered or failed."""
        known = (one.ready.is_set() or not one.health.is_answering for one in self._mirrors)
        return all(known) and any(one.health.is_answering for one in self._mirrors)

    def writer_health(self) -> list[wire.WriterHealth]:
        """Return the health of each service."""
        return [
            wire.WriterHealth(name=one.name, store=presenter.store_health(one.health))
            for one in self._mirrors
        ]

    def _report_health(self) -> None:
        troubled = [one.health for one in self._mirrors if one.health.state != "ok"]
        health = StoreHealth("ok", time.time_ns())
        if troubled:
            message = " ".join(one.message for one in troubled)
            health = StoreHealth(troubled[0].state, troubled[0].since_ns, message)
        self._health = health
        for mirror in self._mirrors:
            mirror.publish_health(health)
            if mirror.health.is_answering and self._earlier_of(mirror, mirror.store_id):
                mirror.restart()

    def _earlier_of(self, mirror: Mirror, store_id: str) -> str | None:
        """Return the name of the service before `mirror` that has this store, and answers."""
        before = itertools.takewhile(lambda one: one is not mirror, self._mirrors)
        same = (one for one in before if store_id and one.store_id == store_id)
        return next((one.name for one in same if one.health.is_answering), None)

    async def stream(
        self,
        after: str | None = None,
        session_ids: Collection[str] = (),
        narrowing: Narrowing | None = None,
        *,
        is_live: bool = True,
    ) -> AsyncGenerator[bytes, None]:
        """Yield server-sent events of all services, one write at a time; see `ChangeStream`."""
        positions = _Positions(after, self._mirrors)
        writes = asyncio.Queue[tuple[Mirror, Write] | Exception | None](1)
        pumps = [
            asyncio.create_task(
                self._pump(one, writes, positions, session_ids, narrowing, is_live=is_live)
            )
            for one in self._mirrors
        ]
        ended = 0
        try:
            while True:
                try:
                    async with asyncio.timeout(self._timing.keep_alive_s):
                        found = await writes.get()
                except TimeoutError:  # no service was reached yet
                    yield event(self._heartbeat())
                    continue
                if isinstance(found, Exception):  # the viewer connects again, from its last id
                    raise found
                if found is None:
                    ended += 1
                    if is_live or ended == len(pumps):
                        return
                    continue
                mirror, write = found
                positions.move(mirror, write.cursor)
                yield _with_id(write.block, str(positions))
        finally:
            for pump in pumps:
                pump.cancel()
            await asyncio.wait(pumps)

    async def _pump(
        self,
        mirror: Mirror,
        writes: asyncio.Queue[tuple[Mirror, Write] | Exception | None],
        positions: _Positions,
        session_ids: Collection[str],
        narrowing: Narrowing | None,
        *,
        is_live: bool,
    ) -> None:
        end: Exception | None = None
        try:
            if is_live or mirror.ready.is_set():
                await mirror.ready.wait()
                after = positions.claim(mirror)
                blocks = mirror.writes(after, session_ids, narrowing, is_live=is_live)
                async with contextlib.aclosing(blocks):
                    async for write in blocks:
                        await writes.put((mirror, write))
        except Exception as error:  # noqa: BLE001 - whatever it is, the viewer must not miss it
            end = error
        await writes.put(end)

    def _heartbeat(self) -> bytes:
        now_ns = time.time_ns()
        store = presenter.store_health(self._health)
        beat = wire.Heartbeat(time=rfc3339(now_ns), now_ns=str(now_ns), store=store)
        return beat.model_dump_json().encode()


class _Positions:
    """Where a viewer is in each service."""

    def __init__(self, after: str | None, mirrors: Collection[Mirror]) -> None:
        self._is_now = after is None
        self._known: dict[Mirror, str] = {}
        self._unclaimed = {one.rpartition(".")[0]: one for one in (after or "").split("-") if one}
        for mirror in mirrors:
            if mirror.ready.is_set() and (known := self._unclaimed.get(mirror.store_id)):
                self._known[mirror] = known

    def claim(self, mirror: Mirror) -> str | None:
        """Return the position in a service that is reached; None: now; empty: it is not known."""
        known = self._unclaimed.pop(mirror.store_id, None)
        return None if self._is_now else (known or "")

    def move(self, mirror: Mirror, cursor: int | None) -> None:
        """Note how far a viewer is."""
        if cursor is not None:
            self._known[mirror] = mirror.position(cursor)

    def __str__(self) -> str:
        return join_positions(dict.fromkeys([*self._known.values(), *self._unclaimed.values()]))


def _with_id(block: bytes, id_: str) -> bytes:
    """Return events of which the last has an id: a viewer that is cut off before goes on there."""
    last = block.rfind(b"\n\ndata: ") + 2
    last = 0 if last == 1 else last
    return b"%bid: %b\n%b" % (block[:last], id_.encode(), block[last:])
