"""Logfire's own: MCP requests as `rpc.*` attributes with the full envelopes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from inspector.service.normalise.conventions.span_source import Convention, SpanSource
from inspector.service.normalise.messages import load
from inspector.service.normalise.payload import payload
from inspector.service.wire import Payload


def _envelope(source: SpanSource, key: str) -> Mapping[str, Any]:
    if not source.get("rpc.method"):
        return {}
    found = load(source.get(key))
    return found if isinstance(found, dict) else {}


def _tool_arguments(source: SpanSource) -> Payload | None:
    params = _envelope(source, "request").get("params")
    arguments = params.get("arguments") if isinstance(params, dict) else None
    return None if arguments is None else payload(arguments)


def _tool_result(source: SpanSource) -> Payload | None:
    response = _envelope(source, "response")
    return payload(response) if response else None


LOGFIRE = Convention(
    "Logfire",
    "Logfire's MCP integration; its LLM calls are read as the official attributes",
    ("rpc.method", "request", "response"),
    tool_arguments=_tool_arguments,
    tool_result=_tool_result,
)
