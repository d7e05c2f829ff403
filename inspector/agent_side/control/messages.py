"""Messages from agent to service, within the bounds of the wire format. Pure."""

from __future__ import annotations

import uuid
from typing import Any

from inspector.agent_side.control.open_requests import (
    AnswerOutcome,
    PendingRequest,
    RequestClosed,
    RequestOpened,
)

_MAX_REASON_CHARS = 4_000


def hello(name: str, pid: int, host: str) -> dict[str, Any]:
    """Return `ProcessHello`."""
    return {"name": name[:200], "pid": pid, "host": host[:255]}


def heartbeat() -> dict[str, Any]:
    """Return a sign of life."""
    return {"type": "heartbeat", "id": uuid.uuid4().hex}


def goodbye() -> dict[str, Any]:
    """Return the last message."""
    return {"type": "goodbye", "id": uuid.uuid4().hex}


def ack(message_id: str, seq: int, outcome: AnswerOutcome) -> dict[str, Any]:
    """Return the acknowledgement of a command."""
    return {
        "type": "ack",
        "id": message_id,
        "seq": seq,
        "applied": outcome.applied,
        "reason": _sendable_reason(outcome.reason),
    }


def report(report: RequestOpened | RequestClosed, now_s: float) -> dict[str, Any]:
    """Return the report of a request; `now_s` is by `time.monotonic`."""
    if isinstance(report, RequestOpened):
        request = _opened(report.request, now_s)
        return {"type": "request_opened", "id": report.id, "request": request}
    reason = _sendable_reason(report.reason)
    return {"type": "request_closed", **report._asdict(), "reason": reason}


def _opened(request: PendingRequest, now_s: float) -> dict[str, Any]:
    fields = request._asdict()
    age_s = max(0.0, now_s - fields.pop("opened_monotonic_s"))
    timeout_s = fields.pop("timeout_s")
    left_s = None if timeout_s is None else max(0.0, timeout_s - age_s)
    fields["age_ms"] = age_s * 1_000
    fields["expires_in_ms"] = None if left_s is None else left_s * 1_000
    return fields


def _sendable_reason(reason: str | None) -> str | None:
    return None if reason is None else sendable(reason, _MAX_REASON_CHARS)


def sendable(text: str, max_chars: int) -> str:
    """Return text that fits on the wire: cut, and without halves of characters."""
    cut = text if len(text) <= max_chars else text[: max_chars - 1] + "…"
    return cut.encode("utf-8", "replace").decode()
