# /// script
# requires-python = ">=3.11"
# dependencies = [
#     "haystack-ai>=3.4",
#     "openinference-instrumentation-haystack>=0.1.46",
#     "opentelemetry-exporter-otlp-proto-http>=1.30",
# ]
# ///
"""Haystack, watched by OpenInference: an agent that calls a tool, in a pipeline."""

import os

os.environ["HAYSTACK_TELEMETRY_ENABLED"] = "False"

from haystack import Pipeline
from haystack.components.agents import Agent
from haystack.components.generators.chat import OpenAIChatGenerator
from haystack.dataclasses import ChatMessage
from haystack.tools import tool
from haystack.utils import Secret
from openinference.instrumentation.haystack import HaystackInstrumentor
from story import MODEL, QUESTION, SYSTEM, WEATHER, model_server, provider

made = provider("openinference-instrumentation-haystack", "haystack-ai")
HaystackInstrumentor().instrument(tracer_provider=made)


@tool
def get_weather(city: str) -> str:
    """Weather of a city."""
    return str(WEATHER)


with model_server() as url:
    model = OpenAIChatGenerator(model=MODEL, api_base_url=url, api_key=Secret.from_token("none"))
    pipeline = Pipeline()
    pipeline.add_component(
        "agent", Agent(chat_generator=model, tools=[get_weather], system_prompt=SYSTEM)
    )
    pipeline.run({"agent": {"messages": [ChatMessage.from_user(QUESTION)]}})
made.shutdown()
