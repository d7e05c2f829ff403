"""`/audit`: the audit log, actions and their results."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Annotated, Literal

from fastapi import APIRouter, Query
from starlette.responses import StreamingResponse

from inspector.service.http.cursors import change_cursor, encode_cursor
from inspector.service.http.parts import ReadPartsDep
from inspector.service.http.queries import HasPositions
from inspector.service.model.rows import AuditRow
from inspector.service.present import rows as presenter
from inspector.service.storage.base import ReadableStore, Reader
from inspector.service.wire import ListPosition
from inspector.service.wire import control as wire_control

router = APIRouter(tags=["control"])

NDJSON = "application/x-ndjson"
_CHUNK = 500
_MOST_READ = 20_000
"""Limit of the entries that are read for a page of those that match."""
_BY_THEMSELVES = frozenset({"agent", "service"})
"""The origins of what nobody asked for."""


class NdjsonResponse(StreamingResponse):
    """JSON lines."""

    media_type = NDJSON


@router.get("/audit")
def list_audit(
    parts: ReadPartsDep,
    by: Annotated[
        Literal["people", "all"],
        Query(
            description="`people`: without actions of agents and the service, such as opening a "
            "request. Includes actions over the API and MCP."
        ),
    ] = "all",
    origin: wire_control.Origin | None = None,
    result: wire_control.AuditResult | None = None,
    q: Annotated[
        str | None,
        Query(max_length=1000, description="Text in any part of an entry; ignores case."),
    ] = None,
    cursor: Annotated[str | None, Query(max_length=2000)] = None,
    limit: Annotated[int, Query(ge=1, le=1000)] = 100,
    positions: HasPositions = False,
) -> wire_control.AuditLog:
    """List accepted and refused actions, newest first."""

    def is_wanted(row: AuditRow) -> bool:
        return (
            (by == "all" or row.origin not in _BY_THEMSELVES)
            and origin in (None, row.origin)
            and result in (None, row.result)
        )

    found: list[wire_control.AuditEntry] = []
    before, has_more = change_cursor(cursor), True
    with parts.store.read() as reader:
        for _ in range(_MOST_READ // _CHUNK):
            rows = reader.audit(before, _CHUNK)
            entries = _presented(reader, filter(is_wanted, rows))
            found += entries if q is None else (one for one in entries if _says(one, q.casefold()))
            has_more = len(rows) == _CHUNK or len(found) > limit
            if len(found) >= limit or not has_more:
                break
            before = rows[-1].id
    last = found[limit - 1].id if len(found) >= limit else before
    return wire_control.AuditLog(
        entries=found[:limit],
        next_cursor=encode_cursor(last) if has_more and last is not None else None,
        positions=[
            ListPosition(value=one.at, cursor=encode_cursor(one.id)) for one in found[:limit]
        ]
        if positions
        else None,
    )


@router.get("/audit/export", response_class=NdjsonResponse)
def export_audit(parts: ReadPartsDep) -> NdjsonResponse:
    """Return the whole audit log as JSON lines, oldest first."""
    return NdjsonResponse(_lines(parts.store))


def _lines(store: ReadableStore) -> Iterator[str]:
    """Yield page by page: a log that is long holds no snapshot for long."""
    after = 0
    while True:
        with store.read() as reader:
            rows = reader.audit_after(after, _CHUNK)
            entries = _presented(reader, rows)
        if not rows:
            return
        after = rows[-1].id
        yield "".join(f"{one.model_dump_json()}\n" for one in entries)


def _presented(reader: Reader, rows: Iterable[AuditRow]) -> list[wire_control.AuditEntry]:
    """Return entries with what their requests and sessions say now."""
    rows = list(rows)
    subjects = reader.request_subjects({row.request_id for row in rows if row.request_id})
    found = [(row, subjects.get(row.request_id or "")) for row in rows]
    # A request goes along when its trace moves to another session.
    owners = [subject.session_id if subject else row.session_id for row, subject in found]
    titles = {one.row.id: one.row.title for one in reader.sessions(set(filter(None, owners)))}
    return [
        presenter.audit_entry(row, subject, titles.get(owner or ""))
        for (row, subject), owner in zip(found, owners, strict=True)
    ]


def _says(entry: wire_control.AuditEntry, text: str) -> bool:
    values = entry.model_dump(exclude={"id", "args_hash", "is_edited"}).values()
    return any(text in str(value).casefold() for value in values if value is not None)
