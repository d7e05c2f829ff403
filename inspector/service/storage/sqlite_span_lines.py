"""Lines of the waterfall as JSON, written by SQLite itself.

A session may have 300 000 spans. Where Python makes an object of each and JSON of that, it takes
ten times as long, and all other threads wait meanwhile.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields
from itertools import chain, islice
from typing import Any, Final

import orjson

from inspector.service.model.rows import SpanRow, SpanStatus
from inspector.service.storage.base import SessionColumns
from inspector.service.storage.sqlite_span_rows import IN_ORDER

_WAITED = (
    "SELECT json_group_array(json_array(value ->> 0 - session.epoch_ns, value ->> 1 - value ->> 0))"
    " FROM json_each(CAST(span.waited AS TEXT))"
)
_COMPUTED = {
    "trace_id": "lower(hex(trace.id))",
    "span_id": "lower(hex(span.span_id))",
    "parent_span_id": "nullif(lower(hex(span.parent_id)), '')",
    "offset_ns": "span.start_ns - session.epoch_ns",
    "duration_ns": "max(span.end_ns - span.start_ns, 0)",
    "waited": f"json(iif(span.waited IS NULL, '[]', ({_WAITED})))",
}
"""Fields that are not a column of the same name, as `SpanRecord.row` makes them."""
_VALUES = {
    one.name: _COMPUTED.get(one.name, f"span.{one.name}")
    for one in fields(SpanRow)
    if one.name != "session_id"
}
_FROM: Final = (
    " FROM span CROSS JOIN trace ON trace.no = span.trace_no"
    " CROSS JOIN session ON session.no = span.session_no WHERE "
)
_PAGE: Final = f"{_FROM}{{where}} {IN_ORDER} LIMIT ?"
_LINE = ", ".join(f"'{name}', {value}" for name, value in _VALUES.items())
SPAN_ROWS: Final = (
    "SELECT CAST('[' || coalesce(group_concat(line), '') || ']' AS BLOB)"
    f" FROM (SELECT json_object({_LINE}) AS line{_PAGE})"
)
"""An array of a page of lines: one object each."""
_NAMED = ", ".join(f"{value} AS {name}" for name, value in _VALUES.items())
# What is JSON already says so once more: a subquery forgets it.
_COLUMNS = ", ".join(
    f"'{name}', json_group_array({f'json({name})' if value.startswith('json(') else name})"
    for name, value in _VALUES.items()
)
SPAN_COLUMNS: Final = f"SELECT CAST(json_object({_COLUMNS}) AS BLOB) FROM (SELECT {_NAMED}{_PAGE})"
"""An object of a page of lines: one array for each field."""
_FACTS = _VALUES | {
    "trace_id": "trace.id",
    "span_id": "span.span_id",
    "parent_span_id": "coalesce(span.parent_id, x'')",
    "is_error": f"span.status = '{SpanStatus.ERROR.value}'",
    "start_ns": "span.start_ns",
    "waited": "span.waited",
    "content": "span.content",
}
SPAN_FACTS: Final = (
    f"SELECT {', '.join(_FACTS[name] for name in SessionColumns._fields)} FROM span"
    " CROSS JOIN trace ON trace.no = span.trace_no"
    " WHERE span.session_no = (SELECT no FROM session WHERE id = ?)"
    " ORDER BY span.start_ns, span.span_id LIMIT ?"
)
_ROWS_AT_ONCE = 1000
_REPEATED = {"trace_id", "name", "kind", "model", "subject"}
"""Of each value in these one object is kept."""
SPAN_ENDS: Final = (
    "SELECT span.start_ns, span.span_id, trace.id FROM span"
    f" CROSS JOIN trace ON trace.no = span.trace_no WHERE {{where}} {IN_ORDER} LIMIT 2 OFFSET ?"
)
"""The last line of a page, and the first of the next: one row if there is none."""


def columns_of(rows: Iterator[tuple[Any, ...]]) -> SessionColumns:
    """Return the columns of rows of `SPAN_FACTS`."""
    columns: dict[str, list[Any]] = {name: [] for name in SessionColumns._fields}
    known: dict[str | bytes, str | bytes] = {}
    # A few rows at a time, while they are in the cache of the processor.
    while values := list(chain.from_iterable(islice(rows, _ROWS_AT_ONCE))):
        for at, (name, column) in enumerate(columns.items()):
            part = values[at :: len(columns)]
            column += map(known.setdefault, part, part) if name in _REPEATED else part
    waited = columns["waited"]
    columns["waited"] = [tuple(map(tuple, orjson.loads(one))) if one else () for one in waited]
    return SessionColumns(**columns)
