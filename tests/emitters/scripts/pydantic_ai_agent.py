# /// script
# requires-python = ">=3.11"
# dependencies = [
#     "pydantic-ai-slim==2.68.0",
#     "opentelemetry-exporter-otlp-proto-http>=1.45",
# ]
# ///
"""pydantic-ai: one run of an agent in each of its instrumentation formats."""

import warnings
from typing import Any

from pydantic_ai import Agent, InstrumentationSettings
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ThinkingPart, ToolCallPart
from pydantic_ai.models.function import AgentInfo, FunctionModel
from pydantic_ai.usage import RequestUsage
from story import ANSWER, CALL_ID, CITY, QUESTION, SYSTEM, TOOL, WEATHER, provider

warnings.simplefilter("ignore")  # the older formats are deprecated
made = provider("pydantic-ai-slim")


def used(sent: int, received: int, cached: int) -> RequestUsage:
    return RequestUsage(input_tokens=sent, output_tokens=received, cache_read_tokens=cached)


def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
    if len(messages) > 1:
        return ModelResponse(parts=[TextPart(ANSWER)], usage=used(150, 12, 128), model_name="m")
    parts = [ThinkingPart("Ask the tool."), ToolCallPart(TOOL, {"city": CITY}, CALL_ID)]
    return ModelResponse(parts=parts, usage=used(120, 18, 64))


for format_version in (2, 3, 4, 5, 6):
    settings = InstrumentationSettings(tracer_provider=made, version=format_version)
    agent = Agent(FunctionModel(answer), name=f"weather-v{format_version}", system_prompt=SYSTEM)
    agent.instrument = settings

    @agent.tool_plain(name=TOOL)
    def get_weather(city: str) -> dict[str, Any]:
        """Weather of a city."""
        return WEATHER

    agent.run_sync(QUESTION)
made.shutdown()
