"""What the store indexes about a span."""

from __future__ import annotations

from opentelemetry.proto.resource.v1.resource_pb2 import Resource
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from inspector.model import SpanFacts, SpanKind, SpanStatus


def span_facts(span: Span, resource: Resource) -> SpanFacts:
    """Read kind, status, session key, model and usage from `span`; never raises."""
    status = SpanStatus.RUNNING if not span.end_time_unix_nano else SpanStatus.UNSET
    return SpanFacts(
        kind=SpanKind.OTHER,
        status=status,
        is_root=not span.parent_span_id,
        session_key=None,
        service=None,
        process_id=None,
    )
