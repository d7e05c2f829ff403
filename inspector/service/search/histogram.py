"""Numbers of sessions: all of a filter, and by start time and status for the chart."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from inspector.service.model.rows import SessionStatus
from inspector.service.query.fields import SESSION_FIELDS, QueryScope
from inspector.service.query.tree import All, Compare, Node, Operator
from inspector.service.search.search import Search
from inspector.service.search.times import started_between
from inspector.service.storage.base import TooLateError

_ROWS_A_PAGE = 10_000
_ROWS_A_STEP = 100_000
"""Rows that are counted between two looks at the clock: 7 ms."""
_TIMES_A_PAGE = 5
"""How much longer a count may take than a page, where no session has to be looked at."""


@dataclass(frozen=True, slots=True)
class Buckets:
    """Consecutive intervals of time of the same length."""

    first_ns: int
    width_ns: int
    """Width of a bucket; at least 1."""
    count: int

    @property
    def beyond_ns(self) -> int:
        """The end of the last bucket."""
        return self.first_ns + self.width_ns * self.count

    def of(self, time_ns: int) -> int:
        """Return the number of the bucket that contains a time."""
        return (time_ns - self.first_ns) // self.width_ns


@dataclass(frozen=True, slots=True)
class Histogram:
    """Sessions by bucket and status."""

    counts: Counter[tuple[int, SessionStatus]]
    counted_from_ns: int | None
    """The time was up: sessions before this are not counted. None: all are."""


def count_sessions(search: Search, node: Node, buckets: Buckets) -> Histogram:
    """Count the sessions that match `node`, newest first, until the time is up."""
    counts = Counter[tuple[int, SessionStatus]]()
    until_s = search.clock() + search.page_s * _TIMES_A_PAGE
    end_ns = buckets.beyond_ns
    for bucket in reversed(range(buckets.count)):
        begin_ns = end_ns - buckets.width_ns
        try:
            with search.reader.until(lambda: search.clock() >= until_s):
                statuses = search.reader.session_statuses(node, begin_ns, end_ns)
        except TooLateError:
            return Histogram(counts, end_ns)
        if statuses is None:
            break
        counts.update({(bucket, status): number for status, number in statuses.items()})
        end_ns = begin_ns
    else:
        return Histogram(counts, None)
    started = SESSION_FIELDS["started"]
    since = Compare(started, Operator.AT_LEAST, buckets.first_ns)
    until = Compare(started, Operator.LESS, buckets.beyond_ns)
    page = search.sessions(All((node, since, until)), None, _ROWS_A_PAGE)
    counts.update((buckets.of(one.row.started_ns), one.row.status) for one in page.rows)
    return Histogram(counts, page.next[0] if page.next else None)


@dataclass(frozen=True, slots=True)
class Total:
    """Sessions of one page of a count."""

    count: int
    next: tuple[int, str] | None
    """Start of the next page; None: all are counted."""


def count_all(search: Search, node: Node, after: tuple[int, str] | None) -> Total:
    """Count the sessions that match `node`, from a position on, until the time is up."""
    count, until_s = 0, search.clock() + search.page_s * _TIMES_A_PAGE
    first_ns, beyond_ns = started_between(node, QueryScope.SESSION)
    if beyond_ns is not None:
        after = min(after or (beyond_ns, ""), (beyond_ns, ""))
    while (found := search.reader.session_count(node, after, _ROWS_A_STEP)) is not None:
        count += found[0]
        after = found[1]
        if after is None or (first_ns is not None and after[0] < first_ns):
            return Total(count, None)
        if search.clock() >= until_s:
            return Total(count, after)
    page = search.sessions(node, after, _ROWS_A_PAGE)
    return Total(len(page.rows), page.next)
