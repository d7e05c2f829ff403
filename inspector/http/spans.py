"""`/spans`: one span, whole."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Request
from starlette.responses import Response

from inspector import presenter, wire
from inspector.http.problems import ProblemError
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
