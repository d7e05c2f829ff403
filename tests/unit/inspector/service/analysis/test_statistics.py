from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from inspector.service.analysis.span_tree import SpanTree
from inspector.service.analysis.statistics import Share, Statistics
from inspector.service.model.rows import SpanKind, SpanRow, SpanStatus
from tests.support.models.statistics import PlainStatistics
from tests.support.telemetry.span_rows import MS, by_start, row, rows_from_text, table_of

_MOST = 100


def shares(*rows: SpanRow) -> list[Share]:
    return Statistics(table_of(rows)).shares(_MOST)


def test_time_tokens_and_money_are_summed_by_kind_and_name_the_slowest_first() -> None:
    table = table_of(
        rows_from_text(
            """
            agent lead duration_ms=1000
              llm chat duration_ms=300 input_tokens=10 output_tokens=1
              llm chat duration_ms=100 input_tokens=20
                mcp send duplicate_of=0a
              tool ask duration_ms=50 status=error wait_ns=40000000
            """
        )
    )
    # Siblings of a drawing start a millisecond apart: both calls run at the same time.
    lead, chat, ask = Statistics(table).shares(_MOST)
    assert (lead.name, lead.own_ns) == ("lead", 700 * MS)
    assert (chat.name, chat.count, chat.own_ns, chat.times.median_ns) == (
        "chat",
        2,
        399 * MS,
        200 * MS,
    )
    assert (chat.used.input_tokens, chat.used.output_tokens) == (30, 1)
    assert chat.times.longest_ns == 300 * MS
    assert (ask.failed, ask.wait_ns, ask.own_ns) == (1, 40 * MS, 10 * MS)


def test_what_still_runs_has_no_time_yet() -> None:
    [share] = shares(row(1, status=SpanStatus.RUNNING, duration_ns=None))
    assert (share.running, share.own_ns, share.times.median_ns) == (1, 0, None)


def test_a_span_that_repeats_another_takes_none_of_its_time() -> None:
    call = row(1, kind=SpanKind.TOOL, duration_ns=10 * MS)
    duplicate = row(2, 1, kind=SpanKind.MCP, duration_ns=8 * MS, duplicate_of=call.span_id)
    inner = row(3, 2, kind=SpanKind.LLM, duration_ns=5 * MS)
    assert [one.own_ns for one in shares(call, duplicate, inner)] == [5 * MS, 5 * MS]


def test_what_below_it_waited_is_no_part_of_how_long_a_span_took() -> None:
    lead = row(1, kind=SpanKind.AGENT, duration_ns=100 * MS, waited=((40 * MS, 20 * MS),))
    tool = row(10, 1, kind=SpanKind.TOOL, duration_ns=60 * MS, waited=((12 * MS, 30 * MS),))
    late = row(90, 1, kind=SpanKind.TOOL, name="late", duration_ns=MS, waited=((80 * MS, None),))
    found = {one.name + one.kind: one for one in shares(lead, tool, late)}
    # From 12 ms to 60 ms one of them waits, both of them for 2 ms of that; and then the last one.
    assert found["workagent"].times.median_ns == (100 - 48 - 1) * MS
    assert found["workagent"].own_ns == (100 - 60 - 1) * MS
    assert (found["worktool"].times.median_ns, found["worktool"].own_ns) == (30 * MS, 30 * MS)
    assert (found["latetool"].times.longest_ns, found["latetool"].own_ns) == (0, 0)


def test_use_that_an_agent_repeats_counts_once_where_it_was_used() -> None:
    table = table_of(
        rows_from_text(
            """
            agent invoke_agent_lead input_tokens=130
              llm chat input_tokens=100 output_tokens=10 model=big
              tool ask
                agent helper input_tokens=30
                  llm chat input_tokens=20 model=small
                  llm chat input_tokens=10 model=big
            agent alone input_tokens=7
            """
        )
    )
    found = Statistics(table)
    assert sum(one.used.input_tokens for one in found.shares(_MOST)) == 137
    by_agent = {one.name: one for one in found.agents(_MOST)}
    lead, helper = by_agent["invoke_agent_lead"], by_agent["helper"]
    assert (lead.used.input_tokens, lead.used_in_all.input_tokens) == (100, 130)
    assert (helper.used.input_tokens, helper.used_in_all.input_tokens) == (30, 30)
    assert by_agent["alone"].used.input_tokens == 7, "nothing below it says anything"
    assert (lead.model_calls, helper.model_calls, lead.tool_calls) == (1, 2, 1)
    assert [(one.name, one.count, one.used.input_tokens) for one in found.models(_MOST)] == [
        ("big", 2, 110),
        ("small", 1, 20),
        ("", 1, 7),
    ]
    [ask] = found.tools(_MOST)
    assert (ask.used.input_tokens, ask.used_in_all.input_tokens) == (30, 30)


def test_an_agent_below_itself_is_not_counted_twice_in_all() -> None:
    table = table_of(
        rows_from_text(
            """
            agent loop
              llm chat input_tokens=5
              agent loop
                llm chat input_tokens=7
            """
        )
    )
    [loop] = Statistics(table).agents(_MOST)
    assert (loop.count, loop.used.input_tokens, loop.used_in_all.input_tokens) == (2, 12, 12)


def test_the_usage_of_a_duplicate_stands_for_an_operation_without_any() -> None:
    call = row(1, kind=SpanKind.LLM, name="chat")
    duplicate = row(2, 1, kind=SpanKind.LLM, name="twin", input_tokens=9, duplicate_of=call.span_id)
    reported = row(3, kind=SpanKind.LLM, name="told", input_tokens=4)
    again = row(
        4, 3, kind=SpanKind.LLM, name="again", input_tokens=4, duplicate_of=reported.span_id
    )
    found = {one.name: one.used.input_tokens for one in shares(call, duplicate, reported, again)}
    assert found == {"chat": 9, "told": 4}


def test_the_95th_percentile_is_a_measured_time() -> None:
    rows = [row(n, duration_ns=n * MS) for n in range(1, 41)]
    [share] = shares(*rows)
    assert (share.times.median_ns, share.times.p95_ns, share.times.longest_ns) == (
        20_500_000,
        38 * MS,
        40 * MS,
    )
    assert (share.times.total_ns, share.times.mean_ns) == (820 * MS, 20_500_000)


_KINDS = (SpanKind.AGENT, SpanKind.TOOL, SpanKind.LLM, SpanKind.MCP)
_TIMES = st.integers(-9, 30)
_LENGTHS = st.none() | st.integers(0, 20)
_COUNTS = st.none() | st.integers(0, 3)


@st.composite
def _rows(draw: st.DrawFn) -> list[SpanRow]:
    """Return any spans, with circles of parents, duplicates of duplicates, and waits anywhere."""
    numbers = st.none() | st.integers(0, 9)
    rows = [
        row(
            number,
            draw(numbers),
            draw(st.sampled_from(("a", "b", "tools/call a"))),
            kind=draw(st.sampled_from(_KINDS)),
            status=draw(st.sampled_from((SpanStatus.OK, SpanStatus.ERROR))),
            offset_ns=draw(_TIMES),
            duration_ns=draw(_LENGTHS),
            waited=tuple(draw(st.lists(st.tuples(_TIMES, _LENGTHS), max_size=2))),
            wait_ns=draw(st.sampled_from((0, 0, 3))),
            model=draw(st.sampled_from((None, "m"))),
            input_tokens=draw(_COUNTS),
            output_tokens=draw(_COUNTS),
            cost_usd=draw(st.none() | st.just(0.25)),
            duplicate_of=draw(st.sampled_from((None, None, f"{draw(st.integers(0, 9)):016x}"))),
            subject=draw(st.sampled_from((None, "s"))),
        )
        for number in range(draw(st.integers(0, 9)))
    ]
    traces = st.sampled_from(("1" * 32, "2" * 32))
    return [replace(one, trace_id=draw(traces)) if draw(st.booleans()) else one for one in rows]


@given(_rows(), st.integers(1, 9))
def test_sums_over_columns_are_those_of_plain_walks(rows: list[SpanRow], most: int) -> None:
    found, plain = Statistics(table_of(rows)), PlainStatistics(SpanTree.of(by_start(rows)))
    assert found.shares(most) == plain.shares[:most]
    assert found.models(most) == plain.models[:most]
    assert found.tools(most) == plain.tools[:most]
    assert found.agents(most) == plain.agents[:most]
