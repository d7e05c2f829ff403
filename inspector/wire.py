"""The HTTP JSON, as pydantic models: the one owner of the wire shape.

`openapi.yaml` is generated from these and the routes; TypeScript types come from that file.
Times are RFC 3339 in UTC, or integers with the unit in the name; ids are lower-case hex.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, JsonValue

from inspector.model import Engine, SessionStatus, SpanKind, SpanStatus
from inspector.reading.compare import Change
from inspector.waits import MAX_SHOWN


class Wire(BaseModel):
    """Base of everything we answer: closed, so that the contract says all there is."""

    model_config = ConfigDict(extra="forbid")


class StoreHealth(Wire):
    """Whether the store can be written. While it cannot, senders are asked to wait."""

    state: Literal["ok", "full", "read_only", "unavailable"]
    since: str = Field(description="RFC 3339, UTC.")
    message: str = Field(description="What is wrong and what to do; empty when it is ok.")


class StoreUsage(Wire):
    """What the store takes up, and what is kept."""

    used_bytes: int = Field(description="By sessions; the file may be larger, with free pages.")
    retention: str = Field(description="`INSPECTOR_RETENTION`.")


class Health(Wire):
    """`GET /health`: who answers, and whether it is ready to take telemetry in."""

    name: Literal["mcp-agent-inspector"] = "mcp-agent-inspector"
    version: str
    ready: bool
    store: StoreHealth | None = Field(default=None, description="For those who have the token.")
    usage: StoreUsage | None = Field(
        default=None, description="For those who have the token; null when it cannot be read."
    )


class ImportMistake(Wire):
    """Something in an imported file that was not taken."""

    line: int = Field(description="On which it begins, from 1.")
    message: str


class ImportReport(Wire):
    """`POST /import`: what became of a file. What is good is kept, whatever stands beside it."""

    spans: int = Field(description="Taken.")
    span_duplicates: int = Field(description="There before, just so.")
    logs: int = Field(description="Log records of a trace or a session, taken.")
    log_duplicates: int
    rejected: int = Field(description="Spans, records and values that could not be read.")
    not_stored: int = Field(description="Metrics, and log records that belong to no trace.")
    sessions: list[str] = Field(description="Ids of the sessions in it, the first 1000.")
    mistakes: list[ImportMistake] = Field(description="The first 100.")
    mistake_count: int


class Session(Wire):
    """One session: a conversation, a run, or a single trace."""

    id: str
    title: str
    status: SessionStatus
    engine: Engine
    started_at: str = Field(description="RFC 3339, UTC.")
    ended_at: str | None = Field(description="RFC 3339, UTC; null while anything runs.")
    duration_ms: float | None = Field(description="Null while anything runs.")
    waiting_ms: float = Field(
        description="Time in which any of it waited for a person, side by side counted once; up "
        "to `waiting_since` if it waits now."
    )
    waiting_since: str | None = None
    paused_since: str | None = Field(None, description="While an operator holds it.")
    epoch_ns: str = Field(description="Unix ns as a decimal string; offsets count from it.")
    span_count: int
    error_count: int
    llm_calls: int
    tool_calls: int
    input_tokens: int
    output_tokens: int
    cost_usd: float | None = Field(description="Null when no telemetry carried a cost.")
    models: list[str]
    services: list[str]
    agents: list[str]
    tags: list[str]
    dropped_count: int


class IndexState(Wire):
    """How far the index of words is. What it has not seen is looked at too, which takes longer."""

    is_complete: bool
    changes_behind: int = Field(description="How many changes it has yet to take in.")


SessionSort: TypeAlias = Literal[
    "started",
    "-started",
    "changed",
    "-changed",
    "title",
    "-title",
    "duration",
    "-duration",
    "waiting",
    "-waiting",
    "spans",
    "-spans",
    "errors",
    "-errors",
    "llm_calls",
    "-llm_calls",
    "tool_calls",
    "-tool_calls",
    "tokens",
    "-tokens",
    "cost",
    "-cost",
]
"""How a list of sessions is sorted; `changed`: by when anything last changed it."""


class SessionList(Wire):
    """A page of sessions, in the order that was asked for."""

    sessions: list[Session]
    next_cursor: str | None
    index: IndexState | None = Field(None, description="With `q`; null without an index.")
    as_of: str = Field(description="Change-feed position: pass it to `/events?after=`.")


class SessionBucket(Wire):
    """The sessions that began in a stretch of time."""

    started_at: str = Field(description="When it begins; RFC 3339.")
    counts: dict[SessionStatus, int] = Field(description="Of those that are not none.")


class SessionHistogram(Wire):
    """How many sessions began when."""

    bucket_ms: int
    buckets: list[SessionBucket] = Field(description="Oldest first, one after another.")
    counted_from: str | None = Field(
        description="What began before was not looked at in the time there was; null: all was."
    )


class SpanRow(Wire):
    """One line of the waterfall."""

    trace_id: str
    span_id: str
    parent_span_id: str | None
    name: str
    kind: SpanKind
    status: SpanStatus
    offset_ns: int = Field(description="From the session's `epoch_ns`; may be negative.")
    duration_ns: int | None = Field(description="Null while the span runs.")
    wait_ns: int = Field(description="Of the waits for a person that are over.")
    waits: int = Field(description="How often it waited; waits that overlap are one.")
    waited: list[tuple[int, int | None]] = Field(
        max_length=MAX_SHOWN,
        description="When: `[offset_ns, duration_ns]` of each wait, by start; a null duration: "
        "it is not over. Of more than 16, the last is up to the end of all.",
    )
    model: str | None
    input_tokens: int | None
    output_tokens: int | None
    cost_usd: float | None
    size_bytes: int
    duplicate_of: str | None


class SpanSkeleton(Wire):
    """A page of a session's spans, by (offset, span id)."""

    session_id: str
    epoch_ns: str
    spans: list[SpanRow]
    next_cursor: str | None
    as_of: str


class SpanColumnSet(Wire):
    """The fields of `SpanRow`, each as one array: the n-th entries make the n-th row."""

    trace_id: list[str]
    span_id: list[str]
    parent_span_id: list[str | None]
    name: list[str]
    kind: list[SpanKind]
    status: list[SpanStatus]
    offset_ns: list[int]
    duration_ns: list[int | None]
    wait_ns: list[int]
    waits: list[int]
    waited: list[list[tuple[int, int | None]]]
    model: list[str | None]
    input_tokens: list[int | None]
    output_tokens: list[int | None]
    cost_usd: list[float | None]
    size_bytes: list[int]
    duplicate_of: list[str | None]


class SpanColumns(Wire):
    """A page of a session's spans as columns (`?format=columns`), in the order of the rows."""

    session_id: str
    epoch_ns: str
    columns: SpanColumnSet
    next_cursor: str | None
    as_of: str


def _optional(schema: dict[str, Any]) -> None:
    """Leave the default out of the contract, so that a field which came later may be missing."""
    schema.pop("default", None)


class Payload(Wire):
    """A value as text: JSON text is never parsed on its way, so `9007199254740993` survives."""

    text: str
    is_json: bool
    is_truncated: bool = False
    original_bytes: int | None = Field(default=None, description="Size before truncation.")


class TextPart(Wire):
    """Plain text."""

    type: Literal["text"] = "text"
    text: str
    parse_error: bool = Field(
        default=False, description="It was meant as JSON and is none: shown as it came."
    )
    is_refusal: bool = Field(
        default=False, description="The model says that it will not.", json_schema_extra=_optional
    )


class ReasoningPart(Wire):
    """What a model thought before it answered."""

    type: Literal["reasoning"] = "reasoning"
    text: str


class ToolCallPart(Wire):
    """The model asks for a tool."""

    type: Literal["tool_call"] = "tool_call"
    id: str | None
    name: str
    arguments: Payload | None


class ToolResultPart(Wire):
    """What the tool answered."""

    type: Literal["tool_result"] = "tool_result"
    id: str | None
    result: Payload | None


class BlobPart(Wire):
    """Inline media, base64."""

    type: Literal["blob"] = "blob"
    modality: str | None
    mime_type: str | None
    data: str | None = Field(description="Base64; null when only its size was captured.")
    size_bytes: int | None = None
    name: str | None = Field(default=None, description="Of the file.", json_schema_extra=_optional)


class LinkPart(Wire):
    """Media somewhere else: shown as text, never fetched."""

    type: Literal["link"] = "link"
    modality: str | None
    mime_type: str | None
    uri: str
    name: str | None = Field(default=None, description="Of the file.", json_schema_extra=_optional)


class OtherPart(Wire):
    """A part of a type we do not know: shown as it came."""

    type: Literal["other"] = "other"
    part_type: str
    value: Payload


Part = Annotated[
    TextPart | ReasoningPart | ToolCallPart | ToolResultPart | BlobPart | LinkPart | OtherPart,
    Field(discriminator="type"),
]


class Message(Wire):
    """One turn of a conversation."""

    role: str = Field(description="system, user, assistant, tool, or what the sender wrote.")
    origin: Literal["system", "input", "output"]
    name: str | None = None
    finish_reason: str | None = None
    parts: list[Part]


class ToolView(Wire):
    """A tool execution."""

    name: str
    call_id: str | None
    description: str | None
    arguments: Payload | None
    result: Payload | None
    is_error: bool


class ToolDefinition(Wire):
    """A tool that was offered to the model."""

    name: str
    description: str | None
    parameters: Payload | None


class LlmView(Wire):
    """A model call."""

    provider: str | None
    model_requested: str | None
    model_responded: str | None
    finish_reasons: list[str] = Field(
        description="stop, length, tool_call, content_filter, or what the sender wrote."
    )
    finish_reasons_raw: list[str] = Field(description="As the sender wrote them.")
    time_to_first_chunk_ms: float | None
    request_params: dict[str, JsonValue]
    tools_offered: list[ToolDefinition]


class Usage(Wire):
    """Tokens that this span states. Cached and reasoning tokens are subsets."""

    input_tokens: int | None
    output_tokens: int | None
    cache_read_tokens: int | None
    cache_write_tokens: int | None
    reasoning_tokens: int | None
    cost_usd: float | None
    is_aggregate: bool = Field(
        description="A sum over the spans below, by a span that calls no model itself."
    )
    is_suspect: bool = Field(
        description="More tokens were cached than sent: the sender left them out of its input."
    )


class StateChange(Wire):
    """A snapshot of the agent's state, or the RFC 6902 patch against the one before."""

    name: str
    description: str | None
    time: str
    value: Payload | None
    patch: Payload | None


class Decision(Wire):
    """A verdict of a hook, a policy or a person."""

    time: str
    hook: str | None
    interceptor: str | None
    action: str
    reason: str | None
    microseconds: float | None
    before: Payload | None
    after: Payload | None


class McpView(Wire):
    """An MCP exchange."""

    method: str
    request_id: str | None
    protocol_version: str | None
    transport: str | None
    server: str | None
    resource_uri: str | None
    mime_type: str | None
    size_bytes: int | None
    prompt_name: str | None
    request: Payload | None
    response: Payload | None


class ErrorView(Wire):
    """Why the span failed."""

    type: str | None
    code: str | None
    message: str | None
    stacktrace: str | None


class View(Wire):
    """What a span says, whatever convention it was written in."""

    messages: list[Message]
    llm: LlmView | None
    tool: ToolView | None
    usage: Usage | None
    state: list[StateChange]
    decisions: list[Decision]
    mcp: McpView | None
    error: ErrorView | None
    user_id: str | None
    metadata: dict[str, JsonValue] = Field(description="What the application said beside it.")
    truncated: list[str] = Field(description="Attributes that the sender cut short.")


class SpanEvent(Wire):
    """A moment inside a span: an OTLP span event, or a log record kept with it."""

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
    """What the sender's SDK dropped before we saw it."""

    attributes: int
    events: int
    links: int


class Clamped(Wire):
    """A value of which only the beginning is here: `…/value` has all of it."""

    pointer: str = Field(description="Where it is in this answer: a JSON Pointer (RFC 6901).")
    size_bytes: int = Field(description="Of the whole, as UTF-8.")
    is_json: bool = Field(description="It is no text: the beginning of its JSON stands there.")


class SpanDetail(SpanRow):
    """One span, whole."""

    session_id: str
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
    clamped: list[Clamped] = Field(
        default_factory=list, description="With `max_value_bytes`: what is not here in full."
    )


class Excerpt(Wire):
    """Words that were searched for, as they stand in a span."""

    place: str = Field(description="`name`, `status`, `event`, or the key of an attribute.")
    before: str
    match: str
    after: str


class SearchHit(Wire):
    """A span that is what was searched for, and whose it is."""

    session_id: str
    session_title: str
    span: SpanRow
    excerpts: list[Excerpt] = Field(
        default_factory=list, description="Where the words of the query stand; a few."
    )


class SearchResult(Wire):
    """The newest first. A page may be short, or empty, and not the last: see `next_cursor`."""

    sessions: list[Session] = Field(description="On the first page.")
    spans: list[SearchHit]
    next_cursor: str | None = Field(description="For the spans that were not looked at yet.")
    index: IndexState | None = Field(None, description="Null without an index.")


class Difference(Wire):
    """A span that is not the same in two sessions, or that only one of them has."""

    changes: list[Change] = Field(description="How it differs, the most telling first.")
    path: list[str] = Field(description="Names from the root to the span; of many, the last ones.")
    left: SpanRow | None = Field(description="In the first session; null when it was added.")
    right: SpanRow | None = Field(description="In the second one; null when it was removed.")
    span_count: int = Field(description="With all below it, of what was added or removed; else 1.")
    left_own_ns: int | None = Field(description="Its time without waiting and spans below it.")
    right_own_ns: int | None
    left_answer: str | None = Field(description="From a little before the answers part.")
    right_answer: str | None


class Comparison(Wire):
    """What differs between two sessions, the most telling first."""

    left: Session
    right: Session
    counts: dict[Change, int] = Field(description="How often each change occurs, of all of them.")
    same_count: int = Field(description="Spans that have a pair and do not differ.")
    difference_count: int = Field(description="Of all pages.")
    differences: list[Difference]
    diverged: Difference | None = Field(
        description="The first in time that is more than slower or dearer."
    )
    not_compared: int = Field(
        description="Spans whose content was not looked at: there is too much of it."
    )
    next_offset: int | None


class Problem(BaseModel):
    """RFC 9457 `application/problem+json`, with a stable `code`."""

    type: str = "about:blank"
    title: str
    status: int
    detail: str
    code: str
    position: int | None = Field(
        None, description="Of a `bad_query`: the index of the character that is wrong."
    )
    length: int | None = Field(None, description="How many characters are; 0 at its end.")


# --- the stream (`GET /events`) ---------------------------------------------------------------


class StreamMessage(Wire):
    """What every message of the stream carries."""

    time: str = Field(description="RFC 3339: when the change was committed.")
    session_id: str


class SessionStarted(StreamMessage):
    """A session was seen for the first time."""

    type: Literal["SessionStarted"] = "SessionStarted"
    session: Session


class SessionUpdated(StreamMessage):
    """The whole new row."""

    type: Literal["SessionUpdated"] = "SessionUpdated"
    session: Session
    moved_from: str | None = Field(
        default=None, description="A trace was found to belong here; the old id answers 308."
    )


class SessionFinished(StreamMessage):
    """Nothing of it runs any more. New spans may make it run again."""

    type: Literal["SessionFinished"] = "SessionFinished"
    session: Session


class SessionDeleted(StreamMessage):
    """It was deleted, or merged into another."""

    type: Literal["SessionDeleted"] = "SessionDeleted"
    moved_to: str | None = None


class SpanStarted(StreamMessage):
    """A span runs."""

    type: Literal["SpanStarted"] = "SpanStarted"
    span: SpanRow


class SpanUpdated(StreamMessage):
    """The whole new row of a span that still runs, or was re-classified."""

    type: Literal["SpanUpdated"] = "SpanUpdated"
    span: SpanRow


class SpanEnded(StreamMessage):
    """A span ended."""

    type: Literal["SpanEnded"] = "SpanEnded"
    span: SpanRow


class MomentMessage(StreamMessage):
    """A moment on a span: which one it is, the type says."""

    trace_id: str
    span_id: str | None
    name: str
    attributes: dict[str, JsonValue]


class DecisionMade(MomentMessage):
    """A hook, a policy or a person decided."""

    type: Literal["DecisionMade"] = "DecisionMade"


class ProgressUpdate(MomentMessage):
    """An operation reports how far it is."""

    type: Literal["ProgressUpdate"] = "ProgressUpdate"


class ResourceFetched(StreamMessage):
    """A resource was read; sent beside the span's `SpanEnded`."""

    type: Literal["ResourceFetched"] = "ResourceFetched"
    span: SpanRow


class PromptUsed(StreamMessage):
    """A prompt was applied; sent beside the span's `SpanEnded`."""

    type: Literal["PromptUsed"] = "PromptUsed"
    span: SpanRow


class Heartbeat(Wire):
    """Keep-alive, every 10 s at the latest and whenever the store's health changes."""

    type: Literal["Heartbeat"] = "Heartbeat"
    time: str
    now_ns: str = Field(description="The service's clock.")
    store: StoreHealth


class Gap(Wire):
    """The reader's position is unknown here: read the lists again."""

    type: Literal["Gap"] = "Gap"
    time: str
    reload: Literal[True] = True
