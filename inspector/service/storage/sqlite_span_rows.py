"""Spans as rows of SQLite: the columns are the fields of `SpanRecord`.

A new field needs a migration in `schema/`, and nothing here.
"""

from __future__ import annotations

from dataclasses import fields
from operator import attrgetter
from typing import Any

import orjson

from inspector.service.model.records import TRACE_PROCESS, SpanRecord
from inspector.service.model.rows import SpanKind, SpanStatus

# A trace that stands in for its process (`records.trace_process`) is stored as its own number,
# negative: a name for each would be a row and a place in an index for each trace.
PROCESS = f"coalesce(process.id, '{TRACE_PROCESS}' || lower(hex(trace.id)))"
_FIELDS = tuple(one.name for one in fields(SpanRecord))
_READ_FROM = {
    "trace_id": "trace.id",
    "session_id": "session.id",
    "epoch_ns": "session.epoch_ns",
    "parent_span_id": "span.parent_id",
    "process_id": PROCESS,
}
"""Fields that are not a column of the same name."""
SELECT_SPAN = (
    f"SELECT {', '.join(_READ_FROM.get(name, f'span.{name}') for name in _FIELDS)} FROM span"
    " CROSS JOIN trace ON trace.no = span.trace_no"
    " CROSS JOIN session ON session.no = span.session_no"
    " LEFT JOIN process ON process.no = span.process_no"
)
IN_ORDER = "ORDER BY span.start_ns, span.span_id, trace.id"
"""The order of a session's spans, see `SpanPosition`."""
_CONVERTED = ("trace_no", "span_id", "session_no", "parent_id", "process_no", "waited")
_PLAIN = tuple(name for name in _FIELDS if name not in {*_READ_FROM, *_CONVERTED})
_plain_values = attrgetter(*_PLAIN)
_KINDS = {one.value: one for one in SpanKind}
_STATUSES = {one.value: one for one in SpanStatus}
INTO_SPAN = f"INTO span ({', '.join((*_CONVERTED, *_PLAIN))})"
SPAN_WIDTH = len(_CONVERTED) + len(_PLAIN)


def extend_row(
    values: list[Any], span: SpanRecord, trace_no: int, session_no: int, process_no: int
) -> None:
    """Append the values of `INTO_SPAN` to those of other spans."""
    parent_id = span.parent_span_id
    values += (
        trace_no,
        bytes.fromhex(span.span_id),
        session_no,
        None if parent_id is None else bytes.fromhex(parent_id),
        process_no,
        orjson.dumps(span.waited) if span.waited else None,
    )
    values += _plain_values(span)


def span_of(row: tuple[Any, ...]) -> SpanRecord:
    """Return the span of a row of `SELECT_SPAN`."""
    record = SpanRecord(*row)
    stored: Any = record  # as SQLite returns it
    record.trace_id, record.span_id = stored.trace_id.hex(), stored.span_id.hex()
    record.parent_span_id = stored.parent_span_id and stored.parent_span_id.hex()
    record.kind, record.status = _KINDS[record.kind], _STATUSES[record.status]
    record.is_root, record.is_counted = bool(record.is_root), bool(record.is_counted)
    waited = stored.waited
    record.waited = tuple(map(tuple, orjson.loads(waited))) if waited else ()
    return record
