import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.text import Text

from inspector.cli.console_tree import tree_lines
from inspector.errors import RefusedError
from inspector.service.analysis.causes import groups_of
from inspector.service.analysis.outline import OutlineRow, lines_of, place_of, short_ids
from inspector.service.analysis.span_tree import SpanTree
from inspector.service.model.rows import SpanStatus
from tests.support.telemetry.span_rows import row, rows_from_text

ROWS = st.lists(
    st.tuples(
        st.none() | st.integers(1, 30),
        st.sampled_from("ab"),
        st.sampled_from([SpanStatus.OK, SpanStatus.ERROR]),
    ),
    max_size=30,
).map(
    lambda found: [
        row(number, parent, name, status=status)
        for number, (parent, name, status) in enumerate(found, 1)
    ]
)


def outline(text: str, under: int | None = None, *, every: bool = False) -> list[str]:
    """Return the outline of a drawing, as a drawing."""
    tree = SpanTree.of(rows_from_text(text))
    return [
        "  " * line.depth + (label(line) or tree.rows[line.span].name)
        for line in lines_of(tree, under, every=every)
    ]


def label(line: OutlineRow) -> str:
    return f"... {line.left_out} ({line.failed})" if line.left_out else ""


@given(ROWS, st.booleans())
def test_every_span_is_shown_or_left_out_once(rows: list, every: bool) -> None:  # type: ignore[type-arg]  # drawn
    tree = SpanTree.of(rows)
    lines = lines_of(tree, None, every=every)
    shown = [line.span for line in lines if not line.left_out]
    assert len(shown) == len(set(shown))
    if every:
        assert len(shown) == len(rows)
    tops = sum(line.left_out for line in lines)
    assert len(shown) + tops <= len(rows)


def test_of_many_alike_the_first_and_the_failed_stand_for_all() -> None:
    loop = "\n".join(f"  tool look status={'error' if n in (7, 8) else 'ok'}" for n in range(12))
    assert outline("agent lead\n" + loop + "\n  llm answer") == [
        "lead",
        "  look",
        "  look",
        "  look",
        "  ... 4 (0)",
        "  look",
        "  look",
        "  ... 3 (0)",
        "  answer",
    ]
    assert len(outline("agent lead\n" + loop, every=True)) == 13


def test_a_loop_of_turns_is_a_few_lines() -> None:
    turns = "\n".join("  llm chat\n  tool act" for _ in range(500))
    assert outline("agent lead\n" + turns)[-1] == "  ... 994 (0)"
    assert len(outline("agent lead\n" + turns)) == 8


def test_duplicates_are_folded_unless_they_are_requested() -> None:
    text = """
        tool call
          mcp send duplicate_of=x
            mcp handle duplicate_of=x
        mcp request
          mcp inner duplicate_of=x
            llm work
    """
    assert [line.strip() for line in outline(text)] == ["call", "request", "inner", "work"]
    assert len(outline(text, every=True)) == 6
    assert [line.strip() for line in outline(text, 0)] == ["call", "send"]


def test_a_failure_deep_below_is_counted_where_it_is_left_out() -> None:
    loop = "\n".join("  step turn\n    tool act status=error" for _ in range(20))
    assert outline("agent lead\n" + loop)[-1] == "  ... 14 (14)"


def test_only_what_is_under_a_span_is_shown() -> None:
    assert outline("agent a\n  agent b\n    tool c\n  tool d", under=1) == ["b", "  c"]


def test_a_span_is_found_by_the_beginning_of_its_id() -> None:
    rows = [row(0x10), row(0x1F), row(0x20)]
    assert place_of(rows, "00000000000000" + "1F") == 1
    for wanted, problem in (
        ("00000000000000" + "1", "use a longer id"),
        ("f", "Span not found"),
    ):
        with pytest.raises(RefusedError, match=problem):
            place_of(rows, wanted)


def test_ids_are_as_long_as_it_takes_to_tell_spans_apart() -> None:
    assert short_ids([row(1 << 40), row(2 << 40)]) == 8
    assert short_ids([row(1), row(2)]) == 16


def test_branches_lead_from_a_span_to_its_children() -> None:
    tree = SpanTree.of(rows_from_text("agent a\n  tool b\n    mcp c\n  tool d\nagent e\n  tool f"))
    lines = lines_of(tree, None, every=True)
    shown = [text.plain for text in tree_lines(tree, lines, lambda n: Text(tree.rows[n].name))]
    assert shown == [
        "├─ a",
        "│  ├─ b",
        "│  │  └─ c",
        "│  └─ d",
        "└─ e",
        "   └─ f",
    ]


def test_causes_that_took_the_session_down_go_before_those_that_were_survived() -> None:
    tree = SpanTree.of(
        rows_from_text(
            """
            agent lead status=error
              tool survived status=error
              step turn
                tool survived status=error
              agent helper status=error
                tool fatal status=error
                  mcp send status=error duplicate_of=x
            """
        )
    )
    found = [
        (tree.rows[group.places[0]].name, len(group.places), group.reaches_root)
        for group in groups_of(tree)
    ]
    assert found == [("survived", 1, True), ("fatal", 1, True), ("survived", 1, False)]


def test_where_nothing_failed_there_is_no_cause() -> None:
    assert groups_of(SpanTree.of(rows_from_text("agent a\n  tool b"))) == []
