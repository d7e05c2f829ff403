"""Assignment of messages to connections; each connection is one session.

A client knows its connection by its streams. A server of today's protocol gets single requests:
those over HTTP are assigned by their client, and a connection begins when that client sends
`server/discover` or `initialize`.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from contextlib import AbstractContextManager, nullcontext
from typing import Any
from uuid import uuid4
from weakref import WeakKeyDictionary

MAX_REMEMBERED = 1_000
_BEGINNINGS = ("server/discover", "initialize")
_CLIENT_INFO = "io.modelcontextprotocol/clientInfo"


def new_connection_id() -> str:
    """Return an id that no other connection has, in any process."""
    return f"mcp-{uuid4().hex[:16]}"


def in_connection(connection_id: str | None) -> AbstractContextManager[None]:
    """Mark spans that begin a trace in the block as part of this connection."""
    try:
        from subscribers.bridge import sessions  # noqa: PLC0415 - needs the extra
    except ModuleNotFoundError:
        return nullcontext()
    return nullcontext() if connection_id is None else sessions.in_connection(connection_id)


class Connections:
    """The connections of the servers of this process."""

    def __init__(self) -> None:
        self._of_servers: WeakKeyDictionary[Any, str] = WeakKeyDictionary()
        """The only connection of each server over standard input and output."""
        self._of_clients: dict[Hashable, str] = {}

    def of(self, server: Any, request: Any, method: str, params: Any, negotiated: Any) -> str:
        """Return the id of a message's connection.

        Args:
            server: The low-level server.
            request: The HTTP request; None over other transports.
            method: The method of the message.
            params: The parameters of the message.
            negotiated: The session id that client and server agreed on, if they did.
        """
        if request is None:
            return self._of_servers.setdefault(server, new_connection_id())
        negotiated = negotiated or request.headers.get("mcp-session-id")
        if isinstance(negotiated, str):
            return negotiated
        meta = params.get("_meta") if isinstance(params, Mapping) else None
        info = meta.get(_CLIENT_INFO) if isinstance(meta, Mapping) else None
        host, port = request.client or ("", 0)
        keys = ((host, port), (host, str(info)))
        known = None
        if method not in _BEGINNINGS:
            known = next(filter(None, map(self._of_clients.get, keys)), None)
        found = known or new_connection_id()
        for key in keys:
            self._of_clients.pop(key, None)
            self._of_clients[key] = found
        while len(self._of_clients) > MAX_REMEMBERED:
            del self._of_clients[next(iter(self._of_clients))]
        return found
