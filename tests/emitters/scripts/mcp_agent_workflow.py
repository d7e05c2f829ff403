# /// script
# requires-python = ">=3.11"
# dependencies = [
#     "mcp-agent==0.2.6",
#     "mcp<2",
#     "openai>=2",
#     "opentelemetry-exporter-otlp-proto-http>=1.45",
# ]
# ///
"""mcp-agent: an agent with a tool, its own spans and its own exporter."""

import asyncio
import os
from typing import Any

from mcp_agent.agents.agent import Agent
from mcp_agent.app import MCPApp
from mcp_agent.config import (
    LoggerSettings,
    OpenAISettings,
    OpenTelemetrySettings,
    OTLPExporterSettings,
    Settings,
)
from mcp_agent.workflows.llm.augmented_llm import RequestParams
from mcp_agent.workflows.llm.augmented_llm_openai import OpenAIAugmentedLLM
from story import MODEL, QUESTION, SYSTEM, WEATHER, model_server, packages


def get_weather(city: str) -> dict[str, Any]:
    """Weather of a city."""
    return WEATHER


async def main() -> None:
    named = packages("mcp-agent", "mcp", "openai")
    os.environ["OTEL_RESOURCE_ATTRIBUTES"] = (
        f"emitter.packages={'+'.join(named['emitter.packages'])}"
    )
    endpoint = os.environ["OTEL_EXPORTER_OTLP_ENDPOINT"] + "/v1/traces"
    with model_server() as url:
        settings = Settings(
            execution_engine="asyncio",
            logger=LoggerSettings(transports=[], progress_display=False),
            openai=OpenAISettings(api_key="sk-not-a-key", base_url=url, default_model=MODEL),
            otel=OpenTelemetrySettings(
                enabled=True,
                exporters=[OTLPExporterSettings(endpoint=endpoint)],
                service_name="emitter-mcp-agent",
            ),
        )
        app = MCPApp(name="weather", settings=settings)
        async with app.run():
            agent = Agent(name="weather", instruction=SYSTEM, functions=[get_weather])
            async with agent:
                llm = await agent.attach_llm(OpenAIAugmentedLLM)
                await llm.generate_str(QUESTION, RequestParams(model=MODEL, max_iterations=3))


asyncio.run(main())
