# /// script
# requires-python = ">=3.11"
# dependencies = [
#     "fastmcp==4.1.2",
#     "opentelemetry-exporter-otlp-proto-http>=1.45",
# ]
# ///
"""FastMCP, which traces itself: both ends of a session over stdio, each in its process."""

import asyncio
import os
import sys

from fastmcp import Client, FastMCP
from fastmcp.client.transports import StdioTransport
from opentelemetry import trace
from story import CITY, TOOL, WEATHER, provider

made = provider("fastmcp", "mcp")
trace.set_tracer_provider(made)


def serve() -> None:
    server = FastMCP("weather")

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

    @server.prompt
    def ask(city: str) -> str:
        """Ask for the weather."""
        return f"What is the weather in {city}?"

    server.run(show_banner=False)


async def use() -> None:
    server = StdioTransport(
        command=sys.executable, args=[__file__, "serve"], env=dict(os.environ), keep_alive=False
    )
    async with Client(server) as client:
        await client.list_tools()
        await client.call_tool(TOOL, {"city": CITY})
        await client.call_tool(TOOL, {"city": "Atlantis"}, raise_on_error=False)
        await client.read_resource("weather://cities")
        await client.get_prompt("ask", {"city": CITY})


if "serve" in sys.argv:
    serve()
else:
    asyncio.run(use())
made.shutdown()
