"""`get_span`: one span, whole, a page of characters at a time."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Literal

from pydantic import Field

from inspector.mcp_server.answer import MAX_CHARS, Closed, Recorded
from inspector.mcp_server.outline import place_of
from inspector.mcp_server.source import Source, session_of, span_of, spans_of
from inspector.mcp_server.tool import Tool
from inspector.readable import duration, money, tokens
from inspector.visible import visible_line, visible_part

_NAME_CHARS = 200
_ATTRIBUTE_CHARS = 500
_DEFAULT_CHARS = 12_000


class GetSpan(Closed):
    """Arguments."""

    session_id: str = Field(min_length=1, max_length=2_000)
    span_id: str = Field(
        min_length=1, max_length=16, description="Or its beginning, as the outline has it."
    )
    part: Literal["content", "attributes"] = Field(
        "content",
        description="content: messages, tool arguments and result, MCP exchange, decisions, "
        "state, error. attributes: everything else that was recorded.",
    )
    offset: int = Field(0, ge=0, description="Characters to skip: `next` of the answer before.")
    max_chars: int = Field(_DEFAULT_CHARS, ge=500, le=MAX_CHARS - 2_000)


class SpanText(Closed):
    """A span, and a stretch of what it says."""

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


async def get_span(source: Source, asked: GetSpan) -> Recorded[SpanText]:
    """Return a page of what a span says."""
    session = await session_of(source, asked.session_id)
    rows = await spans_of(source, session["id"])
    detail = await span_of(source, rows[place_of(rows, asked.span_id)])
    chapters = content(detail) if asked.part == "content" else attributes(detail)
    whole = "\n".join(chapters) or f"(no {asked.part})"
    text, reached = visible_part(whole, asked.offset, asked.max_chars)
    span = SpanText(
        **{name: detail[name] for name in ("trace_id", "span_id", "parent_span_id")},
        name=visible_line(detail["name"], _NAME_CHARS),
        kind=detail["kind"],
        status=detail["status"],
        duration_ms=None if detail["duration_ns"] is None else detail["duration_ns"] / 1e6,
        text=text,
        offset=asked.offset,
        total_chars=len(whole),
    )
    return Recorded(
        f"{_head(detail, span)}\n\n{text}",
        span,
        {"offset": reached} if reached < len(whole) else {},
        _hint(asked, detail),
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
    place = f"[{span.span_id}]{below}, {duration(detail['offset_ns'])} after the session began"
    return " · ".join(filter(None, facts)) + f"\n{place}"


def _hint(asked: GetSpan, detail: dict[str, Any]) -> str:
    if detail["view"]["truncated"]:
        return "Some values were cut short by the program that sent them; the rest is not recorded."
    other = "attributes" if asked.part == "content" else "content"
    return f"See also part={other!r}."


def content(detail: dict[str, Any]) -> list[str]:
    """Return what a span says, as chapters: why it failed first."""
    view = detail["view"]
    return [*_error(view), *_tool(view), *_messages(view), *_mcp(view), *_events(view)]


def attributes(detail: dict[str, Any]) -> list[str]:
    """Return what else was recorded: attributes, events, links, the process."""
    lines = ["## Attributes", *_pairs(detail["attributes"])]
    if detail["events"]:
        lines.append("\n## Events")
        for event in detail["events"]:
            lines.append(f"+{duration(event['offset_ns'])} {event['name']}")
            lines += (f"  {pair}" for pair in _pairs(event["attributes"]))
    if detail["links"]:
        lines.append("\n## Links")
        lines += (f"trace {link['trace_id']} span {link['span_id']}" for link in detail["links"])
    lines += ["\n## Process", *_pairs(detail["resource"]["attributes"])]
    lines.append(f"instrumentation: {detail['scope']['name']} {detail['scope']['version']}".strip())
    return lines


def _error(view: dict[str, Any]) -> Iterator[str]:
    if not (error := view["error"]):
        return
    yield "## Error"
    yield ": ".join(filter(None, (error["type"], error["code"], error["message"]))) or "unknown"
    if error["stacktrace"]:
        yield error["stacktrace"]
    yield ""


def _tool(view: dict[str, Any]) -> Iterator[str]:
    if not (tool := view["tool"]):
        return
    yield f"## Tool {tool['name']}"
    yield f"arguments: {_text(tool['arguments'])}"
    yield f"{'result (an error)' if tool['is_error'] else 'result'}: {_text(tool['result'])}\n"


def _messages(view: dict[str, Any]) -> Iterator[str]:
    if llm := view["llm"]:
        offered = ", ".join(tool["name"] for tool in llm["tools_offered"])
        yield f"## Model {llm['model_responded'] or llm['model_requested'] or 'unknown'}"
        if llm["finish_reasons"]:
            yield f"finished: {', '.join(llm['finish_reasons'])}"
        if llm["request_params"]:
            yield f"parameters: {json.dumps(llm['request_params'], ensure_ascii=False)}"
        if offered:
            yield f"tools offered: {offered}"
        yield ""
    # The answer first: the input may fill pages.
    for title, origins in (("Output", {"output"}), ("Input", {"system", "input"})):
        chosen = [message for message in view["messages"] if message["origin"] in origins]
        if chosen:
            yield f"## {title}"
        for message in chosen:
            yield f"[{message['role']}]"
            yield from map(_part, message["parts"])
        if chosen:
            yield ""


def _part(part: dict[str, Any]) -> str:
    match part["type"]:
        case "text":
            return str(part["text"])
        case "reasoning":
            return f"(reasoning) {part['text']}"
        case "tool_call":
            return f"(calls {part['name']}) {_text(part['arguments'])}"
        case "tool_result":
            return f"(tool result) {_text(part['result'])}"
        case "blob":
            size = part["size_bytes"] or len(part["data"] or "") * 3 // 4
            return f"({part['modality'] or 'media'}, {part['mime_type']}, {size} bytes)"
        case "link":
            return f"({part['modality'] or 'media'} at {part['uri']})"
        case _:
            return f"({part['part_type']}) {_text(part['value'])}"


def _mcp(view: dict[str, Any]) -> Iterator[str]:
    if not (mcp := view["mcp"]):
        return
    yield f"## MCP {mcp['method']}" + (f" of {mcp['server']}" if mcp["server"] else "")
    if mcp["resource_uri"]:
        yield f"resource: {mcp['resource_uri']}"
    yield f"request: {_text(mcp['request'])}"
    yield f"response: {_text(mcp['response'])}\n"


def _events(view: dict[str, Any]) -> Iterator[str]:
    if view["decisions"]:
        yield "## Decisions"
    for one in view["decisions"]:
        who = one["interceptor"] or one["hook"] or "somebody"
        yield f"{who}: {one['action']}" + (f", because {one['reason']}" if one["reason"] else "")
        if one["before"] or one["after"]:
            yield f"  before: {_text(one['before'])}\n  after: {_text(one['after'])}"
    if view["state"]:
        yield "## State"
    for one in view["state"]:
        yield f"{one['name']}: {_text(one['value'] or one['patch'])}"


def _text(payload: dict[str, Any] | None) -> str:
    if payload is None:
        return "(not recorded)"
    return (
        f"{payload['text']} (cut short by the sender)"
        if payload["is_truncated"]
        else payload["text"]
    )


def _pairs(values: dict[str, Any]) -> Iterator[str]:
    for key, value in sorted(values.items()):
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        cut = len(text) - _ATTRIBUTE_CHARS
        yield f"{key} = {text[:_ATTRIBUTE_CHARS]}" + (
            f"… ({cut} more characters)" if cut > 0 else ""
        )


GET_SPAN = Tool(
    "get_span",
    "Read a span",
    "Read one span of a session: the error, tool arguments and result, the messages that went to "
    "and came from the model (output first), MCP request and response, decisions, state. Large "
    "values come in pages of characters.",
    GetSpan,
    SpanText,
    get_span,
)
