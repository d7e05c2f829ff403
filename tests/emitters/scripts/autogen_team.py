# /// script
# requires-python = ">=3.11"
# dependencies = [
#     "autogen-agentchat>=0.7",
#     "autogen-ext[openai]>=0.7",
#     "openinference-instrumentation-openai>=0.1.60",
#     "opentelemetry-exporter-otlp-proto-http>=1.30",
# ]
# ///
"""AutoGen, which traces agents and tools itself, but no LLM calls: those OpenInference does."""

import asyncio

from autogen_agentchat.agents import AssistantAgent
from autogen_ext.models.openai import OpenAIChatCompletionClient
from openinference.instrumentation.openai import OpenAIInstrumentor
from opentelemetry import trace
from story import MODEL, QUESTION, SYSTEM, WEATHER, model_server, provider

made = provider("autogen-agentchat", "autogen-core")
trace.set_tracer_provider(made)
OpenAIInstrumentor().instrument(tracer_provider=made)


async def get_weather(city: str) -> str:
    """Weather of a city."""
    return str(WEATHER)


async def ask(url: str) -> None:
    client = OpenAIChatCompletionClient(model=MODEL, base_url=url, api_key="none")
    agent = AssistantAgent(
        "weather", client, tools=[get_weather], system_message=SYSTEM, reflect_on_tool_use=True
    )
    await agent.run(task=QUESTION)
    await client.close()


with model_server() as url:
    asyncio.run(ask(url))
made.shutdown()
