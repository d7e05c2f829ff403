"""HTTP client of a running service: standard library only, so that the CLI starts fast."""

from __future__ import annotations

import json
import os
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from http.client import HTTPException, HTTPMessage, HTTPResponse
from typing import Any

from inspector import runfile
from inspector.errors import InspectorError, RefusedError, SettingsError
from inspector.runfile import environment_token
from inspector.sse import EventSplitter, TooLongError
from inspector.version import VERSION

TIMEOUT_S = 30.0
MAX_ACTOR_CHARS = 80
_PIECE_BYTES = 65_536


class NoServiceError(InspectorError):
    """No service runs, or it does not answer."""

    code = "no_service"


class _SameOrigin(urllib.request.HTTPRedirectHandler):
    """Redirect handler that stays on the service's origin; a merged session redirects there.

    The token goes with every redirect.
    """

    def redirect_request(
        self,
        req: urllib.request.Request,
        fp: Any,
        code: int,
        msg: str,
        headers: HTTPMessage,
        newurl: str,
    ) -> urllib.request.Request | None:
        """Return the request to the new URL; None if the redirect is not followed."""
        if req.get_method() != "GET" or _origin(newurl) != _origin(req.full_url):
            return None
        return super().redirect_request(req, fp, code, msg, headers, newurl)


@dataclass(frozen=True)
class Client:
    """Client of the service at `url`.

    Attributes:
        actor: The name for the audit log; None: the service finds one.
    """

    url: str
    token: str | None = field(repr=False)
    actor: str | None = None

    @classmethod
    def find(cls, url: str | None = None, token: str | None = None) -> Client:
        """Return the named service, else that of the environment, else the running one.

        Raises:
            NoServiceError: None is named, and none runs.
            SettingsError: The named one is no address.
        """
        if named := url or os.environ.get("INSPECTOR_URL", "").strip():
            if not runfile.is_address(named):
                raise SettingsError(
                    f"{named!r} is not the address of a service. "
                    "Set INSPECTOR_URL to one, such as http://127.0.0.1:7800."
                )
            return cls(named.rstrip("/"), token or environment_token())
        if running := runfile.read():
            return cls(running.url, token or running.token)
        raise NoServiceError(
            "No service runs on this machine. Start one with `inspector serve`, "
            "or name one with INSPECTOR_URL and INSPECTOR_TOKEN."
        )

    def get(self, path: str, **query: object) -> Any:
        """Return the JSON at `path`.

        Raises:
            NoServiceError: It does not answer.
            RefusedError: It answers with a problem.
        """
        with self._open(path, query) as response:
            return self._json(response)

    def post(self, path: str, body: object = None, headers: Mapping[str, str] | None = None) -> Any:
        """Send `body` as JSON, and return the JSON of the answer.

        Args:
            path: Path of a route that changes something.
            body: JSON; None: no body.
            headers: Replace those that name the caller.

        Raises:
            NoServiceError: It does not answer; it may have acted nevertheless.
            RefusedError: It answers with a problem.
        """
        content = b"" if body is None else json.dumps(body).encode()
        with self._open(path, {}, content, "application/json", headers) as response:
            return self._json(response)

    def events(
        self, *, after: str, session_ids: Collection[str] = ()
    ) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yield (position, event) from the position `after` on, until the stream breaks off.

        Args:
            after: `as_of` of a list, or the last received position.
            session_ids: The sessions whose spans are sent; none: all.

        Raises:
            NoServiceError: The service does not answer, or the connection broke.
            RefusedError: It answers with a problem.
        """
        wanted = ",".join(session_ids) or None
        with self._open("/events", {"after": after, "session_id": wanted}) as response:
            splitter = EventSplitter()
            try:
                while piece := response.read1(_PIECE_BYTES):
                    for event in splitter.feed(piece):
                        yield event.id, json.loads(event.data)
            except (OSError, HTTPException, TooLongError) as error:
                raise NoServiceError(f"The connection to {self.url} broke: {error}.") from error
        raise NoServiceError(f"The service at {self.url} ended the connection.")

    def _open(
        self,
        path: str,
        query: dict[str, object],
        body: bytes | Iterable[bytes] | None = None,
        media_type: str = "application/octet-stream",
        headers: Mapping[str, str] | None = None,
    ) -> HTTPResponse:
        parameters = {name: value for name, value in query.items() if value is not None}
        address = f"{self.url}{path}" + (
            f"?{urllib.parse.urlencode(parameters, doseq=True)}" if parameters else ""
        )
        request = urllib.request.Request(address, data=body)
        if body is not None:
            request.add_header("Content-Type", media_type)
        for name, value in (headers or self._headers).items():
            request.add_header(name, value)
        if self.token:
            request.add_header("Authorization", f"Bearer {self.token}")
        # No proxy: the service is on this machine, or in this network.
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}), _SameOrigin)
        try:
            opened: HTTPResponse = opener.open(request, timeout=TIMEOUT_S)
        except urllib.error.HTTPError as error:
            with error:
                raise _refusal(error) from error
        except (urllib.error.URLError, OSError, HTTPException) as error:
            reason = getattr(error, "reason", error)
            raise NoServiceError(
                f"Cannot reach the service at {self.url}: {_why_unreachable(reason)}"
            ) from error
        return opened

    @property
    def _headers(self) -> dict[str, str]:
        """Return the headers that name the caller."""
        agent = {"User-Agent": f"inspector-cli/{VERSION}"}
        if not self.actor:
            return agent
        return {**agent, "Inspector-Actor": urllib.parse.quote(self.actor[:MAX_ACTOR_CHARS])}

    def download(self, path: str) -> Iterator[bytes]:
        """Yield the bytes at `path` as a stream.

        Raises:
            NoServiceError: It does not answer, or breaks off.
            RefusedError: It answers with a problem.
        """
        with self._open(path, {}) as response:
            try:
                while piece := response.read(_PIECE_BYTES):
                    yield piece
            except (OSError, HTTPException) as error:
                raise NoServiceError(f"The connection to {self.url} broke: {error!r}.") from error

    def export(self, session_id: str) -> Iterator[bytes]:
        """Yield a session as a gzip file; raise as `download`."""
        return self.download(f"/trace/{urllib.parse.quote(session_id, safe='')}")

    def page(self, session_id: str) -> Iterator[bytes]:
        """Yield a session as a web page; raise as `download`."""
        return self.download(f"/sessions/{urllib.parse.quote(session_id, safe='')}/export.html")

    def upload(self, path: str, body: Iterable[bytes]) -> Any:
        """Send `body` as a stream, and return the JSON of the answer.

        Raises:
            NoServiceError: It does not answer.
            RefusedError: It answers with a problem.
        """
        with self._open(path, {}, body) as response:
            return self._json(response)

    def _json(self, response: HTTPResponse) -> Any:
        try:
            return json.load(response)
        except (OSError, HTTPException) as error:
            raise NoServiceError(f"The connection to {self.url} broke: {error!r}.") from error
        except ValueError as error:
            raise NoServiceError(
                f"The server at {self.url} is not Inspector. Check INSPECTOR_URL."
            ) from error


def _why_unreachable(reason: object) -> str:
    if why := getattr(reason, "verify_message", None):  # of a certificate; `ssl` may be missing
        return (
            f"its certificate is not accepted ({str(why).rstrip('.')}). Use the name in the "
            "certificate; one that no authority has signed needs SSL_CERT_FILE."
        )
    if type(reason).__name__.startswith("SSL"):
        return f"what answers there does not speak TLS ({reason}). Try an http:// address."
    return f"{reason}. Start it with `inspector serve`, or set INSPECTOR_URL to where it runs."


def _origin(address: str) -> tuple[str, str | None, int | None]:
    parts = urllib.parse.urlsplit(address)
    return parts.scheme, parts.hostname, parts.port


def _refusal(error: urllib.error.HTTPError) -> RefusedError:
    if 300 <= error.code < 400:
        return RefusedError(
            f"The service redirects to {error.headers.get('Location')!r}. The token is not sent"
            " there. Set INSPECTOR_URL to that address."
        )
    try:
        problem = json.loads(error.read(65_536))
        return RefusedError(str(problem["detail"]), problem)
    except (ValueError, KeyError, TypeError):
        return RefusedError(
            f"The server answered {error.code}, which is not an answer of Inspector. Check the "
            "address in INSPECTOR_URL."
        )
