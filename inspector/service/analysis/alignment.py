"""One tree of the steps of several runs, each step with its span in every run that has it. Pure.

The tree is that of the first run. What only others have is added where they did it: below the same
parent, after the step that precedes it there. Spans of two others are one step if they have one
kind and name below one parent; several of one run are so in their order.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from inspector.service.analysis.span_tree import SpanTree
from inspector.service.model.rows import SpanKind, SpanRow


@dataclass(frozen=True, slots=True)
class AlignedRows:
    """Steps in depth-first order: a row is an index into each list.

    Attributes:
        cells: The place of the step in the tree of each run; None where a run lacks it.
        depths: Number of steps above.
        sizes: Number of rows from the step to the last below it.
    """

    cells: list[tuple[int | None, ...]] = field(default_factory=list)
    depths: list[int] = field(default_factory=list)
    sizes: list[int] = field(default_factory=list)

    def leading_to(
        self, marked: Sequence[int], start: int, *, with_alone: bool = False
    ) -> Iterator[int]:
        """Yield the marked rows and those above them, from `start`; `marked` is sorted.

        Args:
            marked: Rows, in order.
            start: The first row.
            with_alone: Also a row that is alone between them: to leave it out saves no room.
        """
        row = start
        left_out = (-1, -1)  # depth and end of the last subtree that is not listed
        while row < len(self.cells):
            if self._leads(row, marked):
                yield row
                row += 1
                continue
            depth, end = self.depths[row], row + self.sizes[row]
            if with_alone and left_out != (depth, row) and self._is_alone(row, marked):
                yield row
            else:
                left_out = depth, end
            row = end

    def _leads(self, row: int, marked: Sequence[int]) -> bool:
        return count_between(marked, row, row + self.sizes[row]) > 0

    def _is_alone(self, row: int, marked: Sequence[int]) -> bool:
        """Return whether an unmarked row, whose sibling before it is listed, is all of its gap."""
        depth, after = self.depths[row], row + 1
        if self.sizes[row] > 1:
            return False
        if after < len(self.cells) and self.depths[after] == depth:
            return self._leads(after, marked)
        return row > 0 and self.depths[row - 1] >= depth


def count_between(marked: Sequence[int], start: int, stop: int) -> int:
    """Return the number of sorted `marked` rows in a range."""
    return bisect_left(marked, stop) - bisect_left(marked, start)


def likeness(row: SpanRow) -> tuple[str, str]:
    """Return the kind and name of a span, without the model: with another it is the same call."""
    name = row.name.replace(row.model, "") if row.kind is SpanKind.LLM and row.model else row.name
    return row.kind.value, name


def align(trees: Sequence[SpanTree], partners: Sequence[Sequence[int | None]]) -> AlignedRows:
    """Return the steps of all runs, in time that grows with the number of spans.

    Args:
        trees: The spans of each run.
        partners: For each run but the first, by place in it: the place in the first run of the
            same step. A span whose parent has no partner has none either.
    """
    first, *others = trees
    siblings = _Siblings()
    cells: list[list[int | None]] = [
        [place] + [None] * len(others) for place in range(len(first.rows))
    ]
    siblings.append(None, first.roots)
    for place, children in enumerate(first.children):
        siblings.append(place, children)
    extras: dict[tuple[int | None, tuple[str, str]], list[int]] = defaultdict(list)
    for run, (tree, partner) in enumerate(zip(others, partners, strict=True), 1):
        passed: Counter[tuple[int | None, tuple[str, str]]] = Counter()
        waiting: list[tuple[int | None, Sequence[int]]] = [(None, tree.roots)]
        while waiting:
            parent, places = waiting.pop()
            before: int | None = None
            for place in places:
                node = partner[place]
                if node is None:
                    alike = parent, likeness(tree.rows[place])
                    if passed[alike] == len(extras[alike]):
                        extras[alike].append(len(cells))
                        siblings.insert(parent, before, len(cells))
                        cells.append([None] * len(trees))
                    node = extras[alike][passed[alike]]
                    passed[alike] += 1
                cells[node][run] = place
                before = node
                waiting.append((node, tree.children[place]))
    return _depth_first(cells, siblings)


class _Siblings:
    """Children of each node as a chain, into which one is inserted in constant time."""

    def __init__(self) -> None:
        self.first: dict[int | None, int] = {}
        self.after: dict[int, int] = {}

    def append(self, parent: int | None, nodes: Sequence[int]) -> None:
        if nodes:
            self.first[parent] = nodes[0]
        self.after.update(pairwise(nodes))

    def insert(self, parent: int | None, before: int | None, node: int) -> None:
        following = self.first.get(parent) if before is None else self.after.get(before)
        if following is not None:
            self.after[node] = following
        if before is None:
            self.first[parent] = node
        else:
            self.after[before] = node


def _depth_first(cells: Sequence[Sequence[int | None]], siblings: _Siblings) -> AlignedRows:
    rows = AlignedRows()
    above: list[int] = []  # rows whose last descendant is not reached
    waiting = [(siblings.first.get(None), 0)]
    while waiting:
        node, depth = waiting.pop()
        if node is None:
            continue
        _end(rows, above, depth)
        above.append(len(rows.cells))
        rows.cells.append(tuple(cells[node]))
        rows.depths.append(depth)
        rows.sizes.append(1)
        waiting.append((siblings.after.get(node), depth))
        waiting.append((siblings.first.get(node), depth + 1))
    _end(rows, above, 0)
    return rows


def _end(rows: AlignedRows, above: list[int], depth: int) -> None:
    """Set the sizes of the rows that end before a row at `depth`."""
    while len(above) > depth:
        row = above.pop()
        rows.sizes[row] = len(rows.cells) - row
