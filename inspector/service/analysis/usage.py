"""Tokens and cost without double counting: only the usage of leaves counts. Pure.

An agent often repeats the sum of its model calls. The usage of a span counts when no span below it
reports any. A duplicate never counts; but where the span that it repeats reports no usage, that of
the duplicate counts for it.
"""

from __future__ import annotations

from dataclasses import dataclass

from inspector.service.analysis.span_tree import SpanTree
from inspector.service.model.rows import SpanRow

_NANODOLLARS = 1_000_000_000


@dataclass(slots=True)
class Used:
    """A sum of tokens and cost, in whole numbers, so that the order of addition has no effect."""

    input_tokens: int = 0
    output_tokens: int = 0
    cost_nanodollars: int = 0

    def add(self, other: Used | None) -> None:
        """Add another sum."""
        if other is not None:
            self.input_tokens += other.input_tokens
            self.output_tokens += other.output_tokens
            self.cost_nanodollars += other.cost_nanodollars

    @property
    def cost_usd(self) -> float:
        """The cost."""
        return self.cost_nanodollars / _NANODOLLARS


def counted(tree: SpanTree) -> list[Used | None]:
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


def below(tree: SpanTree, used: list[Used | None]) -> list[Used]:
    """Return the usage of each span and its descendants, by its place."""
    sums = [Used() for _ in used]
    order = [place for root in tree.roots for place in tree.below(root)]
    for place in reversed(order):  # each after what is below it
        sums[place].add(used[place])
        parent = tree.parents[place]
        if parent is not None:
            sums[parent].add(sums[place])
    return sums


def _reported(row: SpanRow) -> Used | None:
    if row.input_tokens is None and row.output_tokens is None and row.cost_usd is None:
        return None
    cost = round((row.cost_usd or 0.0) * _NANODOLLARS)
    return Used(row.input_tokens or 0, row.output_tokens or 0, cost)
