"""The spans of a session as columns, and the tree that they make, for sums over all of them. Pure.

A session may have 200 000 spans: a loop over columns takes a third of the time of one over objects.
A span is its place in the columns.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import chain
from operator import add, itemgetter
from typing import Any, cast

from inspector.service.analysis.span_tree import all_waits, cut_circles, within
from inspector.service.model.waits import Interval, length_ns, merged
from inspector.service.storage.base import SpanFacts

_NEVER_NS = 2**64


class SpanTable:
    """The spans, in the tree of `SpanTree`.

    Args:
        spans: By start, then by span id.

    Attributes:
        spans: The rows.
        columns: The same, one sequence for each field.
        places: The place of each, by its trace id and span id in one.
        parents: The parent of each; None: it is a root.
        children: The children of each that has any, by start; those of None are the roots.
        walk: All spans, each before its children.
    """

    def __init__(self, spans: Sequence[SpanFacts]) -> None:
        self.spans = spans
        # Not `zip(*spans)`: it makes an iterator of each.
        columns: Any = (list(map(itemgetter(at), spans)) for at in range(len(SpanFacts._fields)))
        self.columns = cast(Any, SpanFacts(*columns))
        trace_ids: Sequence[str] = self.columns.trace_id
        keys = map(add, trace_ids, self.columns.span_id)
        self.places = dict(zip(keys, range(len(spans)), strict=True))
        above = map(add, trace_ids, (one or "" for one in self.columns.parent_span_id))
        self.parents: list[int | None] = list(map(self.places.get, above))
        cut_circles(self.parents)
        children: defaultdict[int | None, list[int]] = defaultdict(list)
        for place, parent in enumerate(self.parents):
            children[parent].append(place)
        self.children: dict[int | None, list[int]] = dict(children)
        self.walk = list(self._walk())

    def _walk(self) -> Iterator[int]:
        waiting = self.children.get(None, [])[::-1]
        while waiting:
            place = waiting.pop()
            yield place
            if place in self.children:
                waiting += reversed(self.children[place])

    @cached_property
    def ranges(self) -> list[tuple[int, int]]:
        """Which part of `walk` is at or below each span."""
        sizes = [1] * len(self.walk)
        for place in reversed(self.walk):
            parent = self.parents[place]
            if parent is not None:
                sizes[parent] += sizes[place]
        found = [(0, 0)] * len(sizes)
        for at, place in enumerate(self.walk):
            found[place] = (at, at + sizes[place])
        return found

    def took_ns(self) -> list[int | None]:
        """Return how long each span took, less the time in which it or one below it waited."""
        found: defaultdict[int, list[Interval]] = defaultdict(list)
        for place in self._waiting():
            span = self.spans[place]
            waits = all_waits(span)
            if span.duration_ns is not None:
                waits = list(within(waits, span))
            above: int | None = place
            while above is not None:
                found[above] += waits
                above = self.parents[above]
        took_ns: list[int | None] = list(self.columns.duration_ns)
        for place, waits in found.items():
            duration_ns = took_ns[place]
            if duration_ns is not None:
                waited_ns = length_ns(merged(within(waits, self.spans[place])))
                took_ns[place] = duration_ns - waited_ns
        return took_ns

    def own_ns(self) -> list[int]:
        """Return the self time of each span, as `SpanTree.own_ns`; 0 while it runs."""
        starts, durations = self.columns.offset_ns, self.columns.duration_ns
        ends = [_end(start, length) for start, length in zip(starts, durations, strict=True)]
        own_ns = [duration_ns or 0 for duration_ns in durations]
        for place in {*self.children, *self._waiting()} - {None}:
            assert place is not None
            if durations[place] is None:
                continue
            inside, waits = self._inside(place)
            covered: Iterable[tuple[int, int]] = ((starts[one], ends[one]) for one in inside)
            if waits or inside is not self.children.get(place):  # no longer by start
                others = ((start, _end(start, length)) for start, length in waits)
                covered = sorted(chain(covered, others))
            own_ns[place] -= _covered_ns(covered, starts[place], ends[place])
            if not self.columns.waited[place]:
                own_ns[place] -= self.columns.wait_ns[place]
            own_ns[place] = max(own_ns[place], 0)
        return own_ns

    def _waiting(self) -> list[int]:
        both = zip(self.columns.wait_ns, self.columns.waited, strict=True)
        return [place for place, (wait_ns, waited) in enumerate(both) if wait_ns or waited]

    def _inside(self, place: int) -> tuple[list[int], list[Interval]]:
        """Return the children of a span and its waits; those of a duplicate are its own."""
        span_id, duplicates_of = self.columns.span_id[place], self.columns.duplicate_of
        below, waits = self.children.get(place, []), list(self.columns.waited[place] or ())
        duplicates = {child for child in below if duplicates_of[child] == span_id}
        if duplicates:
            below = [child for child in below if child not in duplicates]
        for duplicate in duplicates:
            below += self.children.get(duplicate, ())
            waits += self.columns.waited[duplicate] or ()
        return below, waits


def _end(start_ns: int, duration_ns: int | None) -> int:
    return _NEVER_NS if duration_ns is None else start_ns + duration_ns


def _covered_ns(intervals: Iterable[tuple[int, int]], start_ns: int, end_ns: int) -> int:
    """Return the time between start and end that any of the intervals covers; they are sorted."""
    covered_ns, until_ns = 0, start_ns
    for begin_ns, stop_ns in intervals:
        if begin_ns >= end_ns:
            break
        if stop_ns > until_ns:
            stop_ns = min(stop_ns, end_ns)
            covered_ns += stop_ns - max(begin_ns, until_ns)
            until_ns = stop_ns
    return covered_ns
