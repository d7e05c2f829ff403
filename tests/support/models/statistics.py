"""The model of statistics: sums by plain walks over the tree, which the service's are held to."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from inspector.service.analysis.causes import is_failed
from inspector.service.analysis.span_table import NamedSpan
from inspector.service.analysis.span_tree import SpanTree, within
from inspector.service.analysis.statistics import (
    RollUp,
    Share,
    Times,
    median,
    percentile,
)
from inspector.service.analysis.usage import Used
from inspector.service.model.rows import SpanKind, SpanRow
from inspector.service.model.waits import Interval, length_ns, merged
from inspector.service.normalise.kinds import MODEL_KINDS, calls_tool


@dataclass(slots=True)
class _Group:
    """Spans of one name, and the usage that counts for it."""

    places: list[int] = field(default_factory=list)
    outermost: list[int] = field(default_factory=list)
    """Spans below no other of their name."""
    used: Used = field(default_factory=Used)
    model_calls: int = 0
    tool_calls: int = 0

    def add(self, row: SpanRow, used: Used | None) -> None:
        _add(self.used, used)
        if row.duplicate_of is None:
            self.model_calls += row.kind in MODEL_KINDS
            self.tool_calls += calls_tool(row.kind, row.name)


@dataclass(frozen=True)
class PlainStatistics:
    """Sums over all spans of a session; duplicates are left out, but their usage counts."""

    tree: SpanTree

    @cached_property
    def shares(self) -> list[Share]:
        """Sums by kind and name, the largest self time first."""
        groups: dict[tuple[str, str], list[int]] = defaultdict(list)
        for place, row in self._rows():
            groups[row.kind, row.name].append(place)
        found = [self._share(places) for places in groups.values()]
        return sorted(found, key=lambda share: (-share.own_ns, share.kind, share.name))

    @cached_property
    def models(self) -> list[RollUp]:
        """Sums by model, the highest cost first."""
        groups: dict[str, list[int]] = defaultdict(list)
        for place, row in self._rows():
            if row.kind in MODEL_KINDS or self._used[place] is not None:
                groups[row.model or ""].append(place)
        return self._sorted(
            RollUp(
                **self._counts(name, places),
                times=self._times(places),
                used=(used := _sum(self._used[place] for place in places)),
                used_in_all=used,
                model_calls=sum(self.tree.rows[place].kind in MODEL_KINDS for place in places),
                tool_calls=0,
            )
            for name, places in groups.items()
        )

    @cached_property
    def tools(self) -> list[RollUp]:
        """Sums by tool, the descendants of its calls included, the highest cost first."""
        return self._nested(SpanKind.TOOL)

    @cached_property
    def agents(self) -> list[RollUp]:
        """Sums by agent, with and without sub-agents, the highest total cost first."""
        return self._nested(SpanKind.AGENT)

    @cached_property
    def _used(self) -> list[Used | None]:
        return _counted(self.tree)

    @cached_property
    def _below(self) -> list[Used]:
        return _used_below(self.tree, self._used)

    @cached_property
    def _waited(self) -> Mapping[int, int]:
        return _waited(self.tree)

    def _rows(self) -> Iterator[tuple[int, SpanRow]]:
        return ((n, row) for n, row in enumerate(self.tree.rows) if row.duplicate_of is None)

    def _share(self, places: list[int]) -> Share:
        first = self.tree.rows[places[0]]
        return Share(
            **self._counts(first.name, places),
            kind=first.kind,
            own_ns=sum(self.tree.own_ns(place) or 0 for place in places),
            times=self._times(places),
            used=_sum(self._used[place] for place in places),
        )

    def _times(self, places: list[int]) -> Times:
        took = {
            place: duration_ns - self._waited.get(place, 0)
            for place in places
            if (duration_ns := self.tree.rows[place].duration_ns) is not None
        }
        longest = max(places, key=lambda place: took.get(place, 0))
        row = self.tree.rows[longest]
        ordered = sorted(took.values())
        return Times(
            total_ns=sum(ordered),
            mean_ns=sum(ordered) // len(ordered) if ordered else None,
            median_ns=median(ordered),
            p95_ns=percentile(ordered, 95),
            longest=NamedSpan(row.trace_id, row.span_id, row.name),
            longest_ns=took.get(longest),
        )

    def _counts(self, name: str, places: list[int]) -> dict[str, Any]:
        rows = [self.tree.rows[place] for place in places]
        return {
            "name": name,
            "count": len(rows),
            "failed": sum(map(is_failed, rows)),
            "running": sum(row.duration_ns is None for row in rows),
            "wait_ns": sum(row.wait_ns for row in rows),
        }

    def _nested(self, kind: SpanKind) -> list[RollUp]:
        groups = self._groups(kind)
        return self._sorted(
            RollUp(
                **self._counts(name, group.places),
                times=self._times(group.places),
                used=group.used,
                used_in_all=_sum(self._below[place] for place in group.outermost),
                model_calls=group.model_calls,
                tool_calls=group.tool_calls,
            )
            for name, group in groups.items()
        )

    def _groups(self, kind: SpanKind) -> dict[str, _Group]:
        """Walk down once; each span counts for the nearest span of the kind above it."""
        groups: dict[str, _Group] = defaultdict(_Group)
        inside: Counter[str] = Counter()
        # Places, with the name of the nearest above; None: the end of the spans below a name.
        walk: list[tuple[int | None, str | None]] = [(one, None) for one in self.tree.roots[::-1]]
        while walk:
            place, name = walk.pop()
            if place is None:
                inside[name or ""] -= 1
                continue
            row = self.tree.rows[place]
            if row.kind is kind and row.duplicate_of is None:
                name = row.subject or row.name
                groups[name].places.append(place)
                if not inside[name]:
                    groups[name].outermost.append(place)
                inside[name] += 1
                walk.append((None, name))
            if name is not None:
                groups[name].add(row, self._used[place])
            walk += [(child, name) for child in reversed(self.tree.children[place])]
        for group in groups.values():
            group.places.sort()
        return groups

    @staticmethod
    def _sorted(found: Iterator[RollUp]) -> list[RollUp]:
        return sorted(
            found,
            key=lambda one: (
                -one.used_in_all.cost_nanodollars,
                -one.used_in_all.input_tokens - one.used_in_all.output_tokens,
                -one.times.total_ns,
                one.name,
            ),
        )


def _sum(used: Iterable[Used | None]) -> Used:
    found = Used()
    for one in used:
        _add(found, one)
    return found


def _add(sums: Used, other: Used | None) -> None:
    if other is not None:
        sums.input_tokens += other.input_tokens
        sums.output_tokens += other.output_tokens
        sums.cost_nanodollars += other.cost_nanodollars


def _counted(tree: SpanTree) -> list[Used | None]:
    """Return the usage of each span that counts, by its place; None for all others."""
    used = [None if row.duplicate_of else _reported(row) for row in tree.rows]
    places = {(row.trace_id, row.span_id): place for place, row in enumerate(tree.rows)}
    for row in tree.rows:
        shown = places.get((row.trace_id, row.duplicate_of or ""))
        if shown is not None and used[shown] is None and not tree.rows[shown].duplicate_of:
            used[shown] = _reported(row)
    is_above = bytearray(len(used))
    for place, one in enumerate(used):
        above = tree.parents[place] if one is not None else None
        while above is not None and not is_above[above]:
            is_above[above] = 1
            above = tree.parents[above]
    return [None if is_above[place] else one for place, one in enumerate(used)]


def _used_below(tree: SpanTree, used: list[Used | None]) -> list[Used]:
    """Return the usage of each span and its descendants, by its place."""
    sums = [Used() for _ in used]
    order = [place for root in tree.roots for place in tree.below(root)]
    for place in reversed(order):  # each after what is below it
        _add(sums[place], used[place])
        parent = tree.parents[place]
        if parent is not None:
            _add(sums[parent], sums[place])
    return sums


def _reported(row: SpanRow) -> Used | None:
    if row.input_tokens is None and row.output_tokens is None and row.cost_usd is None:
        return None
    cost = round((row.cost_usd or 0.0) * 1_000_000_000)
    return Used(row.input_tokens or 0, row.output_tokens or 0, cost)


def _waited(tree: SpanTree) -> dict[int, int]:
    """Return the time that each ended span, or a descendant, waited for a person."""
    found: defaultdict[int, list[Interval]] = defaultdict(list)
    for place, row in enumerate(tree.rows):
        waits = _waits(row)
        for wait in waits if row.duration_ns is None else _within(waits, row):
            found[place].append(wait)
            for above in tree.above(place):
                found[above].append(wait)
    return {
        place: length_ns(merged(_within(waits, tree.rows[place])))
        for place, waits in found.items()
        if tree.rows[place].duration_ns is not None
    }


def _waits(row: SpanRow) -> list[Interval]:
    """Return the waits of a span; one of unknown start as if it had been at the beginning."""
    waits = [
        (offset_ns, None if duration_ns is None else offset_ns + duration_ns)
        for offset_ns, duration_ns in row.waited
    ]
    return waits or ([(row.offset_ns, row.offset_ns + row.wait_ns)] if row.wait_ns else [])


def _within(waits: Iterable[Interval], row: SpanRow) -> Iterator[Interval]:
    return within(waits, row.offset_ns, row.offset_ns + (row.duration_ns or 0))
