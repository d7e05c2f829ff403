"""Look whether the history still has what was copied to it: somebody may empty a table of it."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from inspector.service.history.clickhouse import ClickHouse, Stores, literal
from inspector.service.history.row_binary import NS_A_DAY
from inspector.service.history.rows import binary, in_chunks, span_counts
from inspector.service.model.records import SessionRecord, TraceRecord
from inspector.service.query.tree import All
from inspector.service.storage.base import ReadableStore, Reader

_PARTS_S = 0.9
_LOOK_S = 10.0
"""Intervals of the look at the parts of the tables, and at sessions."""
_AGAIN_S = 60.0
"""Age of what is known of a session that may leave the disk."""
_MOST_SESSIONS = 1_000
_MOST_DAYS = 100
_SESSIONS_A_DAY = 20
"""Sessions of a day among which one that has left is looked for."""
_PAGE = 1_000
_MOST_DEPARTURES = 1_000


_Parts: TypeAlias = dict[tuple[str, str], list[tuple[int, int]]]
"""The numbers of the blocks that each part has, by table and partition."""


@dataclass(frozen=True, slots=True)
class _Needed:
    """What the history has to have of a session, at least."""

    change: int
    traces: Sequence[TraceRecord]
    spans: int
    moments: int


class Checking:
    """Checks a store's part of the history, a little at a time.

    Args:
        store: The writer's.
        history: Where it is copied to.
    """

    def __init__(self, store: ReadableStore, history: ClickHouse) -> None:
        self._store = store
        self._history = history
        self._stores = Stores(store.id, store.former)
        self._mine = f"store = {literal(store.id)}"
        self.whole: dict[str, int] = {}
        """Sessions here that the history has whole, up to the change."""
        self.lost: set[str] = set()
        """Days of sessions that have left the disk, of which it has less than had been copied."""
        self._found_lost: set[str] = set()
        self._lacks_here = self._lacks_rows = self._found_rowless = False
        self._parts: _Parts = {}
        self._place: tuple[int, str] | None = None
        self._whole_s = self._due_s = self._days_due_s = self._parts_s = -_AGAIN_S

    @property
    def lacks(self) -> bool:
        """Whether the history lacks something that is here: that is copied again."""
        return self._lacks_here or self._lacks_rows

    def step(self, through: int) -> None:
        """Check some of it, if that is due.

        Args:
            through: The newest change up to which everything is copied.

        Raises:
            HistoryError: The history cannot be used.
        """
        now_s = time.monotonic()
        if now_s - self._parts_s >= _PARTS_S:
            self._parts_s = now_s
            before, self._parts = self._parts, self._read_parts()
            if _is_less(self._parts, before):  # dropped, or emptied by a deletion
                self.begin()
        if now_s >= self._due_s:
            is_more = self._check_here(through, now_s)
            self._due_s = now_s + (0 if is_more else _LOOK_S)
        if now_s >= self._days_due_s:
            self._check_days(through)
            self._days_due_s = now_s + _LOOK_S

    def begin(self) -> None:
        """Check all anew, and at once."""
        self._whole_s = self._due_s = self._days_due_s = -_AGAIN_S
        self._place, self._lacks_rows, self._found_rowless = None, False, False

    def _read_parts(self) -> _Parts:
        parts: _Parts = defaultdict(list)
        for one in self._history.rows(
            "SELECT table, partition, min_block_number AS first, max_block_number AS last"
            " FROM system.parts WHERE database = currentDatabase() AND active AND rows > 0"
        ):
            parts[one["table"], one["partition"]].append((int(one["first"]), int(one["last"])))
        return parts

    def _check_here(self, through: int, now_s: float) -> bool:
        """Check the sessions that leave the disk next; return whether many had not been."""
        if now_s - self._whole_s >= _AGAIN_S:
            self.whole, self._whole_s = {}, now_s
        with self._store.read() as reader:
            oldest = reader.oldest_here(_MOST_SESSIONS)
            changes = {one.row.id: reader.last_change(one.row.id) for one in oldest}
            known = {id_: at for id_, at in changes.items() if self.whole.get(id_) == at}
            needed = {
                one.row.id: _needed(reader, one, changes[one.row.id])
                for one in oldest
                if one.row.id not in known and changes[one.row.id] <= through
            }
            departures = reader.newest_departures(through, _MOST_DEPARTURES)
        rowless, lacking = self._lacking(needed)
        self._lacks_here = bool(rowless or lacking or self._lacks_any(departures))
        if self._lacks_here:  # more may be gone than was looked at
            known, needed = {}, {}
        self.whole = known | {id_: one.change for id_, one in needed.items()}
        return len(needed) > _MOST_SESSIONS // 2

    def _check_days(self, through: int) -> None:
        """Check one session of each day that has left the disk, of some days."""
        needed, days, is_last = dict[str, _Needed](), dict[str, str](), False
        with self._store.read() as reader:
            while not is_last and len(needed) < _MOST_DAYS:
                rows = reader.newest_sessions(All(), self._place, _SESSIONS_A_DAY).rows
                is_last = not rows
                day = rows[0].row.started_ns // NS_A_DAY if rows else 0
                self._place = day * NS_A_DAY, ""
                gone = [
                    one
                    for one in rows
                    if one.evicted
                    and one.row.started_ns >= self._place[0]
                    and reader.last_change(one.row.id) <= through
                ]
                if one := max(
                    gone, key=lambda x: (x.evicted_moments, x.evicted_spans), default=None
                ):
                    needed[one.row.id] = _needed(reader, one, one.change)
                    days[one.row.id] = time.strftime("%Y-%m-%d", time.gmtime(day * 86_400))
        rowless, lacking = self._lacking(needed)
        self._found_rowless |= bool(rowless)
        self._lacks_rows |= self._found_rowless
        self._found_lost |= {days[one] for one in lacking}
        self.lost |= self._found_lost
        if is_last:
            self.lost, self._found_lost, self._place = self._found_lost, set(), None
            self._lacks_rows, self._found_rowless = self._found_rowless, False

    def _lacking(self, needed: dict[str, _Needed]) -> tuple[set[str], set[str]]:
        """Return the sessions that the history does not know, and those of which it has less.

        It does not know one without a row, or a trace of it without one.
        """
        traces = [trace for one in needed.values() for trace in one.traces]
        ids, placed = set(needed), set[str]()
        moments, alone = dict[str, int](), dict[str, int]()
        spans = span_counts(self._history, self._stores, traces)
        for some in in_chunks(traces):
            found = self._history.rows(
                f"SELECT DISTINCT lower(hex(trace)) AS x FROM trace WHERE {self._stores.all}"
                f" AND trace IN ({binary(trace.trace_id for trace in some)})"
            )
            placed |= {one["x"] for one in found}
            among = ", ".join(literal(trace.trace_id) for trace in some)
            moments |= self._moments("trace", f"trace IN ({among})")
        for names in in_chunks(needed):
            among = ", ".join(map(literal, names))
            alone |= self._moments("session", f"trace = '' AND session IN ({among})")
            found = self._history.rows(
                f"SELECT DISTINCT id FROM session WHERE {self._stores.any_row} AND id IN ({among})"
            )
            ids -= {one["id"] for one in found}
        unplaced = spans.keys() - placed
        ids |= {
            id_
            for id_, one in needed.items()
            if any(trace.trace_id in unplaced for trace in one.traces)
        }
        return ids, {
            id_
            for id_, one in needed.items()
            if sum(spans.get(trace.trace_id, 0) for trace in one.traces) < one.spans
            or sum(moments.get(trace.trace_id, 0) for trace in one.traces) + alone.get(id_, 0)
            < one.moments
        }

    def _lacks_any(self, departures: Collection[int]) -> bool:
        """Return whether the history has not all of these departures."""
        found = self._history.rows(
            f"SELECT uniqExact(change) AS n FROM departure WHERE {self._mine}"
            f" AND change IN ({', '.join(map(str, departures)) or '0'})"
        )
        return int(found[0]["n"]) < len(departures)

    def _moments(self, by: str, where: str) -> dict[str, int]:
        found = self._history.rows(
            f"SELECT {by} AS x, uniqExact(span, time_ns, digest) AS n FROM moment"
            f" WHERE {self._stores.any_row} AND {where} GROUP BY x"
        )
        return {one["x"]: int(one["n"]) for one in found}


def _is_less(now: _Parts, before: _Parts) -> bool:
    """Return whether some of what was there is gone: what parts had is in what they merged to."""
    return any(
        not any(first <= old_first and old_last <= last for first, last in now.get(place, ()))
        for place, ranges in before.items()
        for old_first, old_last in ranges
    )


def _needed(reader: Reader, session: SessionRecord, change: int) -> _Needed:
    id_, here, after = session.row.id, 0, 0
    while page := reader.moments_of(id_, after, _PAGE):
        here += len(page)
        after = page[-1].change
    spans = max(session.evicted_spans, len(reader.span_times(id_)))
    return _Needed(change, reader.traces_of(id_), spans, max(session.evicted_moments, here))
