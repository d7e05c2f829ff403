"""`GET /sessions/{id}/statistics`: time, tokens and cost of a session."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from inspector.service.analysis.model_calls import look
from inspector.service.analysis.span_tree import SpanTree
from inspector.service.analysis.statistics import Statistics
from inspector.service.http.parts import ReadPartsDep
from inspector.service.http.sessions import MOVED, elsewhere
from inspector.service.model.records import SpanRecord
from inspector.service.present import statistics as presenter
from inspector.service.storage.base import Reader, SpanPosition
from inspector.service.wire import statistics as wire

router = APIRouter(tags=["sessions"])

MAX_SPANS = 200_000
MAX_OPERATIONS = 1000
MAX_NAMES = 500
_PAGE = 20_000


@router.get(
    "/sessions/{session_id:path}/statistics",
    response_model=wire.SessionStatistics,
    responses=MOVED,
)
def session_statistics(
    request: Request,
    parts: ReadPartsDep,
    session_id: str,
    totals: Annotated[
        bool, Query(description="False: without operations, models, tools and agents.")
    ] = True,
) -> Response:
    """Say where the time, the tokens and the money of a session went.

    By operation, model, tool and agent; how streamed answers came in, what was cached, and who
    handed the conversation to whom.
    """
    with parts.store.read() as reader:
        if reader.session(session_id) is None:
            return elsewhere(request, reader, session_id, "session_statistics")
        found = parts.statistics.answer(
            (session_id, totals),
            reader.last_change(session_id),
            lambda: (_counted(reader, session_id, totals=totals), 1),
        )
        body = found.model_copy(update={"as_of": parts.feed.position(reader.head)})
    return Response(body.model_dump_json(), media_type="application/json")


def _counted(reader: Reader, session_id: str, *, totals: bool) -> wire.SessionStatistics:
    records = _records(reader, session_id)
    looked = look(reader, records)
    rows = [record.row() for record in records] if totals else []
    found = Statistics(SpanTree.of(rows), looked.agents)
    return wire.SessionStatistics(
        session_id=session_id,
        as_of="",
        span_count=len(records),
        operations=[presenter.operation(share) for share in found.shares[:MAX_OPERATIONS]],
        operation_count=len(found.shares),
        models=[presenter.roll_up(one) for one in found.models[:MAX_NAMES]],
        tools=[presenter.roll_up(one) for one in found.tools[:MAX_NAMES]],
        agents=[presenter.roll_up(one) for one in found.agents[:MAX_NAMES]],
        agent_runs=presenter.agent_runs(looked.agents),
        streams=presenter.streams(looked.calls),
        cache=presenter.cache(looked.calls)[:MAX_NAMES],
        handoffs=[presenter.handoff(one) for one in looked.handoffs[:MAX_NAMES]],
        not_read=looked.left_out,
    )


def _records(reader: Reader, session_id: str) -> list[SpanRecord]:
    records: list[SpanRecord] = []
    after: SpanPosition | None = None
    while len(records) < MAX_SPANS:
        page = reader.spans_of(session_id, after, _PAGE)
        records += page
        if len(page) < _PAGE:
            break
        after = SpanPosition(page[-1].start_ns, page[-1].span_id, page[-1].trace_id)
    return records
