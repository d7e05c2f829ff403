"""Conversations: the GenAI message schema, and the seed's MCP messages, as wire messages.

Content comes as JSON text or as a structured attribute, and may be wrong in any way: what cannot
be read is shown as it came, never dropped and never an error.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, Literal

from inspector.model import Json
from inspector.normalise.attributes import as_text
from inspector.normalise.payload import payload
from inspector.wire import (
    BlobPart,
    LinkPart,
    Message,
    OtherPart,
    Part,
    ReasoningPart,
    TextPart,
    ToolCallPart,
    ToolResultPart,
)

Origin = Literal["system", "input", "output"]

_SYSTEM = ("gen_ai.system_instructions",)
INPUT_KEYS = ("gen_ai.input.messages", "mcp.llm.prompt_json")
_OUTPUT = ("gen_ai.output.messages", "mcp.llm.response_json")


def conversation(attributes: Mapping[str, Json]) -> list[Message]:
    """Return the messages a span carries: system, then input, then output."""
    return [
        *_system(attributes),
        *_messages(attributes, INPUT_KEYS, "input"),
        *_messages(attributes, _OUTPUT, "output"),
    ]


def first_user_text(attributes: Mapping[str, Json]) -> str | None:
    """Return the first text a user wrote, for a session's title."""
    for message in _messages(attributes, INPUT_KEYS, "input"):
        if message.role == "user":
            for part in message.parts:
                if isinstance(part, TextPart) and part.text.strip():
                    return part.text
    return None


def _system(attributes: Mapping[str, Json]) -> list[Message]:
    value = _load(attributes, _SYSTEM)
    if value is None:
        return []
    parts = value if isinstance(value, list) else [value]
    return [Message(role="system", origin="system", parts=[_part(part) for part in parts])]


def _messages(
    attributes: Mapping[str, Json], keys: tuple[str, ...], origin: Origin
) -> list[Message]:
    value = _load(attributes, keys)
    if value is None:
        return []
    items = value if isinstance(value, list) else [value]
    return [_message(item, origin) for item in items]


def _load(attributes: Mapping[str, Json], keys: tuple[str, ...]) -> Any:
    """Return the first of `keys` that is there, parsed; text that is no JSON stays text."""
    for key in keys:
        value = attributes.get(key)
        if isinstance(value, str) and value:
            try:
                return json.loads(value)
            except (ValueError, RecursionError):
                return value
        if value:
            return value
    return None


def _message(item: Any, origin: Origin) -> Message:
    role = "assistant" if origin == "output" else "user"
    if not isinstance(item, dict):
        return Message(role=role, origin=origin, parts=[_part(item)])
    parts = item.get("parts", item.get("content"))
    if parts is None:
        return Message(role=role, origin=origin, parts=[_part(item)])
    return Message(
        role=as_text(item.get("role")) or role,
        origin=origin,
        name=as_text(item.get("name")),
        finish_reason=as_text(item.get("finish_reason")),
        parts=[_part(part) for part in (parts if isinstance(parts, list) else [parts])],
    )


def _part(part: Any) -> Part:
    if isinstance(part, str):
        return TextPart(text=part)
    if isinstance(part, dict):
        read = _PARTS.get(str(part.get("type")))
        if read is not None:
            return read(part)
        return OtherPart(part_type=str(part.get("type", "object")), value=payload(part))
    return OtherPart(part_type=type(part).__name__, value=payload(part))


def _text(part: Mapping[str, Any]) -> Part:
    return TextPart(text=_string(part.get("content", part.get("text"))))


def _reasoning(part: Mapping[str, Any]) -> Part:
    return ReasoningPart(text=_string(part.get("content", part.get("thinking"))))


def _tool_call(part: Mapping[str, Any]) -> Part:
    arguments = part.get("arguments", part.get("input"))
    return ToolCallPart(
        id=as_text(part.get("id")),
        name=_string(part.get("name")),
        arguments=None if arguments is None else payload(arguments),
    )


def _tool_result(part: Mapping[str, Any]) -> Part:
    result = part.get("response", part.get("result", part.get("content")))
    return ToolResultPart(
        id=as_text(part.get("id")) or as_text(part.get("tool_use_id")),
        result=None if result is None else payload(result),
    )


def _blob(part: Mapping[str, Any]) -> Part:
    size = part.get("bytes")
    return BlobPart(
        modality=as_text(part.get("modality")) or as_text(part.get("type")),
        mime_type=as_text(part.get("mime_type")) or as_text(part.get("mimeType")),
        data=as_text(part.get("content")) or as_text(part.get("data")),
        size_bytes=size if isinstance(size, int) and size >= 0 else None,
    )


def _link(part: Mapping[str, Any]) -> Part:
    uri = part.get("uri", part.get("file_id"))
    return LinkPart(
        modality=as_text(part.get("modality")),
        mime_type=as_text(part.get("mime_type")) or as_text(part.get("mimeType")),
        uri=_string(uri),
    )


def _string(value: Any) -> str:
    if isinstance(value, str):
        return value
    return "" if value is None else payload(value).text


_PARTS: dict[str, Callable[[Mapping[str, Any]], Part]] = {
    "text": _text,
    "reasoning": _reasoning,
    "thinking": _reasoning,
    "tool_call": _tool_call,
    "tool_use": _tool_call,
    "tool_call_response": _tool_result,
    "tool_result": _tool_result,
    "blob": _blob,
    "image": _blob,
    "audio": _blob,
    "uri": _link,
    "file": _link,
    "resource_link": _link,
}
