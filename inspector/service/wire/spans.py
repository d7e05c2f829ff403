"""Spans: rows, columns of rows, and one span in full."""

from __future__ import annotations

from types import GenericAlias
from typing import Any, Literal

from pydantic import Field, JsonValue, create_model

from inspector.service.model.rows import SpanKind, SpanStatus
from inspector.service.model.waits import MAX_SHOWN
from inspector.service.wire.base import QualifiedId, Wire
from inspector.service.wire.context import SpanContext
from inspector.service.wire.messages import ToolDefinition
from inspector.service.wire.view import View


class SpanRow(Wire):
    """A row of the waterfall."""

    trace_id: str
    span_id: str
    parent_span_id: str | None
    name: str
    kind: SpanKind
    status: SpanStatus
    offset_ns: int = Field(description="From the session's `epoch_ns`; may be negative.")
    duration_ns: int | None = Field(description="Null while the span runs.")
    wait_ns: int = Field(description="Duration of the ended waits for a person.")
    waits: int = Field(description="Number of waits; overlapping ones count once.")
    waited: list[tuple[int, int | None]] = Field(
        max_length=MAX_SHOWN,
        description="`[offset_ns, duration_ns]` of each wait, by start; a null duration: still "
        "waiting. Of more than 16, the last extends to the end of all.",
    )
    model: str | None
    input_tokens: int | None
    output_tokens: int | None
    cost_usd: float | None
    size_bytes: int
    duplicate_of: str | None
    subject: str | None = Field(
        description="The called tool or the running agent, from the attributes or else the span's "
        "name. Null for other kinds."
    )
    stall_start_ns: int | None = Field(
        description="From its start to the longest pause between chunks of its streamed answer, "
        "if longer than 3 s; while it runs, to the newest chunk."
    )
    stall_ns: int | None = Field(description="Duration of that pause; null while the span runs.")
    service: str | None = Field(
        description="The sending service (`service.name`); null: not reported, or stored by an "
        "older version."
    )
    change: int = Field(
        description="Change number of this version: an older one never replaces a newer one."
    )


class SpanSkeleton(Wire):
    """A page of a session's spans, by (offset, span id)."""

    session_id: QualifiedId
    epoch_ns: str
    spans: list[SpanRow]
    next_cursor: str | None
    as_of: str


_columns: dict[str, Any] = {
    name: GenericAlias(list, field.annotation) for name, field in SpanRow.model_fields.items()
}
SpanColumnSet = create_model(
    "SpanColumnSet",
    __base__=Wire,
    __doc__="The fields of `SpanRow`, each as one array: the n-th entries make the n-th row.",
    **_columns,
)


class SpanColumns(Wire):
    """A page of a session's spans as columns (`?format=columns`), in the order of the rows."""

    session_id: QualifiedId
    epoch_ns: str
    columns: SpanColumnSet  # type: ignore[valid-type]
    next_cursor: str | None
    as_of: str


class SpanEvent(Wire):
    """A moment inside a span: an OTLP span event, or a log record stored with it."""

    time: str
    offset_ns: int
    name: str
    attributes: dict[str, JsonValue]
    body: JsonValue = None
    source: Literal["span", "log"]


class SpanLink(Wire):
    """A link to another span."""

    trace_id: str
    span_id: str
    trace_state: str
    attributes: dict[str, JsonValue]
    dropped_attributes: int


class Scope(Wire):
    """The instrumentation that wrote the span."""

    name: str
    version: str
    attributes: dict[str, JsonValue]


class Resource(Wire):
    """The process that wrote the span."""

    attributes: dict[str, JsonValue]


class Dropped(Wire):
    """Counts of what the sender's SDK dropped."""

    attributes: int
    events: int
    links: int


class Clamped(Wire):
    """A cut value; `…/value` returns it complete."""

    pointer: str = Field(description="JSON Pointer (RFC 6901) into this response.")
    size_bytes: int = Field(description="Size of the complete value in UTF-8.")
    is_json: bool = Field(description="Not a string: the start of its JSON is shown.")


class ToolsBefore(Wire):
    """How the tools that an LLM call offers differ from those of an earlier call.

    The earlier call is the last with the same tools, of the few before it; else the last with any.
    """

    trace_id: str
    span_id: str
    added: list[str] = Field(description="Names of tools that are only offered now.")
    removed: list[str] = Field(description="Names of tools that were only offered then.")
    changed: list[str] = Field(description="Names of tools with a different description or schema.")


class SpanDetail(SpanRow):
    """A span with its content."""

    session_id: QualifiedId
    started_at: str
    ended_at: str | None
    otlp_kind: Literal["unspecified", "internal", "server", "client", "producer", "consumer"]
    status_message: str | None
    trace_state: str
    flags: int
    attributes: dict[str, JsonValue] = Field(description="Flat, as stored.")
    events: list[SpanEvent]
    links: list[SpanLink]
    resource: Resource
    scope: Scope
    dropped: Dropped
    view: View
    tools_before: ToolsBefore | None = Field(
        description="For an LLM call with tools; null: no earlier call offered any."
    )
    tool_definition: ToolDefinition | None = Field(
        None,
        description="For a tool call: the tool as offered by the LLM call that precedes it; null: "
        "none did.",
    )
    context: SpanContext | None = Field(
        None, description="For an LLM call: its context by part; null: unknown."
    )
    clamped: list[Clamped] = Field(
        default_factory=list, description="With `max_value_bytes`: the cut values."
    )
