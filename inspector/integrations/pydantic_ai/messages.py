"""Conversion between Pydantic AI messages and GenAI messages."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from pydantic_ai.messages import (
    ModelMessage,
    ModelRequest,
    ModelRequestPart,
    ModelResponse,
    SystemPromptPart,
    TextPart,
    UserPromptPart,
)

from inspector.integrations.conversion import (
    ConvertedMessage,
    MessageDict,
    answer_text,
    as_messages,
    find_own,
    text_of,
)
from instrument.parts import Injection


def convert(messages: Iterable[ModelMessage]) -> list[ConvertedMessage]:
    """Split `messages` into messages of one role each."""
    return [part for message in messages for part in _split(message)]


def answer_message(response: ModelResponse) -> MessageDict:
    """Return the answer of a model as one message."""
    answer: MessageDict = {
        "role": "assistant",
        "parts": [_part(part) for part in response.parts],
    }
    for name, value in (
        ("finish_reason", getattr(response, "finish_reason", None)),
        ("model", response.model_name),
        ("id", getattr(response, "provider_response_id", None)),
    ):
        if value is not None:
            answer[name] = value
    return answer


def own_messages(prompt: Any, messages: Sequence[ConvertedMessage]) -> list[ModelMessage]:
    """Return the messages to send: originals where unchanged, new ones otherwise."""
    return [_own(item, messages) for item in as_messages(prompt)]


def own_response(
    response: Any, answer: MessageDict | None, own: ModelResponse | None
) -> ModelResponse:
    """Return the interceptors' answer as the framework's type."""
    if isinstance(response, ModelResponse):
        return response
    if own is not None and response == answer:
        return own
    parts = [TextPart(answer_text(response))]
    return ModelResponse(parts) if own is None else replace(own, parts=parts)


def with_injections(
    messages: Sequence[ModelMessage], injections: Iterable[Injection]
) -> list[ModelMessage]:
    """Return `messages` with injected texts, in the last one where possible."""
    parts = [
        UserPromptPart(one.text) if one.role == "user" else SystemPromptPart(one.text)
        for one in injections
    ]
    last = messages[-1] if messages else None
    if isinstance(last, ModelRequest):
        return [*messages[:-1], replace(last, parts=[*last.parts, *parts])]
    return [*messages, ModelRequest(parts=parts)]


def run_input(prompt: Any) -> Any:
    """Return the prompt of a run, with media described by their type."""
    if prompt is None or isinstance(prompt, str):
        return prompt
    return [{"role": "user", "parts": [{"type": "text", "content": _user_texts(prompt)}]}]


def _split(message: ModelMessage) -> Iterable[ConvertedMessage]:
    if isinstance(message, ModelResponse):
        yield ConvertedMessage(answer_message(message), message)
        return
    group: list[ModelRequestPart] = []
    for part in message.parts:
        if group and _role(part) != _role(group[0]):
            yield _request(message, group)
            group = []
        group.append(part)
    if group:
        yield _request(message, group)


def _request(message: ModelRequest, parts: list[ModelRequestPart]) -> ConvertedMessage:
    converted = {"role": _role(parts[0]), "parts": [_part(part) for part in parts]}
    return ConvertedMessage(converted, replace(message, parts=list(parts)))


def _role(part: Any) -> str:
    kind = part.part_kind
    if kind == "user-prompt":
        return "user"
    if kind == "tool-return" or (kind.startswith("retry") and _tool_name(part)):
        return "tool"
    return "user" if kind.startswith("retry") else "system"


def _tool_name(part: Any) -> str | None:
    name = getattr(part, "tool_name", None)
    return name if isinstance(name, str) else None


def _part(part: Any) -> MessageDict:
    kind = part.part_kind
    if kind in ("tool-call", "builtin-tool-call"):
        return {
            "type": "tool_call",
            "id": part.tool_call_id,
            "name": part.tool_name,
            "arguments": part.args,
        }
    content = getattr(part, "content", None)
    if kind.startswith("retry"):
        content = part.model_response()
    if kind in ("tool-return", "builtin-tool-return") or (
        kind.startswith("retry") and _tool_name(part)
    ):
        return {"type": "tool_call_response", "id": part.tool_call_id, "response": content}
    if kind == "thinking":
        return {"type": "reasoning", "content": content}
    if isinstance(content, str):
        return {"type": "text", "content": content}
    if kind == "user-prompt" and isinstance(content, Sequence):
        return {"type": "text", "content": _user_texts(content)}
    return {"type": kind}


def _user_texts(content: Sequence[Any]) -> str:
    return "\n".join(_user_text(item) for item in content)


def _user_text(item: Any) -> str:
    """Return the text of a piece of user input; of media the kind, not the data."""
    if isinstance(item, str):
        return item
    for name in ("content", "url"):
        if isinstance(text := getattr(item, name, None), str) and not text.startswith("data:"):
            return text
    return f"[{getattr(item, 'media_type', None) or getattr(item, 'kind', 'media')}]"


def _own(item: Any, messages: Sequence[ConvertedMessage]) -> ModelMessage:
    if isinstance(item, ModelRequest | ModelResponse):
        return item
    own: ModelMessage | None = find_own(item, messages)
    if own is not None:
        return own
    role = item.get("role") if isinstance(item, Mapping) else "user"
    if role == "assistant":
        return ModelResponse(parts=[TextPart(text_of(item))])
    part = SystemPromptPart if role in ("system", "developer") else UserPromptPart
    return ModelRequest(parts=[part(text_of(item))])
