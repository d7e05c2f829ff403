"""Firebase Genkit: the input and output of an action, each as one JSON value."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import JsonValue

from inspector.service.model.otlp_values import as_text
from inspector.service.model.rows import SpanKind
from inspector.service.normalise.conventions.span_source import Convention, SpanSource
from inspector.service.normalise.messages import load, messages_of
from inspector.service.normalise.payload import payload
from inspector.service.normalise.tools import tool_definitions
from inspector.service.wire import Payload

_INPUT, _OUTPUT = "genkit:input", "genkit:output"


def _fields(source: SpanSource, key: str) -> Mapping[str, Any]:
    found = load(source.get(key))
    return found if isinstance(found, dict) else {}


def _model(source: SpanSource) -> str | None:
    is_model = source.kind in (SpanKind.LLM, SpanKind.EMBEDDING)
    return as_text(source.get("genkit:name")) if is_model else None


def _request_params(source: SpanSource) -> dict[str, JsonValue]:
    config = _fields(source, _INPUT).get("config")
    return config if isinstance(config, dict) else {}


def _finish_reasons(source: SpanSource) -> list[str]:
    reason = as_text(_fields(source, _OUTPUT).get("finishReason"))
    return [reason] if reason else []


def _payload(source: SpanSource, key: str) -> Payload | None:
    value = source.get(key)
    return None if value is None else payload(value)


GENKIT = Convention(
    "Firebase Genkit",
    "Genkit's own spans",
    ("genkit:input", "genkit:output", "genkit:name"),
    input=lambda source: messages_of(source.get(_INPUT), "input", is_json=False),
    output=lambda source: messages_of(source.get(_OUTPUT), "output", is_json=False),
    tools=lambda source: tool_definitions(_fields(source, _INPUT).get("tools")),
    model_requested=_model,
    request_params=_request_params,
    finish_reasons=_finish_reasons,
    tool_arguments=lambda source: _payload(source, _INPUT),
    tool_result=lambda source: _payload(source, _OUTPUT),
)
