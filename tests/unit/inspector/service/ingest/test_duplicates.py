"""One operation in two spans: the inner one is marked, and it counts once."""

from __future__ import annotations

from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, InstrumentationScope
from opentelemetry.proto.trace.v1.trace_pb2 import Span, Status

from inspector.service.model.incoming import IncomingSpan
from inspector.service.model.rows import Json, SessionStatus, SpanStatus
from inspector.service.normalise.duplicates import fills
from tests.support.services.recorder_rig import Rig
from tests.support.telemetry.otlp import START_NS, span
from tests.support.telemetry.records import incoming, span_hex

MS = 1_000_000
LLM: dict[str, Json] = {"gen_ai.operation.name": "chat", "gen_ai.request.model": "gpt-4o"}
TOOL: dict[str, Json] = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "search"}
USAGE: dict[str, Json] = {"gen_ai.usage.input_tokens": 100, "gen_ai.usage.output_tokens": 7}


def sent(
    number: int,
    attributes: dict[str, Json],
    *,
    parent: int | None = None,
    ms: tuple[int, int] = (0, 100),
    name: str = "x",
) -> Span:
    return span(
        name,
        span_id=number,
        parent=parent,
        start_ns=START_NS + ms[0] * MS,
        duration_ns=(ms[1] - ms[0]) * MS,
        attributes=attributes,
    )


@pytest.mark.parametrize("order", list(permutations(range(3))))
@pytest.mark.parametrize("restarts", [False, True])
def test_the_inner_of_two_model_calls_is_marked_in_any_order_of_arrival(
    order: tuple[int, ...], restarts: bool
) -> None:
    rig = Rig()
    spans = [
        sent(1, {"gen_ai.operation.name": "invoke_agent", **USAGE}),
        sent(2, {**LLM, **USAGE}, parent=1),
        sent(
            3, {**LLM, **USAGE, "gen_ai.request.model": "gpt-4o-2024-11-20"}, parent=2, ms=(2, 99)
        ),
    ]
    for index in order:
        rig.record(spans[index])
        if restarts:
            rig.restart()
    assert rig.span(3).duplicate_of == span_hex(2)
    assert rig.span(2).duplicate_of is None
    row = rig.session()
    assert (row.llm_calls, row.input_tokens, row.output_tokens) == (1, 100, 7)


@pytest.mark.parametrize("order", list(permutations(range(3))))
@pytest.mark.parametrize("restarts", [False, True])
@pytest.mark.parametrize("original", [2, 3])
def test_a_span_that_its_sender_marked_as_the_duplicate_of_one_inside_is_the_only_one(
    order: tuple[int, ...], restarts: bool, original: int
) -> None:
    rig = Rig()
    method: dict[str, Json] = {"mcp.method.name": "tools/call", "gen_ai.tool.name": "search"}
    spans = [
        sent(1, {**method, "inspector.duplicate_of": span_hex(original)}),
        sent(2, method, parent=1),
        sent(3, method, parent=2),
    ]
    for index in order:
        rig.record(spans[index])
        if restarts:
            rig.restart()
    marks = [rig.span(number).duplicate_of for number in (1, 2, 3)]
    assert marks.count(None) == 1
    assert marks[0] == span_hex(original)
    if original == 2:
        assert marks[1:] == [None, span_hex(2)]


@pytest.mark.parametrize("order", list(permutations(range(3))))
def test_tokens_that_a_duplicate_does_not_know_are_those_of_the_call_that_is_shown(
    order: tuple[int, ...],
) -> None:
    rig = Rig()
    spans = [
        sent(1, {"gen_ai.operation.name": "invoke_agent"}),
        sent(2, {**LLM, **USAGE}, parent=1),
        sent(3, {**LLM, "gen_ai.usage.input_tokens": 100}, parent=2),
    ]
    for index in order:
        rig.record(spans[index])
    row = rig.session()
    assert (row.llm_calls, row.input_tokens, row.output_tokens) == (1, 100, 7)


@pytest.mark.parametrize("order", list(permutations(range(4))))
def test_retries_inside_a_duplicate_count_once_in_any_order(order: tuple[int, ...]) -> None:
    rig = Rig()
    first, second = (
        {**LLM, "gen_ai.usage.input_tokens": sent_, "gen_ai.usage.output_tokens": received}
        for sent_, received in ((40, 3), (60, 4))
    )
    spans = [
        sent(1, {**LLM, **USAGE}),
        sent(2, {**LLM, **USAGE}, parent=1),
        sent(3, first, parent=2, ms=(0, 40)),
        sent(4, second, parent=2, ms=(45, 95)),
    ]
    for index in order:
        rig.record(spans[index])
    assert (rig.session().input_tokens, rig.session().output_tokens) == (100, 7)


def test_the_usage_of_a_duplicate_counts_where_it_says_more() -> None:
    for is_outer_first in (True, False):
        rig = Rig()
        pair = [
            sent(1, {**LLM, "gen_ai.request.model": "openai/gpt-4o", **USAGE}),
            sent(2, {**LLM, **USAGE, "inspector.cost.usd": 0.5}, parent=1),
        ]
        for one in pair if is_outer_first else reversed(pair):
            rig.record(one)
        row = rig.session()
        assert (row.llm_calls, row.input_tokens, row.cost_usd) == (1, 100, 0.5)


@pytest.mark.parametrize("inner_usage", [{}, USAGE])
@pytest.mark.parametrize("outer_usage", [{}, USAGE])
def test_usage_counts_once_whichever_of_the_two_states_it(
    inner_usage: dict[str, Json], outer_usage: dict[str, Json]
) -> None:
    rig = Rig()
    rig.record(sent(2, {**LLM, **inner_usage}, parent=1), sent(1, {**LLM, **outer_usage}))
    assert rig.session().input_tokens == (100 if inner_usage or outer_usage else 0)
    assert rig.session().llm_calls == 1


@pytest.mark.parametrize(
    ("inner", "ms"),
    [
        ({**LLM, "gen_ai.request.model": "o3"}, (0, 100)),  # another model
        (LLM, (0, 90)),  # part of it
        (TOOL, (0, 100)),  # another kind
    ],
)
def test_what_is_not_the_same_is_not_marked(inner: dict[str, Json], ms: tuple[int, int]) -> None:
    for is_outer_first in (True, False):
        rig = Rig()
        pair = [sent(1, LLM), sent(2, inner, parent=1, ms=ms)]
        rig.record(*(pair if is_outer_first else reversed(pair)))
        assert rig.span(2).duplicate_of is None


def test_a_tool_is_the_same_by_its_name_wherever_that_stands() -> None:
    rig = Rig()
    client: dict[str, Json] = {"mcp.method.name": "tools/call"}
    fetch = {**client, "gen_ai.tool.name": "fetch"}
    rig.record(
        sent(3, fetch, parent=2, name="tools/call fetch"),
        sent(2, client, parent=1, name="MCP send tools/call search"),
        sent(1, TOOL),
    )
    assert rig.span(2).duplicate_of == span_hex(1)
    assert rig.span(3).duplicate_of is None
    assert rig.session().tool_calls == 2


# One failed call as a host, its SDK, a server's SDK, our adapter there and the tool tell it.
REQUEST: dict[str, Json] = {"mcp.method.name": "tools/call", "jsonrpc.request.id": "7"}
BOTH_ENDS: tuple[tuple[dict[str, Json], str, Span.SpanKind.ValueType], ...] = (
    (TOOL, "execute_tool search", Span.SPAN_KIND_INTERNAL),
    (REQUEST, "MCP send tools/call search", Span.SPAN_KIND_CLIENT),
    ({**REQUEST, "gen_ai.tool.name": "search"}, "tools/call search", Span.SPAN_KIND_SERVER),
    (
        {**REQUEST, "gen_ai.tool.name": "search", "inspector.kind": "mcp"},
        "tools/call search",
        Span.SPAN_KIND_SERVER,
    ),
    (TOOL, "execute_tool search", Span.SPAN_KIND_INTERNAL),
)


def over_mcp(first: int) -> list[Span]:
    """Return the spans from `first` on, each well within the one around it."""
    spans = []
    for at, (attributes, name, kind) in list(enumerate(BOTH_ENDS))[first:]:
        number = at + 1
        parent = at if at > first else None
        one = sent(number, attributes, parent=parent, ms=(10 * at, 200 - 10 * at), name=name)
        one.kind, one.status.code = kind, Status.STATUS_CODE_ERROR
        if number == 3 and parent is not None:
            one.flags = 0x301
        spans.append(one)
    return spans


@pytest.mark.slow
@pytest.mark.parametrize(
    ("first", "marks", "shown"),
    [
        (0, {}, 1),
        (1, {}, 3),
        (2, {}, 3),
        (3, {}, 5),
        # What our bridge marks while they run: the SDKs' own spans, as those of its operations.
        (0, {2: 1, 3: 4}, 1),
        (2, {3: 4}, 5),
    ],
)
@pytest.mark.parametrize("restarts", [False, True])
def test_a_call_over_mcp_counts_once_whoever_reports_it_in_any_order(
    first: int, marks: dict[int, int], shown: int, *, restarts: bool
) -> None:
    spans = over_mcp(first)
    for number, original in marks.items():
        spans[number - first - 1].attributes.add(
            key="inspector.duplicate_of", value=AnyValue(string_value=span_hex(original))
        )
    for order in permutations(spans):
        rig = Rig()
        for one in order:
            rig.record(one)
            if restarts:
                rig.restart()
        unmarked = [
            number for number in range(first + 1, 6) if rig.span(number).duplicate_of is None
        ]
        assert unmarked == [shown], [one.span_id.hex() for one in order]
        row = rig.session()
        assert (row.tool_calls, row.error_count) == (1, 1)


@pytest.mark.parametrize("order", list(permutations(range(4))))
def test_a_call_that_a_mounted_server_carries_out_counts_once_in_any_order(
    order: tuple[int, ...],
) -> None:
    """Our span, FastMCP's own, that it delegates, and the tool under its own name (FastMCP 4)."""
    call: dict[str, Json] = {"mcp.method.name": "tools/call"}
    named: dict[str, Json] = {**call, "gen_ai.tool.name": "sub_mul"}
    delegates: dict[str, Json] = {
        "inspector.duplicate_of": span_hex(1),
        "fastmcp.delegate.original_name": "mul",
    }
    spans = [
        sent(1, named, name="tools/call sub_mul"),
        sent(2, {**named, **delegates}, parent=1, ms=(1, 99), name="tools/call sub_mul"),
        sent(3, call, parent=2, ms=(30, 70), name="delegate mul"),
        sent(4, {**call, "gen_ai.tool.name": "mul"}, parent=3, ms=(31, 69), name="tools/call mul"),
    ]
    for one in spans[:2]:
        one.kind = Span.SPAN_KIND_SERVER
    rig = Rig()
    for index in order:
        rig.record(spans[index])
    assert rig.session().tool_calls == 1


def test_a_request_that_a_server_passes_on_is_a_request_of_its_own() -> None:
    rig = Rig()
    method: dict[str, Json] = {"mcp.method.name": "tools/list"}
    handled, passed_on = sent(1, method), sent(2, method, parent=1)
    handled.kind, passed_on.kind = Span.SPAN_KIND_SERVER, Span.SPAN_KIND_CLIENT
    rig.record(passed_on, handled)
    assert rig.span(2).duplicate_of is None


@pytest.mark.parametrize("is_outer", [True, False])
def test_mcp_without_a_method_is_not_the_request_that_it_is_around_or_in(*, is_outer: bool) -> None:
    rig = Rig()
    spoken: tuple[dict[str, Json], str] = ({"mcp.method.name": "initialize"}, "initialize")
    silent: tuple[dict[str, Json], str] = ({"traceloop.span.kind": "session"}, "mcp.client")
    outer, inner = (silent, spoken) if is_outer else (spoken, silent)
    rig.record(
        sent(2, inner[0], parent=1, name=inner[1]),
        sent(1, outer[0], name=outer[1]),
    )
    assert (rig.span(1).duplicate_of, rig.span(2).duplicate_of) == (None, None)


@pytest.mark.parametrize(
    ("inner_usage", "scope", "error", "calls"),
    [
        (USAGE, "tests", None, 1),  # the same use
        ({}, "openai", None, 1),  # another instrumentation, which does not say
        ({}, "tests", None, 2),
        ({**USAGE, "gen_ai.usage.output_tokens": 3}, "openai", None, 2),
        (USAGE, "openai", "rate limit", 2),  # an attempt
    ],
)
def test_a_client_inside_the_span_of_a_framework_reports_the_same_call_though_it_takes_less_time(
    inner_usage: dict[str, Json], scope: str, error: str | None, calls: int
) -> None:
    for is_outer_first in (True, False):
        rig = Rig()
        inner = sent(2, {**LLM, **inner_usage}, parent=1, ms=(40, 60))
        inner.status.code = Status.STATUS_CODE_ERROR if error else Status.STATUS_CODE_UNSET
        pair = [
            incoming(sent(1, {**LLM, **USAGE})),
            incoming(inner, scope=InstrumentationScope(name=scope)),
        ]
        for one in pair if is_outer_first else reversed(pair):
            rig.record(one)
        assert rig.session().llm_calls == calls


ANSWERED: dict[str, Json] = {**LLM, **USAGE, "gen_ai.response.id": "msg_1"}


def beside(parents: tuple[int, int] = (1, 1), ms: tuple[int, int] = (5, 80)) -> list[IncomingSpan]:
    """Return one LLM call from two instrumentations, neither inside the other."""
    return [
        incoming(sent(1, {"gen_ai.operation.name": "invoke_agent"})),
        incoming(sent(4, {}, parent=1)),
        incoming(sent(2, ANSWERED, parent=parents[0]), scope=InstrumentationScope(name="sdk")),
        incoming(
            sent(3, ANSWERED, parent=parents[1], ms=ms), scope=InstrumentationScope(name="other")
        ),
    ]


@pytest.mark.parametrize("order", list(permutations(range(4))))
@pytest.mark.parametrize("parents", [(1, 1), (1, 4)])
def test_two_spans_of_one_answer_are_one_model_call_wherever_they_are(
    order: tuple[int, ...], parents: tuple[int, int]
) -> None:
    rig = Rig()
    for index in order:
        rig.record(beside(parents)[index])
    assert rig.span(3).duplicate_of == span_hex(2)
    assert rig.span(2).duplicate_of is None
    row = rig.session()
    assert (row.llm_calls, row.input_tokens, row.output_tokens) == (1, 100, 7)


def test_the_same_answer_fetched_later_or_reported_by_one_instrumentation_is_another_call() -> None:
    later = Rig()
    later.record(*beside(ms=(120, 180)))
    alike = Rig()
    alike.record(*(incoming(one.span, scope=InstrumentationScope(name="sdk")) for one in beside()))
    assert (later.session().llm_calls, alike.session().llm_calls) == (2, 2)


def test_a_model_call_that_still_runs_has_no_duplicate_yet() -> None:
    rig = Rig()
    running = sent(1, LLM)
    running.end_time_unix_nano = 0
    rig.record(running, sent(2, LLM, parent=1))
    assert rig.span(2).duplicate_of is None
    rig.record(sent(1, LLM))
    assert rig.span(2).duplicate_of == span_hex(1)


@pytest.mark.parametrize(("scope", "is_same"), [("sdk", True), ("ours", False)])
def test_a_librarys_own_span_that_never_ends_loses_no_session(scope: str, is_same: bool) -> None:
    rig = Rig()
    never_ended = sent(2, LLM, parent=1)
    never_ended.end_time_unix_nano = 0
    ours, theirs = (InstrumentationScope(name=name) for name in ("ours", scope))
    rig.record(
        incoming(never_ended, process="p1", scope=theirs),
        incoming(sent(1, {**LLM, **USAGE}), process="p1", scope=ours),
    )
    rig.wait(3_600)
    assert rig.span(2).status is SpanStatus.LOST
    assert rig.span(2).duplicate_of == (span_hex(1) if is_same else None)
    assert rig.session().status is (SessionStatus.COMPLETED if is_same else SessionStatus.LOST)
    assert rig.session().llm_calls == (1 if is_same else 2)


def test_many_that_wait_are_bounded() -> None:
    rig = Rig()
    for number in range(2, 60):
        rig.record(sent(number, LLM, parent=1, ms=(0, number)))
    rig.record(sent(100, LLM, parent=1, ms=(1, 100)))
    rig.record(sent(1, LLM))
    assert rig.span(100).duplicate_of == span_hex(1)
    assert rig.span(59).duplicate_of is None


def test_a_helper_of_an_instrumentation_counts_for_nothing() -> None:
    rig = Rig()
    rig.record(sent(1, {"mcp.method.name": "tools/list"}))
    rig.record(sent(2, {}, parent=1, name="ResponseStreamWriter"))
    assert rig.span(2).duplicate_of == span_hex(1)


def test_a_call_of_the_same_tool_with_another_id_is_another_call() -> None:
    rig = Rig()
    rig.record(
        sent(2, {**TOOL, "gen_ai.tool.call.id": "b"}, parent=1),
        sent(1, {**TOOL, "gen_ai.tool.call.id": "a"}),
    )
    assert rig.span(2).duplicate_of is None


TIMES = st.tuples(st.integers(0, 100), st.integers(0, 100)).map(sorted).map(tuple)


@given(TIMES, TIMES)
def test_filling_is_what_it_says(outer: tuple[int, int], inner: tuple[int, int]) -> None:
    shared_ms = len(range(max(outer[0], inner[0]), min(outer[1], inner[1])))
    beside_ms = outer[1] - outer[0] - shared_ms
    expected = shared_ms > 0 and (beside_ms <= 1 or beside_ms / (outer[1] - outer[0]) <= 0.05)
    ns = [(start * MS, end * MS) for start, end in (outer, inner)]
    assert fills(ns[0], ns[1]) == expected
