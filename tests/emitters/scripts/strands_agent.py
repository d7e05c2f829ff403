# /// script
# requires-python = ">=3.11"
# dependencies = [
#     "strands-agents==1.62.0",
#     "opentelemetry-exporter-otlp-proto-http>=1.45",
# ]
# ///
"""Strands: an agent by the old message events, then by the latest details events."""

import asyncio
import json
import os
from collections.abc import AsyncIterator
from typing import Any

from opentelemetry import trace
from story import ANSWER, CALL_ID, CITY, MODEL, QUESTION, SYSTEM, TOOL, WEATHER, provider
from strands import Agent, tool
from strands.models import Model
from strands.telemetry import tracer


class Scripted(Model):
    """A model that calls the tool, then answers."""

    def update_config(self, **model_config: Any) -> None:
        """Have none."""

    def get_config(self) -> dict[str, Any]:
        """Name the model."""
        return {"model_id": MODEL}

    def structured_output(self, output_model: Any, prompt: Any, **kwargs: Any) -> Any:
        """Not part of the story."""
        raise NotImplementedError

    async def stream(self, messages: Any, *args: Any, **kwargs: Any) -> AsyncIterator[Any]:
        """Answer in Bedrock's events."""
        is_answered = "toolResult" in messages[-1]["content"][0]
        start: dict[str, Any] = (
            {} if is_answered else {"toolUse": {"toolUseId": CALL_ID, "name": TOOL}}
        )
        delta = (
            {"text": ANSWER}
            if is_answered
            else {"toolUse": {"input": json.dumps({"city": CITY}, ensure_ascii=False)}}
        )
        sent, received, cached = (150, 12, 128) if is_answered else (120, 18, 64)
        yield {"messageStart": {"role": "assistant"}}
        yield {"contentBlockStart": {"start": start}}
        yield {"contentBlockDelta": {"delta": delta}}
        yield {"contentBlockStop": {}}
        yield {"messageStop": {"stopReason": "end_turn" if is_answered else "tool_use"}}
        usage = {
            "inputTokens": sent,
            "outputTokens": received,
            "totalTokens": sent + received,
            "cacheReadInputTokens": cached,
        }
        yield {"metadata": {"usage": usage, "metrics": {"latencyMs": 20, "timeToFirstByteMs": 7}}}


@tool(name=TOOL)
def get_weather(city: str) -> dict[str, Any]:
    """Weather of a city."""
    return {"status": "success", "content": [{"json": WEATHER}]}


made = provider("strands-agents")
trace.set_tracer_provider(made)
for mode in ("", "gen_ai_latest_experimental,gen_ai_tool_definitions"):
    os.environ["OTEL_SEMCONV_STABILITY_OPT_IN"] = mode
    tracer._tracer_instance = None  # it reads the environment once
    agent = Agent(
        Scripted(), name="weather", system_prompt=SYSTEM, tools=[get_weather], callback_handler=None
    )
    asyncio.run(agent.invoke_async(QUESTION))
made.shutdown()
