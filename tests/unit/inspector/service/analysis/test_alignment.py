from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from inspector.service.analysis.alignment import AlignedRows
from inspector.service.analysis.compare import Comparison, compare
from inspector.service.analysis.runs import ComparedRuns, compare_runs
from inspector.service.analysis.span_tree import SpanTree
from inspector.service.model.rows import SpanRow
from inspector.service.wire.comparison import Change
from tests.support.telemetry.span_rows import row, rows_from_text

NAMES = st.sampled_from(["a", "b", "c"])
ROWS = st.lists(st.tuples(st.none() | st.integers(1, 10), NAMES), max_size=10).map(
    lambda found: [row(number, parent, name) for number, (parent, name) in enumerate(found, 1)]
)


def nothing(_: SpanRow) -> None:
    return None


def compared(left: str, right: str) -> Comparison:
    return compare(rows_from_text(left), rows_from_text(right), nothing)


def compared_runs(*texts: str) -> ComparedRuns:
    return compare_runs([rows_from_text(text) for text in texts], nothing)


def drawn(rows: AlignedRows, trees: Sequence[SpanTree]) -> list[str]:
    """Return a line for each row: its depth, its name, and the runs that have it."""
    lines = []
    for depth, cell in zip(rows.depths, rows.cells, strict=True):
        names = [
            tree.rows[place].name
            for tree, place in zip(trees, cell, strict=True)
            if place is not None
        ]
        having = "".join(str(run) for run, place in enumerate(cell) if place is not None)
        lines.append("  " * depth + f"{names[0]} {having}")
    return lines


@given(st.lists(ROWS, min_size=2, max_size=4))
def test_each_span_of_every_run_stands_in_one_row_below_that_of_its_parent(
    runs: list[list[SpanRow]],
) -> None:
    found = compare_runs(runs, nothing)
    rows = found.rows
    for run, tree in enumerate(found.trees):
        row_of = {cell[run]: at for at, cell in enumerate(rows.cells) if cell[run] is not None}
        assert sorted(place for place in row_of if place is not None) == [*range(len(tree.rows))]
        for place, parent in enumerate(tree.parents):
            at = row_of[place]
            if parent is None:
                assert rows.depths[at] == 0
            else:
                above = row_of[parent]
                assert above < at < above + rows.sizes[above]
                assert rows.depths[above] == rows.depths[at] - 1
    for at, (depth, size) in enumerate(zip(rows.depths, rows.sizes, strict=True)):
        below = rows.depths[at + 1 :]
        assert size - 1 == next(
            (count for count, deeper in enumerate(below) if deeper <= depth), len(below)
        )


@given(ROWS, ROWS)
def test_two_runs_have_the_same_rows_as_a_comparison_of_two_and_the_same_differences(
    left: list[SpanRow], right: list[SpanRow]
) -> None:
    pair, table = compare(left, right, nothing), compare_runs([left, right], nothing)
    assert table.rows == pair.rows
    assert table.differing == [*pair.by_row]
    assert len(pair.by_row) == len(pair.differences)


def test_what_was_added_comes_after_the_step_that_precedes_it() -> None:
    found = compared(
        "agent lead\n  tool a\n    mcp x\n  tool b\n  tool c",
        "agent lead\n  tool new\n  tool a\n    mcp x\n  tool d\n    mcp y\n  tool e\n  tool c",
    )
    assert drawn(found.rows, (found.left, found.right)) == [
        "lead 01",
        "  new 1",
        "  a 01",
        "    x 01",
        "  d 1",
        "    y 1",
        "  e 1",
        "  b 0",
        "  c 01",
    ]
    assert [found.by_row[at].changes[0] for at in found.by_row] == [
        Change.ADDED,
        Change.ADDED,
        Change.ADDED,
        Change.REMOVED,
    ]


def test_a_step_that_two_later_runs_added_is_one_row() -> None:
    found = compared_runs(
        "agent lead\n  tool a",
        "agent lead\n  tool a\n  tool retry\n    mcp x\n  tool retry",
        "agent lead\n  tool retry\n    mcp x\n  tool z",
    )
    assert drawn(found.rows, found.trees) == [
        "lead 012",
        "  a 01",
        "  retry 12",
        "    x 12",
        "  z 2",
        "  retry 1",
    ]
    assert found.differing == [1, 2, 4, 5]
    assert found.first_difference == 2, "the third run retried at once"


def test_only_rows_that_lead_to_marked_ones_are_listed() -> None:
    left = "agent lead\n  tool a\n    mcp x\n  tool b\n    mcp y\nagent other"
    found = compared(left, "agent lead")
    rows = found.rows
    assert [*rows.leading_to([4], 0)] == [0, 3, 4]
    assert [*rows.leading_to([4], 1)] == [3, 4]
    assert [*rows.leading_to([], 0)] == []


def test_a_row_that_is_alone_between_those_that_lead_to_marked_ones_is_listed_with_them() -> None:
    depths = [0, 1, 1, 1, 1, 2, 1, 2, 2, 1, 1]
    sizes = [11, 1, 1, 1, 2, 1, 3, 1, 1, 1, 1]
    rows = AlignedRows([(0,)] * len(depths), depths, sizes)

    def listed(marked: Sequence[int], start: int) -> list[int]:
        return [*rows.leading_to(marked, start, with_alone=True)]

    assert listed([2], 0) == [0, 1, 2], "several follow"
    assert listed([2, 4], 0) == [0, 1, 2, 3, 4], "not those below a marked one"
    assert listed([5, 10], 0) == [0, 4, 5, 10], "what has rows below it, or a sibling"
    assert listed([7, 10], 0) == [0, 6, 7, 8, 9, 10]
    assert listed([7, 10], 8) == [8, 9, 10], "the next page"
    assert listed([9], 0) == [0, 9, 10], "the last one"


def test_an_output_differs_at_the_end_so_its_cause_below_comes_first() -> None:
    left = "agent lead duration_ms=90\n  tool a duration_ms=9\n  tool b duration_ms=9"
    right = left.replace("lead", "lead status=error").replace(
        "a duration", "a status=error duration"
    )
    found = compared(left, right)
    assert found.diverged
    assert found.path(found.diverged) == ["lead", "a"]
