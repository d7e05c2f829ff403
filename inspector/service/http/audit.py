"""`/audit`: the audit log, actions and their results."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

from fastapi import APIRouter, Query
from starlette.responses import StreamingResponse

from inspector.service.http.cursors import change_cursor, encode_cursor
from inspector.service.http.parts import ReadPartsDep
from inspector.service.present import rows as presenter
from inspector.service.storage.base import ReadableStore
from inspector.service.wire import control as wire_control

router = APIRouter(tags=["control"])

NDJSON = "application/x-ndjson"
_CHUNK = 500


class NdjsonResponse(StreamingResponse):
    """JSON lines."""

    media_type = NDJSON


@router.get("/audit")
def list_audit(
    parts: ReadPartsDep,
    cursor: Annotated[str | None, Query(max_length=2000)] = None,
    limit: Annotated[int, Query(ge=1, le=1000)] = 100,
) -> wire_control.AuditLog:
    """List accepted and refused actions, newest first."""
    with parts.store.read() as reader:
        rows = reader.audit(change_cursor(cursor), limit + 1)
    page = rows[:limit]
    return wire_control.AuditLog(
        entries=[presenter.audit_entry(row) for row in page],
        next_cursor=encode_cursor(page[-1].id) if len(rows) > limit else None,
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
        if not rows:
            return
        after = rows[-1].id
        yield "".join(f"{presenter.audit_entry(row).model_dump_json()}\n" for row in rows)
