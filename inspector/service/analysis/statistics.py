"""Time, tokens and cost of a session, in sums. Pure.

By kind and name of spans, by model, by tool and by agent. The page makes the same of single spans
(`web/src/model/statistics/`); `tests/golden/statistics.json` holds both to the same numbers.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from inspector.service.analysis.span_table import SpanTable
from inspector.service.analysis.usage import Use, Used, UsedBelow, counted, total
from inspector.service.model.rows import SpanKind, SpanStatus
from inspector.service.normalise.kinds import calls_tool
from inspector.service.storage.base import SpanFacts

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
    longest: SpanFacts
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


class Statistics:
    """Sums over all spans of a session; duplicates are left out, but their usage counts."""

    def __init__(self, table: SpanTable) -> None:
        self._table = table
        self._of = table.columns
        self._used = counted(table)
        self._took_ns = table.took_ns()
        self._groups: dict[tuple[str, str], list[int]] = defaultdict(list)
        """Places by kind and name, without duplicates."""
        both = zip(self._of.kind, self._of.name, strict=True)
        for place, (operation, duplicate_of) in enumerate(
            zip(both, self._of.duplicate_of, strict=True)
        ):
            if duplicate_of is None:
                self._groups[operation].append(place)

    @cached_property
    def shares(self) -> list[Share]:
        """Sums by kind and name, the largest self time first."""
        own_ns = self._table.own_ns()
        found = [
            Share(
                **self._counts(name, places),
                kind=kind,
                own_ns=sum(map(own_ns.__getitem__, places)),
                times=self._times(places),
                used=total(map(self._used.get, places)),
            )
            for (kind, name), places in self._groups.items()
        ]
        return sorted(found, key=lambda share: (-share.own_ns, share.kind, share.name))

    @cached_property
    def models(self) -> list[RollUp]:
        """Sums by model, the highest cost first."""
        wanted: list[int] = []
        for (kind, _), places in self._groups.items():
            is_model = kind in MODEL_KINDS
            wanted += places if is_model else (place for place in places if place in self._used)
        groups: dict[str, list[int]] = defaultdict(list)
        for place in sorted(wanted):
            groups[self._of.model[place] or ""].append(place)
        return self._sorted(
            RollUp(
                **self._counts(name, places),
                times=self._times(places),
                used=(used := total(map(self._used.get, places))),
                used_in_all=used,
                model_calls=sum(self._of.kind[place] in MODEL_KINDS for place in places),
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
    def _used_below(self) -> UsedBelow:
        return UsedBelow(self._table, self._used)

    def _nested(self, wanted: SpanKind) -> list[RollUp]:
        """Each span counts for the nearest span of the kind at or above it."""
        names = self._names(wanted)
        owners = self._nearest(names)
        groups: dict[str, list[int]] = defaultdict(list)
        for place in sorted(names):
            groups[names[place]].append(place)
        outermost = self._outermost(names)
        used: dict[str | None, list[Use]] = defaultdict(list)
        for place, one in self._used.items():
            used[owners[place]].append(one)
        model_calls, tool_calls = Counter[str | None](), Counter[str | None]()
        for (kind, name), places in self._groups.items():
            if kind in MODEL_KINDS:
                model_calls.update(map(owners.__getitem__, places))
            if calls_tool(SpanKind(kind), name):
                tool_calls.update(map(owners.__getitem__, places))
        return self._sorted(
            RollUp(
                **self._counts(name, places),
                times=self._times(places),
                used=total(used[name]),
                used_in_all=total(map(self._used_below, outermost[name])),
                model_calls=model_calls[name],
                tool_calls=tool_calls[name],
            )
            for name, places in groups.items()
        )

    def _names(self, wanted: SpanKind) -> dict[int, str]:
        """Return the subjects of the spans of a kind, by place."""
        subjects = self._of.subject
        return {
            place: subjects[place] or name
            for (kind, name), places in self._groups.items()
            if kind == wanted
            for place in places
        }

    def _nearest(self, names: Mapping[int, str]) -> list[str | None]:
        """Return the name at or above each span, the nearest one."""
        found: list[str | None] = [None] * len(self._table.spans)
        parents = self._table.parents
        for place in self._table.walk:
            if place in names:
                found[place] = names[place]
            elif (parent := parents[place]) is not None:
                found[place] = found[parent]
        return found

    def _outermost(self, names: Mapping[int, str]) -> dict[str, list[int]]:
        """Return the named spans that are below no other of their name."""
        found: dict[str, list[int]] = defaultdict(list)
        inside = Counter[str]()
        open_until: list[tuple[int, str]] = []
        ranges = self._table.ranges
        for place in filter(names.__contains__, self._table.walk):
            begin, end = ranges[place]
            while open_until and open_until[-1][0] <= begin:
                inside[open_until.pop()[1]] -= 1
            name = names[place]
            if not inside[name]:
                found[name].append(place)
            if end > begin + 1:
                inside[name] += 1
                open_until.append((end, name))
        return found

    def _times(self, places: Sequence[int]) -> Times:
        took = list(map(self._took_ns.__getitem__, places))
        ordered = sorted(took_ns for took_ns in took if took_ns is not None)
        # One that took no time is as long as one that runs: the first of both.
        longest = took.index(ordered[-1]) if ordered and ordered[-1] else 0
        return Times(
            total_ns=sum(ordered),
            mean_ns=sum(ordered) // len(ordered) if ordered else None,
            median_ns=median(ordered),
            p95_ns=percentile(ordered, 95),
            longest=self._table.spans[places[longest]],
            longest_ns=took[longest],
        )

    def _counts(self, name: str, places: Sequence[int]) -> dict[str, Any]:
        return {
            "name": name,
            "count": len(places),
            "failed": [*map(self._of.status.__getitem__, places)].count(SpanStatus.ERROR),
            "running": [*map(self._of.duration_ns.__getitem__, places)].count(None),
            "wait_ns": sum(map(self._of.wait_ns.__getitem__, places)),
        }

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
