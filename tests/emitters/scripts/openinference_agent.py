# /// script
# requires-python = ">=3.11"
# dependencies = [
#     "openinference-instrumentation>=0.1.40",
#     "opentelemetry-exporter-otlp-proto-http>=1.30",
# ]
# ///
"""OpenInference by hand: an agent, a chain, a retriever and a tool as its helpers write them."""

from typing import Any

from openinference.instrumentation import OITracer, TraceConfig, using_attributes
from story import CITY, QUESTION, TOOL, WEATHER, provider

made = provider("openinference-instrumentation")
tracer = OITracer(made.get_tracer("weather"), config=TraceConfig())


@tracer.tool(name=TOOL)
def get_weather(city: str) -> dict[str, Any]:
    """Weather of a city."""
    return WEATHER


@tracer.chain
def plan(question: str) -> str:
    with tracer.start_as_current_span("lookup", openinference_span_kind="retriever") as span:
        span.set_input(question)
        span.set_attribute("retrieval.documents.0.document.content", "It is often clear.")
    return str(get_weather(CITY))


@tracer.agent(name="weather")
def weather(question: str) -> str:
    return plan(question)


with using_attributes(
    session_id="chat-1", user_id="user-1", metadata={"team": "a"}, tags=["test", "weather"]
):
    weather(QUESTION)
made.shutdown()
