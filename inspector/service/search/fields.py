"""Read each field of the query language from a row."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

from inspector.service.model.records import SessionRecord, SpanRecord
from inspector.service.model.rows import SessionRow, SpanKind
from inspector.service.query.fields import Field, QueryScope

Value: TypeAlias = str | int | float | tuple[str, ...] | None

SESSION_READERS: Mapping[str, Callable[[SessionRow, int], Value]] = {
    "id": lambda row, _: row.id,
    "title": lambda row, _: row.title,
    "status": lambda row, _: row.status.value,
    "engine": lambda row, _: row.engine.value,
    "started": lambda row, _: row.started_ns,
    "ended": lambda row, _: row.ended_ns,
    "duration": lambda row, now_ns: row.duration_ns(now_ns),
    "waiting": lambda row, now_ns: _waiting(row, now_ns),
    "active": lambda row, now_ns: max(row.duration_ns(now_ns) - _waiting(row, now_ns), 0),
    "spans": lambda row, _: row.span_count,
    "errors": lambda row, _: row.error_count,
    "llm_calls": lambda row, _: row.llm_calls,
    "tool_calls": lambda row, _: row.tool_calls,
    "input_tokens": lambda row, _: row.input_tokens,
    "output_tokens": lambda row, _: row.output_tokens,
    "tokens": lambda row, _: row.input_tokens + row.output_tokens,
    "cost": lambda row, _: row.cost_usd,
    "model": lambda row, _: row.models,
    "service": lambda row, _: row.services,
    "agent": lambda row, _: row.agents,
    "tag": lambda row, _: row.tags,
    "user": lambda row, _: row.users,
    "cause": lambda row, _: row.cause,
    "cause_key": lambda row, _: row.cause_key,
}

SPAN_READERS: Mapping[str, Callable[[SpanRecord, int], Value]] = {
    "id": lambda span, _: span.span_id,
    "trace": lambda span, _: span.trace_id,
    "name": lambda span, _: span.name,
    "kind": lambda span, _: span.kind.value,
    "status": lambda span, _: span.status.value,
    "root": lambda span, _: int(span.is_root),
    "tool": lambda span, _: span.subject if span.kind is SpanKind.TOOL else None,
    "agent": lambda span, _: span.subject if span.kind is SpanKind.AGENT else None,
    "model": lambda span, _: span.model,
    "started": lambda span, _: span.start_ns,
    "ended": lambda span, _: span.end_ns,
    "duration": lambda span, now_ns: _until(span.start_ns, span.end_ns, now_ns),
    "waiting": lambda span, _: span.wait_ns,
    "active": lambda span, now_ns: max(
        _until(span.start_ns, span.end_ns, now_ns) - _waited_ns(span, now_ns), 0
    ),
    "input_tokens": lambda span, _: span.input_tokens,
    "output_tokens": lambda span, _: span.output_tokens,
    "tokens": lambda span, _: _sum(span.input_tokens, span.output_tokens),
    "cost": lambda span, _: span.cost_usd,
    "size": lambda span, _: span.size_bytes,
}


def read(field: Field, subject: SessionRecord | SpanRecord, now_ns: int) -> Value:
    """Return the value of `field`; a tuple if it has many, None if it is unknown."""
    if field.scope is QueryScope.SESSION:
        assert isinstance(subject, SessionRecord)
        return SESSION_READERS[field.name](subject.row, now_ns)
    assert isinstance(subject, SpanRecord)
    return SPAN_READERS[field.name](subject, now_ns)


def _until(start_ns: int, end_ns: int | None, now_ns: int) -> int:
    return max((now_ns if end_ns is None else end_ns) - start_ns, 0)


def _waiting(row: SessionRow, now_ns: int) -> int:
    since_ns = row.waiting_since_ns
    return row.waiting_ns + (0 if since_ns is None else max(now_ns - since_ns, 0))


def _waited_ns(span: SpanRecord, now_ns: int) -> int:
    """Return how long a span has waited, including a wait that is still open."""
    if span.end_ns is not None or not span.waited or span.waited[-1][1] is not None:
        return span.wait_ns
    return span.wait_ns + max(now_ns - span.waited[-1][0], 0)


def _sum(*counts: int | None) -> int | None:
    known = [count for count in counts if count is not None]
    return sum(known) if known else None
