"""A connection to an MCP server that announces every exchange on the hook bus.

The official SDK talks to the server. An operation around each of its calls shows listeners the
request, its answer, its progress and its end.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeVar

from mcp import Client, MCPError
from mcp.types import CallToolResult, TextContent
from pydantic import BaseModel

from instrument import _emit as emit
from instrument import operation

TRANSPORT = "stdio"

_ResultT = TypeVar("_ResultT", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class RunContext:
    """The `context` of every hook of a run."""

    session_id: str
    tool_call_id: str | None = None


class ToolFailedError(RuntimeError):
    """A tool could not be called at all; the message is for the model to read."""


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool that an agent can call."""

    name: str
    """Unique among the agent's tools."""
    description: str
    """Description of the tool for the model."""
    parameters: Mapping[str, Any]
    """JSON Schema of the arguments."""
    call: Callable[[Mapping[str, Any], str], Awaitable[dict[str, Any]]] = field(repr=False)
    """Call the tool with the arguments and the operation's id; return an MCP tool result.

    Raises `ToolFailedError`: the tool could not be called.
    """
    server_name: str | None = None
    """The MCP server that has it; None: it runs in this process."""


class McpConnection:
    """One connected server."""

    def __init__(
        self, name: str, client: Client, context: RunContext, allowed: frozenset[str] | None
    ) -> None:
        self.name = name
        self._client = client
        self._context = context
        self._allowed = allowed

    async def tools(self) -> list[Tool]:
        """List the tools that agents may use."""
        listed = await self._request("tools/list", {}, self._client.list_tools)
        return [
            Tool(
                tool.name,
                tool.description or "",
                tool.input_schema,
                partial(self.call_tool, tool.name),
                self.name,
            )
            for tool in listed.tools
            if self._allowed is None or tool.name in self._allowed
        ]

    async def call_tool(
        self, name: str, arguments: Mapping[str, Any], call_id: str
    ) -> dict[str, Any]:
        """Call a tool, report its progress as that of operation `call_id`; return the MCP result.

        Raises:
            ToolFailedError: The server refused the request or is gone.
        """

        async def report(progress: float, total: float | None, message: str | None) -> None:
            await emit(
                "progress_update",
                operation_id=call_id,
                percent=100 * progress / total if total else None,
                message=message,
                context=self._context,
                progress=progress,
                total=total,
                call_id=call_id,
            )

        async def send() -> CallToolResult:
            return await self._client.call_tool(name, dict(arguments), progress_callback=report)

        try:
            result = await self._request(
                "tools/call", {"name": name, "arguments": dict(arguments)}, send
            )
        except (MCPError, RuntimeError) as error:  # the latter: it breaks its own schema
            raise ToolFailedError(f"{self.name} refused {name}: {error}") from error
        return wire_form(result)

    async def read_resource(self, uri: str) -> str:
        """Read a text resource.

        Raises:
            MCPError: The server has no such resource.
        """
        async with operation(
            "resource_fetch", uri=uri, context=self._context, server_name=self.name
        ) as op:
            result = await self._request(
                "resources/read", {"uri": uri}, lambda: self._client.read_resource(uri)
            )
            text = "\n".join(getattr(part, "text", "") for part in result.contents)
            mime_type = result.contents[0].mime_type if result.contents else None
            op.result = text
            op.set(mime_type=mime_type)
        return text

    async def apply_prompt(self, name: str, arguments: Mapping[str, str]) -> str:
        """Have the server render a prompt; return its text."""
        async with operation(
            "prompt_apply",
            template_id=name,
            parameters=dict(arguments),
            context=self._context,
            server_name=self.name,
        ) as op:
            result = await self._request(
                "prompts/get",
                {"name": name, "arguments": dict(arguments)},
                lambda: self._client.get_prompt(name, dict(arguments)),
            )
            op.result = [wire_form(message) for message in result.messages]
        texts = [
            message.content.text
            for message in result.messages
            if isinstance(message.content, TextContent)
        ]
        return "\n\n".join(texts)

    async def _request(
        self, method: str, params: Mapping[str, Any], send: Callable[[], Awaitable[_ResultT]]
    ) -> _ResultT:
        envelope = {"jsonrpc": "2.0", "method": method, "params": dict(params)}
        async with operation(
            "rpc_request",
            envelope=envelope,
            transport=TRANSPORT,
            server_name=self.name,
            protocol_version=self._client.protocol_version,
        ) as op:
            result = await send()
            op.result = {"jsonrpc": "2.0", "result": wire_form(result)}
        return result


def result_text(result: Mapping[str, Any]) -> str:
    """Return a tool result for a model: the structured content, else the text."""
    structured = result.get("structuredContent")
    if structured is not None:
        bare = structured.get("result")
        return bare if isinstance(bare, str) else json.dumps(structured, ensure_ascii=False)
    parts: Sequence[Mapping[str, Any]] = result.get("content", ())
    return "\n".join(str(part["text"]) for part in parts if "text" in part)


def wire_form(model: BaseModel) -> dict[str, Any]:
    """Return a message of the SDK in its JSON-RPC form."""
    return model.model_dump(by_alias=True, mode="json", exclude_none=True)
