# /// script
# requires-python = ">=3.11"
# dependencies = [
#     "opentelemetry-instrumentation-openai-v2==2.1b0",
#     "openai<2",
#     "opentelemetry-exporter-otlp-proto-http==1.34.*",
# ]
# ///
"""OpenTelemetry's first instrumentation of OpenAI: each message a log record."""

import os

from openai import OpenAI
from opentelemetry.instrumentation.openai_v2 import OpenAIInstrumentor
from opentelemetry.sdk._events import EventLoggerProvider
from story import converse, log_provider, model_server, provider

NAMES = ("opentelemetry-instrumentation-openai-v2", "openai")
made, logs = provider(*NAMES), log_provider(*NAMES)
os.environ["OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"] = "true"
OpenAIInstrumentor().instrument(
    tracer_provider=made, event_logger_provider=EventLoggerProvider(logs)
)
with model_server() as url:
    client = OpenAI(api_key="none", base_url=url, max_retries=0)
    converse(client)
    converse(client, stream=True)
made.shutdown()
logs.shutdown()
