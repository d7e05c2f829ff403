"""Spans of hooks through the real SDK; the acceptance vectors of the telemetry mapping."""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import gc
import json
import logging
import threading
from typing import Any

import pytest
from opentelemetry import context as otel_context
from opentelemetry import trace
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.trace import SpanKind, StatusCode

from inspector.integrations.verdicts import ErrorResultError, ProviderError
from subscribers import Capture
from subscribers.bridge.spans import Call, OwnedSpan
from tests.unit.subscribers.conftest import Traced


class Llm:
    provider = "azure"
    model = "gpt-4o"


def parent_id(span: ReadableSpan) -> int | None:
    return span.parent.span_id if span.parent else None


def span_id(span: ReadableSpan) -> int:
    assert span.context is not None
    return int(span.context.span_id)


def values(span: ReadableSpan) -> dict[str, Any]:
    return dict(span.attributes or {})


async def test_an_operation_becomes_a_span_with_official_name_and_kind(traced: Traced) -> None:
    async with traced.bus.operation("llm_generate", llm=Llm(), prompt="hi") as op:
        op.result = {"role": "assistant", "content": "hello", "stop_reason": "end_turn"}
        op.set(usage={"input_tokens": 3, "output_tokens": 5})
    span = traced.one("chat gpt-4o")
    attributes = values(span)
    assert span.kind is SpanKind.CLIENT
    assert span.status.status_code is StatusCode.UNSET
    assert attributes["gen_ai.provider.name"] == "azure.ai.openai"
    assert attributes["mcp.llm.provider"] == "azure"
    assert attributes["gen_ai.usage.input_tokens"] == 3
    assert attributes["gen_ai.response.finish_reasons"] == ("stop",)
    assert json.loads(attributes["gen_ai.output.messages"])[0]["parts"][0]["content"] == "hello"
    assert json.loads(attributes["mcp.llm.prompt_json"])[0]["content"]["text"] == "hi"


async def test_attributes_are_known_when_the_span_starts(traced: Traced) -> None:
    async with traced.bus.operation("tool_call", tool_name="search", args={"q": 1}):
        span = trace.get_current_span()
        assert isinstance(span, ReadableSpan)
        assert values(span)["gen_ai.tool.name"] == "search"
        assert values(span)["gen_ai.tool.call.arguments"] == '{"q":1}'


async def test_operations_nest_and_foreign_spans_come_between(traced: Traced) -> None:
    async with traced.bus.operation("agent_call", agent={"name": "planner"}):
        with traced.tracer.start_as_current_span("http"):
            async with traced.bus.operation("tool_call", tool_name="search", args={}):
                with traced.tracer.start_as_current_span("db"):
                    pass
    agent, http = traced.one("invoke_agent planner"), traced.one("http")
    tool, db = traced.one("execute_tool search"), traced.one("db")
    assert parent_id(agent) is None
    assert parent_id(http) == span_id(agent)
    assert parent_id(tool) == span_id(http)
    assert parent_id(db) == span_id(tool)
    assert values(tool)["gen_ai.agent.name"] == "planner"


async def test_the_context_is_as_before_once_an_operation_is_over(traced: Traced) -> None:
    with traced.tracer.start_as_current_span("outer") as outer:
        async with traced.bus.operation("tool_call", tool_name="a", args={}):
            pass
        assert trace.get_current_span() is outer
    assert not trace.get_current_span().get_span_context().is_valid


async def test_what_others_made_current_meanwhile_stays_current(
    traced: Traced, caplog: pytest.LogCaptureFixture
) -> None:
    async with traced.bus.operation("tool_call", tool_name="t", args={}):
        foreign = traced.tracer.start_span("outlives the tool")
        token = otel_context.attach(trace.set_span_in_context(foreign))
    assert trace.get_current_span() is foreign
    foreign.end()
    otel_context.detach(token)
    async with traced.bus.operation("tool_call", tool_name="next", args={}):
        pass
    assert parent_id(traced.one("execute_tool next")) is None
    assert caplog.records == []


def test_sync_operations_nest(traced: Traced) -> None:
    with (
        traced.bus.operation("workflow_run", workflow={"name": "w"}, context=None),
        traced.bus.operation("tool_call", tool_name="t", args={}),
    ):
        pass
    workflow, tool = traced.one("invoke_workflow w"), traced.one("execute_tool t")
    assert parent_id(tool) == span_id(workflow)


# --- the ten vectors --------------------------------------------------------------------------


async def test_a_span_may_end_in_a_child_task(
    traced: Traced, caplog: pytest.LogCaptureFixture
) -> None:
    workflow = {"name": "w"}
    with traced.tracer.start_as_current_span("outer"):
        await traced.bus._emit("before_workflow_run", workflow=workflow, context=None)

        async def child() -> None:
            await traced.bus._emit("after_workflow_run", workflow=workflow, context=None, result=1)

        await asyncio.create_task(child())
        await traced.bus._emit("before_tool_call", tool_name="next", args={}, context=None)
        await traced.bus._emit(
            "after_tool_call", tool_name="next", args={}, result="x", context=None
        )
    outer = traced.one("outer")
    assert parent_id(traced.one("invoke_workflow w")) == span_id(outer)
    assert parent_id(traced.one("execute_tool next")) == span_id(outer)
    assert caplog.records == []


@pytest.mark.parametrize("is_bare", [True, False])
async def test_concurrent_calls_of_one_tool_keep_their_results(
    traced: Traced, is_bare: bool
) -> None:
    both_run = asyncio.Barrier(2)

    async def bare(query: str) -> None:
        kwargs: dict[str, Any] = {"tool_name": "search", "args": {"q": query}, "context": None}
        await traced.bus._emit("before_tool_call", **kwargs)
        await both_run.wait()
        await traced.bus._emit("after_tool_call", **kwargs, result=query)

    async def operation(query: str) -> None:
        async with traced.bus.operation("tool_call", tool_name="search", args={"q": query}) as op:
            await both_run.wait()
            op.result = query

    run = bare if is_bare else operation
    await asyncio.gather(run("one"), run("two"))
    found = traced.named("execute_tool search")
    assert len(found) == 2
    for span in found:
        arguments = json.loads(values(span)["gen_ai.tool.call.arguments"])
        result = json.loads(values(span)["gen_ai.tool.call.result"])
        assert arguments["q"] == result["result"]
        assert parent_id(span) is None


@pytest.mark.parametrize("is_bare", [True, False])
async def test_a_cancelled_tool_is_one_span_that_says_so(traced: Traced, is_bare: bool) -> None:
    started = asyncio.Event()

    async def work() -> None:
        if is_bare:
            await traced.bus._emit("before_tool_call", tool_name="slow", args={}, context=None)
            started.set()
            await asyncio.Event().wait()
        async with traced.bus.operation("tool_call", tool_name="slow", args={}):
            started.set()
            await asyncio.Event().wait()

    task = asyncio.create_task(work())
    await started.wait()
    task.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await task
    await asyncio.sleep(0)
    span = traced.one("execute_tool slow")
    assert values(span)["error.type"] == "cancelled"
    assert values(span)["inspector.cancelled"] is True
    assert values(span)["mcp.error.code"] == "CANCELLED"
    assert span.status.status_code is StatusCode.ERROR


@pytest.mark.parametrize(
    "response",
    [
        [{"role": "assistant", "content": "a"}, {"role": "assistant", "content": "b"}],
        object(),
        None,
        "text",
    ],
)
async def test_any_response_without_usage_ends_its_span(traced: Traced, response: Any) -> None:
    llm = Llm()
    await traced.bus._emit("before_llm_generate", llm=llm, prompt="hi")
    await traced.bus._emit("after_llm_generate", llm=llm, prompt="hi", response=response)
    attributes = values(traced.one("chat gpt-4o"))
    assert "gen_ai.usage.input_tokens" not in attributes
    if isinstance(response, list):
        messages = json.loads(attributes["gen_ai.output.messages"])
        assert [message["parts"][0]["content"] for message in messages] == ["a", "b"]


async def test_a_notification_and_a_request_may_interleave(traced: Traced) -> None:
    emit = traced.bus._emit
    note = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    request = {"jsonrpc": "2.0", "method": "tools/list", "params": {}}
    await emit("before_rpc_request", envelope=note, transport="stdio")
    await emit("before_rpc_request", envelope=request, transport="stdio")
    await emit(
        "after_rpc_response", envelope={"jsonrpc": "2.0"}, transport="stdio", duration_ms=1.5
    )
    assert [span.name for span in traced.spans] == ["notifications/initialized"]
    answer = {"jsonrpc": "2.0", "id": 7, "result": {"tools": []}}
    await emit("after_rpc_response", envelope=answer, transport="stdio", duration_ms=2.5)
    span = traced.one("tools/list")
    assert values(span)["jsonrpc.request.id"] == "7"
    assert values(span)["mcp.rpc.duration_ms"] == 2
    assert values(span)["network.transport"] == "pipe"
    assert span.kind is SpanKind.CLIENT


async def test_a_huge_prompt_is_cut_to_valid_json_and_marked(traced: Traced) -> None:
    async with traced.bus.operation("llm_generate", llm=Llm(), prompt="é\n" * 2**20):
        pass
    attributes = values(traced.one("chat gpt-4o"))
    for key in ("gen_ai.input.messages", "mcp.llm.prompt_json"):
        assert len(attributes[key].encode()) <= 30_720
        assert json.loads(attributes[key])
        assert key in attributes["inspector.truncated"]
    assert attributes["mcp.llm.prompt_json_truncated"] is True


class Settings:
    """Looks like mcp-agent's settings: a `repr` would show the key."""

    def __init__(self) -> None:
        self.api_key = "sk-verysecretverysecret"

    def __repr__(self) -> str:
        return f"Settings(api_key={self.api_key!r})"


async def test_a_secret_in_arguments_or_context_never_leaves(traced: Traced) -> None:
    settings = Settings()
    arguments = {
        "settings": settings,
        "api_key": settings.api_key,
        "note": f"use {settings.api_key} please",
        "nested": [{"headers": {"Authorization": "Bearer abcdefghijklmnopqrstuvwxyz"}}],
    }
    kwargs: dict[str, Any] = {"tool_name": "t", "args": arguments, "context": settings}
    with pytest.raises(RuntimeError):
        async with traced.bus.operation("tool_call", **kwargs):
            raise RuntimeError(f"refused {settings.api_key}")
    text = traced.one("execute_tool t").to_json()
    assert "verysecret" not in text
    assert "abcdefghijklmnop" not in text
    assert "[redacted]" in text


async def test_a_tool_that_answers_with_an_error_is_an_error(traced: Traced) -> None:
    async with traced.bus.operation("tool_call", tool_name="t", args={}) as tool:
        envelope = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "t"}}
        async with traced.bus.operation(
            "rpc_request", envelope=envelope, transport="stdio", server_name="s"
        ) as rpc:
            result = {"content": [{"type": "text", "text": "no such file"}], "isError": True}
            rpc.result = {"jsonrpc": "2.0", "id": 1, "result": result}
        tool.result = result
    assert len(traced.spans) == 1
    span = traced.one("execute_tool t")
    attributes = values(span)
    assert span.status.status_code is StatusCode.ERROR
    assert span.status.description == "no such file"
    assert attributes["error.type"] == "tool_error"
    assert attributes["mcp.status.code"] == "error"
    assert attributes["mcp.method.name"] == "tools/call"
    assert attributes["inspector.mcp.server.name"] == "s"


IN_A_RESULT = "no house of ada"
MCP_ERROR = {"isError": True, "content": [{"type": "text", "text": IN_A_RESULT}]}


def rpc(name: str, **answer: Any) -> tuple[str, dict[str, Any], Any]:
    envelope = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": name}}
    kwargs = {"envelope": envelope, "transport": "http"}
    return "rpc_handle", kwargs, {"jsonrpc": "2.0", "id": 1, **answer}


def tool(name: str, outcome: Any) -> tuple[str, dict[str, Any], Any]:
    return "tool_call", {"tool_name": name, "args": {}}, outcome


@pytest.mark.parametrize("capture", [Capture.OFF, Capture.REDACTED])
async def test_what_an_error_result_says_is_content_and_what_an_exception_says_is_not(
    capture: Capture,
) -> None:
    traced = Traced(capture=capture)
    for noun, kwargs, outcome in (
        tool("a", ErrorResultError(IN_A_RESULT, None)),
        tool("b", MCP_ERROR),
        tool("c", {"error": {"code": 404, "message": IN_A_RESULT}}),
        rpc("d", result=MCP_ERROR),
        tool("e", RuntimeError("no connection")),
        tool("f", ProviderError("too many requests", None)),
        rpc("g", error={"code": -32603, "message": "no disk"}),
    ):
        with contextlib.suppress(ErrorResultError, RuntimeError):
            async with traced.bus.operation(noun, **kwargs) as operation:
                if isinstance(outcome, Exception):
                    raise outcome
                operation.result = outcome
    traced.off()

    assert {span.status.status_code for span in traced.spans} == {StatusCode.ERROR}
    descriptions = {span.name.split()[-1]: span.status.description for span in traced.spans}
    in_a_result = None if capture is Capture.OFF else IN_A_RESULT
    assert descriptions == {
        **dict.fromkeys("abcd", in_a_result),
        **{"e": "no connection", "f": "too many requests", "g": "no disk"},
    }
    is_sent = any(IN_A_RESULT in span.to_json() for span in traced.spans)
    assert is_sent == (capture is not Capture.OFF)


async def test_an_sdk_that_raises_never_reaches_the_emitter(
    traced: Traced, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*args: Any, **kwargs: Any) -> None:
        raise RuntimeError("SDK")

    monkeypatch.setattr("opentelemetry.sdk.trace.Tracer.start_span", broken)
    async with traced.bus.operation("tool_call", tool_name="t", args={}) as op:
        op.result = 1
    assert traced.spans == []


# --- merging ----------------------------------------------------------------------------------


def call_envelope(tool: str, request_id: int | None = 1) -> dict[str, Any]:
    envelope = {"jsonrpc": "2.0", "method": "tools/call", "params": {"name": tool, "arguments": {}}}
    return envelope if request_id is None else {**envelope, "id": request_id}


async def test_only_the_first_request_of_a_tool_call_is_merged(traced: Traced) -> None:
    async with traced.bus.operation("tool_call", tool_name="t", args={}):
        for attempt in (1, 2):
            async with traced.bus.operation(
                "rpc_request", envelope=call_envelope("t", attempt), transport="http"
            ) as rpc:
                rpc.result = {"jsonrpc": "2.0", "id": attempt, "result": {"content": []}}
    tool, retry = traced.one("execute_tool t"), traced.one("tools/call t")
    assert parent_id(retry) == span_id(tool)
    assert values(tool)["jsonrpc.request.id"] == "1"
    assert values(retry)["jsonrpc.request.id"] == "2"


async def test_a_failed_merged_request_leaves_the_verdict_to_the_tool(traced: Traced) -> None:
    async with traced.bus.operation("tool_call", tool_name="t", args={}) as tool:
        async with traced.bus.operation(
            "rpc_request", envelope=call_envelope("t"), transport="stdio"
        ) as rpc:
            rpc.result = {"jsonrpc": "2.0", "id": 1, "error": {"code": -32000, "message": "busy"}}
        tool.result = "from the cache"
    span = traced.one("execute_tool t")
    assert values(span)["rpc.response.status_code"] == "-32000"
    assert "error.type" not in values(span)
    assert span.status.status_code is StatusCode.UNSET


async def test_bare_rpc_hooks_merge_too(traced: Traced) -> None:
    emit, envelope = traced.bus._emit, call_envelope("t", None)
    await emit("before_tool_call", tool_name="t", args={}, context=None)
    await emit("before_rpc_request", envelope=envelope, transport="stdio")
    answer = {"jsonrpc": "2.0", "id": 3, "result": {"content": []}}
    await emit("after_rpc_response", envelope=answer, transport="stdio", duration_ms=1)
    await emit("after_tool_call", tool_name="t", args={}, result="x", context=None)
    assert values(traced.one("execute_tool t"))["jsonrpc.request.id"] == "3"
    assert len(traced.spans) == 1


@pytest.mark.parametrize(
    ("noun", "kwargs", "envelope", "name"),
    [
        (
            "resource_fetch",
            {"uri": "file:///a"},
            {"method": "resources/read", "params": {"uri": "file:///a"}},
            "resources/read",
        ),
        (
            "prompt_apply",
            {"template_id": "greet", "parameters": {}},
            {"method": "prompts/get", "params": {"name": "greet", "arguments": {}}},
            "prompts/get greet",
        ),
        (
            "tool_call",
            {"tool_name": "fetch_fetch", "args": {}},
            call_envelope("fetch"),
            "execute_tool fetch_fetch",
        ),
    ],
)
async def test_requests_of_resources_prompts_and_tools_with_their_server_are_merged(
    traced: Traced, noun: str, kwargs: dict[str, Any], envelope: dict[str, Any], name: str
) -> None:
    async with (
        traced.bus.operation(noun, **kwargs),
        traced.bus.operation("rpc_request", envelope=envelope, transport="stdio"),
    ):
        pass
    assert len(traced.spans) == 1
    assert values(traced.one(name))["inspector.mcp.transport"] == "stdio"


async def test_a_request_for_another_tool_is_not_merged(traced: Traced) -> None:
    async with (
        traced.bus.operation("tool_call", tool_name="outer", args={}),
        traced.bus.operation("rpc_request", envelope=call_envelope("inner"), transport="stdio"),
    ):
        pass
    assert len(traced.spans) == 2


async def test_progress_notifications_have_no_span(traced: Traced) -> None:
    envelope = {"jsonrpc": "2.0", "method": "notifications/progress", "params": {}}
    async with traced.bus.operation("rpc_request", envelope=envelope, transport="stdio"):
        pass
    await traced.bus._emit("before_rpc_request", envelope=envelope, transport="stdio")
    await traced.bus._emit(
        "after_rpc_response", envelope={"jsonrpc": "2.0"}, transport="stdio", duration_ms=1
    )
    assert traced.spans == []


async def test_the_negotiated_protocol_version_is_remembered(traced: Traced) -> None:
    async def request(method: str, result: dict[str, Any]) -> None:
        envelope = {"jsonrpc": "2.0", "id": 1, "method": method, "params": {}}
        async with traced.bus.operation(
            "rpc_request", envelope=envelope, transport="stdio", server_name="files"
        ) as rpc:
            rpc.result = {"jsonrpc": "2.0", "id": 1, "result": result}

    await request("initialize", {"protocolVersion": "2025-11-25"})
    await request("tools/list", {"tools": []})
    assert values(traced.one("tools/list"))["mcp.protocol.version"] == "2025-11-25"


# --- errors and ends --------------------------------------------------------------------------


async def test_an_exception_ends_the_span_as_an_error(traced: Traced) -> None:
    with pytest.raises(ValueError, match="no"):
        async with traced.bus.operation("tool_call", tool_name="t", args={}):
            raise ValueError("no")
    span = traced.one("execute_tool t")
    assert span.status.status_code is StatusCode.ERROR
    assert span.status.description == "no"
    assert values(span)["error.type"] == "ValueError"
    (event,) = span.events
    assert event.name == "exception"
    assert dict(event.attributes or {}) == {
        "exception.type": "ValueError",
        "exception.message": "no",
    }


async def test_error_type_and_status_always_agree(traced: Traced) -> None:
    for outcome in ("ok", "raise"):
        with contextlib.suppress(RuntimeError):
            async with traced.bus.operation("agent_call", agent={"name": outcome}):
                if outcome == "raise":
                    raise RuntimeError
    for span in traced.spans:
        has_type = "error.type" in values(span)
        assert has_type == (span.status.status_code is StatusCode.ERROR)


async def test_a_span_whose_end_was_never_reported_ends_with_its_parent(traced: Traced) -> None:
    async with traced.bus.operation("agent_call", agent={"name": "a"}):
        await traced.bus._emit("before_tool_call", tool_name="lost", args={}, context=None)
    tool = traced.one("execute_tool lost")
    assert values(tool)["inspector.incomplete"] is True
    assert tool.status.status_code is StatusCode.UNSET


async def test_an_announced_operation_may_outlive_its_parent(traced: Traced) -> None:
    go_on, is_open = asyncio.Event(), asyncio.Event()

    async def background() -> None:
        async with traced.bus.operation("tool_call", tool_name="late", args={}) as op:
            is_open.set()
            await go_on.wait()
            op.result = "done"

    async with traced.bus.operation("agent_call", agent={"name": "a"}):
        task = asyncio.create_task(background())
        await is_open.wait()
    assert [span.name for span in traced.spans] == ["invoke_agent a"]
    go_on.set()
    await task
    tool = traced.one("execute_tool late")
    assert parent_id(tool) == span_id(traced.one("invoke_agent a"))
    assert "inspector.incomplete" not in values(tool)


async def test_a_task_that_dies_ends_what_it_left_open(traced: Traced) -> None:
    async def work() -> None:
        await traced.bus._emit("before_tool_call", tool_name="t", args={}, context=None)
        raise OSError("initialize failed")

    with contextlib.suppress(OSError):
        await asyncio.create_task(work())
    await asyncio.sleep(0)
    span = traced.one("execute_tool t")
    assert values(span)["error.type"] == "OSError"
    assert values(span)["inspector.incomplete"] is True


def owned_spans() -> int:
    gc.collect()
    return sum(type(thing) is OwnedSpan for thing in gc.get_objects())


@pytest.mark.slow
@pytest.mark.parametrize("has_parent", [False, True])
@pytest.mark.parametrize("ends_in_child_task", [False, True])
async def test_a_task_of_many_bare_calls_keeps_none_of_them(
    traced: Traced, has_parent: bool, ends_in_child_task: bool
) -> None:
    hook: dict[str, Any] = {"tool_name": "t", "args": {}, "context": None}
    async with contextlib.AsyncExitStack() as stack:
        if has_parent:
            agent = traced.bus.operation("agent_call", agent={"name": "a"})
            await stack.enter_async_context(agent)
        before = owned_spans()
        for _ in range(50):
            await traced.bus._emit("before_tool_call", **hook)
            end = traced.bus._emit("after_tool_call", **hook, result="x")
            await (asyncio.create_task(end) if ends_in_child_task else end)
        # The context may still name the last one, which ended elsewhere.
        assert owned_spans() - before <= ends_in_child_task
        assert len(traced.named("execute_tool t")) == 50


async def test_an_end_without_a_beginning_is_an_orphan(traced: Traced) -> None:
    await traced.bus._emit("after_tool_call", tool_name="t", args={}, result="x", context=None)
    span = traced.one("execute_tool t")
    assert values(span)["inspector.orphan"] is True
    assert not trace.get_current_span().get_span_context().is_valid


async def test_turning_it_off_ends_what_is_open(traced: Traced) -> None:
    async with traced.bus.operation("tool_call", tool_name="t", args={}):
        traced.off()
    assert values(traced.one("execute_tool t"))["inspector.incomplete"] is True
    async with traced.bus.operation("tool_call", tool_name="later", args={}):
        pass
    assert len(traced.spans) == 1


async def test_a_session_that_finishes_ends_its_bare_spans(traced: Traced) -> None:
    emit = traced.bus._emit
    await emit("session_started", session_id="s", metadata={"title": "Plan", "engine": "asyncio"})
    await emit("before_workflow_run", workflow={"name": "w"}, context=None)
    await emit("session_finished", session_id="s", status="completed", error=None)
    span = traced.one("invoke_workflow w")
    assert values(span)["inspector.incomplete"] is True
    assert values(span)["session.id"] == "s"
    assert values(span)["inspector.session.title"] == "Plan"


# --- streaming and custom nouns ---------------------------------------------------------------


async def test_what_the_consumer_does_between_chunks_is_not_a_child(traced: Traced) -> None:
    async def pieces() -> Any:
        with traced.tracer.start_as_current_span("provider"):
            for piece in "ab":
                yield piece

    async def generate() -> Any:
        async with traced.bus.operation("llm_generate", llm=Llm(), prompt="p") as op:
            async for piece in op.stream(pieces()):
                yield piece
            op.result = "ab"

    async with contextlib.aclosing(generate()) as stream:
        async for _ in stream:
            async with traced.bus.operation("tool_call", tool_name="between", args={}):
                pass
    llm = traced.one("chat gpt-4o")
    for tool in traced.named("execute_tool between"):
        assert parent_id(tool) is None
    assert parent_id(traced.one("provider")) == span_id(llm)
    assert values(llm)["inspector.stream.chunk_count"] == 2
    assert values(llm)["gen_ai.response.time_to_first_chunk"] >= 0


async def test_a_generator_that_is_left_early_closes_its_span(
    traced: Traced, caplog: pytest.LogCaptureFixture
) -> None:
    async def generate() -> Any:
        async with traced.bus.operation("llm_generate", llm=Llm(), prompt="p"):
            yield 1
            yield 2

    stream = generate()
    assert await anext(stream) == 1
    await asyncio.create_task(stream.aclose())
    assert values(traced.one("chat gpt-4o"))["error.type"] == "cancelled"
    async with traced.bus.operation("tool_call", tool_name="after", args={}):
        pass
    assert parent_id(traced.one("execute_tool after")) is None
    assert [record for record in caplog.records if record.levelno >= logging.WARNING] == []


async def test_a_workflow_that_is_not_reported_has_no_name(traced: Traced) -> None:
    await traced.bus._emit("before_workflow_run")
    await traced.bus._emit("after_workflow_run")
    assert "gen_ai.workflow.name" not in values(traced.one("invoke_workflow"))


async def test_a_noun_of_ones_own_gets_a_span_of_its_name(traced: Traced) -> None:
    async with traced.bus.operation("rank_results", query="x"):
        pass
    span = traced.one("rank_results")
    assert span.kind is SpanKind.INTERNAL
    assert json.loads(values(span)["inspector.operation.input"]) == {"query": "x"}


async def test_children_of_a_model_selection_belong_to_its_parent(traced: Traced) -> None:
    async with (
        traced.bus.operation("agent_call", agent={"name": "a"}),
        traced.bus.operation("model_select", available_models=["m"], preferences={}),
        traced.bus.operation("tool_call", tool_name="t", args={}),
    ):
        pass
    assert parent_id(traced.one("execute_tool t")) == span_id(traced.one("invoke_agent a"))


async def test_decided_arguments_replace_those_it_was_opened_with(traced: Traced) -> None:
    emit = traced.bus._emit
    opened = {"tool_name": "t", "args": {"q": "before"}, "context": None}
    await emit(
        "operation_opened", call_id="1", parent_call_id=None, noun="tool_call", kwargs=opened
    )
    decided = {**opened, "args": {"q": "after"}, "call_id": "1", "parent_call_id": None}
    await emit("before_tool_call", **decided)
    await emit("after_tool_call", **decided, result="r")
    assert traced.spans == []
    await emit("operation_closed", call_id="1", noun="tool_call", status="ok", exc=None)
    arguments = values(traced.one("execute_tool t"))["gen_ai.tool.call.arguments"]
    assert json.loads(arguments) == {"q": "after"}


@pytest.mark.parametrize(
    ("status", "error_type", "code"),
    [
        ("denied", "denied", StatusCode.ERROR),
        ("cancelled", "cancelled", StatusCode.ERROR),
        ("stopped", None, StatusCode.UNSET),
    ],
)
async def test_an_operation_that_never_began_still_says_how_it_ended(
    traced: Traced, status: str, error_type: str | None, code: StatusCode
) -> None:
    emit = traced.bus._emit
    opened: dict[str, Any] = {"tool_name": "t", "args": {}, "context": None}
    await emit(
        "operation_opened", call_id="1", parent_call_id=None, noun="tool_call", kwargs=opened
    )
    await emit("operation_closed", call_id="1", noun="tool_call", status=status, exc=None)
    span = traced.one("execute_tool t")
    assert values(span).get("error.type") == error_type
    assert span.status.status_code is code


# --- bounds -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("limit", "identity"),
    [("MAX_CALLS", lambda n: {"call_id": str(n)}), ("MAX_OPEN_BARE", lambda n: {})],
)
async def test_of_too_many_open_spans_the_oldest_counts_as_lost(
    traced: Traced, monkeypatch: pytest.MonkeyPatch, limit: str, identity: Any
) -> None:
    monkeypatch.setattr(f"subscribers.bridge.spans.{limit}", 5)
    for number in range(8):
        context = contextvars.Context()  # each a task of its own: none is inside another
        kwargs = {"tool_name": f"t{number}", "args": {}, "context": None, **identity(number)}
        context.run(traced.bus._emit_sync, "before_tool_call", **kwargs)
    assert [span.name for span in traced.spans] == [f"execute_tool t{n}" for n in range(3)]
    assert all(values(span)["inspector.incomplete"] is True for span in traced.spans)


@pytest.mark.slow
@pytest.mark.parametrize("noun", ["rpc_request", "rpc_handle"])
async def test_quiet_notifications_leave_nothing_behind(traced: Traced, noun: str) -> None:
    envelope = {"jsonrpc": "2.0", "method": "notifications/progress", "params": {}}
    identity = {"call_id": "1", "transport": "stdio"}
    after = "after_rpc_response" if noun == "rpc_request" else "after_rpc_handle"
    before = open_calls()
    for _ in range(3):
        await traced.bus._emit(f"before_{noun}", envelope=envelope, **identity)
        await traced.bus._emit(after, envelope={"jsonrpc": "2.0"}, duration_ms=1, **identity)
        async with traced.bus.operation(noun, envelope=envelope, transport="stdio"):
            pass
    assert open_calls() == before
    assert traced.spans == []


def open_calls() -> int:
    gc.collect()
    return sum(type(thing) is Call for thing in gc.get_objects())


def test_two_threads_that_end_one_span_end_it_once(
    traced: Traced, caplog: pytest.LogCaptureFixture
) -> None:
    hook: dict[str, Any] = {"tool_name": "t", "args": {}, "context": None}
    ready = threading.Barrier(3)

    def end(call_id: str) -> None:
        ready.wait(10)
        traced.bus._emit_sync("operation_closed", call_id=call_id, noun="tool_call", status="ok")

    for number in range(20):
        identity = {"call_id": str(number), "parent_call_id": None, "noun": "tool_call"}
        traced.bus._emit_sync("operation_opened", kwargs=hook, **identity)
        threads = [threading.Thread(target=end, args=[str(number)]) for _ in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(10)
    assert len(traced.named("execute_tool t")) == 20
    assert caplog.records == []


def test_a_span_that_has_ended_does_not_wait_for_the_garbage_collector(traced: Traced) -> None:
    def count() -> int:
        return sum(type(thing) is OwnedSpan for thing in gc.get_objects())

    gc.collect()
    gc.disable()
    try:
        before = count()
        with traced.bus.operation("tool_call", tool_name="fetch", args={}):
            assert count() == before + 1
        assert count() == before
    finally:
        gc.enable()
