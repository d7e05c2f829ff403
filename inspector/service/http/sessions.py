"""`/sessions`: the list, one session, its spans, its deletion."""

from __future__ import annotations

from collections.abc import Iterator
from time import time_ns
from typing import Annotated, Any, Literal

import orjson
from fastapi import APIRouter, Depends, Query, Request
from starlette.responses import RedirectResponse, Response

from inspector.service import wire
from inspector.service.http.audit import NDJSON, NdjsonResponse
from inspector.service.http.cursors import encode_cursor, session_cursor, sort_cursor, span_cursor
from inspector.service.http.parts import PartsDep, ReadParts, ReadPartsDep
from inspector.service.http.problems import ProblemError, session_not_found
from inspector.service.http.queries import (
    MAX_MS,
    HasPositions,
    QueryText,
    SinceMs,
    UntilMs,
    index_state,
    partial_of,
    searching,
)
from inspector.service.model.records import SessionRecord
from inspector.service.model.rows import SessionStatus
from inspector.service.model.times import rfc3339
from inspector.service.present import rows as presenter
from inspector.service.query import QueryScope, parse_query
from inspector.service.query.fields import SESSION_FIELDS
from inspector.service.query.tree import All, Compare, Node, Operator, one_of
from inspector.service.search.histogram import Buckets, count_all, count_sessions
from inspector.service.search.search import SORT_S
from inspector.service.search.usage import UsageKey, group_usage
from inspector.service.storage.base import Reader, SpanLines, SpanPosition, TooLateError
from inspector.service.storage.orders import Order, SortKey, place_of

router = APIRouter(tags=["sessions"])

MOVED: dict[int | str, dict[str, Any]] = {
    308: {"description": "Merged into another session; see `Location`."}
}
_JSON = "application/json"
_NEXT_CURSOR = {
    "Inspector-Next-Cursor": {
        "description": "`next_cursor`, to request the next page while this one arrives; absent on "
        "the last page.",
        "schema": {"type": "string"},
    }
}


@router.get("/sessions")
def list_sessions(
    parts: ReadPartsDep,
    status: Annotated[
        list[SessionStatus] | None, Query(description="Sessions with any of these statuses.")
    ] = None,
    q: QueryText = "",
    sort: Annotated[
        wire.SessionSort, Query(description="Sort order; `-` is descending.")
    ] = "-started",
    since_ms: SinceMs = None,
    until_ms: UntilMs = None,
    cursor: Annotated[str | None, Query(max_length=4000)] = None,
    limit: Annotated[int, Query(ge=1, le=1000)] = 100,
    positions: HasPositions = False,
) -> wire.SessionList:
    """List sessions, newest start first by default.

    With a query, a page may be short or empty without being the last: see `next_cursor`. Unknown
    values, such as a cost, sort last in either direction.

    Errors: `too_many_sessions` (422) where sorting takes longer than 10 s.
    """
    now_ns = time_ns()
    wanted = All(
        (
            parse_query(q, QueryScope.SESSION, now_ns),
            one_of(SESSION_FIELDS["status"], status),
            *_began(Operator.AT_LEAST, since_ms),
            *_began(Operator.LESS, until_ms),
        )
    )
    order = Order.parse(sort, now_ns)
    with searching(parts, now_ns) as search:
        if order.name == "-started":
            newest = search.sessions(wanted, session_cursor(cursor), limit)
            rows, next_cursor = newest.rows, encode_cursor(*newest.next) if newest.next else None
        else:
            order, after = sort_cursor(cursor, order)
            try:
                page = search.sorted_sessions(wanted, order, after, limit)
            except TooLateError as error:
                raise ProblemError(
                    422,
                    "too_many_sessions",
                    "Too many sessions",
                    f"Sorting the sessions by {order.name.lstrip('-')} took longer than"
                    f" {SORT_S:.0f} s. Narrow the list, as by started>-7d, or sort it by started.",
                ) from error
            rows, next_cursor = page.rows, None
            if page.next:
                next_cursor = encode_cursor(order.name, order.now_ns, *page.next)
        head, index = search.reader.head, index_state(search) if q else None
        partial = partial_of(search)
    return wire.SessionList(
        sessions=[presenter.session(record) for record in rows],
        next_cursor=next_cursor,
        index=index,
        partial=partial,
        as_of=parts.feed.position(head),
        positions=[_position(record, order) for record in rows] if positions else None,
    )


def _position(record: SessionRecord, order: Order) -> wire.ListPosition:
    value, id_ = place_of(record.row, record.change, order)
    if order.name == "-started":
        return wire.ListPosition(value=value, cursor=encode_cursor(value, id_))
    cursor = encode_cursor(order.name, order.now_ns, value, id_)
    # Change numbers of different stores say nothing about each other.
    is_change = order.key is SortKey.CHANGED
    return wire.ListPosition(value=record.changed_ns if is_change else value, cursor=cursor)


def _began(operator: Operator, at_ms: int | None) -> list[Compare]:
    if at_ms is None:
        return []
    return [Compare(SESSION_FIELDS["started"], operator, at_ms * 1_000_000)]


def _filter(
    q: QueryText = "",
    since_ms: SinceMs = None,
    until_ms: UntilMs = None,
) -> Node:
    """Return the condition of a list's query and range of time."""
    return All(
        (
            parse_query(q, QueryScope.SESSION, time_ns()),
            *_began(Operator.AT_LEAST, since_ms),
            *_began(Operator.LESS, until_ms),
        )
    )


_FilterDep = Annotated[Node, Depends(_filter)]


@router.get("/sessions/count")
def session_count(
    parts: ReadPartsDep,
    wanted: _FilterDep,
    cursor: Annotated[str | None, Query(max_length=4000)] = None,
) -> wire.SessionCount:
    """Count the sessions that match a filter.

    Each page has a time limit: add up the counts of all pages. One is enough for a million sessions
    and a simple filter.
    """
    with searching(parts, time_ns()) as search:
        found = count_all(search, wanted, session_cursor(cursor))
        partial = partial_of(search)
    return wire.SessionCount(
        count=found.count,
        next_cursor=encode_cursor(*found.next) if found.next else None,
        partial=partial,
    )


@router.get("/sessions/histogram")
def session_histogram(
    parts: ReadPartsDep,
    q: QueryText = "",
    until_ms: Annotated[
        int | None, Query(ge=0, le=MAX_MS, description="Unix time; default: now.")
    ] = None,
    bucket_ms: Annotated[int, Query(ge=1, le=MAX_MS // 200)] = 60_000,
    buckets: Annotated[int, Query(ge=1, le=200)] = 60,
) -> wire.SessionHistogram:
    """Count sessions per interval of their start, by status."""
    now_ns = time_ns()
    width_ns = bucket_ms * 1_000_000
    # Its bounds stay where they are while time passes: a bar does not wander.
    last = (now_ns if until_ms is None else until_ms * 1_000_000) // width_ns
    histogram = Buckets(max(last - buckets + 1, 0) * width_ns, width_ns, buckets)
    wanted = parse_query(q, QueryScope.SESSION, now_ns)
    with searching(parts, now_ns) as search:
        found = count_sessions(search, wanted, histogram)
        partial = partial_of(search)
    counts: list[dict[SessionStatus, int]] = [{} for _ in range(buckets)]
    for (place, status), number in sorted(found.counts.items()):
        counts[place][status] = number
    return wire.SessionHistogram(
        bucket_ms=bucket_ms,
        buckets=[
            wire.SessionBucket(started_at=rfc3339(histogram.first_ns + n * width_ns), counts=one)
            for n, one in enumerate(counts)
        ],
        counted_from=None if found.counted_from_ns is None else rfc3339(found.counted_from_ns),
        partial=partial,
    )


@router.get("/sessions/usage")
def session_usage(
    parts: ReadPartsDep,
    wanted: _FilterDep,
    by: Annotated[UsageKey, Query(description="Key to group by.")] = UsageKey.USER,
) -> wire.SessionUsage:
    """Sum calls, tokens and cost of sessions by user, tag, model or day.

    A session with two users or tags counts for both.
    """
    with searching(parts, time_ns()) as search:
        found = group_usage(search, wanted, by)
        partial = partial_of(search)
    return presenter.usage(found, by).model_copy(update={"partial": partial})


@router.get(
    "/sessions/{session_id:path}/spans",
    response_model=wire.SpanSkeleton | wire.SpanColumns,
    responses={
        **MOVED,
        200: {"headers": _NEXT_CURSOR, "content": {NDJSON: {"schema": {"type": "string"}}}},
    },
)
def list_spans(
    request: Request,
    parts: ReadPartsDep,
    session_id: str,
    format: Annotated[
        Literal["rows", "columns", "pages"],
        Query(
            description="`columns`: one array per field. `pages`: all pages from the cursor on, "
            "one line of columns each."
        ),
    ] = "rows",
    cursor: Annotated[str | None, Query(max_length=2000)] = None,
    limit: Annotated[int, Query(ge=1, le=20_000)] = 2_000,
) -> Response:
    """List a session's spans by (offset, span id).

    To miss nothing, read all pages, then `/events?after=` with the first page's `as_of`.
    """
    position = span_cursor(cursor)
    with parts.store.read_whole(session_id) as reader:
        session = reader.session(session_id)
        if session is None:
            return missing_session(request, reader, session_id, "list_spans")
        if format == "pages":
            return NdjsonResponse(_pages(parts, session_id, position, limit))
        is_columns = format == "columns"
        page = reader.span_lines(session_id, position, limit, is_columns=is_columns)
        frame = _frame(parts, reader, session, page, "columns" if is_columns else "spans")
    next_cursor = frame["next_cursor"]
    headers = {"Inspector-Next-Cursor": next_cursor} if next_cursor else None
    # Straight to bytes: FastAPI would check every row once more.
    return Response(orjson.dumps(frame), media_type=_JSON, headers=headers)


def _pages(
    parts: ReadParts, session_id: str, position: SpanPosition | None, limit: int
) -> Iterator[bytes]:
    """Yield page by page: a session that is long holds no snapshot for long."""
    while True:
        with parts.store.read_whole(session_id) as reader:
            session = reader.session(session_id)
            if session is None:  # deleted meanwhile, as the feed says
                return
            page = reader.span_lines(session_id, position, limit, is_columns=True)
            frame = _frame(parts, reader, session, page, "columns")
        yield orjson.dumps(frame, option=orjson.OPT_APPEND_NEWLINE)
        position = page.next
        if position is None:
            return


def _frame(
    parts: ReadParts, reader: Reader, session: SessionRecord, page: SpanLines, name: str
) -> dict[str, Any]:
    last = page.next
    return {
        "session_id": session.row.id,
        "epoch_ns": str(session.row.epoch_ns),
        "next_cursor": encode_cursor(last.start_ns, last.span_id, last.trace_id) if last else None,
        "as_of": parts.feed.position(reader.head),
        name: orjson.Fragment(page.json),
    }


@router.get(
    "/sessions/{session_id:path}/last-good", response_model=wire.LastGoodSession, responses=MOVED
)
def get_last_good_session(request: Request, parts: ReadPartsDep, session_id: str) -> Response:
    """Find the last good session with the same title, to compare a failed session with."""
    with parts.store.read() as reader:
        record = reader.session(session_id)
        if record is None:
            return missing_session(request, reader, session_id, "get_last_good_session")
        title = record.row.title
        # Sessions without a title have nothing in common.
        found = wire.LastGoodSession(session_id=reader.last_good_session(title) if title else None)
    return Response(found.model_dump_json(), media_type=_JSON)


@router.get("/sessions/{session_id:path}", response_model=wire.Session, responses=MOVED)
def get_session(request: Request, parts: ReadPartsDep, session_id: str) -> Response:
    """Return one session."""
    with parts.store.read() as reader:
        record = reader.session(session_id)
        if record is None:
            return missing_session(request, reader, session_id, "get_session")
    return Response(presenter.session(record).model_dump_json(), media_type=_JSON)


@router.delete(
    "/sessions/{session_id:path}", status_code=204, response_class=Response, responses=MOVED
)
async def delete_session(request: Request, parts: PartsDep, session_id: str) -> Response:
    """Permanently delete a session with its spans; later telemetry starts a new one."""
    if await parts.writer.delete(session_id):
        return Response(status_code=204)
    with parts.store.read() as reader:
        return missing_session(request, reader, session_id, "delete_session")


def missing_session(request: Request, reader: Reader, session_id: str, route: str) -> Response:
    """Redirect to the session that a missing one was merged into.

    Raises:
        ProblemError: There was no such session.
    """
    target = reader.destination(session_id)
    if target is None:
        raise session_not_found(session_id)
    url = request.url_for(route, session_id=target).include_query_params(**request.query_params)
    return RedirectResponse(url.path + (f"?{url.query}" if url.query else ""), status_code=308)
