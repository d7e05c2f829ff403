"""Snapshots of the SQLite store: every SELECT the service makes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any, TypeAlias

import apsw
import orjson

from inspector.service.model.records import (
    MAX_INT,
    TRACE_PROCESS,
    Change,
    Content,
    MomentRecord,
    SessionRecord,
    SpanRecord,
    StoredChange,
    StoredSpan,
    Tombstone,
    TraceRecord,
)
from inspector.service.model.rows import Engine, SessionRow, SessionStatus, SpanKind, SpanStatus
from inspector.service.query.tree import Node
from inspector.service.storage.base import (
    CauseCount,
    CauseCounts,
    Chunk,
    ModelUsage,
    SessionColumns,
    SpanLines,
    SpanPosition,
    SpanTime,
    TooLateError,
)
from inspector.service.storage.orders import MAX_TITLE, Order, SortKey, SortPosition
from inspector.service.storage.sqlite_control import REQUEST, ControlReader, request_record
from inspector.service.storage.sqlite_narrowing import narrowing
from inspector.service.storage.sqlite_shared import load, whole
from inspector.service.storage.sqlite_span_lines import (
    SPAN_COLUMNS,
    SPAN_ENDS,
    SPAN_FACTS,
    SPAN_ROWS,
    columns_of,
)
from inspector.service.storage.sqlite_span_rows import IN_ORDER, PROCESS, SELECT_SPAN, span_of

_Row: TypeAlias = tuple[Any, ...]  # what SQLite gives: typed by the functions below
_stored = partial(tuple.__new__, StoredSpan)

_SESSION = (
    "SELECT body, state, change, created, settled, changed_ns, evicted, evicted_spans,"
    " evicted_moments FROM session"
)
_TRACE = (
    "SELECT trace.id, session.id, trace.state FROM trace"
    " LEFT JOIN session ON session.no = trace.session_no"
)
_MOMENT = (
    "SELECT trace.id, moment.span_id, session.id, moment.time_ns, moment.name, moment.payload,"
    " moment.pieces, origin.bytes, moment.digest, moment.change, moment.changed_ns FROM moment"
    " CROSS JOIN origin ON origin.no = moment.origin_no"
    " LEFT JOIN trace ON trace.no = moment.trace_no"
    " LEFT JOIN session ON session.no = coalesce(trace.session_no, moment.session_no)"
)
_OF_SESSION = "span.session_no = (SELECT no FROM session WHERE id = ?)"
_CONTENTS = (
    "SELECT content.payload, content.pieces, origin.bytes, span.start_ns, span.span_id, trace.id"
    " FROM span"
    " CROSS JOIN trace ON trace.no = span.trace_no CROSS JOIN content ON content.no = span.content"
    f" CROSS JOIN origin ON origin.no = content.origin_no WHERE {{where}} {IN_ORDER} LIMIT ?"
)
_DEPARTURE = "SELECT session_id, moved_to, is_whole, change, changed_ns, trace_id FROM departure"
_NEWER = (
    " WHERE {table}.change > ? AND {table}.change <= ? AND {fits} ORDER BY {table}.change LIMIT ?"
)
# Spans go unseen with their session; a moment may stand without one.
_IS_NOT_DOOMED = (
    "(moment.trace_no IS NULL OR trace.no IS NOT NULL)"
    " AND (moment.session_no IS NULL OR session.no IS NOT NULL)"
)
_OLDEST = "ORDER BY change LIMIT ?"
# The ends of chains of moves too: those go first, and the rest of the chain at a later time.
_IS_IDLE = (
    "(moved_to IS NULL OR is_whole = 0 OR NOT EXISTS (SELECT 1 FROM session WHERE id = moved_to)"
    " AND NOT EXISTS (SELECT 1 FROM departure AS next WHERE next.session_id = departure.moved_to))"
)
_PAGES = ("page_count", "freelist_count", "page_size")


_SORT_VALUES = {
    SortKey.STARTED: "started_ns",
    SortKey.CHANGED: "change",
    SortKey.TITLE: f"substr(lower(title), 1, {MAX_TITLE})",
    SortKey.DURATION: (
        "max(coalesce(ended_ns, idle_since_ns, ?) - started_ns - coalesce(idle_ns, 0), 0)"
    ),
    SortKey.WAITING: "waiting_ns + coalesce(max(? - waiting_since_ns, 0), 0)",
    SortKey.SPANS: "span_count",
    SortKey.ERRORS: "error_count",
    SortKey.LLM_CALLS: "llm_calls",
    SortKey.TOOL_CALLS: "tool_calls",
    SortKey.TOKENS: "input_tokens + output_tokens",
    SortKey.COST: "coalesce(cost_usd, ?)",
}

_CHUNK = 64
_STEPS = 40_000
"""Steps of SQLite between two questions whether it is late: one or two milliseconds."""


def in_chunks(
    connection: apsw.Connection,
    sql: str,
    values: Iterable[apsw.SQLiteValue],
    *before: apsw.SQLiteValue,
) -> list[_Row]:
    """Return the rows of `sql` with a list of `values` in place of its `{}`, in any order.

    `before` are the values of the parameters that stand before the list.
    """
    left, rows = list(values), list[_Row]()
    while left:
        # Of two lengths only, so that the statement stays prepared.
        length = 1 if len(left) == 1 else _CHUNK
        chunk, left = left[:length], left[length:]
        padding = [None] * (length - len(chunk))
        marks = ", ".join("?" * length)
        rows += connection.execute(sql.format(marks), (*before, *chunk, *padding))
    return rows


def former_stores(connection: apsw.Connection) -> dict[str, int]:
    """Return the stores that this one was restored from: id → newest change of the backup."""
    return dict(connection.execute("SELECT id, head FROM former_store ORDER BY id"))


def stand_in_for(process_id: str) -> bytes | None:
    """Return the id of the trace that this process stands in for; None if it does not."""
    try:
        is_one = process_id.startswith(TRACE_PROCESS)
        return bytes.fromhex(process_id.removeprefix(TRACE_PROCESS)) if is_one else None
    except ValueError:
        return None


class SqliteReader(ControlReader):
    """The `Reader` in SQLite, inside one read transaction of one connection."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection
        # The first read fixes the snapshot.
        self.head: int
        self.evicted: int
        ((self.head, self.evicted),) = self._all("SELECT head, evicted FROM meta")

    def _all(self, sql: str, parameters: tuple[apsw.SQLiteValue, ...] = ()) -> list[_Row]:
        return list(self._connection.execute(sql, parameters))

    @contextmanager
    def until(self, is_late: Callable[[], bool]) -> Iterator[None]:
        self._connection.set_progress_handler(is_late, _STEPS)
        try:
            yield
        except apsw.InterruptError as error:
            raise TooLateError("Reading timed out.") from error
        finally:
            self._connection.set_progress_handler(None)

    def newest_sessions(
        self, node: Node, after: tuple[int, str] | None, most: int
    ) -> Chunk[SessionRecord, tuple[int, str]]:
        behind, start = ("(started_ns, id) < (?, ?)", after) if after else ("1", ())
        newest = "ORDER BY started_ns DESC, id DESC"
        ends = self._all(
            f"SELECT started_ns, id FROM session WHERE {behind} {newest} LIMIT 2 OFFSET ?",
            (*start, most - 1),
        )
        within, end = ("(started_ns, id) >= (?, ?)", ends[0]) if len(ends) == 2 else ("1", ())
        fits = narrowing(node)
        rows = self._all(
            f"{_SESSION} WHERE {behind} AND {within} AND {fits.sql} {newest}",
            (*start, *end, *fits.parameters),
        )
        return Chunk([_session(row) for row in rows], end or None)

    def newest_spans(self, node: Node, before: int | None, most: int) -> Chunk[SpanRecord, int]:
        before = MAX_INT if before is None else before
        newest = "ORDER BY span.change DESC"
        ends = self._all(
            f"SELECT change FROM span WHERE change < ? {newest} LIMIT 2 OFFSET ?",
            (before, most - 1),
        )
        end = ends[0][0] if len(ends) == 2 else None
        fits = narrowing(node)
        rows = self._all(
            f"{SELECT_SPAN} WHERE span.change < ? AND span.change >= ? AND {fits.sql} {newest}",
            (before, end or 0, *fits.parameters),
        )
        return Chunk([span_of(row) for row in rows], end)

    def spans_among(self, node: Node, changes: Collection[int]) -> list[SpanRecord]:
        fits = narrowing(node)
        among = "span.change IN (SELECT value FROM json_each(?))"
        rows = self._all(
            f"{SELECT_SPAN} WHERE {among} AND {fits.sql} ORDER BY span.change DESC",
            (orjson.dumps(list(changes)).decode(), *fits.parameters),
        )
        return [span_of(row) for row in rows]

    def sessions_among(
        self, node: Node, session_ids: Collection[str], after: tuple[int, str] | None, most: int
    ) -> Chunk[SessionRecord, tuple[int, str]]:
        fits, start = narrowing(node), after or (MAX_INT, "")
        rows = self._all(
            f"{_SESSION} WHERE id IN (SELECT value FROM json_each(?))"
            f" AND (started_ns, id) < (?, ?) AND {fits.sql}"
            " ORDER BY started_ns DESC, id DESC LIMIT ?",
            (orjson.dumps(list(session_ids)).decode(), *start, *fits.parameters, most),
        )
        found = [_session(row) for row in rows]
        is_last = len(found) < most
        return Chunk(found, None if is_last else (found[-1].row.started_ns, found[-1].row.id))

    def session_places(
        self,
        node: Node,
        order: Order,
        after: SortPosition | None,
        most: int,
        among: Collection[str] | None = None,
    ) -> list[SortPosition]:
        # From indexes, without the wide rows.
        value, parameters = _sort_value(order)
        fits = narrowing(node)
        some, ids = "1", list[str]()
        if among is not None:
            some, ids = (
                "id IN (SELECT value FROM json_each(?))",
                [orjson.dumps(list(among)).decode()],
            )
        sign, way = ("<", "DESC") if order.is_descending else (">", "ASC")
        behind, start = (f"({value}, id) {sign} (?, ?)", after) if after else ("1", ())
        rows = self._all(
            f"SELECT {value}, id FROM session WHERE {behind} AND {some} AND {fits.sql}"
            f" ORDER BY 1 {way}, 2 {way} LIMIT ?",
            (*parameters, *(parameters if after else ()), *start, *ids, *fits.parameters, most),
        )
        return [(value, session_id) for value, session_id in rows]

    def session_statuses(
        self, node: Node, first_ns: int, beyond_ns: int
    ) -> Counter[SessionStatus] | None:
        fits = narrowing(node)
        if not fits.is_exact or fits.has_others:
            return None
        rows = self._all(
            "SELECT status, count(*) FROM session"
            f" WHERE started_ns >= ? AND started_ns < ? AND {fits.sql} GROUP BY 1",
            (first_ns, beyond_ns, *fits.parameters),
        )
        return Counter({SessionStatus(status): number for status, number in rows})

    def session_count(
        self, node: Node, after: tuple[int, str] | None, most: int
    ) -> tuple[int, tuple[int, str] | None] | None:
        fits = narrowing(node)
        if not fits.is_exact or fits.has_others:
            return None
        behind, start = ("(started_ns, id) < (?, ?)", after) if after else ("1", ())
        last = self._all(
            f"SELECT started_ns, id FROM session WHERE {behind}"
            " ORDER BY 1 DESC, 2 DESC LIMIT 1 OFFSET ?",
            (*start, most - 1),
        )
        until, end = ("(started_ns, id) >= (?, ?)", last[0]) if last else ("1", ())
        ((count,),) = self._all(
            f"SELECT count(*) FROM session WHERE {behind} AND {until} AND {fits.sql}",
            (*start, *end, *fits.parameters),
        )
        return count, last[0] if last else None

    def cause_counts(
        self, node: Node, since_ns: int, until_ns: int, most: int
    ) -> CauseCounts | None:
        fits = narrowing(node)
        if not fits.is_exact or fits.has_others:
            return None
        # `+` keeps SQLite from the index of starts: that of causes is in the order of the groups.
        rows = self._all(
            "SELECT cause_key, count(*) AS number, sum(status = 'failed'), min(started_ns),"
            " max(started_ns) AS latest, count(*) OVER (), sum(count(*)) OVER () FROM session"
            " WHERE cause_key IS NOT NULL"
            f" AND +started_ns >= ? AND +started_ns < ? AND {fits.sql} GROUP BY cause_key"
            " ORDER BY number DESC, latest DESC, cause_key LIMIT ?",
            (since_ns, until_ns, *fits.parameters, most),
        )
        group_count, session_count = rows[0][5:] if rows else (0, 0)
        return CauseCounts([CauseCount(*row[:5]) for row in rows], group_count, session_count)

    def cause_starts(
        self, node: Node, keys: Sequence[str], first_ns: int, width_ns: int, count: int
    ) -> Counter[tuple[str, int]]:
        fits = narrowing(node)
        # A look for each: where they stand in the index is known, and nothing has to be sorted.
        rows = self._all(
            "SELECT key.value, place.value, (SELECT count(*) FROM session"
            " WHERE cause_key = key.value AND cause_key IS NOT NULL"
            " AND started_ns >= ?1 + place.value * ?2 AND started_ns < ?1 + (place.value + 1) * ?2"
            f" AND {fits.sql}) FROM json_each(?) AS key CROSS JOIN json_each(?) AS place",
            (
                first_ns,
                width_ns,
                *fits.parameters,
                orjson.dumps(keys).decode(),
                orjson.dumps(list(range(count))).decode(),
            ),
        )
        return Counter({(key, place): number for key, place, number in rows if number})

    def session_of_cause(self, key: str, started_ns: int) -> SessionRecord | None:
        sql = f"{_SESSION} WHERE started_ns = ? AND cause_key = ? ORDER BY id LIMIT 1"
        rows = self._all(sql, (started_ns, key))
        return _session(rows[0]) if rows else None

    def last_good_session(self, title: str) -> str | None:
        sql = (
            "SELECT id FROM session WHERE title = ? AND status = 'completed' AND error_count = 0"
            " ORDER BY started_ns DESC LIMIT 1"
        )
        rows = self._all(sql, (title,))
        return rows[0][0] if rows else None

    def model_usage(self, session_ids: Sequence[str]) -> list[ModelUsage]:
        sql = (
            "SELECT model, count(DISTINCT session_no),"
            " sum(kind = 'llm' AND duplicate_of IS NULL),"
            " coalesce(sum(input_tokens) FILTER (WHERE is_counted), 0),"
            " coalesce(sum(output_tokens) FILTER (WHERE is_counted), 0),"
            " sum(cost_usd) FILTER (WHERE is_counted), sum(is_counted AND cost_usd IS NULL)"
            " FROM span"
            " WHERE session_no IN (SELECT no FROM session WHERE id IN"
            " (SELECT value FROM json_each(?))) AND (is_counted OR kind = 'llm') GROUP BY model"
        )
        rows = self._all(sql, (orjson.dumps(session_ids).decode(),))
        return [ModelUsage(*row) for row in rows]

    def uncosted_calls(self, session_ids: Sequence[str]) -> dict[str, int]:
        sql = (
            "SELECT session.id, count(*) FROM session CROSS JOIN span"
            " ON span.session_no = session.no WHERE session.id IN"
            " (SELECT value FROM json_each(?)) AND span.is_counted AND span.cost_usd IS NULL"
            " GROUP BY session.no"
        )
        return dict(self._all(sql, (orjson.dumps(session_ids).decode(),)))

    def sessions_changed(self, after: int, most: int) -> set[str] | None:
        spans = "SELECT session_no FROM span WHERE change > ? LIMIT ?"
        sessions = "SELECT no FROM session WHERE change > ? LIMIT ?"
        numbers = [row[0] for sql in (spans, sessions) for row in self._all(sql, (after, most + 1))]
        if len(numbers) > most:
            return None
        among = "no IN (SELECT value FROM json_each(?))"
        rows = self._all(f"SELECT id FROM session WHERE {among}", (orjson.dumps(numbers).decode(),))
        return {row[0] for row in rows}

    def session(self, session_id: str) -> SessionRecord | None:
        rows = self._all(f"{_SESSION} WHERE id = ?", (session_id,))
        return _session(rows[0]) if rows else None

    def sessions(self, session_ids: Collection[str]) -> list[SessionRecord]:
        rows = in_chunks(self._connection, _SESSION + " WHERE id IN ({})", session_ids)
        return [_session(row) for row in rows]

    def is_any_evicted(self, session_ids: Collection[str]) -> bool:
        sql = "SELECT 1 FROM session WHERE id IN ({}) AND evicted > 0"
        return bool(in_chunks(self._connection, sql, session_ids))

    def destination(self, session_id: str) -> str | None:
        seen = {session_id}
        target = session_id
        while not self._all("SELECT 1 FROM session WHERE id = ?", (target,)):
            moves = self._all(
                "SELECT moved_to FROM departure WHERE session_id = ? ORDER BY change DESC LIMIT 1",
                (target,),
            )
            if not moves or moves[0][0] is None or moves[0][0] in seen:
                return None
            target = moves[0][0]
            seen.add(target)
        return None if target == session_id else target

    def unsettled(self) -> list[SessionRecord]:
        # Without the name of the index, every session is read in the order of ids.
        sql = f"{_SESSION} INDEXED BY session_unsettled WHERE settled = 0 ORDER BY id"
        return [_session(row) for row in self._all(sql)]

    def traces(self, trace_ids: Collection[str]) -> list[TraceRecord]:
        ids = [bytes.fromhex(trace_id) for trace_id in trace_ids]
        rows = in_chunks(self._connection, _TRACE + " WHERE trace.id IN ({})", ids)
        return [_trace(row) for row in rows]

    def traces_of(self, session_id: str) -> list[TraceRecord]:
        where = "trace.session_no = (SELECT no FROM session WHERE id = ?)"
        sql = f"{_TRACE} WHERE {where} ORDER BY trace.id"
        return [_trace(row) for row in self._all(sql, (session_id,))]

    def usage_ancestors(self, trace_id: str) -> set[str]:
        sql = "SELECT span_id FROM usage_ancestor JOIN trace ON no = trace_no WHERE id = ?"
        return {row[0].hex() for row in self._all(sql, (bytes.fromhex(trace_id),))}

    def spans(self, trace_id: str, span_ids: Collection[str] | None = None) -> list[SpanRecord]:
        numbers = self._all("SELECT no FROM trace WHERE id = ?", (bytes.fromhex(trace_id),))
        if not numbers:
            return []
        where, trace_no = " WHERE span.trace_no = ?", numbers[0][0]
        if span_ids is None:
            every = f"{SELECT_SPAN}{where} ORDER BY span.change"
            return [span_of(row) for row in self._all(every, (trace_no,))]
        some = f"{SELECT_SPAN}{where} AND span.span_id IN ({{}})"
        ids = map(bytes.fromhex, span_ids)
        return [span_of(row) for row in in_chunks(self._connection, some, ids, trace_no)]

    def spans_of(
        self,
        session_id: str,
        after: SpanPosition | None = None,
        limit: int = 1000,
        node: Node | None = None,
    ) -> list[SpanRecord]:
        where, parameters = _behind(session_id, after)
        if node is not None:
            fits = narrowing(node)
            where, parameters = f"{where} AND {fits.sql}", (*parameters, *fits.parameters)
        sql = f"{SELECT_SPAN} WHERE {where} {IN_ORDER} LIMIT ?"
        return [span_of(row) for row in self._all(sql, (*parameters, limit))]

    def span_lines(
        self, session_id: str, after: SpanPosition | None, limit: int, *, is_columns: bool
    ) -> SpanLines:
        where, parameters = _behind(session_id, after)
        lines = (SPAN_COLUMNS if is_columns else SPAN_ROWS).format(where=where)
        ends = self._all(SPAN_ENDS.format(where=where), (*parameters, limit - 1))
        last = _position(ends[0]) if len(ends) == 2 else None
        return SpanLines(self._all(lines, (*parameters, limit))[0][0], last)

    def span_times(self, session_id: str) -> list[SpanTime]:
        sql = (
            "SELECT trace.id, span_id, start_ns, end_ns, status FROM span"
            " CROSS JOIN trace ON trace.no = trace_no"
            " WHERE span.session_no = (SELECT no FROM session WHERE id = ?)"
            " ORDER BY start_ns, span_id, trace.id"
        )
        return [
            SpanTime(trace_id.hex(), span_id.hex(), start_ns, end_ns, SpanStatus(status))
            for trace_id, span_id, start_ns, end_ns, status in self._all(sql, (session_id,))
        ]

    def span_columns(self, session_id: str, most: int) -> SessionColumns:
        return columns_of(self._connection.execute(SPAN_FACTS, (session_id, most)))

    def open_spans(self, process_id: str) -> list[SpanRecord]:
        where = (
            " WHERE span.end_ns IS NULL AND span.process_no IN (SELECT no FROM process WHERE id = ?"
            " UNION ALL SELECT -no FROM trace WHERE id = ?) ORDER BY span.change"
        )
        trace_id = stand_in_for(process_id)
        return [span_of(row) for row in self._all(SELECT_SPAN + where, (process_id, trace_id))]

    def calls_before(
        self, session_id: str, before: SpanPosition | None, kinds: Collection[SpanKind], most: int
    ) -> list[SpanRecord]:
        nearest = (
            f"SELECT change, kind, duplicate_of FROM span WHERE {_OF_SESSION}"
            " AND (start_ns, span_id) < (?, ?) ORDER BY start_ns DESC, span_id DESC LIMIT 1000"
        )
        where = (
            f" WHERE span.change IN (SELECT change FROM ({nearest})"
            " WHERE kind IN (SELECT value FROM json_each(?)) AND duplicate_of IS NULL LIMIT ?)"
            " ORDER BY span.start_ns DESC, span.span_id DESC"
        )
        place = (before.start_ns, bytes.fromhex(before.span_id)) if before else (MAX_INT, b"")
        among = orjson.dumps([kind.value for kind in kinds]).decode()
        rows = self._all(SELECT_SPAN + where, (session_id, *place, among, most))
        return [span_of(row) for row in rows]

    def failed_spans(self, session_id: str, most: int) -> list[SpanRecord]:
        first = (
            f"SELECT change FROM span WHERE {_OF_SESSION} AND status = 'error'"
            " AND duplicate_of IS NULL ORDER BY end_ns LIMIT ?"
        )
        sql = f"{SELECT_SPAN} WHERE span.change IN ({first}) ORDER BY span.end_ns"
        return [span_of(row) for row in self._all(sql, (session_id, most))]

    def last_spans(
        self, session_id: str, kinds: Collection[SpanKind], most: int
    ) -> list[SpanRecord]:
        nearest = (
            f"SELECT change, kind, duplicate_of FROM span WHERE {_OF_SESSION}"
            " ORDER BY start_ns DESC, span_id DESC LIMIT 1000"
        )
        where = (
            f" WHERE span.change IN (SELECT change FROM ({nearest}) WHERE kind IN"
            " (SELECT value FROM json_each(?)) AND duplicate_of IS NULL LIMIT ?)"
            " ORDER BY span.start_ns DESC, span.span_id DESC"
        )
        of_kinds = orjson.dumps([kind.value for kind in kinds]).decode()
        rows = self._all(SELECT_SPAN + where, (session_id, of_kinds, most))
        return [span_of(row) for row in rows]

    def open_processes(self) -> set[str]:
        sql = (
            f"SELECT DISTINCT {PROCESS} FROM span LEFT JOIN process ON process.no = process_no"
            " LEFT JOIN trace ON trace.no = -process_no WHERE end_ns IS NULL AND status = ?"
            " AND span.session_no NOT IN (SELECT no FROM doomed_session)"
        )
        return {row[0] for row in self._all(sql, (SpanStatus.RUNNING.value,))}

    def content(self, span: SpanRecord) -> Content:
        sql = (
            "SELECT payload, pieces, bytes FROM content JOIN origin ON origin.no = origin_no"
            " WHERE content.no = ?"
        )
        return self._contents(self._all(sql, (span.content,)))[0]

    def contents(self, numbers: Sequence[int]) -> list[Content]:
        rows = self._all(
            "SELECT payload, pieces, origin_no, content.no FROM json_each(?)"
            " CROSS JOIN content ON content.no = value",
            (orjson.dumps(numbers).decode(),),
        )
        origin_numbers = orjson.dumps([*{row[2] for row in rows}]).decode()
        sql = "SELECT no, bytes FROM origin WHERE no IN (SELECT value FROM json_each(?))"
        # Once each: a large one may be that of thousands.
        origins = dict[int, bytes](self._all(sql, (origin_numbers,)))
        shared = load(self._connection, (row[1] for row in rows))
        found = {
            number: Content(whole(payload, pieces, shared), origins[origin_no])
            for payload, pieces, origin_no, number in rows
        }
        return [found[number] for number in numbers]

    def contents_of(
        self, session_id: str, after: SpanPosition | None, limit: int
    ) -> Chunk[Content, SpanPosition]:
        where, parameters = _behind(session_id, after)
        rows = self._all(_CONTENTS.format(where=where), (*parameters, limit + 1))
        last = _position(rows[limit - 1][3:]) if len(rows) > limit else None
        return Chunk(self._contents(rows[:limit]), last)

    def _contents(self, rows: Sequence[_Row]) -> list[Content]:
        """Return the content of rows that begin with payload, pieces and origin."""
        shared = load(self._connection, (row[1] for row in rows))
        return [Content(whole(row[0], row[1], shared), row[2]) for row in rows]

    def moments(
        self, trace_id: str | None, span_id: str | None, session_id: str | None, limit: int = 5000
    ) -> list[MomentRecord]:
        where, parameters = _place(trace_id, span_id, session_id)
        sql = f"{_MOMENT} WHERE {where} ORDER BY moment.time_ns, moment.change LIMIT ?"
        return [self._moment(row) for row in self._all(sql, (*parameters, limit))]

    def _moment(self, row: _Row) -> MomentRecord:
        trace_id, span_id, session_id, time_ns, name, payload, pieces, origin, *rest = row
        digest, change, changed_ns = rest
        payload = whole(payload, pieces, load(self._connection, (pieces,)))
        return MomentRecord(
            trace_id=None if trace_id is None else trace_id.hex(),
            span_id=None if span_id is None else span_id.hex(),
            session_id=session_id,
            time_ns=time_ns,
            name=name,
            content=Content(payload, origin),
            digest=digest,
            change=change,
            changed_ns=changed_ns,
        )

    def has_moment(self, moment: MomentRecord) -> bool:
        where, parameters = _place(moment.trace_id, moment.span_id, moment.session_id)
        sql = f"SELECT 1 FROM moment WHERE {where} AND time_ns = ? AND digest = ?"
        return bool(self._all(sql, (*parameters, moment.time_ns, moment.digest)))

    def moments_of(self, session_id: str, after: int = 0, limit: int = 1000) -> list[MomentRecord]:
        of_session = (
            "SELECT change FROM moment WHERE session_no = ?1 UNION ALL SELECT m.change FROM trace"
            " AS t CROSS JOIN moment AS m ON m.trace_no = t.no WHERE t.session_no = ?1"
        )
        numbers = self._all("SELECT no FROM session WHERE id = ?", (session_id,))
        if not numbers:
            return []
        where = f"moment.change IN ({of_session}) AND moment.change > ?2"
        sql = f"{_MOMENT} WHERE {where} ORDER BY moment.change LIMIT ?3"
        return [self._moment(row) for row in self._all(sql, (numbers[0][0], after, limit))]

    def last_change(self, session_id: str) -> int:
        newest = self._all(
            "WITH own AS (SELECT no, change FROM session WHERE id = ?1) SELECT max(change) FROM ("
            " SELECT change FROM own"
            " UNION ALL SELECT max(change) FROM span WHERE session_no = (SELECT no FROM own)"
            " UNION ALL SELECT max(change) FROM moment WHERE session_no = (SELECT no FROM own)"
            " UNION ALL SELECT max(m.change) FROM trace AS t CROSS JOIN moment AS m"
            " ON m.trace_no = t.no WHERE t.session_no = (SELECT no FROM own))",
            (session_id,),
        )
        return newest[0][0] or 0

    def oldest_here(self, most: int) -> list[SessionRecord]:
        here = f"{_SESSION} WHERE settled > 0 AND evicted < change"
        return [_session(row) for row in self._all(f"{here} {_OLDEST}", (most,))]

    def newest_departures(self, through: int, most: int) -> list[int]:
        sql = "SELECT change FROM departure WHERE change <= ? ORDER BY change DESC LIMIT ?"
        return [row[0] for row in self._all(sql, (through, most))]

    def oldest_settled(self, most: int) -> list[SessionRecord]:
        return [_session(r) for r in self._all(f"{_SESSION} WHERE settled > 0 {_OLDEST}", (most,))]

    def idle_departures(self, through: int, before_ns: int, most: int) -> list[int]:
        """Return the change numbers of old departures that lead to no session, see `Store`."""
        sql = f"{_DEPARTURE} WHERE change <= ? AND changed_ns < ? AND {_IS_IDLE} {_OLDEST}"
        return [row[3] for row in self._all(sql, (through, before_ns, most))]

    def payload_bytes(self, session_id: str, most: int) -> int:
        where = "session_no = (SELECT no FROM session WHERE id = ?)"
        some = f"SELECT size_bytes FROM span WHERE {where} LIMIT ?"
        return int(self._all(f"SELECT total(size_bytes) FROM ({some})", (session_id, most))[0][0])

    def used_bytes(self) -> int:
        pages, free, size = (self._all(f"PRAGMA {name}")[0][0] for name in _PAGES)
        return int((pages - free) * size)

    def changes(self, after: int, limit: int, most_bytes: int = MAX_INT) -> list[Change]:
        return self._changes(after, limit, most_bytes, span_of)

    def stored_changes(self, after: int, limit: int, most_bytes: int) -> list[StoredChange]:
        return self._changes(after, limit, most_bytes, _stored)

    def _changes(
        self, after: int, limit: int, most_bytes: int, read_span: Callable[[_Row], Any]
    ) -> list[Any]:
        tables: list[tuple[str, str, Callable[[_Row], Any], str]] = [
            (SELECT_SPAN, "span", read_span, "1"),  # first: most are, and bound what else is read
            (_SESSION, "session", _session, "1"),
            (_MOMENT, "moment", self._moment, _IS_NOT_DOOMED),
            (_DEPARTURE, "departure", _departure, "1"),
            (REQUEST, "request", request_record, "1"),
        ]
        newer, through, left_bytes = list[Any](), MAX_INT, most_bytes
        for sql, table, read, fits in tables:
            sql += _NEWER.format(table=table, fits=fits)
            rows = self._connection.execute(sql, (after, through, limit))
            for count, row in enumerate(rows, start=1):
                newer.append(one := read(row))
                if isinstance(one, MomentRecord):
                    left_bytes -= len(one.content.payload) + len(one.content.origin)
                if left_bytes <= 0 or count == limit:
                    through = one.change  # what is beyond it is not among the first
                    break
        newer = [row for row in newer if row.change <= through]
        newer.sort(key=lambda row: row.change)
        return newer[:limit]


def _behind(
    session_id: str, after: SpanPosition | None
) -> tuple[str, tuple[apsw.SQLiteValue, ...]]:
    """Return the condition of a session's spans after a place."""
    if after is None:
        return _OF_SESSION, (session_id,)
    where = (
        f"{_OF_SESSION} AND (span.start_ns, span.span_id) >= (?, ?)"
        " AND (span.start_ns, span.span_id, trace.id) > (?, ?, ?)"
    )
    place = (after.start_ns, bytes.fromhex(after.span_id))
    return where, (session_id, *place, *place, bytes.fromhex(after.trace_id))


def _position(place: _Row) -> SpanPosition:
    start_ns, span_id, trace_id = place
    return SpanPosition(start_ns, span_id.hex(), trace_id.hex())


def _place(
    trace_id: str | None, span_id: str | None, session_id: str | None
) -> tuple[str, tuple[apsw.SQLiteValue, ...]]:
    if trace_id is None:
        return "moment.session_no = (SELECT no FROM session WHERE id = ?)", (session_id,)
    where = "moment.trace_no = (SELECT no FROM trace WHERE id = ?) AND moment.span_id IS ?"
    return where, (bytes.fromhex(trace_id), None if span_id is None else bytes.fromhex(span_id))


def _sort_value(order: Order) -> tuple[str, tuple[apsw.SQLiteValue, ...]]:
    """Return `orders.place_of`'s value as an SQL expression with its parameters."""
    column = _SORT_VALUES[order.key]
    parameter = order.unknown if order.key is SortKey.COST else order.now_ns
    return column, (parameter,) * column.count("?")


def _session(row: _Row) -> SessionRecord:
    body, *rest = row
    return SessionRecord(session_row(orjson.loads(body)), *rest)


def session_row(body: dict[str, Any]) -> SessionRow:
    """Return a row from its JSON."""
    body["status"] = SessionStatus(body["status"])
    body["engine"] = Engine(body["engine"])
    for name in ("models", "services", "agents", "tags", "users"):
        body[name] = tuple(body[name])
    return SessionRow(**body)


def _trace(row: _Row) -> TraceRecord:
    return TraceRecord(row[0].hex(), row[1], row[2])


def _departure(row: _Row) -> Tombstone:
    session_id, moved_to, is_whole, change, changed_ns, trace_id = row
    trace_id = None if trace_id is None else trace_id.hex()
    return Tombstone(session_id, moved_to, bool(is_whole), change, changed_ns, trace_id)
