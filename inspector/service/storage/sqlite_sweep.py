"""Delete the content of sessions that are deleted, or in the history: in small steps."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import apsw
import orjson

from inspector.service.model.records import MAX_INT

ROWS_A_STEP = 500
BYTES_A_STEP = 4 * 1024 * 1024
"""A large value is a chain of pages, each of which has to be looked at to be freed."""
_TRACES_A_STEP = 200
_SESSIONS_A_STEP = 200
_AMONG = "(SELECT value FROM json_each(?))"
_SPANS = "SELECT change, content, size_bytes FROM span WHERE session_no = ? AND change <= ? LIMIT ?"
_MOMENTS = "SELECT change, origin_no, length(payload) FROM moment WHERE {where} LIMIT ?"
_ORIGIN_ORPHANS = f"""
DELETE FROM origin WHERE no IN {_AMONG}
    AND NOT EXISTS (SELECT 1 FROM trace_origin WHERE origin_no = origin.no)
    AND NOT EXISTS (SELECT 1 FROM moment WHERE origin_no = origin.no)
"""
_PROCESS_ORPHANS = f"""
DELETE FROM process WHERE no IN {_AMONG}
    AND NOT EXISTS (SELECT 1 FROM trace_process WHERE process_no = process.no)
"""
_SHARED_ORPHANS = f"""
DELETE FROM shared WHERE no IN {_AMONG}
    AND NOT EXISTS (SELECT 1 FROM trace_shared WHERE shared_no = shared.no)
"""
_USES = (
    ("origin", "bytes", _ORIGIN_ORPHANS),
    ("shared", "bytes", _SHARED_ORPHANS),
    ("process", "id", _PROCESS_ORPHANS),
)
"""What traces have rows of, its size, and how to delete what no trace has any more."""
_OF_ITS_TRACES = "trace_no IN (SELECT no FROM trace WHERE session_no = ?)"
_OF_EMPTY_TRACES = (
    "trace_no IN (SELECT no FROM trace WHERE session_no = ?"
    " AND NOT EXISTS (SELECT 1 FROM span WHERE span.trace_no = trace.no)"
    " AND NOT EXISTS (SELECT 1 FROM moment WHERE moment.trace_no = trace.no))"
)


def doom(writer: apsw.Connection, session_no: int) -> None:
    """Hide the spans and moments of a session for good. Its row is deleted, too."""
    writer.execute("INSERT INTO doomed_session VALUES (?)", (session_no,))
    writer.execute(
        "INSERT INTO doomed_trace SELECT no, session_no FROM trace WHERE session_no = ?",
        (session_no,),
    )
    writer.execute("DELETE FROM trace WHERE session_no = ?", (session_no,))


def evict(writer: apsw.Connection, session_no: int, change: int) -> None:
    """Let the content of a session go, up to a change: it is read from the history."""
    spans = "(SELECT count(*) FROM span WHERE session_no = session.no)"
    moments = (
        "(SELECT count(*) FROM moment WHERE session_no = session.no)"
        " + (SELECT count(*) FROM trace AS t CROSS JOIN moment AS m ON m.trace_no = t.no"
        " WHERE t.session_no = session.no)"
    )
    writer.execute(
        f"UPDATE session SET evicted = ?, evicted_spans = max(evicted_spans, {spans}),"
        f" evicted_moments = max(evicted_moments, {moments}) WHERE no = ?",
        (change, session_no),
    )
    writer.execute("UPDATE meta SET evicted = max(evicted, ?)", (change,))
    writer.execute("INSERT OR IGNORE INTO evicting VALUES (?)", (session_no,))


def sweep(writer: apsw.Connection) -> bool:
    """Delete some of what nobody reads here any more; return whether there was any."""
    return _sweep_doomed(writer) or _sweep_evicted(writer)


def _sweep_doomed(writer: apsw.Connection) -> bool:
    for (session_no,) in _all(writer, "SELECT no FROM doomed_session LIMIT 1"):
        if not (
            _sweep_spans(writer, session_no, MAX_INT)
            or _sweep_moments(writer, "session_no = ?", session_no)
            or _sweep_traces(writer, session_no)
        ):
            writer.execute("DELETE FROM doomed_session WHERE no = ?", (session_no,))
        return True
    return False


def _sweep_evicted(writer: apsw.Connection) -> bool:
    sql = (
        "SELECT session_no, evicted FROM evicting"
        f" LEFT JOIN session ON session.no = session_no LIMIT {_SESSIONS_A_STEP}"
    )
    sessions, swept = _all(writer, sql), 0
    for session_no, through in sessions:
        # Most are small: a transaction for each costs more than what is done in it.
        while through is not None and (rows := _sweep_some(writer, session_no, through)):
            swept += rows
            if swept >= ROWS_A_STEP:
                return True
        writer.execute("DELETE FROM evicting WHERE session_no = ?", (session_no,))
    return bool(sessions)


def _sweep_some(writer: apsw.Connection, session_no: int, through: int) -> int:
    """Delete some content of an evicted session; return how much of a step that was, in rows."""
    return (
        _sweep_spans(writer, session_no, through)
        or _sweep_moments(writer, f"session_no = ? AND change <= {through}", session_no)
        or _sweep_moments(writer, f"{_OF_ITS_TRACES} AND change <= {through}", session_no)
        or sum(_sweep_uses(writer, *uses, _OF_EMPTY_TRACES, session_no) for uses in _USES)
    )


def _sweep_spans(writer: apsw.Connection, session_no: int, through: int) -> int:
    rows = _all(writer, _SPANS, session_no, through, ROWS_A_STEP)
    rows = rows[: _fitting(row[2] for row in rows)]
    if not rows:
        return 0
    writer.execute(f"DELETE FROM content WHERE no IN {_AMONG}", (_json(row[1] for row in rows),))
    writer.execute(f"DELETE FROM span WHERE change IN {_AMONG}", (_json(row[0] for row in rows),))
    return _weight(row[2] for row in rows)


def _sweep_moments(writer: apsw.Connection, where: str, value: int | str) -> int:
    rows = _all(writer, _MOMENTS.format(where=where), value, ROWS_A_STEP)
    rows = rows[: _fitting(row[2] for row in rows)]
    if not rows:
        return 0
    writer.execute(f"DELETE FROM moment WHERE change IN {_AMONG}", (_json(row[0] for row in rows),))
    writer.execute(_ORIGIN_ORPHANS, (_json({row[1] for row in rows}),))
    return _weight(row[2] for row in rows)


def _sweep_traces(writer: apsw.Connection, session_no: int) -> bool:
    sql = "SELECT no FROM doomed_trace WHERE session_no = ? LIMIT ?"
    traces = _json(row[0] for row in _all(writer, sql, session_no, _TRACES_A_STEP))
    if traces == "[]":
        return False
    among = f"trace_no IN {_AMONG}"
    if not (
        _sweep_moments(writer, among, traces)
        or _sweep_ancestors(writer, among, traces)
        or any(_sweep_uses(writer, *uses, among, traces) for uses in _USES)
    ):
        writer.execute(f"DELETE FROM doomed_trace WHERE no IN {_AMONG}", (traces,))
    return True


def _sweep_ancestors(writer: apsw.Connection, among: str, traces: str) -> bool:
    some = f"SELECT trace_no, span_id FROM usage_ancestor WHERE {among} LIMIT ?"
    sql = f"DELETE FROM usage_ancestor WHERE (trace_no, span_id) IN ({some})"
    writer.execute(sql, (traces, ROWS_A_STEP))
    return writer.changes() > 0


def _sweep_uses(
    writer: apsw.Connection, used: str, value: str, orphans: str, among: str, traces: int | str
) -> int:
    sql = (
        f"SELECT trace_no, {used}_no, coalesce(length({value}), 0) FROM trace_{used}"
        f" LEFT JOIN {used} ON no = {used}_no WHERE {among} LIMIT ?"
    )
    rows = _all(writer, sql, traces, ROWS_A_STEP)
    rows = rows[: _fitting(row[2] for row in rows)]
    if not rows:
        return 0
    sql = f"DELETE FROM trace_{used} WHERE trace_no = ? AND {used}_no = ?"
    writer.executemany(sql, [row[:2] for row in rows])
    writer.execute(orphans, (_json({row[1] for row in rows}),))
    return _weight(row[2] for row in rows)


def _all(writer: apsw.Connection, sql: str, *parameters: int | str) -> list[tuple[Any, ...]]:
    """Return the rows, read to the end: statements are run lazily."""
    return writer.execute(sql, parameters).fetchall()


def _fitting(sizes_bytes: Iterable[int]) -> int:
    """Return how many of these go in one step; the first always does."""
    count = total_bytes = 0
    for size_bytes in sizes_bytes:
        total_bytes += size_bytes
        if count and total_bytes > BYTES_A_STEP:
            break
        count += 1
    return count


def _weight(sizes_bytes: Iterable[int]) -> int:
    """Return how much of a step these are, in rows."""
    sizes = list(sizes_bytes)
    return max(len(sizes), sum(sizes) * ROWS_A_STEP // BYTES_A_STEP)


def _json(numbers: Iterable[int]) -> str:
    return orjson.dumps(list(numbers)).decode()
