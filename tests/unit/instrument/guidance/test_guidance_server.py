"""The example server, driven by a real client over stdio."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, MCPDeprecationWarning, MCPError, StdioServerParameters
from mcp.client import ClientRequestContext
from mcp.types import (
    CallToolResult,
    CreateMessageRequestParams,
    CreateMessageResult,
    LoggingMessageNotificationParams,
    TextContent,
)

ROOT = Path(__file__).resolve().parents[4]
PARAMETERS = StdioServerParameters(
    command=sys.executable,
    args=[str(ROOT / "examples" / "guidance_server.py")],
    env={"PYTHONPATH": str(ROOT)},
)

Log = asyncio.Queue[tuple[str, str]]
Connect = Callable[..., AbstractAsyncContextManager[Client]]


@pytest.fixture
def log() -> Log:
    """Messages of MCP logging: level and text."""
    return asyncio.Queue()


@pytest.fixture
def connect(log: Log) -> Connect:
    """Start a server of one's own and connect to it."""

    async def on_log(params: LoggingMessageNotificationParams) -> None:
        log.put_nowait((params.level, str(params.data)))

    @asynccontextmanager
    async def connected(**options: Any) -> AsyncIterator[Client]:
        options = {"log_level": "notice", "logging_callback": on_log, **options}
        async with asyncio.timeout(60), Client(PARAMETERS, **options) as client:
            yield client

    return connected


async def can_sample(
    context: ClientRequestContext, params: CreateMessageRequestParams
) -> CreateMessageResult:
    raise NotImplementedError  # only the capability matters


both_protocols = pytest.mark.parametrize(
    "mode", ["auto", pytest.param("legacy", marks=pytest.mark.slow)]
)
"""That of 2026-07-28, and that with a handshake."""


def texts(result: CallToolResult) -> list[str]:
    return [part.text for part in result.content if isinstance(part, TextContent)]


@pytest.mark.slow
@both_protocols
async def test_the_prompt_is_the_composed_text_in_the_role_of_the_assistant(
    mode: str, connect: Connect
) -> None:
    async with connect(mode=mode) as client:
        prompt = await client.get_prompt("guidance")

    [message] = prompt.messages
    assert message.role == "assistant"
    assert isinstance(message.content, TextContent)
    text = message.content.text
    assert text.startswith("> The following sections use requirement levels defined in [RFC 2119]")
    wanted = ["## MUST", "`session_init`", "## MUST NOT", "passwords", "## SHOULD", "## MAY"]
    positions = [text.index(part) for part in wanted]
    assert positions == sorted(positions)
    assert "Notes Are in Memory" in text


@pytest.mark.slow
@both_protocols
async def test_what_was_skipped_comes_as_a_notice(mode: str, connect: Connect, log: Log) -> None:
    async with connect(mode=mode) as client:
        await client.get_prompt("guidance", {"type": "session", "lifecycle": "start"})
        logged = await log.get()

    assert logged == (
        "notice",
        "1 hook was skipped (conditions not met): sampling-guide (requires features: sampling). "
        "Call with different context to include them.",
    )
    assert log.empty()


@pytest.mark.slow
async def test_a_client_that_can_sample_gets_the_hook_for_it_and_no_notice(
    connect: Connect, log: Log
) -> None:
    async with connect(sampling_callback=can_sample) as client:
        prompt = await client.get_prompt("guidance")

    assert "### Summaries" in str(prompt.messages[0].content)
    assert log.empty()


@pytest.mark.slow
async def test_a_moment_without_guidance_is_an_empty_prompt(connect: Connect) -> None:
    async with connect() as client:
        prompt = await client.get_prompt("guidance", {"type": "config", "lifecycle": "end"})

    assert prompt.messages == []


@pytest.mark.slow
@both_protocols
async def test_a_tool_before_session_init_is_refused_and_does_not_run(
    mode: str, connect: Connect
) -> None:
    async with connect(mode=mode) as client:
        refused = await client.call_tool("add_note", {"text": "too early"})
        begun = await client.call_tool("session_init", {})
        first = await client.call_tool("add_note", {"text": "in time"})
        notes = await client.call_tool("read_notes", {})

    assert refused.is_error
    assert texts(refused) == [
        'Tool "add_note" requires session initialization. You MUST call session_init first '
        "before using any other tools. This is a MANDATORY first action."
    ]
    assert texts(begun) == ["0 notes so far.", "Session initialized. Ready to work."]
    assert not first.is_error
    assert texts(first) == ["1 notes."]
    assert notes.structured_content == {"result": ["in time"]}


@pytest.mark.slow
async def test_a_tool_that_is_always_allowed_does_not_open_the_gate(connect: Connect) -> None:
    async with connect() as client:
        listed = await client.call_tool("list_hooks", {})
        refused = await client.call_tool("read_notes", {})

    assert listed.structured_content is not None
    assert "notes:session:start:welcome" in listed.structured_content["result"]
    assert refused.is_error


@pytest.mark.slow
async def test_hooks_are_registered_and_triggered_by_tools(connect: Connect) -> None:
    hook = {
        "tag": "tips",
        "type": "action",
        "lifecycle": "running",
        "name": "While It Runs",
        "requirement_level": "SHOULD",
        "request_id": "abc-123",
    }
    moment = {"type": "action", "lifecycle": "running"}
    async with connect() as client:
        await client.call_tool("session_init", {})
        registered = await client.call_tool("register_hook", hook)
        other = await client.call_tool("trigger_hooks", {**moment, "request_id": "def-456"})
        own = await client.call_tool("trigger_hooks", {**moment, "request_id": "abc-123"})

    assert texts(registered) == ["notes:action:running:tips"]
    assert texts(other) == ["No guidance for this moment."]
    assert "### While It Runs" in texts(own)[0]


@pytest.mark.slow
async def test_a_text_that_cannot_be_loaded_is_logged_as_an_error_and_reported(
    connect: Connect, log: Log
) -> None:
    hook = {
        "tag": "unwritten",
        "type": "config",
        "lifecycle": "start",
        "name": "Not Written Yet",
        "requirement_level": "MAY",
    }
    async with connect() as client:
        await client.call_tool("session_init", {})
        await client.call_tool("register_hook", hook)
        result = await client.call_tool("trigger_hooks", {"type": "config", "lifecycle": "start"})
        (first, error), (second, notice) = await log.get(), await log.get()

    assert not result.is_error
    assert texts(result) == ["No guidance for this moment."]
    assert (first, second) == ("error", "notice")
    assert error.startswith("Cannot load hook 'notes:config:start:unwritten': unwritten.md")
    assert notice == ("1 hook(s) failed to load: Not Written Yet (unwritten.md does not exist)")
    assert str(ROOT) not in error  # clients do not see the path


@pytest.mark.slow
async def test_a_hook_that_leads_elsewhere_is_refused_with_what_to_do(connect: Connect) -> None:
    hook = {
        "tag": "../../etc/passwd",
        "type": "config",
        "lifecycle": "start",
        "name": "Secrets",
        "requirement_level": "MAY",
    }
    async with connect() as client:
        await client.call_tool("session_init", {})
        result = await client.call_tool("register_hook", hook)

    assert result.is_error
    assert "tag is '../../etc/passwd'. Give 1 to 64 of a-z" in texts(result)[0]


@pytest.mark.slow
@both_protocols
async def test_what_a_tool_cannot_take_is_an_error_of_that_call_that_says_what_to_give(
    mode: str, connect: Connect
) -> None:
    moment = {"type": "action", "lifecycle": "running"}
    async with connect(mode=mode) as client:
        await client.call_tool("session_init", {})
        for name, arguments, wanted in (
            ("trigger_hooks", {**moment, "request_id": ""}, "request_id is ''. Give an id"),
            ("trigger_hooks", {**moment, "type": "tool"}, "'session', 'action'"),
            ("register_hook", {**moment, "tag": "x"}, "requirement_level\n  Field required"),
            ("add_note", {"text": "x" * 10_001}, "at most 10000 characters"),
            ("add_note", {}, "Field required"),
            ("forget_notes", {}, "Unknown tool: forget_notes"),
        ):
            result = await client.call_tool(name, arguments)
            assert result.is_error, name
            assert wanted in texts(result)[0]
        assert not (await client.call_tool("add_note", {"text": "still here"})).is_error


@both_protocols
@pytest.mark.slow
async def test_a_prompt_for_no_moment_says_which_there_are(mode: str, connect: Connect) -> None:
    async with connect(mode=mode) as client:
        with pytest.raises(MCPError, match=r"type is 'tool'\. Give one of session, action"):
            await client.get_prompt("guidance", {"type": "tool"})


@pytest.mark.slow
async def test_an_older_client_chooses_its_level_by_a_request(connect: Connect, log: Log) -> None:
    async with connect(mode="legacy") as client:
        with pytest.warns(MCPDeprecationWarning, match="logging capability is deprecated"):
            await client.set_logging_level("error")
        await client.get_prompt("guidance")
        capabilities = client.server_capabilities

    assert capabilities.logging is not None
    assert log.empty()
