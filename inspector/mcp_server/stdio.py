"""`inspector mcp`: the MCP server over standard input and output, for hosts on this machine."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from mcp.server.stdio import stdio_server

from inspector.mcp_server.server import create_server
from inspector.reader import Reader


class Found:
    """Asks whoever is there at the time: a host keeps us for days, a service comes and goes."""

    def __init__(self, find: Callable[[], Reader]) -> None:
        self._find = find

    async def get(self, path: str, **query: object) -> Any:
        """Return the JSON at `path`; in a thread, because the answer is waited for."""
        return await asyncio.to_thread(lambda: self._find().get(path, **query))


async def serve_stdio(find: Callable[[], Reader]) -> None:
    """Serve whoever started this process, until it closes our standard input."""
    server = create_server(Found(find))
    async with stdio_server() as (read, write):
        await server.run(read, write, server.create_initialization_options())
