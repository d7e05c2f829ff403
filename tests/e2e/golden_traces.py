"""The golden traces: their spans, and sending them to a service."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import httpx

from tests.support.services.process import Service

TRACE_ID = "0af7651916cd43dd8448eb211c80319c"
FOLDER = Path(__file__).resolve().parents[1] / "golden"


def golden_spans() -> list[dict[str, Any]]:
    """Return the spans of the golden session as OTLP/JSON, in order of their ids."""
    lines = (FOLDER / "release_notes.otlp.jsonl").read_text(encoding="utf-8").splitlines()
    groups = [group for line in lines for group in json.loads(line)["resourceSpans"]]
    spans = [span for group in groups for scope in group["scopeSpans"] for span in scope["spans"]]
    return sorted(spans, key=lambda span: str(span["spanId"]))


def trace_of(session: str) -> str:
    """Return the trace id that the golden trace is given in that session."""
    return TRACE_ID if session == "golden" else hashlib.sha256(session.encode()).hexdigest()[:32]


def send_golden(service: Service, name: str = "release_notes", *, session: str = "golden") -> None:
    """Send one golden trace; `session`: the id that the golden session is given there."""
    for line in (FOLDER / f"{name}.otlp.jsonl").read_text(encoding="utf-8").splitlines():
        path = "/v1/logs" if line.startswith('{"resourceLogs"') else "/v1/traces"
        body = line.replace('{"stringValue": "golden"}', f'{{"stringValue": "{session}"}}')
        _post(service, path, body.replace(TRACE_ID, trace_of(session)))


def _post(service: Service, path: str, body: str) -> None:
    headers = {**service.headers, "Content-Type": "application/json"}
    url = f"{service.url}{path}"
    httpx.post(url, content=body.encode(), headers=headers, timeout=20).raise_for_status()
