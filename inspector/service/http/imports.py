"""`POST /import`: imports a file of telemetry as ended sessions."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from fastapi import APIRouter, Request
from starlette.requests import ClientDisconnect

from inspector.service import wire
from inspector.service.files.importer import import_stream
from inspector.service.http.bodies import MAX_SILENCE_S, body_parts
from inspector.service.http.parts import PartsDep
from inspector.service.http.problems import ProblemError

router = APIRouter(tags=["sessions"])

_TEXT = {"schema": {"type": "string", "format": "binary"}}
_BODY: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "description": "OTLP in JSON: one request a line, or an array, or a document; gzip or "
        "plain. Also traces of Jaeger and exports of Langfuse, in JSON, and spans as the console "
        "exporters of Python's and JavaScript's SDKs print them.",
        "content": {"application/octet-stream": _TEXT},
    }
}


@router.post("/import", openapi_extra=_BODY)
async def import_file(request: Request, parts: PartsDep) -> wire.ImportReport:
    """Store the content of a file as it arrives; the same file again changes nothing.

    Nothing of it counts as running, and nothing of it is forwarded.
    """
    scrubs = parts.settings.capture_content != "full"
    try:
        report = await import_stream(
            body_parts(request), parts.writer.restore, scrubs=scrubs, pricing=parts.pricing
        )
    except TimeoutError as error:
        raise ProblemError(
            408,
            "body_stalled",
            "The body stopped coming",
            f"Nothing more of the file came for {MAX_SILENCE_S:g} seconds. What was committed by "
            "then stays; send it again, whole.",
            headers={"Connection": "close"},
        ) from error
    except ClientDisconnect as error:
        raise ProblemError(400, "cut_off", "Cut off", "The file was cut off.") from error
    return wire.ImportReport(**{**asdict(report), "sessions": list(report.sessions)})
