"""Access control: judges every request before any route runs.

The rules are pure (`Access.judge`), the ASGI middleware (`Guard`) applies them. What is not
allowed by name is refused, so that a new route is closed until somebody opens it.

What they are for: a page on another site must not read or change anything through the user's
browser (cross-site requests, DNS rebinding), and another machine must not without the token.
"""

from __future__ import annotations

import hashlib
import hmac
import ipaddress
import logging
import secrets
import time
from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal
from urllib.parse import parse_qsl, urlencode, urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request, cookie_parser
from starlette.responses import RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from inspector.service.analysis.sanitise import visible_line
from inspector.service.http.login import login_page, sent_token
from inspector.service.http.otlp import PATHS as OTLP_PATHS
from inspector.service.http.otlp import render
from inspector.service.http.problems import ProblemError, as_problem, route_path
from inspector.service.http.refusals import RefusalNotes, audit_row
from inspector.service.otlp.signals import NO_TOKEN
from inspector.service.settings import is_loopback

logger = logging.getLogger("inspector.http")

SESSION_MAX_AGE_S = 30 * 24 * 3600

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

_LOOPBACK_NAMES = frozenset({"localhost", "127.0.0.1", "[::1]"})
_FORWARDED = frozenset({"forwarded", "via", "x-forwarded-for", "x-real-ip"})
_MAX_TOLD = 1_000
_WRONG_TOKEN = "That is not the token of this service."
GRANT_HEADER = "inspector-grant"
"""`read`: whoever asks was granted no more, whatever the token opens."""
_READING = frozenset({"GET", "HEAD", "OPTIONS"})


@dataclass(frozen=True, slots=True)
class RequestHead:
    """The parts of a request that the rules read.

    Attributes:
        path: Below the place where the service is mounted.
        peer: Address of the other end; empty if unknown.
        port: That the request came in on.
    """

    method: str
    path: str
    headers: Mapping[str, str]
    query: str = ""
    peer: str = ""
    port: int = 0


@dataclass(frozen=True, slots=True)
class AccessDecision:
    """The decision on a request: with nothing set it passes.

    Attributes:
        refusal: It is refused with this.
        login_query: It brings the token: set the cookie, go to the same path with this query.
        is_form: It may bring the token in its body.
        cors_origin: A page of this listed origin may read the answer.
    """

    refusal: ProblemError | None = None
    login_query: str | None = None
    is_form: bool = False
    cors_origin: str | None = None


@dataclass(frozen=True)
class Access:
    """The rules, for one service.

    Attributes:
        token: That is asked for.
        hosts: Names in `Host` that are allowed; the loopback names always are.
        origins: Origins of other sites that are allowed.
        open_ingest: Whose OTLP needs no token.
    """

    token: str = field(repr=False)
    hosts: frozenset[str] = frozenset()
    origins: frozenset[str] = frozenset()
    open_ingest: Literal["nobody", "this_machine", "everybody"] = "nobody"
    _told: set[tuple[str, str]] = field(default_factory=set, init=False, repr=False)

    @classmethod
    def build(
        cls,
        token: str,
        *,
        bind: str,
        hosts: Iterable[str] = (),
        origins: Iterable[str] = (),
        require_ingest_token: bool = False,
        open_ingest: bool = False,
    ) -> Access:
        """Return the rules for a service that listens on `bind`."""
        is_local = is_loopback(bind) and not require_ingest_token
        wildcard = bind in ("", "0.0.0.0", "::")
        names = {*_LOOPBACK_NAMES, *map(_host_name, hosts)}
        if not wildcard:
            names.add(_host_name(f"[{bind}]" if ":" in bind else bind))
        return cls(
            token=token,
            hosts=frozenset(names),
            origins=frozenset(origin.lower().rstrip("/") for origin in origins),
            open_ingest="everybody" if open_ingest else "this_machine" if is_local else "nobody",
        )

    def judge(self, asked: RequestHead) -> AccessDecision:
        """Decide about one request."""
        if _host_name(asked.headers.get("host", "")) not in self.hosts:
            return _refuse(
                403,
                "host_not_allowed",
                "The Host header names a host that is not allowed. Use the address that "
                "`inspector serve` printed, or add the name to INSPECTOR_ALLOWED_HOSTS.",
            )
        origin = asked.headers.get("origin", "").lower()
        is_listed = origin in self.origins
        if origin and not is_listed and not _is_same_origin(origin, asked.headers):
            return _refuse(
                403,
                "origin_not_allowed",
                "Pages of this origin may not call the inspector. "
                "Add the origin to INSPECTOR_ALLOWED_ORIGINS if they should.",
            )
        cors_origin = origin if is_listed else None
        if not is_listed and _is_cross_site(asked):
            return _refuse(403, "cross_site", "Pages of other sites may not call the inspector.")
        if is_listed and asked.method == "OPTIONS":
            return AccessDecision(cors_origin=cors_origin)
        verdict = self._judge_caller(asked, cors_origin)
        if verdict.refusal is None and _is_beyond_grant(asked):
            return _refuse(
                403,
                "not_granted",
                "This may only read. To let MCP clients steer agents, start `inspector mcp` with "
                "--control, or the service with INSPECTOR_MCP_CONTROL=on.",
            )
        return verdict

    def _judge_caller(self, asked: RequestHead, cors_origin: str | None) -> AccessDecision:
        if asked.path == "/health" or self._is_open_ingest(asked):
            return AccessDecision(cors_origin=cors_origin)
        if self.is_bearer(asked.headers.get("authorization", "")):
            return AccessDecision(cors_origin=cors_origin)
        if (login_query := self._login_query(asked)) is not None:
            return AccessDecision(login_query=login_query)
        if asked.method == "POST" and _is_ui(asked.path):
            return AccessDecision(is_form=True)
        if not self._has_session(asked):
            return _refuse(
                401,
                "no_token",
                NO_TOKEN
                if asked.path in OTLP_PATHS
                else "A token is needed: open the address that `inspector serve` printed (or "
                "`inspector token` prints), or send `Authorization: Bearer TOKEN`.",
            )
        if asked.method not in _READING and "origin" not in asked.headers:
            return _refuse(403, "no_origin", "A change asked for with a cookie needs an Origin.")
        return AccessDecision(cors_origin=cors_origin)

    def is_known(self, asked: RequestHead) -> bool:
        """Return whether a request carries the token, or a cookie issued for it."""
        return self.is_bearer(asked.headers.get("authorization", "")) or self._has_session(asked)

    def is_bearer(self, authorization: str) -> bool:
        """Return whether an `Authorization` value carries the token."""
        scheme, _, given = authorization.partition(" ")
        return scheme.lower() == "bearer" and self.is_token(given.strip())

    def is_token(self, given: str) -> bool:
        """Return whether `given` is the token."""
        return hmac.compare_digest(given.encode(), self.token.encode())

    def is_open_to(self, peer: str, headers: Container[str]) -> bool:
        """Return whether OTLP from `peer` needs no token.

        A proxy on this machine brings what others send, and says so in `headers`.
        """
        if self.open_ingest == "this_machine":
            return _is_loopback_peer(peer) and not any(name in headers for name in _FORWARDED)
        return self.open_ingest == "everybody"

    def tell_refused(self, peer: str, code: str, detail: str) -> None:
        """Log a refused sender of OTLP, once for each address and reason."""
        if (peer, code) not in self._told and len(self._told) < _MAX_TOLD:
            self._told.add((peer, code))
            logger.warning("OTLP from %s is refused. %s", visible_line(peer, 60), detail)

    def new_session(self, *, now_s: float) -> str:
        """Return a cookie value: a random id, with its date, signed. It is not the token.

        The key comes from the token, so that sessions survive a restart and end when the token
        is changed, and nothing has to be stored for them.
        """
        claim = f"{secrets.token_urlsafe(18)}.{int(now_s)}"
        return f"{claim}.{self._sign(claim)}"

    def is_session(self, value: str, *, now_s: float) -> bool:
        """Return whether `value` is one of our cookies, and not expired."""
        claim, _, signature = value.rpartition(".")
        if not hmac.compare_digest(signature.encode(), self._sign(claim).encode()):
            return False
        began = claim.rpartition(".")[2]
        return began.isdigit() and now_s - int(began) < SESSION_MAX_AGE_S

    def _is_open_ingest(self, asked: RequestHead) -> bool:
        return asked.path in OTLP_PATHS and self.is_open_to(asked.peer, asked.headers)

    def _login_query(self, asked: RequestHead) -> str | None:
        """Return the query without the token, if it is a page of the UI asked for with it."""
        if asked.method != "GET" or not _is_ui(asked.path) or "token=" not in asked.query:
            return None
        given = [value for name, value in _pairs(asked.query) if name == "token"]
        return _without_token(asked.query) if any(map(self.is_token, given)) else None

    def _has_session(self, asked: RequestHead) -> bool:
        cookie = cookie_parser(asked.headers.get("cookie", "")).get(cookie_name(asked.port), "")
        return self.is_session(cookie, now_s=time.time())

    def _sign(self, claim: str) -> str:
        key = hashlib.sha256(b"inspector session\0" + self.token.encode()).digest()
        return hmac.new(key, claim.encode(), hashlib.sha256).hexdigest()


class Guard:
    """ASGI middleware that applies `Access` to every request, and hardens every response."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._notes = RefusalNotes()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on what is allowed."""
        if scope["type"] == "lifespan":
            return await self._app(scope, receive, send)
        if scope["type"] != "http":
            # There are no web sockets. An ASGI server answers this with 403.
            return await send({"type": "websocket.close", "code": 1008})
        access: Access = scope["app"].state.access
        asked = asked_of(scope)
        verdict = access.judge(asked)
        hardened = _Hardened(send, verdict.cors_origin)
        if verdict.refusal:
            if asked.method == "POST" and asked.path in OTLP_PATHS:
                access.tell_refused(asked.peer, verdict.refusal.code, verdict.refusal.detail)
            self._note(scope, asked, verdict.refusal)
            return await _refusal(scope, asked, verdict.refusal)(scope, receive, hardened)
        if verdict.login_query is not None:
            return await _login(scope, asked, access, verdict.login_query)(scope, receive, hardened)
        if verdict.is_form:
            answer = await _answer_form(scope, receive, asked, access)
            return await answer(scope, receive, hardened)
        if verdict.cors_origin and asked.method == "OPTIONS":
            return await _preflight(asked)(scope, receive, hardened)
        try:
            await self._app(scope, receive, hardened)
        except Exception as error:
            logger.exception("%s %s failed", asked.method, asked.path)
            if hardened.is_started:
                raise  # too late to say anything: the connection is cut
            await render(scope, as_problem(error))(scope, receive, hardened)

    def _note(self, scope: Scope, asked: RequestHead, problem: ProblemError) -> None:
        state = scope["app"].state
        row = audit_row(asked, problem, state.access.token)
        if row is not None and (ingest := getattr(state, "writer", None)) is not None:
            self._notes.note(row, ingest)


class _Hardened:
    """`send`, with the security headers on what it sends."""

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


def asked_of(scope: Scope) -> RequestHead:
    """Return the parts of a request that the rules read."""
    server, client = scope.get("server"), scope.get("client")
    return RequestHead(
        method=scope["method"],
        path=route_path(scope),
        headers=Headers(scope=scope),
        query=scope.get("query_string", b"").decode("latin-1"),
        peer=client[0] if client else "",
        port=(server[1] or 0) if server else 0,
    )


def cookie_name(port: int) -> str:
    """Return the cookie's name: cookies are shared by all ports of a host."""
    return f"inspector_{port}"


def _refuse(status: int, code: str, detail: str) -> AccessDecision:
    title = "Unauthorised" if status == 401 else "Not allowed"
    headers = {"WWW-Authenticate": "Bearer"} if status == 401 else {}
    return AccessDecision(refusal=ProblemError(status, code, title, detail, headers=headers))


def _host_name(host: str) -> str:
    """Return `Host` without its port, in lower case."""
    host = host.strip().lower()
    head, colon, port = host.rpartition(":")
    return head if colon and port.isdigit() else host


def _is_same_origin(origin: str, headers: Mapping[str, str]) -> bool:
    # The scheme is left out: behind a proxy that ends TLS we do not know it.
    parts = urlsplit(origin)
    return parts.scheme in ("http", "https") and parts.netloc == headers.get("host", "").lower()


def _is_cross_site(asked: RequestHead) -> bool:
    if asked.headers.get("sec-fetch-site") not in ("cross-site", "same-site"):
        return False
    is_link = (
        asked.method == "GET"
        and asked.headers.get("sec-fetch-mode") == "navigate"
        and asked.headers.get("sec-fetch-dest") == "document"
    )
    return not (is_link and _is_ui(asked.path))


def _is_beyond_grant(asked: RequestHead) -> bool:
    """Say whether a caller that says of itself that it may only read changes something."""
    return asked.method not in _READING and asked.headers.get(GRANT_HEADER, "").lower() == "read"


def _is_ui(path: str) -> bool:
    return path in ("/", "/ui") or path.startswith("/ui/")


def _is_loopback_peer(peer: str) -> bool:
    try:
        address = ipaddress.ip_address(peer)
    except ValueError:
        return False
    mapped = getattr(address, "ipv4_mapped", None)
    return (mapped or address).is_loopback


def _refusal(scope: Scope, asked: RequestHead, problem: ProblemError) -> Response:
    accept = asked.headers.get("accept", "*/*")
    is_page = _is_ui(asked.path) and not asked.path.startswith("/ui/assets/")
    is_read = "text/html" in accept
    if problem.code == "no_token" and is_page and (is_read or "*/*" in accept):
        return login_page(_WRONG_TOKEN if "token" in dict(_pairs(asked.query)) else "")
    if not (is_page and is_read):
        return render(scope, problem)
    text = f"{problem.title}\n\n{problem.detail}\n"
    return Response(text, problem.status, problem.headers, media_type="text/plain")


async def _answer_form(
    scope: Scope, receive: Receive, asked: RequestHead, access: Access
) -> Response:
    token = await sent_token(Request(scope, receive))
    if token is not None and access.is_token(token):
        return _login(scope, asked, access, _without_token(asked.query))
    return login_page(_WRONG_TOKEN)


def _pairs(query: str) -> list[tuple[str, str]]:
    return parse_qsl(query, keep_blank_values=True)


def _without_token(query: str) -> str:
    return urlencode([(name, value) for name, value in _pairs(query) if name != "token"])


def _login(scope: Scope, asked: RequestHead, access: Access, query: str) -> Response:
    root = scope.get("root_path", "")
    place = root + ("/ui/" if asked.path in ("/", "/ui") else asked.path)
    response = RedirectResponse(f"{place}?{query}" if query else place, status_code=303)
    response.set_cookie(
        cookie_name(asked.port),
        access.new_session(now_s=time.time()),
        max_age=SESSION_MAX_AGE_S,
        path=root or "/",
        secure=scope.get("scheme") == "https",
        httponly=True,
        samesite="lax",
    )
    return response


def _preflight(asked: RequestHead) -> Response:
    return Response(
        status_code=204,
        headers={
            "Access-Control-Allow-Methods": "GET, POST, PUT, DELETE",
            "Access-Control-Allow-Headers": asked.headers.get(
                "access-control-request-headers", "authorization, content-type"
            ),
            "Access-Control-Max-Age": "600",
        },
    )
