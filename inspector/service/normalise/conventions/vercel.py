"""The Vercel AI SDK 5 and 6, and 7 with its legacy integration: `ai.*`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import JsonValue

from inspector.service.model.otlp_values import as_float, as_text
from inspector.service.normalise.conventions.telling import Convention, Telling
from inspector.service.normalise.finish_reasons import finish_reason, finish_reasons
from inspector.service.normalise.messages import load, messages_of, system_of
from inspector.service.normalise.parts import tool_call
from inspector.service.normalise.payload import payload
from inspector.service.normalise.tools import tool_definitions
from inspector.service.wire import Message, Part, ReasoningPart, TextPart, ToolDefinition

_SETTINGS, _METADATA = "ai.settings.", "ai.telemetry.metadata."


def _prompt(telling: Telling) -> Mapping[str, Any]:
    prompt = load(telling.get("ai.prompt"))
    return prompt if isinstance(prompt, dict) else {"prompt": telling.get("ai.prompt")}


def _system(telling: Telling) -> list[Message]:
    return (
        system_of(_prompt(telling).get("system")) if not telling.get("ai.prompt.messages") else []
    )


def _input(telling: Telling) -> list[Message]:
    if messages := telling.get("ai.prompt.messages"):
        return messages_of(messages, "input")
    prompt = _prompt(telling)
    return messages_of(prompt.get("messages") or prompt.get("prompt"), "input", is_json=False)


def _output(telling: Telling) -> list[Message]:
    found: list[Part] = []
    if thought := as_text(telling.get("ai.response.reasoning")):
        found.append(ReasoningPart(text=thought))
    if text := as_text(telling.get("ai.response.text", "ai.result.text")):
        found.append(TextPart(text=text))
    if (made := telling.get("ai.response.object", "ai.result.object")) is not None:
        found.append(TextPart(text=made if isinstance(made, str) else payload(made).text))
    called = load(telling.get("ai.response.toolCalls", "ai.result.toolCalls"))
    calls = called if isinstance(called, list) else []
    parts = (tool_call(call) for call in calls if isinstance(call, dict))
    found += [part for part in parts if part is not None]
    reason = as_text(telling.get("ai.response.finishReason"))
    if not found:
        return []
    reason = finish_reason(reason) if reason else None
    return [Message(role="assistant", origin="output", finish_reason=reason, parts=found)]


def _tools(telling: Telling) -> list[ToolDefinition]:
    return tool_definitions(telling.get("ai.prompt.tools"))


def _request_params(telling: Telling) -> dict[str, JsonValue]:
    return _under(telling, _SETTINGS)


def _metadata(telling: Telling) -> dict[str, JsonValue]:
    return _under(telling, _METADATA)


def _under(telling: Telling, prefix: str) -> dict[str, JsonValue]:
    return {
        key.removeprefix(prefix): value
        for key, value in telling.attributes.items()
        if key.startswith(prefix)
    }


def _finish_reasons(telling: Telling) -> list[str]:
    return finish_reasons(telling.get("ai.response.finishReason"))


def _first_chunk_ms(telling: Telling) -> float | None:
    return as_float(telling.get("ai.response.msToFirstChunk", "ai.stream.msToFirstChunk"))


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
    tools=_tools,
    request_params=_request_params,
    finish_reasons=_finish_reasons,
    first_chunk_ms=_first_chunk_ms,
    metadata=_metadata,
)
