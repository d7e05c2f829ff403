"""`GET /sessions/{id}/mcp`: the messages between MCP clients and servers.

The first pages go through the session's spans, then through its moments; after that `since` gets
the changes. A page ends at a limit of what was read, so each request stays short.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Annotated

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from inspector.service.analysis.mcp_log import (
    Exchange,
    entries_of_exchange,
    entries_of_moment,
    exchange_of,
    is_about_mcp,
    whole_frame,
    whole_record,
)
from inspector.service.http.cursors import encode_cursor, log_cursor
from inspector.service.http.parts import ReadPartsDep
from inspector.service.http.problems import ProblemError
from inspector.service.http.sessions import MOVED, missing_session
from inspector.service.model.records import Content, MomentRecord, SpanRecord
from inspector.service.model.rows import SpanKind
from inspector.service.query.fields import SPAN_FIELDS
from inspector.service.query.tree import one_of
from inspector.service.storage.base import Reader, SpanPosition
from inspector.service.wire.mcp_log import McpEntry, McpFrame, McpLog

router = APIRouter(tags=["sessions"])

MAX_SINCE = 5_000
"""Changed spans that are read; after more, a client reads all anew."""
_PAGE_BYTES = 8 * 2**20
_MOMENTS = 2_000
_KINDS = (SpanKind.MCP, SpanKind.TOOL, SpanKind.RESOURCE, SpanKind.PROMPT)
_SPANS = one_of(SPAN_FIELDS["kind"], _KINDS)
_JSON = "application/json"
_SPAN_KEY = re.compile(r"([0-9a-f]{32})\.([0-9a-f]{16}):(?:request|response)")
_RECORD_KEY = re.compile(r"m([0-9]{1,18})")


@router.get("/sessions/{session_id:path}/mcp", response_model=McpLog, responses=MOVED)
def read_mcp_log(
    request: Request,
    parts: ReadPartsDep,
    session_id: str,
    cursor: Annotated[str | None, Query(max_length=2000)] = None,
    since: Annotated[
        int | None,
        Query(
            ge=0,
            lt=2**63,
            description="`change` of an earlier response: return later entries only.",
        ),
    ] = None,
    limit: Annotated[int, Query(ge=1, le=2_000, description="Number of spans to read.")] = 500,
) -> Response:
    """List the MCP messages of a session in both directions, with connection events.

    Read all pages; then poll with `since` set to the first page's `change`.
    """
    position = log_cursor(cursor)
    with parts.store.read_whole(session_id) as reader:
        session = reader.session(session_id)
        if session is None:
            return missing_session(request, reader, session_id, "read_mcp_log")
        page = _Page(reader, session_id, session.row.epoch_ns, limit)
        if since is not None:
            page.read_since(since)
        elif isinstance(position, int):
            page.read_moments(position)
        else:
            page.read_spans(position)
        log = McpLog(
            session_id=session_id,
            epoch_ns=str(session.row.epoch_ns),
            entries=page.entries,
            next_cursor=page.next_cursor,
            change=reader.head if page.change is None else page.change,
            is_gap=page.is_gap,
        )
    return Response(log.model_dump_json(), media_type=_JSON)


@router.get("/sessions/{session_id:path}/mcp/frame", response_model=McpFrame, responses=MOVED)
def read_mcp_frame(
    request: Request,
    parts: ReadPartsDep,
    session_id: str,
    key: Annotated[str, Query(max_length=200, description="`key` of a log entry.")],
) -> Response:
    """Return one complete message, exactly as captured."""
    with parts.store.read_whole(session_id) as reader:
        if reader.session(session_id) is None:
            return missing_session(request, reader, session_id, "read_mcp_frame")
        frame = _frame(reader, session_id, key)
    if frame is None:
        raise ProblemError(
            404,
            "frame_not_found",
            "No such message",
            f"Session {session_id!r} has no MCP message {key!r}.",
        )
    return Response(frame.model_dump_json(), media_type=_JSON)


class _Page:
    """A part of the log, read from one snapshot."""

    def __init__(self, reader: Reader, session_id: str, epoch_ns: int, limit: int) -> None:
        self._reader, self._session_id, self._epoch_ns = reader, session_id, epoch_ns
        self._limit = limit
        self.entries: list[McpEntry] = []
        self.next_cursor: str | None = None
        self.change: int | None = None
        """The last change that is covered; None: the snapshot's newest."""
        self.is_gap = False

    def read_spans(self, after: SpanPosition | None) -> None:
        found = self._reader.spans_of(self._session_id, after, self._limit + 1, _SPANS)
        page = _within(found[: self._limit], _PAGE_BYTES)
        self._add_spans(page)
        if len(page) < len(found):
            last = page[-1]
            self.next_cursor = encode_cursor(last.start_ns, last.span_id, last.trace_id)
        else:
            self.next_cursor = encode_cursor(0)

    def read_moments(self, after: int) -> None:
        last = self._add_moments(after)
        self.next_cursor = None if last is None else encode_cursor(last)

    def read_since(self, change: int) -> None:
        """Read what changed after a change, spans by their newest version."""
        changed: list[SpanRecord] = []
        before: int | None = None
        for _ in range(MAX_SINCE // 500):
            chunk = self._reader.newest_spans(_SPANS, before, 500)
            changed += (row for row in chunk.rows if row.change > change)
            before = chunk.next
            if before is None or before <= change:
                break
        else:
            self.is_gap = True
            return
        own = [row for row in changed if row.session_id == self._session_id]
        if sum(row.size_bytes for row in own) > 2 * _PAGE_BYTES:
            self.is_gap = True
            return
        self._add_spans(own)
        # More moments than a page: `change` is how far this answer covers them.
        self.change = self._add_moments(change)

    def _add_spans(self, records: Sequence[SpanRecord]) -> None:
        for found in _exchanges(self._reader, records):
            self.entries += entries_of_exchange(found, self._epoch_ns)

    def _add_moments(self, after: int) -> int | None:
        """Return the change of the last one that was read; None: there are no more."""
        records = self._reader.moments_of(self._session_id, after, _MOMENTS)
        room_bytes = _PAGE_BYTES
        for record in records:
            if not is_about_mcp(record.name):
                continue
            self.entries += entries_of_moment(record.moment(), record.change, self._epoch_ns)
            room_bytes -= len(record.content.payload)
            if room_bytes < 0:
                return record.change
        return records[-1].change if len(records) == _MOMENTS else None


def _within(records: list[SpanRecord], most_bytes: int) -> list[SpanRecord]:
    """Return the first records, at least one, that are within `most_bytes` together."""
    for place, record in enumerate(records):
        most_bytes -= record.size_bytes
        if most_bytes < 0 and place:
            return records[:place]
    return records


def _exchanges(reader: Reader, records: Sequence[SpanRecord]) -> Iterator[Exchange]:
    scopes: dict[bytes, str] = {}
    contents = reader.contents([record.content for record in records])
    for record, content in zip(records, contents, strict=True):
        if record.kind not in _KINDS:  # a store may return others too
            continue
        found = exchange_of(record.row(), content.span(), _scope_of(content, scopes))
        if found is not None:
            yield found


def _scope_of(content: Content, known: dict[bytes, str]) -> str:
    if content.origin not in known:
        scopes = content.resource_spans().scope_spans
        known[content.origin] = scopes[0].scope.name if scopes else ""
    return known[content.origin]


def _frame(reader: Reader, session_id: str, key: str) -> McpFrame | None:
    if place := _SPAN_KEY.fullmatch(key):
        records = [
            record
            for record in reader.spans(place[1], (place[2],))
            if record.session_id == session_id
        ]
        return next((whole_frame(found, key) for found in _exchanges(reader, records)), None)
    if place := _RECORD_KEY.fullmatch(key):
        change = int(place[1])
        records_: list[MomentRecord] = reader.moments_of(session_id, change - 1, 1)
        if records_ and records_[0].change == change and is_about_mcp(records_[0].name):
            return whole_record(records_[0].moment(), key)
    return None
