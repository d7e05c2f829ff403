"""Access control: decides about every request before any route runs.

The rules are pure; the ASGI middleware in `guard` applies them. What is not allowed by name is
refused, so that a new route is closed until somebody opens it.

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

from starlette.datastructures import Headers
from starlette.requests import cookie_parser
from starlette.types import Scope

from inspector.service.analysis.sanitise import visible_line
from inspector.service.http.problems import ProblemError, route_path
from inspector.service.otlp.signals import NO_TOKEN, SIGNALS, WRONG_TOKEN
from inspector.service.settings import is_loopback

logger = logging.getLogger("inspector.http")

OTLP_PATHS = frozenset(f"/v1/{name}" for name in SIGNALS)
SESSION_MAX_AGE_S = 30 * 24 * 3600

_LOOPBACK_NAMES = frozenset({"localhost", "127.0.0.1", "[::1]"})
_FORWARDED = frozenset({"forwarded", "via", "x-forwarded-for", "x-real-ip"})
_MAX_LOGGED = 1_000
GRANT_HEADER = "inspector-grant"
"""Header with the grant of the caller; `read` allows no changes, even with the token."""
_READING = frozenset({"GET", "HEAD", "OPTIONS"})


@dataclass(frozen=True, slots=True)
class RequestHead:
    """The parts of a request that the rules read.

    Attributes:
        path: Below the mount point of the service.
        peer: Address of the other end; empty if unknown.
        port: The port that received the request.
    """

    method: str
    path: str
    headers: Mapping[str, str]
    query: str = ""
    peer: str = ""
    port: int = 0


@dataclass(frozen=True, slots=True)
class AccessDecision:
    """The decision on a request; with nothing set it passes.

    Attributes:
        refusal: The reason to refuse it.
        login_query: It has the token in its query: set the cookie, redirect to this query.
        is_form: It may have the token in its body.
        cors_origin: The listed origin whose page may read the answer.
    """

    refusal: ProblemError | None = None
    login_query: str | None = None
    is_form: bool = False
    cors_origin: str | None = None


@dataclass(frozen=True)
class Access:
    """The rules, for one service.

    Attributes:
        token: The access token.
        hosts: Allowed names in `Host`, the loopback names among them.
        origins: Allowed origins of other sites.
        open_ingest: The senders whose OTLP needs no token.
    """

    token: str = field(repr=False)
    hosts: frozenset[str] = frozenset()
    origins: frozenset[str] = frozenset()
    open_ingest: Literal["nobody", "this_machine", "everybody"] = "nobody"
    _logged: set[tuple[str, str]] = field(default_factory=set, init=False, repr=False)

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

    def decide(self, head: RequestHead) -> AccessDecision:
        """Decide about one request."""
        if _host_name(head.headers.get("host", "")) not in self.hosts:
            return _refuse(
                403,
                "host_not_allowed",
                "The Host header is not allowed. Use the address that `inspector serve` prints, "
                "or add the host to INSPECTOR_ALLOWED_HOSTS.",
            )
        origin = head.headers.get("origin", "").lower()
        is_listed = origin in self.origins
        if origin and not is_listed and not _is_same_origin(origin, head.headers):
            return _refuse(
                403,
                "origin_not_allowed",
                "The Origin is not allowed. To allow it, add it to INSPECTOR_ALLOWED_ORIGINS.",
            )
        cors_origin = origin if is_listed else None
        if not is_listed and _is_cross_site(head):
            return _refuse(403, "cross_site", "Cross-site requests are not allowed.")
        if is_listed and head.method == "OPTIONS":
            return AccessDecision(cors_origin=cors_origin)
        decision = self._decide_caller(head, cors_origin)
        if decision.refusal is None and _is_beyond_grant(head):
            return _refuse(
                403,
                "not_granted",
                "This client is read-only. To let MCP clients control agents, run `inspector mcp "
                "--control`, or start the service with INSPECTOR_MCP_CONTROL=on.",
            )
        return decision

    def _decide_caller(self, head: RequestHead, cors_origin: str | None) -> AccessDecision:
        if head.path == "/health" or self._is_open_ingest(head):
            return AccessDecision(cors_origin=cors_origin)
        if self.is_bearer(head.headers.get("authorization", "")):
            return AccessDecision(cors_origin=cors_origin)
        if (login_query := self._login_query(head)) is not None:
            return AccessDecision(login_query=login_query)
        if head.method == "POST" and is_ui(head.path):
            return AccessDecision(is_form=True)
        if not self._has_session(head):
            return _refuse(401, "no_token", _why_refused(head))
        if head.method not in _READING and "origin" not in head.headers:
            return _refuse(
                403, "no_origin", "A change authorised by a cookie requires an Origin header."
            )
        return AccessDecision(cors_origin=cors_origin)

    def is_known(self, head: RequestHead) -> bool:
        """Return whether a request carries the token, or a cookie issued for it."""
        return self.is_bearer(head.headers.get("authorization", "")) or self._has_session(head)

    def is_bearer(self, authorization: str) -> bool:
        """Return whether an `Authorization` value carries the token."""
        scheme, _, token = authorization.partition(" ")
        return scheme.lower() == "bearer" and self.is_token(token.strip())

    def is_token(self, text: str) -> bool:
        """Return whether `text` is the token."""
        return hmac.compare_digest(text.encode(), self.token.encode())

    def is_open_to(self, peer: str, headers: Container[str]) -> bool:
        """Return whether OTLP from `peer` needs no token.

        A proxy on this machine passes on what others send, and says so in `headers`.
        """
        if self.open_ingest == "this_machine":
            return _is_loopback_peer(peer) and not any(name in headers for name in _FORWARDED)
        return self.open_ingest == "everybody"

    def log_refused(self, peer: str, code: str, detail: str) -> None:
        """Log a refused sender of OTLP, once for each address and reason."""
        if (peer, code) not in self._logged and len(self._logged) < _MAX_LOGGED:
            self._logged.add((peer, code))
            logger.warning("Rejected OTLP from %s. %s", visible_line(peer, 60), detail)

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

    def _is_open_ingest(self, head: RequestHead) -> bool:
        return head.path in OTLP_PATHS and self.is_open_to(head.peer, head.headers)

    def _login_query(self, head: RequestHead) -> str | None:
        """Return the query without the token if it has that, and the path is a page of the UI."""
        if head.method != "GET" or not is_ui(head.path) or "token=" not in head.query:
            return None
        tokens = [value for name, value in pairs(head.query) if name == "token"]
        return without_token(head.query) if any(map(self.is_token, tokens)) else None

    def _has_session(self, head: RequestHead) -> bool:
        cookie = cookie_parser(head.headers.get("cookie", "")).get(cookie_name(head.port), "")
        return self.is_session(cookie, now_s=time.time())

    def _sign(self, claim: str) -> str:
        key = hashlib.sha256(b"inspector session\0" + self.token.encode()).digest()
        return hmac.new(key, claim.encode(), hashlib.sha256).hexdigest()


def request_head(scope: Scope) -> RequestHead:
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


def _why_refused(head: RequestHead) -> str:
    if head.headers.get("authorization"):
        return WRONG_TOKEN
    if head.path in OTLP_PATHS:
        return NO_TOKEN
    return (
        "A token is required: in a browser, open the address that `inspector open` prints; for "
        "programs and the command line, set INSPECTOR_TOKEN to what `inspector token` prints, or "
        "send it as `Authorization: Bearer TOKEN`."
    )


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


def _is_cross_site(head: RequestHead) -> bool:
    if head.headers.get("sec-fetch-site") not in ("cross-site", "same-site"):
        return False
    is_link = (
        head.method == "GET"
        and head.headers.get("sec-fetch-mode") == "navigate"
        and head.headers.get("sec-fetch-dest") == "document"
    )
    return not (is_link and is_ui(head.path))


def _is_beyond_grant(head: RequestHead) -> bool:
    """Return whether a caller that declares that it only reads changes something."""
    return head.method not in _READING and head.headers.get(GRANT_HEADER, "").lower() == "read"


def is_ui(path: str) -> bool:
    """Return whether a path is a page or a file of the UI."""
    return path in ("/", "/ui") or path.startswith("/ui/")


def _is_loopback_peer(peer: str) -> bool:
    try:
        address = ipaddress.ip_address(peer)
    except ValueError:
        return False
    mapped = getattr(address, "ipv4_mapped", None)
    return (mapped or address).is_loopback


def pairs(query: str) -> list[tuple[str, str]]:
    """Return the names and values of a query."""
    return parse_qsl(query, keep_blank_values=True)


def without_token(query: str) -> str:
    """Return a query without the token."""
    return urlencode([(name, value) for name, value in pairs(query) if name != "token"])
