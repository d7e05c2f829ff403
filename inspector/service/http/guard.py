"""ASGI middleware that applies access control, and hardens every response."""

from __future__ import annotations

import logging
import time

from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from inspector.service.http.access import (
    OTLP_PATHS,
    SESSION_MAX_AGE_S,
    Access,
    AccessDecision,
    RequestHead,
    cookie_name,
    is_ui,
    pairs,
    request_head,
    without_token,
)
from inspector.service.http.login import login_page, sent_token
from inspector.service.http.otlp import render
from inspector.service.http.parts import Parts
from inspector.service.http.problems import ProblemError, as_problem
from inspector.service.http.refusals import RefusalAudit
from inspector.service.model.rows import AuditRow

logger = logging.getLogger("inspector.http")

SECURITY_HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; "
    "img-src 'self' data: blob:; media-src 'self' data: blob:; font-src 'self'; "
    "connect-src 'self'; worker-src 'self'; manifest-src 'self'; base-uri 'self'; "
    "form-action 'self'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}

_WRONG_TOKEN = "Wrong token for this service."


class Guard:
    """ASGI middleware that applies `access` to every request, and hardens every response."""

    def __init__(self, app: ASGIApp, access: Access) -> None:
        self._app = app
        self._access = access
        self._audit = RefusalAudit(access.token)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass an allowed request on to the app; answer any other here."""
        if scope["type"] == "lifespan":
            return await self._app(scope, receive, send)
        if scope["type"] != "http":
            # There are no web sockets. An ASGI server answers this with 403.
            return await send({"type": "websocket.close", "code": 1008})
        head = request_head(scope)
        decision = self._access.decide(head)
        hardened = _Hardened(send, decision.cors_origin)
        answer = await self._own_answer(scope, receive, head, decision)
        if answer is not None:
            return await answer(scope, receive, hardened)
        try:
            await self._app(scope, receive, hardened)
        except Exception as error:
            logger.exception("%s %s failed", head.method, head.path)
            if hardened.is_started:
                raise  # too late to say anything: the connection is cut
            await render(scope, as_problem(error))(scope, receive, hardened)

    async def _own_answer(
        self, scope: Scope, receive: Receive, head: RequestHead, decision: AccessDecision
    ) -> Response | None:
        """Return the response to a refusal, a login or a CORS preflight; None: pass it on."""
        if problem := decision.refusal:
            if head.method == "POST" and head.path in OTLP_PATHS:
                self._access.log_refused(head.peer, problem.code, problem.detail)
            parts = getattr(scope["app"].state, "parts", None)
            write = parts.writer.record_audit if isinstance(parts, Parts) else _log
            self._audit.record(head, problem, write)
            return _refusal(scope, head, problem)
        if decision.login_query is not None:
            return _login(scope, head, self._access, decision.login_query)
        if decision.is_form:
            token = await sent_token(Request(scope, receive))
            if token is not None and self._access.is_token(token):
                return _login(scope, head, self._access, without_token(head.query))
            return login_page(_WRONG_TOKEN)
        if decision.cors_origin and head.method == "OPTIONS":
            return _preflight(head)
        return None


def _log(row: AuditRow) -> None:
    """Write an entry to the log of a service that has no audit log: a reader."""
    about = row.request_id or row.session_id or row.process_id
    logger.warning(
        "Refused: %s of %r by %r (%s) at %s: %s.",
        *(row.action, about, row.actor, row.origin, row.address, row.detail),
    )


class _Hardened:
    """An ASGI `send` that adds the security headers to a response."""

    def __init__(self, send: Send, cors_origin: str | None) -> None:
        self.is_started = False
        self._send, self._cors_origin = send, cors_origin

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.is_started = True
            self._harden(MutableHeaders(scope=message))
        await self._send(message)

    def _harden(self, headers: MutableHeaders) -> None:
        for name, value in SECURITY_HEADERS.items():
            headers.setdefault(name, value)
        headers.setdefault("Cache-Control", "no-store")
        if self._cors_origin:
            headers["Access-Control-Allow-Origin"] = self._cors_origin
            headers["Cross-Origin-Resource-Policy"] = "cross-origin"
            headers.add_vary_header("Origin")


def _refusal(scope: Scope, head: RequestHead, problem: ProblemError) -> Response:
    accept = head.headers.get("accept", "*/*")
    is_page = is_ui(head.path) and not head.path.startswith("/ui/assets/")
    is_read = "text/html" in accept
    if problem.code == "no_token" and is_page and (is_read or "*/*" in accept):
        return login_page(_WRONG_TOKEN if "token" in dict(pairs(head.query)) else "")
    if not (is_page and is_read):
        return render(scope, problem)
    text = f"{problem.title}\n\n{problem.detail}\n"
    return Response(text, problem.status, problem.headers, media_type="text/plain")


def _login(scope: Scope, head: RequestHead, access: Access, query: str) -> Response:
    root = scope.get("root_path", "")
    place = root + ("/ui/" if head.path in ("/", "/ui") else head.path)
    response = RedirectResponse(f"{place}?{query}" if query else place, status_code=303)
    response.set_cookie(
        cookie_name(head.port),
        access.new_session(now_s=time.time()),
        max_age=SESSION_MAX_AGE_S,
        path=root or "/",
        secure=scope.get("scheme") == "https",
        httponly=True,
        samesite="lax",
    )
    return response


def _preflight(head: RequestHead) -> Response:
    return Response(
        status_code=204,
        headers={
            "Access-Control-Allow-Methods": "GET, POST, PUT, DELETE",
            "Access-Control-Allow-Headers": head.headers.get(
                "access-control-request-headers", "authorization, content-type"
            ),
            "Access-Control-Max-Age": "600",
        },
    )
