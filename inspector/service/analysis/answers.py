"""Read the content of spans from a store, within a size limit, to compare them."""

from __future__ import annotations

from inspector.service.analysis.compare import SpanContent
from inspector.service.model.rows import SpanKind, SpanRow
from inspector.service.normalise import span_view
from inspector.service.storage.base import Reader
from inspector.service.wire import Message, Part, Payload, View

MAX_SPANS = 2_000
MAX_BYTES = 64 * 2**20
_MAX_SPAN_BYTES = 4 * 2**20


class ContentReader:
    """Reads the content of spans of one snapshot, each once, up to a limit."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader
        self._known: dict[tuple[str, str], SpanContent | None] = {}
        self._room_bytes = MAX_BYTES
        self.left_out = 0
        """The number of spans that were too large, or beyond the limit."""

    def __call__(self, row: SpanRow) -> SpanContent | None:
        """Return the content of a span; None when it is empty or too large."""
        key = row.trace_id, row.span_id
        if key not in self._known:
            self._known[key] = self._read(row)
        return self._known[key]

    def _read(self, row: SpanRow) -> SpanContent | None:
        self._room_bytes -= min(row.size_bytes, _MAX_SPAN_BYTES)
        is_too_much = row.size_bytes > _MAX_SPAN_BYTES or self._room_bytes < 0
        if is_too_much or len(self._known) >= MAX_SPANS:
            self.left_out += 1
            return None
        found = self._reader.spans(row.trace_id, (row.span_id,))
        return (
            content_of(span_view(self._reader.content(found[0]).span()), row.kind)
            if found
            else None
        )


def content_of(view: View, kind: SpanKind) -> SpanContent | None:
    """Return the input and output of a span; None when neither was captured.

    A model is sent its whole conversation each turn: its input is its instructions and the first
    message of the user. Ids of calls are left out: they differ in each run.
    """
    match kind:
        case SpanKind.TOOL if view.tool:
            pair = _text(view.tool.arguments), _text(view.tool.result)
        case SpanKind.MCP | SpanKind.RESOURCE | SpanKind.PROMPT if view.mcp:
            pair = _text(view.mcp.request), _text(view.mcp.response)
        case _:
            sent = [message for message in view.messages if message.origin != "output"]
            first = next((place for place, one in enumerate(sent) if one.role == "user"), 0)
            output = [message for message in view.messages if message.origin == "output"]
            pair = "\n".join(map(_words, sent[: first + 1])), "\n".join(map(_words, output))
    return SpanContent(*pair) if any(pair) else None


def _words(message: Message) -> str:
    return "\n".join(_part(part) for part in message.parts)


def _part(part: Part) -> str:
    match part.type:
        case "text" | "reasoning":
            return part.text
        case "tool_call":
            return f"{part.name}({_text(part.arguments)})"
        case "tool_result":
            return _text(part.result)
        case "blob":
            return part.data or f"{part.size_bytes} bytes"
        case "link":
            return part.uri
        case "other":
            return part.value.text


def _text(payload: Payload | None) -> str:
    return payload.text if payload else ""
