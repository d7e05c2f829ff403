from dataclasses import replace
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from inspector.service.analysis.span_tree import SpanTree
from tests.support.telemetry.span_rows import row

PARENTS = st.lists(st.none() | st.integers(1, 12), max_size=12)


def tree(parents: list[int | None]) -> SpanTree:
    return SpanTree.of([row(number, parent) for number, parent in enumerate(parents, 1)])


def all_below(found: SpanTree) -> list[int]:
    return [place for root in found.roots for place in found.below(root)]


@given(PARENTS)
def test_every_span_has_one_place_whatever_its_parent_says(parents: list[int | None]) -> None:
    found = tree(parents)
    assert sorted(all_below(found)) == list(range(len(parents)))


@given(PARENTS)
def test_what_is_above_a_span_leads_to_a_root(parents: list[int | None]) -> None:
    found = tree(parents)
    for place in range(len(parents)):
        above = [*found.above(place), place]
        assert above[0] in found.roots
        for parent, child in pairwise(above):
            assert child in found.children[parent]


def test_a_span_goes_before_its_children_and_those_by_start() -> None:
    assert all_below(tree([None, 1, 1, 2, 3])) == [0, 1, 3, 2, 4]


def test_of_a_circle_of_parents_one_is_a_root_and_the_others_below_it() -> None:
    found = tree([2, 3, 1])
    assert len(found.roots) == 1
    assert len(list(found.below(found.roots[0]))) == 3


def test_a_parent_that_is_not_there_or_in_another_trace_is_none() -> None:
    stranger = replace(row(2, 1), trace_id="f" * 32)
    assert SpanTree.of([row(1), stranger, row(3, 9)]).roots == [0, 1, 2]


def test_a_trace_may_be_deeper_than_the_stack_of_python() -> None:
    depth = 20_000
    found = tree([None, *range(1, depth)])
    assert len(all_below(found)) == depth
    assert len(found.above(depth - 1)) == depth - 1
