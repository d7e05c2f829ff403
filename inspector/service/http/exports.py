"""`GET /trace/{id}`: a session as a file.

It is made anew for each request and never stored: the same session gives the same bytes, so that a
range of it can be read, at the price of making what is before. Its length and its end are
remembered once it was made.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from fastapi import APIRouter, Request
from starlette.concurrency import iterate_in_threadpool
from starlette.responses import Response, StreamingResponse

from inspector.service.files.export import PACKING, packed_session
from inspector.service.http.parts import ReadPartsDep
from inspector.service.http.ranges import Measure, fits, measured, requested_range, resolve, stretch
from inspector.service.http.sessions import MOVED, missing_session

router = APIRouter(tags=["sessions"])

_TYPE = "application/gzip"
_FILE: dict[str, Any] = {_TYPE: {"schema": {"type": "string", "format": "binary"}}}


@router.get(
    "/trace/{session_id:path}",
    response_class=Response,
    responses={
        200: {
            "description": "OTLP JSON, one `TracesData` or `LogsData` a line, gzipped; with an "
            "`ETag` once the session has ended.",
            "content": _FILE,
        },
        206: {"description": "The requested `Range`; one range of bytes.", "content": _FILE},
        304: {"description": "Not changed since the given `ETag`."},
        416: {"description": "The range is outside the file."},
        **MOVED,
    },
)
def export_session(request: Request, parts: ReadPartsDep, session_id: str) -> Response:
    """Export all received data of a session; import it elsewhere with `POST /import`."""
    store = parts.store
    with store.read_whole(session_id) as reader:
        record = reader.session(session_id)
        if record is None:
            return missing_session(request, reader, session_id, "export_session")
        position = parts.feed.position(reader.last_change(session_id))
        # Packed otherwise by a newer version, it is another file.
        tag = f'"{position}.{PACKING}"' if record.settled else ""
    headers = {"Content-Disposition": 'attachment; filename="session.otlp.jsonl.gz"'}
    if tag:
        headers |= {"ETag": tag, "Accept-Ranges": "bytes"}
        if fits(request.headers.get("if-none-match", ""), tag, is_weak_enough=True):
            return Response(status_code=304, headers={"ETag": tag})
    pieces = packed_session(store, session_id)
    requested = requested_range(request.headers.get("range", ""))
    if tag and requested and fits(request.headers.get("if-range", tag), tag):
        measure = parts.exports.answer(session_id, tag, lambda: (_measure(pieces), 1))
        total = measure.total
        part = resolve(requested, total)
        if part is None:
            return Response(status_code=416, headers={"Content-Range": f"bytes */{total}"})
        first, end = part
        headers["Content-Range"] = f"bytes {first}-{end - 1}/{total}"
        headers["Content-Length"] = str(end - first)
        ending = measure.ending(first, end)
        if ending is not None:
            return Response(ending, 206, headers, media_type=_TYPE)
        pieces = stretch(packed_session(store, session_id), first, end)
    elif tag:
        pieces = measured(
            pieces, lambda found: parts.exports.answer(session_id, tag, lambda: (found, 1))
        )
    status = 206 if "Content-Range" in headers else 200
    return StreamingResponse(iterate_in_threadpool(pieces), status, headers, media_type=_TYPE)


def _measure(pieces: Iterator[bytes]) -> Measure:
    found: list[Measure] = []
    for _ in measured(pieces, found.append):
        pass
    return found[0]
