# /// script
# requires-python = ">=3.11"
# dependencies = [
#     "opentelemetry-instrumentation-genai-openai==1.3b0",
#     "openai>=2",
#     "opentelemetry-exporter-otlp-proto-http>=1.45",
# ]
# ///
"""OpenTelemetry's own instrumentation: messages on the span, then in log records only."""

import contextlib
import os

from openai import OpenAI, RateLimitError
from opentelemetry.instrumentation.genai.openai import OpenAIInstrumentor
from story import converse, log_provider, model_server, provider

NAMES = ("opentelemetry-instrumentation-genai-openai", "openai")
made, logs = provider(*NAMES), log_provider(*NAMES)
with model_server() as url:
    client = OpenAI(api_key="none", base_url=url, max_retries=0)
    for where in ("SPAN_ONLY", "EVENT_ONLY"):
        os.environ["OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"] = where
        os.environ["OTEL_INSTRUMENTATION_GENAI_EMIT_EVENT"] = str(where == "EVENT_ONLY").lower()
        instrumentor = OpenAIInstrumentor()
        instrumentor.instrument(tracer_provider=made, logger_provider=logs)
        converse(client)
        converse(client, stream=True)
        client.embeddings.create(model="text-embedding-3-small", input="Zürich")
        with contextlib.suppress(RateLimitError):
            client.chat.completions.create(
                model="busy", messages=[{"role": "user", "content": "Now?"}]
            )
        instrumentor.uninstrument()
made.shutdown()
logs.shutdown()
