"""Differences between two sessions: added, removed, slower, costlier, other answer. Pure.

Two runs of an agent are never the same, and their spans have no ids in common. So they are paired
from the roots down: under a pair, children of one kind and name are paired; of several, first those
with the same input, in any order, and then the others by start. A span without a pair was added or
removed, with all that is below it.
"""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from inspector.service.analysis.alignment import AlignedRows, align, count_between, likeness
from inspector.service.analysis.span_tree import SpanTree
from inspector.service.model.rows import SpanKind, SpanRow, SpanStatus
from inspector.service.wire.comparison import Change

SLOWER_BY = 0.25
SLOWER_BY_NS = 50_000_000
DEARER_BY = 0.10
DEARER_BY_TOKENS = 50
"""A change counts above both its share and its amount."""
_EXCERPT_CHARS = 300
_BEFORE_CHARS = 40
_COMPARED_KINDS = frozenset(SpanKind) - {
    SpanKind.DATABASE,
    SpanKind.HTTP,
    SpanKind.MESSAGING,
    SpanKind.OTHER,
    SpanKind.STEP,
    SpanKind.WORKFLOW,
}


_RANK = {change: rank for rank, change in enumerate(Change)}
_DIVERGING = frozenset(Change) - {Change.SLOWER, Change.FASTER, Change.DEARER, Change.CHEAPER}
_OUTCOMES = frozenset({Change.FAILED, Change.RECOVERED, Change.OTHER_OUTPUT})
"""They show at the end of a span, and may follow from what is below it."""


@dataclass(frozen=True, slots=True)
class SpanContent:
    """The input and output of a span, as text without call ids."""

    input: str
    output: str


ReadContent: TypeAlias = Callable[[SpanRow], SpanContent | None]
"""Returns the content of a span; None: it has none, or was not read."""


@dataclass(frozen=True, slots=True)
class Difference:
    """A pair of spans that differ, or the top span of a subtree that only one session has.

    Attributes:
        changes: The most significant first.
        place: Index of the span in its session: the left one, unless it was added.
        left: The span in the first session; None if it was added.
        right: The span in the second one; None if it was removed.
        span_count: With all below it, if added or removed; 1 for a pair.
        own_ns: Self time without waiting: left, right.
        answers: The outputs from where they begin to differ: left, right.
    """

    changes: tuple[Change, ...]
    place: int
    left: SpanRow | None
    right: SpanRow | None
    span_count: int = 1
    own_ns: tuple[int | None, int | None] = (None, None)
    answers: tuple[str, str] | None = None

    @property
    def offset_ns(self) -> int:
        """Time from the beginning of its session."""
        row = self.left or self.right
        assert row
        return row.offset_ns

    def has_any(self, changes: frozenset[Change]) -> bool:
        """Return whether it has one of some changes."""
        return not changes.isdisjoint(self.changes)


@dataclass(slots=True)
class Comparison:
    """All differences, the most significant first."""

    left: SpanTree
    right: SpanTree
    differences: list[Difference] = field(default_factory=list)
    same_count: int = 0
    """Pairs without a difference."""
    rows: AlignedRows = field(default_factory=AlignedRows)
    """All steps: their places in `left` and `right`."""
    by_row: dict[int, Difference] = field(default_factory=dict)
    """The differences in the order of their rows."""
    first_row: int | None = None

    @property
    def diverged(self) -> Difference | None:
        """The first in time that is more than slower or dearer: later ones may follow from it."""
        return None if self.first_row is None else self.by_row[self.first_row]

    def counts(self) -> dict[Change, int]:
        """Return how often each change occurs."""
        return dict(Counter(one for found in self.differences for one in found.changes))

    def path(self, difference: Difference, most: int = 24) -> list[str]:
        """Return the names from the root to the span: the last `most` of them."""
        tree = self.right if difference.left is None else self.left
        names: list[str] = []
        place: int | None = difference.place
        while place is not None and len(names) < most:
            names.append(tree.rows[place].name)
            place = tree.parents[place]
        return names[::-1]


def compare(left: Sequence[SpanRow], right: Sequence[SpanRow], read: ReadContent) -> Comparison:
    """Return the differences, in time that grows with the number of spans and their sorting.

    Args:
        left: All spans of the first session.
        right: All spans of the second one.
        read: Reads a span; called for few that have no pair to choose.
    """
    sides = SpanTree.of(left), SpanTree.of(right)
    found = Comparison(*sides)
    partners: list[int | None] = [None] * len(right)
    for one, other in _pairs(*sides, read):
        if other is not None:
            partners[other] = one
        difference = _difference(sides, one, other, read)
        if difference is None:
            found.same_count += 1
        else:
            found.differences.append(difference)
    found.differences.sort(key=lambda one: (_RANK[one.changes[0]], -_weight(one), one.offset_ns))
    found.rows = align(sides, [partners])
    by_place: dict[tuple[bool, int | None], Difference] = {
        (one.left is None, one.place): one for one in found.differences
    }
    for row, (one, other) in enumerate(found.rows.cells):
        if difference := by_place.get((one is None, other if one is None else one)):
            found.by_row[row] = difference
    found.first_row = min(_causes(found), key=lambda row: found.by_row[row].offset_ns, default=None)
    return found


def _causes(found: Comparison) -> Iterator[int]:
    """Yield the rows that differ in more than speed or cost, unless they may follow from below."""
    rows = [row for row, one in found.by_row.items() if one.has_any(_DIVERGING)]
    for row in rows:
        is_outcome = not found.by_row[row].has_any(_DIVERGING - _OUTCOMES)
        if not (is_outcome and count_between(rows, row + 1, row + found.rows.sizes[row])):
            yield row


def _pairs(
    left: SpanTree, right: SpanTree, read: ReadContent
) -> Iterator[tuple[int | None, int | None]]:
    """Yield the pairs of spans; a span without a pair is paired with None."""
    waiting = [(left.roots, right.roots, True)]
    while waiting:
        some, others, are_roots = waiting.pop()
        for one, other in _matched(left, right, some, others, read, are_roots=are_roots):
            yield one, other
            if one is not None and other is not None:
                waiting.append((left.children[one], right.children[other], False))


def _matched(
    left: SpanTree,
    right: SpanTree,
    some: Sequence[int],
    others: Sequence[int],
    read: ReadContent,
    *,
    are_roots: bool,
) -> Iterator[tuple[int | None, int | None]]:
    groups: dict[tuple[str, str], tuple[list[int], list[int]]] = defaultdict(lambda: ([], []))
    for side, places, index in ((left, some, 0), (right, others, 1)):
        for place in places:
            groups[likeness(side.rows[place])][index].append(place)
    pairs = [
        pair
        for ours, theirs in groups.values()
        for pair in _paired(left, right, ours, theirs, read)
    ]
    yield from pairs
    matched = {one for one, _ in pairs}, {other for _, other in pairs}
    alone = (
        [place for place in some if place not in matched[0]],
        [place for place in others if place not in matched[1]],
    )
    if are_roots:  # two runs of one task, whatever their names
        pairs = list(zip(*alone, strict=False))
        yield from pairs
        alone = alone[0][len(pairs) :], alone[1][len(pairs) :]
    yield from ((place, None) for place in alone[0])
    yield from ((None, place) for place in alone[1])


def _paired(
    left: SpanTree, right: SpanTree, ours: Sequence[int], theirs: Sequence[int], read: ReadContent
) -> Iterator[tuple[int, int]]:
    """Yield as many pairs as possible: first the ones with the same input, then by start."""
    if len(ours) <= 1 and len(theirs) <= 1:
        yield from zip(ours, theirs, strict=False)
        return
    if not (ours and theirs):
        return
    by_input: dict[str, deque[int]] = defaultdict(deque)
    rest_of_ours, rest_of_theirs = dict.fromkeys(ours), []
    for place in ours:
        if content := _content(left.rows[place], read):
            by_input[content.input].append(place)
    for place in theirs:
        content = _content(right.rows[place], read)
        if content and by_input[content.input]:
            match = by_input[content.input].popleft()
            del rest_of_ours[match]
            yield match, place
        else:
            rest_of_theirs.append(place)
    yield from zip(rest_of_ours, rest_of_theirs, strict=False)


def _content(row: SpanRow, read: ReadContent) -> SpanContent | None:
    if row.kind not in _COMPARED_KINDS or row.duplicate_of is not None:
        return None
    return read(row)


def _difference(
    sides: tuple[SpanTree, SpanTree], one: int | None, other: int | None, read: ReadContent
) -> Difference | None:
    left, right = sides
    if one is None or other is None:
        side, place = (right, other) if one is None else (left, one)
        assert place is not None
        row = side.rows[place]
        return Difference(
            (Change.ADDED if one is None else Change.REMOVED,),
            place,
            None if one is None else row,
            row if one is None else None,
            span_count=sum(1 for _ in side.below(place)),
        )
    ours, theirs = left.rows[one], right.rows[other]
    if ours.duplicate_of is not None and theirs.duplicate_of is not None:
        return None  # the spans that they repeat are compared
    own_ns = left.own_ns(one), right.own_ns(other)
    unearned = _unearned(ours, theirs)
    figures = (one for one in (*_time(*own_ns), *_price(ours, theirs)) if one not in unearned)
    changes = [*_outcome(ours, theirs), *figures]
    before, after, answers = _content(ours, read), _content(theirs, read), None
    if before and after:
        if before.input != after.input:
            changes.append(Change.OTHER_INPUT)
        if before.output != after.output:
            changes.append(Change.OTHER_OUTPUT)
            answers = _excerpts(before.output, after.output)
    if not changes:
        return None
    ordered = tuple(sorted(changes, key=lambda change: _RANK[change]))
    return Difference(ordered, one, ours, theirs, 1, own_ns, answers)


def _outcome(left: SpanRow, right: SpanRow) -> Iterator[Change]:
    had_failed, has_failed = left.status is SpanStatus.ERROR, right.status is SpanStatus.ERROR
    if had_failed != has_failed:
        yield Change.FAILED if has_failed else Change.RECOVERED
    if left.model != right.model and left.model and right.model:
        yield Change.OTHER_MODEL


def _unearned(left: SpanRow, right: SpanRow) -> frozenset[Change]:
    """Return the praise that a span does not get: it failed, or took longer as a whole."""
    if right.status is SpanStatus.ERROR:
        return frozenset({Change.FASTER, Change.CHEAPER})
    before, after = left.duration_ns, right.duration_ns
    is_longer = before is not None and after is not None and after > before
    return frozenset({Change.FASTER}) if is_longer else frozenset()


def _time(left_ns: int | None, right_ns: int | None) -> Iterator[Change]:
    if left_ns is None or right_ns is None or abs(right_ns - left_ns) < SLOWER_BY_NS:
        return
    if right_ns > left_ns * (1 + SLOWER_BY):
        yield Change.SLOWER
    elif left_ns > right_ns * (1 + SLOWER_BY):
        yield Change.FASTER


def _price(left: SpanRow, right: SpanRow) -> Iterator[Change]:
    """Compare the costs of calls, or their tokens where no cost was reported."""
    before, after, least = left.cost_usd, right.cost_usd, 0.0
    if before is None or after is None:
        before, after, least = _tokens(left), _tokens(right), DEARER_BY_TOKENS
    if abs(after - before) <= least:
        return
    if after > before * (1 + DEARER_BY):
        yield Change.DEARER
    elif before > after * (1 + DEARER_BY):
        yield Change.CHEAPER


def _tokens(row: SpanRow) -> float:
    return (row.input_tokens or 0) + (row.output_tokens or 0)


def _weight(difference: Difference) -> float:
    """Return the significance of a difference among those of its kind."""
    before, after = difference.own_ns
    if before is not None and after is not None:
        return abs(after - before)
    return difference.span_count


def _excerpts(left: str, right: str) -> tuple[str, str]:
    """Return both texts from a little before they differ."""
    parted = next(
        (place for place, (a, b) in enumerate(zip(left, right, strict=False)) if a != b),
        min(len(left), len(right)),
    )
    start = max(parted - _BEFORE_CHARS, 0)
    return _excerpt(left, start), _excerpt(right, start)


def _excerpt(text: str, start: int) -> str:
    end = start + _EXCERPT_CHARS
    return ("…" if start else "") + text[start:end] + ("…" if end < len(text) else "")
