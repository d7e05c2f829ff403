"""Tokens and cost without double counting: only the usage of leaves counts. Pure.

An agent often repeats the sum of its model calls. The usage of a span counts when no span below it
reports any. A duplicate never counts; but where the span that it repeats reports no usage, that of
the duplicate counts for it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import accumulate
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

    @property
    def cost_usd(self) -> float:
        """The cost."""
        return self.cost_nanodollars / _NANODOLLARS


def counted(table: SpanTable) -> dict[int, Use]:
    """Return the usage of the spans whose usage counts, by place."""
    of = table.columns
    reported = {
        place: (input_tokens or 0, output_tokens or 0, round((cost_usd or 0.0) * _NANODOLLARS))
        for place, (input_tokens, output_tokens, cost_usd) in enumerate(
            zip(of.input_tokens, of.output_tokens, of.cost_usd, strict=True)
        )
        if not (input_tokens is None and output_tokens is None and cost_usd is None)
    }
    used = {place: one for place, one in reported.items() if not of.duplicate_of[place]}
    for place, one in reported.items():
        repeated = of.duplicate_of[place]
        shown = table.places.get(of.trace_id[place] + repeated) if repeated else None
        if shown is not None and shown not in used and not of.duplicate_of[shown]:
            used[shown] = one
    above_any: set[int] = set()
    for place in used:
        above = table.parents[place]
        while above is not None and above not in above_any:
            above_any.add(above)
            above = table.parents[above]
    return {place: one for place, one in used.items() if place not in above_any}


def total(uses: Iterable[Use | None]) -> Used:
    """Return the sum of what is known."""
    known = [one for one in uses if one is not None]
    return Used(*(sum(map(itemgetter(at), known)) for at in range(3)))


class UsedBelow:
    """What was used at or below a span."""

    def __init__(self, table: SpanTable, used: Mapping[int, Use]) -> None:
        self._table, self._used = table, used
        of_none = (0, 0, 0)
        walked = [used.get(place, of_none) for place in table.walk]
        # Sums up to a place of the walk: what is below a span is the difference of two of them.
        self._sums = [[0, *accumulate(map(itemgetter(at), walked))] for at in range(3)]

    def __call__(self, place: int) -> Use | None:
        """Return the sum at and below a span."""
        if place not in self._table.children:
            return self._used.get(place)
        begin, end = self._table.ranges[place]
        input_tokens, output_tokens, cost = (sums[end] - sums[begin] for sums in self._sums)
        return input_tokens, output_tokens, cost
