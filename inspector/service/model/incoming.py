"""Decoded telemetry, the input of the recorder."""

from __future__ import annotations

from dataclasses import dataclass

from opentelemetry.proto.common.v1.common_pb2 import InstrumentationScope
from opentelemetry.proto.logs.v1.logs_pb2 import LogRecord
from opentelemetry.proto.resource.v1.resource_pb2 import Resource
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from inspector.service.model.records import Content, SpanRecord
from inspector.service.model.rows import Engine


@dataclass(slots=True)
class IncomingSpan:
    """A span that arrives, whole or in part; `normalise.read_span` reads it once.

    A running span (from a live record) is the same message with `end_time_unix_nano == 0`.
    Not frozen, because one is made for every span, and that takes three times as long.
    """

    content: Content
    record: SpanRecord
    """The row to store. Its session and numbers are set when it is recorded, again by a retry."""
    session_key: tuple[int, str] | None
    """(rank, key): the lower rank is the better source; None: the trace id decides."""
    service: str | None
    engine: Engine | None
    title: str | None = None
    """`inspector.session.title`, if the sender sets it."""
    agent: str | None = None
    first_user_message: str | None = None
    """The first user message, cut to 200 characters; None if content was not captured."""
    connection_id: str | None = None
    """The MCP connection that the span names."""
    is_mcp: bool = False
    """Whether the span reports an MCP message or names a connection."""
    response_id: str | None = None
    """The provider's id of its answer to an LLM call."""
    tags: tuple[str, ...] = ()
    user: str | None = None
    """Whom the agent works for."""
    is_progress: bool = False
    """Whether the record has only the changes since the start of the span."""

    @property
    def span_kind(self) -> int:
        """The kind of OTLP."""
        return self.content.facts.span_kind if self.content.facts else self.span.kind

    @property
    def span(self) -> Span:
        """The span, decoded anew: nearly all that is asked of one is known without."""
        return self.content.span()


@dataclass(frozen=True, slots=True)
class IncomingLog:
    """One decoded log record with the resource and scope it came under."""

    record: LogRecord
    resource: Resource
    scope: InstrumentationScope
