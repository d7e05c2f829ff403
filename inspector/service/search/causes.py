"""Sessions by what failed first in them: groups of causes that are alike, over a time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from inspector.service.model.records import SessionRecord
from inspector.service.model.rows import SessionRow, SessionStatus
from inspector.service.query.fields import SESSION_FIELDS
from inspector.service.query.tree import All, Compare, Node, Operator
from inspector.service.search.histogram import Buckets
from inspector.service.search.search import Search
from inspector.service.storage.base import CauseCount, CauseCounts, TooLateError

MAX_S = 1.0
"""Time limit of the count, and again of the look at one session after another."""
_ROWS_A_PAGE = 1_000


@dataclass(frozen=True, slots=True)
class SessionsOfCause:
    """Sessions with causes that are alike."""

    counted: CauseCount
    by_bucket: Sequence[int]
    example: SessionRecord
    """The newest of them."""
    good_id: str | None
    """The newest session with the title of the example in which nothing failed."""


@dataclass(frozen=True, slots=True)
class GroupedCauses:
    """Groups of causes, the most frequent first."""

    groups: list[SessionsOfCause]
    group_count: int
    session_count: int
    buckets: Buckets
    counted_from_ns: int | None
    """Sessions before this are not counted. None: all are."""


def group_causes(
    search: Search,
    node: Node,
    since_ns: int,
    until_ns: int,
    *,
    bucket_count: int,
    most: int,
    bounds_ns: tuple[int, int] | None = None,
) -> GroupedCauses:
    """Group the sessions that match `node`, and began in a time, by their causes.

    Args:
        search: Where they are.
        node: The condition.
        since_ns: Begin of the time.
        until_ns: End of the time.
        bucket_count: Number of intervals in which they are counted.
        most: Limit of groups.
        bounds_ns: Starts of the first and of the last session to count by interval; None: of
            those that are found.
    """
    reader = search.reader
    counts, known, until_s = None, None, search.clock() + MAX_S
    with suppress(TooLateError), reader.until(lambda: search.clock() >= until_s):
        counts = reader.cause_counts(node, since_ns, until_ns, most)
    if counts is None:
        known = _look(search, node, since_ns, until_ns)
        counts = known.counts(most)
    first_ns = max(since_ns, min((one.first_ns for one in counts.groups), default=since_ns))
    last_ns = max((one.last_ns for one in counts.groups), default=first_ns)
    first_ns, last_ns = bounds_ns or (first_ns, last_ns)
    width_ns = max((last_ns - first_ns) // bucket_count + 1, 1)
    buckets = Buckets(first_ns, width_ns, bucket_count)
    keys = [one.key for one in counts.groups]
    starts = (
        known.starts(keys, buckets)
        if known
        else reader.cause_starts(node, keys, first_ns, width_ns, bucket_count)
    )
    groups = []
    for one in counts.groups:
        example = reader.session_of_cause(one.key, one.last_ns)
        if example is not None:
            by_bucket = [starts[one.key, place] for place in range(bucket_count)]
            good_id = reader.last_good_session(example.row.title)
            groups.append(SessionsOfCause(one, by_bucket, example, good_id))
    return GroupedCauses(
        groups, counts.group_count, counts.session_count, buckets, counts.counted_from_ns
    )


@dataclass(slots=True)
class _Seen:
    """Sessions with a cause that were looked at one by one."""

    rows: list[SessionRow] = field(default_factory=list)
    counted_from_ns: int | None = None

    def counts(self, most: int) -> CauseCounts:
        by_key: dict[str, list[SessionRow]] = {}
        for row in self.rows:
            by_key.setdefault(row.cause_key or "", []).append(row)
        groups = [_count(key, rows) for key, rows in by_key.items()]
        groups.sort(key=lambda one: (-one.session_count, -one.last_ns, one.key))
        return CauseCounts(groups[:most], len(groups), len(self.rows), self.counted_from_ns)

    def starts(self, keys: Iterable[str], buckets: Buckets) -> Counter[tuple[str, int]]:
        wanted = set(keys)
        return Counter(
            (row.cause_key or "", buckets.of(row.started_ns))
            for row in self.rows
            if row.cause_key in wanted
        )


def _count(key: str, rows: Sequence[SessionRow]) -> CauseCount:
    times = [row.started_ns for row in rows]
    failed = sum(row.status is SessionStatus.FAILED for row in rows)
    return CauseCount(key, len(rows), failed, min(times), max(times))


def _look(search: Search, node: Node, since_ns: int, until_ns: int) -> _Seen:
    started, cause = SESSION_FIELDS["started"], SESSION_FIELDS["cause_key"]
    wanted = All(
        (
            Compare(cause, Operator.IS_KNOWN, ""),
            Compare(started, Operator.AT_LEAST, since_ns),
            Compare(started, Operator.LESS, until_ns),
            node,
        )
    )
    seen, place, until_s = _Seen(), None, search.clock() + MAX_S
    while True:
        page = search.sessions(wanted, place, _ROWS_A_PAGE)
        seen.rows += (record.row for record in page.rows)
        place = page.next
        if place is None:
            return seen
        if search.clock() >= until_s:
            seen.counted_from_ns = place[0]
            return seen
