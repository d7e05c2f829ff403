"""MCP servers over stdio for tests of logs: `python … modern|legacy`."""

from __future__ import annotations

import asyncio
import os
import sys
from typing import Annotated, Any

from mcp.server.mcpserver import AcceptedElicitation, Context, Elicit, ElicitationResult, MCPServer
from mcp.server.mcpserver import Resolve as Ask
from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import SamplingMessage, TextContent
from pydantic import BaseModel, Field


class Release(BaseModel):
    """The form of the question."""

    channel: str = Field(description="Where to", json_schema_extra={"enum": ["stable", "beta"]})


async def _which() -> Elicit[Release]:
    return Elicit("Where to?", Release)


def publisher() -> MCPServer:
    """Return a server of 2026-07-28: stateless, with input-required results."""
    server = MCPServer("release desk", version="2.1.0", log_level="ERROR")

    @server.tool()
    async def count(ctx: Context[Any]) -> str:
        """Count, and report progress."""
        for done in range(1, 4):
            await ctx.report_progress(done, 3, f"counted {done}")
        return "3"

    @server.tool()
    async def refuse() -> str:
        """Fail as tools do."""
        raise ToolError("There is no paper left.")

    @server.tool()
    async def publish(answer: Annotated[ElicitationResult[Release], Ask(_which)]) -> str:
        """Publish to the channel that a person chooses."""
        if isinstance(answer, AcceptedElicitation):
            return f"published on {answer.data.channel}"
        return "not published"

    @server.tool()
    async def crash() -> str:
        """End the process in the middle of a call."""
        sys.stderr.write("out of memory\n")
        sys.stderr.flush()
        os._exit(3)

    return server


def archive() -> MCPServer:
    """Return a server of 2025-11-25: with a handshake, and requests of its own."""
    server = MCPServer("archive", version="0.9.0", log_level="ERROR")

    @server.tool()
    async def summarise(ctx: Context[Any]) -> str:
        """Let the client's model do it."""
        prompt = SamplingMessage(role="user", content=TextContent(type="text", text="Sum it up."))
        answer = await ctx.session.create_message([prompt], max_tokens=50)
        return str(answer.content)

    @server.tool()
    async def confirm(ctx: Context[Any]) -> str:
        """Ask the user."""
        answer = await ctx.elicit("Shelve it?", Release)
        return str(answer.action)

    @server.tool()
    async def sleep() -> str:
        """Take longer than anybody waits."""
        await asyncio.sleep(60)
        return "awake"

    return server


if __name__ == "__main__":
    {"modern": publisher, "legacy": archive}[sys.argv[1]]().run()
