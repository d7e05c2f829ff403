"""Tokens and cost without double counting: only the usage of leaves counts. Pure.

An agent often repeats the sum of its LLM calls. The usage of a span counts when no span below it
reports any. A duplicate never counts; but where the span that it repeats reports no usage, that of
the duplicate counts for it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from operator import itemgetter
from typing import TypeAlias

from inspector.service.analysis.span_table import SpanTable

Use: TypeAlias = tuple[int, int, int]
"""Input tokens, output tokens and cost in nanodollars."""
_NANODOLLARS = 1_000_000_000


@dataclass(slots=True)
class Used:
    """A sum of tokens and cost, in whole numbers, so that the order of addition has no effect."""

    input_tokens: int = 0
    output_tokens: int = 0
    cost_nanodollars: int = 0

    def add(self, other: Used) -> None:
        """Add another."""
        self.input_tokens += other.input_tokens
        self.output_tokens += other.output_tokens
        self.cost_nanodollars += other.cost_nanodollars

    @property
    def cost_usd(self) -> float:
        """The cost."""
        return self.cost_nanodollars / _NANODOLLARS


def counted(table: SpanTable) -> dict[int, Use]:
    """Return the usage of the spans whose usage counts, by place."""
    of, parents = table.columns, table.parents
    used = {
        place: (input_tokens or 0, output_tokens or 0, round((cost_usd or 0.0) * _NANODOLLARS))
        for place, (input_tokens, output_tokens, cost_usd) in enumerate(
            zip(of.input_tokens, of.output_tokens, of.cost_usd, strict=True)
        )
        if not (input_tokens is None and output_tokens is None and cost_usd is None)
    }
    repeated = {place: used.pop(place) for place in table.duplicates if place in used}
    for place, one in repeated.items():
        shown = table.repeated(place)
        if shown >= 0 and of.duplicate_of[shown] is None:
            used.setdefault(shown, one)
    above_any: set[int] = set()
    for place in used:
        above = parents[place]
        while above >= 0 and above not in above_any:
            above_any.add(above)
            above = parents[above]
    for place in above_any:
        used.pop(place, None)
    return used


def total(uses: Iterable[Use]) -> Used:
    """Return the sum."""
    known = list(uses)
    return Used(*(sum(map(itemgetter(at), known)) for at in range(3)))


def used_in_all(
    names: Mapping[int, str], above: Callable[[int], int], used: Mapping[int, Used]
) -> dict[str, Used]:
    """Return the usage at or below spans of each name; once for those below others of their name.

    Args:
        names: The names of spans, by place.
        above: Returns the named span above one; -1: there is none.
        used: The usage at or below some, and below no other named one in between.
    """
    below: defaultdict[int, list[int]] = defaultdict(list)
    seen = {-1}
    for place in used:
        one = place
        while one not in seen:
            seen.add(one)
            below[above(one)].append(one)
            one = above(one)
    found, sums = defaultdict[str, Used](Used), defaultdict[int, Used](Used)
    outermost: dict[str, int] = {}
    waiting = below[-1]
    while waiting:
        place = waiting.pop()
        if place >= 0:
            outermost.setdefault(names[place], place)
            waiting += (~place, *below[place])
            continue
        place = ~place  # all below it is done
        if place in used:
            sums[place].add(used[place])
        sums[above(place)].add(sums[place])
        if outermost[names[place]] == place:
            del outermost[names[place]]
            found[names[place]].add(sums[place])
    return found
