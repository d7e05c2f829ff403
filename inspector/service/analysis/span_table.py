"""The spans of a session as columns, and the tree that they make, for sums over all of them. Pure.

A session may have 200 000 spans: a loop over columns takes a third of the time of one over objects.
A span is its place in the columns.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from functools import cached_property
from itertools import repeat
from operator import add, lt
from typing import NamedTuple

from inspector.service.analysis.span_tree import cut_circles, within
from inspector.service.model.waits import Interval, length_ns, merged
from inspector.service.storage.base import SessionColumns

_NEVER_NS = 2**64


class NamedSpan(NamedTuple):
    """A span's ids and name."""

    trace_id: str
    span_id: str
    name: str


class SpanTable:
    """The spans, in the tree of `SpanTree`."""

    def __init__(self, columns: SessionColumns) -> None:
        self.columns = columns

    def __len__(self) -> int:
        return len(self.columns.span_id)

    def named(self, place: int) -> NamedSpan:
        """Return the ids and the name of a span."""
        of = self.columns
        return NamedSpan(of.trace_id[place].hex(), of.span_id[place].hex(), of.name[place])

    @cached_property
    def operations(self) -> dict[tuple[str, str], list[int]]:
        """The spans of each kind and name, without duplicates."""
        found: defaultdict[tuple[str, str], list[int]] = defaultdict(list)
        both = zip(self.columns.kind, self.columns.name, strict=True)
        for place, (operation, duplicate_of) in enumerate(
            zip(both, self.columns.duplicate_of, strict=True)
        ):
            if duplicate_of is None:
                found[operation].append(place)
        return dict(found)

    @cached_property
    def duplicates(self) -> list[int]:
        """The spans that repeat another."""
        return [place for place, one in enumerate(self.columns.duplicate_of) if one is not None]

    def repeated(self, place: int) -> int:
        """Return the span that a duplicate repeats; -1: it is not there."""
        repeated = self.columns.duplicate_of[place] or ""
        return self.places.get(self._traces[place] + bytes.fromhex(repeated), -1)

    @cached_property
    def waiting(self) -> set[int]:
        """The spans that waited for a person."""
        both = zip(self.columns.wait_ns, self.columns.waited, strict=True)
        return {place for place, (wait_ns, waited) in enumerate(both) if wait_ns or waited}

    @cached_property
    def places(self) -> dict[bytes, int]:
        """The place of each span, by its trace (as `_traces`) and span id in one."""
        keys = map(add, self._traces, self.columns.span_id)
        return dict(zip(keys, range(len(self)), strict=True))

    @cached_property
    def _traces(self) -> list[bytes]:
        """The trace id of each span; nothing, if it is the same for all."""
        is_one = len(set(self.columns.trace_id)) <= 1
        return [b""] * len(self) if is_one else self.columns.trace_id

    @cached_property
    def parents(self) -> list[int]:
        """The parent of each span; -1: it is a root."""
        above = map(add, self._traces, self.columns.parent_span_id)
        found = list(map(self.places.get, above, repeat(-1)))
        if all(map(lt, found, range(len(self)))):  # each after its parent: there is no circle
            return found
        cut: list[int | None] = [None if parent < 0 else parent for parent in found]
        cut_circles(cut)
        return [-1 if parent is None else parent for parent in cut]

    @cached_property
    def walk(self) -> Sequence[int]:
        """All spans, each after its parent."""
        if all(map(lt, self.parents, range(len(self)))):
            return range(len(self))
        children: defaultdict[int, list[int]] = defaultdict(list)
        for place, parent in enumerate(self.parents):
            children[parent].append(place)
        found = children[-1]
        for place in found:  # those that are added meanwhile, too
            found += children.get(place, ())
        return found

    def took_ns(self) -> list[int]:
        """Return how long each span took, less the time in which it or one below it waited.

        -1: it has not ended.
        """
        of = self.columns
        found: defaultdict[int, list[Interval]] = defaultdict(list)
        for place in self.waiting:
            # One of unknown start is as if it had been at the beginning.
            unplaced = (of.start_ns[place], of.start_ns[place] + of.wait_ns[place])
            waits = list(self._within(place, of.waited[place] or (unplaced,)))
            above = place
            while above >= 0:
                found[above] += waits
                above = self.parents[above]
        took_ns = [-1 if duration_ns is None else duration_ns for duration_ns in of.duration_ns]
        for place, below in found.items():
            if took_ns[place] >= 0:
                took_ns[place] -= length_ns(merged(self._within(place, below)))
        return took_ns

    def own_ns(self) -> list[int]:
        """Return the self time of each span, as `SpanTree.own_ns`; that of duplicates says nothing.

        0: it has not ended.
        """
        of, above = self.columns, self._around()
        starts = of.start_ns
        ends = [
            _NEVER_NS if duration_ns is None else start_ns + duration_ns
            for start_ns, duration_ns in zip(starts, of.duration_ns, strict=True)
        ]
        # One place more, which is that of -1: of roots' parents.
        limits, covered_until = [*ends, 0], [*starts, 0]
        own_ns = [*(duration_ns or 0 for duration_ns in of.duration_ns), 0]
        for start_ns, end_ns, parent in zip(starts, ends, above, strict=True):
            until_ns, limit_ns = covered_until[parent], limits[parent]
            begin_ns = start_ns if start_ns > until_ns else until_ns
            stop_ns = end_ns if end_ns < limit_ns else limit_ns
            if stop_ns > begin_ns:
                own_ns[parent] -= stop_ns - begin_ns
                covered_until[parent] = stop_ns
        inside = self._waits()
        if inside:  # those that waited are covered by their waits, too
            for place, parent in enumerate(above):
                if parent in inside:
                    inside[parent].append((starts[place], ends[place]))
        for place, intervals in inside.items():
            unplaced_ns = 0 if of.waited[place] else of.wait_ns[place]
            covered_ns = length_ns(merged(self._within(place, intervals)))
            own_ns[place] = (of.duration_ns[place] or 0) - covered_ns - unplaced_ns
        return [max(one_ns, 0) for one_ns in own_ns]

    def _around(self) -> list[int]:
        """Return the span whose self time each is no part of; -1: it is of none.

        What is inside a span that repeats its parent is inside that parent.
        """
        parents, repeats = self.parents, self._repeats
        if not repeats:
            return parents
        around = [parents[parent] if parent in repeats else parent for parent in parents]
        for place in repeats:
            if parents[place] not in repeats:
                around[place] = -1
        return around

    @cached_property
    def _repeats(self) -> set[int]:
        """The spans that repeat their parents."""
        return {
            place for place in self.duplicates if self.repeated(place) == self.parents[place] >= 0
        }

    def _waits(self) -> dict[int, list[Interval]]:
        """Return the waits of the spans that waited, and of those that repeat them."""
        found: defaultdict[int, list[Interval]] = defaultdict(list)
        for place in self.waiting:
            waited = self.columns.waited[place]
            found[place] += waited
            if place in self._repeats:
                found[self.parents[place]] += waited
        return dict(found)

    def _within(self, place: int, intervals: Iterable[Interval]) -> Iterable[Interval]:
        """Return the parts of `intervals` inside a span; all of each, if it has not ended."""
        start_ns, duration_ns = self.columns.start_ns[place], self.columns.duration_ns[place]
        if duration_ns is None:
            return intervals
        return within(intervals, start_ns, start_ns + duration_ns)
