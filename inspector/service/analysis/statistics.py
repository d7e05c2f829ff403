"""Time, tokens and cost of a session, in sums. Pure.

By kind and name of spans, by model, by tool and by agent. The page makes the same of single spans
(`web/src/model/statistics/`); `tests/golden/statistics.json` holds both to the same numbers.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from inspector.service.analysis.causes import is_failed
from inspector.service.analysis.span_tree import SpanTree
from inspector.service.analysis.usage import Used, below, counted
from inspector.service.model.rows import SpanKind, SpanRow
from inspector.service.normalise.kinds import calls_tool

MODEL_KINDS = (SpanKind.LLM, SpanKind.EMBEDDING)


@dataclass(frozen=True, slots=True)
class Times:
    """Durations of ended spans, less the waits in them and in their descendants.

    Attributes:
        total_ns: The sum, of spans that may overlap.
        mean_ns, median_ns, p95_ns: None when none ended.
        longest: The longest span, the first of several; if none ended, the first.
        longest_ns: Its duration; None when it has not ended.
    """

    total_ns: int
    mean_ns: int | None
    median_ns: int | None
    p95_ns: int | None
    longest: SpanRow
    longest_ns: int | None


@dataclass(frozen=True, slots=True)
class Share:
    """Spans of one kind and name.

    Attributes:
        own_ns: Self time without waiting; of those that ended.
        wait_ns: Time waiting for a person.
        used: Their own usage, where that counts.
    """

    kind: str
    name: str
    count: int
    failed: int
    running: int
    own_ns: int
    wait_ns: int
    times: Times
    used: Used


@dataclass(frozen=True, slots=True)
class RollUp:
    """Spans of one model, tool or agent.

    Attributes:
        name: Empty for model calls that name no model.
        used: Their usage: of an agent, of the spans below it and below no agent in between.
        used_in_all: With the spans below any agent or tool in between; once for spans that are
            below others of their name.
        model_calls, tool_calls: Of the spans that `used` is of.
    """

    name: str
    count: int
    failed: int
    running: int
    wait_ns: int
    times: Times
    used: Used
    used_in_all: Used
    model_calls: int
    tool_calls: int


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
        self.used.add(used)
        if row.duplicate_of is None:
            self.model_calls += row.kind in MODEL_KINDS
            self.tool_calls += calls_tool(row.kind, row.name)


@dataclass(frozen=True)
class Statistics:
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
        return counted(self.tree)

    @cached_property
    def _below(self) -> list[Used]:
        return below(self.tree, self._used)

    @cached_property
    def _waited(self) -> Mapping[int, int]:
        return self.tree.waited()

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
        ordered = sorted(took.values())
        return Times(
            total_ns=sum(ordered),
            mean_ns=sum(ordered) // len(ordered) if ordered else None,
            median_ns=median(ordered),
            p95_ns=percentile(ordered, 95),
            longest=self.tree.rows[longest],
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


def median(ordered: Sequence[int]) -> int | None:
    """Return the middle of sorted values, of two the mean; None if there are none."""
    middle, is_odd = divmod(len(ordered), 2)
    if not ordered:
        return None
    return ordered[middle] if is_odd else (ordered[middle - 1] + ordered[middle]) // 2


def percentile(ordered: Sequence[int], percent: int) -> int | None:
    """Return a percentile of sorted values by nearest rank; None without values."""
    return ordered[(percent * len(ordered) + 99) // 100 - 1] if ordered else None


def _sum(used: Iterable[Used | None]) -> Used:
    found = Used()
    for one in used:
        found.add(one)
    return found
