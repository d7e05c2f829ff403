"""`/spans` and `/search`: one span, whole; spans that say something."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Query, Request
from starlette.responses import Response

from inspector import presenter, wire
from inspector.http.problems import ProblemError
from inspector.storage.base import SessionQuery, Store

router = APIRouter(tags=["spans"])

# Contents are looked through one by one: so many take some tens of milliseconds.
_SEARCHED_SPANS = 20_000


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
    q: Annotated[str, Query(min_length=1, max_length=200, description="A piece of text.")],
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
) -> wire.SearchResult:
    """Find sessions by title or id, and recent spans by name (any case) or content (as written)."""
    store: Store = request.app.state.store
    with store.read() as reader:
        sessions = reader.sessions(SessionQuery(text=q, limit=limit))
        found, is_complete = reader.search_spans(q, limit, _SEARCHED_SPANS)
        owners = {span.session_id: reader.session(span.session_id) for span in found}
    return wire.SearchResult(
        sessions=[presenter.session(record.row) for record in sessions],
        spans=[
            wire.SearchHit(
                session_id=span.session_id,
                session_title=owner.row.title,
                span=presenter.span_row(span.row()),
            )
            for span in found
            if (owner := owners[span.session_id])
        ],
        is_complete=is_complete,
    )
