"""`/spans` and `/search`: one span in full, and spans that match a query."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from itertools import chain
from time import time_ns
from typing import Annotated, Any

from fastapi import APIRouter, Path, Query
from starlette.responses import Response

from inspector.service import wire
from inspector.service.analysis.outcome import failure_line
from inspector.service.analysis.truncation import as_text, clamp, find
from inspector.service.http.context import span_context
from inspector.service.http.cursors import change_cursor, encode_cursor
from inspector.service.http.parts import ReadParts, ReadPartsDep
from inspector.service.http.problems import ProblemError, span_not_found
from inspector.service.http.queries import (
    QUERY,
    HasPositions,
    index_state,
    partial_of,
    searching,
)
from inspector.service.model.records import Content, SpanRecord
from inspector.service.model.rows import SpanKind, SpanStatus
from inspector.service.model.times import rfc3339
from inspector.service.normalise import failure_of, span_view
from inspector.service.present import rows as presenter
from inspector.service.query import QueryScope, parse_query
from inspector.service.query.syntax import MAX_CHARS
from inspector.service.search import PAGE_S
from inspector.service.search.documents import placed_session_texts, placed_texts
from inspector.service.search.excerpts import excerpts
from inspector.service.storage.base import Reader, SpanPosition, SpanReader

router = APIRouter(tags=["spans"])


TraceId = Annotated[str, Path(pattern="^[0-9a-f]{32}$")]
SpanId = Annotated[str, Path(pattern="^[0-9a-f]{16}$")]
OfSession = Annotated[
    str | None,
    Query(
        max_length=1000,
        description="The session of the span: 404 if the span is not in it. A trace may be in two "
        "services of a reader, which asks that of the session.",
    ),
]
_MAX_VALUE_BYTES = 64 * 1024 * 1024
_MAX_CALLS_BEFORE = 8
"""Limit of the calls before one that its tools are compared with; agents may take turns."""
_MAX_BEFORE_BYTES = 4 * 1024 * 1024
_TEXT: dict[str, Any] = {
    "text/plain": {"schema": {"type": "string"}},
    "application/json": {"schema": {}},
}


@router.get("/spans/{trace_id}/{span_id}", response_model=wire.SpanDetail)
def get_span(
    parts: ReadPartsDep,
    trace_id: TraceId,
    span_id: SpanId,
    max_value_bytes: Annotated[
        int | None,
        Query(
            ge=256,
            le=_MAX_VALUE_BYTES,
            description="Size limit of a value; longer values are cut and listed in `clamped`.",
        ),
    ] = None,
    session_id: OfSession = None,
) -> Response:
    """Return one span: its row, its received data, and its content in readable form."""
    detail = _detail(parts, trace_id, span_id, session_id)
    if max_value_bytes is None:
        return Response(detail.model_dump_json(), media_type="application/json")
    clamped, cuts = clamp(detail.model_dump(mode="json"), max_value_bytes)
    clamped["clamped"] = [asdict(cut) for cut in cuts]
    text = json.dumps(clamped, ensure_ascii=False, separators=(",", ":"))
    return Response(text.encode(errors="replace"), media_type="application/json")


@router.get(
    "/spans/{trace_id}/{span_id}/value",
    response_class=Response,
    responses={
        200: {"description": "Text unchanged; other values as JSON.", "content": _TEXT},
    },
)
def get_span_value(
    parts: ReadPartsDep,
    trace_id: TraceId,
    span_id: SpanId,
    pointer: Annotated[
        str,
        Query(
            max_length=10_000,
            description="JSON Pointer (RFC 6901) into the complete response for the span, such as "
            "`/attributes/gen_ai.input.messages`.",
        ),
    ],
    session_id: OfSession = None,
) -> Response:
    """Return one complete value of a span."""
    detail = _detail(parts, trace_id, span_id, session_id).model_dump(mode="json")
    try:
        value = find(detail, pointer)
    except LookupError:
        raise ProblemError(
            404,
            "value_not_found",
            "No such value",
            f"Span {span_id} has no value at {pointer!r}. Use a pointer from `clamped` in the "
            "response for the span.",
        ) from None
    media_type = "text/plain" if isinstance(value, str) else "application/json"
    return Response(as_text(value).encode(errors="replace"), media_type=media_type)


def find_span(reader: Reader, trace_id: str, span_id: str, session_id: str | None) -> SpanRecord:
    """Return a span.

    Raises:
        ProblemError: There is none, or it is not in the session that is named.
    """
    for record in reader.spans(trace_id, (span_id,)):
        here = record.session_id
        if session_id is None or here in (session_id, reader.destination(session_id)):
            return record
    raise span_not_found(trace_id, span_id)


def _detail(
    parts: ReadParts, trace_id: str, span_id: str, session_id: str | None
) -> wire.SpanDetail:
    with parts.store.read_trace(trace_id) as reader:
        record = find_span(reader, trace_id, span_id, session_id)
        content = reader.content(record)
        records = reader.moments(trace_id, span_id, None)
        detail = presenter.span_detail(record, content, records)
        if detail.view.llm is not None and detail.view.llm.tools_offered:
            detail.tools_before = _tools_before(reader, record, detail.view.llm.tools_offered)
        if record.kind is SpanKind.LLM:
            detail.context = span_context(reader, record, detail.view)
        if detail.view.tool is not None:
            detail.tool_definition = _definition(reader, record, detail.view.tool.name)
    return detail


def _offered_before(
    reader: Reader, record: SpanRecord
) -> Iterator[tuple[SpanRecord, list[wire.ToolDefinition]]]:
    """Yield the LLM calls before a span that offered tools, the last first, and these tools."""
    room_bytes = _MAX_BEFORE_BYTES
    place = SpanPosition(record.start_ns, record.span_id, record.trace_id)
    calls = reader.calls_before(record.session_id, place, (SpanKind.LLM,), _MAX_CALLS_BEFORE)
    for before in calls:
        room_bytes -= before.size_bytes
        if room_bytes < 0:
            return
        logged = reader.moments(before.trace_id, before.span_id, None)
        view = span_view(reader.content(before).span(), [one.moment() for one in logged])
        if view.llm is not None and view.llm.tools_offered:
            yield before, view.llm.tools_offered


def _definition(reader: Reader, record: SpanRecord, name: str) -> wire.ToolDefinition | None:
    """Return a tool as the last LLM call before a span offered it.

    Hosts put the name of an MCP server before those of its tools: `files_read`, `mcp__files__read`.
    """
    for _, offered in _offered_before(reader, record):
        same = (tool for tool in offered if tool.name == name)
        longer = (tool for tool in offered if _ends_with(tool.name, name))
        if (found := next(chain(same, longer), None)) is not None:
            return found
    return None


def _ends_with(offered: str, name: str) -> bool:
    return offered.endswith(name) and not offered.removesuffix(name)[-1:].isalnum()


def _tools_before(
    reader: Reader, record: SpanRecord, tools: Sequence[wire.ToolDefinition]
) -> wire.ToolsBefore | None:
    """Compare the tools of an LLM call with those of the calls before it."""
    nearest = None
    for before, offered in _offered_before(reader, record):
        now, then = ({tool.name: tool for tool in of} for of in (tools, offered))
        found = wire.ToolsBefore(
            trace_id=before.trace_id,
            span_id=before.span_id,
            added=[name for name in now if name not in then],
            removed=[name for name in then if name not in now],
            changed=[name for name, tool in now.items() if then.get(name, tool) != tool],
        )
        if not (found.added or found.removed or found.changed):
            return found
        nearest = nearest or found
    return nearest


@router.get("/search")
def search(
    parts: ReadPartsDep,
    q: Annotated[str, Query(min_length=1, max_length=MAX_CHARS, description=QUERY)],
    cursor: Annotated[str | None, Query(max_length=2000)] = None,
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
    positions: HasPositions = False,
) -> wire.SearchResult:
    """Find sessions and spans, newest first."""
    now_ns = time_ns()
    of_sessions = parse_query(q, QueryScope.SESSION, now_ns)
    of_spans = parse_query(q, QueryScope.SPAN, now_ns)
    # Two lists in the time of one.
    page_s = PAGE_S / 2 if cursor is None else PAGE_S
    with searching(parts, now_ns, page_s=page_s) as looking:
        sessions = []
        if cursor is None:
            sessions = looking.sessions(of_sessions, None, limit, has_next=False).rows
        page = looking.spans(of_spans, change_cursor(cursor), limit)
        owner_ids = {span.session_id for span in page.rows}
        owners = {id_: looking.reader.session(id_) for id_ in owner_ids}
        contents = [looking.source.content(span) for span in page.rows]
        found = [
            excerpts(placed_texts(span, content), of_spans)
            for span, content in zip(page.rows, contents, strict=True)
        ]
        errors = [
            _error_of(looking.source, span, content)
            for span, content in zip(page.rows, contents, strict=True)
        ]
        index, partial = index_state(looking), partial_of(looking)
    return wire.SearchResult(
        sessions=[
            wire.SessionHit(
                **presenter.session_fields(record),
                excerpts=[
                    wire.Excerpt(**asdict(one))
                    for one in excerpts(placed_session_texts(record), of_sessions)
                ],
            )
            for record in sessions
        ],
        spans=[
            wire.SearchHit(
                session_id=span.session_id,
                session_title=owner.row.title,
                session_status=owner.row.status,
                session_started_at=rfc3339(owner.row.started_ns),
                span=presenter.span_row(span.row()),
                error=error,
                excerpts=[wire.Excerpt(**asdict(one)) for one in texts],
            )
            for span, texts, error in zip(page.rows, found, errors, strict=True)
            if (owner := owners[span.session_id])
        ],
        next_cursor=encode_cursor(page.next) if page.next is not None else None,
        index=index,
        partial=partial,
        positions=[
            wire.ListPosition(value=span.changed_ns, cursor=encode_cursor(span.change))
            for span in page.rows
            if owners[span.session_id]
        ]
        if positions
        else None,
    )


def _error_of(source: SpanReader, record: SpanRecord, content: Content) -> str | None:
    if record.status is not SpanStatus.ERROR:
        return None
    span = content.span()
    moments = [one.moment() for one in source.moments(record.trace_id, record.span_id, None)]
    return failure_line(failure_of(span, moments), span.status.message)
