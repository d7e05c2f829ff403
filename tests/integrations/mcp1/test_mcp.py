"""The adapter for the MCP SDK, 1.x: in an environment of its own."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, suppress
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest

if not version("mcp").startswith("1."):
    pytest.skip("needs mcp 1.x", allow_module_level=True)

from mcp import ClientSession, McpError, StdioServerParameters, stdio_client
from mcp.server.fastmcp import Context, FastMCP
from mcp.server.fastmcp.exceptions import ToolError
from mcp.shared.memory import create_connected_server_and_client_session as connected
from mcp.types import CallToolResult, ElicitResult
from pydantic import AnyUrl, BaseModel

from inspector.integrations import mcp
from instrument import Bus, Decision
from tests.integrations.hook_log import HookLog
from tests.integrations.mcp_contract import McpContract, Shelf

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(autouse=True)
def attached(bus: Bus, hooks: HookLog) -> Iterator[Callable[[], None]]:
    detach = mcp.attach(bus=bus)
    yield detach
    detach()


class Form(BaseModel):
    channel: str


@pytest.fixture
def shelf() -> Shelf:
    """A shelf with tools that report progress, ask the user, and never return."""
    shelf = Shelf(FastMCP("shelf", log_level="ERROR"), ToolError)

    @shelf.server.tool()
    async def count(ctx: Context) -> str:  # type: ignore[type-arg,unused-ignore]  # its own
        await ctx.report_progress(1, 2, "half")
        return "2"

    @shelf.server.tool()
    async def confirm(ctx: Context) -> str:  # type: ignore[type-arg,unused-ignore]  # its own
        return str((await ctx.elicit("Shelve it?", Form)).action)

    @shelf.server.tool()
    async def sleep() -> str:
        await asyncio.sleep(60)
        return "awake"

    return shelf


@asynccontextmanager
async def connect(server: Any, mode: str = "", **callbacks: Any) -> AsyncIterator[ClientSession]:
    async with connected(server._mcp_server, **callbacks) as client:
        yield client


class TestContract(McpContract):
    framework = "mcp1"
    make_server = staticmethod(partial(FastMCP, log_level="ERROR"))
    tool_error = ToolError
    request_error = McpError
    connect = staticmethod(connect)
    as_uri = staticmethod(AnyUrl)
    modes = ("1.x",)


def text_of(result: CallToolResult) -> str:
    (content,) = result.content
    return str(content.text)  # type: ignore[union-attr,unused-ignore]  # it is a text


async def accept(context: Any, params: Any) -> ElicitResult:
    return ElicitResult(action="accept", content={"channel": "beta"})


def of_client(hooks: HookLog, hook: str) -> list[dict[str, Any]]:
    """Return the emissions of the client: the server in this process is watched too."""
    return [one for one in hooks.of(hook) if hooks.parent_noun(one) != "rpc_handle"]


@pytest.mark.shows("mcp1", "tool", "messages", "progress")
async def test_a_call_is_reported_with_its_messages_and_progress(
    hooks: HookLog, shelf: Shelf
) -> None:
    async def report(progress: float, total: float | None, message: str | None) -> None: ...

    async with connect(shelf.server) as client:
        await client.call_tool("count", {}, progress_callback=report)
    (call,) = of_client(hooks, "after_tool_call")
    assert (call["tool_name"], call["server_name"]) == ("count", "shelf")
    (request,) = [
        one for one in hooks.of("before_rpc_request") if one["envelope"]["method"] == "tools/call"
    ]
    assert request["parent_call_id"] == call["call_id"]
    assert [one["percent"] for one in hooks.of("progress_update")] == [50.0]
    (handled,) = [
        one
        for one in hooks.of("after_rpc_handle")
        if one["request_envelope"]["method"] == "tools/call"
    ]
    assert handled["envelope"]["result"]["content"][0]["text"] == "2"


@pytest.mark.shows("mcp1", "elicitation")
async def test_what_a_server_asks_lies_below_the_call(hooks: HookLog, shelf: Shelf) -> None:
    async with connect(shelf.server, elicitation_callback=accept) as client:
        assert text_of(await client.call_tool("confirm", {})) == "accept"
    (request,) = [
        one
        for one in hooks.of("before_rpc_handle")
        if one["envelope"]["method"] == "elicitation/create"
    ]
    assert hooks.parent_noun(request) == "rpc_request"


@pytest.mark.shows("mcp1", "deny")
async def test_a_server_alone_can_deny_too(attached: Callable[[], None], shelf: Shelf) -> None:
    attached()
    here = Bus()
    detach = mcp.attach(shelf.server, bus=here)
    here.intercept("before_tool_call", lambda **_: Decision.deny("closed"))
    async with connect(shelf.server) as client:
        result = await client.call_tool("fetch", {"title": "Emma"})
        detach()
        again = await client.call_tool("fetch", {"title": "Emma"})
    assert (result.isError, text_of(result)) == (True, "Denied: closed")
    assert (shelf.ran, text_of(again)) == (["Emma"], "the book Emma")


@pytest.mark.shows("mcp1", "cancellation")
async def test_an_abandoned_call_is_closed_with_its_connection(
    hooks: HookLog, shelf: Shelf
) -> None:
    async with connect(shelf.server) as client:
        with suppress(TimeoutError):
            await asyncio.wait_for(client.call_tool("sleep", {}), 0.2)
    (call,) = of_client(hooks, "error_tool_call")
    assert isinstance(call["exc"], asyncio.CancelledError)


@pytest.mark.shows("mcp1", "concurrency")
async def test_calls_at_the_same_time_keep_their_own_messages(hooks: HookLog, shelf: Shelf) -> None:
    async with connect(shelf.server) as client:
        await asyncio.gather(*(client.call_tool("count", {}) for _ in range(10)))
    calls = {one["call_id"] for one in of_client(hooks, "before_tool_call")}
    requests = [
        one["parent_call_id"]
        for one in hooks.of("before_rpc_request")
        if one["envelope"]["method"] == "tools/call"
    ]
    assert (len(calls), set(requests)) == (10, calls)


@pytest.mark.slow
@pytest.mark.shows("mcp1", "transport")
async def test_a_server_over_stdio_comes_and_goes(hooks: HookLog) -> None:
    program = (
        "import sys; from mcp.server.fastmcp import FastMCP; sys.stderr.write('warned\\n');"
        "FastMCP('piped', log_level='ERROR').run()"
    )
    process = StdioServerParameters(command=sys.executable, args=["-c", program])
    with open(os.devnull, "w") as log:  # noqa: PTH123, ASYNC230 - nothing is read or written
        async with (
            stdio_client(process, errlog=log) as (read, write),
            ClientSession(read, write) as client,
        ):
            await client.initialize()
    assert hooks.one("transport_connected")["uri"] == f"stdio:{sys.executable}"
    assert hooks.one("transport_disconnected")["server_name"] == "piped"
    assert hooks.one("server_output")["text"] == "warned\n"


def test_a_request_carries_the_trace_of_its_caller(tmp_path: Path) -> None:
    from opentelemetry.sdk.trace import TracerProvider

    seen: list[Any] = []
    bus, server = Bus(), FastMCP("shelf", log_level="ERROR")
    detach = mcp.attach(bus=bus)

    @server.tool()
    async def meta(ctx: Context) -> str:  # type: ignore[type-arg,unused-ignore]  # its own
        seen.append(ctx.request_context.meta)
        return "seen"

    async def main() -> None:
        tracer = TracerProvider().get_tracer("test")
        async with connected(server._mcp_server) as client:
            with tracer.start_as_current_span("outer") as span:
                await client.call_tool("meta", {})
                trace_id = f"{span.get_span_context().trace_id:032x}"
        assert trace_id in str(seen[0])

    asyncio.run(main())
    detach()
