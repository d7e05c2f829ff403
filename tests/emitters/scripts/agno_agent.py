# /// script
# requires-python = ">=3.11"
# dependencies = [
#     "agno[openai]>=3.1",
#     "openinference-instrumentation-agno>=1.0.15",
#     "opentelemetry-exporter-otlp-proto-http>=1.30",
# ]
# ///
"""Agno, watched by OpenInference: an agent that calls a tool."""

from agno.agent import Agent
from agno.models.openai import OpenAIChat
from openinference.instrumentation.agno import AgnoInstrumentor
from story import MODEL, QUESTION, SYSTEM, WEATHER, model_server, provider

made = provider("openinference-instrumentation-agno", "agno")
AgnoInstrumentor().instrument(tracer_provider=made)


def get_weather(city: str) -> str:
    """Weather of a city."""
    return str(WEATHER)


with model_server() as url:
    agent = Agent(
        name="weather",
        model=OpenAIChat(id=MODEL, base_url=url, api_key="none"),
        tools=[get_weather],
        system_message=SYSTEM,
        telemetry=False,
    )
    agent.run(QUESTION, session_id="chat-1", user_id="user-1")
made.shutdown()
