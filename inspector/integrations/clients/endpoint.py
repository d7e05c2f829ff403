"""A route that calls a model: its request and its answer, whole and in pieces, as JSON.

Hooks see what goes over the wire: the provider's own messages, and its answer as a dict.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterable, Iterator, Mapping
from typing import Any, ClassVar

from inspector.integrations.conversion import answer_text, token_counts
from instrument.parts import Injection

Json = dict[str, Any]

MAX_ANSWER_CHARS = 4_000_000
"""Limit of the text that is kept of a streamed answer."""


class Endpoint(ABC):
    """A route of a provider that calls a model; without state."""

    path: ClassVar[str]
    """The route, as the client's methods name it."""
    input: ClassVar[str]
    """The field of the request that is the prompt."""
    operation_name: ClassVar[str | None] = None
    """OpenTelemetry's name of what it does; None: `chat`."""

    @abstractmethod
    def pieces(self) -> StreamedAnswer:
        """Return what a streamed answer is put together by."""

    @abstractmethod
    def whole(self, text: str, request: Json) -> Json:
        """Return an answer that is a text, as the provider would send it."""

    @abstractmethod
    def events(self, answer: Json, request: Json) -> Iterator[Json | str]:
        """Yield the events of an answer as a stream."""

    @abstractmethod
    def inject(self, request: Json, injections: Iterable[Injection]) -> None:
        """Add texts for the model to a request."""

    def read(self, content: bytes) -> Any:
        """Return the answer in a response's body; None if it is no JSON object."""
        answer = json.loads(content)
        return answer if isinstance(answer, dict) else None

    def usage(self, answer: Any) -> Mapping[str, Any] | None:
        """Return the tokens of an answer as hooks name them."""
        used = answer.get("usage") if isinstance(answer, Mapping) else None
        return openai_usage(used) if isinstance(used, Mapping) else None

    def answer(self, value: Any, request: Json, before: Any) -> Json:
        """Return the answer that a hook gives as the provider would send it.

        Args:
            value: A text, a message, the provider's JSON, or the client's own type.
            request: The request that it answers.
            before: The provider's answer that it replaces, if there is one.
        """
        if (dump := getattr(value, "model_dump", None)) is not None:
            value = dump(mode="json", exclude_unset=True)
        whole = self.whole("", request)
        if self.is_answer(value):
            return {**whole, **value}
        found = {**whole, **(before or {})}
        return {**found, **self.text_fields(self.whole(answer_text(value), request))}

    @abstractmethod
    def is_answer(self, value: Any) -> bool:
        """Return whether a hook's value is a whole answer of the provider."""

    @abstractmethod
    def text_fields(self, answer: Json) -> Json:
        """Return the fields of an answer that a new text replaces."""

    def body(self, events: Iterable[Json | str]) -> bytes:
        """Return events as the body of a streamed response."""
        return b"".join(_event(one) for one in events)


class StreamedAnswer(ABC):
    """What came of a streamed answer.

    Attributes:
        is_done: Whether the last event came.
        failure: What the provider says went wrong.
        new_text: What the last event added to the text of the answer.
    """

    def __init__(self) -> None:
        self.is_done = False
        self.failure: str | None = None
        self.new_text = ""
        self._texts: dict[Hashable, list[str]] = {}
        self._left_chars = MAX_ANSWER_CHARS

    @abstractmethod
    def add(self, event: Json) -> bool:
        """Add an event; return whether it is a piece of the answer."""

    @abstractmethod
    def answer(self) -> Any:
        """Return the answer as the provider sends it whole; None if nothing came."""

    def read(self, text: str) -> bool:
        """Add an event as it was sent; return whether it is a piece of the answer.

        Raises:
            ValueError: It is no JSON.
        """
        self.new_text = ""
        if text.startswith("[DONE]"):
            self.is_done = True
            return False
        event = json.loads(text)
        if not isinstance(event, dict):
            return False
        if error := event.get("error"):
            self.failure = str(error.get("message") if isinstance(error, Mapping) else error)
            return False
        return self.add(event)

    def _say(self, text: Any) -> None:
        """Add to the new text of the answer what is one."""
        if isinstance(text, str):
            self.new_text += text

    def _append(self, key: Hashable, text: Any) -> bool:
        """Add a piece of the text under `key`; return whether it is one."""
        if not isinstance(text, str) or not text:
            return False
        if self._left_chars > 0:
            self._texts.setdefault(key, []).append(text[: self._left_chars])
            self._left_chars -= len(text)
        return True

    def _text(self, key: Hashable) -> str | None:
        pieces = self._texts.get(key)
        return None if pieces is None else "".join(pieces)


def openai_usage(used: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """Return the tokens of OpenAI's `usage`, of either API."""
    sent = used.get("input_tokens", used.get("prompt_tokens"))
    received = used.get("output_tokens", used.get("completion_tokens", 0))
    if not isinstance(sent, int) or not isinstance(received, int):
        return None
    read = used.get("input_tokens_details") or used.get("prompt_tokens_details") or {}
    written = used.get("output_tokens_details") or used.get("completion_tokens_details") or {}
    return token_counts(
        sent,
        received,
        cache_read=read.get("cached_tokens") or 0,
        cache_write=read.get("cache_write_tokens") or 0,
        reasoning=written.get("reasoning_tokens") or 0,
        audio_input=read.get("audio_tokens") or 0,
        audio_output=written.get("audio_tokens") or 0,
    )


def _event(event: Json | str) -> bytes:
    if isinstance(event, str):
        return f"data: {event}\n\n".encode()
    kind = event.get("type")
    head = f"event: {kind}\n" if isinstance(kind, str) else ""
    return f"{head}data: {json.dumps(event)}\n\n".encode()
