"""Comparisons of sessions, from analysis to the wire."""

from __future__ import annotations

from collections.abc import Sequence

from inspector.service import wire
from inspector.service.analysis.alignment import AlignedRows, count_between
from inspector.service.analysis.compare import Comparison, Difference
from inspector.service.analysis.runs import ComparedRuns
from inspector.service.analysis.span_tree import SpanTree
from inspector.service.present.rows import span_row
from inspector.service.wire.comparison import Change, ComparedSpan, Place


def difference(found: Comparison, one: Difference) -> wire.Difference:
    """Return a line of a comparison."""
    return wire.Difference(**dict(_compared(one)), path=found.path(one), span_count=one.span_count)


def aligned_step(found: Comparison, row: int, marked: Sequence[int]) -> wire.AlignedStep:
    """Return a row of two sessions; `marked`: the rows of the differences that are listed."""
    one, other = found.rows.cells[row]
    known = found.by_row.get(row)
    place = _place(found.rows, row, marked)
    follows = False
    if known is None:
        left = None if one is None else found.left.rows[one]
        right = None if other is None else found.right.rows[other]
        is_alone = (Change.ADDED,) if one is None else (Change.REMOVED,) if other is None else ()
        own_ns = (
            None if one is None else found.left.own_ns(one),
            None if other is None else found.right.own_ns(other),
        )
        known = Difference(is_alone, one or other or 0, left, right, own_ns=own_ns)
    elif (first := found.diverged) and found.first_row is not None:
        is_above = row < found.first_row < row + place.size
        follows = is_above or known.offset_ns > first.offset_ns
    return wire.AlignedStep(**dict(_compared(known)), **dict(place), follows=follows)


def run_step(found: ComparedRuns, row: int) -> wire.RunStep:
    """Return a row of several sessions."""
    places = found.rows.cells[row]
    unchanged = () if places[0] is not None else (Change.ADDED,)
    cells = [
        None if place is None else _cell(tree, place, changes.get(row, unchanged))
        for tree, place, changes in zip(found.trees, places, found.changes, strict=True)
    ]
    shown = next(
        tree.rows[place]
        for tree, place in zip(found.trees, places, strict=True)
        if place is not None
    )
    return wire.RunStep(
        **dict(_place(found.rows, row, found.differing)),
        name=shown.name,
        kind=shown.kind,
        cells=cells,
        differs=count_between(found.differing, row, row + 1) > 0,
    )


def _compared(one: Difference) -> ComparedSpan:
    return ComparedSpan(
        changes=list(one.changes),
        left=span_row(one.left) if one.left else None,
        right=span_row(one.right) if one.right else None,
        left_own_ns=one.own_ns[0],
        right_own_ns=one.own_ns[1],
        left_answer=one.answers[0] if one.answers else None,
        right_answer=one.answers[1] if one.answers else None,
    )


def _place(rows: AlignedRows, row: int, marked: Sequence[int]) -> Place:
    size = rows.sizes[row]
    below = count_between(marked, row + 1, row + size)
    return Place(row=row, depth=rows.depths[row], size=size, differing_below=below)


def _cell(tree: SpanTree, place: int, changes: Sequence[Change]) -> wire.RunCell:
    span = tree.rows[place]
    return wire.RunCell(
        trace_id=span.trace_id,
        span_id=span.span_id,
        status=span.status,
        duration_ns=span.duration_ns,
        own_ns=tree.own_ns(place),
        changes=list(changes),
    )
