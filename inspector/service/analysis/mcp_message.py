"""Parse JSON-RPC messages of MCP, of either era of the protocol. Pure.

Only the fields that a log shows are read.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from inspector.service.model.nesting import parse
from inspector.service.wire.mcp_log import MAX_NAME_CHARS, MAX_TEXT_CHARS, McpAsk, McpProgress

MAX_READ_CHARS = 2 * 2**20
"""Limit of the characters read of a message: most senders write the id near its beginning."""
MAX_ASKS = 10

SERVER_INFO = "io.modelcontextprotocol/serverInfo"
PROTOCOL_VERSION = "io.modelcontextprotocol/protocolVersion"

_OF_SERVERS = frozenset(
    {
        "sampling/createMessage",
        "elicitation/create",
        "roots/list",
        "notifications/progress",
        "notifications/message",
        "notifications/resources/updated",
        "notifications/resources/list_changed",
        "notifications/tools/list_changed",
        "notifications/prompts/list_changed",
        "notifications/elicitation/complete",
        "notifications/subscriptions/acknowledged",
        "notifications/tasks/status",
    }
)
"""Methods of servers; all others count as the client's."""

Half = Literal["request", "response", "notification"]
Direction = Literal["to_server", "to_client"]


def direction_of(method: str | None) -> Direction:
    """Return the direction of a request or notification."""
    return "to_client" if method in _OF_SERVERS else "to_server"


def opposite(direction: Direction) -> Direction:
    """Return the direction of the answer."""
    return "to_client" if direction == "to_server" else "to_server"


@dataclass(slots=True)
class McpMessage:
    """The parsed fields of one message; empty if it was not captured or is too long."""

    half: Half | None = None
    method: str | None = None
    target: str | None = None
    rpc_id: str | None = None
    protocol_version: str | None = None
    server: str | None = None
    server_version: str | None = None
    error_code: str | None = None
    error_message: str | None = None
    is_error: bool = False
    """A tool's result with `isError`."""
    result_type: str | None = None
    state_hash: str | None = None
    progress_token: str | None = None
    about_id: str | None = None
    asks: list[McpAsk] = field(default_factory=list)
    answers: list[McpAsk] = field(default_factory=list)
    progress: McpProgress | None = None


def read_message(text: str | None) -> McpMessage:
    """Parse a message, or the beginning that an instrumentation sent; never raises."""
    found = McpMessage()
    if text is None:
        return found
    if len(text) > MAX_READ_CHARS:
        return _read_beginning(text)
    try:
        message = parse(text)
    except ValueError:  # perhaps its sender cut it
        return _read_beginning(text)
    if not isinstance(message, dict):
        return found
    found.method = _text(message.get("method"))
    found.rpc_id = json_text(message.get("id"))
    if found.method is not None:
        found.half = "notification" if found.rpc_id is None else "request"
        _read_params(_object(message.get("params")), found)
    elif "error" in message and "jsonrpc" in message:
        found.half = "response"
        error = _object(message["error"])
        found.error_code = json_text(error.get("code"))
        found.error_message = _text(error.get("message"))
    elif "result" in message and "jsonrpc" in message:
        found.half = "response"
        _read_result(_object(message["result"]), found)
    else:  # the result alone, or the arguments
        _read_result(message, found)
    return found


_HEAD_CHARS = 500
_ID = re.compile(r'"id"\s*:\s*("(?:[^"\\]|\\.){0,200}"|-?\d{1,20})')
_METHOD = re.compile(r'"method"\s*:\s*"([\w/$.-]{1,200})"')
_INSIDE = re.compile(r'"(?:params|result|error)"\s*:')


def _read_beginning(text: str) -> McpMessage:
    """Return the fields before the large part of a message."""
    inside = _INSIDE.search(text, 0, _HEAD_CHARS)
    head = text[: inside.start() if inside else _HEAD_CHARS]
    found = McpMessage()
    if method := _METHOD.search(head):
        found.method = method[1]
    if rpc_id := _ID.search(head):
        found.rpc_id = rpc_id[1]
    if found.method is not None:
        found.half = "notification" if found.rpc_id is None else "request"
    elif inside is not None and found.rpc_id is not None:
        found.half = "response"
    return found


def json_text(value: Any) -> str | None:
    """Return an id or a token as JSON, where `1` differs from `"1"`."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    return _clean(json.dumps(value, ensure_ascii=False)[:MAX_NAME_CHARS])


def beginning(text: str) -> str:
    """Return the beginning of a message that the log shows."""
    return text[:MAX_TEXT_CHARS]


def _read_params(params: Mapping[str, Any], found: McpMessage) -> None:
    target = params.get("uri") if "resources/" in (found.method or "") else params.get("name")
    found.target = _text(target)
    meta = _object(params.get("_meta"))
    found.progress_token = json_text(meta.get("progressToken"))
    found.protocol_version = _text(meta.get(PROTOCOL_VERSION)) or (
        _text(params.get("protocolVersion")) if found.method == "initialize" else None
    )
    found.state_hash = _hash(params.get("requestState"))
    if isinstance(params.get("inputResponses"), dict):
        found.answers = [
            McpAsk(key=key, method=None, text=_text(_object(answer).get("action")))
            for key, answer in _first(params["inputResponses"])
        ]
    match found.method:
        case "notifications/progress":
            found.progress_token = json_text(params.get("progressToken"))
            found.progress = _progress(params)
        case "notifications/cancelled":
            found.about_id = json_text(params.get("requestId"))
        case "elicitation/create":
            found.asks = [McpAsk(key="", method=found.method, text=_text(params.get("message")))]


def _read_result(result: Mapping[str, Any], found: McpMessage) -> None:
    found.is_error = result.get("isError") is True
    found.result_type = _text(result.get("resultType"))
    found.state_hash = _hash(result.get("requestState"))
    if isinstance(result.get("inputRequests"), dict):
        found.asks = [
            McpAsk(
                key=key,
                method=_text(_object(request).get("method")),
                text=_text(_object(_object(request).get("params")).get("message")),
            )
            for key, request in _first(result["inputRequests"])
        ]
    info = _object(result.get("serverInfo")) or _object(
        _object(result.get("_meta")).get(SERVER_INFO)
    )
    found.server, found.server_version = _text(info.get("name")), _text(info.get("version"))
    found.protocol_version = _text(result.get("protocolVersion"))


def _progress(params: Mapping[str, Any]) -> McpProgress:
    value, total = _number(params.get("progress")), _number(params.get("total"))
    percent = 100 * value / total if value is not None and total else None
    message = _text(params.get("message"))
    return McpProgress(value=value, total=total, percent=percent, message=message)


def _first(members: Mapping[str, Any]) -> list[tuple[str, Any]]:
    return [(_clean(key[:MAX_NAME_CHARS]), members[key]) for key in list(members)[:MAX_ASKS]]


def _hash(state: Any) -> str | None:
    """Return the hash of a state that is opaque, and may be large or secret."""
    if not isinstance(state, str):
        return None
    return hashlib.sha256(state.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _text(value: Any) -> str | None:
    return _clean(value[:MAX_NAME_CHARS]) if isinstance(value, str) and value else None


def _clean(text: str) -> str:
    """Return text without halves of characters, which JSON can write and UTF-8 cannot."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _object(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _number(value: Any) -> float | None:
    return float(value) if isinstance(value, int | float) and abs(value) < 1e300 else None
