"""What went into a span and came out of it, where its sender says no more than that."""

from __future__ import annotations

from inspector.model import SpanKind
from inspector.normalise.conventions.telling import Convention, Telling
from inspector.normalise.messages import messages_of
from inspector.wire import Message


def _input(telling: Telling) -> list[Message]:
    if telling.kind is SpanKind.EMBEDDING:
        return []  # vectors are no conversation
    value = telling.get("input.value", "traceloop.entity.input", "request_data")
    return messages_of(value, "input", is_json=False)


def _output(telling: Telling) -> list[Message]:
    if telling.kind is SpanKind.EMBEDDING:
        return []
    value = telling.get("output.value", "traceloop.entity.output", "response_data")
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
