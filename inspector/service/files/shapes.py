"""Known shapes of telemetry files, each converted to OTLP export requests as plain JSON.

OTLP in JSON as collectors write it, in lists, within the answer of Jaeger's API; Jaeger's own
JSON; exports of Langfuse; spans as `ReadableSpan.to_json` of OpenTelemetry's Python SDK writes
them (its console exporter, and the file exporter of mcp-agent), and as the console exporter of
its JavaScript SDK prints them. The decoder reads ids in base64, names of enumerations and numbers
as texts, which protobuf's own JSON has.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

from inspector.errors import BadDataError
from inspector.service.files import jaeger, langfuse
from inspector.service.files.values import attributes, objects, unix_nano
from inspector.service.otlp.signals import LOGS, METRICS, TRACES, OtlpSignal

_SIGNALS = {"resourceSpans": TRACES, "resourceLogs": LOGS, "resourceMetrics": METRICS}
_SIGNALS |= {signal.groups: signal for signal in _SIGNALS.values()}  # in snake_case
_STATUS = {"UNSET": 0, "OK": 1, "ERROR": 2}


def requests_in(value: Any) -> Iterator[tuple[OtlpSignal, dict[str, Any]]]:
    """Yield the export requests in a JSON value.

    Raises:
        BadDataError: It has something else in it.
    """
    if isinstance(value, list):
        for item in value:
            yield from requests_in(item)
        return
    if isinstance(value, dict):
        if found := [(signal, name) for name, signal in _SIGNALS.items() if name in value]:
            yield from ((signal, {name: value[name]}) for signal, name in found)
            return
        # Jaeger: GET /api/v3/traces/ID; Jaeger: GET /api/traces/ID; Langfuse: lists, sessions
        for name in ("result", "data", "traces"):
            if isinstance(value.get(name), dict | list):
                yield from requests_in(value[name])
                return
        if read := _reader_of(value):
            yield TRACES, read(value)
            return
    raise BadDataError(
        "Not a recognised trace format: expected OTLP (resourceSpans, resourceLogs or "
        "resourceMetrics), a Jaeger or Langfuse trace, or console output of the Python or "
        "JavaScript SDK"
    )


def _reader_of(value: dict[str, Any]) -> Callable[[dict[str, Any]], dict[str, Any]] | None:
    if isinstance(value.get("context"), dict):
        return _request_of
    if jaeger.is_jaeger(value):
        return jaeger.request_of
    if "traceId" in value and "timestamp" in value and "duration" in value:
        return _printed_request
    return langfuse.request_of if langfuse.is_langfuse(value) else None


def _printed_request(span: dict[str, Any]) -> dict[str, Any]:
    """Return a span as JavaScript's console exporter prints it; its times are in microseconds."""
    resource, status = (
        part if isinstance(part := span.get(name), dict) else {} for name in ("resource", "status")
    )
    parent = span.get("parentSpanContext")
    start_ns = _printed_ns(span["timestamp"])
    printed = {
        "traceId": span["traceId"],
        "spanId": span.get("id"),
        "parentSpanId": parent.get("spanId") if isinstance(parent, dict) else span.get("parentId"),
        "name": span.get("name"),
        "kind": span["kind"] + 1 if isinstance(span.get("kind"), int) else None,
        "startTimeUnixNano": str(start_ns),
        "endTimeUnixNano": str(start_ns + _printed_ns(span["duration"])),
        "attributes": attributes(span.get("attributes")),
        "events": [_printed_event(event) for event in objects(span.get("events"))],
        "links": [
            {
                "traceId": link["context"].get("traceId"),
                "spanId": link["context"].get("spanId"),
                "attributes": attributes(link.get("attributes")),
            }
            for link in objects(span.get("links"))
            if isinstance(link.get("context"), dict)
        ],
        "status": {"code": status.get("code"), "message": status.get("message")},
    }
    return {
        "resourceSpans": [
            {
                "resource": {"attributes": attributes(resource.get("attributes"))},
                "scopeSpans": [{"scope": _printed_scope(span), "spans": [printed]}],
            }
        ]
    }


def _printed_scope(span: dict[str, Any]) -> dict[str, Any]:
    scope = span.get("instrumentationScope") or span.get("instrumentationLibrary")
    scope = scope if isinstance(scope, dict) else {}
    return {"name": scope.get("name"), "version": scope.get("version")}


def _printed_event(event: dict[str, Any]) -> dict[str, Any]:
    time: str | None
    match event.get("time"):
        case [int(seconds), int(nanoseconds)]:
            time = str(seconds * 1_000_000_000 + nanoseconds)
        case _:
            time = None
    return {
        "name": event.get("name"),
        "timeUnixNano": time,
        "attributes": attributes(event.get("attributes")),
    }


def _printed_ns(microseconds: Any) -> int:
    if isinstance(microseconds, bool) or not isinstance(microseconds, int | float):
        raise BadDataError(f"{str(microseconds)[:100]!r} is not a number of microseconds")
    if isinstance(microseconds, int):
        return microseconds * 1000
    if not math.isfinite(microseconds):
        raise BadDataError(f"{microseconds} is not a number of microseconds")
    return round(microseconds * 1000)


def _request_of(span: dict[str, Any]) -> dict[str, Any]:
    resource = span.get("resource")
    resource = resource if isinstance(resource, dict) else {}
    return {
        "resourceSpans": [
            {
                "resource": {"attributes": attributes(resource.get("attributes"))},
                "schemaUrl": resource.get("schema_url"),
                "scopeSpans": [{"spans": [_span(span)]}],
            }
        ]
    }


def _span(span: dict[str, Any]) -> dict[str, Any]:
    status = span.get("status")
    status = status if isinstance(status, dict) else {}
    kind = str(span.get("kind") or "").rpartition(".")[2]
    return {
        **_context(span.get("context")),
        "parentSpanId": _hex(span.get("parent_id")),
        "name": span.get("name"),
        "kind": f"SPAN_KIND_{kind}" if kind else None,
        "startTimeUnixNano": unix_nano(span.get("start_time")),
        "endTimeUnixNano": unix_nano(span.get("end_time")),
        "attributes": attributes(span.get("attributes")),
        "events": [
            {
                "name": event.get("name"),
                "timeUnixNano": unix_nano(event.get("timestamp")),
                "attributes": attributes(event.get("attributes")),
            }
            for event in objects(span.get("events"))
        ],
        "links": [
            {**_context(link.get("context")), "attributes": attributes(link.get("attributes"))}
            for link in objects(span.get("links"))
        ],
        "status": {
            "code": _STATUS.get(str(status.get("status_code")).rpartition(".")[2], 0),
            "message": status.get("description"),
        },
    }


def _context(context: Any) -> dict[str, Any]:
    context = context if isinstance(context, dict) else {}
    return {"traceId": _hex(context.get("trace_id")), "spanId": _hex(context.get("span_id"))}


def _hex(value: Any) -> Any:
    return value.removeprefix("0x") if isinstance(value, str) else value
