"""Convert rows to wire shapes. Pure: only this fills `inspector.service.wire` from the store.

Except the lines of the waterfall, which a store makes itself: `Reader.span_lines`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from operator import attrgetter
from typing import Any, Final, Literal

from opentelemetry.proto.trace.v1.trace_pb2 import Span
from pydantic import BaseModel

from inspector.service import wire
from inspector.service.analysis.outcome import pattern_of
from inspector.service.model.otlp_values import typed_attributes
from inspector.service.model.records import Content, MomentRecord, SessionRecord, SpanRecord
from inspector.service.model.rows import (
    AuditRow,
    CommandRow,
    Engine,
    Moment,
    RequestRow,
    RequestStatus,
    RequestSubject,
    SessionRow,
    SessionStatus,
    SpanRow,
)
from inspector.service.model.times import rfc3339, unix_ns
from inspector.service.normalise import span_view
from inspector.service.search.causes import GroupedCauses
from inspector.service.search.usage import GroupedUsage, UsageKey, UsageSum
from inspector.service.storage.health import HistoryProgress, StoreHealth
from inspector.service.wire import control as wire_control

_OtlpKind = Literal["unspecified", "internal", "server", "client", "producer", "consumer"]
_OTLP_KINDS: Final[tuple[_OtlpKind, ...]] = (
    "unspecified",
    "internal",
    "server",
    "client",
    "producer",
    "consumer",
)
_COMPUTED = {"offset_ns", "duration_ns", "waited"}
_SPAN_FIELDS = tuple(name for name in wire.SpanRow.model_fields if name not in _COMPUTED)
_span_values = attrgetter(*_SPAN_FIELDS)


def session(record: SessionRecord) -> wire.Session:
    """Return a line of the session list."""
    return wire.Session(**session_fields(record))


def session_fields(record: SessionRecord) -> dict[str, Any]:
    """Return the fields of `session` as a dict, for streams, which send each row at once."""
    row = record.row
    ended_ns, since_ns, silent_ns = row.ended_ns, row.waiting_since_ns, row.silent_since_ns
    return {
        "id": row.id,
        "title": row.title,
        "status": row.status,
        "engine": row.engine,
        "started_at": rfc3339(row.started_ns),
        "ended_at": None if ended_ns is None else rfc3339(ended_ns),
        "duration_ms": None if ended_ns is None else row.duration_ns(ended_ns) / 1e6,
        "waiting_ms": row.waiting_ns / 1e6,
        "waiting_since": None if since_ns is None else rfc3339(since_ns),
        "paused_since": None if row.paused_since_ns is None else rfc3339(row.paused_since_ns),
        "silent_since": None if silent_ns is None else rfc3339(silent_ns),
        "idle_ms": row.idle_ns / 1e6,
        "idle_since": None if row.idle_since_ns is None else rfc3339(row.idle_since_ns),
        "epoch_ns": str(row.epoch_ns),
        "span_count": row.span_count,
        "error_count": row.error_count,
        "llm_calls": row.llm_calls,
        "tool_calls": row.tool_calls,
        "input_tokens": row.input_tokens,
        "output_tokens": row.output_tokens,
        "cost_usd": row.cost_usd,
        "models": row.models,
        "services": row.services,
        "agents": row.agents,
        "tags": row.tags,
        "users": row.users,
        "has_mcp": row.has_mcp,
        "dropped_count": row.dropped_count,
        "cause": row.cause,
        "cause_key": row.cause_key,
        "cause_span": row.cause_span,
        "answer": row.answer,
        "change": record.change,
        "changed_at": rfc3339(record.changed_ns),
    }


def session_record(shown: Mapping[str, Any], *, created: int = 0) -> SessionRecord:
    """Return a session as queries read it, from what `session_fields` returned for it."""

    def time(name: str) -> int | None:
        return None if shown.get(name) is None else unix_ns(shown[name])

    known: dict[str, Any] = {name: shown[name] for name in _PLAIN if name in shown}
    known |= {name: tuple(shown[name]) for name in _LISTS if name in shown}
    row = SessionRow(
        **known,
        status=SessionStatus(shown["status"]),
        engine=Engine(shown["engine"]),
        epoch_ns=int(shown["epoch_ns"]),
        started_ns=unix_ns(shown["started_at"]),
        ended_ns=time("ended_at"),
        waiting_ns=round(shown["waiting_ms"] * 1e6),
        waiting_since_ns=time("waiting_since"),
        paused_since_ns=time("paused_since"),
        silent_since_ns=time("silent_since"),
        idle_ns=round(shown["idle_ms"] * 1e6),
        idle_since_ns=time("idle_since"),
    )
    changed_ns = time("changed_at") or 0
    return SessionRecord(row, b"", shown["change"], created=created, changed_ns=changed_ns)


_LISTS = ("models", "services", "agents", "tags", "users")
_PLAIN = (
    "id",
    "title",
    "span_count",
    "error_count",
    "llm_calls",
    "tool_calls",
    "input_tokens",
    "output_tokens",
    "cost_usd",
    "has_mcp",
    "dropped_count",
    "cause",
    "cause_key",
    "cause_span",
    "answer",
)

MAX_GROUPS = 1000


def usage(found: GroupedUsage, by: UsageKey) -> wire.SessionUsage:
    """Return what groups of sessions used."""

    def place(named: tuple[str, UsageSum]) -> tuple[float, int]:
        one = named[1]
        return -(one.cost_usd or 0.0), -(one.input_tokens + one.output_tokens)

    groups = sorted(found.groups.items(), reverse=by is UsageKey.DAY)
    if by is not UsageKey.DAY:
        groups.sort(key=place)
    earliest_ns = found.counted_from_ns
    return wire.SessionUsage(
        total=wire.UsageTotal(**asdict(found.total)),
        groups=[wire.UsageGroup(name=name, **asdict(one)) for name, one in groups[:MAX_GROUPS]],
        group_count=len(groups),
        counted_from=None if earliest_ns is None else rfc3339(earliest_ns),
    )


def causes(found: GroupedCauses) -> wire.CauseList:
    """Return what sessions failed from."""
    earliest_ns = found.counted_from_ns
    return wire.CauseList(
        groups=[
            wire.CauseGroup(
                key=one.counted.key,
                cause=pattern_of(one.example.row.cause or ""),
                session_count=one.counted.session_count,
                failed_count=one.counted.failed_count,
                first_seen=rfc3339(one.counted.first_ns),
                last_seen=rfc3339(one.counted.last_ns),
                counts=list(one.by_bucket),
                example=session(one.example),
                good_session_id=one.good_id,
            )
            for one in found.groups
        ],
        group_count=found.group_count,
        session_count=found.session_count,
        counts_from=rfc3339(found.buckets.first_ns),
        bucket_ms=found.buckets.width_ns / 1e6,
        counted_from=None if earliest_ns is None else rfc3339(earliest_ns),
    )


def store_health(health: StoreHealth) -> wire.StoreHealth:
    """Return whether the store can be written."""
    return wire.StoreHealth(
        state=health.state, since=rfc3339(health.since_ns), message=health.message
    )


def history_health(health: HistoryProgress, head: int) -> wire.HistoryHealth:
    """Return whether the history can be written, and how far it is behind."""
    return wire.HistoryHealth(
        state=health.state,
        since=rfc3339(health.since_ns),
        message=health.message,
        behind=max(head - health.through, 0),
        replicas=health.replicas,
    )


def span_row(row: SpanRow) -> wire.SpanRow:
    """Return a line of the waterfall."""
    return wire.SpanRow(**{name: getattr(row, name) for name in wire.SpanRow.model_fields})


def span_fields(record: SpanRecord) -> dict[str, Any]:
    """Return the fields of `span_row` as a dict, for streams."""
    start_ns, end_ns = record.start_ns, record.end_ns
    return {
        **dict(zip(_SPAN_FIELDS, _span_values(record), strict=True)),
        "offset_ns": start_ns - record.epoch_ns,
        "duration_ns": None if end_ns is None else max(end_ns - start_ns, 0),
        "waited": record.row().waited if record.waited else (),
    }


def request(row: RequestRow, session_title: str) -> wire_control.Request:
    """Return a request; its arguments only while it is pending or keeps them."""
    is_shown = row.status is RequestStatus.PENDING or row.keeps_args
    return wire_control.Request.model_validate(
        {
            **_shared(wire_control.Request, row),
            "session_title": session_title,
            "status": row.status.value,
            "options": list(row.options),
            "args_json": row.args_json if is_shown else None,
            "args_text": row.args_text if is_shown else None,
            "created_at": rfc3339(row.created_ns),
            "expires_at": None if row.expires_ns is None else rfc3339(row.expires_ns),
            "closed_at": None if row.closed_ns is None else rfc3339(row.closed_ns),
            "answer": row.answer
            and {**_shared(wire_control.GivenAnswer, row.answer), "at": rfc3339(row.answer.at_ns)},
            "transitions": [
                {
                    **_shared(wire_control.Transition, one),
                    "status": one.status.value,
                    "at": rfc3339(one.at_ns),
                }
                for one in row.transitions
            ],
        }
    )


def command(row: CommandRow) -> wire_control.Command:
    """Return a command as its process receives it."""
    answer = row.request_id and _shared(wire_control.CommandAnswer, row)
    return wire_control.Command.model_validate(
        {
            **_shared(wire_control.Command, row),
            "trace_ids": list(row.trace_ids),
            "answer": answer or None,
            "payload_json": None if answer else row.payload_json,
            "issued_at": rfc3339(row.issued_ns),
        }
    )


def audit_entry(
    row: AuditRow, subject: RequestSubject | None, session_title: str | None
) -> wire_control.AuditEntry:
    """Return an entry of the audit log, with what its request is about."""
    return wire_control.AuditEntry.model_validate(
        {
            **_shared(wire_control.AuditEntry, row),
            "at": rfc3339(row.at_ns),
            # Entries of earlier versions name no tool.
            "tool_name": row.tool_name or (subject and subject.tool_name),
            "question": (subject and subject.prompt) or None,
            "session_title": session_title,
        }
    )


def _shared(model: type[BaseModel], row: object) -> dict[str, Any]:
    """Return the fields of `model` that `row` has by the same name."""
    return {name: getattr(row, name) for name in model.model_fields if hasattr(row, name)}


def span_detail(
    record: SpanRecord,
    content: Content,
    moments: Sequence[MomentRecord],
    tools_before: wire.ToolsBefore | None = None,
) -> wire.SpanDetail:
    """Return one span in full."""
    span, origin = content.span(), content.resource_spans()
    scope = origin.scope_spans[0].scope
    return wire.SpanDetail(
        **dict(span_row(record.row())),
        session_id=record.session_id,
        started_at=rfc3339(record.start_ns),
        ended_at=None if record.end_ns is None else rfc3339(record.end_ns),
        otlp_kind=_OTLP_KINDS[span.kind] if span.kind < len(_OTLP_KINDS) else "unspecified",
        status_message=span.status.message or None,
        trace_state=span.trace_state,
        flags=span.flags,
        attributes=typed_attributes(span.attributes),
        events=_events(record, span, [one.moment(is_typed=True) for one in moments]),
        links=[_link(link) for link in span.links],
        resource=wire.Resource(attributes=typed_attributes(origin.resource.attributes)),
        scope=wire.Scope(
            name=scope.name, version=scope.version, attributes=typed_attributes(scope.attributes)
        ),
        dropped=wire.Dropped(
            attributes=span.dropped_attributes_count,
            events=span.dropped_events_count,
            links=span.dropped_links_count,
        ),
        view=_with_cost(span_view(span, [one.moment() for one in moments]), record.cost_usd),
        tools_before=tools_before,
    )


def _with_cost(view: wire.View, cost_usd: float | None) -> wire.View:
    """Return the view with the cost that was computed, if the sender says none."""
    if view.usage is not None and view.usage.cost_usd is None and cost_usd is not None:
        priced = {"cost_usd": cost_usd, "cost_source": "prices"}
        return view.model_copy(update={"usage": view.usage.model_copy(update=priced)})
    return view


def _events(record: SpanRecord, span: Span, moments: Iterable[Moment]) -> list[wire.SpanEvent]:
    """Return span events and moments by time; a moment sent as both counts once."""
    events = [
        wire.SpanEvent(
            time=rfc3339(event.time_unix_nano),
            offset_ns=event.time_unix_nano - record.epoch_ns,
            name=event.name,
            attributes=typed_attributes(event.attributes),
            source="span",
        )
        for event in span.events
    ]
    seen = {(event.name, event.offset_ns) for event in events}
    for moment in moments:
        offset_ns = moment.time_ns - record.epoch_ns
        if (moment.name, offset_ns) not in seen:
            events.append(
                wire.SpanEvent(
                    time=rfc3339(moment.time_ns),
                    offset_ns=offset_ns,
                    name=moment.name,
                    attributes=dict(moment.attributes),
                    body=moment.body,
                    source="log",
                )
            )
    return sorted(events, key=lambda event: event.offset_ns)


def _link(link: Span.Link) -> wire.SpanLink:
    return wire.SpanLink(
        trace_id=link.trace_id.hex(),
        span_id=link.span_id.hex(),
        trace_state=link.trace_state,
        attributes=typed_attributes(link.attributes),
        dropped_attributes=link.dropped_attributes_count,
    )
