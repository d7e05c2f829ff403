"""Generate the golden trace, on which decoder, store, API and web UI are tested.

It is ordinary first (an agent with two sub-agents, model calls, tools over MCP) and ugly where
traces are ugly: a failing tool, a concurrent pair, a span whose parent never came, a span that
still runs, text that is no English and markup that wants to run.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

GOLDEN = Path("tests/golden/release_notes.otlp.jsonl")
TRACE_ID = "0af7651916cd43dd8448eb211c80319c"
START_NS = 1_767_225_600_000_000_000  # 2026-01-01T00:00:00Z
MS = 1_000_000
CLIENT, INTERNAL = 3, 1

Json = Any


@dataclass(frozen=True)
class Drawn:
    """One span of the drawing; times in ms from the start of the trace."""

    number: int
    parent: int | None
    name: str
    start_ms: int
    end_ms: int | None
    attributes: dict[str, Json]
    kind: int = INTERNAL
    error: str | None = None
    events: tuple[dict[str, Json], ...] = ()


def _text(role: str, text: str, **more: Json) -> dict[str, Json]:
    return {"role": role, "parts": [{"type": "text", "content": text}], **more}


def _agent(name: str) -> dict[str, Json]:
    return {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": name}


def _chat(asked: list[Json], answered: list[Json], tokens: tuple[int, int]) -> dict[str, Json]:
    return {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "openai",
        "gen_ai.request.model": "gpt-4o",
        "gen_ai.request.temperature": 0.2,
        "gen_ai.input.messages": json.dumps(asked, ensure_ascii=False),
        "gen_ai.output.messages": json.dumps(answered, ensure_ascii=False),
        "gen_ai.response.finish_reasons": ["stop"],
        "gen_ai.usage.input_tokens": tokens[0],
        "gen_ai.usage.output_tokens": tokens[1],
    }


def _tool(name: str, arguments: Json, result: Json = None) -> dict[str, Json]:
    attributes = {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": name,
        "gen_ai.tool.call.id": f"call_{name}",
        "gen_ai.tool.call.arguments": json.dumps(arguments, ensure_ascii=False),
        "mcp.method.name": "tools/call",
        "inspector.mcp.transport": "stdio",
        "inspector.mcp.server.name": "git",
    }
    if result is not None:
        attributes["gen_ai.tool.call.result"] = json.dumps(result, ensure_ascii=False)
    return attributes


_ASK = _text("user", "Write the release notes for v1.4 — «Zürich» 🚀")
_HOSTILE = '<img src=x onerror="alert(1)"> & [click](javascript:alert(2))'

SPANS = (
    Drawn(1, None, "invoke_agent planner", 0, 900, {**_agent("planner"),
          "inspector.session.title": "Release notes for v1.4"}),
    Drawn(2, 1, "chat gpt-4o", 10, 120, _chat(
        [_text("system", "You plan releases."), _ASK],
        [{"role": "assistant", "finish_reason": "tool_call", "parts": [
            {"type": "reasoning", "content": "The log first."},
            {"type": "tool_call", "id": "call_git_log", "name": "git_log",
             "arguments": {"max_count": 9007199254740993}}]}],
        (812, 64)), CLIENT),
    Drawn(3, 1, "execute_tool git_log", 130, 310,
          _tool("git_log", {"max_count": 9007199254740993}, {"commits": ["a1", "b2"]})),
    Drawn(4, 1, "execute_tool git_tags", 135, 260, _tool("git_tags", {}, {"tags": ["v1.3"]})),
    Drawn(5, 1, "invoke_agent writer", 320, 760, _agent("writer")),
    Drawn(6, 5, "chat gpt-4o", 330, 640, _chat(
        [_text("user", _HOSTILE)], [_text("assistant", "# v1.4\n\n* faster", finish_reason="stop")],
        (1200, 410)), CLIENT),
    Drawn(7, 5, "execute_tool publish", 650, 700, {
        **_tool("publish", {"path": "/notes.md"}), "error.type": "PermissionError"},
        error="publish: not allowed", events=(
            {"name": "exception", "at_ms": 699, "attributes": {
                "exception.type": "PermissionError",
                "exception.message": "publish: not allowed"}},)),
    Drawn(8, 1, "resources/read", 770, 790, {
        "mcp.method.name": "resources/read", "mcp.resource.uri": "file:///notes.md",
        "inspector.resource.mime_type": "text/markdown", "inspector.resource.size": 2048}, CLIENT),
    Drawn(9, 99, "orphan", 795, 800, {}),
    Drawn(10, 1, "execute_tool review", 810, None, _tool("review", {"by": "a person"})),
)  # fmt: skip


def _value(value: Json) -> Json:
    match value:
        case bool():
            return {"boolValue": value}
        case int():
            return {"intValue": str(value)}
        case float():
            return {"doubleValue": value}
        case list():
            return {"arrayValue": {"values": [_value(item) for item in value]}}
        case _:
            return {"stringValue": value}


def _attributes(attributes: dict[str, Json]) -> list[Json]:
    return [{"key": key, "value": _value(value)} for key, value in attributes.items()]


def _time(at_ms: int) -> str:
    return str(START_NS + at_ms * MS)


def _span(drawn: Drawn) -> dict[str, Json]:
    span: dict[str, Json] = {
        "traceId": TRACE_ID,
        "spanId": f"{drawn.number:016x}",
        "name": drawn.name,
        "kind": drawn.kind,
        "flags": 257,
        "startTimeUnixNano": _time(drawn.start_ms),
        "attributes": _attributes({"session.id": "golden", **drawn.attributes}),
        "status": {} if drawn.error is None else {"code": 2, "message": drawn.error},
    }
    if drawn.parent is not None:
        span["parentSpanId"] = f"{drawn.parent:016x}"
    if drawn.end_ms is not None:
        span["endTimeUnixNano"] = _time(drawn.end_ms)
    if drawn.events:
        span["events"] = [
            {
                "name": event["name"],
                "timeUnixNano": _time(event["at_ms"]),
                "attributes": _attributes(event["attributes"]),
            }
            for event in drawn.events
        ]
    return span


def _request(spans: list[Drawn]) -> dict[str, Json]:
    resource = {"service.name": "release-bot", "service.instance.id": "golden-process"}
    return {
        "resourceSpans": [
            {
                "resource": {"attributes": _attributes(resource)},
                "scopeSpans": [
                    {
                        "scope": {"name": "golden", "version": "1"},
                        "spans": [_span(drawn) for drawn in spans],
                    }
                ],
            }
        ]
    }


def outputs() -> dict[Path, str]:
    """Return the golden file: OTLP JSON lines, children before their parents."""
    children_first = sorted(SPANS, key=lambda drawn: -drawn.number)
    batches = [children_first[:6], children_first[6:]]
    lines = [json.dumps(_request(batch), ensure_ascii=False) for batch in batches]
    return {GOLDEN: "\n".join(lines) + "\n"}
