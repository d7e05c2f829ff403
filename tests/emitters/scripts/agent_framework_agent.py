# /// script
# requires-python = ">=3.11"
# dependencies = [
#     "agent-framework-core>=1.23",
#     "agent-framework-openai>=1.17",
#     "opentelemetry-exporter-otlp-proto-http>=1.30",
# ]
# ///
"""Microsoft Agent Framework, which traces itself: an agent that calls a tool."""

import asyncio

from agent_framework import Agent
from agent_framework.observability import enable_instrumentation
from agent_framework.openai import OpenAIChatCompletionClient
from opentelemetry import trace
from story import MODEL, QUESTION, SYSTEM, WEATHER, model_server, provider

made = provider("agent-framework-core", "agent-framework-openai")
trace.set_tracer_provider(made)
enable_instrumentation(enable_sensitive_data=True)


def get_weather(city: str) -> str:
    """Weather of a city."""
    return str(WEATHER)


async def ask(url: str) -> None:
    client = OpenAIChatCompletionClient(model=MODEL, base_url=url, api_key="none")
    agent = Agent(client, instructions=SYSTEM, name="weather", tools=[get_weather])
    await agent.run(QUESTION)


with model_server() as url:
    asyncio.run(ask(url))
made.shutdown()
