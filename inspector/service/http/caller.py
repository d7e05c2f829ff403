"""The caller of a request, for the audit log."""

from __future__ import annotations

import hashlib
from urllib.parse import unquote

from fastapi import Request
from starlette.requests import cookie_parser

from inspector.service.analysis.sanitise import visible_line
from inspector.service.http.access import Access, cookie_name, request_head
from inspector.service.http.refusals import origin_of_agent
from inspector.service.model.rows import Actor
from inspector.service.wire.control import MAX_ACTOR_CHARS

ACTOR_HEADER = "Inspector-Actor"


def caller_of(request: Request, access: Access) -> Actor:
    """Return the caller: the name that it claims, and the kind of client.

    A name is percent-encoded UTF-8. It is a claim: shown, never trusted, and without characters
    that hide text or change its direction.
    """
    address = request.client.host if request.client else None
    name = visible_line(unquote(request.headers.get(ACTOR_HEADER, "")).strip(), MAX_ACTOR_CHARS)
    if not access.is_bearer(request.headers.get("authorization", "")):
        return Actor(name or _cookie_actor(request), "browser", address)
    return Actor(name or "token", origin_of_agent(request.headers.get("user-agent", "")), address)


def _cookie_actor(request: Request) -> str:
    cookies = cookie_parser(request.headers.get("cookie", ""))
    value = cookies.get(cookie_name(request_head(request.scope).port), "")
    random_id = value.partition(".")[0]
    return f"browser {hashlib.sha256(random_id.encode()).hexdigest()[:8]}"
