# /// script
# requires-python = ">=3.11"
# dependencies = [
#     "opentelemetry-instrumentation-mcp==0.62.4",
#     "mcp<2",
#     "opentelemetry-exporter-otlp-proto-http>=1.45",
# ]
# ///
"""OpenLLMetry for MCP: both ends of a session over stdio, each in its process."""

import asyncio
import os
import sys

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.server.fastmcp import FastMCP
from opentelemetry import trace
from opentelemetry.instrumentation.mcp import McpInstrumentor
from story import CITY, TOOL, WEATHER, provider

made = provider("opentelemetry-instrumentation-mcp", "mcp")
trace.set_tracer_provider(made)
McpInstrumentor().instrument(tracer_provider=made)


def serve() -> None:
    server = FastMCP("weather")

    @server.tool(name=TOOL)
    def get_weather(city: str) -> dict[str, object]:
        """Weather of a city."""
        return dict(WEATHER)

    server.run()


async def use() -> None:
    server = StdioServerParameters(
        command=sys.executable, args=[__file__, "serve"], env=dict(os.environ)
    )
    async with stdio_client(server) as (read, write), ClientSession(read, write) as session:
        await session.initialize()
        await session.list_tools()
        await session.call_tool(TOOL, {"city": CITY})


if "serve" in sys.argv:
    serve()
else:
    asyncio.run(use())
made.shutdown()
