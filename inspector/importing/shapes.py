"""What files of telemetry look like: each shape to OTLP export requests, still plain JSON.

OTLP in JSON as collectors write it, in lists, within the answer of Jaeger's API, and spans as
`ReadableSpan.to_json` of OpenTelemetry's Python SDK writes them (its console exporter, and the
file exporter of mcp-agent). Ids in base64, names of enumerations and texts for numbers, as
protobuf's own JSON has them, are the decoder's to read.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from inspector.errors import BadDataError
from inspector.otlp.signals import LOGS, METRICS, TRACES, Signal

_SIGNALS = {"resourceSpans": TRACES, "resourceLogs": LOGS, "resourceMetrics": METRICS}
_SIGNALS |= {signal.groups: signal for signal in _SIGNALS.values()}  # in snake_case
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_STATUS = {"UNSET": 0, "OK": 1, "ERROR": 2}


def requests_in(value: Any) -> Iterator[tuple[Signal, dict[str, Any]]]:
    """Yield the export requests in a JSON value.

    Raises:
        BadDataError: There is something else in it.
    """
    if isinstance(value, list):
        for item in value:
            yield from requests_in(item)
        return
    if isinstance(value, dict):
        if found := [(signal, name) for name, signal in _SIGNALS.items() if name in value]:
            yield from ((signal, {name: value[name]}) for signal, name in found)
            return
        if "result" in value:  # Jaeger: GET /api/v3/traces/ID
            yield from requests_in(value["result"])
            return
        if isinstance(value.get("context"), dict):
            yield TRACES, _request_of(value)
            return
    raise BadDataError(
        "This is no telemetry that is known here: an object with resourceSpans, resourceLogs or "
        "resourceMetrics, or a span as Python's SDK writes it"
    )


def _request_of(span: dict[str, Any]) -> dict[str, Any]:
    resource = span.get("resource")
    resource = resource if isinstance(resource, dict) else {}
    return {
        "resourceSpans": [
            {
                "resource": {"attributes": _attributes(resource.get("attributes"))},
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
        "startTimeUnixNano": _unix_nano(span.get("start_time")),
        "endTimeUnixNano": _unix_nano(span.get("end_time")),
        "attributes": _attributes(span.get("attributes")),
        "events": [
            {
                "name": event.get("name"),
                "timeUnixNano": _unix_nano(event.get("timestamp")),
                "attributes": _attributes(event.get("attributes")),
            }
            for event in _objects(span.get("events"))
        ],
        "links": [
            {**_context(link.get("context")), "attributes": _attributes(link.get("attributes"))}
            for link in _objects(span.get("links"))
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


def _objects(value: Any) -> list[dict[str, Any]]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _unix_nano(value: Any) -> str | None:
    """Return a time such as `2026-01-31T10:00:00.000000Z` in OTLP's words.

    Raises:
        BadDataError: It is no time.
    """
    if value is None:
        return None
    try:
        time = datetime.fromisoformat(value)
    except (TypeError, ValueError) as error:
        raise BadDataError(f"{str(value)[:100]!r} is no time as ISO 8601 writes it") from error
    if time.tzinfo is None:
        time = time.replace(tzinfo=UTC)
    return str((time - _EPOCH) // _MICROSECOND * 1000)


def _attributes(attributes: Any) -> list[dict[str, Any]]:
    if not isinstance(attributes, Mapping):
        return []
    return [{"key": key, "value": _any_value(value)} for key, value in attributes.items()]


def _any_value(value: Any) -> dict[str, Any]:
    match value:
        case bool():
            return {"boolValue": value}
        case int():
            return {"intValue": value}
        case float():
            return {"doubleValue": value}
        case str():
            return {"stringValue": value}
        case list():
            return {"arrayValue": {"values": [_any_value(item) for item in value]}}
        case dict():
            return {"kvlistValue": {"values": _attributes(value)}}
        case _:
            return {}
