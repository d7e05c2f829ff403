"""An MCP server over stdio (2.x) that attaches itself."""

from mcp.server.mcpserver import MCPServer

import inspector
from instrument import operation

server = MCPServer("traced", log_level="ERROR")


@server.tool()
async def weigh(text: str) -> int:
    """Weigh, inside an operation of the server."""
    async with operation("llm_generate", llm="scale", prompt=text):
        return len(text)


@server.tool()
async def drop(text: str) -> str:
    """Fail."""
    raise ValueError(f"dropped {text}")


if __name__ == "__main__":
    handle = inspector.attach(service_name="server")
    server.run()
    handle.detach()
