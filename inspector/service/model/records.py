"""Rows of the store, and the changes that a unit of work makes to them."""

from __future__ import annotations

from collections.abc import Container, Mapping
from dataclasses import dataclass, field, fields
from functools import lru_cache
from operator import attrgetter
from typing import NamedTuple, TypeAlias

from opentelemetry.proto.common.v1.common_pb2 import InstrumentationScope
from opentelemetry.proto.logs.v1.logs_pb2 import LogRecord
from opentelemetry.proto.resource.v1.resource_pb2 import Resource
from opentelemetry.proto.trace.v1.trace_pb2 import ResourceSpans, ScopeSpans, Span

from inspector.service.model.otlp_values import flat_attributes, json_value, typed_attributes
from inspector.service.model.rows import (
    AuditRow,
    CommandRow,
    Json,
    Moment,
    ProcessRow,
    RequestRow,
    RequestStatus,
    SessionRow,
    SpanKind,
    SpanRow,
    SpanStatus,
)
from inspector.service.model.waits import Interval

MAX_INT = 2**63 - 1
"""The largest integer that every store can hold."""
TRACE_PROCESS = "trace:"
"""Prefix of the stand-in for a sender that names no process; the trace id follows."""


def clamp(time_ns: int) -> int:
    """Return a time that every store can hold."""
    return time_ns if time_ns < MAX_INT else MAX_INT


def trace_process(trace_id: str) -> str:
    """Return the stand-in for a sender that names no process: it lives by its trace."""
    return TRACE_PROCESS + trace_id


def is_silent(process_id: str) -> bool:
    """Return whether a process has no sign of life but its spans."""
    return process_id.startswith(TRACE_PROCESS)


@dataclass(slots=True)
class SpanRecord:
    """A span as the store indexes it. Immutable once committed: a new version replaces it."""

    trace_id: str
    span_id: str
    session_id: str
    epoch_ns: int
    """The session's; offsets count from it."""
    parent_span_id: str | None
    name: str
    kind: SpanKind
    status: SpanStatus
    start_ns: int
    end_ns: int | None
    """End in Unix ns; None while the span runs or if it is lost."""
    is_root: bool
    process_id: str
    """The process whose signs of life keep the span running."""
    model: str | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    cost_usd: float | None = None
    is_counted: bool = False
    """Its usage is part of the session's."""
    dropped_count: int = 0
    wait_ns: int = 0
    waits: int = 0
    waited: tuple[Interval, ...] = ()
    """The waits, without overlaps, by start."""
    size_bytes: int = 0
    duplicate_of: str | None = None
    subject: str | None = None
    """The tool that it calls, or the agent that runs; None: it is of another kind."""
    service: str | None = None
    """The service that sent it; None: its resource names none."""
    stall_start_ns: int | None = None
    """From its start to its longest stall; while it runs, to the newest chunk of its answer."""
    stall_ns: int | None = None
    """Duration of that stall; None while it runs, and where there was none worth a mark."""
    change: int = 0
    created: int = 0
    """The change that brought it."""
    settled: int = 0
    """The change that ended it; 0 before."""
    content: int = 0
    """The change that brought its present content."""
    changed_ns: int = 0

    def copy(self) -> SpanRecord:
        """Return a copy."""
        # By position: `dataclasses.replace` takes three times as long, and this is done for every
        # span that arrives.
        return SpanRecord(*_values(self))

    def row(self) -> SpanRow:
        """Return the line of the waterfall."""
        return SpanRow(
            # A clock that was set back ends a span before it starts: both times stay as reported.
            offset_ns=self.start_ns - self.epoch_ns,
            duration_ns=None if self.end_ns is None else max(self.end_ns - self.start_ns, 0),
            waited=tuple(
                (start - self.epoch_ns, None if end is None else end - start)
                for start, end in self.waited
            ),
            **{name: getattr(self, name) for name in _SHOWN},
        )


_values = attrgetter(*(one.name for one in fields(SpanRecord)))
_COMPUTED = {"offset_ns", "duration_ns", "waited"}
_SHOWN = tuple(one.name for one in fields(SpanRow) if one.name not in _COMPUTED)


class StoredSpan(NamedTuple):
    """The fields of a `SpanRecord` as they are stored: nothing is converted."""

    trace_id: bytes
    span_id: bytes
    session_id: str
    epoch_ns: int
    parent_span_id: bytes | None
    name: str
    kind: str
    status: str
    start_ns: int
    end_ns: int | None
    is_root: int
    process_id: str
    model: str | None
    input_tokens: int | None
    output_tokens: int | None
    cost_usd: float | None
    is_counted: int
    dropped_count: int
    wait_ns: int
    waits: int
    waited: bytes | None
    size_bytes: int
    duplicate_of: str | None
    subject: str | None
    service: str | None
    stall_start_ns: int | None
    stall_ns: int | None
    change: int
    created: int
    settled: int
    content: int
    changed_ns: int


class ContentFacts(NamedTuple):
    """Facts of a span that its row does not have."""

    span_kind: int
    """The kind of OTLP."""
    attributes: Mapping[str, Json]
    """Those by which operations are compared, and others."""


MAX_CACHED_ORIGIN_BYTES = 16 * 1024
"""A larger resource and scope are no key of a cache: a sender may make up any number of them."""


@dataclass(slots=True)
class Content:
    """The received telemetry of a span or a record, as protobuf bytes."""

    payload: bytes
    """A `Span` or a `LogRecord`."""
    origin: bytes
    """A `ResourceSpans` with the resource and one scope, and no span: the same for many."""
    facts: ContentFacts | None = field(default=None, compare=False)
    """The facts of a span that has just arrived, so that nobody decodes it once more."""

    def span(self) -> Span:
        """Return the span."""
        return Span.FromString(self.payload)

    def log_record(self) -> LogRecord:
        """Return the log record."""
        return LogRecord.FromString(self.payload)

    @property
    def scope_name(self) -> str:
        """The name of the instrumentation that made it."""
        is_short = len(self.origin) <= MAX_CACHED_ORIGIN_BYTES
        return (_known_scope_name if is_short else _scope_name)(self.origin)

    def resource_spans(self) -> ResourceSpans:
        """Return the resource and the scope it came under."""
        return ResourceSpans.FromString(self.origin)


def _scope_name(origin: bytes) -> str:
    return ResourceSpans.FromString(origin).scope_spans[0].scope.name


# There are few, and each comes with thousands of spans.
_known_scope_name = lru_cache(maxsize=256)(_scope_name)


def origin_of(
    resource: Resource,
    scope: InstrumentationScope,
    resource_schema_url: str = "",
    scope_schema_url: str = "",
) -> bytes:
    """Return the `Content.origin` of what came under a resource and a scope."""
    return ResourceSpans(
        resource=resource,
        schema_url=resource_schema_url,
        scope_spans=[ScopeSpans(scope=scope, schema_url=scope_schema_url)],
    ).SerializeToString()


@dataclass(slots=True)
class SessionRecord:
    """A session: its row for display, and the state that the rules continue from."""

    row: SessionRow
    state: bytes
    """JSON."""
    change: int = 0
    created: int = 0
    settled: int = 0
    """The change by which nothing of it ran any more; 0 while it runs."""
    changed_ns: int = 0
    evicted: int = 0
    """The change up to which the history has its content, and the store none; 0: it has all."""
    evicted_spans: int = 0
    """The number of spans that went; the history has at least so many."""
    evicted_moments: int = 0
    """Likewise."""


@dataclass(slots=True)
class TraceRecord:
    """A trace: its session, and the state that the rules continue from."""

    trace_id: str
    session_id: str | None
    """None until a span of it was seen."""
    state: bytes
    """JSON."""
    is_new: bool = field(default=False, compare=False)
    """The store does not have it yet."""


@dataclass(slots=True)
class MomentRecord:
    """A stored log record: on a span, on a trace, or on a session."""

    trace_id: str | None
    span_id: str | None
    session_id: str | None
    """The session it was sent for when it has no trace; otherwise that of the trace, when read."""
    time_ns: int
    name: str
    content: Content
    digest: bytes
    """Hash of the content, by which a retry is recognised."""
    change: int = 0
    changed_ns: int = 0

    def moment(self, *, is_typed: bool = False) -> Moment:
        """Return the moment; `is_typed` is that of `json_value`."""
        log = self.content.log_record()
        read = typed_attributes if is_typed else flat_attributes
        return Moment(
            session_id=self.session_id or "",
            trace_id=self.trace_id or "",
            span_id=self.span_id,
            time_ns=self.time_ns,
            name=self.name,
            attributes=read(log.attributes),
            body=json_value(log.body, is_typed=is_typed),
        )


@dataclass(slots=True)
class Tombstone:
    """A session that was deleted or merged into another. It answers for the id."""

    session_id: str
    moved_to: str | None
    """The session of its trace now; None: deleted with all its content."""
    is_whole: bool = True
    """False: one of its traces left, the session stays."""
    change: int = 0
    changed_ns: int = 0
    trace_id: str | None = None
    """The trace that left, the last one of a whole session; None: that was not noted."""


@dataclass(slots=True)
class RequestRecord:
    """A request, and its place in the change feed."""

    row: RequestRow
    change: int = 0
    created: int = 0
    changed_ns: int = 0


Change: TypeAlias = SpanRecord | SessionRecord | MomentRecord | Tombstone | RequestRecord
StoredChange: TypeAlias = StoredSpan | SessionRecord | MomentRecord | Tombstone | RequestRecord


@dataclass(frozen=True, slots=True)
class CommandEnd:
    """The end of a command, which is not sent any more."""

    seq: int
    applied: bool
    """Whether the process applied it."""
    reason: str | None = None


@dataclass(slots=True)
class Changes:
    """One commit. Applied in the order of the fields, all or nothing."""

    first: int = 0
    """The lowest change number that this commit may use."""
    head: int = 0
    """The highest that is in use after it."""
    sessions: list[SessionRecord] = field(default_factory=list)
    traces: list[TraceRecord] = field(default_factory=list)
    spans: list[SpanRecord] = field(default_factory=list)
    contents: dict[int, Content] = field(default_factory=dict)
    """New content of spans, by `SpanRecord.content`."""
    usage_ancestors: list[tuple[str, str]] = field(default_factory=list)
    """(trace id, span id) with usage somewhere below; the span itself may be unknown yet."""
    moments: list[MomentRecord] = field(default_factory=list)
    requests: list[RequestRecord] = field(default_factory=list)
    commands: list[CommandRow] = field(default_factory=list)
    ended_commands: list[CommandEnd] = field(default_factory=list)
    processes: list[ProcessRow] = field(default_factory=list)
    gone_processes: list[str] = field(default_factory=list)
    audit: list[AuditRow] = field(default_factory=list)
    departures: list[Tombstone] = field(default_factory=list)

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to commit."""
        telemetry = (self.sessions, self.traces, self.spans, self.moments, self.departures)
        control = (self.requests, self.commands, self.ended_commands, self.audit)
        return not any((*telemetry, *control, self.processes, self.gone_processes))

    def published(self, after: int, session_ids: Container[str] | None = None) -> list[Change]:
        """Return all changes newer than `after` that viewers get, by change number.

        With `session_ids`, of the spans only those of these sessions.
        """
        spans = self.spans
        if session_ids is not None:
            spans = [span for span in spans if span.session_id in session_ids]
        telemetry: list[Change] = [*self.sessions, *spans, *self.moments, *self.departures]
        rows = [*telemetry, *self.requests]
        return sorted((row for row in rows if row.change > after), key=lambda row: row.change)


@dataclass(frozen=True, slots=True)
class Waiting:
    """A request that is not over."""

    request_id: str
    process_id: str
    session_id: str
    status: RequestStatus
    expires_ns: int | None
    size_bytes: int
    """About how much it shows."""


def is_over(row: RequestRow) -> bool:
    """Return whether no further change of a request is expected."""
    if row.status is RequestStatus.ANSWERED and row.answer is not None:
        return row.answer.applied is not None
    return row.status is not RequestStatus.PENDING


def shown_bytes(row: RequestRow) -> int:
    """Return the approximate size of a request as shown."""
    shown = (row.prompt, row.args_json, row.args_text, row.form_json)
    return sum(len(text) for text in shown if text is not None)


def waiting_of(row: RequestRow) -> Waiting:
    """Return the part of a request that the rules continue from."""
    place = (row.id, row.process_id, row.session_id)
    return Waiting(*place, row.status, row.expires_ns, shown_bytes(row))
