"""The HTTP JSON of statistics: time, tokens and cost of a session."""

from __future__ import annotations

from pydantic import Field

from inspector.service.model.rows import SpanKind
from inspector.service.wire import PriceSource, Wire
from inspector.service.wire.base import QualifiedId


class SpanRef(Wire):
    """A reference to a span, with its name."""

    trace_id: str
    span_id: str
    name: str


class Times(Wire):
    """Durations of ended spans, without the waits of the spans and their descendants."""

    total_ns: int = Field(description="The sum; spans may overlap.")
    mean_ns: int | None = Field(description="Null if none ended; also for the others.")
    median_ns: int | None
    p95_ns: int | None
    longest_ns: int | None
    longest: SpanRef


class Use(Wire):
    """Tokens and cost, counted on the lowest spans that report any."""

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
    own_ns: int = Field(description="Self time: without descendants and waits.")
    wait_ns: int = Field(description="Waiting for a person.")
    times: Times
    used: Use


class RollUp(Wire):
    """All spans of one model, tool or agent."""

    name: str = Field(description="Empty: LLM calls without a model name.")
    count: int
    errors: int
    running: int
    wait_ns: int
    times: Times
    used: Use = Field(description="Without usage of agents (tools) below it.")
    used_in_all: Use = Field(description="Including all descendants.")
    model_calls: int = Field(description="Without those of agents (tools) below it.")
    tool_calls: int


class Spread(Wire):
    """A distribution of durations."""

    count: int
    median_ns: int
    p95_ns: int
    longest_ns: int
    buckets: list[int] = Field(
        description="Counts below each of `bucket_ns`; the last is the rest."
    )
    bucket_ns: list[int]


class StreamedCall(Wire):
    """An LLM call with a streamed answer."""

    span: SpanRef
    model: str | None
    first_chunk_ns: int | None = Field(description="Time from the start to the first chunk.")
    longest_stall_ns: int | None = Field(description="Longest wait for a later chunk.")
    chunk_count: int | None


class Streams(Wire):
    """Timing of streamed answers, as measured by their senders."""

    first_chunk: Spread | None
    stall: Spread | None
    latest_first_chunks: list[StreamedCall] = Field(description="At most 10, the slowest first.")
    longest_stalls: list[StreamedCall] = Field(description="At most 10, the longest first.")


class CacheUse(Wire):
    """Cached and reasoning tokens of LLM calls. Null: not reported."""

    kind: SpanKind
    name: str
    model: str | None
    cache_read_tokens: int | None
    cache_write_tokens: int | None
    reasoning_tokens: int | None


class Handoff(Wire):
    """A handoff of the conversation from one agent to another, from a span's attributes."""

    span: SpanRef
    from_agent: str | None
    to_agent: str


class AgentRun(Wire):
    """The agent of a run, from its span's attributes."""

    trace_id: str
    span_id: str
    agent: str


class SessionStatistics(Wire):
    """Statistics of all spans of a session, without duplicates."""

    session_id: QualifiedId
    as_of: str = Field(description="Change-feed position.")
    span_count: int = Field(description="Counted spans; at most 200 000.")
    operations: list[Operation] = Field(description="Largest self time first, at most 1000.")
    operation_count: int
    models: list[RollUp] = Field(
        description="Most expensive first; at most 500, like tools and agents."
    )
    unpriced_models: list[str] = Field(
        description="Models of calls with tokens but no known price; at most 500. Empty: calls "
        "without a model name."
    )
    price_list: PriceSource | None = Field(
        description="The price list in use; null if no service has the store open."
    )
    tools: list[RollUp]
    agents: list[RollUp]
    agent_runs: list[AgentRun] = Field(
        description="Runs whose span name differs from the agent's name; at most 10 000."
    )
    streams: Streams
    cache: list[CacheUse] = Field(description="By kind, name and model; at most 500.")
    handoffs: list[Handoff] = Field(description="At most 500, by start.")
    not_read: int = Field(
        description="Spans beyond the limit, which were not read for streams, cache, handoffs and "
        "agent names."
    )
