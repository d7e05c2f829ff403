"""Lines of the MCP log, read from spans and moments of any convention. Pure.

A span has both halves of an exchange; a record of the wire (`docs/formats.md`) has one message. The
reader of the log, which has all of them, finds the ones that belong together.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from opentelemetry.proto.trace.v1.trace_pb2 import Span

from inspector.service.analysis.mcp_message import (
    McpMessage,
    beginning,
    direction_of,
    opposite,
    read_message,
)
from inspector.service.model.otlp_values import as_float, as_int, as_text, flat_attributes
from inspector.service.model.rows import Json, Moment, SpanRow, SpanStatus
from inspector.service.normalise import keys
from inspector.service.normalise.kinds import tool_name
from inspector.service.normalise.payload import attribute_payload, payload
from inspector.service.normalise.view import mcp_view, truncated_keys
from inspector.service.wire import McpView, Payload
from inspector.service.wire.mcp_log import MAX_NAME_CHARS, McpEntry, McpFault, McpFrame, McpProgress

FRAME = "inspector.mcp.frame"
STDERR = "inspector.mcp.stderr"
_OUTPUT = "inspector.mcp.output.text"
_TRANSPORT = "inspector.transport."
_PROGRESS = "inspector.progress"
_CANCELLED = "inspector.cancelled"
_PAUSED, _RESUMED = "inspector.session.paused", "inspector.session.resumed"
_OPENED, _CLOSED = "inspector.request.opened", "inspector.request.closed"
_PEOPLE = (_PAUSED, _RESUMED, _OPENED, _CLOSED)
_ELICITATION = "elicitation"

_OPENLLMETRY = "opentelemetry.instrumentation.mcp.instrumentation"
_CONNECTION = ("inspector.mcp.connection.id", "mcp.session.id")
_SERVER = ("inspector.mcp.server.name", "mcp.peer.server_id", "fastmcp.server.name")
_HEADERS = ("inspector.mcp.headers",)
_HEADER_PREFIXES = ("http.request.header.", "http.response.header.")
_PERSON_TEXTS = (
    "inspector.session.prompt",
    "inspector.session.payload",
    "inspector.request.prompt",
    "inspector.request.answer",
)
_LOST = re.compile(r"connection closed|(request )?timed out", re.IGNORECASE)
"""Messages of SDKs, with codes of their own, when no answer came."""
_RUNNING = frozenset({SpanStatus.RUNNING, SpanStatus.LOST})

Attributes = Mapping[str, Json]


class Exchange:
    """One span of an MCP exchange, parsed."""

    def __init__(self, row: SpanRow, span: Span, attributes: Attributes, view: McpView) -> None:
        self.row, self.span, self.attributes, self.view = row, span, attributes, view
        truncated = truncated_keys(attributes)
        self.is_content = False
        """Whether only the content of the envelopes is known."""
        self.request, self.response = view.request, view.response
        if self.request is None and self.response is None:
            self.is_content = True
            self.request = attribute_payload(
                attributes, keys.first_key(attributes, keys.TOOL_ARGUMENTS), truncated
            )
            self.response = attribute_payload(
                attributes, keys.first_key(attributes, keys.TOOL_RESULT), truncated
            )
        self.sent = read_message(_of(self.request))
        self.answered = read_message(_of(self.response))

    @property
    def key(self) -> str:
        """`TRACE.SPAN`, the key that the page uses."""
        return f"{self.row.trace_id}.{self.row.span_id}"


def exchange_of(row: SpanRow, span: Span, scope: str = "") -> Exchange | None:
    """Return the MCP exchange of a span; None when it has none."""
    attributes = flat_attributes(span.attributes)
    view = mcp_view(span.name, attributes)
    if view is None and (method := _unnamed_method(span, attributes, scope)):
        view = mcp_view(span.name, {**attributes, "mcp.method.name": method})
    return Exchange(row, span, attributes, view) if view is not None else None


def _unnamed_method(span: Span, attributes: Attributes, scope: str) -> str | None:
    """Return the method that is known only by the instrumentation's own attributes."""
    if scope == _OPENLLMETRY and span.name.endswith(".tool"):
        return "tools/call"
    method = as_text(attributes.get("request.method"))  # mcp-agent
    return method if method and "/" in method else None


def entries_of_exchange(found: Exchange, epoch_ns: int) -> Iterator[McpEntry]:
    """Yield its request, its response once it is over, and the events in between."""
    row, view = found.row, found.view
    is_notification = view.method.startswith("notifications/")
    direction = direction_of(view.method)
    common = _common_of(found)
    yield McpEntry(
        **{
            **common,
            **_body_fields(found.request, found.sent, is_content=found.is_content),
            "key": f"{found.key}:request",
            "type": "notification" if is_notification else "request",
            "offset_ns": row.offset_ns,
            "direction": direction,
            "state": row.status.value,
            "fault": _fault(found) if is_notification else None,
        }
    )
    if row.status not in _RUNNING and not is_notification:
        yield McpEntry(
            **{
                **common,
                **_body_fields(found.response, found.answered, is_content=found.is_content),
                "key": f"{found.key}:response",
                "type": "response",
                "offset_ns": row.offset_ns + (row.duration_ns or 0),
                "direction": opposite(direction),
                "state": row.status.value,
                "fault": _fault(found),
                "result_type": found.answered.result_type
                or as_text(found.attributes.get("inspector.mcp.result_type")),
            }
        )
    for event in found.span.events:
        if not is_about_mcp(event.name):
            continue
        moment = Moment(
            session_id=row.session_id,
            trace_id=row.trace_id,
            span_id=row.span_id,
            time_ns=event.time_unix_nano,
            name=event.name,
            attributes=flat_attributes(event.attributes),
        )
        yield from entries_of_moment(moment, 0, epoch_ns)


def entries_of_moment(moment: Moment, change: int, epoch_ns: int) -> Iterator[McpEntry]:
    """Yield the line of a moment, if it has one.

    A log record and the span event of the same moment get the same key.
    """
    name, attributes = moment.name, moment.attributes
    place = f"{moment.trace_id}.{moment.span_id}" if moment.span_id else moment.trace_id
    common: dict[str, Any] = {
        **_NOTHING,
        "key": f"{place}:{name}:{moment.time_ns}",
        "source": "record",
        "offset_ns": moment.time_ns - epoch_ns,
        "trace_id": moment.trace_id or None,
        "span_id": moment.span_id,
        "connection": _name(keys.first(attributes, _CONNECTION)),
        "server": _name(keys.first(attributes, _SERVER)),
        "transport": as_text(attributes.get("inspector.mcp.transport")),
    }
    if name == FRAME:
        yield _frame(moment, common, change)
    elif name == STDERR:
        yield McpEntry(
            **{**common, "type": "stderr", "key": f"m{change}", **_shown(_output(moment))}
        )
    elif name.startswith(_TRANSPORT):
        yield _transport(moment, common)
    elif name == _PROGRESS:
        notification = {"type": "notification", "method": "notifications/progress"}
        progress = _progress_of(attributes)
        yield McpEntry(**{**common, **notification, "direction": "to_client", "progress": progress})
    elif name == _CANCELLED:
        reason = as_text(attributes.get("inspector.cancelled.reason"))
        notification = {"type": "notification", "method": "notifications/cancelled"}
        fault = McpFault(kind="cancelled", code=None, message=reason)
        yield McpEntry(**{**common, **notification, "direction": "to_server", "fault": fault})
    elif name in _PEOPLE and _is_elicitation(moment):
        yield _person(moment, common)


def whole_frame(found: Exchange, key: str) -> McpFrame:
    """Return a half of an exchange with all of its text."""
    body = found.request if key.endswith(":request") else found.response
    return McpFrame(key=key, body=body, headers=_headers(found.attributes))


def whole_record(moment: Moment, key: str) -> McpFrame:
    """Return a recorded message, or a line of a server's log, with all of its text."""
    body = _output(moment) if moment.name == STDERR else _body(moment)
    return McpFrame(key=key, body=body, headers=_headers(moment.attributes))


def is_about_mcp(name: str) -> bool:
    """Return whether a moment of this name may make a line."""
    return name in (FRAME, STDERR, _PROGRESS, _CANCELLED, *_PEOPLE) or name.startswith(_TRANSPORT)


_NOTHING: dict[str, Any] = {
    **dict.fromkeys(McpEntry.model_fields),
    "is_whole": True,
    "asks": [],
    "answers": [],
}


def _common_of(found: Exchange) -> dict[str, Any]:
    row, view, attributes = found.row, found.view, found.attributes
    is_receiver = found.span.kind == Span.SPAN_KIND_SERVER
    duplicate = f"{row.trace_id}.{row.duplicate_of}" if row.duplicate_of else None
    return {
        **_NOTHING,
        "source": "span",
        "trace_id": row.trace_id,
        "span_id": row.span_id,
        "exchange": found.key,
        "duplicate_of": duplicate,
        "reporter": "receiver" if is_receiver else "sender",
        "method": _name(view.method),
        "target": _target(found),
        "rpc_id": found.sent.rpc_id or found.answered.rpc_id or _name(view.request_id),
        "connection": _name(keys.first(attributes, _CONNECTION)),
        "server": _name(keys.first(attributes, _SERVER))
        or found.answered.server
        or _name(attributes.get("server.address")),
        "server_version": found.answered.server_version,
        "transport": view.transport,
        "protocol_version": found.answered.protocol_version
        or found.sent.protocol_version
        or view.protocol_version,
    }


def _target(found: Exchange) -> str | None:
    attributes, view = found.attributes, found.view
    if found.sent.target is not None:
        return found.sent.target
    if "resources/" in view.method:
        return _name(view.resource_uri)
    if view.method == "tools/call":
        return _name(tool_name(found.span.name, attributes))
    return _name(view.prompt_name)


def _body_fields(body: Payload | None, message: McpMessage, *, is_content: bool) -> dict[str, Any]:
    return {
        **_shown(body),
        "form": None if body is None else "content" if is_content else "message",
        "state_hash": message.state_hash,
        "progress_token": message.progress_token,
        "about_id": message.about_id,
        "asks": message.asks,
        "answers": message.answers,
        "progress": message.progress,
    }


def _shown(body: Payload | None) -> dict[str, Any]:
    if body is None:
        return {"text": None, "size_bytes": None, "is_whole": True}
    text = beginning(body.text)
    size_bytes = body.original_bytes or len(body.text.encode("utf-8", "surrogatepass"))
    is_whole = len(text) == len(body.text) and not body.is_truncated
    return {"text": text, "size_bytes": size_bytes, "is_whole": is_whole}


def _fault(found: Exchange) -> McpFault | None:
    """Return the failure of an exchange: an error, a result that is one, or no answer."""
    attributes, answer, status = found.attributes, found.answered, found.row.status
    type_ = as_text(attributes.get("error.type")) or as_text(attributes.get("mcp.error.code"))
    message = found.span.status.message or as_text(attributes.get("mcp.error.message")) or ""
    if found.response is None and type_ is not None and _LOST.match(message):
        return McpFault(kind="failed", code=type_, message=message)
    code = answer.error_code or _code(attributes.get("rpc.response.status_code")) or _code(type_)
    if code is not None:
        return McpFault(kind="rpc", code=code, message=answer.error_message or message or None)
    is_tool_error = answer.is_error or attributes.get("result.isError") is True
    if is_tool_error or type_ == "tool_error":
        return McpFault(kind="tool", code=None, message=message or None)
    if status is SpanStatus.CANCELLED or type_ == "cancelled":
        return McpFault(kind="cancelled", code=None, message=message or None)
    if status is SpanStatus.ERROR or type_ is not None:
        return McpFault(kind="failed", code=type_, message=message or None)
    return None


def _code(value: Json) -> str | None:
    """Return a JSON-RPC error code, which conventions write as text, too."""
    text = str(value) if isinstance(value, int | str) and not isinstance(value, bool) else ""
    return text if text.removeprefix("-").isascii() and text.removeprefix("-").isdigit() else None


def _frame(moment: Moment, common: dict[str, Any], change: int) -> McpEntry:
    attributes = moment.attributes
    body = _body(moment)
    message = read_message(_of(body))
    half = message.half or ("notification" if message.method else "response")
    direction = attributes.get("inspector.mcp.direction")
    direction = (
        direction
        if direction in ("to_server", "to_client")
        else (opposite(direction_of(None)) if half == "response" else direction_of(message.method))
    )
    fault = None
    if message.error_code is not None:
        fault = McpFault(kind="rpc", code=message.error_code, message=message.error_message)
    elif message.is_error:
        fault = McpFault(kind="tool", code=None, message=None)
    return McpEntry(
        **{
            **common,
            **_body_fields(body, message, is_content=False),
            "key": f"m{change}",
            "type": half,
            "direction": direction,
            "method": message.method,
            "target": message.target,
            "rpc_id": message.rpc_id,
            "server": common["server"] or message.server,
            "server_version": message.server_version,
            "protocol_version": message.protocol_version
            or as_text(attributes.get("mcp.protocol.version")),
            "fault": fault,
            "result_type": message.result_type,
        }
    )


def _transport(moment: Moment, common: dict[str, Any]) -> McpEntry:
    attributes = moment.attributes
    reason = attribute_payload(attributes, "inspector.transport.reason")
    state = as_text(attributes.get("inspector.transport.status"))
    return McpEntry(
        **{
            **common,
            "type": "transport",
            "state": state or moment.name.removeprefix(_TRANSPORT)[:MAX_NAME_CHARS],
            "target": _name(attributes.get("inspector.mcp.server.command"))
            or _name(attributes.get("server.address")),
            **_shown(reason),
            "step": _name(attributes.get("inspector.transport.step")),
            "attempt": as_int(attributes.get("inspector.transport.attempt")),
        }
    )


def _is_elicitation(moment: Moment) -> bool:
    """Return whether a server asks a person; the end of any request may be the answer."""
    attributes = moment.attributes
    signal = attributes.get("inspector.session.signal") or attributes.get(
        "inspector.request.signal"
    )
    return moment.name == _CLOSED or signal == _ELICITATION


def _person(moment: Moment, common: dict[str, Any]) -> McpEntry:
    attributes, is_request = moment.attributes, moment.name in (_PAUSED, _OPENED)
    text = attribute_payload(attributes, keys.first_key(attributes, _PERSON_TEXTS))
    return McpEntry(
        **{
            **common,
            **_shown(text),
            "type": "asked" if is_request else "answered",
            "about_id": _name(attributes.get("inspector.request.id")),
            "state": _name(attributes.get("inspector.request.status")),
        }
    )


def _progress_of(attributes: Attributes) -> McpProgress:
    prefix = "inspector.progress."
    message = as_text(attributes.get(prefix + "message"))
    return McpProgress(
        value=as_float(attributes.get(prefix + "value")),
        total=as_float(attributes.get(prefix + "total")),
        percent=as_float(attributes.get(prefix + "percent")),
        message=message[:MAX_NAME_CHARS] if message else None,
    )


def _body(moment: Moment) -> Payload | None:
    """Return the message as it was on the wire."""
    if moment.body is None:
        return None
    shown = payload(moment.body)
    whole_bytes = as_int(moment.attributes.get("inspector.mcp.frame.size"))
    if whole_bytes is None or whole_bytes <= len(shown.text.encode("utf-8", "surrogatepass")):
        return shown
    return shown.model_copy(update={"is_truncated": True, "original_bytes": whole_bytes})


def _output(moment: Moment) -> Payload:
    """Return the standard error of a server: from the record's body, else from its attribute."""
    if isinstance(moment.body, str):
        return payload(moment.body)
    found = attribute_payload(moment.attributes, _OUTPUT, truncated_keys(moment.attributes))
    return found or payload("")


def _headers(attributes: Attributes) -> Payload | None:
    headers = attribute_payload(attributes, keys.first_key(attributes, _HEADERS))
    if headers is not None:
        return headers
    found = {
        key.removeprefix("http."): value
        for key, value in attributes.items()
        if key.startswith(_HEADER_PREFIXES)
    }
    return payload(json.dumps(found, ensure_ascii=False)) if found else None


def _of(body: Payload | None) -> str | None:
    return body.text if body is not None else None


def _name(value: Json) -> str | None:
    text = str(value) if isinstance(value, int) else as_text(value)
    return text[:MAX_NAME_CHARS] if text else None
