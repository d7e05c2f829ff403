"""Copy the changes of a store to its history, in order, newest versions only.

A batch may be copied twice, when its answer was lost: its rows replace themselves.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import islice, takewhile
from typing import Any

import orjson

from inspector.service.history.clickhouse import ClickHouse
from inspector.service.history.row_binary import day_of
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
    Change,
    Content,
    MomentRecord,
    RequestRecord,
    SessionRecord,
    SpanRecord,
    Tombstone,
)
from inspector.service.storage.base import ReadableStore, Reader

BEHIND_NS = 2 * 10**9
"""Age of a change that is copied: most spans have ended by then, and come once."""
_CHUNK = 2_000
"""Changes that are read with one snapshot: a long one lets the store's journal grow."""
_MAX_ROWS = 100_000
_MAX_BYTES = 64 * 1024 * 1024
"""Size of a batch after which it is sent."""
_MAX_CHUNK_BYTES = 16 * 1024 * 1024
_DELETE_EVERY_S = 3600.0
"""Interval of deletions: each rewrites what ClickHouse has of the days concerned."""
_SESSIONS_A_DELETION = 100
_VALUES_A_DELETION = 2_000
"""Both keep a statement below 256 KiB, ClickHouse's limit."""
_DELETION_S = 60.0
_LOOK_S = 0.05
_MAX_KNOWN_TRACES = 100_000


class OlderStoreError(Exception):
    """The store is an older copy of the one that was copied."""


class _StillDeletingError(Exception):
    """A deletion takes long."""


@dataclass(slots=True)
class _Batch:
    """Rows to insert, by table and day."""

    through: int
    row_count: int = 0
    size_bytes: int = 0
    rows: dict[tuple[str, int], list[bytes]] = field(default_factory=lambda: defaultdict(list))

    def add(self, table: str, day: int, row: bytes) -> None:
        self.rows[table, day].append(row)
        self.row_count += 1
        self.size_bytes += len(row)


class Copier:
    """Copies one store.

    Args:
        store: To copy.
        history: Where to.
        clock: Unix ns.
    """

    def __init__(
        self,
        store: ReadableStore,
        history: ClickHouse,
        *,
        clock: Callable[[], int] = time.time_ns,
        behind_ns: int = BEHIND_NS,
    ) -> None:
        self._store = store
        self._id = store.id.encode()
        self._history = history
        self._clock = clock
        self._behind_ns = behind_ns
        self._deleted_s = -_DELETE_EVERY_S
        self._session_of: dict[str, str] = {}
        """The last session of traces that was noted."""
        self.through = self._position("copied")
        """The newest change up to which everything is copied."""

    def step(self) -> bool:
        """Copy the next batch; return whether there is more to copy at once.

        Raises:
            HistoryError: The history cannot be used; the batch is copied again.
            OlderStoreError: The store is an older copy of the one that was copied.
        """
        batch = _Batch(self.through)
        has_more = True
        while has_more and batch.row_count < _MAX_ROWS and batch.size_bytes < _MAX_BYTES:
            has_more = self._read(batch)
        for (table, _), rows in batch.rows.items():
            self._insert(table, rows)
        if batch.through > self.through:
            self._note("copied", batch.through)
            self.through = batch.through
        return has_more

    def delete_departed(self) -> None:
        """Delete what the history has of deleted sessions; at most once an hour.

        Raises:
            HistoryError: The history cannot be used.
        """
        now_s = time.monotonic()
        if now_s - self._deleted_s < _DELETE_EVERY_S:
            return
        self._deleted_s = now_s
        with suppress(_StillDeletingError):  # the rest in an hour
            while departed := self._departed(self._position("deleted")):
                self._delete(departed)
                self._note("deleted", int(departed[-1]["change"]))

    # --- copying ----------------------------------------------------------------------------

    def _read(self, batch: _Batch) -> bool:
        """Add the next changes; return whether there may be more that are old enough."""
        with self._store.read() as reader:
            head = reader.head
            if batch.through > head:
                raise OlderStoreError
            found = reader.changes(batch.through, _CHUNK)
            now_ns, behind_ns = self._clock(), self._behind_ns
            # A time in the future is of a clock that was set back since.
            recent = range(now_ns - behind_ns + 1, now_ns + behind_ns + 1)
            changes = list(takewhile(lambda one: one.changed_ns not in recent, found))
            is_all, changes = len(changes) == len(found), _first_few(changes)
            spans = [one for one in changes if isinstance(one, SpanRecord)]
            contents = reader.contents([span.content for span in spans])
            first = _first_seen(reader, changes)
        self._add(batch, changes, contents, first)
        if len(changes) == len(found) < _CHUNK:
            batch.through = head  # the last numbers may be of versions that are replaced
            return False
        if changes:
            batch.through = changes[-1].change
        return is_all

    def _add(
        self,
        batch: _Batch,
        changes: Iterable[Change],
        contents: Iterable[Content],
        first: dict[str, int],
    ) -> None:
        content_of = iter(contents)
        for one in changes:
            match one:
                case SpanRecord():
                    content, first_ns = next(content_of), first.get(one.trace_id) or one.start_ns
                    row = span_row(self._id, one, content, first_ns)
                    batch.add("span", day_of(first_ns), row)
                    self._place(batch, one.trace_id, one.session_id, one.change, first_ns)
                case MomentRecord():
                    first_ns = (first.get(one.trace_id or "")) or one.time_ns
                    batch.add("moment", day_of(first_ns), moment_row(self._id, one, first_ns))
                    if one.trace_id and one.session_id:  # it may have no span yet
                        self._place(batch, one.trace_id, one.session_id, one.change, first_ns)
                case SessionRecord():
                    batch.add("session", 0, session_row(self._id, one))
                case Tombstone():
                    batch.add("departure", 0, departure_row(self._id, one))
                case RequestRecord(row=row) if row.trace_id:
                    # The request itself is answered by the writer alone, but it may have given
                    # its session to a trace that has no span yet.
                    first_ns = first.get(row.trace_id) or row.created_ns
                    self._place(batch, row.trace_id, row.session_id, one.change, first_ns)
                case _:
                    pass

    def _place(
        self, batch: _Batch, trace_id: str, session_id: str, change: int, first_ns: int
    ) -> None:
        """Note the session of a trace, unless that is known."""
        if self._session_of.get(trace_id) == session_id:
            return
        if len(self._session_of) >= _MAX_KNOWN_TRACES:
            self._session_of.clear()
        self._session_of[trace_id] = session_id
        row = trace_row(self._id, trace_id, session_id, change, first_ns)
        batch.add("trace", day_of(first_ns), row)

    def _insert(self, table: str, rows: Sequence[bytes]) -> None:
        self._history.insert(table, COLUMNS[table], rows)

    # --- positions --------------------------------------------------------------------------

    def _position(self, part: str) -> int:
        found = self._history.rows(
            "SELECT max(through) AS through FROM position"
            f" WHERE store = {_text(self._id.decode())} AND part = {_text(part)}"
        )
        return int(found[0]["through"]) if found else 0

    def _note(self, part: str, through: int) -> None:
        self._insert("position", [POSITION.row(self._id, part, through)])

    # --- deletion ---------------------------------------------------------------------------

    def _departed(self, after: int) -> list[dict[str, Any]]:
        """Return the next departures, none twice of one session."""
        found = self._history.rows(
            "SELECT session, moved_to, change FROM departure"
            f" WHERE store = {_text(self._id.decode())} AND change > {after}"
            f" AND is_whole = 1 ORDER BY change LIMIT {_SESSIONS_A_DELETION}"
        )
        first = dict[str, dict[str, Any]]()
        for one in found:
            if one["session"] in first:
                break
            first[one["session"]] = one
        return list(first.values())

    def _delete(self, departed: Sequence[dict[str, Any]]) -> None:
        """Delete the sessions that departed, with the traces that were theirs then.

        What came after a departure stays: a session may begin again under its id, and a trace in
        another session.
        """
        store = f"store = {_text(self._id.decode())}"
        gone = {one["session"]: int(one["change"]) for one in departed}
        loose = {one["session"]: int(one["change"]) for one in departed if not one["moved_to"]}
        names = ", ".join(map(_text, gone))
        placed = self._history.rows(
            "SELECT lower(hex(trace)) AS id, session, change FROM trace"
            f" WHERE {store} AND trace IN"
            f" (SELECT trace FROM trace WHERE {store} AND session IN ({names})) ORDER BY change"
        )
        traces = _until(placed, gone)
        for table, quote in (("span", "unhex({})"), ("moment", "{}"), ("trace", "unhex({})")):
            self._erase(table, "trace", {quote.format(_text(t)): n for t, n in traces.items()})
        self._erase("moment", "trace = '' AND session", {_text(t): n for t, n in loose.items()})
        self._erase("session", "id", {_text(t): n for t, n in gone.items()})

    def _erase(self, table: str, column: str, through: Mapping[str, int]) -> None:
        """Delete rows of these values, each up to a change."""
        left, store = iter(through.items()), _text(self._id.decode())
        while some := list(islice(left, _VALUES_A_DELETION)):
            by_change = defaultdict[int, list[str]](list)
            for value, change in some:
                by_change[change].append(value)
            among = " OR ".join(
                f"(change <= {change} AND {column} IN ({', '.join(values)}))"
                for change, values in by_change.items()
            )
            self._wait_for_deletions(table)
            self._history.run(f"ALTER TABLE {table} DELETE WHERE store = {store} AND ({among})")

    def _wait_for_deletions(self, table: str) -> None:
        """Wait until deletions in a table are done.

        ClickHouse 18.16 does those that wait together, each with the values of the first.
        """
        pending = (
            "SELECT command FROM system.mutations"
            f" WHERE database = currentDatabase() AND table = {_text(table)} AND is_done = 0"
        )
        end_s = time.monotonic() + _DELETION_S
        while not self._history.is_modern and self._history.rows(pending):
            if time.monotonic() > end_s:
                raise _StillDeletingError
            time.sleep(_LOOK_S)


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


def _first_few(changes: list[Change]) -> list[Change]:
    """Return as many of `changes` as have content that fits into memory; at least one."""
    size_bytes = 0
    for count, one in enumerate(changes):
        size_bytes += one.size_bytes if isinstance(one, SpanRecord) else 0
        if count and size_bytes > _MAX_CHUNK_BYTES:
            return changes[:count]
    return changes


def _first_seen(reader: Reader, changes: Iterable[Change]) -> dict[str, int]:
    """Return when the writer first saw their traces (Unix ns); 0: before this was noted."""
    trace_ids = {
        one.trace_id
        for one in changes
        if isinstance(one, SpanRecord | MomentRecord) and one.trace_id is not None
    }
    trace_ids |= {
        one.row.trace_id for one in changes if isinstance(one, RequestRecord) and one.row.trace_id
    }
    return {
        one.trace_id: int(orjson.loads(one.state).get("seen_ns", 0))
        for one in reader.traces(trace_ids)
    }


def _text(value: str) -> str:
    """Return a literal of SQL."""
    return "'" + value.replace("\\", "\\\\").replace("'", "\\'") + "'"
