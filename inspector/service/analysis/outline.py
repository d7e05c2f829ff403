"""A session as an outline: the tree of its spans, with similar siblings shortened. Pure.

Where many siblings are alike, the first few and those that failed stand for all: a loop of a
thousand turns is a few lines. The others are in the outline of their parent.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple

from inspector.errors import RefusedError
from inspector.service.analysis.causes import with_failures
from inspector.service.analysis.span_tree import SpanTree
from inspector.service.model.rows import SpanRow

FEW_ALIKE = 6
"""Limit of similar siblings that are all shown."""
_FIRST_ALIKE = 3
_FAILED_ALIKE = 3
_ID_LENGTHS = (8, 12)


class OutlineRow(NamedTuple):
    """One line of the outline: a span, or a run of siblings that is left out."""

    depth: int
    span: int
    left_out: int = 0
    failed: int = 0


def lines_of(tree: SpanTree, under: int | None, *, every: bool) -> list[OutlineRow]:
    """Return the full outline; `under` is the index of the span to look inside.

    A span with only duplicates below it is one line, as on the page, unless `every` span is wanted,
    or it is the one to look inside.
    """
    tops = tree.roots if under is None else [under]
    lines: list[OutlineRow] = []
    has_failed = with_failures(tree)
    waiting = [(0, line) for line in reversed(_chosen(tree, tops, has_failed, every=every))]
    while waiting:
        depth, line = waiting.pop()
        lines.append(line._replace(depth=depth) if depth else line)
        is_open = every or line.span == under
        if not line.left_out and (is_open or not tree.is_folded(line.span)):
            inside = _chosen(tree, tree.children[line.span], has_failed, every=every)
            waiting += [(depth + 1, child) for child in reversed(inside)]
    return lines


def short_ids(rows: Sequence[SpanRow]) -> int:
    """Return the number of characters that make the span ids of a session unique."""
    for length in _ID_LENGTHS:
        if len({row.span_id[:length] for row in rows}) == len({row.span_id for row in rows}):
            return length
    return 16


def place_of(rows: Sequence[SpanRow], span_id: str) -> int:
    """Return the index of the span whose id has this prefix.

    Raises:
        RefusedError: No span has it, or several have.
    """
    found = [place for place, row in enumerate(rows) if row.span_id.startswith(span_id.lower())]
    if len(found) == 1:
        return found[0]
    exact = [place for place in found if rows[place].span_id == span_id.lower()]
    if exact:
        return exact[0]
    if found:
        raise RefusedError(f"Several spans match the id {span_id!r}: use a longer id.")
    raise RefusedError(f"Span not found: {span_id!r}.")


def _chosen(
    tree: SpanTree, siblings: Sequence[int], has_failed: bytearray, *, every: bool
) -> list[OutlineRow]:
    """Return the siblings that are shown, and one line for each run of hidden ones."""
    if every or len(siblings) <= FEW_ALIKE:
        return [OutlineRow(0, place) for place in siblings]
    likeness = [(tree.rows[place].kind, tree.rows[place].name) for place in siblings]
    many = {like for like, number in Counter(likeness).items() if number > FEW_ALIKE}
    shown, failed = Counter[Any](), Counter[Any]()
    lines: list[OutlineRow] = []
    for place, like in zip(siblings, likeness, strict=True):
        failure = has_failed[place]
        if like in many and shown[like] >= _FIRST_ALIKE:
            if not (failure and failed[like] < _FAILED_ALIKE):
                _leave_out(lines, place, failure)
                continue
            failed[like] += 1
        shown[like] += 1
        lines.append(OutlineRow(0, place))
    # A line that leaves out a single span is longer than that span.
    return [OutlineRow(0, one.span) if one.left_out == 1 else one for one in lines]


def _leave_out(lines: list[OutlineRow], place: int, failure: int) -> None:
    last = lines[-1]
    if last.left_out:
        lines[-1] = OutlineRow(0, last.span, last.left_out + 1, last.failed + failure)
    else:
        lines.append(OutlineRow(0, place, 1, failure))
