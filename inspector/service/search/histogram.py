"""Numbers of sessions: all of a filter, and by start time and status for the chart."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from inspector.service.model.rows import SessionStatus
from inspector.service.query.fields import SESSION_FIELDS
from inspector.service.query.tree import All, Compare, Node, Operator
from inspector.service.search.search import Search

_ROWS_A_PAGE = 10_000
_ALL_TIME_NS = 2**63 - 1


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
    counts = search.reader.session_counts(node, buckets.first_ns, buckets.width_ns, buckets.count)
    if counts is not None:
        return Histogram(counts, None)
    started = SESSION_FIELDS["started"]
    since = Compare(started, Operator.AT_LEAST, buckets.first_ns)
    until = Compare(started, Operator.LESS, buckets.beyond_ns)
    page = search.sessions(All((node, since, until)), None, _ROWS_A_PAGE)
    counts = Counter((buckets.of(one.row.started_ns), one.row.status) for one in page.rows)
    return Histogram(counts, page.next[0] if page.next else None)


@dataclass(frozen=True, slots=True)
class Total:
    """Sessions of one page of a count."""

    count: int
    next: tuple[int, str] | None
    """Start of the next page; None: all are counted."""


def count_all(search: Search, node: Node, after: tuple[int, str] | None) -> Total:
    """Count the sessions that match `node`, from a position on, until the time is up."""
    if after is None:
        counts = search.reader.session_counts(node, 0, _ALL_TIME_NS, 1)
        if counts is not None:
            return Total(counts.total(), None)
    page = search.sessions(node, after, _ROWS_A_PAGE)
    return Total(len(page.rows), page.next)
