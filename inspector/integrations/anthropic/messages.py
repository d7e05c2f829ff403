"""The Messages API: its request, and its answer, whole and in pieces."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from typing import Any

from inspector.integrations.clients.endpoint import Endpoint, Json, StreamedAnswer
from inspector.integrations.conversion import token_counts
from instrument.parts import Injection

_PIECES = {
    "text_delta": "text",
    "thinking_delta": "thinking",
    "input_json_delta": "partial_json",
    "signature_delta": "signature",
}
"""Kinds of pieces to their field."""


class Messages(Endpoint):
    """`client.messages` and `client.beta.messages`."""

    path = "/v1/messages"
    input = "messages"

    def pieces(self) -> StreamedAnswer:
        """Return what a streamed answer is put together by."""
        return _StreamedMessage()

    def usage(self, answer: Any) -> Mapping[str, Any] | None:
        """Return the tokens of an answer, with those that the cache has to do with."""
        used = answer.get("usage") if isinstance(answer, Mapping) else None
        sent = used.get("input_tokens") if isinstance(used, Mapping) else None
        if not isinstance(used, Mapping) or not isinstance(sent, int):
            return None
        read = used.get("cache_read_input_tokens") or 0
        written = used.get("cache_creation_input_tokens") or 0
        details = used.get("output_tokens_details") or {}
        return token_counts(
            sent + read + written,  # theirs leaves these out
            used.get("output_tokens") or 0,
            cache_read=read,
            cache_write=written,
            reasoning=details.get("thinking_tokens") or 0,
        )

    def inject(self, request: Json, injections: Iterable[Injection]) -> None:
        """Add texts for the model to a request."""
        for one in injections:
            text = {"type": "text", "text": one.text}
            if one.role == "system":  # which is no role of a message
                system = request.get("system") or []
                before = [{"type": "text", "text": system}] if isinstance(system, str) else system
                request["system"] = [*before, text]
            else:
                message = {"role": one.role, "content": [text]}
                request["messages"] = [*request.get("messages", ()), message]

    def is_answer(self, value: Any) -> bool:
        """Return whether a hook's value is a whole answer of the provider."""
        return isinstance(value, Mapping) and isinstance(value.get("content"), list)

    def text_fields(self, answer: Json) -> Json:
        """Return the fields of an answer that a new text replaces."""
        return {name: answer[name] for name in ("content", "stop_reason", "stop_sequence")}

    def whole(self, text: str, request: Json) -> Json:
        """Return an answer that is a text, as the provider would send it."""
        return {
            "id": "inspector",
            "type": "message",
            "role": "assistant",
            "model": request.get("model", ""),
            "content": [{"type": "text", "text": text}],
            "stop_reason": "end_turn",
            "stop_sequence": None,
            "usage": {"input_tokens": 0, "output_tokens": 0},
        }

    def events(self, answer: Json, request: Json) -> Iterator[Json | str]:
        """Yield the events of an answer as a stream."""
        begun = {**answer, "content": [], "stop_reason": None}
        yield {"type": "message_start", "message": begun}
        for index, block in enumerate(answer["content"]):
            start, deltas = _split(block)
            yield {"type": "content_block_start", "index": index, "content_block": start}
            for delta in deltas:
                yield {"type": "content_block_delta", "index": index, "delta": delta}
            yield {"type": "content_block_stop", "index": index}
        delta = {name: answer.get(name) for name in ("stop_reason", "stop_sequence")}
        yield {"type": "message_delta", "delta": delta, "usage": answer["usage"]}
        yield {"type": "message_stop"}


def _split(block: Json) -> tuple[Json, list[Json]]:
    """Return a block as it begins, and its pieces."""
    kind = block.get("type")
    if kind == "text":
        return {**block, "text": ""}, [{"type": "text_delta", "text": block["text"]}]
    if kind == "tool_use":
        text = json.dumps(block.get("input") or {})
        return {**block, "input": {}}, [{"type": "input_json_delta", "partial_json": text}]
    if kind == "thinking":
        deltas = [{"type": "thinking_delta", "thinking": block.get("thinking", "")}]
        if signature := block.get("signature"):
            deltas.append({"type": "signature_delta", "signature": signature})
        return {**block, "thinking": "", "signature": ""}, deltas
    return block, []


class _StreamedMessage(StreamedAnswer):
    def __init__(self) -> None:
        super().__init__()
        self._message: Json = {}
        self._blocks: dict[int, Json] = {}

    def add(self, event: Json) -> bool:
        """Add an event; return whether it is a piece of the answer."""
        match event.get("type"):
            case "message_start":
                self._message = dict(event["message"])
            case "content_block_start":
                self._blocks[event["index"]] = dict(event["content_block"])
            case "content_block_delta":
                delta = event["delta"]
                name = _PIECES.get(delta.get("type"))
                self._say(delta.get("text"))
                return name is not None and self._append((event["index"], name), delta.get(name))
            case "message_delta":
                used = {**self._message.get("usage", {}), **_known(event.get("usage"))}
                self._message = {**self._message, **event.get("delta", {}), "usage": used}
            case "message_stop":
                self.is_done = True
        return False

    def answer(self) -> Any:
        """Return the answer as the provider sends it whole; None if nothing came."""
        if not self._message:
            return None
        blocks = [self._block(index, block) for index, block in sorted(self._blocks.items())]
        return {**self._message, "content": blocks}

    def _block(self, index: int, block: Json) -> Json:
        """Return a block with the pieces that came of it."""
        found = dict(block)
        for name in ("text", "thinking", "signature"):
            if (text := self._text((index, name))) is not None:
                found[name] = str(found.get(name) or "") + text
        if (text := self._text((index, "partial_json"))) is not None:
            found["input"] = text
            with suppress(ValueError):  # it stopped in the middle
                found["input"] = json.loads(text)
        return found


def _known(usage: Any) -> Json:
    """Return the tokens that a later event counts; it leaves the others as they were."""
    return {name: count for name, count in (usage or {}).items() if count is not None}
