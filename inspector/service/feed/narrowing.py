"""The session rows that a viewer of a part of the list gets, by the rows' own fields. Pure.

A query is evaluated once a row for all its viewers, whatever they have seen: of each session that
does not fit it is known since which change, so that a viewer is told once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from inspector.service.feed.messages import SESSION, FeedEntry
from inspector.service.model.records import SessionRecord
from inspector.service.query import QueryScope, parse_query
from inspector.service.query.tree import All, Node
from inspector.service.search.evaluator import may_fit

LIST_ROWS = 200
"""Limit of rows of the list that a viewer gets in a second."""
_MAX_QUERIES = 64
"""Limit of queries that are evaluated; for viewers of others every row fits."""
_MAX_KNOWN = 10_000
"""Limit of sessions that are known not to fit a query; the first are forgotten."""
_PARSED_NS = 10_000_000_000
"""Time for which `-2h` in a query means the same."""


class Narrowing(NamedTuple):
    """The part of the list that a viewer gets."""

    query: str
    row_ids: frozenset[str]
    """Sessions whose rows it gets whether they fit or not."""


class Choice(NamedTuple):
    """Rows of the list for one write."""

    entries: Sequence[FeedEntry]
    left_out: Sequence[FeedEntry]


def choose(entries: Sequence[FeedEntry], narrowing: Narrowing, room: int) -> Choice:
    """Return as many rows as there is room for: those named or waiting first, then the newest."""
    if len(entries) <= room:
        return Choice(entries, ())

    def place(entry: FeedEntry) -> tuple[bool, int]:
        is_first = entry.key[1] in narrowing.row_ids or _waits(entry.session)
        return not is_first, -entry.change

    ranked = sorted(entries, key=place)
    return Choice(ranked[:room], ranked[room:])


class Queries:
    """The queries of all viewers."""

    def __init__(self) -> None:
        self._follower_counts = Counter[str]()
        self._queries: dict[str, _Query] = {}

    def follow(self, text: str) -> None:
        """Evaluate a query from now on, unless there are too many."""
        self._follower_counts[text] += 1
        if text not in self._queries and len(self._queries) < _MAX_QUERIES:
            self._queries[text] = _Query(text)

    def unfollow(self, text: str) -> None:
        """Evaluate it no longer, unless another viewer follows it."""
        self._follower_counts[text] -= 1
        if not self._follower_counts[text]:
            del self._follower_counts[text]
            self._queries.pop(text, None)

    def forget(self) -> None:
        """Forget what did not fit."""
        for query in self._queries.values():
            query.unfit_since.clear()

    def add(self, entries: Iterable[FeedEntry]) -> None:
        """Evaluate the rows of a commit; every one, or a change between two would be missed."""
        rows = [entry for entry in entries if entry.key[0] == SESSION]
        for query in self._queries.values():
            for entry in rows:
                query.add(entry)

    def wanted(
        self, entries: Iterable[FeedEntry], narrowing: Narrowing, cursor: int
    ) -> list[FeedEntry]:
        """Return the rows of sessions that a viewer gets which has seen all up to `cursor`.

        Those that fit, that wait or are named, and once each that does not fit any more.
        """
        query = self._queries.get(narrowing.query)
        if query is None:
            return [*entries]
        return [
            query.marked(entry)
            for entry in entries
            if entry.key[1] in narrowing.row_ids or query.is_news(entry, cursor)
        ]

    def marked(self, entries: Iterable[FeedEntry], narrowing: Narrowing) -> list[FeedEntry]:
        """Return all entries; what they have of sessions that do not fit says so."""
        query = self._queries.get(narrowing.query)
        return [*entries] if query is None else [query.marked(entry) for entry in entries]


class _Query:
    def __init__(self, text: str) -> None:
        self._text = text
        self._tree: Node = All()
        self._parsed_ns = -_PARSED_NS
        self.unfit_since: dict[str, int] = {}
        """The change from which on a session neither fits nor waits; 0: it never did."""

    def add(self, entry: FeedEntry) -> None:
        id_ = entry.key[1]
        if self._concerns(entry):
            self.unfit_since.pop(id_, None)
        elif id_ not in self.unfit_since:
            if len(self.unfit_since) >= _MAX_KNOWN:
                del self.unfit_since[next(iter(self.unfit_since))]
            self.unfit_since[id_] = 0 if entry.is_new else entry.change

    def is_news(self, entry: FeedEntry, cursor: int) -> bool:
        """Return whether a viewer that has seen all up to `cursor` gets a newer row."""
        since = self.unfit_since.get(entry.key[1])
        if since is None:  # it fits, or what it was before is not known
            return self._concerns(entry) or not entry.is_new
        return since > cursor

    def marked(self, entry: FeedEntry) -> FeedEntry:
        return entry if self._fits(entry) else entry.unfit

    def _concerns(self, entry: FeedEntry) -> bool:
        return self._fits(entry) or _waits(entry.session)

    def _fits(self, entry: FeedEntry) -> bool:
        if entry.session is None:
            return True
        if self._text not in entry.fits:
            entry.fits[self._text] = self._may_fit(entry.session)
        return entry.fits[self._text]

    def _may_fit(self, session: SessionRecord) -> bool:
        now_ns = session.changed_ns
        if not self._parsed_ns <= now_ns < self._parsed_ns + _PARSED_NS:
            self._parsed_ns = now_ns
            self._tree = parse_query(self._text, QueryScope.SESSION, now_ns)
        return may_fit(self._tree, session, now_ns) is not False


def _waits(session: SessionRecord | None) -> bool:
    return session is not None and session.row.waiting_since_ns is not None
