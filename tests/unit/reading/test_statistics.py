from inspector.model import SpanKind, SpanStatus
from inspector.reading.span_tree import SpanTree
from inspector.reading.statistics import shares
from tests.support.rows import MS, row, rows_from_text


def test_time_tokens_and_money_are_told_by_kind_and_name_the_slowest_first() -> None:
    tree = SpanTree.of(
        rows_from_text(
            """
            agent lead duration_ms=1000
              llm chat duration_ms=300 input_tokens=10 output_tokens=1
              llm chat duration_ms=100 input_tokens=20
                mcp send duplicate_of=x
              tool ask duration_ms=50 status=error wait_ns=40000000
            """
        )
    )
    # Siblings of a drawing start a millisecond apart: both calls run at the same time.
    lead, chat, ask = shares(tree)
    assert (lead.name, lead.own_ns) == ("lead", 700 * MS)
    assert (chat.name, chat.count, chat.own_ns, chat.median_ns) == ("chat", 2, 399 * MS, 200 * MS)
    assert (chat.input_tokens, chat.output_tokens) == (30, 1)
    assert chat.longest.duration_ns == 300 * MS
    assert (ask.failed, ask.wait_ns, ask.own_ns) == (1, 40 * MS, 10 * MS)


def test_what_still_runs_has_no_time_yet() -> None:
    [share] = shares(SpanTree.of([row(1, status=SpanStatus.RUNNING, duration_ns=None)]))
    assert (share.running, share.own_ns, share.median_ns) == (1, 0, None)


def test_a_span_that_repeats_another_takes_none_of_its_time() -> None:
    call = row(1, kind=SpanKind.TOOL, duration_ns=10 * MS)
    twin = row(2, 1, kind=SpanKind.MCP, duration_ns=8 * MS, duplicate_of=call.span_id)
    inner = row(3, 2, kind=SpanKind.LLM, duration_ns=5 * MS)
    assert [one.own_ns for one in shares(SpanTree.of([call, twin, inner]))] == [5 * MS, 5 * MS]


def test_what_below_it_waited_is_no_part_of_how_long_a_span_took() -> None:
    lead = row(1, kind=SpanKind.AGENT, duration_ns=100 * MS, waited=((40 * MS, 20 * MS),))
    tool = row(10, 1, kind=SpanKind.TOOL, duration_ns=60 * MS, waited=((12 * MS, 30 * MS),))
    late = row(90, 1, kind=SpanKind.TOOL, name="late", duration_ns=MS, waited=((80 * MS, None),))
    found = {one.name + one.kind: one for one in shares(SpanTree.of([lead, tool, late]))}
    # From 12 ms to 60 ms one of them waits, both of them for 2 ms of that; and then the last one.
    assert found["workagent"].median_ns == (100 - 48 - 1) * MS
    assert found["workagent"].own_ns == (100 - 60 - 1) * MS
    assert (found["worktool"].median_ns, found["worktool"].own_ns) == (30 * MS, 30 * MS)
    assert (found["latetool"].longest_ns, found["latetool"].own_ns) == (0, 0)
