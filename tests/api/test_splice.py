"""gRPC on the ports of HTTP."""

import asyncio
import logging
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import grpc
import grpc.aio
import pytest
import uvloop
from fastapi import FastAPI
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceResponse

from inspector.service.otlp.grpc_server import GrpcServer
from inspector.service.otlp.splice import SERVER, Splicer, can_splice, sender_of
from inspector.service.server import http_protocol
from inspector.service.server.http_protocol import TakeHttp2
from inspector.service.server.ports import listen, port_of
from inspector.service.server.serving import serving
from tests.support.services.app import TOKEN, RecordingWriter, running_app, settings
from tests.support.services.process import wait_for
from tests.support.telemetry.export import span, trace_request

TRACES = "/opentelemetry.proto.collector.trace.v1.TraceService/Export"
PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
SETTINGS = b"\0\0\0\4\0\0\0\0\0"


@asynccontextmanager
async def served(
    writer: RecordingWriter,
    folder: Path,
    change: Callable[[TakeHttp2], TakeHttp2] = lambda take: take,
) -> AsyncIterator[int]:
    """Serve HTTP with gRPC behind it; yield the port."""
    async with running_app(writer) as app:
        server = GrpcServer(app.state.parts.receiver, app.state.parts.access)
        await server.start("127.0.0.1", None, inside=folder)
        take = change(Splicer(folder).splice)
        with listen("127.0.0.1", 0, setting="a free port") as listener:
            async with serving(app, listener, settings(), take_http2=take):
                yield port_of(listener)
        await server.stop(0)


@pytest.fixture
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("g")
    assert can_splice(folder)
    return folder


async def export(port: int, body: bytes, *metadata: tuple[str, str]) -> ExportTraceServiceResponse:
    options = [("grpc.use_local_subchannel_pool", 1)]
    async with grpc.aio.insecure_channel(f"127.0.0.1:{port}", options=options) as channel:
        call: grpc.aio.UnaryUnaryMultiCallable[bytes, bytes] = channel.unary_unary(TRACES)
        return ExportTraceServiceResponse.FromString(await call(body, metadata=metadata))


def names_in(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir()]


async def test_grpc_is_accepted_where_http_is(folder: Path) -> None:
    writer = RecordingWriter()
    async with served(writer, folder) as port:
        large = [span(1, name="a" * 8_000_000), span(2)]
        for spans in ([span(3)], large):
            answer = await export(port, trace_request(*spans).SerializeToString())
            assert answer == ExportTraceServiceResponse()
        assert names_in(folder) == [SERVER], "connections leave nothing"
    assert len(writer.spans) == 3


async def test_another_machine_does_not_become_this_one_on_the_way(folder: Path) -> None:
    def from_elsewhere(take: TakeHttp2) -> TakeHttp2:
        return lambda transport, begun, _, ports: take(transport, begun, "192.0.2.7", ports)

    writer = RecordingWriter()
    body = trace_request().SerializeToString()
    async with served(writer, folder, from_elsewhere) as port:
        with pytest.raises(grpc.aio.AioRpcError) as refused:
            await export(port, body)
        assert refused.value.code() is grpc.StatusCode.UNAUTHENTICATED
        assert writer.spans == []
        await export(port, body, ("authorization", f"Bearer {TOKEN}"))
    assert len(writer.spans) == 1


@pytest.mark.parametrize(
    ("peer", "address"),
    [
        ("/tmp/inspector-x/0-127.0.0.1", "127.0.0.1"),
        ("/tmp/inspector-x-y/12-fe80::1%25eth0", "fe80::1%eth0"),
        ("/tmp/x/7-unknown", "unknown"),
        ("", ""),
    ],
)
def test_the_name_of_a_connection_says_who_sends(peer: str, address: str) -> None:
    assert sender_of(peer) == address


async def test_a_connection_ends_at_both_ends(folder: Path) -> None:
    connections: list[set[object]] = []

    def watched(take: TakeHttp2) -> TakeHttp2:
        def take_and_watch(
            transport: asyncio.Transport, begun: bytes, address: str, all_: set[object]
        ) -> None:
            connections.append(all_)
            take(transport, begun, address, all_)

        return take_and_watch

    async with served(RecordingWriter(), folder, watched) as port:
        for cut in (1, 10, len(PREFACE)):  # in pieces, as a network may have it
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            for part in (PREFACE[:cut], PREFACE[cut:] + SETTINGS):
                writer.write(part)
                await writer.drain()
                await asyncio.sleep(0.01)
            assert await asyncio.wait_for(reader.readexactly(3), 10)
            assert len(connections[-1]) == 1
            writer.close()
            await asyncio.to_thread(wait_for, lambda: not connections[-1], deadline_s=10)


async def test_where_there_is_no_grpc_the_log_says_once_what_to_set(
    caplog: pytest.LogCaptureFixture,
) -> None:
    http_protocol._log_no_grpc.cache_clear()
    async with running_app(RecordingWriter()) as app:
        with listen("127.0.0.1", 0, setting="a free port") as listener:
            async with serving(app, listener, settings()):
                for _ in range(2):
                    reader, writer = await asyncio.open_connection("127.0.0.1", port_of(listener))
                    writer.write(PREFACE)
                    assert (await asyncio.wait_for(reader.read(), 10)).startswith(b"HTTP/1.1 505 ")
                    writer.close()
    [warnings] = [record for record in caplog.records if record.levelno == logging.WARNING]
    assert "OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf" in warnings.getMessage()


def test_what_the_server_says_first_is_heard(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # It speaks as soon as it is reached: here, before the loop looks at the connection again.
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(folder / SERVER))
        server.listen()
        connect, accepted = Splicer._connect, list[socket.socket]()

        def connect_and_hear(self: Splicer, address: str) -> socket.socket:
            inside = connect(self, address)
            accepted.append(server.accept()[0])
            accepted[0].sendall(SETTINGS)
            return inside

        monkeypatch.setattr(Splicer, "_connect", connect_and_hear)

        async def ask() -> bytes:
            app, take = FastAPI(), Splicer(folder).splice
            with listen("127.0.0.1", 0, setting="a free port") as listener:
                async with serving(app, listener, settings(), take_http2=take):
                    reader, writer = await asyncio.open_connection("127.0.0.1", port_of(listener))
                    writer.write(PREFACE)
                    try:
                        return await asyncio.wait_for(reader.read(len(SETTINGS)), 5)
                    finally:
                        writer.close()
                        await asyncio.to_thread(_read_to_end, accepted[0])

        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            assert runner.run(ask()) == SETTINGS
        accepted[0].close()


def _read_to_end(connection: socket.socket) -> None:
    while connection.recv(1024):
        pass
