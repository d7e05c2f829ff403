# /// script
# requires-python = ">=3.11"
# dependencies = [
#     "mcp==2.3.0",
#     "opentelemetry-exporter-otlp-proto-http>=1.45",
# ]
# ///
"""The MCP SDK: both ends of a session over stdio, each in its process."""

import asyncio
import os
import sys

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from opentelemetry import trace
from story import CITY, TOOL, WEATHER, provider

made = provider("mcp")
trace.set_tracer_provider(made)


def serve() -> None:
    from mcp.server import MCPServer

    server = MCPServer("weather")

    @server.tool(name=TOOL)
    def get_weather(city: str) -> dict[str, object]:
        """Weather of a city."""
        if city != CITY:
            raise ValueError("No such city.")
        return dict(WEATHER)

    @server.resource("weather://cities")
    def cities() -> str:
        """Cities with a weather."""
        return CITY

    @server.prompt()
    def ask(city: str) -> str:
        """Ask for the weather."""
        return f"What is the weather in {city}?"

    server.run()


async def use() -> None:
    server = StdioServerParameters(
        command=sys.executable, args=[__file__, "serve"], env=dict(os.environ)
    )
    async with stdio_client(server) as (read, write), ClientSession(read, write) as session:
        await session.initialize()
        await session.list_tools()
        await session.call_tool(TOOL, {"city": CITY})
        await session.call_tool(TOOL, {"city": "Atlantis"})
        await session.read_resource("weather://cities")
        await session.get_prompt("ask", {"city": CITY})


if "serve" in sys.argv:
    serve()
else:
    asyncio.run(use())
made.shutdown()
