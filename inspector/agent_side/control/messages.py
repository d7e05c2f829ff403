"""Messages from agent to service, within the bounds of the wire format. Pure."""

from __future__ import annotations

import re
import uuid
from typing import Any

from inspector.agent_side.control.open_requests import (
    AnswerOutcome,
    PendingRequest,
    RequestClosed,
    RequestOpened,
)

MAX_TEXT_CHARS = 1024 * 1024
_MAX_PROMPT_CHARS = 64 * 1024
_MAX_OPTIONS = 50
_TRACE_ID = re.compile("[0-9a-f]{32}")
_SPAN_ID = re.compile("[0-9a-f]{16}")


def hello(name: str, pid: int, host: str) -> dict[str, Any]:
    """Return `ProcessHello`."""
    return {"name": name[:200], "pid": pid, "host": host[:255]}


def heartbeat() -> dict[str, Any]:
    """Return a sign of life."""
    return {"type": "heartbeat", "id": uuid.uuid4().hex}


def goodbye() -> dict[str, Any]:
    """Return the last message."""
    return {"type": "goodbye", "id": uuid.uuid4().hex}


def ack(message_id: str, seq: int, taken: AnswerOutcome) -> dict[str, Any]:
    """Return the acknowledgement of a command."""
    return {
        "type": "ack",
        "id": message_id,
        "seq": seq,
        "applied": taken.applied,
        "reason": _cut(taken.reason, 4_000),
    }


def report(said: RequestOpened | RequestClosed, now_s: float) -> dict[str, Any]:
    """Return the report of a request; `now_s` is by `time.monotonic`."""
    if isinstance(said, RequestOpened):
        return {"type": "request_opened", "id": said.id, "request": _opened(said.asked, now_s)}
    return {
        "type": "request_closed",
        "id": said.id,
        "request_id": said.request_id,
        "status": said.status,
        "decision": _cut(said.decision, 50),
        "reason": _cut(said.reason, 4_000),
    }


def _opened(asked: PendingRequest, now_s: float) -> dict[str, Any]:
    age_s = max(0.0, now_s - asked.opened_monotonic_s)
    left_s = None if asked.timeout_s is None else max(0.0, asked.timeout_s - age_s)
    return {
        "id": asked.id,
        "session_id": _cut(asked.session_id, 256),
        "trace_id": _matching(_TRACE_ID, asked.trace_id),
        "span_id": _matching(_SPAN_ID, asked.span_id),
        "kind": asked.kind,
        "hook": _cut(asked.hook, 200),
        "interceptor": _cut(asked.interceptor, 200),
        "tool_name": _cut(asked.tool_name, 500),
        "prompt": _cut(asked.prompt, _MAX_PROMPT_CHARS),
        "options": [_cut(option, 200) for option in asked.options[:_MAX_OPTIONS]],
        "args_json": _whole(asked.args_json),
        "args_text": _cut(asked.args_text, MAX_TEXT_CHARS),
        "args_hash": asked.args_hash,
        "form_json": _whole(asked.form_json),
        "signal_name": _cut(asked.signal_name, 200),
        "default": _cut(asked.default, 50),
        "can_always": asked.can_always,
        "age_ms": age_s * 1_000,
        "expires_in_ms": None if left_s is None else left_s * 1_000,
        "keeps_args": asked.keeps_args,
    }


def _cut(text: str | None, longest: int) -> str | None:
    """Return what fits, without halves of characters, which the wire cannot carry."""
    return None if text is None else text[:longest].encode("utf-8", "replace").decode()


def _whole(text: str | None) -> str | None:
    """Return a text that means something only as a whole; None when it is too long."""
    return text if text is None or len(text) <= MAX_TEXT_CHARS else None


def _matching(pattern: re.Pattern[str], text: str | None) -> str | None:
    return text if text is not None and pattern.fullmatch(text) else None
