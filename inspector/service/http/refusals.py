"""Audit of control requests that the guard refuses.

Anybody who reaches the port can be refused, as often as they like. So few are written, and the
next one says how many were not; the token is never written.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Mapping
from typing import Any, Final
from urllib.parse import unquote

from inspector.service.analysis.sanitise import visible_line
from inspector.service.http.access import RequestHead
from inspector.service.http.problems import ProblemError
from inspector.service.ingest.requests.audit_rate_limit import AuditRateLimit
from inspector.service.model.rows import AuditRow

BURST, PER_SECOND = 50, 0.2
"""Limits of the audited refusals: some 17 000 a day at most, a few megabytes."""
_ACTOR_CHARS, _ID_CHARS, _HEADER_CHARS = 80, 200, 200
_PATHS: Final = (
    re.compile(r"/requests/(?P<request_id>.+)", re.DOTALL),
    re.compile(r"/sessions/(?P<session_id>.+)/(?P<action>pause|resume|step|cancel)", re.DOTALL),
    re.compile(r"/(?P<action>cancel|signal)/(?P<session_id>.+)", re.DOTALL),
    re.compile(r"/processes/(?P<process_id>.+)/(?P<action>messages)", re.DOTALL),
    re.compile(r"/processes/(?P<process_id>.+)", re.DOTALL),
)
_ACTIONS: Final = {"request_id": "answer", "process_id": "hello"}
_ORIGINS: Final = {"inspector-cli/": "cli", "inspector-mcp/": "mcp"}
_CHANGING: Final = frozenset({"POST", "PUT", "DELETE", "PATCH"})


class RefusalAudit:
    """Writes refusals of control requests to the audit log, up to a rate limit.

    Args:
        token: The access token, which is replaced wherever it was sent.
    """

    def __init__(self, token: str) -> None:
        self._token = token
        self._rate = AuditRateLimit(BURST, PER_SECOND)

    def record(
        self, head: RequestHead, problem: ProblemError, write: Callable[[AuditRow], None]
    ) -> None:
        """Write an entry of a refused request, or count it; nothing if it is not about control."""
        target = _target_of(head)
        if target is None:
            return
        left_out = self._rate.take(time.monotonic())
        if left_out is None:
            return
        headers = head.headers
        sent = [f"{name}: {headers[name]}" for name in ("host", "origin") if name in headers]
        detail = ", ".join(
            [_why(head, problem), *(self._shown(one, _HEADER_CHARS) for one in sent)]
        )
        if left_out:
            detail += f" ({left_out} more omitted)"
        actor = unquote(headers.get("inspector-actor", "")).strip()
        about: dict[str, Any] = {
            name: self._shown(text, _ID_CHARS) for name, text in target.items()
        }
        action = about.pop("action", None) or _ACTIONS[next(iter(about))]
        row = AuditRow(
            at_ns=0,
            actor=self._shown(actor, _ACTOR_CHARS) or "unknown",
            origin=_origin_of(headers),
            address=head.peer or None,
            action=action,
            result="refused",
            code=problem.code,
            detail=detail,
            **about,
        )
        write(row)

    def _shown(self, text: str, max_chars: int) -> str:
        return visible_line(text.replace(self._token, "…"), max_chars)


def _why(head: RequestHead, problem: ProblemError) -> str:
    if problem.code == "no_token" and "authorization" in head.headers:
        return "wrong token"
    return problem.code.replace("_", " ")


def _target_of(head: RequestHead) -> dict[str, str] | None:
    """Return the action and the id in the path; None if the request is not one of control."""
    if head.method not in _CHANGING:
        return None
    found = (pattern.fullmatch(head.path) for pattern in _PATHS)
    return next((match.groupdict() for match in found if match), None)


def origin_of_agent(agent: str) -> str:
    """Return the client that a `User-Agent` names; a web page cannot set one."""
    return next((name for prefix, name in _ORIGINS.items() if agent.startswith(prefix)), "api")


def _origin_of(headers: Mapping[str, str]) -> str:
    """Guess the kind of client, because a refused one is not authenticated."""
    is_page = any(name in headers for name in ("origin", "sec-fetch-site", "cookie"))
    return "browser" if is_page else origin_of_agent(headers.get("user-agent", ""))
