"""LangSmith's OTLP export: the inputs and outputs of a run, each as one JSON value."""

from __future__ import annotations

from pydantic import JsonValue

from inspector.service.model.rows import SpanKind
from inspector.service.normalise.conventions.span_source import Convention, SpanSource
from inspector.service.normalise.messages import load, messages_of
from inspector.service.normalise.payload import payload
from inspector.service.normalise.tools import tool_definitions
from inspector.service.wire import Payload, ToolDefinition

_METADATA = "langsmith.metadata."


def _tools(source: SpanSource) -> list[ToolDefinition]:
    request = load(source.get("gen_ai.prompt"))
    return tool_definitions(request.get("tools")) if isinstance(request, dict) else []


def _request_params(source: SpanSource) -> dict[str, JsonValue]:
    """Return the rest of a model's request beside what has a place of its own."""
    request = load(source.get("gen_ai.prompt"))
    if source.kind is not SpanKind.LLM or not isinstance(request, dict):
        return {}
    return {k: v for k, v in request.items() if k not in ("messages", "tools", "model")}


def _payload(source: SpanSource, key: str) -> Payload | None:
    value = source.get(key)
    return None if value is None else payload(value)


def _metadata(source: SpanSource) -> dict[str, JsonValue]:
    return {
        key.removeprefix(_METADATA): value
        for key, value in source.attributes.items()
        if key.startswith(_METADATA)
        and not key.startswith((_METADATA + "LANGSMITH_", _METADATA + "ls_"))
    }


LANGSMITH = Convention(
    "LangSmith, and prompts as one text",
    "`langsmith` with OTLP export; anyone who writes a prompt as one attribute",
    ("gen_ai.prompt", "gen_ai.completion", "langsmith.metadata.*"),
    input=lambda source: messages_of(source.get("gen_ai.prompt"), "input", is_json=False),
    output=lambda source: messages_of(source.get("gen_ai.completion"), "output", is_json=False),
    tools=_tools,
    request_params=_request_params,
    tool_arguments=lambda source: _payload(source, "gen_ai.prompt"),
    tool_result=lambda source: _payload(source, "gen_ai.completion"),
    metadata=_metadata,
)
