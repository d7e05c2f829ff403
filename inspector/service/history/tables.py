"""The tables of the history, and the rows that records of the store have in them.

Rows of spans, which most are, have a module of their own: `span_rows`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

import orjson

from inspector.service.history import span_rows
from inspector.service.history.row_binary import (
    Encode,
    day,
    encode_row,
    fixed,
    float64,
    int64,
    string,
    uint8,
    uint64,
)
from inspector.service.model.records import MomentRecord, SessionRecord, Tombstone
from inspector.service.search.documents import VERSION, session_document


class Table(NamedTuple):
    """A table: its name, and the encoder of each column."""

    name: str
    columns: Mapping[str, Encode]

    def row(self, *values: Any) -> bytes:
        """Return a row of these values."""
        return encode_row(self.columns.values(), values)


_store = fixed(12)
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
COLUMNS = {
    "span": span_rows.COLUMNS,
    **{table.name: tuple(table.columns) for table in (TRACE, MOMENT, SESSION, DEPARTURE, POSITION)},
}
"""The columns of each table, in the order of its rows."""


def trace_row(store: bytes, trace_id: str, session_id: str, change: int, first_ns: int) -> bytes:
    """Return the row of a trace: its session as of a change."""
    return TRACE.row(store, bytes.fromhex(trace_id), change, first_ns, session_id)


def moment_row(store: bytes, moment: MomentRecord, first_ns: int) -> bytes:
    """Return the row of a moment."""
    return MOMENT.row(
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


def session_row(store: bytes, session: SessionRecord) -> bytes:
    """Return the row of a session."""
    row = session.row
    return SESSION.row(
        store,
        row.id,
        session.change,
        row.status,
        row.title,
        row.started_ns,
        -1 if row.ended_ns is None else row.ended_ns,
        row.span_count,
        row.error_count,
        row.input_tokens,
        row.output_tokens,
        math.nan if row.cost_usd is None else row.cost_usd,
        row.cause or "",
        session_document(session),
        VERSION,
        orjson.dumps(row),
    )


def departure_row(store: bytes, departure: Tombstone) -> bytes:
    """Return the row of a departure."""
    return DEPARTURE.row(
        store,
        departure.session_id,
        departure.change,
        departure.moved_to or "",
        departure.is_whole,
        departure.changed_ns,
    )
