import asyncio
import gc
import tracemalloc
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from types import SimpleNamespace
from typing import Any

import grpc
import grpc.aio
import pytest
from google.rpc import error_details_pb2, status_pb2  # type: ignore[import-untyped]  # no types
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceResponse
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from inspector.errors import OverloadedError, StoreError, StoreUnavailableError
from inspector.service.http.access import Access
from inspector.service.otlp import grpc_server
from inspector.service.otlp.body import MAX_BODY_BYTES
from inspector.service.otlp.grpc_server import GrpcServer
from inspector.service.otlp.receiver import Receiver
from inspector.service.otlp.signals import SIGNALS
from tests.support.services.app import TOKEN, RecordingWriter
from tests.support.telemetry.export import span, trace_request

TRACES = "/opentelemetry.proto.collector.trace.v1.TraceService/Export"


@pytest.fixture
def writer() -> RecordingWriter:
    return RecordingWriter()


@pytest.fixture
def access() -> Access:
    return Access.build(TOKEN, bind="127.0.0.1")


@asynccontextmanager
async def served(writer: RecordingWriter, access: Access) -> AsyncIterator[grpc.aio.Channel]:
    receiver = Receiver(writer.submit)
    server = GrpcServer(receiver, access)
    port = await server.start("127.0.0.1", 0)
    async with grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel:
        yield channel
    await server.stop(0)
    receiver.close()


@pytest.fixture
async def channel(writer: RecordingWriter, access: Access) -> AsyncIterator[grpc.aio.Channel]:
    async with served(writer, access) as channel:
        yield channel


async def export(
    channel: grpc.aio.Channel, body: bytes, *metadata: tuple[str, str], **options: object
) -> ExportTraceServiceResponse:
    call: grpc.aio.UnaryUnaryMultiCallable[bytes, bytes] = channel.unary_unary(TRACES)
    answer = await call(body, metadata=metadata, **options)  # type: ignore[arg-type]  # keywords
    return ExportTraceServiceResponse.FromString(answer)


async def test_spans_are_accepted_and_the_answer_is_empty(
    channel: grpc.aio.Channel, writer: RecordingWriter
) -> None:
    answer = await export(channel, trace_request(span(1), span(2)).SerializeToString())
    assert answer == ExportTraceServiceResponse()
    assert len(writer.spans) == 2


async def test_every_signal_has_its_service(channel: grpc.aio.Channel) -> None:
    for signal in SIGNALS.values():
        call: grpc.aio.UnaryUnaryMultiCallable[bytes, bytes] = channel.unary_unary(
            f"/{signal.service}/Export"
        )
        assert await call(b"") == b""


async def test_a_bad_span_is_rejected_and_the_rest_stored(
    channel: grpc.aio.Channel, writer: RecordingWriter
) -> None:
    answer = await export(channel, trace_request(span(1), Span()).SerializeToString())
    assert answer.partial_success.rejected_spans == 1
    assert len(writer.spans) == 1


async def test_compressed_messages_are_accepted(
    channel: grpc.aio.Channel, writer: RecordingWriter
) -> None:
    body = trace_request(*[span(number) for number in range(1, 100)]).SerializeToString()
    await export(channel, body, compression=grpc.Compression.Gzip)
    assert len(writer.spans) == 99


async def code_of(channel: grpc.aio.Channel, body: bytes, **options: object) -> grpc.StatusCode:
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await export(channel, body, **options)
    assert caught.value.details()
    return caught.value.code()


async def test_bad_data_is_invalid_argument(channel: grpc.aio.Channel) -> None:
    assert await code_of(channel, b"\xff\xff") is grpc.StatusCode.INVALID_ARGUMENT


async def test_a_message_above_the_limit_is_resource_exhausted(channel: grpc.aio.Channel) -> None:
    body = bytes(MAX_BODY_BYTES + 1)
    assert await code_of(channel, body) is grpc.StatusCode.RESOURCE_EXHAUSTED
    gzip = grpc.Compression.Gzip
    assert await code_of(channel, body, compression=gzip) is grpc.StatusCode.RESOURCE_EXHAUSTED


async def test_no_more_messages_are_read_at_one_time_than_there_is_room_for(
    writer: RecordingWriter, access: Access
) -> None:
    receiver = Receiver(writer.submit)
    export = GrpcServer(receiver, access)._handler(SIGNALS["traces"])
    limit = grpc_server.MAX_CONCURRENT_READS
    reading = peak = 0
    are_many = asyncio.Event()

    async def read() -> bytes:
        nonlocal reading, peak
        reading += 1
        peak = max(peak, reading)
        if reading == limit:
            # Once all that were let in have begun.
            asyncio.get_running_loop().call_soon(are_many.set)
        await are_many.wait()
        reading -= 1
        return trace_request(span(1)).SerializeToString()

    context: Any = SimpleNamespace(
        invocation_metadata=tuple, peer=lambda: "ipv4:127.0.0.1:1", read=read
    )
    await asyncio.gather(*[export(None, context) for _ in range(3 * limit)])
    receiver.close()
    assert peak == limit
    assert len(writer.spans) == 3 * limit


@pytest.mark.parametrize("is_accepted", [True, False])
async def test_a_message_that_was_answered_leaves_memory_at_once(
    channel: grpc.aio.Channel, writer: RecordingWriter, is_accepted: bool
) -> None:
    text = "x" * 2**20
    body = trace_request(span(1, name=text)).SerializeToString()
    bad = body[:-1]
    tracemalloc.start()
    gc.disable()
    try:
        for _ in range(8):
            if is_accepted:
                await export(channel, body)
            else:
                assert await code_of(channel, bad) is grpc.StatusCode.INVALID_ARGUMENT
            writer.spans.clear()
        used_bytes, _ = tracemalloc.get_traced_memory()
    finally:
        gc.enable()
        tracemalloc.stop()
    assert used_bytes < 4 * len(body)


async def test_senders_that_stop_do_not_keep_others_from_being_read(
    channel: grpc.aio.Channel, writer: RecordingWriter, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(grpc_server, "MAX_READ_S", 0.05)
    stream: grpc.aio.StreamUnaryMultiCallable[bytes, bytes] = channel.stream_unary(TRACES)
    stopped = [stream() for _ in range(grpc_server.MAX_CONCURRENT_READS)]
    codes = await asyncio.gather(*[call.code() for call in stopped])
    assert set(codes) == {grpc.StatusCode.DEADLINE_EXCEEDED}
    await export(channel, trace_request().SerializeToString())
    assert len(writer.spans) == 1


async def test_metadata_above_the_limit_are_refused(
    channel: grpc.aio.Channel, writer: RecordingWriter
) -> None:
    with pytest.raises(grpc.aio.AioRpcError) as refused:
        await export(channel, b"", ("x", "a" * 2 * grpc_server.MAX_METADATA_BYTES))
    assert refused.value.code() is grpc.StatusCode.RESOURCE_EXHAUSTED
    await export(channel, trace_request().SerializeToString())
    assert len(writer.spans) == 1


@pytest.mark.parametrize("begun", [b"", b"PRI * HTT", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"])
async def test_a_connection_that_does_not_begin_http2_is_closed(
    access: Access, monkeypatch: pytest.MonkeyPatch, begun: bytes
) -> None:
    options = dict(grpc_server._OPTIONS)
    assert options["grpc.server_handshake_timeout_ms"] == 10_000
    quick = {**options, "grpc.server_handshake_timeout_ms": 200}
    monkeypatch.setattr(grpc_server, "_OPTIONS", list(quick.items()))
    server = GrpcServer(Receiver(RecordingWriter().submit), access)
    reader, writer = await asyncio.open_connection("127.0.0.1", await server.start("127.0.0.1", 0))
    writer.write(begun)
    await asyncio.wait_for(reader.read(), 9)
    writer.close()
    await server.stop(0)


async def test_overload_says_when_to_come_back(
    channel: grpc.aio.Channel, writer: RecordingWriter
) -> None:
    writer.error = OverloadedError("full", retry_after_s=3)
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await export(channel, trace_request().SerializeToString())
    assert caught.value.code() is grpc.StatusCode.RESOURCE_EXHAUSTED
    trailers = dict(caught.value.trailing_metadata() or ())
    details = trailers["grpc-status-details-bin"]
    assert isinstance(details, bytes)
    [detail] = status_pb2.Status.FromString(details).details
    info = error_details_pb2.RetryInfo()
    assert detail.Unpack(info)
    assert info.retry_delay.seconds == 3


async def test_a_store_that_cannot_be_written_is_unavailable(
    channel: grpc.aio.Channel, writer: RecordingWriter
) -> None:
    writer.error = StoreUnavailableError("disk full")
    body = trace_request().SerializeToString()
    assert await code_of(channel, body) is grpc.StatusCode.UNAVAILABLE


async def test_any_other_error_of_ours_is_internal_and_leaves_no_traceback(
    channel: grpc.aio.Channel, writer: RecordingWriter, caplog: pytest.LogCaptureFixture
) -> None:
    writer.error = StoreError("the store is broken")
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await export(channel, trace_request().SerializeToString())
    assert caught.value.code() is grpc.StatusCode.INTERNAL
    assert caught.value.details() == "the store is broken"
    assert not caplog.records


async def test_the_token_is_required_when_others_can_reach_the_port(
    writer: RecordingWriter, caplog: pytest.LogCaptureFixture
) -> None:
    body = trace_request().SerializeToString()
    async with served(writer, Access.build(TOKEN, bind="0.0.0.0")) as channel:
        for _ in range(2):
            assert await code_of(channel, body) is grpc.StatusCode.UNAUTHENTICATED
        await export(channel, body, ("authorization", f"Bearer {TOKEN}"))
    assert len(writer.spans) == 1
    [line] = [record.getMessage() for record in caplog.records]
    assert line.startswith("Rejected OTLP from 127.0.0.1.")
    assert "OTEL_EXPORTER_OTLP_HEADERS=authorization=Bearer%20TOKEN" in line


async def test_open_ingest_asks_nobody_for_the_token(writer: RecordingWriter) -> None:
    async with served(writer, Access.build(TOKEN, bind="0.0.0.0", open_ingest=True)) as channel:
        await export(channel, trace_request().SerializeToString())
    assert len(writer.spans) == 1


async def test_what_a_proxy_on_this_machine_brings_needs_the_token(
    channel: grpc.aio.Channel,
) -> None:
    body = trace_request().SerializeToString()
    with pytest.raises(grpc.aio.AioRpcError) as refused:
        await export(channel, body, ("x-forwarded-for", "203.0.113.9"))
    assert refused.value.code() is grpc.StatusCode.UNAUTHENTICATED
