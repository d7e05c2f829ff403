"""Several runs of one task, step by step: what each of them did unlike the first. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from inspector.service.analysis.alignment import AlignedRows, align
from inspector.service.analysis.compare import Comparison, ReadContent, compare
from inspector.service.analysis.span_tree import SpanTree
from inspector.service.model.rows import SpanRow
from inspector.service.wire.comparison import Change


@dataclass(frozen=True, slots=True)
class ComparedRuns:
    """The steps of all runs.

    Attributes:
        trees: The spans of each run.
        rows: The steps, with their places in each tree.
        changes: For each run, by row: how its span differs from that of the first run.
        differing: The rows in which any run differs, in order; of steps that some lack, the top.
        first_difference: The row that differs first in time, in more than speed or costs.
    """

    trees: list[SpanTree]
    rows: AlignedRows
    changes: list[Mapping[int, tuple[Change, ...]]]
    differing: list[int]
    first_difference: int | None


def compare_runs(runs: Sequence[Sequence[SpanRow]], read: ReadContent) -> ComparedRuns:
    """Compare each run with the first.

    Args:
        runs: All spans of each run.
        read: Reads a span.
    """
    first, *others = runs
    found = [compare(first, one, read) for one in others]
    trees = [SpanTree.of(first), *(one.right for one in found)]
    rows = align(trees, [_partners(one) for one in found])
    row_of = [
        {place: row for row, cell in enumerate(rows.cells) if (place := cell[run]) is not None}
        for run in range(len(trees))
    ]
    changes: list[Mapping[int, tuple[Change, ...]]] = [{}]
    diverged: list[tuple[int, int]] = []
    for run, comparison in enumerate(found, 1):
        by_row: dict[int, tuple[Change, ...]] = {}
        for one in comparison.differences:
            row = row_of[run if one.left is None else 0][one.place]
            by_row[row] = one.changes
            if one is comparison.diverged:
                diverged.append((one.offset_ns, row))
        changes.append(by_row)
    marked = set().union(*changes)
    return ComparedRuns(
        trees, rows, changes, sorted(marked), min(diverged)[1] if diverged else None
    )


def _partners(found: Comparison) -> list[int | None]:
    """Return the place in the left session for each in the right one."""
    partners: list[int | None] = [None] * len(found.right.rows)
    for one, other in found.rows.cells:
        if other is not None:
            partners[other] = one
    return partners
