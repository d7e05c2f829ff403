"""Conversion between Responses API items and GenAI messages."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

from agents.models.fake_id import FAKE_RESPONSES_ID

from instrument.decision import Injection

MessageDict = dict[str, Any]
Item = Mapping[str, Any]

_TOGETHER = ("assistant", "tool")
"""Roles of which several items are one message."""


class MessageItems(NamedTuple):
    """One reported message, with the framework's items that it consists of."""

    told: MessageDict
    own: list[Any]


def lines_of(given: Any) -> list[MessageItems]:
    """Return a model's input, a text or items, as messages."""
    if isinstance(given, str):
        given = [{"role": "user", "content": given}]
    lines: list[MessageItems] = []
    for own in given or ():
        item = as_item(own)
        role = _role(item)
        if lines and role in _TOGETHER and lines[-1].told["role"] == role:
            lines[-1].told["parts"] += _parts(item)
            lines[-1].own.append(own)
        else:
            lines.append(MessageItems({"role": role, "parts": _parts(item)}, [own]))
    return lines


def told_answer(output: Iterable[Any], response_id: Any = None) -> MessageDict:
    """Return a model's answer as one message."""
    parts = [part for own in output for part in _parts(as_item(own))]
    told: MessageDict = {"role": "assistant", "parts": parts}
    if isinstance(response_id, str) and response_id != FAKE_RESPONSES_ID:
        told["id"] = response_id
    return told


def own_items(prompt: Any, lines: Sequence[MessageItems]) -> list[Any]:
    """Return the items to send: originals for unchanged messages, new ones for others."""
    if isinstance(prompt, str) or not isinstance(prompt, Sequence):
        prompt = [prompt]
    return [own for message in prompt for own in _own(message, lines)]


def injected(injections: Iterable[Injection]) -> list[Any]:
    """Return the texts that hooks inject, as items."""
    return [{"role": one.role, "content": one.text} for one in injections]


def as_item(own: Any) -> Item:
    """Return an item as a mapping, which it is where it was sent already."""
    if isinstance(own, Mapping):
        return own
    with suppress(Exception):  # of a type that we do not know
        dumped: Item = own.model_dump(exclude_none=True)
        return dumped
    return {"type": type(own).__name__}


def arguments_of(text: Any) -> Any:
    """Return a tool's arguments, decoded if they are the text of a JSON object."""
    if isinstance(text, str):
        with suppress(ValueError):
            return json.loads(text)
    return text


def text_of(value: Any) -> str:
    """Return the text of an answer or a message from a hook."""
    if isinstance(value, Mapping):
        value = value.get("content", value.get("parts", value.get("text", "")))
    if isinstance(value, str):
        return value
    if isinstance(value, Sequence):
        return "\n".join(text_of(one) for one in value)
    return str(value)


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
    """Return a piece of a message as a part; of media what it is, not what is in it."""
    if isinstance(piece, str):
        return {"type": "text", "content": piece}
    item = as_item(piece)
    for name in ("text", "refusal", "image_url", "file_url", "filename"):
        value = item.get(name)
        if isinstance(value, str) and not value.startswith("data:"):
            return {"type": "text", "content": value}
    return {"type": "text", "content": f"[{item.get('type', 'media')}]"}


def _own(message: Any, lines: Sequence[MessageItems]) -> list[Any]:
    for line in lines:
        if line.told is message or line.told == message:
            return line.own
    if isinstance(message, Mapping) and "parts" not in message:
        return [message]  # an item of the API
    role = message.get("role", "user") if isinstance(message, Mapping) else "user"
    return [{"role": role, "content": text_of(message)}]
