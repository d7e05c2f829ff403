"""Time, tokens and cost of a session, in sums. Pure.

By kind and name of spans, by model, by tool and by agent. The page makes the same of single spans
(`web/src/model/statistics/`); `tests/golden/statistics.json` holds both to the same numbers.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from inspector.service.analysis.span_table import NamedSpan, SpanTable
from inspector.service.analysis.usage import Use, Used, counted, total, used_in_all
from inspector.service.model.rows import SpanKind
from inspector.service.normalise.kinds import MODEL_KINDS, calls_tool, counts_one_model_call


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
    longest: NamedSpan
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
        name: Empty for LLM calls that name no model.
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
        self._failed = {place for place, is_error in enumerate(self._of.is_error) if is_error}

    def shares(self, most: int) -> list[Share]:
        """Return sums by kind and name, the largest self time first."""
        groups, own_ns = self._table.operations, self._table.own_ns()
        sums_ns = {one: sum(map(own_ns.__getitem__, groups[one])) for one in groups}
        first = sorted(groups, key=lambda one: (-sums_ns[one], one))[:most]
        return [
            Share(
                **self._sums(name, groups[kind, name]),
                kind=kind,
                own_ns=sums_ns[kind, name],
                used=total(self._uses(groups[kind, name])),
            )
            for kind, name in first
        ]

    def models(self, most: int) -> list[RollUp]:
        """Return sums by model, the highest cost first."""
        models = self._of.model
        groups: defaultdict[str, list[int]] = defaultdict(list)
        other_count = Counter[str]()
        for (kind, _), places in self._table.operations.items():
            if kind in MODEL_KINDS:
                for place in places:
                    groups[models[place] or ""].append(place)
                continue
            for place in filter(self._used.__contains__, places):
                groups[models[place] or ""].append(place)
                other_count[models[place] or ""] += 1
        model_calls = {name: len(places) - other_count[name] for name, places in groups.items()}
        used = {name: total(self._uses(places)) for name, places in groups.items()}
        return self._roll_ups(groups, used, used, model_calls, Counter(), most)

    def unpriced_models(self) -> list[str]:
        """Return the models of ended calls that count, with all tokens and no cost, by name."""
        of = self._of
        return sorted(
            {
                of.model[place] or ""
                for place in self._used
                if of.cost_usd[place] is None
                and of.duration_ns[place] is not None
                and of.input_tokens[place] is not None
                and (of.output_tokens[place] is not None or of.kind[place] == SpanKind.EMBEDDING)
                and counts_one_model_call(of.kind[place], of.model[place])
            }
        )

    def tools(self, most: int) -> list[RollUp]:
        """Return sums by tool, the descendants of its calls included, the highest cost first."""
        return self._nested(SpanKind.TOOL, most)

    def agents(self, most: int) -> list[RollUp]:
        """Return sums by agent, with and without sub-agents, the highest total cost first."""
        return self._nested(SpanKind.AGENT, most)

    def _nested(self, wanted: SpanKind, most: int) -> list[RollUp]:
        """Each span counts for the nearest span of the kind at or above it."""
        operations, parents = self._table.operations, self._table.parents
        names = self._names(wanted)
        groups: defaultdict[str, list[int]] = defaultdict(list)
        for place, name in names.items():
            groups[name].append(place)
        nearest = self._nearest(names)
        uses: defaultdict[int, list[Use]] = defaultdict(list)
        for place, one in self._used.items():
            uses[nearest[place]].append(one)
        used_by = {owner: total(some) for owner, some in uses.items() if owner >= 0}
        used = defaultdict[str, Used](Used)
        for owner, sums in used_by.items():
            used[names[owner]].add(sums)
        model_calls, tool_calls = Counter[int](), Counter[int]()
        for (kind, name), places in operations.items():
            if kind in MODEL_KINDS:
                model_calls.update(map(nearest.__getitem__, places))
            if calls_tool(SpanKind(kind), name):
                tool_calls.update(map(nearest.__getitem__, places))
        return self._roll_ups(
            groups,
            used,
            used_in_all(names, lambda place: nearest[parents[place]], used_by),
            _by_name(model_calls, names),
            _by_name(tool_calls, names),
            most,
        )

    def _names(self, wanted: SpanKind) -> dict[int, str]:
        """Return the subjects of the spans of a kind, by place."""
        subjects = self._of.subject
        return {
            place: subjects[place] or name
            for (kind, name), places in self._table.operations.items()
            if kind == wanted
            for place in places
        }

    def _nearest(self, names: Iterable[int]) -> list[int]:
        """Return the nearest named span at or above each; -1: there is none."""
        parents = self._table.parents
        found = [-1] * (len(parents) + 1)  # the last is that of -1
        for place in names:
            found[place] = place
        for place in self._table.walk:
            if found[place] < 0:
                found[place] = found[parents[place]]
        return found

    def _uses(self, places: Iterable[int]) -> Iterator[Use]:
        return map(self._used.__getitem__, filter(self._used.__contains__, places))

    def _roll_ups(
        self,
        groups: Mapping[str, Sequence[int]],
        used: Mapping[str, Used],
        in_all: Mapping[str, Used],
        model_calls: Mapping[str, int],
        tool_calls: Mapping[str, int],
        most: int,
    ) -> list[RollUp]:
        """Return the first `most` groups; only those are summed in full."""
        nothing = Used()

        def order(name: str) -> tuple[int, int, int, str]:
            used = in_all.get(name, nothing)
            took_ns = map(self._took_ns.__getitem__, groups[name])
            total_ns = sum(one_ns for one_ns in took_ns if one_ns > 0)
            return -used.cost_nanodollars, -used.input_tokens - used.output_tokens, -total_ns, name

        return [
            RollUp(
                **self._sums(name, groups[name]),
                used=used.get(name, nothing),
                used_in_all=in_all.get(name, nothing),
                model_calls=model_calls.get(name, 0),
                tool_calls=tool_calls.get(name, 0),
            )
            for name in sorted(groups, key=order)[:most]
        ]

    def _sums(self, name: str, places: Iterable[int]) -> dict[str, Any]:
        """Return what the sums of any spans have in common."""
        in_order = sorted(places)
        took_ns = list(map(self._took_ns.__getitem__, in_order))
        ended_ns = sorted(took_ns)
        running = bisect_left(ended_ns, 0)
        del ended_ns[:running]
        # One that took no time is as long as one that runs: the first of both.
        longest = took_ns.index(ended_ns[-1]) if ended_ns and ended_ns[-1] else 0
        times = Times(
            total_ns=sum(ended_ns),
            mean_ns=sum(ended_ns) // len(ended_ns) if ended_ns else None,
            median_ns=median(ended_ns),
            p95_ns=percentile(ended_ns, 95),
            longest=self._table.named(in_order[longest]),
            longest_ns=took_ns[longest] if took_ns[longest] >= 0 else None,
        )
        waiting = self._table.waiting.intersection(in_order)
        return {
            "name": name,
            "count": len(in_order),
            "failed": len(self._failed.intersection(in_order)),
            "running": running,
            "wait_ns": sum(map(self._of.wait_ns.__getitem__, waiting)),
            "times": times,
        }


def _by_name(counts: Mapping[int, int], names: Mapping[int, str]) -> Counter[str]:
    """Return the counts of named spans in sums by name."""
    found = Counter[str]()
    for place, count in counts.items():
        if place >= 0:
            found[names[place]] += count
    return found


def median(ordered: Sequence[int]) -> int | None:
    """Return the middle of sorted values, of two the mean; None if there are none."""
    middle, is_odd = divmod(len(ordered), 2)
    if not ordered:
        return None
    return ordered[middle] if is_odd else (ordered[middle - 1] + ordered[middle]) // 2


def percentile(ordered: Sequence[int], percent: int) -> int | None:
    """Return a percentile of sorted values by nearest rank; None without values."""
    return ordered[(percent * len(ordered) + 99) // 100 - 1] if ordered else None
