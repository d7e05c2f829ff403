"""The Responses API: its request, and its answer, whole and in pieces."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from inspector.integrations.clients.endpoint import Endpoint, Json, StreamedAnswer
from instrument.parts import Injection

_LAST = {
    "response.completed": "completed",
    "response.incomplete": "incomplete",
    "response.failed": "failed",
}
"""Events that end a stream, with the whole response."""
_PIECES = {
    "response.output_text.delta": "text",
    "response.refusal.delta": "refusal",
    "response.function_call_arguments.delta": "arguments",
    "response.custom_tool_call_input.delta": "input",
    "response.reasoning_summary_text.delta": "summary",
    "response.reasoning_text.delta": "reasoning",
}
"""Events that have a piece of an item, to what it is a piece of."""


class Responses(Endpoint):
    """`client.responses`."""

    path = "/responses"
    input = "input"

    def pieces(self) -> StreamedAnswer:
        """Return what a streamed answer is put together by."""
        return _StreamedResponse()

    def inject(self, request: Json, injections: Iterable[Injection]) -> None:
        """Add texts for the model to a request."""
        items = request.get("input") or ()
        items = [{"role": "user", "content": items}] if isinstance(items, str) else items
        texts = [{"role": one.role, "content": one.text} for one in injections]
        request["input"] = [*items, *texts]

    def is_answer(self, value: Any) -> bool:
        """Return whether a hook's value is a whole answer of the provider."""
        return isinstance(value, Mapping) and "output" in value

    def text_fields(self, answer: Json) -> Json:
        """Return the fields of an answer that a new text replaces."""
        return {"output": answer["output"]}

    def whole(self, text: str, request: Json) -> Json:
        """Return an answer that is a text, as the provider would send it."""
        part = {"type": "output_text", "text": text, "annotations": []}
        message = {
            "id": "inspector",
            "type": "message",
            "role": "assistant",
            "status": "completed",
            "content": [part],
        }
        return {
            "id": "inspector",
            "object": "response",
            "created_at": int(time.time()),
            "status": "completed",
            "error": None,
            "incomplete_details": None,
            "instructions": request.get("instructions"),
            "metadata": request.get("metadata") or {},
            "model": request.get("model", ""),
            "output": [message],
            "parallel_tool_calls": request.get("parallel_tool_calls", True),
            "temperature": request.get("temperature"),
            "tool_choice": request.get("tool_choice", "auto"),
            "tools": request.get("tools") or [],
            "top_p": request.get("top_p"),
        }

    def events(self, answer: Json, request: Json) -> Iterator[Json | str]:
        """Yield the events of an answer as a stream."""
        begun = {**answer, "status": "in_progress", "output": []}
        events: list[Json] = [{"type": "response.created", "response": begun}]
        for at, item in enumerate(answer["output"]):
            events += _item_events(at, item)
        events.append({"type": "response.completed", "response": answer})
        for number, event in enumerate(events):
            yield {**event, "sequence_number": number}


def _item_events(at: int, item: Json) -> Iterator[Json]:
    parts = [one for one in item.get("content") or () if one.get("type") == "output_text"]
    is_message = item.get("type") == "message"
    started = {**item, "content": []} if is_message else item
    yield {"type": "response.output_item.added", "output_index": at, "item": started}
    for number, part in enumerate(parts if is_message else ()):
        of = {"item_id": item.get("id"), "output_index": at, "content_index": number}
        text: Json = {**of, "logprobs": []}
        yield {"type": "response.content_part.added", **of, "part": {**part, "text": ""}}
        yield {"type": "response.output_text.delta", **text, "delta": part["text"]}
        yield {"type": "response.output_text.done", **text, "text": part["text"]}
        yield {"type": "response.content_part.done", **of, "part": part}
    yield {"type": "response.output_item.done", "output_index": at, "item": item}


class _StreamedResponse(StreamedAnswer):
    def __init__(self) -> None:
        super().__init__()
        self._response: Json | None = None
        self._items: dict[int, Json] = {}
        self._done: set[int] = set()

    def add(self, event: Json) -> bool:
        """Add an event; return whether it is a piece of the answer."""
        kind = event.get("type")
        at = event.get("output_index", 0)
        if kind in _LAST:
            self._response, self.is_done = event["response"], True
            if kind == "response.failed":
                error = event["response"].get("error") or {}
                self.failure = str(error.get("message") or "the response failed")
        elif kind == "error":
            self.failure = str(event.get("message") or "the stream failed")
        elif kind == "response.created":
            self._response = event["response"]
        elif kind in ("response.output_item.added", "response.output_item.done"):
            self._items[at] = event["item"]
            if kind.endswith("done"):
                self._done.add(at)
        elif kind in _PIECES:
            if _PIECES[kind] in ("text", "refusal"):
                self._say(event.get("delta"))
            return self._append((at, _PIECES[kind]), event.get("delta"))
        return False

    def answer(self) -> Any:
        """Return the answer as the provider sends it whole; None if nothing came."""
        if self.is_done or self._response is None:
            return self._response
        items = [self._item(at, item) for at, item in sorted(self._items.items())]
        return {**self._response, "output": items}

    def _item(self, at: int, item: Json) -> Json:
        """Return an item with the pieces that came of it."""
        if at in self._done:
            return item
        kind = item.get("type")
        if kind == "message":
            text = self._text((at, "text")) or self._text((at, "refusal")) or ""
            return {**item, "content": [{"type": "output_text", "text": text}]}
        if kind == "reasoning":
            text = self._text((at, "summary")) or self._text((at, "reasoning")) or ""
            return {**item, "summary": [{"type": "summary_text", "text": text}]}
        found = {name: self._text((at, name)) for name in ("arguments", "input")}
        return {**item, **{name: text for name, text in found.items() if text is not None}}
