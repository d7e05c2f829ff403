"""Connections to MCP servers over stdio, with every exchange announced on the hook bus.

The official SDK talks to the server; around each of its calls stands an operation, so that
whoever listens sees the request, its answer, its progress and its end.
"""

from __future__ import annotations

import json
import os
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from mcp import Client, MCPError, StdioServerParameters, stdio_client
from mcp.client import ClientRequestContext
from mcp.types import CallToolResult, ElicitRequestParams, ElicitResult, ErrorData, TextContent
from pydantic import BaseModel

from instrument import _emit as emit
from instrument import operation

_TRANSPORT = "stdio"

ElicitationAnswerer = Callable[[str, Mapping[str, Any]], Awaitable[ElicitResult]]
"""Answers (message, JSON Schema of the form)."""

_ResultT = TypeVar("_ResultT", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class RunContext:
    """Passed as `context` with every hook of a run."""

    session_id: str
    tool_call_id: str | None = None


@dataclass(frozen=True, slots=True)
class ServerSpec:
    """How to start an MCP server."""

    name: str
    command: str
    args: tuple[str, ...]
    env: Mapping[str, str]
    directory: Path | None = None
    """Where it runs; None: where we do."""
    allowed_tools: frozenset[str] | None = None
    """None: all. Others are not offered to any agent."""

    @property
    def uri(self) -> str:
        """What hooks call this transport's other end."""
        return f"stdio:{self.command}"


class ToolFailedError(RuntimeError):
    """A tool could not be called at all; the message is for the model to read."""


@dataclass(frozen=True, slots=True)
class McpTool:
    """A tool of a connected server."""

    connection: McpConnection
    name: str
    description: str
    parameters: Mapping[str, Any]

    @property
    def server_name(self) -> str:
        """The server that owns it."""
        return self.connection.name

    async def call(self, arguments: Mapping[str, Any], call_id: str) -> dict[str, Any]:
        """Call it; return the MCP result as it came over the wire.

        Raises:
            ToolFailedError: The server refused the request or is gone.
        """
        return await self.connection.call_tool(self.name, arguments, call_id)


class McpConnection:
    """One connected server."""

    def __init__(self, spec: ServerSpec, client: Client, context: RunContext) -> None:
        self.name = spec.name
        self._spec = spec
        self._client = client
        self._context = context

    async def tools(self) -> list[McpTool]:
        """List the tools that agents may use."""
        listed = await self._request("tools/list", {}, self._client.list_tools)
        allowed = self._spec.allowed_tools
        return [
            McpTool(self, tool.name, tool.description or "", tool.input_schema)
            for tool in listed.tools
            if allowed is None or tool.name in allowed
        ]

    async def call_tool(
        self, name: str, arguments: Mapping[str, Any], call_id: str
    ) -> dict[str, Any]:
        """Call a tool; its progress is reported as that of operation `call_id`."""

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
        except MCPError as error:
            raise ToolFailedError(f"{self.name} refused {name}: {error}") from error
        return _wire(result)

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
            op.result = [_wire(message) for message in result.messages]
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
            transport=_TRANSPORT,
            server_name=self.name,
            protocol_version=self._client.protocol_version,
        ) as op:
            result = await send()
            op.result = {"jsonrpc": "2.0", "result": _wire(result)}
        return result


@asynccontextmanager
async def connect(
    spec: ServerSpec, run_context: RunContext, answer: ElicitationAnswerer
) -> AsyncGenerator[McpConnection]:
    """Start a server and keep it until the block ends.

    Raises:
        MCPError: It started but does not speak MCP.
        OSError: It cannot be started.
    """

    async def on_elicitation(
        context: ClientRequestContext, params: ElicitRequestParams
    ) -> ElicitResult | ErrorData:
        return await answer(params.message, getattr(params, "requested_schema", {}))

    try:
        async with AsyncExitStack() as stack:
            client = Client(_transport(spec, stack), elicitation_callback=on_elicitation)
            async with operation(
                "rpc_request",
                envelope={"jsonrpc": "2.0", "method": "server/discover", "params": {}},
                transport=_TRANSPORT,
                server_name=spec.name,
            ) as op:
                await stack.enter_async_context(client)
                info = _wire(client.server_info) if client.server_info else {}
                op.result = {"jsonrpc": "2.0", "result": {"serverInfo": info}}
            await emit("transport_connected", transport_type=_TRANSPORT, uri=spec.uri)
            reason = "closed by the agent"
            try:
                yield McpConnection(spec, client, run_context)
            except BaseException as error:
                reason = str(error) or type(error).__name__
                raise
            finally:
                await emit(
                    "transport_disconnected",
                    transport_type=_TRANSPORT,
                    uri=spec.uri,
                    reason=reason,
                )
    except BaseExceptionGroup as group:
        # The SDK's task groups wrap what the block raised; callers want the error itself.
        raise _innermost(group) from None


def _innermost(error: BaseException) -> BaseException:
    while isinstance(error, BaseExceptionGroup) and len(error.exceptions) == 1:
        error = error.exceptions[0]
    return error


def _transport(spec: ServerSpec, stack: AsyncExitStack) -> AbstractAsyncContextManager[Any]:
    parameters = StdioServerParameters(
        command=spec.command, args=list(spec.args), env=dict(spec.env), cwd=spec.directory
    )
    # A server's own log would only disturb the terminal.
    log = stack.enter_context(Path(os.devnull).open("w"))  # noqa: SIM115 - the stack closes it
    return stdio_client(parameters, errlog=log)


def result_text(result: Mapping[str, Any]) -> str:
    """Return what a model is shown of a tool result: the structured content, else the text."""
    structured = result.get("structuredContent")
    if structured is not None:
        bare = structured.get("result")
        return bare if isinstance(bare, str) else json.dumps(structured, ensure_ascii=False)
    parts: Sequence[Mapping[str, Any]] = result.get("content", ())
    return "\n".join(str(part["text"]) for part in parts if "text" in part)


def _wire(model: BaseModel) -> dict[str, Any]:
    return model.model_dump(by_alias=True, mode="json", exclude_none=True)
