"""Conversion between LlamaIndex messages and GenAI messages."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from llama_index.core.base.llms.types import ChatMessage, ChatResponse, CompletionResponse

from inspector.integrations.conversion import (
    ConvertedMessage,
    MessageDict,
    answer_text,
    as_messages,
    find_own,
    text_of,
    token_counts,
    tool_definition,
)
from instrument.parts import Injection

_SENT = ("prompt_tokens", "input_tokens", "prompt_token_count")
_RECEIVED = ("completion_tokens", "output_tokens", "candidates_token_count")


def convert(messages: Iterable[ChatMessage]) -> list[ConvertedMessage]:
    """Return messages, each with its own object."""
    return [ConvertedMessage(_message(one), one) for one in messages]


def answer_message(response: Any) -> MessageDict:
    """Return the answer of a model as one message."""
    if isinstance(response, CompletionResponse):
        answer = {"role": "assistant", "parts": [{"type": "text", "content": response.text}]}
    else:
        answer = _message(response.message)
    model = _member(response.raw, "model")
    if isinstance(model, str):
        answer["model"] = model
    return answer


def own_messages(prompt: Any, converted: Sequence[ConvertedMessage]) -> list[ChatMessage]:
    """Return the messages to send: originals where unchanged, new ones otherwise."""
    return [_own(item, converted) for item in as_messages(prompt)]


def with_injections(
    messages: list[ChatMessage], injections: Iterable[Injection]
) -> list[ChatMessage]:
    """Return messages with the texts that hooks inject."""
    return [*messages, *(ChatMessage(role=one.role, content=one.text) for one in injections)]


def own_response(value: Any, *, is_completion: bool) -> Any:
    """Return the answer of a hook as that of a model."""
    if isinstance(value, ChatResponse | CompletionResponse):
        return value
    text = text_of(value.content) if isinstance(value, ChatMessage) else answer_text(value)
    if is_completion:
        return CompletionResponse(text=text, delta=text)
    message = value if isinstance(value, ChatMessage) else ChatMessage(text, role="assistant")
    return ChatResponse(message=message, delta=text)


def usage_of(response: Any) -> dict[str, int] | None:
    """Return the tokens of an answer as hooks name them; None if nobody has counted them."""
    raw = response.raw
    for counts in (
        _member(raw, "usage"),
        _member(raw, "usage_metadata"),
        response.additional_kwargs,
    ):
        sent, received = _count(counts, _SENT), _count(counts, _RECEIVED)
        if sent is None and received is None:
            continue
        details = _member(counts, "prompt_tokens_details")
        thought = _member(counts, "completion_tokens_details")
        cached = _count(details, ("cached_tokens",)) or _count(counts, ("cache_read_input_tokens",))
        return token_counts(
            sent or 0,
            received or 0,
            cache_read=cached or 0,
            cache_write=_count(counts, ("cache_creation_input_tokens",)) or 0,
            reasoning=_count(thought, ("reasoning_tokens",)) or 0,
        )
    return None


def offered_tools(tools: Any) -> list[Any]:
    """Return the tools of a call: definitions of a provider as they are, tools as definitions."""
    return [
        one
        if isinstance(one, Mapping)
        else tool_definition(
            one.metadata.get_name(), one.metadata.description, one.metadata.get_parameters_dict()
        )
        for one in tools
    ]


def _message(message: ChatMessage) -> MessageDict:
    role = getattr(message.role, "value", str(message.role))
    beside = message.additional_kwargs
    if role == "tool":
        text = message.content or ""
        answered = {"type": "tool_call_response", "id": beside.get("tool_call_id")}
        return {"role": "tool", "parts": [{**answered, "response": text}]}
    parts = [_part(block) for block in message.blocks]
    if not any(part["type"] == "tool_call" for part in parts):
        parts += [_provider_call(one) for one in beside.get("tool_calls") or ()]
    return {"role": "system" if role == "developer" else role, "parts": parts}


def _part(block: Any) -> MessageDict:
    kind = block.block_type
    if kind == "text":
        return {"type": "text", "content": block.text}
    if kind == "thinking":
        return {"type": "reasoning", "content": block.content or ""}
    if kind == "tool_call":
        return {
            "type": "tool_call",
            "id": block.tool_call_id,
            "name": block.tool_name,
            "arguments": block.tool_kwargs,
        }
    return {"type": "text", "content": f"[{kind}]"}


def _provider_call(call: Any) -> MessageDict:
    """Return the call of a tool in the form of OpenAI."""
    function = _member(call, "function")
    return {
        "type": "tool_call",
        "id": _member(call, "id"),
        "name": _member(function, "name"),
        "arguments": _member(function, "arguments"),
    }


def _member(value: Any, name: str) -> Any:
    return value.get(name) if isinstance(value, Mapping) else getattr(value, name, None)


def _count(counts: Any, names: Sequence[str]) -> int | None:
    found = (_member(counts, name) for name in names)
    return next((one for one in found if isinstance(one, int)), None)


def _own(item: Any, converted: Sequence[ConvertedMessage]) -> ChatMessage:
    if isinstance(item, ChatMessage):
        return item
    own = find_own(item, converted)
    if own is not None:
        found: ChatMessage = own
        return found
    role = item.get("role", "user") if isinstance(item, Mapping) else "user"
    return ChatMessage(text_of(item), role=role)
