"""The input and output of a span without further structure."""

from __future__ import annotations

from inspector.service.model.rows import SpanKind
from inspector.service.normalise.conventions.span_source import Convention, SpanSource
from inspector.service.normalise.messages import messages_of
from inspector.service.wire import Message

# What goes into these and comes out is vectors, envelopes or files.
_NO_CONVERSATION = (SpanKind.EMBEDDING, SpanKind.MCP, SpanKind.RESOURCE, SpanKind.PROMPT)


def _input(source: SpanSource) -> list[Message]:
    if source.kind in _NO_CONVERSATION:
        return []
    value = source.get("input.value", "traceloop.entity.input", "request_data")
    return messages_of(value, "input", is_json=False)


def _output(source: SpanSource) -> list[Message]:
    if source.kind in _NO_CONVERSATION:
        return []
    value = source.get("output.value", "traceloop.entity.output", "response_data")
    return messages_of(value, "output", is_json=False)


WHOLE = Convention(
    "Input and output, whole",
    "chains, retrievers and decorated functions; Logfire before it wrote the official attributes",
    (
        "input.value",
        "output.value",
        "traceloop.entity.input",
        "traceloop.entity.output",
        "request_data",
        "response_data",
    ),
    input=_input,
    output=_output,
)
