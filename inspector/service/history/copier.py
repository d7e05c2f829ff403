"""Copy the changes of a store to its history, in order, newest versions only.

A batch may be copied twice, when its answer was lost: its rows replace themselves.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import islice, takewhile
from typing import Any, NamedTuple

import orjson

from inspector.errors import HistoryError
from inspector.service.history.clickhouse import ClickHouse, Stores, literal
from inspector.service.history.row_binary import day_of
from inspector.service.history.schema import check
from inspector.service.history.span_rows import span_row
from inspector.service.history.tables import (
    COLUMNS,
    POSITION,
    departure_row,
    moment_row,
    session_row,
    trace_row,
)
from inspector.service.model.records import (
    MAX_INT,
    Content,
    MomentRecord,
    RequestRecord,
    SessionRecord,
    StoredChange,
    StoredSpan,
    Tombstone,
    TraceRecord,
)
from inspector.service.storage.base import ReadableStore, Reader

BEHIND_NS = 2 * 10**9
"""Age of a change that is copied: most spans have ended by then, and come once."""
_RUNNING_NS = 10 * 10**9
"""Age of a running session's row."""
_CHUNK = 2_000
"""Changes that are read with one snapshot: a long one lets the store's journal grow."""
_MAX_ROWS = 100_000
_MAX_BYTES = 32 * 1024 * 1024
"""Size of a batch after which it is sent."""
_MAX_CHUNK_BYTES = 8 * 1024 * 1024
_CONTENTS = 64
"""Contents that are read at once: each may have a large origin of its own."""
_DELETE_EVERY_S = 3600.0
"""Interval of deletions: each rewrites what ClickHouse has of the days concerned."""
_SESSIONS_A_DELETION = 100
_VALUES_A_DELETION = 2_000
"""Both keep a statement below 256 KiB, ClickHouse's limit."""
_GAP_NS = 20 * 3600 * 10**9
"""Less than the age at which a store without a history forgets departures."""
_MAX_KNOWN_TRACES = 100_000
_NO_TRACE = b"", ""
_AGAIN_S = 1.0
"""Time for which what is new waits for what is copied again."""

FORMER = "former "
"""Before the id of a store in the name of its position, in the rows of one that took its place."""


class End(NamedTuple):
    """Up to where everything is copied."""

    through: int = 0
    """A change."""
    newest_ns: int = 0
    """When the newest of that changed (Unix ns)."""
    again: int = -1
    """The number of batches with what is copied again; -1: it is not known."""


class OlderStoreError(Exception):
    """The store is an older copy of the one that was copied."""


def position(history: ClickHouse, store_id: str, part: str = "copied") -> tuple[int, int]:
    """Return up to which change a part of the work is done, and the time of the newest of that."""
    found = history.rows(
        "SELECT max(through) AS through, max(newest_ns) AS newest_ns FROM position"
        f" WHERE store = {literal(store_id)} AND part = {literal(part)}"
    )
    return (int(found[0]["through"]), int(found[0]["newest_ns"])) if found else (0, 0)


@dataclass(slots=True)
class _Places:
    """The sessions of traces that were noted."""

    of_trace: dict[str, tuple[str, int]] = field(default_factory=dict)
    """The last session of traces, and the change."""
    left: dict[str, int] = field(default_factory=dict)
    """The last departure of sessions: a trace that comes back is noted again."""

    def is_new(self, trace_id: str, session_id: str, change: int) -> bool:
        """Note the session of a trace; return whether that is new."""
        known, at = self.of_trace.get(trace_id, ("", 0))
        if known == session_id and at > self.left.get(session_id, 0):
            return False
        if len(self.of_trace) + len(self.left) >= _MAX_KNOWN_TRACES:
            self.of_trace.clear()
            self.left.clear()
        self.of_trace[trace_id] = session_id, change
        return True


@dataclass(slots=True)
class _Place:
    """How far the changes of the store are read."""

    through: int
    newest_ns: int
    places: _Places
    until: int | None = None
    """Where it ends, of what is copied again."""


@dataclass(slots=True)
class _Batch:
    """Rows to insert, by table and day."""

    row_count: int = 0
    size_bytes: int = 0
    rows: dict[tuple[str, int], list[bytes]] = field(default_factory=lambda: defaultdict(list))

    @property
    def is_full(self) -> bool:
        """Whether it is to be sent."""
        return self.row_count >= _MAX_ROWS or self.size_bytes >= _MAX_BYTES

    def add(self, table: str, day: int, row: bytes) -> None:
        self.rows[table, day].append(row)
        self.row_count += 1
        self.size_bytes += len(row)


class _Sent(NamedTuple):
    """A batch that is on its way."""

    end: End
    done: Future[None]


class Copier:
    """Copies one store.

    Args:
        store: To copy.
        history: Where to.
        clock: Unix ns.
        behind_ns: Age of a change that is copied.
        confirmed: Takes the end of what is inserted; returns that of what counts as copied. By
            default they are the same.
    """

    def __init__(
        self,
        store: ReadableStore,
        history: ClickHouse,
        *,
        clock: Callable[[], int] = time.time_ns,
        behind_ns: int = BEHIND_NS,
        confirmed: Callable[[End], End] | None = None,
    ) -> None:
        self._store = store
        self._id = store.id.encode()
        self._mine = Stores(store.id, store.former).all
        self._history = history
        self._clock = clock
        self._behind_ns = behind_ns
        self._confirmed = confirmed
        self._running_ns = 0
        self._deleted_s = -_DELETE_EVERY_S
        self._deletion: Iterator[bool] | None = None
        self._sender = ThreadPoolExecutor(1, "inspector-history-sender")
        self._sent: _Sent | None = None
        self._places = _Places()
        self._again: _Place | None = None
        self._again_count = 0
        self._again_confirmed = -1
        self.through, self._newest_ns = self._position("copied")
        """The newest change up to which everything is inserted."""
        self.confirmed = self.through
        """That up to which everything counts as copied: its position is in the history."""
        self._refuse_older()
        self._note_gap()
        for former, head in store.former.items():
            self._note(f"{FORMER}{former}", head)

    def begin_again(self) -> None:
        """Copy everything again that is in the store, beside what is new."""
        if self._again is None:
            until = self._sent.end.through if self._sent else self.through
            self._again = _Place(0, 0, _Places(), until=until)

    @property
    def is_copying_again(self) -> bool:
        """Whether there is more to copy again."""
        return self._again is not None

    @property
    def has_again(self) -> bool:
        """Whether all that is here counts as copied, also what was copied again."""
        return self._again is None and self._again_confirmed >= self._again_count

    def step(self) -> bool:
        """Copy the next batch; return whether there is more to copy at once.

        Raises:
            HistoryError: The history cannot be used; the batch is copied again.
            OlderStoreError: The store is an older copy of the one that was copied.
        """
        sent, batch = self._sent, _Batch()
        through, newest_ns, _ = sent.end if sent else (self.through, self._newest_ns, 0)
        place = _Place(through, newest_ns, self._places)
        has_more = True
        while has_more and not batch.is_full:
            has_more = self._read(batch, place)
        self._add_running(batch, place.through)
        if not has_more and self._again is not None:
            self._read_again(batch, self._again)
            has_more = True
        self._confirm()
        if not batch.rows and self._position("copied")[0] < self.confirmed:
            raise HistoryError("The history has lost what was copied to it.", is_passing=True)
        # The next one is made meanwhile: of the two, only the longer takes time.
        end = End(place.through, place.newest_ns, self._again_count)
        self._sent = _Sent(end, self._sender.submit(self._send, batch, end))
        if not has_more:
            self._confirm()
        return has_more

    def _send(self, batch: _Batch, inserted: End) -> None:
        if batch.rows:
            check(self._history)
        while batch.rows:
            (table, _), rows = batch.rows.popitem()
            self._insert(table, rows)
        through, newest_ns, again = self._confirmed(inserted) if self._confirmed else inserted
        self._again_confirmed = again
        if through > self.confirmed:
            self._note("copied", through, newest_ns)
            self.confirmed = through

    def _confirm(self) -> None:
        """Wait until the batch that was sent is in the history, and go on from its end."""
        sent, self._sent = self._sent, None
        if sent is not None:
            sent.done.result()
            self.through, self._newest_ns = max(sent.end[:2], (self.through, self._newest_ns))

    def delete_departed(self) -> bool:
        """Delete some of what the history has of deleted sessions; begin at most once an hour.

        Returns:
            Whether there may be more to delete now.

        Raises:
            HistoryError: The history cannot be used.
        """
        now_s = time.monotonic()
        if self._deletion is None:
            if now_s - self._deleted_s < _DELETE_EVERY_S:
                return False
            self._deleted_s, self._deletion = now_s, self._delete_all()
        if not next(self._deletion, False):
            self._deletion = None
        return self._deletion is not None

    # --- copying ----------------------------------------------------------------------------

    def _read(self, batch: _Batch, place: _Place) -> bool:
        """Add the next changes; return whether there may be more that are old enough."""
        with self._store.read() as reader:
            head = reader.head
            if place.through > head:
                raise OlderStoreError
            found = reader.stored_changes(place.through, _CHUNK, _MAX_CHUNK_BYTES)
            now_ns, behind_ns = self._clock(), self._behind_ns
            # A time in the future is of a clock that was set back since.
            recent = range(now_ns - behind_ns + 1, now_ns + behind_ns + 1)
            changes = list(takewhile(lambda one: one.changed_ns not in recent, found))
            is_all, left = len(changes) == len(found), iter(_first_few(changes))
            first = _first_seen(reader, changes)
            while not batch.is_full and (some := list(islice(left, _CONTENTS))):
                spans = [one for one in some if isinstance(one, StoredSpan)]
                contents = reader.contents([span.content for span in spans])
                self._add(batch, place, some, contents, first)
            if place.until is not None:
                self._place_evicted(batch, place, changes, reader)
        is_added = not changes or place.through == changes[-1].change
        if is_added and is_all and len(found) < _CHUNK and _moment_bytes(found) < _MAX_CHUNK_BYTES:
            place.through = head  # the last numbers may be of versions that are replaced
            return False
        return is_all or not is_added

    def _read_again(self, batch: _Batch, place: _Place) -> None:
        """Add some of what is copied again."""
        end_s = time.monotonic() + _AGAIN_S
        while self._again is not None and not batch.is_full:
            if not self._read(batch, place) or place.through >= (place.until or 0):
                self._again = None
            elif time.monotonic() >= end_s:
                break
        self._again_count += 1

    def _add(
        self,
        batch: _Batch,
        place: _Place,
        changes: Iterable[StoredChange],
        contents: Iterable[Content],
        first: dict[str, int],
    ) -> None:
        content_of = iter(contents)
        through, newest_ns, trace, day = place.through, place.newest_ns, _NO_TRACE, 0
        for one in changes:
            if batch.is_full:
                break
            through, newest_ns = one.change, max(newest_ns, one.changed_ns)
            if not isinstance(one, StoredSpan):
                self._add_other(batch, place, one, first)
                trace = _NO_TRACE  # its session may be another by now
                continue
            if trace != (trace := (one.trace_id, one.session_id)):  # most come together
                trace_id = one.trace_id.hex()
                seen_ns = first.get(trace_id)
                first_ns = seen_ns or one.start_ns
                day = day_of(first_ns)
                self._place(batch, place, trace_id, one.session_id, one.change, first_ns)
                if not seen_ns:  # each by its own start
                    trace = _NO_TRACE
            batch.add("span", day, span_row(self._id, one, next(content_of), day))
        place.through, place.newest_ns = through, newest_ns

    def _add_other(
        self, batch: _Batch, place: _Place, one: StoredChange, first: Mapping[str, int]
    ) -> None:
        """Add the rows of a change that is not of a span."""
        match one:
            case MomentRecord():
                first_ns = first.get(one.trace_id or "") or one.changed_ns
                batch.add("moment", day_of(first_ns), moment_row(self._id, one, first_ns))
                if one.trace_id and one.session_id:  # it may have no span yet
                    self._place(batch, place, one.trace_id, one.session_id, one.change, first_ns)
            case SessionRecord():
                batch.add("session", 0, session_row(self._id, one))
            case Tombstone():
                batch.add("departure", 0, departure_row(self._id, one))
                place.places.left[one.session_id] = one.change
                if one.trace_id and one.moved_to:  # it may be deleted there by now
                    first_ns = first.get(one.trace_id) or one.changed_ns
                    self._place(batch, place, one.trace_id, one.moved_to, one.change, first_ns)
            case RequestRecord(row=wanted) if wanted.trace_id:
                # The request itself is answered by the writer alone, but it may have given its
                # session to a trace that has no span yet.
                first_ns = first.get(wanted.trace_id) or wanted.created_ns
                self._place(batch, place, wanted.trace_id, wanted.session_id, one.change, first_ns)
            case _:
                pass

    def _add_running(self, batch: _Batch, through: int) -> None:
        """Add now and then the rows of running sessions: the newest is always too young."""
        now_ns = self._clock()
        if now_ns - self._running_ns in range(_RUNNING_NS):
            return
        self._running_ns = now_ns
        with self._store.read() as reader:
            for one in reader.unsettled():
                if one.change > through:
                    batch.add("session", 0, session_row(self._id, one))

    def _place_evicted(
        self, batch: _Batch, place: _Place, changes: Iterable[StoredChange], reader: Reader
    ) -> None:
        """Note the sessions of traces that have no span here."""
        for one in changes:
            if isinstance(one, SessionRecord) and one.evicted and one.change <= place.through:
                for trace in reader.traces_of(one.row.id):
                    first_ns = _seen_ns(trace) or one.row.started_ns
                    self._place(batch, place, trace.trace_id, one.row.id, one.change, first_ns)

    def _place(
        self,
        batch: _Batch,
        place: _Place,
        trace_id: str,
        session_id: str,
        change: int,
        first_ns: int,
    ) -> None:
        """Note the session of a trace, unless that is known."""
        if place.places.is_new(trace_id, session_id, change):
            row = trace_row(self._id, trace_id, session_id, change, first_ns)
            batch.add("trace", day_of(first_ns), row)

    def _refuse_older(self) -> None:
        """Refuse a store that was put back, whatever it has got since: that is newer than it was.

        Raises:
            OlderStoreError: It is an older copy of the one that was copied.
        """
        after = max(self.through - _CHUNK, 0)
        with self._store.read() as reader:
            while after < self.through:
                found = reader.changes(after, _CHUNK, _MAX_CHUNK_BYTES)
                if not found:
                    break
                after = found[-1].change
                copied = (one.changed_ns for one in found if one.change <= self.through)
                if max(copied, default=0) > self._newest_ns:
                    raise OlderStoreError

    def _note_gap(self) -> None:
        """Note that departures may be forgotten, uncopied: the store was used without a history."""
        with self._store.read() as reader:
            head = reader.head
        if 0 < self.through < head and self._clock() - self._newest_ns > _GAP_NS:
            self._note("gap", head)

    def _insert(self, table: str, rows: Sequence[bytes]) -> None:
        self._history.insert(table, COLUMNS[table], rows)

    # --- positions --------------------------------------------------------------------------

    def _position(self, part: str) -> tuple[int, int]:
        return position(self._history, self._id.decode(), part)

    def _note(self, part: str, through: int, newest_ns: int = 0) -> None:
        self._insert("position", [POSITION.row(self._id, part, through, newest_ns)])

    # --- deletion ---------------------------------------------------------------------------

    def _departed(self, store_id: str, head: int, after: int) -> list[dict[str, Any]]:
        """Return the next departures of a store up to a change, none twice of one session."""
        found = self._history.rows(
            "SELECT session, moved_to, change FROM departure"
            f" WHERE store = {literal(store_id)} AND change > {after} AND change <= {head}"
            f" AND is_whole = 1 ORDER BY change LIMIT {_SESSIONS_A_DELETION}"
        )
        first = dict[str, dict[str, Any]]()
        for one in found:
            if one["session"] in first:
                break
            first[one["session"]] = one
        return list(first.values())

    def _delete_all(self) -> Iterator[bool]:
        """Run a deletion each time, while there are any."""
        gap, _ = self._position("gap")
        if gap > self._position("gap closed")[0]:
            for strays in self._strays():
                yield True
                yield from self._delete(strays)
            self._note("gap closed", gap)
        # Those of a store that was lost, or restored elsewhere, were perhaps not carried out.
        for store_id, head in (*self._store.former.items(), (self._store.id, MAX_INT)):
            part = "deleted" if store_id == self._store.id else f"deleted {store_id}"
            after, _ = max(self._position(part), position(self._history, store_id, "deleted"))
            while departed := self._departed(store_id, head, after):
                yield from self._delete(self._deletions(departed))
                after = int(departed[-1]["change"])
                self._note(part, after)

    def _delete(self, deletions: Iterable[tuple[str, str]]) -> Iterator[bool]:
        for table, condition in deletions:
            while self._is_deleting(table):
                yield True
            self._history.run(f"ALTER TABLE {table} DELETE WHERE {self._mine} AND {condition}")
            yield True

    def _is_deleting(self, table: str) -> bool:
        """Return whether the next deletion has to wait for others.

        ClickHouse 18.16 does those that wait together, each with the values of the first.
        """
        return not self._history.is_modern and bool(
            self._history.rows(
                "SELECT 1 AS x FROM system.mutations WHERE database = currentDatabase()"
                f" AND table = {literal(table)} AND is_done = 0"
            )
        )

    def _deletions(self, departed: Sequence[dict[str, Any]]) -> Iterator[tuple[str, str]]:
        """Yield what deletes the sessions that departed, with the traces that were theirs then.

        What came after a departure stays: a session may begin again under its id, and a trace in
        another session.
        """
        gone = {one["session"]: int(one["change"]) for one in departed}
        loose = {one["session"]: int(one["change"]) for one in departed if not one["moved_to"]}
        names = ", ".join(map(literal, gone))
        placed = self._history.rows(
            "SELECT lower(hex(trace)) AS id, session, change FROM trace"
            f" WHERE {self._mine} AND trace IN"
            f" (SELECT trace FROM trace WHERE {self._mine} AND session IN ({names}))"
            " ORDER BY change"
        )
        yield from _of_traces(_until(placed, gone))
        yield from _of_sessions(gone, loose)

    def _strays(self) -> Iterator[Iterator[tuple[str, str]]]:
        """Yield what deletes traces and sessions that the store has not, some each time."""
        for ids in self._pages("trace", "lower(hex(trace))"):
            with self._store.read() as reader:
                known = {one.trace_id for one in reader.traces(ids)}
                gone = dict.fromkeys(set(ids) - known, reader.head)
            yield _of_traces(gone)
        for ids in self._pages("session", "id"):
            with self._store.read() as reader:
                known = {one.row.id for one in reader.sessions(ids)}
                gone = dict.fromkeys(set(ids) - known, reader.head)
            yield _of_sessions(gone, gone)

    def _pages(self, table: str, column: str) -> Iterator[list[str]]:
        """Yield the values of a column, in pages."""
        ids = [""]
        while ids:
            found = self._history.rows(
                f"SELECT DISTINCT {column} AS x FROM {table}"
                f" WHERE store = {literal(self._id.decode())} AND {column} > {literal(ids[-1])}"
                f" ORDER BY x LIMIT {_VALUES_A_DELETION}"
            )
            if ids := [one["x"] for one in found]:
                yield ids


def _of_traces(through: Mapping[str, int]) -> Iterator[tuple[str, str]]:
    """Yield what deletes all rows of traces, each up to a change: tables and conditions."""
    for table, quote in (("span", "unhex({})"), ("moment", "{}"), ("trace", "unhex({})")):
        values = {quote.format(literal(t)): n for t, n in through.items()}
        yield from ((table, one) for one in _up_to("trace", values))


def _of_sessions(
    through: Mapping[str, int], with_moments: Mapping[str, int]
) -> Iterator[tuple[str, str]]:
    """Yield what deletes sessions, and what some of them had without a trace, likewise."""
    values = {literal(t): n for t, n in with_moments.items()}
    yield from (("moment", one) for one in _up_to("trace = '' AND session", values))
    values = {literal(t): n for t, n in through.items()}
    yield from (("session", one) for one in _up_to("id", values))


def _up_to(column: str, through: Mapping[str, int]) -> Iterator[str]:
    """Yield conditions of rows with these values, each up to a change."""
    left = iter(through.items())
    while some := list(islice(left, _VALUES_A_DELETION)):
        by_change = defaultdict[int, list[str]](list)
        for value, change in some:
            by_change[change].append(value)
        among = " OR ".join(
            f"(change <= {change} AND {column} IN ({', '.join(values)}))"
            for change, values in by_change.items()
        )
        yield f"({among})"


def _until(placed: Iterable[dict[str, Any]], gone: Mapping[str, int]) -> dict[str, int]:
    """Return the traces that were of a session when it departed, and that change.

    Args:
        placed: The sessions of each trace, in order.
        gone: Departed sessions, and the change of each departure.
    """
    found = dict[str, int]()
    last = dict[str, tuple[str, int]]()
    for one in placed:
        before, last[one["id"]] = last.get(one["id"]), (one["session"], int(one["change"]))
        if before is not None and before[1] < gone.get(before[0], 0) < int(one["change"]):
            found[one["id"]] = gone[before[0]]
    for trace_id, (session_id, change) in last.items():
        if change < gone.get(session_id, 0):
            found[trace_id] = gone[session_id]
    return found


def _first_few(changes: list[StoredChange]) -> list[StoredChange]:
    """Return as many of `changes` as have content that fits into memory; at least one."""
    size_bytes = 0
    for count, one in enumerate(changes):
        size_bytes += one.size_bytes if isinstance(one, StoredSpan) else 0
        if count and size_bytes > _MAX_CHUNK_BYTES:
            return changes[:count]
    return changes


def _moment_bytes(changes: Iterable[StoredChange]) -> int:
    contents = (one.content for one in changes if isinstance(one, MomentRecord))
    return sum(len(one.payload) + len(one.origin) for one in contents)


def _first_seen(reader: Reader, changes: Iterable[StoredChange]) -> dict[str, int]:
    """Return when the writer first saw their traces (Unix ns); 0: before this was noted."""
    trace_ids = {one.hex() for one in {o.trace_id for o in changes if isinstance(o, StoredSpan)}}
    trace_ids |= {
        one.trace_id
        for one in changes
        if isinstance(one, MomentRecord | Tombstone) and one.trace_id is not None
    }
    trace_ids |= {
        one.row.trace_id for one in changes if isinstance(one, RequestRecord) and one.row.trace_id
    }
    return {one.trace_id: _seen_ns(one) for one in reader.traces(trace_ids)}


def _seen_ns(trace: TraceRecord) -> int:
    return int(orjson.loads(trace.state).get("seen_ns", 0))
