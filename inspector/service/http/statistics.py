"""`GET /sessions/{id}/statistics`: time, tokens and cost of a session."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from inspector.service.analysis.session_spans import SessionSpans, read_spans
from inspector.service.analysis.span_table import SpanTable
from inspector.service.analysis.statistics import Statistics
from inspector.service.http.parts import ReadParts, ReadPartsDep
from inspector.service.http.sessions import MOVED, missing_session
from inspector.service.present import statistics as presenter
from inspector.service.wire import statistics as wire

router = APIRouter(tags=["sessions"])

MAX_SPANS = 200_000
MAX_OPERATIONS = 1000
MAX_NAMES = 500
MAX_RUNS = 10_000


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
    """Return the statistics of a session: time, tokens and cost by operation.

    By operation, model, tool and agent; how streamed answers came in, what was cached, and who
    handed the conversation to whom.
    """
    with parts.store.read() as reader:
        if reader.session(session_id) is None:
            return missing_session(request, reader, session_id, "session_statistics")
        change, as_of = reader.last_change(session_id), parts.feed.position(reader.head)

    def count() -> tuple[wire.SessionStatistics, int]:
        return _count(_read(parts, session_id, change), session_id, totals=totals), 1

    found = parts.statistics.answer((session_id, totals), change, count)
    body = found.model_copy(update={"as_of": as_of})
    return Response(body.model_dump_json(), media_type="application/json")


def _read(parts: ReadParts, session_id: str, change: int) -> SessionSpans:
    before = parts.session_spans.last(session_id)

    def read() -> tuple[SessionSpans, int]:
        with parts.store.read() as reader:  # and counted after it: it holds up a store in memory
            found = read_spans(reader, session_id, before, MAX_SPANS)
        return found, len(found.spans)

    return parts.session_spans.answer(session_id, change, read)


def _count(read: SessionSpans, session_id: str, *, totals: bool) -> wire.SessionStatistics:
    spans, details = read.spans, read.details
    found = Statistics(SpanTable(spans if totals else []))
    return wire.SessionStatistics(
        session_id=session_id,
        as_of="",
        span_count=len(spans),
        operations=[presenter.operation(share) for share in found.shares[:MAX_OPERATIONS]],
        operation_count=len(found.shares),
        models=[presenter.roll_up(one) for one in found.models[:MAX_NAMES]],
        tools=[presenter.roll_up(one) for one in found.tools[:MAX_NAMES]],
        agents=[presenter.roll_up(one) for one in found.agents[:MAX_NAMES]],
        agent_runs=presenter.agent_runs(spans)[:MAX_RUNS],
        streams=presenter.streams(details.calls),
        cache=presenter.cache(details.calls)[:MAX_NAMES],
        handoffs=[presenter.handoff(one) for one in details.handoffs[:MAX_NAMES]],
        not_read=details.left_out,
    )
