"""`get_span`: one span in full, one page of characters at a time."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from inspector.service.analysis.formatting import duration, money, tokens
from inspector.service.analysis.outline import place_of
from inspector.service.analysis.sanitise import visible_line, visible_part
from inspector.service.analysis.span_text import attributes, content
from inspector.service.mcp.answer import MAX_CHARS, ClosedModel, Recorded, milliseconds
from inspector.service.mcp.source import Archive
from inspector.service.mcp.tool import ServedTool

_NAME_CHARS = 200
_DEFAULT_CHARS = 12_000


class GetSpan(ClosedModel):
    """Arguments of `get_span`."""

    session_id: str = Field(min_length=1, max_length=2_000, description="From find_sessions.")
    span_id: str = Field(
        min_length=1, max_length=16, description="Or a prefix of it, as in the outline."
    )
    part: Literal["content", "attributes"] = Field(
        "content",
        description="content: messages, tool arguments and result, MCP exchange, decisions, "
        "state, error. attributes: all other recorded data.",
    )
    offset: int = Field(0, ge=0, description="Characters to skip: `next` of the previous response.")
    max_chars: int = Field(
        _DEFAULT_CHARS, ge=500, le=MAX_CHARS - 2_000, description="Characters in one response."
    )


class SpanText(ClosedModel):
    """A span, and a part of its text."""

    trace_id: str
    span_id: str
    parent_span_id: str | None
    name: str
    kind: str
    status: str
    duration_ms: float | None
    text: str
    offset: int
    total_chars: int


async def get_span(archive: Archive, arguments: GetSpan) -> Recorded[SpanText]:
    """Return a page of a span's text."""
    session = await archive.session(arguments.session_id)
    tree = await archive.tree(session)
    detail = await archive.span(tree.rows[place_of(tree.rows, arguments.span_id)])
    chapters = content(detail) if arguments.part == "content" else attributes(detail)
    whole = "\n".join(chapters) or f"(no {arguments.part})"
    text, reached = visible_part(whole, arguments.offset, arguments.max_chars)
    span = SpanText(
        **{name: detail[name] for name in ("trace_id", "span_id", "parent_span_id")},
        name=visible_line(detail["name"], _NAME_CHARS),
        kind=detail["kind"],
        status=detail["status"],
        duration_ms=milliseconds(detail["duration_ns"]),
        text=text,
        offset=arguments.offset,
        total_chars=len(whole),
    )
    return Recorded(
        f"{_head(detail, span)}\n\n{text}",
        span,
        {"offset": reached} if reached < len(whole) else {},
        _hint(arguments, detail),
    )


def _head(detail: dict[str, Any], span: SpanText) -> str:
    facts = [
        f"{span.kind} {span.name}",
        span.status,
        duration(detail["duration_ns"]),
        f"waited {duration(detail['wait_ns'])}" if detail["wait_ns"] else "",
        tokens(detail["input_tokens"], detail["output_tokens"]),
        money(detail["cost_usd"]) if detail["cost_usd"] else "",
    ]
    below = f" under {span.parent_span_id}" if span.parent_span_id else ""
    place = f"[{span.span_id}]{below}, {duration(detail['offset_ns'])} after the session started"
    return " · ".join(filter(None, facts)) + f"\n{place}"


def _hint(arguments: GetSpan, detail: dict[str, Any]) -> str:
    if detail["view"]["truncated"]:
        return "The sender truncated some values; the rest is not recorded."
    other = "attributes" if arguments.part == "content" else "content"
    return f"See also part={other!r}."


GET_SPAN = ServedTool(
    "get_span",
    "Read a span",
    "Read one span of a session: error, tool arguments and result, model messages (output first), "
    "MCP request and response, decisions, state. Large "
    "values come in pages of characters.",
    GetSpan,
    SpanText,
    get_span,
)
