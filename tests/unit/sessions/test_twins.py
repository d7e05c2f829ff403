"""One operation told by two spans: the inner one is marked, and counted once."""

from __future__ import annotations

from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from inspector.model import Json
from inspector.normalise.twins import fills
from tests.support.desk import Desk
from tests.support.otlp import START_NS, span
from tests.support.telemetry import span_hex

MS = 1_000_000
LLM: dict[str, Json] = {"gen_ai.operation.name": "chat", "gen_ai.request.model": "gpt-4o"}
TOOL: dict[str, Json] = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "search"}
USAGE: dict[str, Json] = {"gen_ai.usage.input_tokens": 100, "gen_ai.usage.output_tokens": 7}


def told(
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
    desk = Desk()
    spans = [
        told(1, {"gen_ai.operation.name": "invoke_agent", **USAGE}),
        told(2, {**LLM, **USAGE}, parent=1),
        told(
            3, {**LLM, **USAGE, "gen_ai.request.model": "gpt-4o-2024-11-20"}, parent=2, ms=(2, 99)
        ),
    ]
    for index in order:
        desk.take(spans[index])
        if restarts:
            desk.restart()
    assert desk.span(3).duplicate_of == span_hex(2)
    assert desk.span(2).duplicate_of is None
    row = desk.session()
    assert (row.llm_calls, row.input_tokens, row.output_tokens) == (1, 100, 7)


@pytest.mark.parametrize("order", list(permutations(range(3))))
@pytest.mark.parametrize("restarts", [False, True])
@pytest.mark.parametrize("original", [2, 3])
def test_a_span_that_its_sender_marked_as_the_twin_of_one_inside_is_the_only_twin(
    order: tuple[int, ...], restarts: bool, original: int
) -> None:
    desk = Desk()
    method: dict[str, Json] = {"mcp.method.name": "tools/call", "gen_ai.tool.name": "search"}
    spans = [
        told(1, {**method, "inspector.duplicate_of": span_hex(original)}),
        told(2, method, parent=1),
        told(3, method, parent=2),
    ]
    for index in order:
        desk.take(spans[index])
        if restarts:
            desk.restart()
    marks = [desk.span(number).duplicate_of for number in (1, 2, 3)]
    assert marks.count(None) == 1
    assert marks[0] == span_hex(original)
    if original == 2:
        assert marks[1:] == [None, span_hex(2)]


@pytest.mark.parametrize("inner_usage", [{}, USAGE])
@pytest.mark.parametrize("outer_usage", [{}, USAGE])
def test_usage_counts_once_whichever_of_the_two_states_it(
    inner_usage: dict[str, Json], outer_usage: dict[str, Json]
) -> None:
    desk = Desk()
    desk.take(told(2, {**LLM, **inner_usage}, parent=1), told(1, {**LLM, **outer_usage}))
    assert desk.session().input_tokens == (100 if inner_usage or outer_usage else 0)
    assert desk.session().llm_calls == 1


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
        desk = Desk()
        pair = [told(1, LLM), told(2, inner, parent=1, ms=ms)]
        desk.take(*(pair if is_outer_first else reversed(pair)))
        assert desk.span(2).duplicate_of is None


def test_a_tool_is_the_same_by_its_name_wherever_that_stands() -> None:
    desk = Desk()
    client: dict[str, Json] = {"mcp.method.name": "tools/call"}
    desk.take(
        told(3, client, parent=2, name="MCP send tools/call fetch"),
        told(2, client, parent=1, name="MCP send tools/call search"),
        told(1, TOOL),
    )
    assert desk.span(2).duplicate_of == span_hex(1)
    assert desk.span(3).duplicate_of is None
    assert desk.session().tool_calls == 2


def test_the_other_end_of_a_call_is_no_twin() -> None:
    desk = Desk()
    method: dict[str, Json] = {"mcp.method.name": "tools/list"}
    server = told(2, method, parent=1)
    server.flags = 0x301
    desk.take(server, told(1, method))
    assert desk.span(2).duplicate_of is None


def test_a_model_call_that_still_runs_has_no_twin_yet() -> None:
    desk = Desk()
    running = told(1, LLM)
    running.end_time_unix_nano = 0
    desk.take(running, told(2, LLM, parent=1))
    assert desk.span(2).duplicate_of is None
    desk.take(told(1, LLM))
    assert desk.span(2).duplicate_of == span_hex(1)


def test_many_that_wait_are_bounded() -> None:
    desk = Desk()
    for number in range(2, 60):
        desk.take(told(number, LLM, parent=1, ms=(0, number)))
    desk.take(told(100, LLM, parent=1, ms=(1, 100)))
    desk.take(told(1, LLM))
    assert desk.span(100).duplicate_of == span_hex(1)
    assert desk.span(59).duplicate_of is None


def test_a_helper_of_an_instrumentation_counts_for_nothing() -> None:
    desk = Desk()
    desk.take(told(1, {"mcp.method.name": "tools/list"}))
    desk.take(told(2, {}, parent=1, name="ResponseStreamWriter"))
    assert desk.span(2).duplicate_of == span_hex(1)


def test_a_call_of_the_same_tool_with_another_id_is_another_call() -> None:
    desk = Desk()
    desk.take(
        told(2, {**TOOL, "gen_ai.tool.call.id": "b"}, parent=1),
        told(1, {**TOOL, "gen_ai.tool.call.id": "a"}),
    )
    assert desk.span(2).duplicate_of is None


TIMES = st.tuples(st.integers(0, 100), st.integers(0, 100)).map(sorted).map(tuple)


@given(TIMES, TIMES)
def test_filling_is_what_it_says(outer: tuple[int, int], inner: tuple[int, int]) -> None:
    shared_ms = len(range(max(outer[0], inner[0]), min(outer[1], inner[1])))
    beside_ms = outer[1] - outer[0] - shared_ms
    expected = shared_ms > 0 and (beside_ms <= 1 or beside_ms / (outer[1] - outer[0]) <= 0.05)
    ns = [(start * MS, end * MS) for start, end in (outer, inner)]
    assert fills(ns[0], ns[1]) == expected
