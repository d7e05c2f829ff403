"""The caller of a request and the way it came, for the audit log."""

from __future__ import annotations

import hashlib
from urllib.parse import unquote

from fastapi import Request
from starlette.requests import cookie_parser

from inspector.service.analysis.sanitise import visible_line
from inspector.service.http.access import Access, asked_of, cookie_name
from inspector.service.http.refusals import way_of
from inspector.service.model.rows import Actor
from inspector.service.wire.control import MAX_ACTOR_CHARS

ACTOR_HEADER = "Inspector-Actor"


def doer_of(request: Request) -> Actor:
    """Return the caller: the name that it claims, and the way that is known.

    A name is percent-encoded UTF-8. It is what somebody says, so it is shown and never trusted;
    what would hide or turn the writing round is written out.
    """
    address = request.client.host if request.client else None
    name = visible_line(unquote(request.headers.get(ACTOR_HEADER, "")).strip(), MAX_ACTOR_CHARS)
    access: Access | None = getattr(request.app.state, "access", None)
    if access is not None and not access.is_bearer(request.headers.get("authorization", "")):
        return Actor(name or _cookie_actor(request), "browser", address)
    return Actor(name or "token", way_of(request.headers.get("user-agent", "")), address)


def _cookie_actor(request: Request) -> str:
    cookies = cookie_parser(request.headers.get("cookie", ""))
    value = cookies.get(cookie_name(asked_of(request.scope).port), "")
    random_id = value.partition(".")[0]
    return f"browser {hashlib.sha256(random_id.encode()).hexdigest()[:8]}"
