"""Find the matches of a query, newest first, one page at a time.

A page ends when it is full, or when its time is up: its cursor is where the next one continues. So
an answer comes soon, however much is stored, and all pages together have all matches.

The index of words narrows down what it has indexed; newer rows are all read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from time import monotonic
from typing import Generic, TypeVar

from inspector.errors import StoreUnavailableError
from inspector.service.model.records import SessionRecord, SpanRecord
from inspector.service.query.fields import QueryScope
from inspector.service.query.tree import All, Either, Node, Not, Related
from inspector.service.search.candidates import Candidates
from inspector.service.search.evaluator import Evaluator, cheapest_first
from inspector.service.search.sorting import Sorted
from inspector.service.search.terms import span_terms
from inspector.service.search.times import started_between
from inspector.service.storage.base import Chunk, ReadableStore, Reader, SpanReader, TooLateError
from inspector.service.storage.orders import Order, SortPosition, place_of
from inspector.service.storage.word_reader import AllTerms, Missing, Words, WordsOf

PAGE_S = 0.04
"""Time limit of the search for one page. What the page begins with is not interrupted."""
SORT_S = 10.0
"""Time limit of finding which sessions come next in an order that no index has."""

_MIN_ROWS = 64
_MAX_ROWS = 4_096
"""Limits of a batch of rows: few at first, which may be enough, then more."""
_TIMES_BEYOND = 10
"""How much longer a page may take that asks another machine, too."""
_NO_HISTORY = "Their content is in a history: start the service with INSPECTOR_HISTORY."
_MOST_NEWER = 2_000
"""Limit of rows not indexed yet, up to which the index helps to find sessions."""


Row = TypeVar("Row", SessionRecord, SpanRecord)
Position = TypeVar("Position")


@dataclass(frozen=True, slots=True)
class Page(Generic[Row, Position]):
    """A page of results."""

    rows: list[Row]
    next: Position | None
    """Start of the next page; None: there is none."""


@contextmanager
def open_search(
    store: ReadableStore, words: WordsOf | None, now_ns: int, *, page_s: float = PAGE_S
) -> Iterator[Search]:
    """Open a snapshot of `store` to search in, with its index of words if it has one."""
    with ExitStack() as stack:
        # The index first, so that the store's snapshot has all that is indexed.
        known = None
        with suppress(StoreUnavailableError):
            known = stack.enter_context(words.read()) if words else None
        if known is not None and known.has_all:
            page_s *= _TIMES_BEYOND
        yield Search(stack.enter_context(store.read()), now_ns, page_s, words=known)


@dataclass(slots=True)
class Search:
    """Searches one snapshot.

    Args:
        reader: The snapshot.
        now_ns: The end of durations of what still runs.
        page_s: Time limit of the search for a page.
        clock: Seconds.
        words: A snapshot of the index, opened before `reader`; None: every row is read.

    Attributes:
        source: Where spans are read.
        reads_spans: Whether an answer needs the spans of sessions.
    """

    reader: Reader
    now_ns: int
    page_s: float = PAGE_S
    clock: Callable[[], float] = monotonic
    words: Words | None = None
    source: SpanReader = field(init=False)
    reads_spans: bool = False

    def __post_init__(self) -> None:
        self.source = self.words.source(self.reader, self.now_ns) if self.words else self.reader

    @property
    def missing(self) -> Missing | None:
        """Why something of a history was not looked at; None: all was, or nothing of it was due."""
        if self.reads_spans and self.reader.evicted and not (self.words and self.words.has_all):
            return Missing(_NO_HISTORY, None)
        return self.words.missing if self.words else None

    def sessions(
        self, node: Node, after: tuple[int, str] | None, limit: int, *, has_next: bool = True
    ) -> Page[SessionRecord, tuple[int, str]]:
        """Return sessions, newest start first, after the position (started_ns, id).

        Without a next page (`has_next`), the first session need not be looked at to its end.
        """
        began, node = self.clock(), cheapest_first(node)
        self.reads_spans |= _has_spans(node)
        first_ns, beyond_ns = started_between(node, QueryScope.SESSION)
        if beyond_ns is not None:
            after = min(after or (beyond_ns, ""), (beyond_ns, ""))
        candidates = self._candidates(began)
        found = self._sessions_of_words(candidates, node)

        def read(place: tuple[int, str] | None, most: int) -> Chunk[SessionRecord, tuple[int, str]]:
            if found is not None:
                return self.reader.sessions_among(node, found, place, most)
            with self.reader.until(evaluator.is_late):
                chunk = self.reader.newest_sessions(node, place, most)
            is_last = chunk.next is None or (first_ns is not None and chunk.next[0] < first_ns)
            return Chunk(chunk.rows, None if is_last else chunk.next)

        evaluator = Evaluator(self.reader, self.now_ns, source=self.source)
        if candidates is not None and found is not None:
            evaluator = Evaluator(self.reader, self.now_ns, candidates.spans, source=self.source)
        return self._page(
            limit,
            after,
            began,
            evaluator,
            read=read,
            place=_session_place,
            node=node,
            has_next=has_next,
        )

    def sorted_sessions(
        self, node: Node, order: Order, after: SortPosition | None, limit: int
    ) -> Page[SessionRecord, SortPosition]:
        """Return sessions in any order, after a place of it.

        The time of a page counts from when it is known which sessions come next: that takes as long
        for one as for all, so that otherwise no page would end in time.

        Raises:
            TooLateError: There are too many to sort in `SORT_S`.
        """
        node = cheapest_first(node)
        self.reads_spans |= _has_spans(node)
        candidates = self._candidates(self.clock())
        found = self._sessions_of_words(candidates, node)
        listing, until_s = Sorted(self.reader, node, order, found), self.clock() + SORT_S
        with self.reader.until(lambda: self.clock() >= until_s):
            listing.find(after, max(_MIN_ROWS, limit + 1))
        began = self.clock()
        evaluator = Evaluator(self.reader, self.now_ns, source=self.source)
        if candidates is not None and found is not None:
            evaluator = Evaluator(self.reader, self.now_ns, candidates.spans, source=self.source)
        return self._page(
            limit,
            after,
            began,
            evaluator,
            read=listing.read,
            place=lambda record: place_of(record.row, record.change, order),
            node=node,
        )

    def spans(self, node: Node, before: int | None, limit: int) -> Page[SpanRecord, int]:
        """Return spans, last changed first, from before the change `before`.

        Spans that change while pages are read move to the front; none is on two pages.
        """
        began, node = self.clock(), cheapest_first(node)
        self.reads_spans = True
        words, term = self.words, span_terms(node, self.now_ns)

        def newest(place: int | None, most: int) -> Chunk[SpanRecord, int]:
            with self.reader.until(evaluator.is_late):
                return self.reader.newest_spans(node, place, most)

        if words is not None and words.has_all:
            term = term or AllTerms(())

        def read(place: int | None, most: int) -> Chunk[SpanRecord, int]:
            if words is None or term is None:
                return newest(place, most)
            if place is None or place > words.through + 1:
                return _newer(newest(place, most), words.through)
            found = words.spans(term, place, most, lambda: self._is_late(began))
            if found is None:
                return newest(place, most)
            with self.reader.until(evaluator.is_late):
                return Chunk(self.source.spans_among(node, found.changes), found.next)

        evaluator = Evaluator(self.reader, self.now_ns, source=self.source)
        return self._page(limit, before, began, evaluator, read=read, place=_span_place, node=node)

    def _candidates(self, began: float) -> Candidates | None:
        if self.words is None:
            return None
        # Half of the time: where the index does not help, the rest is for reading rows.
        half_s = self.page_s / 2
        return Candidates(self.words, self.now_ns, lambda: self._is_late(began, half_s))

    def _sessions_of_words(self, candidates: Candidates | None, node: Node) -> set[str] | None:
        """Return the ids of all sessions that may match; None: too many, or not known."""
        found = candidates.sessions(node) if candidates else None
        if candidates is None or found is None:
            return None
        newer = self.reader.sessions_changed(candidates.words.through, _MOST_NEWER)
        if newer is None:
            return None
        candidates.add_newer(newer)
        return found | newer

    def _is_late(self, began: float, most_s: float | None = None) -> bool:
        return self.clock() - began >= (self.page_s if most_s is None else most_s)

    def _page(
        self,
        limit: int,
        start: Position | None,
        began: float,
        evaluator: Evaluator,
        *,
        read: Callable[[Position | None, int], Chunk[Row, Position]],
        place: Callable[[Row], Position],
        node: Node,
        has_next: bool = True,
    ) -> Page[Row, Position]:
        found: list[Row] = []
        most, next_place, looked = max(_MIN_ROWS, limit + 1), start, began
        looked_at, is_patient = start, False
        # Without a condition all rows that were read match: a busy service has no short pages.
        is_narrowed = not _is_everything(node)
        evaluator.is_late = lambda: is_narrowed and not is_patient and self._is_late(began)
        while True:
            # What a page begins with is read and evaluated to its end: no page would get past it.
            is_begun = looked_at != start or not has_next
            try:
                chunk = read(next_place, most)
                for row in chunk.rows:
                    is_patient = not is_begun
                    if evaluator.fits(node, row):
                        if len(found) == limit:
                            return Page(found, place(found[-1]))
                        found.append(row)
                    if is_narrowed and self._is_late(began):
                        return Page(found, place(row))
                    looked_at, is_begun = place(row), True
            except TooLateError:
                if is_begun:
                    return Page(found, looked_at)
                most, is_patient = 1, True
                continue
            if chunk.next is None:
                return Page(found, None)
            now = self.clock()
            if now - began >= self.page_s:
                return Page(found, chunk.next)
            most = _next_count(most, now - looked, self.page_s)
            next_place, looked = chunk.next, now
            looked_at, is_patient = next_place, False


def _has_spans(node: Node) -> bool:
    """Return whether a condition of sessions looks at their spans."""
    match node:
        case All(parts) | Either(parts):
            return any(map(_has_spans, parts))
        case Not(part):
            return _has_spans(part)
        case _:
            return isinstance(node, Related)


def _is_everything(node: Node) -> bool:
    return isinstance(node, All) and all(map(_is_everything, node.parts))


def _next_count(most: int, took_s: float, page_s: float) -> int:
    """Return the number of rows to read next, from the time that the last `most` took."""
    if took_s < page_s / 8:
        return min(most * 2, _MAX_ROWS)
    return max(most // 2, _MIN_ROWS) if took_s > page_s / 4 else most


def _newer(chunk: Chunk[SpanRecord, int], through: int) -> Chunk[SpanRecord, int]:
    """Return the part of a chunk that is newer than `through`; the index has the rest."""
    if chunk.next is not None and chunk.next > through:
        return chunk
    return Chunk([row for row in chunk.rows if row.change > through], through + 1)


def _session_place(record: SessionRecord) -> tuple[int, str]:
    return record.row.started_ns, record.row.id


def _span_place(record: SpanRecord) -> int:
    return record.change
