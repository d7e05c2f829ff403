"""The hook contract, as the demo's agent keeps it."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any

import pytest
from mcp import Client
from mcp.server.lowlevel import Server
from mcp.types import CallToolResult, ListToolsResult, Tool

import instrument
from inspector.demo.agent import Agent
from inspector.demo.connection import McpConnection, RunContext
from inspector.demo.model import Delta, Message, ToolCall
from inspector.demo.pace import Pace
from tests.unit.inspector.demo.recording import Recording

COUNTED = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}


class OneCall:
    """A model that calls `count` and then answers with its result."""

    provider, model = "test", "one-call"
    request_params: Mapping[str, Any] = {}

    def __init__(self, arguments: Mapping[str, Any]) -> None:
        self._arguments = arguments

    async def stream(
        self, messages: Sequence[Message], tools: Sequence[Mapping[str, Any]]
    ) -> AsyncIterator[Delta]:
        if messages[-1]["role"] == "tool":
            yield Delta(messages[-1]["content"])
        else:
            yield Delta(tool_call=ToolCall("c1", "count", json.dumps(self._arguments)))


async def _list_tools(*_: Any) -> ListToolsResult:
    schema = {"type": "object"}
    return ListToolsResult(tools=[Tool(name="count", input_schema=schema, output_schema=COUNTED)])


async def _call_tool(_: Any, params: Any) -> CallToolResult:
    return CallToolResult(content=[], structured_content={"n": params.arguments["n"]})


async def _recorded(arguments: Mapping[str, Any]) -> Recording:
    """Run an agent with a real MCP server and record its hooks."""
    recording, context = Recording(), RunContext("s-1")
    server: Server[Any] = Server("counter", on_list_tools=_list_tools, on_call_tool=_call_tool)
    off = instrument.observe_all(recording.add)
    try:
        async with Client(server) as client:
            tools = await McpConnection("counter", client, context, None).tools()
            model = OneCall(arguments)
            agent = Agent("counter", "Counts.", "Count.", model, tools, context, Pace(100))
            recording.answer = await agent.run("How many?")
    finally:
        off()
    return recording


async def test_a_tool_call_succeeded_once_its_result_is_validated_and_is_no_text_yet() -> None:
    recording = await _recorded({"n": 3})

    [after] = recording.of("after_tool_call")
    assert after["result"]["structuredContent"] == {"n": 3}
    assert recording.answer == '{"n": 3}'


@pytest.mark.parametrize("n", ["three", None, 3.5])
async def test_a_result_that_breaks_its_schema_is_an_error_and_no_success(n: object) -> None:
    recording = await _recorded({"n": n})

    assert recording.of("after_tool_call") == []
    [failed] = recording.of("error_tool_call")
    assert "is not of type 'integer'" in str(failed["exc"])
    assert recording.closed("tool_call") == ["error"]
    assert "is not of type 'integer'" in recording.answer


async def test_what_the_model_writes_is_reported_while_it_is_written() -> None:
    texts: list[str] = []
    off = instrument.observe_chunks(lambda _, text: texts.append(text))
    try:
        recording = await _recorded({"n": 3})
    finally:
        off()

    assert "".join(texts) == recording.answer == '{"n": 3}'
