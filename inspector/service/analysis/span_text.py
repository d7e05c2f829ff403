"""A span as text, for a terminal and for a model: the error first, then the content.

Text from the trace is unchanged: callers make it `visible`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from inspector.service.analysis.formatting import duration

_ATTRIBUTE_CHARS = 500


def content(detail: dict[str, Any]) -> list[str]:
    """Return the content of a span as chapters, its error first."""
    view = detail["view"]
    chapters = (_error, _request, _tool, _messages, _mcp, _events, _tools)
    return [line for chapter in chapters for line in chapter(view)]


def attributes(detail: dict[str, Any]) -> list[str]:
    """Return the rest of a span: attributes, events, links, the process."""
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
    if error["status_message"]:
        yield error["status_message"]
    if error["stacktrace"]:
        yield error["stacktrace"]
    yield ""


def _request(view: dict[str, Any]) -> Iterator[str]:
    if view["request"]:
        yield from ("## Request", *_pairs(view["request"]), "")


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
    # The output first: the input may fill pages.
    for title, origins in (("Output", {"output"}), ("Input", {"system", "input"})):
        chosen = [message for message in view["messages"] if message["origin"] in origins]
        if chosen:
            yield f"## {title}"
        for message in chosen:
            yield f"[{message['role']}]"
            yield from map(_part, message["parts"])
        if chosen:
            yield ""


def _tools(view: dict[str, Any]) -> Iterator[str]:
    if not view["llm"] or not (tools := view["llm"]["tools_offered"]):
        return
    yield "## Tools offered"
    for tool in tools:
        yield f"{tool['name']}: {tool['description'] or '(no description)'}"
        yield f"  schema: {_text(tool['parameters'])}"
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
        f"{payload['text']} (truncated by the sender)"
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
