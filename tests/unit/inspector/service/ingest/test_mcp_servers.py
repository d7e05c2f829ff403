"""The spans of one MCP connection are one session, where no attribute names another."""

from __future__ import annotations

from itertools import permutations

import pytest
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from inspector.service.model.incoming import IncomingSpan
from inspector.service.model.rows import Json
from tests.support.services.recorder_rig import Rig
from tests.support.telemetry.otlp import SECOND_NS, START_NS, span
from tests.support.telemetry.records import incoming, trace_hex

HERE: dict[str, Json] = {"inspector.mcp.connection.id": "here"}
THERE: dict[str, Json] = {"inspector.mcp.connection.id": "there"}


def message(
    trace: int,
    method: str = "tools/call",
    *,
    span_id: int = 1,
    parent: int | None = None,
    process: str | None = "p1",
    attributes: dict[str, Json] | None = None,
) -> IncomingSpan:
    sent = span(
        method,
        trace=trace,
        span_id=span_id,
        parent=parent,
        start_ns=START_NS + trace * SECOND_NS,
        attributes={"mcp.method.name": method, **(attributes or {})},
        kind=Span.SPAN_KIND_CLIENT if parent is None else Span.SPAN_KIND_SERVER,
        flags=0x101 if parent is None else 0x301,
    )
    return incoming(sent, process)


def test_each_connection_is_a_session_called_by_what_it_did() -> None:
    rig = Rig()
    rig.record(message(1, "initialize", attributes=HERE), message(2, attributes=HERE))
    rig.record(message(3, "tools/list", attributes=THERE))
    assert {row.id: row.title for row in rig.sessions().values()} == {
        "here": "tools/call",
        "there": "tools/list",
    }


@pytest.mark.parametrize("order", list(permutations(range(3))))
def test_a_span_around_a_call_that_does_not_name_its_tool_gives_no_title(
    order: tuple[int, ...],
) -> None:
    rig = Rig()
    tool: dict[str, Json] = {"mcp.method.name": "tools/call", "gen_ai.tool.name": "weigh"}
    spans = [
        message(1, "tools/list", attributes=HERE),
        message(2, attributes=HERE),
        incoming(span("tools/call weigh", trace=2, span_id=2, parent=1, attributes=tool), "p1"),
    ]
    for index in order:
        rig.record(spans[index])
    assert rig.session().title == "tools/call weigh"


@pytest.mark.parametrize("restarts", [False, True])
@pytest.mark.parametrize("order", list(permutations(range(3))))
def test_the_client_decides_which_session_both_ends_are(
    order: tuple[int, ...], *, restarts: bool
) -> None:
    rig = Rig()
    spans = [
        message(1),  # the SDK's own, around ours
        incoming(
            span(trace=1, span_id=2, parent=1, attributes={**HERE, "inspector.kind": "mcp"}), "p1"
        ),
        message(1, span_id=3, parent=2, process="p2", attributes=THERE),
    ]
    for index in order:
        rig.record(spans[index])
        if restarts:
            rig.restart()
    assert [*rig.sessions()] == ["here"]


def test_calls_of_an_agent_are_of_the_agents_session() -> None:
    rig = Rig()
    agent = span(trace=1, span_id=1, attributes={"gen_ai.operation.name": "invoke_agent"})
    rig.record(incoming(agent, "p1"), message(1, span_id=2, parent=1, attributes=HERE))
    named = message(2, attributes={**HERE, "session.id": "mine"})
    rig.record(named)
    assert {*rig.sessions()} == {trace_hex(1), "mine"}


def test_without_a_connection_it_is_the_process_and_without_that_the_trace() -> None:
    rig = Rig()
    rig.record(message(1), message(2), message(3, process=None))
    assert {*rig.sessions()} == {"mcp-p1", trace_hex(3)}


@pytest.mark.parametrize(
    ("version", "expected"), [("2025-11-25", "theirs"), ("2026-07-28", "mcp-p1"), (None, "theirs")]
)
def test_a_session_id_of_the_protocol_counts_in_the_era_that_has_sessions(
    version: str | None, expected: str
) -> None:
    named: dict[str, Json] = {"mcp.session.id": "theirs"}
    rig = Rig()
    rig.record(
        message(1, attributes=named | ({"mcp.protocol.version": version} if version else {}))
    )
    assert [*rig.sessions()] == [expected]


@pytest.mark.parametrize("order", list(permutations(range(4))))
@pytest.mark.parametrize("connection", [THERE, None])
def test_what_begins_at_the_end_that_answers_is_of_the_session_of_who_asks(
    order: tuple[int, ...], connection: dict[str, Json] | None
) -> None:
    rig = Rig()
    spans = [
        message(1, "initialize", attributes=HERE),
        message(1, "initialize", span_id=2, parent=1, process="p2", attributes=connection),
        message(2, "notifications/initialized", process="p2", attributes=connection),
        message(3, "tools/list", process="p2", attributes=connection),
    ]
    for index in order:
        rig.record(spans[index])
    assert {row.id: row.span_count for row in rig.sessions().values()} == {"here": 4}


@pytest.mark.parametrize(("process", "named"), [("p1", THERE), ("p2", THERE), ("p2", None)])
@pytest.mark.parametrize("order", list(permutations(range(4))))
def test_what_begins_at_a_server_that_an_agent_asks_is_of_the_agents_session(
    order: tuple[int, ...], process: str, named: dict[str, Json] | None
) -> None:
    rig = Rig()
    agent = span(trace=1, span_id=1, attributes={"gen_ai.operation.name": "invoke_agent"})
    notification = message(2, "notifications/initialized", process=process, attributes=named)
    notification.span.kind = Span.SPAN_KIND_SERVER
    spans = [
        incoming(agent, "p1"),
        message(1, span_id=2, parent=1),
        message(1, span_id=3, parent=2, process=process, attributes=THERE),
        notification,
    ]
    spans[1].span.kind = Span.SPAN_KIND_CLIENT
    for index in order:
        rig.record(spans[index])
    assert {row.id: row.span_count for row in rig.sessions().values()} == {trace_hex(1): 4}


def test_what_begins_at_an_end_that_several_ask_is_of_none_of_them() -> None:
    rig = Rig()
    for trace, asker in ((1, "p1"), (2, "p3")):
        rig.record(message(trace, process=asker))
        rig.record(message(trace, span_id=2, parent=1, process="p2"))
    rig.record(message(3, "tools/list", process="p2"))
    assert {*rig.sessions()} == {"mcp-p1", "mcp-p3", "mcp-p2"}


@pytest.mark.parametrize("is_server_watched", [False, True])
def test_a_call_that_the_sdk_sends_counts_once_whoever_else_reports_it(
    is_server_watched: bool,
) -> None:
    sent = span(
        "MCP send tools/call weigh",
        duration_ns=2 * SECOND_NS,
        attributes={"mcp.method.name": "tools/call"},
        kind=Span.SPAN_KIND_CLIENT,
        flags=0x101,
    )
    handled = message(1, span_id=2, parent=1, attributes={"gen_ai.tool.name": "weigh"})
    handled.span.end_time_unix_nano = handled.span.start_time_unix_nano + 1
    rig = Rig()
    rig.record(sent, *[handled] * is_server_watched)
    [row] = rig.sessions().values()
    assert row.tool_calls == 1
