"""Live records: the data sent about a span before it ends."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from time import time_ns
from typing import Any

from opentelemetry import trace
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import Span
from opentelemetry.trace import SpanContext

_HAS_IS_REMOTE, _IS_REMOTE = 0x100, 0x200

STARTED = "inspector.span.started"
PROGRESS = "inspector.span.progress"
SPAN_NAME = "inspector.span.name"
HEARTBEAT = "inspector.process.heartbeat"


@dataclass(slots=True)  # frozen, it would take four times as long to make
class LiveRecord:
    """A log record before encoding; made on the emitter's thread, encoded on the sender's."""

    name: str
    time_ns: int
    span_context: SpanContext | None
    attributes: Mapping[str, Any]
    resource: Resource
    span: Span | None = None
    """The span of a `STARTED` or `PROGRESS` record, which is not sent once the span has ended."""

    def all_attributes(self) -> Mapping[str, Any]:
        """Return the attributes with the identity of the span."""
        if self.span is None:
            return self.attributes
        return {**_identity(self.span), **self.attributes}


def heartbeat(
    resource: Resource, *, state: str, lost_after_s: float, ending: Mapping[str, Any]
) -> LiveRecord:
    """Return the record that reports this process as `alive` or `exiting`, and how it ends."""
    attributes = {
        **ending,
        "inspector.process.state": state,
        "inspector.process.lost_after_s": lost_after_s,
    }
    return LiveRecord(HEARTBEAT, time_ns(), None, attributes, resource)


def _identity(span: Span) -> dict[str, Any]:
    parent, scope = span.parent, span.instrumentation_scope
    is_remote = parent is not None and parent.is_remote
    identity: dict[str, Any] = {
        SPAN_NAME: span.name,
        "inspector.span.kind": span.kind.value + 1,  # OTLP counts from "unspecified"
        "inspector.span.flags": _HAS_IS_REMOTE | (_IS_REMOTE if is_remote else 0),
    }
    if parent is not None:
        identity["inspector.span.parent_span_id"] = trace.format_span_id(parent.span_id)
    if scope is not None:
        identity["inspector.span.scope_name"] = scope.name
        identity["inspector.span.scope_version"] = scope.version or ""
    return identity
