"""One-line builders of ended spans and live records."""

from __future__ import annotations

from collections.abc import Mapping

import orjson
from opentelemetry.proto.common.v1.common_pb2 import InstrumentationScope
from opentelemetry.proto.logs.v1.logs_pb2 import LogRecord
from opentelemetry.proto.resource.v1.resource_pb2 import Resource
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from inspector.service.model.incoming import IncomingLog, IncomingSpan
from inspector.service.model.records import SpanRecord, StoredSpan
from inspector.service.model.rows import Json
from inspector.service.normalise import read_span
from tests.support.telemetry.otlp import START_NS, key_values, resource

SCOPE = InstrumentationScope(name="tests", version="1")
LIVE_SCOPE = InstrumentationScope(name="inspector.live")


def trace_hex(trace: int) -> str:
    """Return the id of the trace with this number."""
    return f"{trace:032x}"


def span_hex(span_id: int) -> str:
    """Return the id of the span with this number."""
    return f"{span_id:016x}"


def stored(span: SpanRecord) -> StoredSpan:
    """Return `span` as a store keeps it."""
    values = {name: getattr(span, name) for name in StoredSpan._fields}
    parent = span.parent_span_id
    return StoredSpan(**values)._replace(
        trace_id=bytes.fromhex(span.trace_id),
        span_id=bytes.fromhex(span.span_id),
        parent_span_id=None if parent is None else bytes.fromhex(parent),
        kind=span.kind.value,
        status=span.status.value,
        is_root=int(span.is_root),
        is_counted=int(span.is_counted),
        waited=orjson.dumps(span.waited) if span.waited else None,
    )


def incoming(
    span: Span,
    process: str | None = None,
    service: str = "demo",
    scope: InstrumentationScope = SCOPE,
) -> IncomingSpan:
    """Return `span` as decoded."""
    return read_span(span, _resource(process, service), scope)


def log(
    name: str,
    *,
    trace: int | None = None,
    span_id: int | None = None,
    time_ns: int = START_NS,
    attributes: Mapping[str, Json] | None = None,
    process: str | None = None,
) -> IncomingLog:
    """Return a log record as decoded."""
    record = LogRecord(
        event_name=name,
        time_unix_nano=time_ns,
        trace_id=b"" if trace is None else trace.to_bytes(16, "big"),
        span_id=b"" if span_id is None else span_id.to_bytes(8, "big"),
        attributes=key_values(attributes or {}),
    )
    return IncomingLog(record, _resource(process, "demo"), LIVE_SCOPE)


def started(span: Span, process: str | None = "p1") -> IncomingLog:
    """Return the live record that announces `span`."""
    return _live("inspector.span.started", span, span.start_time_unix_nano, process)


def progressed(span: Span, time_ns: int, process: str | None = "p1") -> IncomingLog:
    """Return the live record of a change to `span`."""
    return _live("inspector.span.progress", span, time_ns, process)


def heartbeat(
    process: str = "p1", state: str = "alive", more: Mapping[str, Json] | None = None
) -> IncomingLog:
    """Return a sign of life."""
    attributes: dict[str, Json] = {
        **(more or {}),
        "inspector.process.state": state,
        "inspector.process.lost_after_s": 12,
    }
    return log("inspector.process.heartbeat", attributes=attributes, process=process)


def paused(trace: int, span_id: int, time_ns: int, signal: str = "ok") -> IncomingLog:
    """Return the record of a pause on a span."""
    attributes: dict[str, Json] = {"inspector.session.signal": signal}
    return log(
        "inspector.session.paused",
        trace=trace,
        span_id=span_id,
        time_ns=time_ns,
        attributes=attributes,
    )


def resumed(trace: int, span_id: int, time_ns: int, signal: str = "ok") -> IncomingLog:
    """Return the record of the end of a pause."""
    attributes: dict[str, Json] = {"inspector.session.signal": signal}
    return log(
        "inspector.session.resumed",
        trace=trace,
        span_id=span_id,
        time_ns=time_ns,
        attributes=attributes,
    )


def opened(
    trace: int, span_id: int, time_ns: int, request: str = "r1", kind: str | None = None
) -> IncomingLog:
    """Return the record of a request on a span."""
    return _request("inspector.request.opened", trace, span_id, time_ns, request, kind)


def closed(trace: int, span_id: int, time_ns: int, request: str = "r1") -> IncomingLog:
    """Return the record of the end of a request."""
    return _request("inspector.request.closed", trace, span_id, time_ns, request)


def _request(
    name: str, trace: int, span_id: int, time_ns: int, request: str, kind: str | None = None
) -> IncomingLog:
    attributes: dict[str, Json] = {"inspector.request.id": request}
    if kind is not None:
        attributes["inspector.request.kind"] = kind
    return log(name, trace=trace, span_id=span_id, time_ns=time_ns, attributes=attributes)


def _live(name: str, span: Span, time_ns: int, process: str | None) -> IncomingLog:
    attributes: dict[str, Json] = {
        "inspector.span.kind": int(span.kind),
        "inspector.span.flags": span.flags,
        "inspector.span.scope_name": "tests",
        "inspector.span.scope_version": "1",
    }
    if span.name:
        attributes["inspector.span.name"] = span.name
    if span.parent_span_id:
        attributes["inspector.span.parent_span_id"] = span.parent_span_id.hex()
    record = LogRecord(
        event_name=name,
        time_unix_nano=time_ns,
        trace_id=span.trace_id,
        span_id=span.span_id,
        flags=span.flags & 0xFF,
        attributes=[*key_values(attributes), *span.attributes],
    )
    return IncomingLog(record, _resource(process, "demo"), LIVE_SCOPE)


def _resource(process: str | None, service: str) -> Resource:
    attributes: dict[str, Json] = {"service_name": service}
    if process is not None:
        attributes["service_instance_id"] = process
    return resource(**attributes)
