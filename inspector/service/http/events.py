"""`GET /events`: the change feed as server-sent events."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from starlette.responses import StreamingResponse

from inspector.service.http.parts import ReadPartsDep

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


class EventStream(StreamingResponse):
    """A response whose schema, set by the route, is that of each item, not of the text."""


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
            max_length=5_000,
            description="Send spans of these sessions only, comma-separated. Rows of other "
            "sessions then come at most once a second, unless the session is new or has ended. "
            "`-` matches no session: rows come at once.",
        ),
    ] = None,
) -> EventStream:
    """Stream changes.

    `Gap` means that the position is unknown: reload the lists. A `SessionUpdated` with `moved_from`
    means that spans moved from that session to this one: reload it.
    """
    # A browser repeats the address it began with; the header says how far it has come since.
    position = request.headers.get("last-event-id") or after
    wanted = {part for part in (session_id or "").split(",") if part}
    return EventStream(parts.feed.stream(position, wanted), headers=HEADERS)
