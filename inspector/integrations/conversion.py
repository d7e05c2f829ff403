"""Conversions that several adapters share: agents, messages, settings and token counts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from instrument import HookContractError

MessageDict = dict[str, Any]

_NAMES = "`content`, `parts` or `text`"
_TEXTS = frozenset({"content", "parts", "text"})

OFFERED = ("stream", "system", "tools")
"""Request parameters that are reported with the settings and are none."""


@dataclass(frozen=True, eq=False)
class AgentFacts:
    """The description of a running agent that its hooks carry; its `repr` has no payload."""

    agent: Any = field(repr=False)
    name: str | None
    input: Any = field(default=None, repr=False)
    description: str | None = field(default=None, repr=False)
    instructions: Any = field(default=None, repr=False)
    model: str | None = field(default=None, repr=False)
    conversation_id: str | None = field(default=None, repr=False)

    @property
    def class_name(self) -> str:
        """The framework's own class of the agent."""
        return type(self.agent).__qualname__


class ConvertedMessage(NamedTuple):
    """One GenAI message, with the framework's objects that it was made from."""

    message: MessageDict
    own: Any


def find_own(message: Any, converted: Iterable[ConvertedMessage]) -> Any:
    """Return the framework's objects of an unchanged message; None for any other message."""
    return next(
        (one.own for one in converted if one.message is message or one.message == message), None
    )


def as_messages(prompt: Any) -> Sequence[Any]:
    """Return a prompt, a text or messages, as a sequence of messages."""
    return [prompt] if isinstance(prompt, str) or not isinstance(prompt, Sequence) else prompt


def text_of(value: Any) -> str:
    """Return the text of an answer or a message from a hook."""
    if isinstance(value, Mapping):
        value = value.get("content", value.get("parts", value.get("text", "")))
    if isinstance(value, str):
        return value
    if isinstance(value, Sequence):
        return "\n".join(text_of(one) for one in value)
    return str(value)


def answer_text(value: Any) -> str:
    """Return the text of an answer from a hook.

    Raises:
        HookContractError: It is nothing, or a mapping without a text.
    """
    is_text = value is not None and (not isinstance(value, Mapping) or _TEXTS & value.keys())
    if not is_text:
        has = ", ".join(map(repr, value)) if value else "nothing"
        raise HookContractError(
            f"an answer of a model needs {_NAMES}, and what a hook returned has {has}"
        )
    return text_of(value)


def tool_definition(name: str, description: Any, parameters: Any) -> dict[str, Any]:
    """Return a tool as it is offered to a model."""
    return {"name": name, "description": description, "parameters": parameters}


def changed_settings(wanted: Mapping[str, Any], settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings in `wanted` that hooks have changed."""
    return {
        name: value
        for name, value in wanted.items()
        if name not in OFFERED and settings.get(name) != value
    }


def token_counts(
    sent: int,
    received: int,
    *,
    cache_read: int,
    cache_write: int,
    reasoning: int,
    audio_input: int = 0,
    audio_output: int = 0,
    audio_cache_read: int = 0,
) -> dict[str, int]:
    """Return the tokens of an LLM call as hooks name them; the special ones only if counted."""
    special = {
        "cache_read_tokens": cache_read,
        "cache_write_tokens": cache_write,
        "reasoning_tokens": reasoning,
        "audio_input_tokens": audio_input,
        "audio_output_tokens": audio_output,
        "audio_cache_read_tokens": audio_cache_read,
    }
    counted = {name: count for name, count in special.items() if count}
    return {"input_tokens": sent, "output_tokens": received, **counted}
