"""`GET /sessions/{id}/statistics`: time, tokens and cost of a session."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from inspector.service.analysis.instant import columns_at
from inspector.service.analysis.model_calls import CallDetails, read_details
from inspector.service.analysis.span_table import SpanTable
from inspector.service.analysis.statistics import Statistics
from inspector.service.http.parts import Parts, ReadParts, ReadPartsDep
from inspector.service.http.prices import price_source
from inspector.service.http.sessions import MOVED, missing_session
from inspector.service.present import statistics as presenter
from inspector.service.storage.base import SessionColumns
from inspector.service.wire import statistics as wire

router = APIRouter(tags=["sessions"])

MAX_SPANS = 200_000
MAX_OPERATIONS = 1000
MAX_NAMES = 500
MAX_RUNS = 10_000
_MAX_OFFSET_NS = 2**62
_NO_COLUMNS: Any = ([] for _ in SessionColumns._fields)
_NO_SPANS = SpanTable(SessionColumns(*_NO_COLUMNS))


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
        bool, Query(description="False omits operations, models, tools and agents.")
    ] = True,
    at_ns: Annotated[
        int | None,
        Query(
            description="Show the session at this instant, counted from its `epoch_ns`.",
            ge=-_MAX_OFFSET_NS,
            le=_MAX_OFFSET_NS,
        ),
    ] = None,
) -> Response:
    """Return the statistics of a session: time, tokens and cost by operation.

    Also by model, tool and agent, with streaming, caching and handoffs.
    """
    with parts.store.read_whole(session_id) as reader:
        session = reader.session(session_id)
        if session is None:
            return missing_session(request, reader, session_id, "session_statistics")
        change, as_of = reader.last_change(session_id), parts.feed.position(reader.head)

    def count() -> tuple[wire.SessionStatistics, int]:
        return _count(*_read(parts, session_id, change), session_id, totals=totals), 1

    if at_ns is None:
        found = parts.statistics.answer((session_id, totals), change, count)
    else:  # not cached: one who goes through a session asks for each instant once
        then = _at(*_read(parts, session_id, change), session.row.epoch_ns + at_ns)
        found = _count(*then, session_id, totals=totals)
    price_list = price_source(parts.pricing) if isinstance(parts, Parts) else None
    body = found.model_copy(update={"as_of": as_of, "price_list": price_list})
    return Response(body.model_dump_json(), media_type="application/json")


def _read(parts: ReadParts, session_id: str, change: int) -> tuple[SpanTable, CallDetails]:
    with parts.store.read_whole(
        session_id
    ) as reader:  # and counted after it: it holds up a store in memory
        table = SpanTable(reader.span_columns(session_id, MAX_SPANS))

        def read() -> tuple[CallDetails, int]:
            found = read_details(reader, table, parts.call_details.last(session_id))
            return found, len(found.by_content)

        return table, parts.call_details.answer(session_id, change, read)


def _at(table: SpanTable, details: CallDetails, at_ns: int) -> tuple[SpanTable, CallDetails]:
    then = SpanTable(columns_at(table.columns, at_ns))
    ended = {
        then.named(place)
        for place, duration_ns in enumerate(then.columns.duration_ns)
        if duration_ns is not None
    }
    return then, CallDetails(
        calls=[one for one in details.calls if one.span in ended],
        handoffs=[one for one in details.handoffs if one.span in ended],
        left_out=details.left_out,
    )


def _count(
    table: SpanTable, details: CallDetails, session_id: str, *, totals: bool
) -> wire.SessionStatistics:
    counted = table if totals else _NO_SPANS
    found = Statistics(counted)
    return wire.SessionStatistics(
        session_id=session_id,
        as_of="",
        span_count=len(table),
        operations=[presenter.operation(one) for one in found.shares(MAX_OPERATIONS)],
        operation_count=len(counted.operations),
        models=[presenter.roll_up(one) for one in found.models(MAX_NAMES)],
        unpriced_models=found.unpriced_models()[:MAX_NAMES],
        price_list=None,
        tools=[presenter.roll_up(one) for one in found.tools(MAX_NAMES)],
        agents=[presenter.roll_up(one) for one in found.agents(MAX_NAMES)],
        agent_runs=presenter.agent_runs(table, MAX_RUNS),
        streams=presenter.streams(details.calls),
        cache=presenter.cache(details.calls)[:MAX_NAMES],
        handoffs=[presenter.handoff(one) for one in details.handoffs[:MAX_NAMES]],
        not_read=details.left_out,
    )
