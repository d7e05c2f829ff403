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
        "description": "OTLP JSON: one request per line, an array, or one document; gzip or "
        "plain. Also Jaeger traces and Langfuse exports in JSON, and the output of the console "
        "exporters of the Python and JavaScript SDKs.",
        "content": {"application/octet-stream": _TEXT},
    }
}


@router.post("/import", openapi_extra=_BODY)
async def import_file(request: Request, parts: PartsDep) -> wire.ImportReport:
    """Import a file, storing it as it arrives; importing it again changes nothing.

    Imported sessions never run, and are not forwarded.
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
            "Upload timed out",
            f"No data arrived for {MAX_SILENCE_S:g} seconds. What was committed stays; send the "
            "whole file again.",
            headers={"Connection": "close"},
        ) from error
    except ClientDisconnect as error:
        raise ProblemError(400, "cut_off", "Upload interrupted", "Send the file again.") from error
    return wire.ImportReport(**{**asdict(report), "sessions": list(report.sessions)})
