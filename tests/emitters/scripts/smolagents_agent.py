# /// script
# requires-python = ">=3.11"
# dependencies = [
#     "openinference-instrumentation-smolagents>=0.1.43",
#     "opentelemetry-exporter-otlp-proto-http>=1.30",
#     "smolagents[openai]>=1.26",
# ]
# ///
"""smolagents, watched by OpenInference: an agent that calls a tool."""

from typing import Any

from openinference.instrumentation.smolagents import SmolagentsInstrumentor
from smolagents import OpenAIServerModel, ToolCallingAgent, tool
from story import MODEL, QUESTION, SYSTEM, WEATHER, model_server, provider

made = provider("openinference-instrumentation-smolagents", "smolagents")
SmolagentsInstrumentor().instrument(tracer_provider=made)


@tool
def get_weather(city: str) -> dict[str, Any]:
    """Weather of a city.

    Args:
        city: The city.
    """
    return dict(WEATHER)


with model_server() as url:
    model = OpenAIServerModel(model_id=MODEL, api_base=url, api_key="none")
    agent = ToolCallingAgent(
        tools=[get_weather], model=model, instructions=SYSTEM, max_steps=1, verbosity_level=0
    )
    agent.run(QUESTION)
made.shutdown()
