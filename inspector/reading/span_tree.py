"""Who is below whom in a session. Pure; every span has exactly one place, whatever its parent says.

A span whose parent is not there is a root. So is the first span of each circle of parents.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from inspector.model import SpanRow


@dataclass(frozen=True, slots=True)
class SpanTree:
    """Spans by their index in `rows`; siblings by start."""

    rows: Sequence[SpanRow]
    roots: list[int]
    children: list[list[int]]
    parents: list[int | None]

    @classmethod
    def of(cls, rows: Sequence[SpanRow]) -> SpanTree:
        """Return the tree of `rows`, in time that grows with their number only."""
        index = {(row.trace_id, row.span_id): place for place, row in enumerate(rows)}
        parents = [index.get((row.trace_id, row.parent_span_id or "")) for row in rows]
        _cut_circles(parents, rows)
        order = sorted(range(len(rows)), key=lambda place: _start(rows[place]))
        roots: list[int] = []
        children: list[list[int]] = [[] for _ in rows]
        for place in order:
            parent = parents[place]
            (roots if parent is None else children[parent]).append(place)
        return cls(rows, roots, children, parents)

    def below(self, place: int) -> Iterator[int]:
        """Yield `place` and all that is below it, each before its children."""
        waiting = [place]
        while waiting:
            top = waiting.pop()
            yield top
            waiting += reversed(self.children[top])

    def above(self, place: int) -> list[int]:
        """Return what `place` is below, the root first."""
        found: list[int] = []
        parent = self.parents[place]
        while parent is not None:
            found.append(parent)
            parent = self.parents[parent]
        return found[::-1]

    def _inside(self, place: int) -> list[SpanRow]:
        """Return what is inside a span, by start: of one that repeats it, what is inside that."""
        found: list[SpanRow] = []
        for child in self.children[place]:
            row = self.rows[child]
            if row.duplicate_of == self.rows[place].span_id:
                found += (self.rows[one] for one in self.children[child])
            else:
                found.append(row)
        return sorted(found, key=_start)

    def own_ns(self, place: int) -> int | None:
        """Return the time in a span and in none below it, nor waiting; None while it runs."""
        row = self.rows[place]
        if row.duration_ns is None:
            return None
        end_ns = row.offset_ns + row.duration_ns
        covered, until = 0, row.offset_ns
        for child in self._inside(place):
            child_end = end_ns if child.duration_ns is None else child.offset_ns + child.duration_ns
            start = max(child.offset_ns, until)
            stop = min(child_end, end_ns)
            if stop > start:
                covered, until = covered + stop - start, stop
        return max(row.duration_ns - covered - row.wait_ns, 0)


def _start(row: SpanRow) -> tuple[int, str, str]:
    return row.offset_ns, row.span_id, row.trace_id


def _cut_circles(parents: list[int | None], rows: Sequence[SpanRow]) -> None:
    """Make the first span of each circle a root."""
    is_safe = bytearray(len(parents))
    for start in range(len(parents)):
        path: list[int] = []
        on_path: set[int] = set()
        place: int | None = start
        while place is not None and not is_safe[place]:
            if place in on_path:
                circle = path[path.index(place) :]
                parents[min(circle, key=lambda one: _start(rows[one]))] = None
                break
            path.append(place)
            on_path.add(place)
            place = parents[place]
        for one in path:
            is_safe[one] = 1
