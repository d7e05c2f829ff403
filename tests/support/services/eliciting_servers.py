"""MCP servers with a tool that asks its user, one for each protocol era."""

from typing import Annotated

from mcp.server.mcpserver import AcceptedElicitation, Context, Elicit, ElicitationResult, MCPServer
from mcp.server.mcpserver import Resolve as Ask
from pydantic import BaseModel, Field


class Release(BaseModel):
    """The form of the question."""

    channel: str = Field(description="Where to", json_schema_extra={"enum": ["stable", "beta"]})
    copies: int = Field(ge=1)


def modern_server() -> MCPServer:
    """A server with a tool whose result is input-required until it is answered."""
    server = MCPServer("release desk")

    async def which() -> Elicit[Release]:
        return Elicit("Where to?", Release)

    @server.tool()
    async def publish(answer: Annotated[ElicitationResult[Release], Ask(which)]) -> str:
        if isinstance(answer, AcceptedElicitation):
            return f"{answer.data.copies} to {answer.data.channel}"
        return answer.action

    return server


def legacy_server() -> MCPServer:
    """A server with a tool that sends a request of its own."""
    server = MCPServer("release desk")

    @server.tool()
    async def publish(context: Context) -> str:
        answer = await context.elicit("Where to?", Release)
        if isinstance(answer, AcceptedElicitation):
            return f"{answer.data.copies} to {answer.data.channel}"
        return answer.action

    return server
