"""The span tree of a session. Pure; every span has exactly one place, whatever its parent id.

A span without its parent is a root. So is the first span of each circle of parents.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from inspector.service.model.rows import SpanRow
from inspector.service.model.waits import Interval, length_ns, merged

MAX_FOLDED = 64
"""Limit of descendants of a span that is folded at first; equal to `MAX_FOLDED` of the page."""


@dataclass(frozen=True, slots=True)
class SpanTree:
    """Tree of spans, as indexes into `rows`; siblings are in order of start."""

    rows: Sequence[SpanRow]
    roots: list[int]
    children: list[list[int]]
    parents: list[int | None]

    @classmethod
    def of(cls, rows: Sequence[SpanRow]) -> SpanTree:
        """Return the tree of `rows`, in linear time."""
        index = {(row.trace_id, row.span_id): place for place, row in enumerate(rows)}
        parents = [index.get((row.trace_id, row.parent_span_id or "")) for row in rows]
        cut_circles(parents, lambda place: _start(rows[place]))
        order = sorted(range(len(rows)), key=lambda place: _start(rows[place]))
        roots: list[int] = []
        children: list[list[int]] = [[] for _ in rows]
        for place in order:
            parent = parents[place]
            (roots if parent is None else children[parent]).append(place)
        return cls(rows, roots, children, parents)

    def below(self, place: int) -> Iterator[int]:
        """Yield `place` and all its descendants, each before its children."""
        waiting = [place]
        while waiting:
            top = waiting.pop()
            yield top
            waiting += reversed(self.children[top])

    def above(self, place: int) -> list[int]:
        """Return the ancestors of `place`, the root first."""
        found: list[int] = []
        parent = self.parents[place]
        while parent is not None:
            found.append(parent)
            parent = self.parents[parent]
        return found[::-1]

    def is_folded(self, place: int) -> bool:
        """Return whether all descendants of a span are duplicates."""
        below = [*islice(self.below(place), 1, MAX_FOLDED + 2)]
        return len(below) <= MAX_FOLDED and all(self.rows[one].duplicate_of for one in below)

    def _inside(self, place: int) -> list[SpanRow]:
        """Return the children of a span by start; the children of a duplicate replace it."""
        found: list[SpanRow] = []
        for child in self.children[place]:
            if self._is_duplicate(child, place):
                found += (self.rows[one] for one in self.children[child])
            else:
                found.append(self.rows[child])
        return sorted(found, key=_start)

    def own_ns(self, place: int) -> int | None:
        """Return the self time of a span, without waits; None while it runs."""
        row = self.rows[place]
        if row.duration_ns is None:
            return None
        inside: list[Interval] = [
            (one.offset_ns, None if one.duration_ns is None else one.offset_ns + one.duration_ns)
            for one in self._inside(place)
        ]
        duplicates = (
            self.rows[one] for one in self.children[place] if self._is_duplicate(one, place)
        )
        waits = [wait for one in (row, *duplicates) for wait in _waits(one)]
        unplaced_ns = 0 if row.waited else row.wait_ns
        end_ns = row.offset_ns + row.duration_ns
        covered_ns = length_ns(merged(within([*inside, *waits], row.offset_ns, end_ns)))
        return max(row.duration_ns - covered_ns - unplaced_ns, 0)

    def _is_duplicate(self, child: int, place: int) -> bool:
        return self.rows[child].duplicate_of == self.rows[place].span_id


def _waits(row: SpanRow) -> Iterator[Interval]:
    for offset_ns, duration_ns in row.waited:
        yield offset_ns, None if duration_ns is None else offset_ns + duration_ns


def within(intervals: Iterable[Interval], start_ns: int, end_ns: int) -> Iterator[Interval]:
    """Yield the parts of `intervals` between two times."""
    for start, end in intervals:
        if start < end_ns and (end is None or end > start_ns):
            yield max(start, start_ns), end_ns if end is None else min(end, end_ns)


def _start(row: SpanRow) -> tuple[int, str, str]:
    return row.offset_ns, row.span_id, row.trace_id


def cut_circles(parents: list[int | None], order: Callable[[int], Any] | None = None) -> None:
    """Make the first span of each circle a root; by default they are in order."""
    is_safe = bytearray(len(parents))
    for first, above in enumerate(parents):
        if above is None or is_safe[above]:  # of most, as a parent comes before its children
            is_safe[first] = 1
            continue
        path: list[int] = []
        on_path: set[int] = set()
        place: int | None = first
        while place is not None and not is_safe[place]:
            if place in on_path:
                circle = path[path.index(place) :]
                parents[min(circle, key=order)] = None
                break
            path.append(place)
            on_path.add(place)
            place = parents[place]
        for one in path:
            is_safe[one] = 1
