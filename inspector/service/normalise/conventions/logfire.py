"""Logfire's own: MCP requests as `rpc.*` attributes with the full envelopes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from inspector.service.normalise.conventions.telling import Convention, Telling
from inspector.service.normalise.messages import load
from inspector.service.normalise.payload import payload
from inspector.service.wire import Payload


def _envelope(telling: Telling, key: str) -> Mapping[str, Any]:
    if not telling.get("rpc.method"):
        return {}
    found = load(telling.get(key))
    return found if isinstance(found, dict) else {}


def _tool_arguments(telling: Telling) -> Payload | None:
    params = _envelope(telling, "request").get("params")
    arguments = params.get("arguments") if isinstance(params, dict) else None
    return None if arguments is None else payload(arguments)


def _tool_result(telling: Telling) -> Payload | None:
    response = _envelope(telling, "response")
    return payload(response) if response else None


LOGFIRE = Convention(
    "Logfire",
    "Logfire's MCP integration; its model calls are read as the official attributes",
    ("rpc.method", "request", "response"),
    tool_arguments=_tool_arguments,
    tool_result=_tool_result,
)
