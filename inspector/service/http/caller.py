"""The caller of a request, for the audit log."""

from __future__ import annotations

import hashlib
import re
from urllib.parse import quote, unquote

from fastapi import Request
from starlette.requests import cookie_parser

from inspector.service.analysis.sanitise import visible_line
from inspector.service.http.access import Access, cookie_name, request_head
from inspector.service.http.refusals import origin_of_agent
from inspector.service.model.rows import Actor
from inspector.service.wire.control import MAX_ACTOR_CHARS

ACTOR_HEADER = "Inspector-Actor"
CALLER_HEADER = "Inspector-Caller"
"""Header of a reader: the kind of client that called it, and its address."""
_PASSED_ON = re.compile(r"(browser|cli|api|mcp) ([0-9A-Za-z.:%-]{1,60})")


def caller_of(request: Request, access: Access, *, is_last: bool = True) -> Actor:
    """Return the caller: the name that it claims, and the kind of client.

    A name is percent-encoded UTF-8. It is a claim: shown, never trusted, and without characters
    that hide text or change its direction. A reader, which is not the last to get a request, takes
    nobody's word for where it came from.
    """
    address = request.client.host if request.client else None
    name = visible_line(unquote(request.headers.get(ACTOR_HEADER, "")).strip(), MAX_ACTOR_CHARS)
    if not access.is_bearer(request.headers.get("authorization", "")):
        return Actor(name or _cookie_actor(request), "browser", address)
    passed_on = _PASSED_ON.fullmatch(request.headers.get(CALLER_HEADER, ""))
    if is_last and passed_on is not None:
        # The reader's own address stays: who has the token can claim another.
        return Actor(name or "token", passed_on[1], f"{passed_on[2]} via {address}")
    return Actor(name or "token", origin_of_agent(request.headers.get("user-agent", "")), address)


def forwarded_caller(request: Request, access: Access) -> dict[str, str]:
    """Return the headers that name the caller of a request that is passed on with the token."""
    caller = caller_of(request, access, is_last=False)
    return {
        ACTOR_HEADER: quote(caller.actor, safe=""),
        CALLER_HEADER: f"{caller.origin} {caller.address or '-'}",
    }


def _cookie_actor(request: Request) -> str:
    cookies = cookie_parser(request.headers.get("cookie", ""))
    value = cookies.get(cookie_name(request_head(request.scope).port), "")
    random_id = value.partition(".")[0]
    return f"browser {hashlib.sha256(random_id.encode()).hexdigest()[:8]}"
