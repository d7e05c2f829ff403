"""Conversion between Responses API items and GenAI messages."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any

from agents.models.fake_id import FAKE_RESPONSES_ID

from inspector.integrations.conversion import (
    ConvertedMessage,
    MessageDict,
    as_messages,
    find_own,
    text_of,
)
from instrument.parts import Injection

Item = Mapping[str, Any]

_TOGETHER = ("assistant", "tool")
"""Roles whose consecutive items are one message."""


def convert(model_input: Any) -> list[ConvertedMessage]:
    """Return a model's input, a text or items, as messages with their items."""
    if isinstance(model_input, str):
        model_input = [{"role": "user", "content": model_input}]
    messages: list[ConvertedMessage] = []
    for own in model_input or ():
        item = as_item(own)
        role = _role(item)
        if messages and role in _TOGETHER and messages[-1].message["role"] == role:
            messages[-1].message["parts"] += _parts(item)
            messages[-1].own.append(own)
        else:
            messages.append(ConvertedMessage({"role": role, "parts": _parts(item)}, [own]))
    return messages


def answer_message(output: Iterable[Any], response_id: Any = None) -> MessageDict:
    """Return a model's answer as one message."""
    parts = [part for own in output for part in _parts(as_item(own))]
    answer: MessageDict = {"role": "assistant", "parts": parts}
    if isinstance(response_id, str) and response_id != FAKE_RESPONSES_ID:
        answer["id"] = response_id
    return answer


def own_items(prompt: Any, messages: Sequence[ConvertedMessage]) -> list[Any]:
    """Return the items to send: originals for unchanged messages, new ones for others."""
    return [item for message in as_messages(prompt) for item in _own_items(message, messages)]


def injected(injections: Iterable[Injection]) -> list[Any]:
    """Return the texts that hooks inject, as items."""
    return [{"role": one.role, "content": one.text} for one in injections]


def as_item(own: Any) -> Item:
    """Return an item as a mapping, which it is once it was sent."""
    if isinstance(own, Mapping):
        return own
    with suppress(Exception):  # of a type that we do not know
        dumped: Item = own.model_dump(exclude_none=True, warnings=False)
        return dumped
    return {"type": type(own).__name__}


def arguments_of(text: Any) -> Any:
    """Return a tool's arguments, decoded if they are the text of a JSON object."""
    if isinstance(text, str):
        with suppress(ValueError):
            return json.loads(text)
    return text


def _role(item: Item) -> str:
    role, kind = item.get("role"), str(item.get("type", ""))
    if isinstance(role, str):
        return role
    return "tool" if kind.endswith(("_output", "_approval_response")) else "assistant"


def _parts(item: Item) -> list[MessageDict]:
    kind = str(item.get("type", "message"))
    call_id = item.get("call_id", item.get("id"))
    if kind == "message":
        content = item.get("content")
        return [_content(one) for one in ([content] if isinstance(content, str) else content or ())]
    if kind == "reasoning":
        return [{"type": "reasoning", "content": _reasoning(item)}]
    if kind.endswith("_output"):
        return [{"type": "tool_call_response", "id": call_id, "response": _output(item)}]
    if kind.endswith("_call"):
        return [
            {
                "type": "tool_call",
                "id": call_id,
                "name": str(item.get("name") or kind.removesuffix("_call")),
                "arguments": _arguments(item),
            }
        ]
    return [{"type": kind}]


def _arguments(item: Item) -> Any:
    for name in ("arguments", "input", "action", "operation", "queries", "code"):
        if name in item:
            return arguments_of(item[name])
    return {}


def _output(item: Item) -> Any:
    output = item.get("output")
    if isinstance(output, list):
        return "\n".join(str(_content(one).get("content")) for one in output)
    return output


def _reasoning(item: Item) -> str:
    thoughts = [*(item.get("summary") or ()), *(item.get("content") or ())]
    return "\n".join(str(as_item(one).get("text", "")) for one in thoughts)


def _content(piece: Any) -> MessageDict:
    """Return a piece of a message as a part; of media the kind, not the data."""
    if isinstance(piece, str):
        return {"type": "text", "content": piece}
    item = as_item(piece)
    for name in ("text", "refusal", "image_url", "file_url", "filename"):
        value = item.get(name)
        if isinstance(value, str) and not value.startswith("data:"):
            return {"type": "text", "content": value}
    return {"type": "text", "content": f"[{item.get('type', 'media')}]"}


def _own_items(message: Any, messages: Sequence[ConvertedMessage]) -> list[Any]:
    items: list[Any] | None = find_own(message, messages)
    if items is not None:
        return items
    if isinstance(message, Mapping) and "parts" not in message:
        return [message]  # an item of the API
    role = message.get("role", "user") if isinstance(message, Mapping) else "user"
    return [{"role": role, "content": text_of(message)}]
