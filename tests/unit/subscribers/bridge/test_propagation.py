"""Trace context over MCP: `_meta` out and in, and between a real client and a real server."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mcp import Client, StdioServerParameters
from mcp.types import RequestParamsMeta
from opentelemetry import baggage, trace
from opentelemetry import context as otel_context
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.trace import SpanContext, SpanKind, StatusCode

from instrument import Bus
from subscribers import Options, extract, inject
from subscribers.wiring import wire
from tests.support.services.otlp_receiver import Receiver, attributes
from tests.unit.subscribers.bridge.test_bridge import parent_id, span_id, values
from tests.unit.subscribers.conftest import Traced

ROOT = Path(__file__).resolve().parents[4]
TRACE, SPAN = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"


def parent_of(context: object) -> SpanContext:
    assert isinstance(context, dict)
    return trace.get_current_span(context).get_span_context()  # type: ignore[arg-type] # a Context


async def test_a_message_sent_inside_an_operation_names_its_span(traced: Traced) -> None:
    meta: dict[str, Any] = {"progressToken": 7}
    async with traced.bus.operation("tool_call", tool_name="t", args={}):
        inject(meta)
    span = traced.one("execute_tool t")
    assert span.context is not None
    ids = f"{span.context.trace_id:032x}-{span.context.span_id:016x}"
    flags = f"{span.context.trace_flags:02x}"
    assert meta == {"progressToken": 7, "traceparent": f"00-{ids}-{flags}"}
    before = dict(meta)
    async with traced.bus.operation("tool_call", tool_name="other", args={}):
        inject(meta)
    assert meta == before, "what is there stays"


def test_without_a_span_nothing_is_written(traced: Traced) -> None:
    meta: dict[str, Any] = {}
    inject(meta)
    assert meta == {}


@pytest.mark.parametrize("meta", [None, "meta", [], 5])
async def test_what_is_no_mapping_is_left_alone(traced: Traced, meta: Any) -> None:
    async with traced.bus.operation("tool_call", tool_name="t", args={}):
        inject(meta)


def test_baggage_does_not_leave(traced: Traced) -> None:
    meta: dict[str, Any] = {}
    token = otel_context.attach(baggage.set_baggage("user", "somebody"))
    with traced.tracer.start_as_current_span("s"):
        inject(meta)
    otel_context.detach(token)
    assert list(meta) == ["traceparent"]


@pytest.mark.parametrize(
    ("traceparent", "is_valid"),
    [
        (f"00-{TRACE}-{SPAN}-01", True),
        (f"00-{TRACE}-{SPAN}-03", True),
        (f"01-{TRACE}-{SPAN}-01-extra", True),
        (f"ff-{TRACE}-{SPAN}-01", False),
        (f"00-{TRACE.upper()}-{SPAN}-01", False),
        (f"00-{'0' * 32}-{SPAN}-01", False),
        (f"00-{TRACE}-{'0' * 16}-01", False),
        (f"00-{TRACE}-{SPAN}", False),
        (f"00-{TRACE[:-2]}-{SPAN}-01", False),
        ("x" * 100_000, False),
        (5, False),
        (None, False),
        (["00"], False),
    ],
)
def test_a_traceparent_counts_in_w3c_form_only(traceparent: Any, is_valid: bool) -> None:
    found = extract({"traceparent": traceparent, "tracestate": "a=b"})
    assert (found is not None) == is_valid
    if found is not None:
        parent = parent_of(found)
        assert (parent.trace_id, parent.span_id) == (int(TRACE, 16), int(SPAN, 16))
        assert parent.is_remote


@given(st.recursive(st.none() | st.integers() | st.text(), lambda inner: st.lists(inner)
    | st.dictionaries(st.sampled_from(["traceparent", "tracestate", "x"]), inner)))  # fmt: skip
def test_any_meta_is_read_without_an_exception(meta: Any) -> None:
    extract(meta)


def call(meta: Any) -> dict[str, Any]:
    params = {"name": "t", "arguments": {}, "_meta": meta}
    return {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}


async def test_a_request_that_arrives_is_a_child_of_its_sender_and_linked_to_here(
    traced: Traced,
) -> None:
    meta = {"traceparent": f"00-{TRACE}-{SPAN}-01"}
    with traced.tracer.start_as_current_span("POST /mcp") as http:
        async with (
            traced.bus.operation("rpc_handle", envelope=call(meta), transport="http"),
            traced.bus.operation("tool_call", tool_name="t", args={}),
        ):
            pass
        assert trace.get_current_span() is http
    handled, tool = traced.one("tools/call t"), traced.one("execute_tool t")
    assert handled.kind is SpanKind.SERVER
    assert handled.context is not None
    assert handled.context.trace_id == int(TRACE, 16)
    assert parent_id(handled) == int(SPAN, 16)
    assert handled.parent is not None
    assert handled.parent.is_remote
    assert [link.context.span_id for link in handled.links] == [http.get_span_context().span_id]
    assert parent_id(tool) == span_id(handled)


@pytest.mark.parametrize("meta", [None, {}, 5, {"traceparent": "nonsense"}])
async def test_a_request_without_context_belongs_to_where_it_arrived(
    traced: Traced, meta: Any
) -> None:
    with traced.tracer.start_as_current_span("POST /mcp") as http:
        async with traced.bus.operation("rpc_handle", envelope=call(meta), transport="http"):
            pass
    handled = traced.one("tools/call t")
    assert parent_id(handled) == http.get_span_context().span_id
    assert handled.links == ()


async def test_a_peer_that_is_not_trusted_is_linked_only() -> None:
    traced = Traced(trusts_remote_context=False)
    envelope = call({"traceparent": f"00-{TRACE}-{SPAN}-01"})
    async with traced.bus.operation("rpc_handle", envelope=envelope, transport="http"):
        pass
    handled = traced.one("tools/call t")
    assert handled.parent is None
    assert [link.context.trace_id for link in handled.links] == [int(TRACE, 16)]


async def test_a_span_that_an_sdk_made_for_the_request_stays_between(traced: Traced) -> None:
    meta = {"traceparent": f"00-{TRACE}-{SPAN}-01"}
    with traced.tracer.start_as_current_span("tools/call t (SDK)", extract(meta)):
        async with traced.bus.operation("rpc_handle", envelope=call(meta), transport="stdio"):
            pass
    handled, sdk = traced.one("tools/call t"), traced.one("tools/call t (SDK)")
    assert parent_id(handled) == span_id(sdk)
    assert handled.links == ()


async def test_a_request_that_is_passed_on_is_no_duplicate(traced: Traced) -> None:
    theirs = {"mcp.method.name": "tools/call"}
    with traced.tracer.start_as_current_span("SDK", kind=SpanKind.SERVER, attributes=theirs):
        async with traced.bus.operation("rpc_request", envelope=call({}), transport="stdio"):
            pass
    assert "inspector.duplicate_of" not in values(traced.one("SDK"))


@pytest.mark.parametrize("tool", ["search", "other"])
async def test_a_span_that_core_made_around_ours_for_the_same_tool_is_its_duplicate(
    traced: Traced, tool: str
) -> None:
    theirs = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": tool}
    with traced.tracer.start_as_current_span("core", attributes=theirs):
        async with traced.bus.operation("tool_call", tool_name="search", args={}):
            pass
    ours = format(span_id(traced.one("execute_tool search")), "016x")
    found = values(traced.one("core")).get("inspector.duplicate_of")
    assert found == (ours if tool == "search" else None)


@pytest.mark.parametrize(
    ("code", "is_error"), [(-32602, False), (-32601, False), (-32700, False), (-32603, True)]
)
async def test_what_the_caller_did_wrong_is_no_error_of_the_server(
    traced: Traced, code: int, is_error: bool
) -> None:
    async with traced.bus.operation("rpc_handle", envelope=call({}), transport="stdio") as op:
        op.result = {"jsonrpc": "2.0", "id": 1, "error": {"code": code, "message": "m"}}
    async with traced.bus.operation("rpc_request", envelope=call({}), transport="stdio") as op:
        op.result = {"jsonrpc": "2.0", "id": 1, "error": {"code": code, "message": "m"}}
    for span in traced.named("tools/call t"):
        failed = is_error or span.kind is SpanKind.CLIENT
        assert values(span)["rpc.response.status_code"] == str(code)
        assert ("error.type" in values(span)) == failed
        assert (span.status.status_code is StatusCode.ERROR) == failed


# --- a real server over stdio -----------------------------------------------------------------

SERVER = """
import inspector
from instrument import operation
from mcp.server.mcpserver import MCPServer

handle = inspector.attach(integrations="off")  # it reports its own handling

async def announce(ctx, call_next):
    params = {**(ctx.params or {}), "_meta": dict(ctx.meta or {})}
    envelope = {"jsonrpc": "2.0", "method": ctx.method, "params": params}
    if ctx.request_id is not None:
        envelope["id"] = ctx.request_id
    async with operation("rpc_handle", envelope=envelope, transport="stdio") as op:
        result = await call_next(ctx)
        op.result = {"jsonrpc": "2.0", "id": ctx.request_id, "result": result}
    return result

server = MCPServer("adder", log_level="ERROR", middleware=[announce] if ANNOUNCES else [])
if not HAS_OTEL:
    del server.middleware[0]

@server.tool()
def add(a: int, b: int) -> int:
    return a + b

server.run()
handle.detach()
"""


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    receiver = Receiver()
    yield receiver
    receiver.close()


@pytest.mark.slow
@pytest.mark.parametrize("mode", [pytest.param("legacy", marks=pytest.mark.slow), "auto"])
@pytest.mark.parametrize(
    ("has_otel", "announces"), [(True, False), (True, True), (False, True)],
    ids=["SDK spans", "SDK spans and hooks", "hooks alone"],
)  # fmt: skip
async def test_client_and_server_are_in_one_trace(
    receiver: Receiver, tmp_path: Path, mode: str, has_otel: bool, announces: bool
) -> None:
    script = tmp_path / "adder.py"
    settings = f"ANNOUNCES, HAS_OTEL = {announces}, {has_otel}\n"
    script.write_text(settings + SERVER)
    provider = TracerProvider(shutdown_on_exit=False)
    bus = Bus()
    wiring = wire(
        receiver.url, None, options=Options(), set_global=False, bus=bus, tracer_provider=provider
    )
    environ = {
        "INSPECTOR_URL": receiver.url,
        "INSPECTOR_RUNTIME_DIR": str(tmp_path),
        "PYTHONPATH": str(ROOT),
    }
    parameters = StdioServerParameters(command=sys.executable, args=[str(script)], env=environ)
    try:
        async with Client(parameters, mode=mode) as client:
            kwargs: dict[str, Any] = {"tool_name": "add", "args": {"a": 1, "b": 2}}
            async with bus.operation("tool_call", **kwargs) as op:
                meta = RequestParamsMeta()
                inject(meta)  # type: ignore[arg-type] # a TypedDict is a dict when it runs
                op.result = await client.call_tool("add", kwargs["args"], meta=meta)
                assert op.result.structured_content == {"result": 3}
    finally:
        wiring.undo()
    expected = 1 + has_otel + announces
    receiver.wait_for(
        lambda r: len([s for s in r.spans if s.name.endswith((" add", "call add"))]) == expected
    )
    (tool,) = (span for span in receiver.spans if span.name == "execute_tool add")
    served = [span for span in receiver.spans if span.name == "tools/call add"]
    assert {span.kind for span in served} == {2}, "OTLP's number for SERVER"
    assert {span.trace_id for span in served} == {tool.trace_id}
    (outer,) = (span for span in served if span.parent_span_id == tool.span_id)
    inner = [span for span in served if span is not outer]
    assert [span.parent_span_id for span in inner] == [outer.span_id] * len(inner)
    for span in inner:
        values_ = attributes(outer.attributes)
        assert values_["inspector.duplicate_of"] == span.span_id.hex()
