"""HTTP to an untrusted service: one attempt, no redirects, bounded size and time.

The other end may be broken or hostile: its replies are bounded in size and in time, so that it can
neither stall nor exhaust the agent.
"""

from __future__ import annotations

import http.client
import io
import json
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import monotonic
from typing import Any, NamedTuple, cast
from urllib.parse import urlsplit

MAX_REPLY_BYTES = 1024 * 1024
_READ_BYTES = 64 * 1024
_USER_AGENT = "inspector-agent"


class Address(NamedTuple):
    """The URL of a service, and the token for it."""

    url: str
    token: str | None

    @property
    def name(self) -> str:
        """The URL for display, without credentials."""
        parts = urlsplit(self.url)
        return parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl()


class AwayError(Exception):
    """The service did not answer in HTTP; try again later."""


class Reply(NamedTuple):
    """An HTTP reply, whatever its status."""

    status: int
    body: bytes

    def fields(self) -> dict[str, Any]:
        """Return the JSON object in the body; an empty one if it has none."""
        try:
            found = json.loads(self.body)
        except (ValueError, RecursionError):
            return {}
        return found if isinstance(found, dict) else {}


class HttpConnection:
    """HTTP client of one address; opens a new connection for each request. Thread-safe."""

    def __init__(self, address: Address) -> None:
        self.address = address
        self._open: set[socket.socket] = set()

    def request(self, method: str, path: str, body: Any, timeout_s: float) -> Reply:
        """Send `body` as JSON; return the reply, due within `timeout_s`.

        Raises:
            AwayError: There is none in time.
        """
        end_s = monotonic() + timeout_s
        with self._connected(timeout_s) as sock, _as_away():
            link = _Timed(sock, lambda: end_s - monotonic())
            response = self._ask(link, method, path, body)
            text = response.read(MAX_REPLY_BYTES + 1)
            if len(text) > MAX_REPLY_BYTES:
                raise AwayError(f"the response is longer than {MAX_REPLY_BYTES} bytes")
            return Reply(response.status, text)

    def follow(self, path: str, timeout_s: float, silence_s: float) -> Iterator[bytes]:
        """Yield the pieces of an event stream, until it ends.

        Args:
            path: Path of the stream.
            timeout_s: Time limit for the response to begin.
            silence_s: The longest time without a byte.

        Raises:
            AwayError: There is no answer, or the stream is silent for too long.
            StatusError: The response is no stream.
        """
        end_s: float | None = monotonic() + timeout_s
        with self._connected(timeout_s) as sock, _as_away():
            link = _Timed(sock, lambda: silence_s if end_s is None else end_s - monotonic())
            response = self._ask(link, "GET", path, None)
            kind = response.headers.get_content_type()
            if response.status != 200 or kind != "text/event-stream":
                raise StatusError(response.status, kind)
            end_s = None
            while piece := response.read1(_READ_BYTES):
                yield piece

    def abort(self) -> None:
        """Abort all open requests, from any thread; their callers get `AwayError`."""
        for sock in list(self._open):
            try:
                sock.shutdown(socket.SHUT_RDWR)
            except (OSError, ValueError, AttributeError):  # closed meanwhile
                continue

    def forget(self) -> None:
        """In a forked child, close its copies of the parent's sockets."""
        for sock in list(self._open):
            sock.close()
        self._open.clear()

    def _ask(self, link: _Timed, method: str, path: str, body: Any) -> http.client.HTTPResponse:
        parts = urlsplit(self.address.url)
        host = parts.hostname or ""
        connection = http.client.HTTPConnection(f"[{host}]" if ":" in host else host, parts.port)
        connection.sock = cast(socket.socket, link)  # as much of a socket as it uses
        headers = {"Connection": "close", "User-Agent": _USER_AGENT, "Accept": "*/*"}
        if self.address.token:
            headers["Authorization"] = f"Bearer {self.address.token}"
        content = None
        if body is not None:
            headers["Content-Type"] = "application/json"
            content = json.dumps(body).encode()
        connection.request(method, parts.path.rstrip("/") + path, content, headers)
        return connection.getresponse()

    @contextmanager
    def _connected(self, timeout_s: float) -> Iterator[socket.socket]:
        parts = urlsplit(self.address.url)
        with _as_away():
            port = parts.port or (443 if parts.scheme == "https" else 80)
            sock = socket.create_connection((parts.hostname or "", port), timeout_s)
            self._open.add(sock)
        try:
            if parts.scheme == "https":
                with _as_away():
                    self._open.discard(sock)
                    sock = _secured(sock, parts.hostname or "")
                    self._open.add(sock)
            yield sock
        finally:
            self._open.discard(sock)
            sock.close()


class StatusError(Exception):
    """A reply that is not the expected event stream."""

    def __init__(self, status: int, kind: str) -> None:
        super().__init__(f"answered {status}, {kind}")
        self.status = status


class _Timed(io.RawIOBase):
    """A socket for `http.client`, with a time limit of each piece."""

    def __init__(self, sock: socket.socket, left_s: Callable[[], float]) -> None:
        self._sock = sock
        self._left_s = left_s

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        self._limit()
        return self._sock.recv_into(buffer)

    def sendall(self, content: bytes) -> None:
        self._limit()
        self._sock.sendall(content)

    def makefile(self, _: str) -> io.BufferedReader:
        return io.BufferedReader(self)

    def close(self) -> None:
        """Leave the socket open: the body is read after `http.client` has closed it."""

    def _limit(self) -> None:
        left_s = self._left_s()
        if left_s <= 0:
            raise TimeoutError("timed out")
        self._sock.settimeout(left_s)


@contextmanager
def _as_away() -> Iterator[None]:
    try:
        yield
    except (OSError, http.client.HTTPException, ValueError, AttributeError) as error:
        raise AwayError(f"{type(error).__name__}: {error}") from error


def _secured(sock: socket.socket, host: str) -> socket.socket:
    import ssl  # noqa: PLC0415 - most services are on this machine

    try:
        return ssl.create_default_context().wrap_socket(sock, server_hostname=host)
    except BaseException:
        sock.close()
        raise
