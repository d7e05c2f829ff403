# /// script
# requires-python = ">=3.11"
# dependencies = [
#     "boto3>=1.44",
#     "openinference-instrumentation-bedrock==0.1.61",
#     "opentelemetry-exporter-otlp-proto-http>=1.45",
# ]
# ///
"""OpenInference of AWS Bedrock."""

from bedrock import tell_story
from openinference.instrumentation.bedrock import BedrockInstrumentor
from story import provider

made = provider("openinference-instrumentation-bedrock", "boto3")
BedrockInstrumentor().instrument(tracer_provider=made)
tell_story()
made.shutdown()
