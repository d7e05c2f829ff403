"""The adapter for FastMCP: its servers with and without a client, mounted ones, and its clients."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from anyio import BrokenResourceError
from fastmcp import Client, FastMCP
from fastmcp.exceptions import PromptError, ResourceError, ToolError
from fastmcp.tools.base import ToolResult
from mcp import MCPError
from mcp.types import TextContent

from inspector.integrations import fastmcp
from instrument import Bus, Decision
from tests.integrations.hook_log import HookLog
from tests.integrations.mcp_contract import McpContract, Shelf
from tests.support.services.process import Service, wait_for

pytestmark = pytest.mark.anyio

ROOT = Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / "examples" / "frameworks" / "fastmcp_server.py"
OPERATIONS = ("tool_call", "resource_fetch", "prompt_apply")


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(autouse=True)
def attached(bus: Bus, hooks: HookLog) -> Iterator[None]:
    detach = fastmcp.attach(bus=bus)
    yield
    detach()


@pytest.fixture
def shelf() -> Shelf:
    """A server with another mounted on it, and a tool that calls one of the same server."""
    shelf = Shelf(FastMCP("shelf"), ToolError)
    cellar: FastMCP[Any] = FastMCP("cellar")

    @cellar.tool
    def dig(depth: int) -> str:
        shelf.ran.append(depth)
        return f"{depth} m"

    @cellar.resource("cellar://wine")
    def wine() -> str:
        return "red"

    @cellar.prompt
    def taste(year: str) -> str:
        return f"Taste the {year}."

    @shelf.server.tool  # type: ignore[untyped-decorator]  # a server of any SDK
    async def fetch_two(first: str, second: str) -> str:
        for title in (first, second):
            await shelf.server.call_tool("fetch", {"title": title})
        return "two books"

    shelf.server.mount(cellar, namespace="deep")
    return shelf


def reported(hooks: HookLog) -> list[str]:
    """Return what was told as an operation, without the messages that carry it."""
    names = ("tool_name", "uri", "template_id")
    began = [one for noun in OPERATIONS for one in hooks.of(f"before_{noun}")]
    return [str(next(one[name] for name in names if name in one)) for one in began]


def text_of(result: ToolResult) -> str:
    (content,) = result.content
    assert isinstance(content, TextContent)
    return content.text


class TestContract(McpContract):
    framework = "fastmcp"
    make_server = FastMCP
    tool_error = ToolError
    request_error = MCPError
    cancelled = (asyncio.CancelledError, BrokenResourceError)  # its server is cancelled with it
    connect = staticmethod(lambda server, mode: Client(server, mode=mode))

    async def call(self, shelf: Shelf, mode: str, tool: str, **arguments: Any) -> tuple[bool, str]:
        async with Client(shelf.server, mode=mode) as client:
            result = await client.call_tool(tool, arguments, raise_on_error=False)
        (content,) = result.content
        assert isinstance(content, TextContent)
        return result.is_error, content.text


# --- a server without a client --------------------------------------------------------------------


@pytest.mark.shows("fastmcp", "tool", "tool_error")
async def test_calls_of_a_server_without_a_client_are_reported(
    hooks: HookLog, shelf: Shelf
) -> None:
    assert text_of(await shelf.server.call_tool("fetch", {"title": "Emma"})) == "the book Emma"
    with pytest.raises(ToolError, match="no Emma"):
        await shelf.server.call_tool("fail", {"title": "Emma"})

    call = hooks.one("after_tool_call")
    assert (call["tool_name"], call["args"]) == ("fetch", {"title": "Emma"})
    assert call["server_name"] == "shelf"
    assert isinstance(hooks.one("error_tool_call")["exc"], ToolError)


@pytest.mark.shows("fastmcp", "resources")
async def test_resources_and_prompts_of_a_server_without_a_client_are_reported(
    hooks: HookLog, shelf: Shelf
) -> None:
    await shelf.server.read_resource("shelf://top")
    await shelf.server.render_prompt("describe", {"title": "Emma"})

    assert hooks.one("after_resource_fetch")["mime_type"] == "text/plain"
    assert hooks.one("before_prompt_apply")["parameters"] == {"title": "Emma"}


@pytest.mark.shows("fastmcp", "deny")
async def test_what_is_denied_does_not_run_and_fails_as_the_framework_fails(
    bus: Bus, shelf: Shelf
) -> None:
    for noun in OPERATIONS:
        bus.intercept(f"before_{noun}", lambda **_: Decision.deny("not on Sundays"))

    with pytest.raises(ToolError, match="Denied: not on Sundays"):
        await shelf.server.call_tool("fetch", {"title": "Emma"})
    with pytest.raises(ResourceError, match="Denied: not on Sundays"):
        await shelf.server.read_resource("shelf://top")
    with pytest.raises(PromptError, match="Denied: not on Sundays"):
        await shelf.server.render_prompt("describe", {"title": "Emma"})
    assert shelf.ran == []


@pytest.mark.shows("fastmcp", "edit", "replace")
async def test_what_hooks_edit_and_replace_keeps_the_frameworks_types(
    bus: Bus, shelf: Shelf
) -> None:
    bus.intercept("before_tool_call", lambda **_: Decision.modify(args={"title": "Persuasion"}))
    bus.intercept("after_tool_call", lambda **_: Decision.modify(result="hidden"))
    bus.intercept("before_prompt_apply", lambda **_: Decision.modify(parameters={"title": "it"}))

    result = await shelf.server.call_tool("fetch", {"title": "Emma"})
    prompt = await shelf.server.render_prompt("describe", {"title": "Emma"})

    assert shelf.ran == ["Persuasion"]
    assert type(result) is ToolResult
    assert (text_of(result), result.structured_content) == ("hidden", {"result": "hidden"})
    assert prompt.messages[0].content.text == "Describe it."
    async with Client(shelf.server) as client:  # which checks it with the tool's schema
        assert (await client.call_tool("fetch", {"title": "Emma"})).data == "hidden"


async def test_a_wrong_call_fails_as_without_us(hooks: HookLog, shelf: Shelf) -> None:
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'name'"):
        await shelf.server.call_tool()
    with pytest.raises(Exception, match="Unknown tool"):
        await shelf.server.call_tool("none")

    assert reported(hooks) == ["none"]


# --- one call, one operation ----------------------------------------------------------------------


@pytest.mark.shows("fastmcp", "once")
@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_what_client_server_and_sdk_see_is_reported_once(
    hooks: HookLog, shelf: Shelf, mode: str
) -> None:
    async with Client(shelf.server, mode=mode) as client:
        await client.call_tool("fetch", {"title": "Emma"})
        await client.read_resource("shelf://top")
        await client.get_prompt("describe", {"title": "Emma"})

    assert reported(hooks) == ["fetch", "shelf://top", "describe"]
    (call,) = hooks.of("before_tool_call")
    requests = [
        one for one in hooks.of("before_rpc_request") if one["envelope"]["method"] == "tools/call"
    ]
    assert [one["parent_call_id"] for one in requests] == [call["call_id"]]


@pytest.mark.shows("fastmcp", "once")
@pytest.mark.parametrize("has_client", [True, False])
async def test_what_is_passed_on_to_a_mounted_server_is_reported_once(
    hooks: HookLog, shelf: Shelf, has_client: bool
) -> None:
    if has_client:
        async with Client(shelf.server) as client:
            await client.call_tool("deep_dig", {"depth": 3})
            await client.read_resource("cellar://deep/wine")
            await client.get_prompt("deep_taste", {"year": "1998"})
    else:
        await shelf.server.call_tool("deep_dig", {"depth": 3})
        await shelf.server.read_resource("cellar://deep/wine")
        await shelf.server.render_prompt("deep_taste", {"year": "1998"})

    assert reported(hooks) == ["deep_dig", "cellar://deep/wine", "deep_taste"]
    assert shelf.ran == [3]


async def test_a_tool_that_calls_another_is_above_it(hooks: HookLog, shelf: Shelf) -> None:
    await shelf.server.call_tool("fetch_two", {"first": "Emma", "second": "Sanditon"})

    outer, *inner = hooks.of("before_tool_call")
    assert [one["tool_name"] for one in inner] == ["fetch", "fetch"]
    assert {one["parent_call_id"] for one in inner} == {outer["call_id"]}


# --- targets --------------------------------------------------------------------------------------


async def test_only_the_targets_are_watched(shelf: Shelf) -> None:
    other, seen = Bus(), HookLog()
    other.observe_all(seen)
    mine, theirs = (Client(shelf.server, mode="legacy") for _ in range(2))
    lonely: FastMCP[Any] = FastMCP("lonely")
    lonely.tool(lambda: "text", name="text")
    detach = fastmcp.attach(mine, lonely, bus=other)
    async with mine, theirs:
        await mine.call_tool("fetch", {"title": "Emma"})
        await theirs.call_tool("fetch", {"title": "Sanditon"})
    await lonely.call_tool("text")
    await shelf.server.call_tool("fetch", {"title": "Lady Susan"})
    detach()

    assert reported(seen) == ["fetch", "text"]
    methods = [one["envelope"]["method"] for one in seen.of("before_rpc_request")]
    assert methods.count("tools/call") == 1
    assert seen.of("before_rpc_handle") == []


async def test_after_a_second_attach_nothing_is_reported_twice(
    bus: Bus, hooks: HookLog, shelf: Shelf
) -> None:
    fastmcp.attach(bus=bus)
    await shelf.server.call_tool("fetch", {"title": "Emma"})
    assert reported(hooks) == ["fetch"]


# --- from a real service --------------------------------------------------------------------------

SERVER = """
from fastmcp import Context, FastMCP

cellar = FastMCP("cellar")
mcp = FastMCP("shelf")
mcp.mount(cellar, namespace="deep")


@cellar.tool
def dig(depth: int) -> None:
    "Dig."


@mcp.tool
def fail() -> str:
    raise ValueError("no book")


@mcp.tool
async def ask(ctx: Context) -> str:
    return str((await ctx.elicit("Which?", response_type=bool)).action)


@mcp.resource("shelf://top")
def top() -> str:
    return "dust"


@mcp.prompt
def describe(title: str) -> str:
    return f"Describe {title}."


if __name__ == "__main__":
    mcp.run(show_banner=False)
"""
CLIENT = """
import asyncio, sys
from pathlib import Path
from fastmcp import Client
import inspector


async def agree(message, response_type, params, context):
    return {"value": True}


async def main():
    inspector.context.set("fastmcp-process")
    server = Path(sys.argv[1])
    async with Client(server, mode="legacy", elicitation_handler=agree) as client:
        await client.call_tool("deep_dig", {"depth": 2})
        await client.call_tool("fail", {}, raise_on_error=False)
        await client.call_tool("ask", {})
        await client.read_resource("shelf://top")
        await client.get_prompt("describe", {"title": "Emma"})


asyncio.run(main())
"""


@pytest.mark.slow
@pytest.mark.shows("fastmcp", "session", "once", "elicitation")
def test_spans_of_both_processes_nest_with_nothing_twice_and_no_warning(
    service: Service, tmp_path: Path
) -> None:
    for name, text in (("shelf.py", SERVER), ("client.py", CLIENT)):
        (tmp_path / name).write_text(text)
    done = subprocess.run(
        [
            *(sys.executable, "-m", "inspector", "run", "--", sys.executable, "-W", "always"),
            *(str(tmp_path / "client.py"), str(tmp_path / "shelf.py")),
        ],
        env={**service.environment, "INSPECTOR_URL": service.url, "INSPECTOR_TOKEN": service.token},
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert "FastMCPDeprecationWarning" not in done.stderr

    def shown() -> list[str]:
        spans = service.get("/sessions/fastmcp-process/spans")["spans"]
        kinds = ("tool", "resource", "prompt")
        return sorted(
            one["name"] for one in spans if one["duplicate_of"] is None and one["kind"] in kinds
        )

    expected = [
        *("execute_tool ask", "execute_tool deep_dig", "execute_tool fail"),
        *("prompts/get describe", "resources/read"),
    ]
    wait_for(lambda: shown() == expected, deadline_s=30)
    assert service.get("/sessions/fastmcp-process")["tool_calls"] == 3


@pytest.mark.slow
def test_the_example_runs_and_is_seen(service: Service) -> None:
    done = subprocess.run(
        [sys.executable, "-P", str(EXAMPLE)],
        env={
            **service.environment,
            **{"INSPECTOR_URL": service.url, "INSPECTOR_TOKEN": service.token},
            "PYTHONPATH": str(ROOT),
        },
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert done.stdout == "3\n"
    wait_for(lambda: service.get("/sessions/fastmcp-example")["tool_calls"] == 1, deadline_s=30)
