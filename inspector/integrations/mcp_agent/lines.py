"""Patches of MCP server connections: their sessions, start, end and reconnection."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary, WeakSet

from inspector.integrations.mcp_agent.given import CallArguments
from inspector.integrations.mcp_agent.layers import is_tapped
from inspector.integrations.mcp_agent.patches import Function, PatchContext

_TRANSPORTS = {"stdio": "stdio", "sse": "sse", "websocket": "websocket"}


class ServerConnection(NamedTuple):
    """One connection."""

    server_name: str | None
    transport: str
    uri: str

    def about(self) -> dict[str, Any]:
        """Return the connection as kwargs of the transport hooks."""
        return {
            "transport_type": self.transport,
            "uri": self.uri,
            "server_name": self.server_name,
        }


_lines: WeakKeyDictionary[Any, ServerConnection] = WeakKeyDictionary()


_told: WeakSet[Any] = WeakSet()
"""Connections that were told to be up."""


def line_of(session: Any) -> ServerConnection:
    """Return the connection of a session, as far as it is known."""
    found = _lines.get(session)
    return found or _line(None, getattr(session, "server_config", None))


def _line(server_name: str | None, config: Any) -> ServerConnection:
    transport = getattr(config, "transport", None) or "stdio"
    uri = getattr(config, "command" if transport == "stdio" else "url", None)
    return ServerConnection(
        server_name or getattr(config, "name", None),
        _TRANSPORTS.get(transport, "http"),  # streamable_http, in its spellings
        str(uri or server_name or ""),
    )


def initialize_session(teller: PatchContext, original: Function) -> Function:
    """`ServerConnection.initialize_session`: a connection that is kept is up."""

    async def told(*args: Any, **kwargs: Any) -> Any:
        connection = args[0]
        line = _line(connection.server_name, connection.server_config)
        _lines[connection.session] = line
        result = await original(*args, **kwargs)
        if not is_tapped(connection.session):
            _told.add(connection)
            await teller.bus._emit("transport_connected", **line.about())
        return result

    return told


def lifecycle(teller: PatchContext, original: Function) -> Function:
    """`_server_lifecycle_task`, which ends when a connection that is kept has ended."""

    async def told(*args: Any, **kwargs: Any) -> Any:
        connection = CallArguments(args, kwargs).get(0, "server_conn")
        line = _line(connection.server_name, connection.server_config)
        reason: Any = "cancelled"
        try:
            result = await original(*args, **kwargs)
            reason = connection._error_message or "closed"
        finally:  # maybe it is being cancelled or closed: nothing is awaited
            if connection in _told:
                _told.discard(connection)
                teller.bus._emit_sync("transport_disconnected", reason=reason, **line.about())
        return result

    return told


def get_server(teller: PatchContext, original: Function) -> Function:
    """`MCPConnectionManager.get_server`: a connection that has failed is made anew."""
    attempts: WeakKeyDictionary[Any, dict[str, int]] = WeakKeyDictionary()

    async def told(*args: Any, **kwargs: Any) -> Any:
        manager, name = args[0], str(CallArguments(args, kwargs).get(1, "server_name"))
        counts = attempts.setdefault(manager, {})
        connection = manager.running_servers.get(name)
        if connection is not None and not connection.is_healthy():
            counts[name] = counts.get(name, 0) + 1
            line = _line(name, connection.server_config)
            await teller.bus._emit("transport_reconnecting", attempt=counts[name], **line.about())
        found = await original(*args, **kwargs)
        counts.pop(name, None)
        return found

    return told


def start_server(teller: PatchContext, original: Function) -> Function:
    """`ServerRegistry.start_server`: a connection for one use."""

    @asynccontextmanager
    async def told(*args: Any, **kwargs: Any) -> AsyncIterator[Any]:
        name = str(CallArguments(args, kwargs).get(1, "server_name"))
        line = _line(name, args[0].registry.get(name))
        async with original(*args, **kwargs) as session:
            _lines[session] = line
            if is_tapped(session):
                yield session
                return
            await teller.bus._emit("transport_connected", **line.about())
            reason: Any = "closed"
            try:
                yield session
            except BaseException as error:
                reason = error
                raise
            finally:  # which may be a cancellation: nothing is awaited
                teller.bus._emit_sync("transport_disconnected", reason=reason, **line.about())

    return told


def handle_reconnection(teller: PatchContext, original: Function) -> Function:
    """`StreamableHTTPTransport._handle_reconnection` of the SDK: a stream is taken up again."""

    async def told(*args: Any, **kwargs: Any) -> Any:
        attempt = int(CallArguments(args, kwargs).get(4, "attempt", 0))
        uri = str(getattr(args[0], "url", ""))
        await teller.bus._emit(
            "transport_reconnecting", transport_type="http", uri=uri, attempt=attempt + 1
        )
        return await original(*args, **kwargs)

    return told
