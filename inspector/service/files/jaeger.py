"""Convert traces of Jaeger's UI and API v1 to OTLP as plain JSON."""

from __future__ import annotations

from typing import Any

from inspector.errors import BadDataError
from inspector.service.files.values import any_value, attributes, objects

_KINDS = {"internal": 1, "server": 2, "client": 3, "producer": 4, "consumer": 5}
_STATUS = {"OK": 1, "ERROR": 2}
_READ_ALREADY = {
    "span.kind",
    "otel.status_code",
    "otel.status_description",
    "otel.scope.name",
    "otel.scope.version",
    "otel.library.name",
    "otel.library.version",
}


def is_jaeger(value: dict[str, Any]) -> bool:
    """Return whether a value is a trace of Jaeger's."""
    return isinstance(value.get("spans"), list) and isinstance(value.get("processes"), dict)


def request_of(trace: dict[str, Any]) -> dict[str, Any]:
    """Return a trace as an export request, with a group for each span.

    Raises:
        BadDataError: A span has no time.
    """
    processes = trace["processes"]
    return {
        "resourceSpans": [
            _group(span, processes.get(span.get("processID"))) for span in objects(trace["spans"])
        ]
    }


def _group(span: dict[str, Any], process: Any) -> dict[str, Any]:
    process = process if isinstance(process, dict) else span.get("process")
    process = process if isinstance(process, dict) else {}
    tags = _tags(span.get("tags"))
    resource = {"service.name": process.get("serviceName"), **_tags(process.get("tags"))}
    scope = {
        name: tags.get(f"otel.scope.{name}") or tags.get(f"otel.library.{name}")
        for name in ("name", "version")
    }
    return {
        "resource": {"attributes": attributes(resource)},
        "scopeSpans": [{"scope": scope, "spans": [_span(span, tags)]}],
    }


def _span(span: dict[str, Any], tags: dict[str, Any]) -> dict[str, Any]:
    start_us = _microseconds(span.get("startTime"), "startTime")
    duration_us = _microseconds(span.get("duration", 0), "duration")
    trace_id = _id(span.get("traceID"), 32)
    parent, links = _id(span.get("parentSpanID"), 16), []
    for reference in objects(span.get("references")):
        place = {
            "traceId": _id(reference.get("traceID"), 32),
            "spanId": _id(reference.get("spanID"), 16),
        }
        is_parent = reference.get("refType") == "CHILD_OF" and place["traceId"] == trace_id
        if is_parent and not parent:
            parent = place["spanId"]
        elif place["spanId"] != parent:
            links.append(place)
    is_failed = tags.get("error") in (True, "true")
    code = _STATUS.get(str(tags.get("otel.status_code")).upper(), 2 if is_failed else 0)
    return {
        "traceId": trace_id,
        "spanId": _id(span.get("spanID"), 16),
        "parentSpanId": parent,
        "name": span.get("operationName"),
        "kind": _KINDS.get(str(tags.get("span.kind")), 1),
        "startTimeUnixNano": str(start_us * 1000),
        "endTimeUnixNano": str((start_us + duration_us) * 1000),
        "attributes": attributes({k: v for k, v in tags.items() if k not in _READ_ALREADY}),
        "events": [_event(log) for log in objects(span.get("logs"))],
        "links": links,
        "status": {"code": code, "message": tags.get("otel.status_description")},
    }


def _event(log: dict[str, Any]) -> dict[str, Any]:
    fields = _tags(log.get("fields"))
    name = fields.pop("event", None) or fields.get("message") or "log"
    return {
        "name": str(name),
        "timeUnixNano": str(_microseconds(log.get("timestamp"), "timestamp") * 1000),
        "attributes": [{"key": key, "value": any_value(value)} for key, value in fields.items()],
    }


def _tags(tags: Any) -> dict[str, Any]:
    return {str(tag.get("key")): tag.get("value") for tag in objects(tags)}


def _id(value: Any, digits: int) -> Any:
    """Return an id in full length: Jaeger omits leading zeros, and has ids of half the length."""
    return value.zfill(digits) if isinstance(value, str) and value else None


def _microseconds(value: Any, name: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise BadDataError(f"A Jaeger span has no {name} in microseconds")
    return int(value)
