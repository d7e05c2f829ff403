# /// script
# requires-python = ">=3.11"
# dependencies = [
#     "ag2[openai,tracing]>=1.2",
#     "opentelemetry-exporter-otlp-proto-http>=1.30",
# ]
# ///
"""AG2, which traces itself: an agent that calls a tool."""

import asyncio

from ag2 import Agent
from ag2.config import OpenAIConfig
from ag2.middleware import TelemetryMiddleware
from ag2.tools import tool
from story import MODEL, QUESTION, SYSTEM, WEATHER, model_server, provider

made = provider("ag2")


@tool
def get_weather(city: str) -> str:
    """Weather of a city."""
    return str(WEATHER)


async def ask(url: str) -> None:
    agent = Agent(
        "weather",
        prompt=SYSTEM,
        config=OpenAIConfig(model=MODEL, base_url=url, api_key="none"),
        tools=[get_weather],
        middleware=[TelemetryMiddleware(tracer_provider=made, agent_name="weather")],
    )
    await agent.ask(QUESTION)


with model_server() as url:
    asyncio.run(ask(url))
made.shutdown()
