"""OTLP export requests."""

from __future__ import annotations

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span

TRACE_ID = bytes.fromhex("5b8aa5a2d2c872e8321cf37308d69df2")


def span_id(number: int) -> bytes:
    return number.to_bytes(8, "big")


def trace_request(*spans: Span) -> ExportTraceServiceRequest:
    request = ExportTraceServiceRequest()
    group = request.resource_spans.add()
    group.resource.attributes.add(key="service.name").value.string_value = "tests"
    scope = group.scope_spans.add()
    scope.scope.name = "tests"
    scope.spans.extend(spans or [span(1)])
    return request


def span(number: int, *, trace_id: bytes = TRACE_ID, name: str = "work") -> Span:
    return Span(
        trace_id=trace_id,
        span_id=span_id(number),
        name=name,
        start_time_unix_nano=1_700_000_000_000_000_000,
        end_time_unix_nano=1_700_000_001_000_000_000,
    )
