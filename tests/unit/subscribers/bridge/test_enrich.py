"""`enrich`: what hooks say goes on the spans that the emitter makes itself."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Iterator
from typing import Any

import pytest
from opentelemetry import context as otel_context
from opentelemetry.context import Context
from opentelemetry.trace import SpanKind, StatusCode

from subscribers import SpanMode, read_options
from tests.unit.subscribers.bridge.test_bridge import parent_id, span_id, values
from tests.unit.subscribers.conftest import Traced


@pytest.fixture
def traced() -> Iterator[Traced]:
    token = otel_context.attach(Context())
    traced = Traced(mode=SpanMode.ENRICH)
    yield traced
    traced.off()
    otel_context.detach(token)


def test_it_is_enabled_by_name_only() -> None:
    assert read_options(environ={}).mode is SpanMode.OWN
    assert read_options(environ={"INSPECTOR_SPAN_MODE": "enrich"}).mode is SpanMode.ENRICH


async def test_the_span_that_is_current_gets_the_attributes_and_keeps_the_rest(
    traced: Traced,
) -> None:
    with traced.tracer.start_as_current_span("Agent.call_tool", kind=SpanKind.CLIENT) as core:
        async with traced.bus.operation("tool_call", tool_name="search", args={"q": 1}) as op:
            op.result = "found"
            await traced.bus._emit("session_paused", session_id="s", signal_name="x", prompt="?")
        assert core.is_recording()
    (span,) = traced.spans
    assert (span.name, span.kind) == ("Agent.call_tool", SpanKind.CLIENT)
    assert values(span)["gen_ai.tool.name"] == "search"
    assert values(span)["mcp.tool.input_json"] == '{"q":1}'
    assert values(span)["gen_ai.tool.call.result"] == '{"result":"found"}'
    assert [event.name for event in span.events] == ["inspector.session.paused"]
    assert "inspector.duplicate_of" not in values(span)


async def test_hooks_without_a_call_id_do_so_too(traced: Traced) -> None:
    emit = traced.bus._emit
    tool: dict[str, Any] = {"tool_name": "t", "args": {}, "context": None}
    with traced.tracer.start_as_current_span("core"):
        await emit("before_tool_call", **tool)
        await emit("after_tool_call", **tool, result={"isError": True, "content": []})
    (span,) = traced.spans
    assert values(span)["error.type"] == "tool_error"
    assert span.status.status_code is StatusCode.ERROR


async def test_an_operation_inside_one_that_has_the_span_gets_its_own(traced: Traced) -> None:
    with traced.tracer.start_as_current_span("core"):
        async with (
            traced.bus.operation("agent_call", agent={"name": "a"}),
            traced.bus.operation("tool_call", tool_name="t", args={}),
        ):
            pass
        async with traced.bus.operation("agent_call", agent={"name": "next"}):
            pass
    core, tool = traced.one("core"), traced.one("execute_tool t")
    assert parent_id(tool) == span_id(core)
    assert values(core)["gen_ai.agent.name"] == "next", "it was free again"
    assert "gen_ai.tool.name" not in values(core)
    assert values(tool)["gen_ai.agent.name"] == "a"


async def test_two_operations_at_once_do_not_share_a_span(traced: Traced) -> None:
    both_run = asyncio.Barrier(2)

    async def run(name: str) -> None:
        async with traced.bus.operation("tool_call", tool_name=name, args={}):
            await both_run.wait()

    with traced.tracer.start_as_current_span("core"):
        await asyncio.gather(run("one"), run("two"))
    names = [values(span)["gen_ai.tool.name"] for span in traced.spans]
    assert sorted(names) == ["one", "two"]
    assert len(traced.named("core")) == 1


async def test_without_a_span_the_bridge_makes_one(traced: Traced) -> None:
    async with traced.bus.operation("tool_call", tool_name="t", args={}):
        pass
    assert values(traced.one("execute_tool t"))["gen_ai.tool.name"] == "t"


async def test_a_span_that_ended_before_its_last_hook_is_left_alone(
    traced: Traced, caplog: pytest.LogCaptureFixture
) -> None:
    with contextlib.suppress(ValueError), caplog.at_level(logging.WARNING):
        stack = contextlib.ExitStack()
        stack.enter_context(traced.tracer.start_as_current_span("core"))
        async with traced.bus.operation("tool_call", tool_name="t", args={}):
            stack.close()
            raise ValueError("late")
    (span,) = traced.spans
    assert "error.type" not in values(span)
    assert caplog.records == []
