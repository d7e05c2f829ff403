"""The Vercel AI SDK 5 and 6, and 7 with its legacy integration: `ai.*`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import JsonValue

from inspector.service.model.otlp_values import as_float, as_text
from inspector.service.normalise.conventions.span_source import Convention, SpanSource
from inspector.service.normalise.finish_reasons import finish_reason, finish_reasons
from inspector.service.normalise.messages import load, messages_of, system_of
from inspector.service.normalise.parts import tool_call
from inspector.service.normalise.payload import payload
from inspector.service.normalise.tools import tool_definitions
from inspector.service.wire import Message, Part, ReasoningPart, TextPart

_SETTINGS, _METADATA = "ai.settings.", "ai.telemetry.metadata."


def _prompt(source: SpanSource) -> Mapping[str, Any]:
    prompt = load(source.get("ai.prompt"))
    return prompt if isinstance(prompt, dict) else {"prompt": source.get("ai.prompt")}


def _system(source: SpanSource) -> list[Message]:
    return system_of(_prompt(source).get("system")) if not source.get("ai.prompt.messages") else []


def _input(source: SpanSource) -> list[Message]:
    if messages := source.get("ai.prompt.messages"):
        return messages_of(messages, "input")
    prompt = _prompt(source)
    return messages_of(prompt.get("messages") or prompt.get("prompt"), "input", is_json=False)


def _output(source: SpanSource) -> list[Message]:
    found: list[Part] = []
    if thought := as_text(source.get("ai.response.reasoning")):
        found.append(ReasoningPart(text=thought))
    if text := as_text(source.get("ai.response.text", "ai.result.text")):
        found.append(TextPart(text=text))
    if (made := source.get("ai.response.object", "ai.result.object")) is not None:
        found.append(TextPart(text=made if isinstance(made, str) else payload(made).text))
    called = load(source.get("ai.response.toolCalls", "ai.result.toolCalls"))
    calls = called if isinstance(called, list) else []
    parts = (tool_call(call) for call in calls if isinstance(call, dict))
    found += [part for part in parts if part is not None]
    reason = as_text(source.get("ai.response.finishReason"))
    if not found:
        return []
    reason = finish_reason(reason) if reason else None
    return [Message(role="assistant", origin="output", finish_reason=reason, parts=found)]


def _under(source: SpanSource, prefix: str) -> dict[str, JsonValue]:
    return {
        key.removeprefix(prefix): value
        for key, value in source.attributes.items()
        if key.startswith(prefix)
    }


def _first_chunk_ms(source: SpanSource) -> float | None:
    return as_float(source.get("ai.response.msToFirstChunk", "ai.stream.msToFirstChunk"))


VERCEL = Convention(
    "Vercel AI SDK",
    "`ai` 5 and 6, and 7 with `LegacyOpenTelemetry`",
    (
        "ai.prompt",
        "ai.prompt.messages",
        "ai.prompt.tools",
        "ai.response.text",
        "ai.response.reasoning",
        "ai.response.object",
        "ai.response.toolCalls",
        "ai.response.finishReason",
        "ai.response.msToFirstChunk",
        "ai.settings.*",
        "ai.telemetry.metadata.*",
    ),
    system=_system,
    input=_input,
    output=_output,
    tools=lambda source: tool_definitions(source.get("ai.prompt.tools")),
    request_params=lambda source: _under(source, _SETTINGS),
    finish_reasons=lambda source: finish_reasons(source.get("ai.response.finishReason")),
    first_chunk_ms=_first_chunk_ms,
    metadata=lambda source: _under(source, _METADATA),
)
