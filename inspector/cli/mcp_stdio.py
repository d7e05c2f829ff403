"""`inspector mcp`: the MCP server over standard input and output, for hosts on this machine."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from mcp.server.stdio import stdio_server

from inspector.cli.client import Client, NoServiceError
from inspector.cli.reader import ServiceReader
from inspector.service.mcp.server import create_server
from inspector.service.mcp.source import CALLER, READ_ONLY


class CurrentService:
    """A caller of the currently running service: a host outlives several services."""

    def __init__(self, find: Callable[[], ServiceReader]) -> None:
        self._find = find

    async def get(self, path: str, **query: object) -> Any:
        """Return the JSON at `path`; in a thread, because the call blocks."""
        return await asyncio.to_thread(lambda: self._find().get(path, **query))

    async def post(self, path: str, body: object, *, may_steer: bool) -> Any:
        """Send `body` to `path`; likewise."""
        headers = {**CALLER.get().headers, **({} if may_steer else READ_ONLY)}
        return await asyncio.to_thread(lambda: self._post(path, body, headers))

    def _post(self, path: str, body: object, headers: dict[str, str]) -> Any:
        service = self._find()
        if not isinstance(service, Client):
            raise NoServiceError("No service is running. Control needs one.")
        return service.post(path, body, headers)


async def serve_stdio(find: Callable[[], ServiceReader], *, may_steer: bool = False) -> None:
    """Serve the parent process, until it closes our standard input."""
    server = create_server(CurrentService(find), may_steer=may_steer)
    async with stdio_server() as (read, write):
        await server.run(read, write, server.create_initialization_options())
