# /// script
# requires-python = ">=3.11"
# dependencies = [
#     "langsmith==0.15.0",
#     "openai>=2",
#     "opentelemetry-exporter-otlp-proto-http>=1.45",
# ]
# ///
"""LangSmith: its own runs sent as OTLP, with the `openai` package wrapped."""

import json
import os
from typing import Any

os.environ |= {
    "LANGSMITH_TRACING": "true",
    "LANGSMITH_OTEL_ENABLED": "true",
    "LANGSMITH_OTEL_ONLY": "true",
    "LANGSMITH_API_KEY": "lsv2_pt_not_a_key",
}

from langsmith import Client, traceable
from langsmith.wrappers import wrap_openai
from openai import OpenAI
from story import CITY, QUESTION, TOOL, WEATHER, converse, model_server, provider

made = provider("langsmith", "openai")
langsmith = Client(otel_tracer_provider=made)


@traceable(run_type="tool", name=TOOL, client=langsmith)
def get_weather(city: str) -> dict[str, Any]:
    return WEATHER


@traceable(
    run_type="chain",
    name="weather",
    client=langsmith,
    metadata={"thread_id": "thread-1"},
    tags=["test"],
)
def weather(question: str) -> str:
    with model_server() as url:
        converse(
            wrap_openai(
                OpenAI(api_key="none", base_url=url, max_retries=0),
                tracing_extra={"client": langsmith},
            )
        )
    return json.dumps(get_weather(CITY))


weather(QUESTION)
langsmith.flush()
made.shutdown()
