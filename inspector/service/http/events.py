"""`GET /events`: the change feed as server-sent events."""

from __future__ import annotations

from collections.abc import Sequence
from time import time_ns
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query, Request
from starlette.responses import StreamingResponse

from inspector.service.feed.narrowing import LIST_ROWS, Narrowing
from inspector.service.http.parts import ReadPartsDep
from inspector.service.query import QueryScope, parse_query
from inspector.service.query.syntax import MAX_CHARS

router = APIRouter(tags=["stream"])

# As `fastapi.sse` would write it (OpenAPI 3.2, 4.14.4). Its own response is not used, because it
# takes every event alone through two queues; the feed hands over whole writes.
_RESPONSES: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "Changes since the position, newest version only; then live changes.",
        "content": {
            "text/event-stream": {
                "itemSchema": {
                    "type": "object",
                    "properties": {
                        "id": {"type": "string", "description": "Pass it as `after`."},
                        "data": {
                            "type": "string",
                            "contentMediaType": "application/json",
                            "contentSchema": {"$ref": "#/components/schemas/StreamEvent"},
                        },
                    },
                    "required": ["data"],
                }
            }
        },
    }
}
HEADERS = {
    "Cache-Control": "no-cache",
    "Content-Type": "text/event-stream; charset=utf-8",
    "X-Accel-Buffering": "no",  # nginx would keep events back
}


MAX_IDS_CHARS = 5_000
"""Limit of the list of sessions whose spans are sent."""


class EventStream(StreamingResponse):
    """A response whose schema, set by the route, is that of each item, not of the text."""


def narrowing_of(q: str | None, rows: Sequence[str] | None) -> Narrowing | None:
    """Return the part of the list that the parameters name; None: all of it.

    Raises:
        QueryError: The query is not valid.
    """
    if q is None and rows is None:
        return None
    parse_query(q or "", QueryScope.SESSION, time_ns())  # it is wrong before the stream begins
    return Narrowing((q or "").strip(), frozenset(rows or ()))


@router.get("/events", response_class=EventStream, responses=_RESPONSES)
async def events(
    request: Request,
    parts: ReadPartsDep,
    after: Annotated[
        str | None,
        Query(
            max_length=100,
            description="An `as_of`, or the last id seen; `Last-Event-ID` takes precedence.",
        ),
    ] = None,
    session_id: Annotated[
        str | None,
        Query(
            max_length=MAX_IDS_CHARS,
            description="Send spans of these sessions only, comma-separated. Rows of other "
            "sessions then come at most once a second, unless the session is new or has ended. "
            "`-` matches no session: rows come at once.",
        ),
    ] = None,
    q: Annotated[
        str | None,
        Query(
            max_length=MAX_CHARS,
            description="Send only rows of the list that match this query by their own fields "
            "(where spans decide, they count as matching) or wait for a person, at most 200 a "
            "second. A row that no longer matches is sent once, with `fits: false`.",
        ),
    ] = None,
    rows: Annotated[
        list[str] | None,
        Query(
            max_length=LIST_ROWS,
            description="Sessions whose rows are sent first, whether they match `q` or not.",
        ),
    ] = None,
    until: Annotated[
        Literal["now"] | None,
        Query(description="`now`: end when everything is sent. Default: continue live."),
    ] = None,
    interval_ms: Annotated[
        int | None, Query(ge=10, le=10_000, description="Interval of writes under load.")
    ] = None,
) -> EventStream:
    """Stream changes.

    `Gap` means that the position is unknown: reload the lists. A `SessionUpdated` with `moved_from`
    means that spans moved from that session to this one: reload it. `LeftOut` means that rows of
    the list were not sent: reload the list. A row or `SessionDeleted` with a lower `change` than a
    known one is older: ignore it.
    """
    # A browser repeats the address it began with; the header says how far it has come since.
    position = request.headers.get("last-event-id") or after
    wanted = {part for part in (session_id or "").split(",") if part}
    interval_s = None if interval_ms is None else interval_ms / 1000
    stream = parts.feed.stream(
        position, wanted, narrowing_of(q, rows), is_live=until is None, interval_s=interval_s
    )
    return EventStream(stream, headers=HEADERS)
