"""The adapter for the MCP SDK, 2.x: real clients and servers, over pipes and in one process."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, MCPError, StdioServerParameters, stdio_client
from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import CallToolResult, CreateMessageResult, ElicitResult, TextContent

from inspector.integrations import mcp
from instrument import Bus, Decision
from tests.integrations.hook_log import HookLog
from tests.integrations.mcp_contract import McpContract, Shelf

pytestmark = pytest.mark.anyio

SERVERS = Path(__file__).resolve().parents[1] / "support" / "services" / "mcp_servers.py"


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(autouse=True)
def attached(bus: Bus, hooks: HookLog) -> Iterator[None]:
    detach = mcp.attach(bus=bus)
    yield
    detach()


async def accept(context: Any, params: Any) -> ElicitResult:
    return ElicitResult(action="accept", content={"channel": "beta"})


async def sample(context: Any, params: Any) -> CreateMessageResult:
    text = TextContent(type="text", text="In short.")
    return CreateMessageResult(role="assistant", content=text, model="made-up")


@asynccontextmanager
async def over_stdio(kind: str, **callbacks: Any) -> AsyncIterator[Client]:
    process = StdioServerParameters(command=sys.executable, args=["-P", str(SERVERS), kind])
    mode = "auto" if kind == "modern" else "legacy"
    with open(os.devnull, "w") as log:  # noqa: PTH123, ASYNC230 - nothing is read or written
        async with Client(
            stdio_client(process, errlog=log), mode=mode, elicitation_callback=accept, **callbacks
        ) as client:
            yield client


@pytest.fixture
def shelf() -> Shelf:
    return Shelf(MCPServer("shelf", log_level="ERROR"), ToolError)


class TestContract(McpContract):
    framework = "mcp"
    make_server = staticmethod(partial(MCPServer, log_level="ERROR"))
    tool_error = ToolError
    request_error = MCPError
    connect = staticmethod(lambda server, mode: Client(server, mode=mode))

    async def test_a_result_that_is_replaced_by_its_json_has_the_sdks_type(
        self, bus: Bus, shelf: Shelf, mode: str
    ) -> None:
        content = [{"type": "text", "text": "hidden"}]
        bus.intercept("after_tool_call", lambda **_: Decision.modify(result={"content": content}))

        assert await self.call(shelf, mode, "fetch", title="Emma") == (False, "hidden")


def text_of(result: CallToolResult) -> str:
    (content,) = result.content
    assert isinstance(content, TextContent)
    return content.text


@pytest.mark.slow
@pytest.mark.shows("mcp", "tool", "messages", "progress", "transport")
async def test_a_call_is_reported_with_its_messages_and_progress_below_it(
    hooks: HookLog,
) -> None:
    async def report(progress: float, total: float | None, message: str | None) -> None: ...

    async with over_stdio("modern") as client:
        await client.call_tool("count", {}, progress_callback=report)
    call = hooks.one("after_tool_call")
    assert (call["tool_name"], call["server_name"]) == ("count", "release desk")
    assert text_of(call["result"]) == "3"
    (request,) = [
        one for one in hooks.of("before_rpc_request") if one["envelope"]["method"] == "tools/call"
    ]
    assert request["parent_call_id"] == call["call_id"]
    assert {"id", "jsonrpc", "params"} <= request["envelope"].keys()
    reports = hooks.of("progress_update")
    assert [one["message"] for one in reports] == ["counted 1", "counted 2", "counted 3"]
    assert {one["operation_id"] for one in reports} == {request["call_id"]}
    assert hooks.one("transport_connected")["uri"].startswith("stdio:")
    assert hooks.one("transport_disconnected")["server_name"] == "release desk"


@pytest.mark.slow
@pytest.mark.shows("mcp", "elicitation")
async def test_what_a_server_asks_lies_below_the_call_that_it_asks_it_during(
    hooks: HookLog,
) -> None:
    async with over_stdio("legacy", sampling_callback=sample) as client:
        await client.call_tool("confirm", {})
        await client.call_tool("summarise", {})
    requests = [one for one in hooks.of("before_rpc_handle") if "id" in one["envelope"]]
    methods = [one["envelope"]["method"] for one in requests]
    assert methods == ["elicitation/create", "sampling/createMessage"]
    assert {hooks.parent_noun(one) for one in requests} == {"rpc_request"}
    answers = [one["envelope"]["result"] for one in hooks.of("after_rpc_handle")]
    assert answers[0]["action"] == "accept"


@pytest.mark.slow
async def test_the_rounds_of_a_call_are_one_call(hooks: HookLog) -> None:
    async with over_stdio("modern") as client:
        result = await client.call_tool("publish", {})
    assert text_of(result) == "published on beta"
    call = hooks.one("before_tool_call")
    rounds = [
        one for one in hooks.of("before_rpc_request") if one["envelope"]["method"] == "tools/call"
    ]
    assert [one["parent_call_id"] for one in rounds] == [call["call_id"]] * 2


@pytest.mark.slow
@pytest.mark.shows("mcp", "cancellation")
async def test_an_abandoned_call_is_reported_as_cancelled(hooks: HookLog) -> None:
    async with over_stdio("legacy") as client:
        with suppress(TimeoutError):
            await asyncio.wait_for(client.call_tool("sleep", {}), 0.2)
    assert isinstance(hooks.one("error_tool_call")["exc"], asyncio.CancelledError)
    cancelled = hooks.one("operation_cancelled")
    assert cancelled["call_id"] == hooks.one("error_rpc_request")["call_id"]


@pytest.mark.slow
@pytest.mark.shows("mcp", "tool_error")
async def test_a_server_that_dies_leaves_nothing_open_and_its_last_words(
    hooks: HookLog,
) -> None:
    with suppress(BaseException):
        async with over_stdio("modern") as client:
            await client.call_tool("crash", {})
    assert isinstance(hooks.one("error_tool_call")["exc"], MCPError)
    assert isinstance(hooks.one("error_rpc_request")["exc"], ConnectionError)
    assert hooks.one("server_output")["text"] == "out of memory\n"


async def test_a_missing_command_is_reported_as_failed(hooks: HookLog) -> None:
    with pytest.raises((OSError, ExceptionGroup)):
        async with Client(StdioServerParameters(command="/no/such/server")):
            raise AssertionError
    failed = hooks.one("transport_failed")
    assert (failed["step"], failed["uri"]) == ("spawn", "stdio:/no/such/server")
    assert isinstance(failed["exc"], OSError)


@pytest.mark.slow
async def test_what_a_server_writes_to_its_log_still_arrives_there(tmp_path: Path) -> None:
    log = tmp_path / "log"
    process = StdioServerParameters(command=sys.executable, args=["-P", str(SERVERS), "modern"])
    with suppress(BaseException), log.open("w") as file:
        async with Client(stdio_client(process, errlog=file)) as client:
            await client.call_tool("crash", {})
    assert log.read_text() == "out of memory\n"


async def test_a_message_that_is_refused_is_not_sent(bus: Bus, shelf: Shelf) -> None:
    async def refuse(envelope: Any, **_: Any) -> Decision | None:
        return Decision.deny("quiet") if envelope["method"] == "tools/call" else None

    bus.intercept("before_rpc_request", refuse)
    async with Client(shelf.server, mode="legacy") as client:
        with pytest.raises(MCPError, match="Denied: quiet"):
            await client.call_tool("fetch", {"title": "Emma"})
    assert shelf.ran == []


async def test_a_call_whose_message_an_agent_reports_too_is_reported_once(
    bus: Bus, hooks: HookLog, shelf: Shelf
) -> None:
    async with Client(shelf.server) as client:
        args = {"title": "Emma"}
        envelope = {"jsonrpc": "2.0", "method": "tools/call"}
        async with (
            bus.operation("tool_call", tool_name="fetch", args=args),
            bus.operation("rpc_request", envelope=envelope, transport="stdio"),
        ):
            await client.call_tool("fetch", args)
    assert hooks.one("before_tool_call")["tool_name"] == "fetch"
    assert shelf.ran == ["Emma"]


@pytest.mark.slow
@pytest.mark.shows("mcp", "concurrency")
async def test_calls_at_the_same_time_keep_their_own_messages(hooks: HookLog) -> None:
    async with over_stdio("modern") as client:
        await asyncio.gather(*(client.call_tool("count", {}) for _ in range(10)))
    calls = {one["call_id"] for one in hooks.of("before_tool_call")}
    requests = [
        one["parent_call_id"]
        for one in hooks.of("before_rpc_request")
        if one["envelope"]["method"] == "tools/call"
    ]
    assert len(calls) == 10
    assert set(requests) == calls
    assert len(requests) == 10


async def test_a_server_reports_what_it_handles(hooks: HookLog, shelf: Shelf) -> None:
    async with Client(shelf.server) as client:
        await client.call_tool("fail", {"title": "Emma"})
    (handled,) = [
        one
        for one in hooks.of("after_rpc_handle")
        if one["request_envelope"]["method"] == "tools/call"
    ]
    assert handled["server_name"] == "shelf"
    assert handled["envelope"]["result"]["isError"] is True
    assert shelf.ran == ["Emma"]


async def test_a_failing_observer_changes_nothing(bus: Bus, shelf: Shelf) -> None:
    def broken(*_: Any, **__: Any) -> None:
        raise ValueError("observer")

    bus.observe_all(broken)
    async with Client(shelf.server, mode="legacy") as client:
        result = await client.call_tool("fetch", {"title": "Emma"})
    assert text_of(result) == "the book Emma"


async def test_only_the_targets_are_watched(hooks: HookLog, shelf: Shelf, bus: Bus) -> None:
    other, seen = Bus(), HookLog()
    other.observe_all(seen)
    mine, theirs = (Client(shelf.server, mode="legacy") for _ in range(2))
    detach = mcp.attach(mine, bus=other)
    async with mine, theirs:
        await mine.call_tool("fetch", {"title": "Emma"})
        await theirs.call_tool("fetch", {"title": "Emma"})
    detach()
    assert len(seen.of("before_tool_call")) == 1
    assert len([e for e in seen.of("before_rpc_request") if "id" in e["envelope"]]) == 3
    assert seen.of("before_rpc_handle") == []


async def test_after_a_second_attach_nothing_is_reported_twice(
    bus: Bus, hooks: HookLog, shelf: Shelf
) -> None:
    mcp.attach(bus=bus)
    async with Client(shelf.server) as client:
        await client.call_tool("fetch", {"title": "Emma"})
    assert len(hooks.of("before_tool_call")) == 1
