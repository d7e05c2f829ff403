"""The tables of the history, and the rows that records of the store have in them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import fields
from operator import attrgetter
from typing import Any, NamedTuple

import orjson

from inspector.service.history.row_binary import (
    Encode,
    day,
    fixed,
    float64,
    int64,
    name,
    names,
    string,
    strings,
    uint8,
    uint64,
)
from inspector.service.model.otlp_values import flat_attributes
from inspector.service.model.records import (
    Content,
    MomentRecord,
    SessionRecord,
    SpanRecord,
    Tombstone,
)
from inspector.service.search.documents import VERSION, session_document, span_document

MAX_VALUE_CHARS = 1024
"""Limit of an attribute's text; `payload` has all of it."""
_MAX_ATTRIBUTES = 256

Row = tuple[Any, ...]


class Table(NamedTuple):
    """A table: its name, and the encoder of each column."""

    name: str
    columns: Mapping[str, Encode]


_store = fixed(12)
SPAN = Table(
    "span",
    {
        "store": _store,
        "trace": fixed(16),
        "span": fixed(8),
        "change": uint64,
        "first_day": day,
        "session": name,
        "parent": name,
        "name": name,
        "kind": name,
        "status": name,
        "start_ns": int64,
        "end_ns": int64,
        "is_root": uint8,
        "is_counted": uint8,
        "process": name,
        "service": name,
        "model": name,
        "subject": name,
        "input_tokens": int64,
        "output_tokens": int64,
        "cost_usd": float64,
        "duplicate_of": name,
        "attribute_keys": names,
        "attribute_values": strings,
        "payload": string,
        "origin": string,
        "words": string,
        "words_version": uint8,
        "body": string,
    },
)
TRACE = Table(
    "trace",
    {
        "store": _store,
        "trace": fixed(16),
        "change": uint64,
        "first_day": day,
        "session": string,
    },
)
MOMENT = Table(
    "moment",
    {
        "store": _store,
        "trace": string,
        "span": string,
        "session": string,
        "time_ns": int64,
        "digest": string,
        "change": uint64,
        "first_day": day,
        "changed_ns": int64,
        "name": string,
        "payload": string,
        "origin": string,
    },
)
SESSION = Table(
    "session",
    {
        "store": _store,
        "id": string,
        "change": uint64,
        "status": string,
        "title": string,
        "started_ns": int64,
        "ended_ns": int64,
        "span_count": int64,
        "error_count": int64,
        "input_tokens": int64,
        "output_tokens": int64,
        "cost_usd": float64,
        "cause": string,
        "words": string,
        "words_version": uint8,
        "body": string,
    },
)
DEPARTURE = Table(
    "departure",
    {
        "store": _store,
        "session": string,
        "change": uint64,
        "moved_to": string,
        "is_whole": uint8,
        "changed_ns": int64,
    },
)
POSITION = Table(
    "position", {"store": _store, "part": string, "through": uint64, "newest_ns": int64}
)
TABLES = {table.name: table for table in (SPAN, TRACE, MOMENT, SESSION, DEPARTURE, POSITION)}

_IN_COLUMNS = {
    "trace_id", "span_id", "session_id", "parent_span_id", "name", "kind", "status", "start_ns",
    "end_ns", "is_root", "is_counted", "process_id", "service", "model", "subject", "input_tokens",
    "output_tokens", "cost_usd", "duplicate_of", "change",
}  # fmt: skip
_REST = tuple(one.name for one in fields(SpanRecord) if one.name not in _IN_COLUMNS)
_rest_of = attrgetter(*_REST)


def span_row(store: bytes, span: SpanRecord, content: Content, first_ns: int) -> Row:
    """Return the row of a span, with its content."""
    attributes = flat_attributes(content.span().attributes[:_MAX_ATTRIBUTES])
    return (
        store,
        bytes.fromhex(span.trace_id),
        bytes.fromhex(span.span_id),
        span.change,
        first_ns,
        span.session_id,
        span.parent_span_id or "",
        span.name,
        span.kind,
        span.status,
        span.start_ns,
        _int(span.end_ns),
        span.is_root,
        span.is_counted,
        span.process_id,
        span.service or "",
        span.model or "",
        span.subject or "",
        _int(span.input_tokens),
        _int(span.output_tokens),
        _float(span.cost_usd),
        span.duplicate_of or "",
        list(attributes),
        [_text(value) for value in attributes.values()],
        content.payload,
        content.origin,
        span_document(span, content),
        VERSION,
        orjson.dumps(dict(zip(_REST, _rest_of(span), strict=True))),
    )


def trace_row(store: bytes, trace_id: str, session_id: str, change: int, first_ns: int) -> Row:
    """Return the row of a trace: its session as of a change."""
    return store, bytes.fromhex(trace_id), change, first_ns, session_id


def moment_row(store: bytes, moment: MomentRecord, first_ns: int) -> Row:
    """Return the row of a moment."""
    return (
        store,
        moment.trace_id or "",
        moment.span_id or "",
        moment.session_id or "",
        moment.time_ns,
        moment.digest,
        moment.change,
        first_ns,
        moment.changed_ns,
        moment.name,
        moment.content.payload,
        moment.content.origin,
    )


def session_row(store: bytes, session: SessionRecord) -> Row:
    """Return the row of a session."""
    row = session.row
    return (
        store,
        row.id,
        session.change,
        row.status,
        row.title,
        row.started_ns,
        _int(row.ended_ns),
        row.span_count,
        row.error_count,
        row.input_tokens,
        row.output_tokens,
        _float(row.cost_usd),
        row.cause or "",
        session_document(session),
        VERSION,
        orjson.dumps(row),
    )


def departure_row(store: bytes, departure: Tombstone) -> Row:
    """Return the row of a departure."""
    return (
        store,
        departure.session_id,
        departure.change,
        departure.moved_to or "",
        departure.is_whole,
        departure.changed_ns,
    )


def _int(value: int | None) -> int:
    return -1 if value is None else value


def _float(value: float | None) -> float:
    return math.nan if value is None else value


def _text(value: object) -> str:
    text = value if isinstance(value, str) else orjson.dumps(value).decode()
    return text[:MAX_VALUE_CHARS]
