"""Differences between two sessions: added, removed, slower, costlier, other answer. Pure.

Two runs of an agent are never the same, and their spans have no ids in common. So they are laid
beside each other from the roots down: under a pair, children of one kind and name belong together;
where several do, first those that were asked the same, in whatever order they came, and then the
others by start. What finds nobody was added or removed, with all that is below it.
"""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from inspector.service.analysis.span_tree import SpanTree
from inspector.service.model.rows import SpanKind, SpanRow, SpanStatus
from inspector.service.wire.comparison import Change

SLOWER_BY = 0.25
SLOWER_BY_NS = 50_000_000
DEARER_BY = 0.10
DEARER_BY_TOKENS = 50
"""Less than a share and an amount of change is chance."""
_EXCERPT_CHARS = 300
_BEFORE_CHARS = 40
_COMPARED_KINDS = frozenset(SpanKind) - {
    SpanKind.HTTP,
    SpanKind.OTHER,
    SpanKind.STEP,
    SpanKind.WORKFLOW,
}


_RANK = {change: rank for rank, change in enumerate(Change)}
_DIVERGING = frozenset(Change) - {Change.SLOWER, Change.FASTER, Change.DEARER, Change.CHEAPER}


@dataclass(frozen=True, slots=True)
class SpanContent:
    """The input and output of a span, as text without call ids."""

    asked: str
    answered: str


Listen: TypeAlias = Callable[[SpanRow], SpanContent | None]
"""Returns what a span says; None: nothing, or it was not looked at."""


@dataclass(frozen=True, slots=True)
class Difference:
    """A pair of spans that differ, or the top span of a subtree that only one session has.

    Attributes:
        changes: How, the most telling first.
        place: Where the span is in its own session: on the left, unless it was added.
        left: The span in the first session; None if it was added.
        right: The span in the second one; None if it was removed.
        span_count: It and all below it, of what was added or removed; 1 for a pair.
        own_ns: Time that is not spent in spans below, nor waiting: left, right.
        answers: Where what was answered begins to differ: left, right.
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


@dataclass(slots=True)
class Comparison:
    """All differences, the most significant first."""

    left: SpanTree
    right: SpanTree
    differences: list[Difference] = field(default_factory=list)
    same_count: int = 0
    """Pairs without a difference."""
    diverged: Difference | None = None
    """The first in time that is more than slower or dearer: what came after may follow from it."""

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


def compare(left: Sequence[SpanRow], right: Sequence[SpanRow], listen: Listen) -> Comparison:
    """Return the differences, in time that grows only with the number of spans, and sorting.

    Args:
        left: All spans of the first session.
        right: All spans of the second one.
        listen: Looks into a span. It is asked about few that have no pair to choose.
    """
    sides = _Side(SpanTree.of(left)), _Side(SpanTree.of(right))
    found = Comparison(sides[0].tree, sides[1].tree)
    for one, other in _laid_out(*sides, listen):
        difference = _difference(sides, one, other, listen)
        if difference is None:
            found.same_count += 1
        else:
            found.differences.append(difference)
    diverging = [one for one in found.differences if _DIVERGING.intersection(one.changes)]
    found.diverged = min(diverging, key=lambda one: one.offset_ns, default=None)
    found.differences.sort(key=lambda one: (_RANK[one.changes[0]], -_weight(one), one.offset_ns))
    return found


class _Side:
    """One session."""

    def __init__(self, tree: SpanTree) -> None:
        self.tree = tree

    def children(self, place: int) -> list[int]:
        return self.tree.children[place]

    def row(self, place: int) -> SpanRow:
        return self.tree.rows[place]


def _laid_out(left: _Side, right: _Side, listen: Listen) -> Iterator[tuple[int | None, int | None]]:
    """Yield pairs, and with None what has no pair."""
    waiting = [(left.tree.roots, right.tree.roots, True)]
    while waiting:
        some, others, are_roots = waiting.pop()
        for one, other in _matched(left, right, some, others, listen, are_roots=are_roots):
            yield one, other
            if one is not None and other is not None:
                waiting.append((left.children(one), right.children(other), False))


def _matched(
    left: _Side,
    right: _Side,
    some: Sequence[int],
    others: Sequence[int],
    listen: Listen,
    *,
    are_roots: bool,
) -> Iterator[tuple[int | None, int | None]]:
    groups: dict[tuple[str, str], tuple[list[int], list[int]]] = defaultdict(lambda: ([], []))
    for side, places, index in ((left, some, 0), (right, others, 1)):
        for place in places:
            groups[_likeness(side.row(place))][index].append(place)
    pairs = [
        pair
        for ours, theirs in groups.values()
        for pair in _paired(left, right, ours, theirs, listen)
    ]
    yield from pairs
    matched = {one for one, _ in pairs}, {other for _, other in pairs}
    alone = (
        [place for place in some if place not in matched[0]],
        [place for place in others if place not in matched[1]],
    )
    if are_roots:  # two runs are compared because they are one task, whatever they are called
        pairs = list(zip(*alone, strict=False))
        yield from pairs
        alone = alone[0][len(pairs) :], alone[1][len(pairs) :]
    yield from ((place, None) for place in alone[0])
    yield from ((None, place) for place in alone[1])


def _paired(
    left: _Side, right: _Side, ours: Sequence[int], theirs: Sequence[int], listen: Listen
) -> Iterator[tuple[int, int]]:
    """Yield as many pairs as there can be: those asked the same first, then by start."""
    if len(ours) <= 1 and len(theirs) <= 1:
        yield from zip(ours, theirs, strict=False)
        return
    if not (ours and theirs):
        return
    by_asked: dict[str, deque[int]] = defaultdict(deque)
    rest_of_ours, rest_of_theirs = dict.fromkeys(ours), []
    for place in ours:
        if said := _said(left.row(place), listen):
            by_asked[said.asked].append(place)
    for place in theirs:
        said = _said(right.row(place), listen)
        if said and by_asked[said.asked]:
            match = by_asked[said.asked].popleft()
            del rest_of_ours[match]
            yield match, place
        else:
            rest_of_theirs.append(place)
    yield from zip(rest_of_ours, rest_of_theirs, strict=False)


def _likeness(row: SpanRow) -> tuple[str, str]:
    """Return what must be equal: a call of another model is still the same call."""
    name = row.name.replace(row.model, "") if row.kind is SpanKind.LLM and row.model else row.name
    return row.kind.value, name


def _said(row: SpanRow, listen: Listen) -> SpanContent | None:
    if row.kind not in _COMPARED_KINDS or row.duplicate_of is not None:
        return None
    return listen(row)


def _difference(
    sides: tuple[_Side, _Side], one: int | None, other: int | None, listen: Listen
) -> Difference | None:
    left, right = sides
    if one is None or other is None:
        side, place = (right, other) if one is None else (left, one)
        assert place is not None
        row = side.row(place)
        return Difference(
            (Change.ADDED if one is None else Change.REMOVED,),
            place,
            None if one is None else row,
            row if one is None else None,
            span_count=sum(1 for _ in side.tree.below(place)),
        )
    ours, theirs = left.row(one), right.row(other)
    if ours.duplicate_of is not None and theirs.duplicate_of is not None:
        return None  # the spans that they repeat are compared
    own_ns = left.tree.own_ns(one), right.tree.own_ns(other)
    changes = [*_outcome(ours, theirs), *_time(*own_ns), *_price(ours, theirs)]
    said, answers = (_said(ours, listen), _said(theirs, listen)), None
    if said[0] and said[1]:
        if said[0].asked != said[1].asked:
            changes.append(Change.ASKED_DIFFERENTLY)
        if said[0].answered != said[1].answered:
            changes.append(Change.ANSWERED_DIFFERENTLY)
            answers = _excerpts(said[0].answered, said[1].answered)
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
    """Return how much it matters, among those of its kind."""
    before, after = difference.own_ns
    if before is not None and after is not None:
        return abs(after - before)
    return difference.span_count


def _excerpts(left: str, right: str) -> tuple[str, str]:
    """Return both from a little before they part."""
    parted = next(
        (place for place, (a, b) in enumerate(zip(left, right, strict=False)) if a != b),
        min(len(left), len(right)),
    )
    start = max(parted - _BEFORE_CHARS, 0)
    return _excerpt(left, start), _excerpt(right, start)


def _excerpt(text: str, start: int) -> str:
    end = start + _EXCERPT_CHARS
    return ("…" if start else "") + text[start:end] + ("…" if end < len(text) else "")
