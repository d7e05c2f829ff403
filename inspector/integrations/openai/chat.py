"""Chat completions: their request, and their answer, whole and in pieces."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from inspector.integrations.clients.endpoint import Endpoint, Json, StreamedAnswer
from instrument.parts import Injection

_TEXTS = ("content", "refusal", "reasoning_content", "reasoning")
"""Fields of a message that come in pieces; the last two are those of other providers."""


class Chat(Endpoint):
    """`client.chat.completions`."""

    path = "/chat/completions"
    input = "messages"

    def pieces(self) -> StreamedAnswer:
        """Return what a streamed answer is put together by."""
        return _StreamedCompletion()

    def inject(self, request: Json, injections: Iterable[Injection]) -> None:
        """Add texts for the model to a request."""
        texts = [{"role": one.role, "content": one.text} for one in injections]
        request["messages"] = [*request.get("messages", ()), *texts]

    def is_answer(self, value: Any) -> bool:
        """Return whether a hook's value is a whole answer of the provider."""
        return isinstance(value, Mapping) and "choices" in value

    def text_fields(self, answer: Json) -> Json:
        """Return the fields of an answer that a new text replaces."""
        return {"choices": answer["choices"]}

    def whole(self, text: str, request: Json) -> Json:
        """Return an answer that is a text, as the provider would send it."""
        message = {"role": "assistant", "content": text, "refusal": None}
        return {
            "id": "inspector",
            "object": "chat.completion",
            "created": int(time.time()),
            "model": request.get("model", ""),
            "choices": [
                {"index": 0, "message": message, "finish_reason": "stop", "logprobs": None}
            ],
        }

    def events(self, answer: Json, request: Json) -> Iterator[Json | str]:
        """Yield the events of an answer as a stream."""
        head = {name: answer.get(name) for name in ("id", "created", "model")}
        head["object"] = "chat.completion.chunk"
        for choice in answer["choices"]:
            index, message = choice.get("index", 0), dict(choice.get("message") or {})
            if calls := message.get("tool_calls"):
                message["tool_calls"] = [{"index": at, **one} for at, one in enumerate(calls)]
            reason = choice.get("finish_reason", "stop")
            for delta, finish in ((message, None), ({}, reason)):
                piece = {"index": index, "delta": delta, "finish_reason": finish}
                yield {**head, "choices": [piece]}
        if (request.get("stream_options") or {}).get("include_usage"):
            yield {**head, "choices": [], "usage": answer.get("usage")}
        yield "[DONE]"


class _StreamedCompletion(StreamedAnswer):
    def __init__(self) -> None:
        super().__init__()
        self._head: Json = {}
        self._usage: Any = None
        self._choices: dict[int, Json] = {}
        self._calls: dict[tuple[int, int], Json] = {}

    def add(self, event: Json) -> bool:
        """Add an event; return whether it is a piece of the answer."""
        if not self._head:
            self._head = {name: event.get(name) for name in ("id", "created", "model")}
        self._usage = event.get("usage") or self._usage
        pieces = [self._add_choice(choice) for choice in event.get("choices") or ()]
        return any(pieces)

    def _add_choice(self, choice: Json) -> bool:
        index = choice.get("index", 0)
        known = self._choices.setdefault(index, {"index": index, "finish_reason": None})
        known["finish_reason"] = choice.get("finish_reason") or known["finish_reason"]
        delta = choice.get("delta") or {}
        is_piece = False
        for name in _TEXTS:
            is_piece |= self._append((index, name), delta.get(name))
        if index == 0:  # others are alternatives to it
            self._say(delta.get("content") or delta.get("refusal"))
        for call in delta.get("tool_calls") or ():
            at = (index, call.get("index", 0))
            function = call.get("function") or {}
            made = self._calls.setdefault(at, {"type": "function", "name": "", "id": None})
            made["id"] = call.get("id") or made["id"]
            made["name"] = function.get("name") or made["name"]
            self._append(at, function.get("arguments"))
            is_piece = True
        return is_piece

    def answer(self) -> Any:
        """Return the answer as the provider sends it whole; None if nothing came."""
        if not self._head:
            return None
        choices = [
            {**choice, "message": self._message(index)}
            for index, choice in sorted(self._choices.items())
        ]
        return {
            **self._head,
            "object": "chat.completion",
            "choices": choices,
            **({} if self._usage is None else {"usage": self._usage}),
        }

    def _message(self, index: int) -> Json:
        message: Json = {"role": "assistant", "content": None}
        for name in _TEXTS:
            if (text := self._text((index, name))) is not None:
                message[name] = text
        calls = [
            {
                "id": call["id"],
                "type": call["type"],
                "function": {"name": call["name"], "arguments": self._text(at) or ""},
            }
            for at, call in sorted(self._calls.items())
            if at[0] == index
        ]
        return {**message, "tool_calls": calls} if calls else message
