"""Look whether the history still has what was copied to it: somebody may empty a table of it."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
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
_ROUND_S = 600.0
"""Interval of rounds of all sessions that have left, while nothing is lost."""
_AGAIN_S = 60.0
"""Age of what is known of a session that may leave the disk."""
_MOST_SESSIONS = 1_000
_MOST_TRACES = 1_000
"""Traces at a time, of which one session may have more: each five hundred are three queries."""
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
    started_ns: int
    traces: Sequence[TraceRecord]
    spans: int
    moments: int


@dataclass(slots=True)
class _Round:
    """A look at the sessions that have left the disk, newest first, again and again.

    Attributes:
        lost: Days on which the last whole round, or this one, found that something is lost.
        is_rowless: Whether they found a session that the history does not know.
        is_done: Whether a round has ended since it began anew.
    """

    next: tuple[int, str] | None = None
    lost: set[str] = field(default_factory=set)
    is_rowless: bool = False
    is_done: bool = False
    _found: set[str] = field(default_factory=set)
    _found_rowless: bool = False

    def begin(self) -> None:
        """Begin a round anew."""
        self.next, self._found = None, set()
        self.is_done = self.is_rowless = self._found_rowless = False

    def note(self, days: set[str], *, is_rowless: bool, is_last: bool) -> None:
        """Note what was found of some sessions."""
        self._found |= days
        self._found_rowless |= is_rowless
        self.lost |= self._found
        self.is_rowless |= self._found_rowless
        if is_last:
            self.lost, self._found, self.next, self.is_done = self._found, set(), None, True
            self.is_rowless, self._found_rowless = self._found_rowless, False


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
        self._lacks_here = False
        self._days, self._all = _Round(), _Round()
        self._parts: _Parts = {}
        self._whole_s = self._due_s = self._days_due_s = self._all_due_s = -_AGAIN_S
        self._parts_s = -_AGAIN_S

    @property
    def lost(self) -> set[str]:
        """Days of sessions that have left the disk, of which it has less than had been copied."""
        return self._days.lost | self._all.lost

    @property
    def lacks(self) -> bool:
        """Whether the history lacks something that is here: that is copied again."""
        return self._lacks_here or self._days.is_rowless or self._all.is_rowless

    @property
    def has_all(self) -> bool:
        """Whether, since it began, all was looked at and nothing is to be copied again."""
        return not self.lacks and self._days.is_done and self._all.is_done

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
                self._whole_s = self._due_s = self._days_due_s = self._all_due_s = -_AGAIN_S
                self._days.begin()
        if now_s >= self._due_s:
            is_more = self._check_here(through, now_s)
            self._due_s = now_s + (0 if is_more else _LOOK_S)
        if now_s >= self._days_due_s:
            self._check_days(through)
            self._days_due_s = now_s + _LOOK_S
        if now_s >= self._all_due_s:
            is_last = self._check_all(through)
            can_wait = is_last and not self._all.lost
            self._all_due_s = time.monotonic() + (_ROUND_S if can_wait else _LOOK_S)

    def begin(self) -> None:
        """Check all anew, and at once."""
        self._whole_s = self._due_s = self._days_due_s = self._all_due_s = -_AGAIN_S
        self._days.begin()
        self._all.begin()

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
        some, is_last = list[SessionRecord](), False
        with self._store.read() as reader:
            while not is_last and len(some) < _MOST_DAYS:
                rows = reader.newest_sessions(All(), self._days.next, _SESSIONS_A_DAY).rows
                is_last = not rows
                day_ns = rows[0].row.started_ns // NS_A_DAY * NS_A_DAY if rows else 0
                self._days.next = day_ns, ""
                gone = [one for one in rows if one.evicted and one.row.started_ns >= day_ns]
                if gone:
                    some.append(max(gone, key=lambda x: (x.evicted_moments, x.evicted_spans)))
            needed = _of_evicted(reader, some, through)
        self._note(self._days, needed, is_last=is_last)

    def _check_all(self, through: int) -> bool:
        """Check the next sessions that have left the disk; return whether they were the last."""
        needed, trace_count = dict[str, _Needed](), 0
        with self._store.read() as reader:
            chunk = reader.newest_sessions(All(), self._all.next, _MOST_SESSIONS)
            place = chunk.next
            for one in chunk.rows:
                needed |= _of_evicted(reader, (one,), through)
                trace_count += len(needed[one.row.id].traces) if one.row.id in needed else 0
                if trace_count >= _MOST_TRACES:
                    place = one.row.started_ns, one.row.id
                    break
        self._all.next = place
        self._note(self._all, needed, is_last=place is None)
        return place is None

    def _note(self, round_: _Round, needed: dict[str, _Needed], *, is_last: bool) -> None:
        rowless, lacking = self._lacking(needed)
        days = {
            time.strftime("%Y-%m-%d", time.gmtime(needed[one].started_ns // 10**9))
            for one in lacking
        }
        round_.note(days, is_rowless=bool(rowless), is_last=is_last)

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
    traces, moments = reader.traces_of(id_), max(session.evicted_moments, here)
    return _Needed(change, session.row.started_ns, traces, spans, moments)


def _of_evicted(
    reader: Reader, sessions: Iterable[SessionRecord], through: int
) -> dict[str, _Needed]:
    """Return what the history has to have of those that have left and are copied up to now."""
    return {
        one.row.id: _needed(reader, one, one.change)
        for one in sessions
        if one.evicted and reader.last_change(one.row.id) <= through
    }
