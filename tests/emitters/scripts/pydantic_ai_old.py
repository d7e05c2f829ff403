# /// script
# requires-python = ">=3.11"
# dependencies = [
#     "pydantic-ai-slim==0.4.11",
#     "opentelemetry-exporter-otlp-proto-http==1.34.*",
# ]
# ///
"""pydantic-ai of 2025, format 1: the messages of a call as one list of events."""

from typing import Any

from pydantic_ai import Agent
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import AgentInfo, FunctionModel
from pydantic_ai.models.instrumented import InstrumentationSettings
from pydantic_ai.usage import Usage
from story import ANSWER, CALL_ID, CITY, QUESTION, SYSTEM, TOOL, WEATHER, provider

made = provider("pydantic-ai-slim")


def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
    if len(messages) > 1:
        usage = Usage(request_tokens=150, response_tokens=12)
        return ModelResponse(parts=[TextPart(ANSWER)], usage=usage, model_name="m")
    usage = Usage(request_tokens=120, response_tokens=18)
    return ModelResponse(parts=[ToolCallPart(TOOL, {"city": CITY}, CALL_ID)], usage=usage)


agent = Agent(
    FunctionModel(answer),
    name="weather-v1",
    system_prompt=SYSTEM,
    instrument=InstrumentationSettings(tracer_provider=made),
)


@agent.tool_plain(name=TOOL)
def get_weather(city: str) -> dict[str, Any]:
    """Weather of a city."""
    return WEATHER


agent.run_sync(QUESTION)
made.shutdown()
