# /// script
# requires-python = ">=3.11"
# dependencies = [
#     "logfire>=5.2",
#     "openai>=2",
#     "opentelemetry-exporter-otlp-proto-http>=1.45",
# ]
# ///
"""Logfire: LLM calls, its logs, an exception, and pending spans."""

import contextlib
import os

import logfire
from logfire._internal.tracer import PendingSpanProcessor
from openai import OpenAI
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.id_generator import RandomIdGenerator
from story import converse, model_server, packages

named = packages("logfire", "openai")["emitter.packages"]
os.environ["OTEL_RESOURCE_ATTRIBUTES"] = f"emitter.packages={'+'.join(named)}"

logfire.configure(
    send_to_logfire=False,
    console=False,
    inspect_arguments=False,
    service_name="emitter-logfire",
    # Its own exporter leaves these out; whoever wants them live adds them.
    additional_span_processors=[
        PendingSpanProcessor(RandomIdGenerator(), SimpleSpanProcessor(OTLPSpanExporter()))
    ],
)
with model_server() as url:
    client = OpenAI(api_key="none", base_url=url, max_retries=0)
    logfire.instrument_openai(client)
    with logfire.span("weather", _tags=["test"]):
        converse(client)
        converse(client, stream=True)
    with contextlib.suppress(ValueError), logfire.span("failing"):
        raise ValueError("no such city")
logfire.shutdown()
