"""A FastMCP server and its client in one process, watched."""

import asyncio

from fastmcp import Client, FastMCP

import inspector

mcp = FastMCP("calculator")


@mcp.tool
def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b


async def main() -> None:
    """Call the tool."""
    inspector.context.set("fastmcp-example")
    async with Client(mcp) as client:
        result = await client.call_tool("add", {"a": 1, "b": 2})
    print(result.data)


if __name__ == "__main__":
    handle = inspector.attach()
    asyncio.run(main())
    handle.detach()
