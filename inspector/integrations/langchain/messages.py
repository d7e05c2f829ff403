"""Conversion of LangChain messages: answers, injected texts, token usage."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from inspector.integrations.conversion import answer_text

if TYPE_CHECKING:
    from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage

    from instrument.parts import Injection


def as_answer(value: Any) -> AIMessage:
    """Return a replacement answer, from a hook or a person, as a message."""
    from langchain_core.messages import AIMessage, convert_to_messages  # noqa: PLC0415

    if isinstance(value, AIMessage):
        return value
    if isinstance(value, Mapping) and "content" in value:
        (message,) = convert_to_messages([{"role": "assistant", **value}])
        if isinstance(message, AIMessage):
            return message
    return AIMessage(content=answer_text(value))


def as_chunk(message: AIMessage) -> AIMessageChunk:
    """Return a whole answer as the only piece of a stream."""
    from langchain_core.messages import AIMessageChunk  # noqa: PLC0415

    fields = message.model_dump(exclude={"type", "invalid_tool_calls"})
    return AIMessageChunk(**fields)


def merged(chunks: Sequence[AIMessageChunk]) -> Any:
    """Return the pieces as one message, None if there are none, the last if they do not fit."""
    if not chunks:
        return None
    try:
        from langchain_core.messages import message_chunk_to_message  # noqa: PLC0415
        from langchain_core.messages.ai import add_ai_message_chunks  # noqa: PLC0415

        return message_chunk_to_message(add_ai_message_chunks(chunks[0], *chunks[1:]))
    except Exception:  # noqa: BLE001 - never into the program that is watched
        return chunks[-1]


def with_injections(messages: Any, injections: Iterable[Injection]) -> list[BaseMessage]:
    """Return `messages` with the texts that hooks inject.

    System messages follow the existing ones, since providers want them first; texts for a tool's
    result are appended to the last one; all others come last.
    """
    from langchain_core import messages as types  # noqa: PLC0415

    found: list[BaseMessage] = types.convert_to_messages(messages)
    for injection in injections:
        last = found[-1] if found else None
        if injection.is_for_tool_result and isinstance(last, types.ToolMessage):
            found[-1] = appended(last, injection.text)
        elif injection.role == "system":
            index = next((n for n, one in enumerate(found) if one.type != "system"), len(found))
            found.insert(index, types.SystemMessage(injection.text))
        elif injection.role == "assistant":
            found.append(types.AIMessage(injection.text))
        else:
            found.append(types.HumanMessage(injection.text))
    return found


def appended(message: Any, text: str) -> Any:
    """Return a copy of `message` with `text` appended."""
    content = message.content
    longer = f"{content}\n\n{text}" if isinstance(content, str) else [*content, text]
    return message.model_copy(update={"content": longer})


def usage_of(message: Any, token_usage: Any = None) -> dict[str, Any] | None:
    """Return the tokens of an answer: its `usage_metadata`, else the provider's raw data.

    Args:
        message: An `AIMessage`.
        token_usage: `llm_output["token_usage"]` of older integrations.
    """
    about = getattr(message, "response_metadata", None) or {}
    model = about.get("model_name") or about.get("model")
    used = getattr(message, "usage_metadata", None)
    if not used:
        raw = token_usage or about.get("token_usage") or about.get("usage")
        usage = dict(raw) if isinstance(raw, Mapping) else {}
    else:
        sent, received = used.get("input_token_details"), used.get("output_token_details")
        usage = {
            "input_tokens": used.get("input_tokens"),
            "output_tokens": used.get("output_tokens"),
            "cache_read_tokens": (sent or {}).get("cache_read"),
            "cache_write_tokens": (sent or {}).get("cache_creation"),
            "reasoning_tokens": (received or {}).get("reasoning"),
        }
    known = {name: value for name, value in {**usage, "model": model}.items() if value is not None}
    return known or None
