"""Span rows written as text: indentation is the parent, a row `kind name key=value …`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from inspector.service.analysis.span_table import SpanTable
from inspector.service.model.rows import SpanKind, SpanRow, SpanStatus
from inspector.service.storage.base import SessionColumns

MS = 1_000_000


def row(number: int, parent: int | None = None, name: str = "work", **fields: Any) -> SpanRow:
    """Return a row; spans start a millisecond apart, by their number."""
    values: dict[str, Any] = {
        "kind": SpanKind.OTHER,
        "status": SpanStatus.OK,
        "offset_ns": number * MS,
        "duration_ns": MS,
        **fields,
    }
    return SpanRow(
        session_id="run",
        trace_id="0" * 31 + "1",
        span_id=f"{number:016x}",
        parent_span_id=None if parent is None else f"{parent:016x}",
        name=name,
        **values,
    )


def rows_from_text(text: str) -> list[SpanRow]:
    """Return the rows of a drawing such as `tool fetch status=error duration_ms=20`."""
    rows: list[SpanRow] = []
    open_at: list[tuple[int, int]] = []
    for line in filter(str.strip, text.splitlines()):
        indent = len(line) - len(line.lstrip())
        open_at = [one for one in open_at if one[0] < indent]
        kind, name, *pairs = line.split()
        fields = dict(pair.split("=") for pair in pairs)
        values: dict[str, Any] = {"kind": SpanKind(kind)}
        if status := fields.pop("status", None):
            values["status"] = SpanStatus(status)
        if duration_ms := fields.pop("duration_ms", None):
            values["duration_ns"] = int(duration_ms) * MS
        values |= {key: int(value) if value.isdigit() else value for key, value in fields.items()}
        number = len(rows) + 1
        rows.append(row(number, open_at[-1][1] if open_at else None, name, **values))
        open_at.append((indent, number))
    return rows


def columns_of(
    rows: Sequence[SpanRow], contents: Iterable[int], epoch_ns: int = 0
) -> SessionColumns:
    """Return what statistics need of rows and of the numbers of their contents."""
    columns: dict[str, Any] = {
        name: [getattr(row, name, None) for row in rows] for name in SessionColumns._fields
    }
    columns["trace_id"] = [bytes.fromhex(row.trace_id) for row in rows]
    columns["span_id"] = [bytes.fromhex(row.span_id) for row in rows]
    columns["parent_span_id"] = [bytes.fromhex(row.parent_span_id or "") for row in rows]
    columns["is_error"] = [row.status is SpanStatus.ERROR for row in rows]
    columns["start_ns"] = [row.offset_ns + epoch_ns for row in rows]
    columns["waited"] = [
        tuple(
            (epoch_ns + offset_ns, None if length_ns is None else epoch_ns + offset_ns + length_ns)
            for offset_ns, length_ns in row.waited
        )
        for row in rows
    ]
    columns["content"] = list(contents)
    return SessionColumns(**columns)


def table_of(rows: Iterable[SpanRow]) -> SpanTable:
    """Return the columns of rows, by start."""
    in_order = by_start(rows)
    return SpanTable(columns_of(in_order, range(len(in_order))))


def by_start(rows: Iterable[SpanRow]) -> list[SpanRow]:
    """Return rows in the order of `SpanPosition`."""
    return sorted(rows, key=lambda row: (row.offset_ns, row.span_id, row.trace_id))
