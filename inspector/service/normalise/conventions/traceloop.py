"""OpenLLMetry before 0.55, and Traceloop's decorators."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import JsonValue

from inspector.service.model.otlp_values import as_text
from inspector.service.model.rows import Json
from inspector.service.normalise.conventions.span_source import Convention, SpanSource
from inspector.service.normalise.flattened import expand
from inspector.service.normalise.messages import Origin, load, load_parts, message_of
from inspector.service.normalise.payload import payload
from inspector.service.normalise.tools import tool_definitions
from inspector.service.wire import Message, Payload

_ASSOCIATED = "traceloop.association.properties."


def _entries(source: SpanSource, prefix: str) -> list[Mapping[str, Any]]:
    # Others have a name below the same prefix: `gen_ai.prompt.name` is no message.
    numbered = {
        key: value
        for key, value in source.attributes.items()
        if key.startswith(prefix) and key[len(prefix) :].partition(".")[0].isdecimal()
    }
    found = expand(numbered, prefix)
    return [e for e in found if isinstance(e, dict)] if isinstance(found, list) else []


def _messages(source: SpanSource, prefix: str, origin: Origin) -> list[Message]:
    return [message_of(_chat(entry), origin) for entry in _entries(source, prefix)]


def _chat(entry: Mapping[str, Any]) -> dict[str, Any]:
    # Content of several parts was written as JSON text.
    return {**entry, "content": load_parts(entry.get("content"))}


def _finish_reasons(source: SpanSource) -> list[str]:
    entries = _entries(source, "gen_ai.completion.")
    return [reason for e in entries if (reason := as_text(e.get("finish_reason")))]


def _tool_arguments(source: SpanSource) -> Payload | None:
    value = source.get("traceloop.entity.input")
    return None if value is None else payload(_arguments(value))


def _arguments(value: Json) -> Json:
    """Return the arguments of a tool call from `{"args": …, "kwargs": …}` and the like."""
    called = load(value)
    if isinstance(called, dict) and called.keys() == {"tool_name", "arguments"}:
        arguments: Json = called["arguments"]
        return arguments
    if not isinstance(called, dict) or not called.keys() & {"args", "kwargs", "inputs"}:
        return value
    for name in ("kwargs", "inputs", "args"):
        if called.get(name) and not any(called.get(n) for n in ("args", "kwargs") if n != name):
            found: Json = called[name]
            return found
    return value


def _tool_result(source: SpanSource) -> Payload | None:
    value = source.get("traceloop.entity.output", "mcp.response.value")
    answered = load(value)
    if isinstance(answered, dict) and answered.keys() == {"result"}:
        value = answered["result"]
    return None if value is None else payload(value)


def _metadata(source: SpanSource) -> dict[str, JsonValue]:
    return {
        key.removeprefix(_ASSOCIATED): value
        for key, value in source.attributes.items()
        if key.startswith(_ASSOCIATED)
    }


TRACELOOP = Convention(
    "OpenLLMetry, Traceloop",
    "OpenLLMetry before 0.55 and its decorators of any age",
    (
        "gen_ai.prompt.N.*",
        "gen_ai.completion.N.*",
        "llm.request.functions.N.*",
        "traceloop.entity.input",
        "traceloop.entity.output",
        "traceloop.association.properties.*",
        "mcp.response.value",
    ),
    input=lambda source: _messages(source, "gen_ai.prompt.", "input"),
    output=lambda source: _messages(source, "gen_ai.completion.", "output"),
    tools=lambda source: tool_definitions(_entries(source, "llm.request.functions.")),
    finish_reasons=_finish_reasons,
    tool_arguments=_tool_arguments,
    tool_result=_tool_result,
    metadata=_metadata,
)
