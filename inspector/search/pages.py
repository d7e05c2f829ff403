"""Find what a query asks for, newest first, a page at a time.

A page ends when it is full, or when its time is up: what was not looked at yet is what its cursor
stands for. So an answer comes soon, however much is stored, and nothing is left out in the end.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from time import monotonic
from typing import Generic, TypeVar

from inspector.query.tree import Node
from inspector.search.fitting import Evaluator
from inspector.storage.base import Chunk, Reader, SessionRecord, SpanRecord

PAGE_S = 0.04
"""How long a page may look for more. What one row takes is not interrupted."""

_SESSIONS_A_LOOK = 500
_SPANS_A_LOOK = 2_000

Row = TypeVar("Row", SessionRecord, SpanRecord)
Position = TypeVar("Position")


@dataclass(frozen=True, slots=True)
class Page(Generic[Row, Position]):
    """What was found."""

    rows: list[Row]
    next: Position | None
    """Where to go on; None: everything was looked at."""


@dataclass(slots=True)
class Search:
    """Looks through one snapshot."""

    reader: Reader
    now_ns: int
    page_s: float = PAGE_S
    clock: Callable[[], float] = monotonic

    def sessions(
        self, node: Node, after: tuple[int, str] | None, limit: int
    ) -> Page[SessionRecord, tuple[int, str]]:
        """Return sessions, newest start first, behind the position (started_ns, id)."""
        return self._page(
            limit,
            after,
            look=lambda place: self.reader.newest_sessions(node, place, _SESSIONS_A_LOOK),
            place=lambda record: (record.row.started_ns, record.row.id),
            node=node,
        )

    def spans(self, node: Node, before: int | None, limit: int) -> Page[SpanRecord, int]:
        """Return spans, last changed first, from before the change `before`.

        What changes while pages are read moves to the front; nothing is on two pages.
        """
        return self._page(
            limit,
            before,
            look=lambda place: self.reader.newest_spans(node, place, _SPANS_A_LOOK),
            place=lambda record: record.change,
            node=node,
        )

    def _page(
        self,
        limit: int,
        start: Position | None,
        *,
        look: Callable[[Position | None], Chunk[Row, Position]],
        place: Callable[[Row], Position],
        node: Node,
    ) -> Page[Row, Position]:
        evaluator = Evaluator(self.reader, self.now_ns)
        until = self.clock() + self.page_s
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
