"""Patches of MCP sessions and their connections: tool names, progress, reconnection.

Messages, resources, prompts and connections are reported by the adapter of the MCP SDK, which is
attached with the patches.
"""

from __future__ import annotations

from typing import Any
from weakref import WeakKeyDictionary

from inspector.integrations.deduplication import TOOL_CALL, innermost, reporting
from inspector.integrations.mcp_agent.arguments import CallArguments
from inspector.integrations.mcp_agent.patches import Function, PatchContext

_TRANSPORTS = {"stdio": "stdio", "sse": "sse", "websocket": "websocket"}


def call_tool(patch: PatchContext, original: Function) -> Function:
    """`MCPAgentClientSession.call_tool`: asks for progress.

    An agent puts the server's name before the tool's: it is one call all the same.
    """

    async def patched(*args: Any, **kwargs: Any) -> Any:
        arguments = CallArguments(args, kwargs)
        if arguments.get(4, "progress_callback") is None:
            arguments.put(4, "progress_callback", _ignore_progress)
        name = str(arguments.get(1, "name"))
        noun, outer = innermost()
        if noun != TOOL_CALL or not outer.endswith(name):
            return await arguments.call(original)
        with reporting(name):
            return await arguments.call(original)

    return patched


async def _ignore_progress(*_: Any) -> None:
    """Do nothing: a request with a callback has a progress token."""


def get_server(patch: PatchContext, original: Function) -> Function:
    """`MCPConnectionManager.get_server`: a connection that has failed is made anew."""
    attempts: WeakKeyDictionary[Any, dict[str, int]] = WeakKeyDictionary()

    async def patched(*args: Any, **kwargs: Any) -> Any:
        manager, name = args[0], str(CallArguments(args, kwargs).get(1, "server_name"))
        counts = attempts.setdefault(manager, {})
        connection = manager.running_servers.get(name)
        if connection is not None and not connection.is_healthy():
            counts[name] = counts.get(name, 0) + 1
            config = connection.server_config
            transport = getattr(config, "transport", None) or "stdio"
            uri = getattr(config, "command" if transport == "stdio" else "url", None)
            await patch.bus._emit(
                "transport_reconnecting",
                attempt=counts[name],
                transport_type=_TRANSPORTS.get(transport, "http"),  # spelled in several ways
                uri=str(uri or name),
                server_name=name,
            )
        found = await original(*args, **kwargs)
        counts.pop(name, None)
        return found

    return patched


def handle_reconnection(patch: PatchContext, original: Function) -> Function:
    """`StreamableHTTPTransport._handle_reconnection` of the SDK: a stream is opened again."""

    async def patched(*args: Any, **kwargs: Any) -> Any:
        attempt = int(CallArguments(args, kwargs).get(4, "attempt", 0))
        uri = str(getattr(args[0], "url", ""))
        await patch.bus._emit(
            "transport_reconnecting", transport_type="http", uri=uri, attempt=attempt + 1
        )
        return await original(*args, **kwargs)

    return patched
