"""The HTTP JSON of statistics: time, tokens and cost of a session."""

from __future__ import annotations

from pydantic import Field

from inspector.service.model.rows import SpanKind
from inspector.service.wire import Wire


class SpanRef(Wire):
    """Which span, and what it is called."""

    trace_id: str
    span_id: str
    name: str


class Times(Wire):
    """How long spans took that ended, less what they and anything below them waited."""

    total_ns: int = Field(description="The sum; spans may overlap.")
    mean_ns: int | None = Field(description="Null when none ended; the others likewise.")
    median_ns: int | None
    p95_ns: int | None
    longest_ns: int | None
    longest: SpanRef


class Use(Wire):
    """Tokens and cost, counted on the lowest spans that say any."""

    input_tokens: int
    output_tokens: int
    cost_usd: float


class Operation(Wire):
    """All spans of one kind and name."""

    kind: SpanKind
    name: str
    count: int
    errors: int
    running: int
    own_ns: int = Field(description="In them and in nothing below them, nor waiting.")
    wait_ns: int = Field(description="Waiting for a person.")
    times: Times
    used: Use


class RollUp(Wire):
    """All spans of one model, tool or agent."""

    name: str = Field(description="Empty: model calls that name no model.")
    count: int
    errors: int
    running: int
    wait_ns: int
    times: Times
    used: Use = Field(description="Without what agents (tools) below it used.")
    used_in_all: Use = Field(description="With everything below.")
    model_calls: int = Field(description="Without those of agents (tools) below it.")
    tool_calls: int


class Spread(Wire):
    """How many were how long."""

    count: int
    median_ns: int
    p95_ns: int
    longest_ns: int
    buckets: list[int] = Field(description="How many are below each of `bucket_ns`; last: the rest")
    bucket_ns: list[int]


class StreamedCall(Wire):
    """A model call whose answer came in pieces."""

    span: SpanRef
    model: str | None
    first_chunk_ns: int | None = Field(description="From its start to the first piece.")
    longest_stall_ns: int | None = Field(description="Longest wait for a piece after the first.")
    chunk_count: int | None


class Streams(Wire):
    """How streamed answers came in, as their senders measured it."""

    first_chunk: Spread | None
    stall: Spread | None
    latest_first_chunks: list[StreamedCall] = Field(description="At most 10, the latest first.")
    longest_stalls: list[StreamedCall] = Field(description="At most 10, the longest first.")


class CacheUse(Wire):
    """Of the tokens of model calls: what was cached, what was thought. Null: nobody said."""

    kind: SpanKind
    name: str
    model: str | None
    cache_read_tokens: int | None
    cache_write_tokens: int | None
    reasoning_tokens: int | None


class Handoff(Wire):
    """One agent gave the conversation to another, as a span says in its attributes."""

    span: SpanRef
    from_agent: str | None
    to_agent: str


class AgentRun(Wire):
    """Which agent a run is of, as its span says in its attributes."""

    trace_id: str
    span_id: str
    agent: str


class SessionStatistics(Wire):
    """Of all spans of a session; those that show the same operation again are left out."""

    session_id: str
    as_of: str = Field(description="Change-feed position.")
    span_count: int = Field(description="That were counted, of this many at most 200 000.")
    operations: list[Operation] = Field(description="The largest own time first, at most 1000.")
    operation_count: int
    models: list[RollUp] = Field(description="What costs most first; at most 500, as the others.")
    tools: list[RollUp]
    agents: list[RollUp]
    agent_runs: list[AgentRun] = Field(
        description="Runs whose spans are called otherwise than their agent; at most 10 000."
    )
    streams: Streams
    cache: list[CacheUse] = Field(description="By kind, name and model; at most 500.")
    handoffs: list[Handoff] = Field(description="At most 500, by start.")
    not_read: int = Field(
        description="Spans that were not looked into for streams, cache, hand-offs and names of"
        " agents, because they are too many."
    )
