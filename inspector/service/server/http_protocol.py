"""HTTP/1.1 for uvicorn on httptools, with limits on the size and time of a request's head.

uvicorn bounds neither a request's head nor the time that it takes, and drops the body of a client
that offers another protocol (RFC 9110 §7.8: a server may ignore the offer).
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Callable
from functools import cache
from http import HTTPStatus
from typing import Any, TypeAlias

import httptools
from starlette.exceptions import HTTPException
from uvicorn.protocols.http.httptools_impl import (
    STATUS_LINE,
    HttpToolsProtocol,
    RequestResponseCycle,
)

from inspector.service.http.problems import as_problem, problem_response

logger = logging.getLogger("inspector.http")

MAX_LINE_BYTES = 16 * 1024
"""Limit of a line of a head: the request line or a header; also a trailer or a chunk's line."""

MAX_HEAD_BYTES = 64 * 1024
"""Limit of all lines of one head, and of the trailers behind its body."""

MAX_HEADERS = 100
"""Limit of the headers of one request."""

MAX_HEAD_S = 10.0
"""Time limit of a head, from its first byte; the first head counts from the connection."""

MAX_PIPELINED = 100
"""Limit of requests of one connection that wait for the response to an earlier one."""

MAX_CONNECTIONS = 1000
"""Limit of the connections of one port. Above it, the longest idle one is closed."""

LINGER_S = 1.0
"""Time that a refused connection stays open: after a reset, the sender could not read why."""

_LINE_END_BYTES = len(b": \r\n")


_HTTP2 = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
"""The beginning of a connection of HTTP/2 (RFC 9113 §3.4): here, of a sender of OTLP/gRPC."""

TakeHttp2: TypeAlias = Callable[[asyncio.Transport, bytes, str, set[Any]], None]
"""Callback that takes over a connection: transport, received data, peer, port's connections."""


class _RefusedError(Exception):
    """Ends the parsing of a request that is refused."""

    def __init__(self, status: HTTPStatus, message: str) -> None:
        super().__init__(message)
        self.status = status


class HttpProtocol(HttpToolsProtocol):
    """One connection of a client.

    Args:
        take_http2: Takes over connections of HTTP/2; without it they are refused.
        max_connections: Limit of the port's connections.
        options: uvicorn's own.
    """

    _opening: bytes | None = b""
    _deadline: asyncio.TimerHandle | None = None
    _is_head = False
    _is_silent = False
    _is_refused = False
    _head_bytes = 0
    _line_bytes = 0
    _idle_since_s = 0.0

    def __init__(
        self,
        *,
        take_http2: TakeHttp2 | None = None,
        max_connections: int = MAX_CONNECTIONS,
        **options: Any,
    ) -> None:
        super().__init__(**options)
        self._take_http2 = take_http2
        self._max_connections = max_connections
        self._cycles = deque[RequestResponseCycle]()  # the first is being answered
        self.access_log = False  # it would log the token that a login brings

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait for a request."""
        super().connection_made(transport)
        self._idle_since_s = self.loop.time()
        self._limit_head_time()
        if len(self.connections) > self._max_connections:
            _close_longest_idle(self.connections)

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop waiting, and answering."""
        self._head_is_over()
        self._abandon_answers()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Parse received data, and refuse it above a limit."""
        if self._is_refused:
            return
        self._idle_since_s = self.loop.time()
        if self._opening is not None:
            data = self._opening + data
            if len(data) < len(_HTTP2) and _HTTP2.startswith(data):
                self._opening = data
                return
            self._opening = None
            if data.startswith(_HTTP2):
                self._speak_http2(data)
                return
        self._is_silent = True
        try:
            self._feed(data)
            if self._is_head or self._is_silent:
                self._check_open_line(data)
        except httptools.HttpParserError as error:
            cause = error.__context__
            if not isinstance(cause, _RefusedError):
                self.logger.info("Invalid HTTP request received: %s", error)
                cause = _RefusedError(HTTPStatus.BAD_REQUEST, f"Invalid HTTP request: {error}.")
            self._refuse(cause)
        except _RefusedError as refused:
            self._refuse(refused)

    def _speak_http2(self, data: bytes) -> None:
        if self._take_http2 is None:
            _log_no_grpc(self.server)
            self._refuse(
                _RefusedError(
                    HTTPStatus.HTTP_VERSION_NOT_SUPPORTED, "This port speaks HTTP/1.1, not gRPC."
                )
            )
            return
        self._head_is_over()
        self.connections.discard(self)
        address = self.client[0] if self.client else ""
        self._take_http2(self.transport, data, address, self.connections)

    def _feed(self, data: bytes) -> None:
        """Parse `data`. A client that offers another protocol is read as if it did not."""
        while data:
            try:
                self.parser.feed_data(data)
                return
            except httptools.HttpParserUpgrade as upgrade:
                # The parser ends a request at its head where another protocol is offered. So the
                # same head is read again without the offer, and its body as a body.
                body = data[upgrade.args[0] :]
                head = self._head_without_offer()
                # After `Connection: close` the parser would read nothing more.
                self.parser = httptools.HttpRequestParser(self)
                self.parser.set_dangerous_leniencies(lenient_data_after_close=True)
                self.parser.feed_data(head)
                data = body

    def _head_without_offer(self) -> bytes:
        method, version = self.parser.get_method(), self.parser.get_http_version()
        if method == b"CONNECT":
            raise _RefusedError(HTTPStatus.NOT_IMPLEMENTED, "This server is not a proxy.")
        lines = [b"%b %b HTTP/%b" % (method, self.url, version.encode())]
        lines += [b"%b: %b" % pair for pair in self.headers if pair[0] != b"upgrade"]
        return b"\r\n".join([*lines, b"", b""])

    def on_message_begin(self) -> None:
        """Begin a head."""
        self._unset_keepalive_if_required()
        self._is_head = True
        self._head_bytes = 0
        super().on_message_begin()

    def on_url(self, url: bytes) -> None:
        """Take a part of the request line."""
        self._is_silent = False
        super().on_url(url)
        if len(self.url) > MAX_LINE_BYTES:
            raise _RefusedError(
                HTTPStatus.REQUEST_URI_TOO_LONG, f"The URL is longer than {MAX_LINE_BYTES} bytes."
            )

    def on_header(self, name: bytes, value: bytes) -> None:
        """Take a header, or a trailer, which is ignored."""
        self._is_silent = False
        line_bytes = len(name) + len(value) + _LINE_END_BYTES
        self._head_bytes += line_bytes
        if (
            line_bytes > MAX_LINE_BYTES
            or self._head_bytes + len(self.url) > MAX_HEAD_BYTES
            or len(self.headers) >= MAX_HEADERS
        ):
            raise _too_large()
        if self._is_head:
            super().on_header(name, value)

    def on_headers_complete(self) -> None:
        """Begin the answer."""
        if self.parser.should_upgrade():
            return  # the head comes again
        self._head_is_over()
        self._unset_keepalive_if_required()
        if len(self.pipeline) >= MAX_PIPELINED:
            raise _RefusedError(HTTPStatus.TOO_MANY_REQUESTS, "Too many queued requests.")
        super().on_headers_complete()
        self._cycles.append(self.cycle)

    def on_body(self, body: bytes) -> None:
        """Take a part of the body."""
        self._is_silent = False
        super().on_body(body)

    def on_message_complete(self) -> None:
        """End the body."""
        if not self.parser.should_upgrade():
            super().on_message_complete()

    def on_response_complete(self) -> None:
        """Wait for the next request."""
        self._idle_since_s = self.loop.time()
        self._cycles.popleft()
        super().on_response_complete()

    def pause_writing(self) -> None:
        """Wait until the client takes more."""
        self._idle_since_s = self.loop.time()
        super().pause_writing()

    @property
    def idle_since_s(self) -> float | None:
        """Loop time since the client was last active; None while it waits for us."""
        is_our_turn = self._cycles and not self._cycles[0].more_body and not self.flow.write_paused
        return None if is_our_turn else self._idle_since_s

    def _abandon_answers(self) -> None:
        for cycle in self._cycles:  # uvicorn notifies the last one only
            cycle.disconnected = True
            cycle.message_event.set()

    def _check_open_line(self, data: bytes) -> None:
        """Refuse a line that the parser buffers, since its end has not come, above a limit."""
        end = data.rfind(b"\n")
        self._line_bytes = len(data) - end - 1 + (self._line_bytes if end < 0 else 0)
        if (
            self._line_bytes > MAX_LINE_BYTES
            or self._line_bytes + self._head_bytes > MAX_HEAD_BYTES
        ):
            raise _too_large()
        if self._is_head and self._deadline is None:
            self._limit_head_time()

    def _limit_head_time(self) -> None:
        self._deadline = self.loop.call_later(MAX_HEAD_S, self._head_took_too_long)

    def _head_is_over(self) -> None:
        self._is_head = False
        self._line_bytes = 0
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _head_took_too_long(self) -> None:
        self._deadline = None
        if self.flow.read_paused:  # by us, while what came before is answered
            self._limit_head_time()
        elif self._is_head:
            self._refuse(
                _RefusedError(
                    HTTPStatus.REQUEST_TIMEOUT,
                    f"The request headers must arrive within {MAX_HEAD_S:g} seconds.",
                )
            )
        else:
            self.transport.close()

    def _refuse(self, refused: _RefusedError) -> None:
        """Send the refusal, unless another answer is before it, and close."""
        is_next = self._is_head
        self._is_refused = True
        self._head_is_over()
        self._unset_keepalive_if_required()
        if self.transport.is_closing():
            return
        self._abandon_answers()  # this is the answer, whatever becomes of the rest
        if self._cycles and (is_next or self.pipeline or self._cycles[0].response_started):
            self.transport.abort()
            return
        answer = problem_response(as_problem(HTTPException(refused.status, str(refused))))
        headers = [*answer.raw_headers, (b"connection", b"close")]
        fields = b"".join(b"%s: %s\r\n" % header for header in headers)
        self.transport.write(STATUS_LINE[refused.status] + fields + b"\r\n" + answer.body)
        if self.transport.can_write_eof():
            self.transport.write_eof()
            self._deadline = self.loop.call_later(LINGER_S, self.transport.close)
        else:
            self.transport.close()


@cache
def _log_no_grpc(server: tuple[str, int | None] | None) -> None:
    """Log once for each port how to send instead: the sender's own error does not say."""
    logger.warning(
        "A client sends gRPC to port %s, which accepts HTTP only. Set "
        "OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf at the sender.",
        server[1] if server else "",
    )


def _close_longest_idle(connections: set[Any]) -> None:
    idle = [
        (since_s, each)
        for each in connections
        if (since_s := each.idle_since_s) is not None and not each.transport.is_closing()
    ]
    # The newest itself where all others are busy. Aborted: closing would wait for the client to
    # read what was written.
    min(idle, key=lambda pair: pair[0])[1].transport.abort()


def _too_large() -> _RefusedError:
    return _RefusedError(
        HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE,
        f"A request can have at most {MAX_HEADERS} headers, lines of {MAX_LINE_BYTES // 1024} "
        f"KiB, and {MAX_HEAD_BYTES // 1024} KiB of headers in total.",
    )
