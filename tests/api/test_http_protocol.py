"""Limits and protocols of connections, before any route: heads, offers of others, time."""

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager

import pytest
from starlette.responses import Response, StreamingResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from inspector.service.server import http_protocol
from inspector.service.server.http_protocol import (
    MAX_HEAD_BYTES,
    MAX_HEADERS,
    MAX_LINE_BYTES,
    MAX_PIPELINED,
)
from inspector.service.server.ports import listen, port_of
from inspector.service.server.serving import serving
from tests.support.services.app import RecordingWriter, running_app, settings
from tests.support.telemetry.export import span, trace_request

BODY = trace_request(span(1, name="kept")).SerializeToString()
TYPE = b"Host: 127.0.0.1\r\nContent-Type: application/x-protobuf\r\n"
LENGTH = b"Content-Length: %d\r\n" % len(BODY)
OFFER = b"Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAEAAEAA\r\n"
POST = b"POST /v1/traces HTTP/1.1\r\n" + TYPE
GET = b"GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\n"


class Wire:
    """A client that sends bytes which no library sends."""

    def __init__(self, port: int) -> None:
        self.port = port

    @asynccontextmanager
    async def connection(self) -> AsyncIterator[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        try:
            yield reader, writer
        finally:
            writer.close()

    async def ask(self, *parts: bytes) -> bytes:
        """Send each part by itself; return all data until the service closes."""
        async with self.connection() as (reader, writer):
            for part in parts:
                writer.write(part)
                await writer.drain()
                await asyncio.sleep(0)
            return await asyncio.wait_for(reader.read(), 20)


async def answering(scope: Scope, receive: Receive, send: Send) -> None:
    """Read the body and answer 200."""
    while (await receive()).get("more_body"):
        pass
    await Response()(scope, receive, send)


@asynccontextmanager
async def served(app: ASGIApp, max_connections: int = 1000) -> AsyncIterator[Wire]:
    with listen("127.0.0.1", 0, setting="a free port") as listener:
        async with serving(app, listener, settings(), max_connections=max_connections):
            yield Wire(port_of(listener))


@pytest.fixture
async def wire() -> AsyncIterator[Wire]:
    async with served(answering) as wire:
        yield wire


def statuses(answers: bytes) -> list[int]:
    """Return the status of each answer of a connection."""
    return [int(code) for code in re.findall(rb"HTTP/1\.1 (\d{3}) ", answers)]


def names(writer: RecordingWriter) -> list[str]:
    return [incoming.span.name for incoming in writer.spans]


CLOSE = b"Connection: close\r\n"


@pytest.mark.parametrize(
    "body",
    [
        LENGTH + b"\r\n" + BODY,
        b"Transfer-Encoding: chunked\r\n\r\n%x\r\n%b\r\n0\r\n\r\n" % (len(BODY), BODY),
    ],
    ids=["length", "chunked"],
)
@pytest.mark.parametrize("cut", ["whole", "head first", "byte by byte"])
async def test_an_offer_of_http2_is_ignored_and_the_body_read(body: bytes, cut: str) -> None:
    writer = RecordingWriter()
    request = POST + OFFER + body
    if cut == "byte by byte":
        parts = [bytes([byte]) for byte in request]
    elif cut == "head first":
        parts = list(request.partition(b"\r\n\r\n"))
    else:
        parts = [request]
    async with running_app(writer) as app, served(app) as wire:
        answers = await wire.ask(*parts, GET + CLOSE + b"\r\n")
    assert statuses(answers) == [200, 200]
    assert names(writer) == ["kept"]


@pytest.mark.parametrize("version", [b"HTTP/1.0", b"HTTP/1.1"])
async def test_an_offer_is_ignored_where_the_connection_is_to_end(version: bytes) -> None:
    writer = RecordingWriter()
    request = POST.replace(b"HTTP/1.1", version) + OFFER + CLOSE + LENGTH + b"\r\n" + BODY
    async with running_app(writer) as app, served(app) as wire:
        answers = await wire.ask(request)
    assert statuses(answers) == [200]
    assert names(writer) == ["kept"]


async def test_requests_with_offers_may_follow_each_other_in_one_segment() -> None:
    writer = RecordingWriter()
    request = POST + OFFER + LENGTH + b"\r\n" + BODY
    plain = POST + LENGTH + b"\r\n" + BODY
    async with running_app(writer) as app, served(app) as wire:
        answers = await wire.ask(request + plain + request + GET + CLOSE + b"\r\n")
    assert statuses(answers) == [200] * 4
    assert names(writer) == ["kept"] * 3


async def test_an_offer_of_a_web_socket_is_a_plain_request(
    wire: Wire, caplog: pytest.LogCaptureFixture
) -> None:
    answers = await wire.ask(
        GET + b"Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n" + GET + CLOSE + b"\r\n"
    )
    assert statuses(answers) == [200, 200]
    assert not caplog.records


async def test_a_proxy_is_not_what_this_is(wire: Wire) -> None:
    assert statuses(await wire.ask(b"CONNECT a:1 HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")) == [501]


LINE = b"X-Long: %b\r\n"


@pytest.mark.parametrize(
    ("request_", "status"),
    [
        pytest.param(GET + LINE % (b"a" * MAX_LINE_BYTES) + b"\r\n", 431, id="header"),
        pytest.param(GET + b"X: " + b"a" * 20 * MAX_LINE_BYTES, 431, id="header without an end"),
        pytest.param(GET + b"a" * 20 * MAX_LINE_BYTES, 431, id="name without an end"),
        pytest.param(GET + LINE % (b"a" * 9_000) * 9 + b"\r\n", 431, id="all headers"),
        pytest.param(GET + b"X: a\r\n" * (MAX_HEADERS + 1) + b"\r\n", 431, id="number of headers"),
        pytest.param(GET + b"X: a\r\n" * 1_000_000, 431, id="headers without an end"),
        pytest.param(
            b"GET /" + b"a" * MAX_LINE_BYTES + b" HTTP/1.1\r\n\r\n", 414, id="request line"
        ),
        pytest.param(b"GET /" + b"a" * 20 * MAX_LINE_BYTES, 414, id="request line without an end"),
        pytest.param(b"nothing of HTTP\r\n\r\n", 400, id="no method"),
        pytest.param(
            POST + b"Transfer-Encoding: chunked\r\n\r\n1;" + b"a" * 20 * MAX_LINE_BYTES,
            431,
            id="extension of a chunk",
        ),
        pytest.param(
            POST + b"Transfer-Encoding: chunked\r\n\r\n0\r\nX: " + b"a" * 20 * MAX_LINE_BYTES,
            431,
            id="trailer",
        ),
        pytest.param(
            POST + b"Transfer-Encoding: chunked\r\n\r\n0\r\n" + LINE % (b"a" * 9_000) * 9,
            431,
            id="all trailers",
        ),
    ],
)
async def test_a_head_above_a_limit_is_refused_and_the_connection_closed(
    wire: Wire, request_: bytes, status: int
) -> None:
    whole = await wire.ask(request_)
    assert statuses(whole) == [status]
    assert b"connection: close" in whole
    assert b"content-type: application/problem+json" in whole
    small = [request_[start : start + 1000] for start in range(0, 100_000, 1000)]
    assert statuses(await wire.ask(*small)) == [status]


async def test_a_head_within_the_limits_is_read(wire: Wire) -> None:
    longest = b"X: %b\r\n" % (b"a" * (MAX_LINE_BYTES - 5))
    few = GET + longest * 3 + CLOSE + b"\r\n"
    many = GET + b"X: a\r\n" * (MAX_HEADERS - 2) + CLOSE + b"\r\n"
    for request in (few, many):
        assert len(request) < MAX_HEAD_BYTES
        assert statuses(await wire.ask(request)) == [200]
        assert statuses(await wire.ask(request[:700], request[700:])) == [200]


@pytest.mark.parametrize(
    ("begun", "expected"),
    [
        (GET, [408]),
        (b"GET /hea", [408]),
        (b"", []),
        (b"\r\n\r\n", []),
        (GET + b"\r\n" + GET, [200, 408]),
        (GET + b"\r\n\r\n\r\n", [200]),
    ],
    ids=["head", "line", "nothing", "empty lines", "second head", "second empty lines"],
)
async def test_a_head_that_does_not_end_is_not_waited_for(
    monkeypatch: pytest.MonkeyPatch, begun: bytes, expected: list[int]
) -> None:
    monkeypatch.setattr(http_protocol, "MAX_HEAD_S", 0.2)
    monkeypatch.setattr("inspector.service.server.serving.KEEP_ALIVE_S", 0.2)
    async with served(answering) as wire:
        assert statuses(await wire.ask(begun)) == expected


async def test_dripping_does_not_give_a_head_more_time(
    wire: Wire, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(http_protocol, "MAX_HEAD_S", 0.3)
    async with wire.connection() as (reader, writer):
        writer.write(GET + b"X: ")

        async def drip() -> None:
            while True:
                writer.write(b"a")
                await asyncio.sleep(0.02)

        dripping = asyncio.create_task(drip())
        answer = await asyncio.wait_for(reader.read(), 5)
        dripping.cancel()
    assert statuses(answer) == [408]


async def test_pipelined_requests_are_bounded(wire: Wire) -> None:
    answers = await wire.ask((GET + b"\r\n") * MAX_PIPELINED + GET + CLOSE + b"\r\n")
    assert statuses(answers) == [200] * (MAX_PIPELINED + 1)
    with pytest.raises(ConnectionResetError):  # no answer may stand before the first one's
        await wire.ask((GET + b"\r\n") * 10_000)


async def endless(scope: Scope, receive: Receive, send: Send) -> None:
    """Answer a POST when it is whole, and a GET without end."""
    while (await receive()).get("more_body"):
        pass

    async def pieces() -> AsyncIterator[bytes]:
        while scope["method"] == "GET":
            yield bytes(2**20)
            await asyncio.sleep(0)  # or nobody hears that the client went

    await StreamingResponse(pieces())(scope, receive, send)


@pytest.mark.parametrize(
    "begun",
    [GET + b"\r\n", POST + LENGTH + b"\r\n" + BODY[:-1], POST + b"Content-Length: 0\r\n\r\n"],
    ids=["takes nothing", "sends nothing more", "asks nothing more"],
)
async def test_connections_whose_client_does_nothing_make_room(begun: bytes) -> None:
    async with served(endless, max_connections=3) as wire, AsyncExitStack() as stack:
        for _ in range(5):
            reader, writer = await stack.enter_async_context(wire.connection())
            writer.write(begun)
            if begun.startswith(b"GET"):
                await reader.readexactly(100)
        answers = await wire.ask(POST + CLOSE + LENGTH + b"\r\n" + BODY)
    assert statuses(answers) == [200]


async def test_many_that_come_at_once_each_close_another() -> None:
    async with served(answering, max_connections=3) as wire:
        many = await asyncio.gather(
            *[asyncio.open_connection("127.0.0.1", wire.port) for _ in range(20)]
        )
        async with asyncio.timeout(5):  # long before their time is over
            ended = asyncio.as_completed([reader.read() for reader, _ in many])
            for _ in range(17):
                assert await next(ended) == b""
        for _, writer in many:
            writer.close()


async def test_clients_that_go_leave_no_traceback(caplog: pytest.LogCaptureFixture) -> None:
    began, gone = asyncio.Event(), asyncio.Event()

    async def late(scope: Scope, receive: Receive, send: Send) -> None:
        began.set()
        while (await receive())["type"] != "http.disconnect":
            pass
        gone.set()
        await Response()(scope, receive, send)

    async with served(late) as wire:
        async with wire.connection() as (_, writer):
            writer.write((GET + b"\r\n") * 3)
            await began.wait()
        await asyncio.wait_for(gone.wait(), 5)
    assert not caplog.records
