# /// script
# requires-python = ">=3.11"
# dependencies = [
#     "opentelemetry-instrumentation-openai==0.40.14",
#     "openai<2",
#     "opentelemetry-exporter-otlp-proto-http>=1.30",
#     "setuptools<81",
# ]
# ///
"""OpenLLMetry of 2025: one attribute for each leaf of a message."""

import contextlib

from openai import OpenAI, RateLimitError
from opentelemetry.instrumentation.openai import OpenAIInstrumentor
from story import converse, model_server, provider

made = provider("opentelemetry-instrumentation-openai", "openai")
OpenAIInstrumentor().instrument(tracer_provider=made)
with model_server() as url:
    client = OpenAI(api_key="none", base_url=url, max_retries=0)
    converse(client)
    converse(client, stream=True)
    client.embeddings.create(model="text-embedding-3-small", input="Zürich")
    with contextlib.suppress(RateLimitError):
        client.chat.completions.create(model="busy", messages=[{"role": "user", "content": "Now?"}])
made.shutdown()
