"""Firebase Genkit: the input and output of an action, each as one JSON value."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import JsonValue

from inspector.service.model.otlp_values import as_text
from inspector.service.model.rows import SpanKind
from inspector.service.normalise.conventions.telling import Convention, Telling
from inspector.service.normalise.messages import load, messages_of
from inspector.service.normalise.payload import payload
from inspector.service.normalise.tools import tool_definitions
from inspector.service.wire import Message, Payload, ToolDefinition

_INPUT, _OUTPUT = "genkit:input", "genkit:output"


def _fields(telling: Telling, key: str) -> Mapping[str, Any]:
    found = load(telling.get(key))
    return found if isinstance(found, dict) else {}


def _input(telling: Telling) -> list[Message]:
    return messages_of(telling.get(_INPUT), "input", is_json=False)


def _output(telling: Telling) -> list[Message]:
    return messages_of(telling.get(_OUTPUT), "output", is_json=False)


def _model(telling: Telling) -> str | None:
    is_model = telling.kind in (SpanKind.LLM, SpanKind.EMBEDDING)
    return as_text(telling.get("genkit:name")) if is_model else None


def _tools(telling: Telling) -> list[ToolDefinition]:
    return tool_definitions(_fields(telling, _INPUT).get("tools"))


def _request_params(telling: Telling) -> dict[str, JsonValue]:
    config = _fields(telling, _INPUT).get("config")
    return config if isinstance(config, dict) else {}


def _finish_reasons(telling: Telling) -> list[str]:
    reason = as_text(_fields(telling, _OUTPUT).get("finishReason"))
    return [reason] if reason else []


def _tool_arguments(telling: Telling) -> Payload | None:
    return _payload(telling, _INPUT)


def _tool_result(telling: Telling) -> Payload | None:
    return _payload(telling, _OUTPUT)


def _payload(telling: Telling, key: str) -> Payload | None:
    value = telling.get(key)
    return None if value is None else payload(value)


GENKIT = Convention(
    "Firebase Genkit",
    "Genkit's own spans",
    ("genkit:input", "genkit:output", "genkit:name"),
    input=_input,
    output=_output,
    tools=_tools,
    model_requested=_model,
    request_params=_request_params,
    finish_reasons=_finish_reasons,
    tool_arguments=_tool_arguments,
    tool_result=_tool_result,
)
