"""`GET /sessions/{id}/export.html`: a session as one web page, which needs no service.

The page is that of the UI, built as one file. The answers that it asks for are inside, as gzip in
base64: nothing that a trace says is markup there. It is made anew for each request, as it is sent.
"""

from __future__ import annotations

import asyncio
import base64
import zlib
from collections.abc import AsyncIterator, Sequence
from time import time_ns
from typing import Any

import orjson
from fastapi import APIRouter, Request
from starlette.responses import Response, StreamingResponse

from inspector.service.analysis.span_table import SpanTable
from inspector.service.files.export import PACKING
from inspector.service.http.in_process import client_of
from inspector.service.http.parts import ReadPartsDep
from inspector.service.http.problems import ProblemError
from inspector.service.http.recording import Recording, SavedAnswer
from inspector.service.http.sessions import MOVED, missing_session
from inspector.service.http.ui import STATIC
from inspector.service.model.times import rfc3339

router = APIRouter(tags=["sessions"])

MAX_SPANS = 100_000
MAX_FILE_BYTES = 48 * 2**20
"""Limit of the page beyond which no content is added to it."""
MAX_ANSWERS_BYTES = 64 * 2**20
"""Limit of the answers, unpacked, beyond which none is added: a browser holds them."""
_TYPE = "text/html"
_PLACE = "ANSWERS"
"""The place of the answers in the built page."""
_PIECE_BYTES = 256 * 1024


@router.get(
    "/sessions/{session_id:path}/export.html",
    response_class=Response,
    responses={
        200: {
            "description": "The page of the session, readable without a service. In very large "
            "sessions, the content of the last spans is omitted, with a note on the page.",
            "content": {_TYPE: {"schema": {"type": "string"}}},
        },
        413: {"description": f"The session has more than {MAX_SPANS} spans."},
        501: {"description": "The web UI is not built."},
        **MOVED,
    },
)
def export_page(request: Request, parts: ReadPartsDep, session_id: str) -> Response:
    """Export a session as a read-only web page that needs no service."""
    template = _template()
    with parts.store.read_whole(session_id) as reader:
        record = reader.session(session_id)
        if record is None:
            return missing_session(request, reader, session_id, "export_page")
        table = SpanTable(reader.span_columns(session_id, MAX_SPANS + 1))
    if len(table) > MAX_SPANS:
        raise ProblemError(
            413,
            "too_many_spans",
            "Too many spans",
            f"The session has more than {MAX_SPANS} spans, which is too many for a web page. "
            "Export it as OTLP instead: `inspector export`, or GET /trace/{id}.",
        )
    return StreamingResponse(
        _page(template, request.app, parts.access.token, session_id, table),
        headers={"Content-Disposition": "attachment"},
        media_type=_TYPE,
    )


def _template() -> tuple[bytes, bytes]:
    """Return the built page before and after the place of the answers.

    Raises:
        ProblemError: It is not built.
    """
    try:
        before, _, after = (STATIC / "saved.html").read_text(encoding="utf-8").partition(_PLACE)
    except FileNotFoundError:
        raise ProblemError(
            501,
            "no_ui",
            "Not built",
            "The web UI is not built: run `npm ci && npm run build` in web/, or install a wheel.",
        ) from None
    return before.encode(), after.encode()


async def _page(
    template: tuple[bytes, bytes], app: Any, token: str, session_id: str, table: SpanTable
) -> AsyncIterator[bytes]:
    before, after = template
    packing = _Packing()
    yield before
    async with client_of(app, token) as client:
        recording = Recording(client, session_id, table, packing.has_room)
        async for answers in recording.answers():
            packing.add(answers)
            if packing.is_due:
                yield await asyncio.to_thread(packing.piece)
    facts = {
        "session_id": session_id,
        "exported_at": rfc3339(time_ns()),
        "left_out": recording.left_out,
    }
    packing.add([SavedAnswer("/saved", orjson.dumps(facts).decode(), None)])
    yield await asyncio.to_thread(packing.end)
    yield after


class _Packing:
    """Answers as gzip in base64: a line each, a JSON array of a `SavedAnswer`."""

    def __init__(self) -> None:
        self._packer = zlib.compressobj(PACKING, wbits=31)
        self._lines: list[bytes] = []
        self._rest = b""
        self._waiting_bytes = self._answers_bytes = self._file_bytes = 0

    @property
    def is_due(self) -> bool:
        """Whether there is enough for a piece."""
        return self._waiting_bytes >= _PIECE_BYTES

    def has_room(self) -> bool:
        """Return whether more content may be added."""
        return self._file_bytes < MAX_FILE_BYTES and self._answers_bytes < MAX_ANSWERS_BYTES

    def add(self, answers: Sequence[SavedAnswer]) -> None:
        """Add answers."""
        lines = [orjson.dumps(tuple(one), option=orjson.OPT_APPEND_NEWLINE) for one in answers]
        self._lines += lines
        self._waiting_bytes += sum(map(len, lines))

    def piece(self) -> bytes:
        """Return the next piece of the file."""
        self._answers_bytes += self._waiting_bytes
        self._waiting_bytes = 0
        packed = self._rest + self._packer.compress(b"".join(self._lines))
        self._lines = []
        whole = len(packed) // 3 * 3  # base64 without padding inside
        self._rest = packed[whole:]
        encoded = base64.b64encode(packed[:whole])
        self._file_bytes += len(encoded)
        return encoded

    def end(self) -> bytes:
        """Return the last piece."""
        return self.piece() + base64.b64encode(self._rest + self._packer.flush())
