"""Live records: log records about running spans, sessions and processes. Pure.

The wire is `docs/formats.md`, "Live records".
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeAlias

from opentelemetry.proto.common.v1.common_pb2 import InstrumentationScope, KeyValue
from opentelemetry.proto.logs.v1.logs_pb2 import LogRecord
from opentelemetry.proto.resource.v1.resource_pb2 import Resource
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from inspector.service.model.incoming import IncomingLog
from inspector.service.model.otlp_values import as_float, as_int, as_text, json_value
from inspector.service.model.rows import Json
from inspector.service.model.waits import PauseSignal
from inspector.service.normalise.session_ids import session_id

SPAN_STARTED = "inspector.span.started"
SPAN_PROGRESS = "inspector.span.progress"
HEARTBEAT = "inspector.process.heartbeat"
SESSION_STARTED = "inspector.session.started"
SESSION_PAUSED = "inspector.session.paused"
SESSION_RESUMED = "inspector.session.resumed"
SESSION_FINISHED = "inspector.session.finished"
SESSION_RECORDS = frozenset({SESSION_STARTED, SESSION_PAUSED, SESSION_RESUMED, SESSION_FINISHED})
PAUSES = frozenset({SESSION_PAUSED, SESSION_RESUMED})
REQUEST_OPENED = "inspector.request.opened"
REQUEST_CLOSED = "inspector.request.closed"
_WAITS_FOR = {
    SESSION_PAUSED: "inspector.session.signal",
    SESSION_RESUMED: "inspector.session.signal",
    REQUEST_OPENED: "inspector.request.id",
    REQUEST_CLOSED: "inspector.request.id",
}
_REQUEST_KIND = "inspector.request.kind"
_HOLD = "pause"
"""The kind of an operator's hold."""
WAITS = frozenset(_WAITS_FOR)
"""Names of the moments that begin or end a wait for a person."""
WAITS_PREFIX = b"inspector."
"""The encoded beginning of each of them."""

_SPAN_PREFIX = "inspector.span."
_DESCRIPTION = frozenset(
    _SPAN_PREFIX + name
    for name in ("name", "kind", "parent_span_id", "flags", "scope_name", "scope_version")
)
_PENDING = frozenset({"logfire.span_type", "logfire.pending_parent_id"})
_KINDS: dict[int, Span.SpanKind.ValueType] = {int(kind): kind for kind in Span.SpanKind.values()}
_LOST_AFTER_S = 12.0
_MAX_LOST_AFTER_S = 3600.0
_UNKNOWN_SESSION = "unknown"
_OF_A_CONNECTION = ("inspector.mcp.", "inspector.transport.")
"""Records about a transport beside the agent: they name a session at most, and no trace."""


@dataclass(frozen=True, slots=True)
class LiveSpan:
    """The known data of a running span."""

    span: Span
    """The span without an end; for a progress record only the fields that changed."""
    scope: InstrumentationScope
    is_progress: bool


@dataclass(frozen=True, slots=True)
class ProcessSign:
    """A sign of life of a process, or of its end."""

    process_id: str
    is_exiting: bool
    lost_after_s: float
    time_ns: int
    run_id: str | None
    """The session of a script that ends."""
    run_status: str
    """`completed`, `failed` or `cancelled`."""


@dataclass(frozen=True, slots=True)
class LogEvent:
    """Any other record, stored unchanged."""

    name: str
    trace_id: str | None
    span_id: str | None
    time_ns: int
    session_key: str | None
    """The session that a session record names."""


Live: TypeAlias = LiveSpan | ProcessSign | LogEvent


def read_log(log: IncomingLog) -> Live | None:
    """Parse `log`; return None when it belongs to no trace and no session."""
    record = log.record
    name = event_name(record)
    if name in (SPAN_STARTED, SPAN_PROGRESS):
        return _live_span(record, is_progress=name == SPAN_PROGRESS)
    if name == HEARTBEAT:
        return _process_sign(record, log.resource)
    trace_id = record.trace_id.hex() if _is_id(record.trace_id, 16) else None
    span_id = record.span_id.hex() if trace_id and _is_id(record.span_id, 8) else None
    is_keyed = name in SESSION_RECORDS or (trace_id is None and name.startswith(_OF_A_CONNECTION))
    session_key = _session_key(record) if is_keyed else None
    if trace_id is None and session_key is None:
        return None
    time_ns = record.time_unix_nano or record.observed_time_unix_nano
    return LogEvent(name, trace_id, span_id, time_ns, session_key)


def read_pending(span: Span) -> Span | None:
    """Return the start of a span from Logfire's pending span; None if it is none.

    A pending span takes no time and is the child of the span whose start it reports.
    """
    if span.end_time_unix_nano != span.start_time_unix_nano or not span.parent_span_id:
        return None
    about = {pair.key: pair.value.string_value for pair in span.attributes if pair.key in _PENDING}
    if about.get("logfire.span_type") != "pending_span":
        return None
    start = Span()
    start.CopyFrom(span)
    start.span_id = span.parent_span_id
    start.parent_span_id = _parent(about.get("logfire.pending_parent_id"))
    start.end_time_unix_nano = 0
    del start.attributes[:]
    start.attributes.extend(pair for pair in span.attributes if pair.key not in _PENDING)
    return start


def event_name(record: LogRecord) -> str:
    """Return the record's event name, from any version of OTLP; "log" without one."""
    return record.event_name or as_text(attribute(record, "event.name")) or "log"


def attribute(record: LogRecord, key: str) -> Json:
    """Return the value of `key` as JSON; None without one."""
    return next((json_value(pair.value) for pair in record.attributes if pair.key == key), None)


def pause_signal(name: str, time_ns: int, attributes: Iterable[KeyValue]) -> PauseSignal:
    """Parse a moment of `WAITS`, from a log record or a span event."""
    key = _WAITS_FOR[name]
    values = {p.key: json_value(p.value) for p in attributes if p.key in (key, _REQUEST_KIND)}
    for_what = values.get(key)
    is_pause = name in (SESSION_PAUSED, REQUEST_OPENED)
    for_whom = f"{key} {for_what if for_what is not None else ''}"
    return PauseSignal(time_ns, is_pause, for_whom, values.get(_REQUEST_KIND) == _HOLD)


def update_span(known: Span, news: Span, *, is_progress: bool) -> Span:
    """Return `known`, a running span, updated by a live record.

    A progress record replaces fields. A start fills in missing ones: it may arrive after the
    progress that followed it.
    """
    updated = Span()
    updated.CopyFrom(known)
    if news.name and (is_progress or not known.name):
        updated.name = news.name
    new = {pair.key: pair for pair in news.attributes}
    old = {pair.key: pair for pair in known.attributes}
    merged = {**old, **new} if is_progress else {**new, **old}
    del updated.attributes[:]
    updated.attributes.extend(merged.values())
    if not is_progress:
        updated.start_time_unix_nano = news.start_time_unix_nano
        updated.kind, updated.flags = news.kind, news.flags
        updated.parent_span_id = news.parent_span_id
    return updated


def _live_span(record: LogRecord, *, is_progress: bool) -> LiveSpan | None:
    if not (_is_id(record.trace_id, 16) and _is_id(record.span_id, 8)):
        return None
    about = {
        pair.key.removeprefix(_SPAN_PREFIX): json_value(pair.value)
        for pair in record.attributes
        if pair.key in _DESCRIPTION
    }
    kind = as_int(about.get("kind"))
    flags = as_int(about.get("flags"))
    span = Span(
        trace_id=record.trace_id,
        span_id=record.span_id,
        parent_span_id=_parent(as_text(about.get("parent_span_id"))),
        name=as_text(about.get("name")) or "",
        kind=_KINDS.get(kind or 0, Span.SPAN_KIND_UNSPECIFIED),
        flags=(record.flags if flags is None else flags) & 0xFFFFFFFF,
        start_time_unix_nano=record.time_unix_nano or record.observed_time_unix_nano,
        attributes=[pair for pair in record.attributes if pair.key not in _DESCRIPTION],
    )
    scope = InstrumentationScope(
        name=as_text(about.get("scope_name")) or "",
        version=as_text(about.get("scope_version")) or "",
    )
    return LiveSpan(span, scope, is_progress)


def _process_sign(record: LogRecord, resource: Resource) -> ProcessSign | None:
    process_id = next(
        (p.value.string_value for p in resource.attributes if p.key == "service.instance.id"), ""
    )
    if not process_id:
        return None
    lost_after_s = as_float(attribute(record, "inspector.process.lost_after_s"))
    return ProcessSign(
        process_id,
        is_exiting=attribute(record, "inspector.process.state") == "exiting",
        lost_after_s=min(max(lost_after_s or _LOST_AFTER_S, 1.0), _MAX_LOST_AFTER_S),
        time_ns=record.time_unix_nano or record.observed_time_unix_nano,
        run_id=_session_key(record, "inspector.run.id"),
        run_status=as_text(attribute(record, "inspector.run.status")) or "",
    )


def _session_key(record: LogRecord, name: str = "session.id") -> str | None:
    key = as_text(attribute(record, name))
    return None if key is None or key == _UNKNOWN_SESSION else session_id(key)


def _parent(text: str | None) -> bytes:
    try:
        parent = bytes.fromhex(text or "")
    except ValueError:
        return b""
    return parent if _is_id(parent, 8) else b""


def _is_id(value: bytes, length: int) -> bool:
    return len(value) == length and any(value)
