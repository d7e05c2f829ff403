"""`/spans` and `/search`: one span, whole; spans that say something."""

from __future__ import annotations

from time import time_ns
from typing import Annotated

from fastapi import APIRouter, Path, Query, Request
from starlette.responses import Response

from inspector import presenter, wire
from inspector.http.cursors import change_cursor, encode_cursor
from inspector.http.problems import ProblemError
from inspector.http.queries import QUERY, index_state, searching
from inspector.query import Scope, parse_query
from inspector.query.syntax import MAX_CHARS
from inspector.search import PAGE_S
from inspector.storage.base import Store

router = APIRouter(tags=["spans"])


@router.get("/spans/{trace_id}/{span_id}", response_model=wire.SpanDetail)
def get_span(
    request: Request,
    trace_id: Annotated[str, Path(pattern="^[0-9a-f]{32}$")],
    span_id: Annotated[str, Path(pattern="^[0-9a-f]{16}$")],
) -> Response:
    """Return one span: its row, all that was received of it, and what it says."""
    store: Store = request.app.state.store
    with store.read() as reader:
        found = reader.spans(trace_id, (span_id,))
        if not found:
            raise ProblemError(
                404,
                "span_not_found",
                "No such span",
                f"No span {span_id} of trace {trace_id} is stored.",
            )
        content = reader.content(found[0])
        records = reader.moments(trace_id, span_id, None)
    moments = [record.moment() for record in records]
    detail = presenter.span_detail(found[0], content, moments)
    return Response(detail.model_dump_json(), media_type="application/json")


@router.get("/search")
def search(
    request: Request,
    q: Annotated[str, Query(min_length=1, max_length=MAX_CHARS, description=QUERY)],
    cursor: Annotated[str | None, Query(max_length=2000)] = None,
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
) -> wire.SearchResult:
    """Find sessions and spans, newest first."""
    now_ns = time_ns()
    of_sessions = parse_query(q, Scope.SESSION, now_ns)
    of_spans = parse_query(q, Scope.SPAN, now_ns)
    # Two lists in the time of one.
    page_s = PAGE_S / 2 if cursor is None else PAGE_S
    with searching(request, now_ns, page_s=page_s) as looking:
        sessions = looking.sessions(of_sessions, None, limit).rows if cursor is None else []
        page = looking.spans(of_spans, change_cursor(cursor), limit)
        owner_ids = {span.session_id for span in page.rows}
        owners = {id_: looking.reader.session(id_) for id_ in owner_ids}
        index = index_state(looking)
    return wire.SearchResult(
        sessions=[presenter.session(record.row) for record in sessions],
        spans=[
            wire.SearchHit(
                session_id=span.session_id,
                session_title=owner.row.title,
                span=presenter.span_row(span.row()),
            )
            for span in page.rows
            if (owner := owners[span.session_id])
        ],
        next_cursor=encode_cursor(page.next) if page.next is not None else None,
        index=index,
    )
