# /// script
# requires-python = ">=3.11"
# dependencies = [
#     "dspy>=3.4",
#     "openinference-instrumentation-dspy>=0.1.48",
#     "opentelemetry-exporter-otlp-proto-http>=1.30",
# ]
# ///
"""DSPy, watched by OpenInference: a module that asks the model twice."""

import json
from typing import Any

import dspy
from openinference.instrumentation.dspy import DSPyInstrumentor
from story import MODEL, QUESTION, SYSTEM, TOOLS, WEATHER, model_server, provider

made = provider("openinference-instrumentation-dspy", "dspy")
DSPyInstrumentor().instrument(tracer_provider=made)


class Weather(dspy.Module):
    """Asks the model, calls the tool, and asks again."""

    def forward(self, question: str) -> Any:
        """Answer the question."""
        messages: list[Any] = [
            {"role": "system", "content": SYSTEM},
            {"role": "user", "content": question},
        ]
        [first] = dspy.settings.lm(messages=messages, tools=TOOLS)
        calls = first["tool_calls"]
        result = {"role": "tool", "tool_call_id": calls[0]["id"], "content": json.dumps(WEATHER)}
        messages += [{"role": "assistant", "content": None, "tool_calls": calls}, result]
        return dspy.settings.lm(messages=messages, tools=TOOLS)[0]


with model_server() as url:
    dspy.configure(lm=dspy.LM(f"openai/{MODEL}", api_base=url, api_key="none", cache=False))
    Weather()(question=QUESTION)
made.shutdown()
