import random
from collections.abc import Mapping, Sequence

from hypothesis import given
from hypothesis import strategies as st

from inspector.service.analysis.compare import Comparison, Difference, SpanContent, compare
from inspector.service.model.rows import SpanKind, SpanRow
from inspector.service.wire.comparison import Change
from tests.support.telemetry.span_rows import row, rows_from_text

NAMES = st.sampled_from(["a", "b", "c"])
ROWS = st.lists(st.tuples(st.none() | st.integers(1, 10), NAMES), max_size=10).map(
    lambda found: [row(number, parent, name) for number, (parent, name) in enumerate(found, 1)]
)


def compared(
    left: str, right: str, contents: Mapping[str, tuple[Sequence[str], Sequence[str]]] | None = None
) -> Comparison:
    """Compare two drawings; `said` gives (asked, answered) by name, for each span in its order."""
    sides = rows_from_text(left), rows_from_text(right)
    words = {}
    for side, spans in enumerate(sides):
        seen: dict[str, int] = {}
        for span in spans:
            number = seen[span.name] = seen.get(span.name, -1) + 1
            if contents and span.name in contents:
                input_, _, answered = contents[span.name][side][number].partition(" ")
                words[id(span)] = SpanContent(input_, answered)
    return compare(*sides, lambda span: words.get(id(span)))


def changes_of(found: Comparison) -> list[tuple[str, list[str]]]:
    """Return paths and changes."""
    return [("/".join(found.path(one)), [*map(str, one.changes)]) for one in found.differences]


def nothing(_: SpanRow) -> None:
    return None


@given(ROWS)
def test_a_session_is_the_same_as_itself(rows: list[SpanRow]) -> None:
    found = compare(rows, rows, nothing)
    assert found.differences == []
    assert found.same_count == len(rows)


@given(ROWS, ROWS)
def test_every_span_is_counted_once(left: list[SpanRow], right: list[SpanRow]) -> None:
    found = compare(left, right, nothing)
    alone = sum(one.span_count for one in found.differences if is_alone(one))
    pairs = found.same_count + sum(not is_alone(one) for one in found.differences)
    assert 2 * pairs + alone == len(left) + len(right)


@given(ROWS, ROWS)
def test_the_other_way_round_what_was_added_is_removed(
    left: list[SpanRow], right: list[SpanRow]
) -> None:
    there = compare(left, right, nothing).counts()
    back = compare(right, left, nothing).counts()
    assert there.get(Change.ADDED) == back.get(Change.REMOVED)
    assert there.get(Change.REMOVED) == back.get(Change.ADDED)


@given(ROWS, ROWS, st.integers())
def test_the_order_of_spans_changes_nothing(
    left: list[SpanRow], right: list[SpanRow], seed: int
) -> None:
    shuffled = random.Random(seed).sample(left, len(left))
    found = compare(shuffled, right, nothing)
    assert found.counts() == compare(left, right, nothing).counts()


def is_alone(one: Difference) -> bool:
    return one.left is None or one.right is None


def test_what_only_one_session_has_is_added_or_removed_with_all_below_it() -> None:
    found = compared(
        """
        agent lead
          tool fetch
            mcp call
          tool save
        """,
        """
        agent lead
          tool save
          tool ask
        """,
    )
    assert changes_of(found) == [("lead/ask", ["added"]), ("lead/fetch", ["removed"])]
    assert [one.span_count for one in found.differences] == [1, 2]
    assert found.same_count == 2


def test_siblings_alike_are_paired_by_their_input_in_any_order() -> None:
    found = compared(
        """
        agent lead
          tool read
          tool read
          tool read
        """,
        """
        agent lead
          tool read
          tool read
        """,
        {"read": (["one 1", "two 2", "three 3"], ["three 3", "one 1"])},
    )
    assert changes_of(found) == [("lead/read", ["removed"])]
    removed = found.differences[0].left
    assert removed
    assert removed.span_id.endswith("3"), "it is the second one that has no pair"


def test_siblings_alike_without_content_are_paired_by_start() -> None:
    found = compared(
        "agent lead\n  step turn\n    tool a\n  step turn\n    tool b",
        "agent lead\n  step turn\n    tool a\n  step turn\n    tool c",
    )
    assert changes_of(found) == [("lead/turn/c", ["added"]), ("lead/turn/b", ["removed"])]


def test_a_call_of_another_model_is_the_same_call() -> None:
    found = compared("llm chat-small model=small", "llm chat-large model=large")
    assert changes_of(found) == [("chat-small", ["other_model"])]


def test_runs_whose_roots_have_other_names_are_compared_all_the_same() -> None:
    found = compared("agent v1\n  tool a", "agent v2\n  tool a\n  tool b")
    assert changes_of(found) == [("v2/b", ["added"])]


def test_another_answer_is_shown_from_where_it_parts() -> None:
    same = "x" * 500
    found = compared("tool a", "tool a", {"a": ([f"q {same}red"], [f"q {same}blue"])})
    [difference] = found.differences
    assert difference.changes == (Change.OTHER_OUTPUT,)
    assert difference.answers
    left, right = difference.answers
    assert left == "…" + "x" * 40 + "red"
    assert right == "…" + "x" * 40 + "blue"


def test_another_input_is_a_difference_too() -> None:
    found = compared("tool a", "tool a", {"a": (["this yes"], ["that yes"])})
    assert changes_of(found) == [("a", ["asked_differently"])]


def test_a_failure_goes_before_everything_else() -> None:
    found = compared(
        "agent lead\n  tool a duration_ms=100\n  tool b",
        "agent lead\n  tool a duration_ms=900\n  tool b status=error\n  tool c",
    )
    assert changes_of(found) == [
        ("lead/b", ["failed"]),
        ("lead/c", ["added"]),
        ("lead/a", ["slower"]),
    ]


def test_time_is_that_of_a_span_alone_without_waiting_and_spans_below() -> None:
    found = compared(
        "agent lead duration_ms=1000\n  tool a duration_ms=900",
        "agent lead duration_ms=5000\n  tool a duration_ms=4800 wait_ns=3900000000",
    )
    lead = next(one for one in found.differences if one.left and one.left.name == "lead")
    assert lead.changes == (Change.SLOWER,)
    assert lead.own_ns == (100_000_000, 200_000_000)
    assert len(found.differences) == 1, "the tool only waited for longer"


def test_a_step_that_failed_or_took_longer_as_a_whole_is_not_called_faster() -> None:
    before = "llm a duration_ms=900 input_tokens=900"
    assert changes_of(compared(before, "llm a duration_ms=100")) == [("a", ["faster", "cheaper"])]
    failed = compared(before, "llm a duration_ms=100 status=error")
    assert changes_of(failed) == [("a", ["failed"])]
    longer = compared(
        "agent lead duration_ms=1000\n  tool a duration_ms=100",
        "agent lead duration_ms=1001\n  tool a duration_ms=900",
    )
    assert changes_of(longer) == [("lead/a", ["slower"])]


def test_a_small_change_of_time_or_tokens_is_chance() -> None:
    found = compared(
        "llm a duration_ms=100 input_tokens=100 model=m",
        "llm a duration_ms=140 input_tokens=140 model=m",
    )
    assert found.differences == []


def test_more_tokens_are_dearer_and_a_lower_price_is_cheaper() -> None:
    more = compared("llm a input_tokens=100", "llm a input_tokens=200")
    assert changes_of(more) == [("a", ["dearer"])]
    left, right = row(1, cost_usd=0.02, kind=SpanKind.LLM), row(1, cost_usd=0.01, kind=SpanKind.LLM)
    assert compare([left], [right], nothing).differences[0].changes == (Change.CHEAPER,)


def test_where_they_parted_is_the_first_difference_that_is_not_mere_speed() -> None:
    found = compared(
        "agent lead\n  tool a duration_ms=1\n  tool b\n  tool c",
        "agent lead\n  tool a duration_ms=300\n  tool b status=error",
    )
    assert found.diverged
    assert found.path(found.diverged) == ["lead", "b"]


def test_spans_that_show_an_operation_again_are_not_compared() -> None:
    text = "tool a\n  mcp send duplicate_of=x duration_ms=1"
    assert compared(text, text.replace("=1", "=900")).differences == []


def test_content_is_looked_at_once_for_a_pair_without_a_choice() -> None:
    left = rows_from_text("agent lead\n  tool a\n  tool b\n  workflow w")
    input_: list[str] = []

    def listen(span: SpanRow) -> None:
        input_.append(span.name)

    compare(left, left, listen)
    assert sorted(input_) == ["a", "a", "b", "b", "lead", "lead"]


def test_sessions_may_be_deeper_than_the_stack_of_python() -> None:
    deep = [row(number, number - 1 or None) for number in range(1, 20_001)]
    found = compare(deep, deep[:10_000], nothing)
    assert [one.span_count for one in found.differences] == [10_000]
    assert len(found.path(found.differences[0])) == 24
