"""Find what a query asks for, newest first, a page at a time.

A page ends when it is full, or when its time is up: what was not looked at yet is what its cursor
stands for. So an answer comes soon, however much is stored, and nothing is left out in the end.

The index of words says where to look in what it has taken in; what is newer is all looked at.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from time import monotonic
from typing import Generic, TypeVar

from inspector.errors import StoreUnavailableError
from inspector.query.tree import Node
from inspector.search.candidates import session_candidates
from inspector.search.fitting import Evaluator
from inspector.search.terms import span_terms
from inspector.storage.base import (
    MAX_INT,
    Chunk,
    Reader,
    SessionRecord,
    SpanRecord,
    Store,
)
from inspector.storage.word_index import WordIndex
from inspector.storage.word_reader import Term, WordReader

PAGE_S = 0.04
"""How long a page may look for more. What one row takes is not interrupted."""

_SESSIONS_A_LOOK = 500
_SPANS_A_LOOK = 2_000
_FOUND_A_LOOK = 500

Row = TypeVar("Row", SessionRecord, SpanRecord)
Position = TypeVar("Position")


@dataclass(frozen=True, slots=True)
class Page(Generic[Row, Position]):
    """What was found."""

    rows: list[Row]
    next: Position | None
    """Where to go on; None: everything was looked at."""


@contextmanager
def open_search(store: Store, words: WordIndex | None, now_ns: int) -> Iterator[Search]:
    """Open a snapshot of `store` to search in, with its index of words if it has one."""
    with ExitStack() as stack:
        # The index first: so all that it says it has, it has in the store's snapshot too.
        known = None
        with suppress(StoreUnavailableError):
            known = stack.enter_context(words.read()) if words else None
        yield Search(stack.enter_context(store.read()), now_ns, words=known)


@dataclass(slots=True)
class Search:
    """Looks through one snapshot.

    Args:
        reader: The snapshot.
        now_ns: What durations of what still runs count to.
        page_s: How long a page may look.
        clock: Seconds.
        words: A snapshot of the index, opened before `reader`; None: every row is looked at.
    """

    reader: Reader
    now_ns: int
    page_s: float = PAGE_S
    clock: Callable[[], float] = monotonic
    words: WordReader | None = None

    def sessions(
        self, node: Node, after: tuple[int, str] | None, limit: int
    ) -> Page[SessionRecord, tuple[int, str]]:
        """Return sessions, newest start first, behind the position (started_ns, id)."""
        until = self.clock() + self.page_s
        found = self._sessions_of_words(node, until)
        if found is None:
            look = self._all_sessions(node)
        else:
            rows = self.reader.sessions_among(node, found)
            look = self._those_sessions(rows)
        return self._page(limit, after, until, look=look, place=_session_place, node=node)

    def spans(self, node: Node, before: int | None, limit: int) -> Page[SpanRecord, int]:
        """Return spans, last changed first, from before the change `before`.

        What changes while pages are read moves to the front; nothing is on two pages.
        """
        until = self.clock() + self.page_s
        term = span_terms(node) if self.words else None
        look = self._all_spans(node) if term is None else self._spans_of_words(node, term, until)
        return self._page(limit, before, until, look=look, place=_span_place, node=node)

    def _all_sessions(
        self, node: Node
    ) -> Callable[[tuple[int, str] | None], Chunk[SessionRecord, tuple[int, str]]]:
        return lambda place: self.reader.newest_sessions(node, place, _SESSIONS_A_LOOK)

    def _sessions_of_words(self, node: Node, until: float) -> set[str] | None:
        """Return the ids of all sessions that may fit; None: that is too many, or not known."""
        if self.words is None:
            return None
        # Half of the time: where the index does not help, there has to be some to look.
        late_s = until - self.page_s / 2
        found = session_candidates(node, self.words, lambda: self.clock() >= late_s)
        if found is None:
            return None
        newer = self.reader.sessions_changed(self.words.through, _SPANS_A_LOOK)
        return None if newer is None else found | newer

    def _those_sessions(
        self, rows: list[SessionRecord]
    ) -> Callable[[tuple[int, str] | None], Chunk[SessionRecord, tuple[int, str]]]:
        return lambda place: Chunk(
            [row for row in rows if place is None or _session_place(row) < place], None
        )

    def _all_spans(self, node: Node) -> Callable[[int | None], Chunk[SpanRecord, int]]:
        return lambda place: self.reader.newest_spans(node, place, _SPANS_A_LOOK)

    def _spans_of_words(
        self, node: Node, term: Term, until: float
    ) -> Callable[[int | None], Chunk[SpanRecord, int]]:
        words, every = self.words, self._all_spans(node)
        assert words is not None

        def look(place: int | None) -> Chunk[SpanRecord, int]:
            before = MAX_INT if place is None else place
            if before > words.through + 1:
                chunk = every(place)
                if chunk.next is not None and chunk.next > words.through:
                    return chunk
                newer = [row for row in chunk.rows if row.change > words.through]
                return Chunk(newer, words.through + 1)
            found = words.spans(term, before, _FOUND_A_LOOK, lambda: self.clock() >= until)
            if found is None:
                return every(place)
            return Chunk(self.reader.spans_among(node, found.changes), found.next)

        return look

    def _page(
        self,
        limit: int,
        start: Position | None,
        until: float,
        *,
        look: Callable[[Position | None], Chunk[Row, Position]],
        place: Callable[[Row], Position],
        node: Node,
    ) -> Page[Row, Position]:
        evaluator = Evaluator(self.reader, self.now_ns)
        found: list[Row] = []
        chunk = look(start)
        while True:
            for row in chunk.rows:
                if evaluator.fits(node, row):
                    if len(found) == limit:
                        return Page(found, place(found[-1]))
                    found.append(row)
                if self.clock() >= until:
                    return Page(found, place(row))
            if chunk.next is None:
                return Page(found, None)
            if self.clock() >= until:
                return Page(found, chunk.next)
            chunk = look(chunk.next)


def _session_place(record: SessionRecord) -> tuple[int, str]:
    return record.row.started_ns, record.row.id


def _span_place(record: SpanRecord) -> int:
    return record.change
