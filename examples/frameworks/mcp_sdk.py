"""An MCP client and a server of the MCP Python SDK (2.x) in one process, watched."""

import asyncio

from mcp import Client
from mcp.server.mcpserver import MCPServer

import inspector

server = MCPServer("calculator")


@server.tool()
def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b


async def main() -> None:
    """Call the tool."""
    inspector.context.set("mcp-example")
    async with Client(server) as client:
        result = await client.call_tool("add", {"a": 1, "b": 2})
    print(result.structured_content)


if __name__ == "__main__":
    handle = inspector.attach()
    asyncio.run(main())
    handle.detach()
