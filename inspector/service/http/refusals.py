"""Audit of control requests that the guard refuses: target, way and address.

Anybody who reaches the port can be refused, as often as they like. So few are written, and the
next one says how many were not; and nothing is kept of what could be the token.
"""

from __future__ import annotations

import re
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final, Protocol
from urllib.parse import unquote

from inspector.service.analysis.sanitise import visible_line
from inspector.service.http.problems import ProblemError
from inspector.service.ingest.requests.audit_rate_limit import AuditRateLimit
from inspector.service.model.rows import AuditRow

BURST, PER_SECOND = 50, 0.2
"""Of those that the guard refuses: some 17 000 a day at most, a few megabytes."""
_ACTOR_CHARS, _ID_CHARS, _HEADER_CHARS = 80, 200, 200
_PATHS: Final = (
    re.compile(r"/requests/(?P<request_id>.+)"),
    re.compile(r"/sessions/(?P<session_id>.+)/(?P<action>pause|resume|step|cancel)"),
    re.compile(r"/(?P<action>cancel|signal)/(?P<session_id>.+)"),
    re.compile(r"/processes/(?P<process_id>.+)/(?P<action>messages)"),
    re.compile(r"/processes/(?P<process_id>.+)"),
)
_ACTIONS: Final = {"request_id": "answer", "process_id": "hello"}
_WAYS: Final = {"inspector-cli/": "cli", "inspector-mcp/": "mcp"}
_CHANGING: Final = frozenset({"POST", "PUT", "DELETE", "PATCH"})


class Tried(Protocol):
    """A received request."""

    @property
    def method(self) -> str:
        """The HTTP method."""

    @property
    def path(self) -> str:
        """The path below the mount point of the service."""

    @property
    def headers(self) -> Mapping[str, str]:
        """The headers, by name."""

    @property
    def peer(self) -> str:
        """Address of the other end; empty if unknown."""


class Notebook(Protocol):
    """Writes the audit log."""

    def note(self, row: AuditRow) -> None:
        """Queue an attempt for the audit log; from any thread."""


@dataclass(frozen=True, slots=True)
class ControlTarget:
    """The target of a control request, from its path."""

    action: str
    request_id: str | None = None
    session_id: str | None = None
    process_id: str | None = None


def target_of(method: str, path: str) -> ControlTarget | None:
    """Return the target of a request; None if it is not one of control."""
    if method not in _CHANGING:
        return None
    for pattern in _PATHS:
        if match := pattern.fullmatch(path):
            about = {
                name: visible_line(text, _ID_CHARS) for name, text in match.groupdict().items()
            }
            action = about.pop("action", None) or _ACTIONS[next(iter(about))]
            return ControlTarget(action, **about)
    return None


def audit_row(tried: Tried, problem: ProblemError, token: str) -> AuditRow | None:
    """Return the audit entry of a refusal; None if it is not about control."""
    target = target_of(tried.method, tried.path)
    if target is None:
        return None
    headers = tried.headers
    name = unquote(headers.get("inspector-actor", "")).strip()
    asked = [f"{key}: {headers[key]}" for key in ("host", "origin") if key in headers]
    row = AuditRow(
        at_ns=0,
        actor=visible_line(name, _ACTOR_CHARS) or "unknown",
        origin=_way(headers),
        address=tried.peer or None,
        action=target.action,
        result="refused",
        request_id=target.request_id,
        session_id=target.session_id,
        process_id=target.process_id,
        code=problem.code,
        detail=", ".join(visible_line(one, _HEADER_CHARS) for one in asked) or None,
    )
    texts = ("actor", "request_id", "session_id", "process_id", "detail")
    given = {name: getattr(row, name) for name in texts}
    if not any(text and token in text for text in given.values()):
        return row
    return replace(row, **{name: text and text.replace(token, "…") for name, text in given.items()})


class RefusalNotes:
    """Writes refusals of the guard to the audit log, up to a rate limit."""

    def __init__(self) -> None:
        self._rate = AuditRateLimit(BURST, PER_SECOND)

    def note(self, row: AuditRow, notebook: Notebook) -> None:
        """Write `row` down, or count it."""
        left_out = self._rate.take(time.monotonic())
        if left_out is None:
            return
        if left_out:
            row = replace(row, detail=f"{row.detail or ''} ({left_out} others were left out)")
        notebook.note(row)


def way_of(agent: str) -> str:
    """Return the client that a `User-Agent` names; a web page cannot set one."""
    return next((way for prefix, way in _WAYS.items() if agent.startswith(prefix)), "api")


def _way(headers: Mapping[str, str]) -> str:
    """Guess which way it came: nobody who is refused has shown who they are."""
    is_page = any(name in headers for name in ("origin", "sec-fetch-site", "cookie"))
    return "browser" if is_page else way_of(headers.get("user-agent", ""))
