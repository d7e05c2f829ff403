"""Rows of requests and processes, as the control plane stores them."""

from __future__ import annotations

from typing import Any

from inspector.service.model.rows import Actor, ProcessRow, RequestRow, RequestStatus
from tests.support.telemetry.otlp import START_NS

ANN = Actor("Ann", "browser", "127.0.0.1")
BOB = Actor("Bob", "cli")
AGENT = Actor("agent", "agent")


def request_row(request_id: str = "r1", **changes: Any) -> RequestRow:
    """Return a request as an agent opens it: an approval in session S."""
    fields: dict[str, Any] = {
        "session_id": "S",
        "trace_id": None,
        "span_id": None,
        "process_id": "p1",
        "kind": "approval",
        "status": RequestStatus.PENDING,
        "hook": "before_tool_call",
        "interceptor": "policy",
        "tool_name": "delete_file",
        "prompt": "Delete it?",
        "options": (),
        "args_json": '{"path":"/a"}',
        "args_text": None,
        "args_hash": "h1",
        "form_json": None,
        "signal_name": None,
        "default": "deny",
        "can_always": True,
        "keeps_args": False,
        "created_ns": START_NS,
        **changes,
    }
    return RequestRow(id=request_id, **fields)


def question(request_id: str = "q1", **changes: Any) -> RequestRow:
    """Return a question that waits for the signal `go`."""
    fields = {"kind": "question", "signal_name": "go", "args_json": None, "args_hash": None}
    return request_row(request_id, **{**fields, **changes})


def process(process_id: str = "p1") -> ProcessRow:
    """Return a process as it registers."""
    return ProcessRow(process_id, "agent", 1, "here")
