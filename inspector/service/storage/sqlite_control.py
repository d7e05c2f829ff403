"""Requests, commands and the audit log in SQLite: statements, and conversion to JSON."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any, TypeAlias

import apsw
import orjson

from inspector.service.model.records import Changes, RequestRecord, Waiting, is_over, shown_bytes
from inspector.service.model.rows import (
    AnswerRow,
    AuditRow,
    CommandRow,
    ProcessRow,
    RequestRow,
    RequestStatus,
    RequestSubject,
    TransitionRow,
)
from inspector.service.storage.base import SUBJECT_CHARS, Chunk, page_of

_Row: TypeAlias = tuple[Any, ...]

REQUEST = "SELECT body, change, created, changed_ns FROM request"
_REQUEST_PUT = """
INSERT INTO request (id, change, created, changed_ns, session_id, trace_id, process_id, status,
                     is_over, created_ns, expires_ns, size_bytes, body)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (id) DO UPDATE SET
    change = excluded.change, changed_ns = excluded.changed_ns, session_id = excluded.session_id,
    status = excluded.status, is_over = excluded.is_over, expires_ns = excluded.expires_ns,
    size_bytes = excluded.size_bytes, body = excluded.body"""
_WAITING = (
    "SELECT id, process_id, session_id, status, expires_ns, size_bytes FROM request"
    " WHERE is_over = 0 ORDER BY created_ns, id"
)
_AMONG = "(SELECT value FROM json_each(?))"
_SUBJECTS = (
    "SELECT id, json_extract(CAST(body AS TEXT), '$.tool_name'),"
    f" substr(json_extract(CAST(body AS TEXT), '$.prompt'), 1, {SUBJECT_CHARS}), session_id"
    f" FROM request WHERE id IN {_AMONG}"
)


# --- writing ----------------------------------------------------------------------------------


def apply_control(writer: apsw.Connection, changes: Changes) -> None:
    """Write the control part of `changes`, except for deletions."""
    if changes.requests or changes.ended_commands:
        # Every time: a request that changes is written anew, and leaves what it was.
        writer.pragma("secure_delete", 1)
        try:
            _apply(writer, changes)
        finally:
            writer.pragma("secure_delete", 0)
    else:
        _apply(writer, changes)


def removes_arguments(changes: Changes) -> bool:
    """Return whether `changes` remove arguments, which must then be erased from the file."""
    return bool(changes.ended_commands) or any(is_over(record.row) for record in changes.requests)


def _apply(writer: apsw.Connection, changes: Changes) -> None:
    writer.executemany(_REQUEST_PUT, [_request_columns(record) for record in changes.requests])
    writer.executemany(
        "INSERT INTO command VALUES (?, ?, ?, ?, ?)",
        [
            (one.seq, one.process_id, one.session_id, one.request_id, orjson.dumps(one))
            for one in changes.commands
        ],
    )
    if changes.ended_commands:
        ended = orjson.dumps([end.seq for end in changes.ended_commands]).decode()
        writer.execute(f"DELETE FROM command WHERE seq IN {_AMONG}", (ended,))
    writer.executemany(
        "INSERT OR REPLACE INTO agent VALUES (?, ?)",
        [(process.id, orjson.dumps(process)) for process in changes.processes],
    )
    if changes.gone_processes:
        gone = orjson.dumps(changes.gone_processes).decode()
        writer.execute(f"DELETE FROM agent WHERE id IN {_AMONG}", (gone,))
    writer.executemany(
        "INSERT INTO audit VALUES (?, ?)", [(row.id, orjson.dumps(row)) for row in changes.audit]
    )


def delete_control(writer: apsw.Connection, session_id: str) -> None:
    """Delete the requests and the commands of a session; the audit log stays."""
    answers = "request_id IN (SELECT id FROM request WHERE session_id = ?1)"
    writer.pragma("secure_delete", 1)
    try:
        writer.execute(f"DELETE FROM command WHERE session_id = ?1 OR {answers}", (session_id,))
        writer.execute("DELETE FROM request WHERE session_id = ?", (session_id,))
    finally:
        writer.pragma("secure_delete", 0)


def _request_columns(record: RequestRecord) -> tuple[apsw.SQLiteValue, ...]:
    row = record.row
    return (
        row.id,
        record.change,
        record.created,
        record.changed_ns,
        row.session_id,
        row.trace_id,
        row.process_id,
        row.status.value,
        is_over(row),
        row.created_ns,
        row.expires_ns,
        shown_bytes(row),
        orjson.dumps(row),
    )


# --- reading ----------------------------------------------------------------------------------


class ControlReader:
    """The control part of `SqliteReader`."""

    _connection: apsw.Connection

    def request(self, request_id: str) -> RequestRecord | None:
        rows = self._rows(f"{REQUEST} WHERE id = ?", request_id)
        return request_record(rows[0]) if rows else None

    def requests(
        self,
        status: RequestStatus | None = None,
        session_id: str | None = None,
        after: tuple[int, str] | None = None,
        most: int = 100,
    ) -> Chunk[RequestRecord, tuple[int, str]]:
        conditions: dict[str, tuple[apsw.SQLiteValue, ...]] = {}
        if session_id is not None:
            conditions["session_id = ?"] = (session_id,)
        if status is not None:
            conditions["status = ?"] = (status.value,)
        if after is not None:
            conditions["(created_ns, id) < (?, ?)"] = after
        newest = "ORDER BY created_ns DESC, id DESC LIMIT ?"
        places = self._rows(
            "SELECT created_ns, id, size_bytes FROM request"
            f" WHERE {' AND '.join(conditions) or '1'} {newest}",
            *(value for values in conditions.values() for value in values),
            most + 1,
        )
        page = places[: page_of((place[2] for place in places), most)]
        among = orjson.dumps([place[1] for place in page]).decode()
        rows = self._rows(f"{REQUEST} WHERE id IN {_AMONG}", among)
        found = {record.row.id: record for record in map(request_record, rows)}
        last = page[-1] if len(page) < len(places) else None
        return Chunk([found[place[1]] for place in page], (last[0], last[1]) if last else None)

    def request_subjects(self, request_ids: Collection[str]) -> dict[str, RequestSubject]:
        among = orjson.dumps(list(request_ids)).decode()
        rows = self._rows(_SUBJECTS, among)
        return {request_id: RequestSubject(*about) for request_id, *about in rows}

    def requests_of_trace(self, trace_id: str) -> list[RequestRecord]:
        rows = self._rows(f"{REQUEST} WHERE trace_id = ? ORDER BY created_ns, id", trace_id)
        return [request_record(row) for row in rows]

    def waiting_requests(self) -> list[Waiting]:
        return [
            Waiting(request_id, process_id, session_id, RequestStatus(status), *rest)
            for request_id, process_id, session_id, status, *rest in self._rows(_WAITING)
        ]

    def pending_count(self) -> int:
        sql = "SELECT count(*) FROM request WHERE status = ?"
        return int(self._rows(sql, RequestStatus.PENDING.value)[0][0])

    def command(self, seq: int) -> CommandRow | None:
        rows = self._rows("SELECT body FROM command WHERE seq = ?", seq)
        return _command(rows[0]) if rows else None

    def commands(self, process_id: str, after: int, most: int) -> list[CommandRow]:
        sql = "SELECT body FROM command WHERE process_id = ? AND seq > ? ORDER BY seq LIMIT ?"
        return [_command(row) for row in self._rows(sql, process_id, after, most)]

    def command_count(self, process_id: str) -> int:
        sql = "SELECT count(*) FROM command WHERE process_id = ?"
        return int(self._rows(sql, process_id)[0][0])

    def process(self, process_id: str) -> ProcessRow | None:
        rows = self._rows("SELECT body FROM agent WHERE id = ?", process_id)
        return ProcessRow(**orjson.loads(rows[0][0])) if rows else None

    def processes(self) -> list[ProcessRow]:
        rows = self._rows("SELECT body FROM agent ORDER BY id")
        return [ProcessRow(**orjson.loads(row[0])) for row in rows]

    def audit(self, before: int | None, most: int) -> list[AuditRow]:
        where, start = ("WHERE id < ?", (before,)) if before is not None else ("", ())
        sql = f"SELECT body FROM audit {where} ORDER BY id DESC LIMIT ?"
        return [AuditRow(**orjson.loads(row[0])) for row in self._rows(sql, *start, most)]

    def audit_after(self, after: int, most: int) -> list[AuditRow]:
        sql = "SELECT body FROM audit WHERE id > ? ORDER BY id LIMIT ?"
        return [AuditRow(**orjson.loads(row[0])) for row in self._rows(sql, after, most)]

    def _rows(self, sql: str, *parameters: apsw.SQLiteValue) -> Sequence[_Row]:
        return list(self._connection.execute(sql, parameters))


def request_record(row: _Row) -> RequestRecord:
    """Return the record of a row of the query `REQUEST`."""
    body = orjson.loads(row[0])
    if (answer := body["answer"]) is not None:
        body["answer"] = AnswerRow(**answer)
    body["status"] = RequestStatus(body["status"])
    body["options"] = tuple(body["options"])
    body["transitions"] = tuple(_transition(one) for one in body["transitions"])
    return RequestRecord(RequestRow(**body), *row[1:])


def _transition(body: dict[str, Any]) -> TransitionRow:
    return TransitionRow(**{**body, "status": RequestStatus(body["status"])})


def _command(row: _Row) -> CommandRow:
    body = orjson.loads(row[0])
    return CommandRow(**{**body, "trace_ids": tuple(body["trace_ids"])})
