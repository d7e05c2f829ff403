"""One-line builders of OTLP messages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from opentelemetry.proto.common.v1.common_pb2 import AnyValue, ArrayValue, KeyValue, KeyValueList
from opentelemetry.proto.resource.v1.resource_pb2 import Resource
from opentelemetry.proto.trace.v1.trace_pb2 import Span, Status

from inspector.service.model.rows import Json

SECOND_NS = 1_000_000_000
START_NS = 1_767_225_600 * SECOND_NS  # 2026-01-01T00:00:00Z


def any_value(value: Json) -> AnyValue:
    """Return `value` as OTLP writes it."""
    match value:
        case None:
            return AnyValue()
        case bool():
            return AnyValue(bool_value=value)
        case int():
            return AnyValue(int_value=value)
        case float():
            return AnyValue(double_value=value)
        case str():
            return AnyValue(string_value=value)
        case list():
            return AnyValue(array_value=ArrayValue(values=[any_value(item) for item in value]))
        case dict():
            return AnyValue(kvlist_value=KeyValueList(values=key_values(value)))


def key_values(attributes: Mapping[str, Json]) -> list[KeyValue]:
    """Return `attributes` as OTLP writes them."""
    return [KeyValue(key=key, value=any_value(value)) for key, value in attributes.items()]


def resource(**attributes: Json) -> Resource:
    """Return a resource; `_` in a name stands for `.`."""
    return Resource(
        attributes=key_values({key.replace("_", "."): v for key, v in attributes.items()})
    )


def span(
    name: str = "span",
    *,
    trace: int = 1,
    span_id: int = 1,
    parent: int | None = None,
    start_ns: int = START_NS,
    duration_ns: int | None = SECOND_NS,
    attributes: Mapping[str, Json] | None = None,
    events: Sequence[Span.Event] = (),
    error: str | None = None,
    kind: Span.SpanKind.ValueType = Span.SPAN_KIND_INTERNAL,
    flags: int = 0x101,
) -> Span:
    """Return a span; `duration_ns=None` leaves it running."""
    return Span(
        trace_id=trace.to_bytes(16, "big"),
        span_id=span_id.to_bytes(8, "big"),
        parent_span_id=b"" if parent is None else parent.to_bytes(8, "big"),
        name=name,
        kind=kind,
        flags=flags,
        start_time_unix_nano=start_ns,
        end_time_unix_nano=0 if duration_ns is None else start_ns + duration_ns,
        attributes=key_values(attributes or {}),
        events=events,
        status=Status() if error is None else Status(code=Status.STATUS_CODE_ERROR, message=error),
    )
