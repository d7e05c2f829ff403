import asyncio
import gzip
import json
import sys
import threading
import zlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx
import pytest
from google.rpc import status_pb2  # type: ignore[import-untyped]  # it has no types
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import (
    ExportLogsServiceRequest,
)
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import (
    ExportMetricsServiceRequest,
)
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceResponse
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from inspector.errors import OverloadedError, StoreUnavailableError
from inspector.service.http import bodies, otlp
from inspector.service.otlp import receiver as receiver_module
from inspector.service.otlp.body import CODINGS, MAX_BODY_BYTES
from inspector.service.otlp.decode_proto import decode_proto
from inspector.service.otlp.receiver import SMALL_BODY_BYTES
from tests.support.services.app import RecordingWriter, caller, running_app
from tests.support.telemetry.export import span, span_id, trace_request

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

PROTOBUF = {"content-type": "application/x-protobuf"}
JSON = {"content-type": "application/json"}
JSON_TRACE = {
    "resourceSpans": [
        {
            "scopeSpans": [
                {
                    "spans": [
                        {
                            "traceId": "5b8aa5a2d2c872e8321cf37308d69df2",
                            "spanId": "051581bf3cb55c13",
                            "name": "work",
                        }
                    ]
                }
            ]
        }
    ]
}


class Sender:
    """Sends OTLP/HTTP to the application; what it accepts is in `writer`."""

    def __init__(self, client: httpx.AsyncClient, writer: RecordingWriter) -> None:
        self.client, self.writer = client, writer

    async def post(
        self, body: Any, headers: dict[str, str] = PROTOBUF, path: str = "/v1/traces"
    ) -> httpx.Response:
        return await self.client.post(path, content=body, headers=headers)

    def names(self) -> list[str]:
        return [incoming.span.name for incoming in self.writer.spans]

    @asynccontextmanager
    async def half_sent(self, first: bytes, rest: bytes = b"") -> AsyncIterator[None]:
        """Leave a body half sent while the block runs; then it is accepted."""
        is_waiting, release = asyncio.Event(), asyncio.Event()

        async def body() -> AsyncIterator[bytes]:
            yield first
            is_waiting.set()
            await release.wait()
            yield rest

        posting = asyncio.create_task(self.post(body()))
        await is_waiting.wait()
        yield
        release.set()
        assert (await posting).status_code == 200


@pytest.fixture
async def sender() -> AsyncIterator[Sender]:
    writer = RecordingWriter()
    async with running_app(writer) as app, caller(app) as client:
        yield Sender(client, writer)


async def test_spans_in_protobuf_are_accepted_and_the_answer_is_empty(sender: Sender) -> None:
    body = trace_request(span(1, name="a"), span(2, name="b")).SerializeToString()
    answer = await sender.post(body)
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "application/x-protobuf"
    assert answer.content == b""
    assert sender.names() == ["a", "b"]


@pytest.mark.parametrize("content_type", ["application/json", "Application/JSON; charset=utf-8"])
async def test_spans_in_json_are_accepted_and_the_answer_is_json(
    sender: Sender, content_type: str
) -> None:
    answer = await sender.post(json.dumps(JSON_TRACE), {"content-type": content_type})
    assert answer.status_code == 200
    assert answer.headers["content-type"].startswith("application/json")
    assert answer.json() == {}
    assert sender.names() == ["work"]


@pytest.mark.parametrize(
    ("coding", "compress"),
    [
        ("gzip", gzip.compress),
        ("GZIP", gzip.compress),
        ("deflate", zlib.compress),
        ("zstd", zstd.compress),
    ],
)
async def test_compressed_bodies_are_accepted(
    sender: Sender, coding: str, compress: object
) -> None:
    assert callable(compress)
    body = compress(trace_request(span(1, name="small")).SerializeToString())
    answer = await sender.post(body, {**PROTOBUF, "content-encoding": coding})
    assert answer.status_code == 200
    assert sender.names() == ["small"]


async def test_a_chunked_body_without_a_length_is_accepted(sender: Sender) -> None:
    body = trace_request().SerializeToString()

    async def chunks() -> AsyncIterator[bytes]:
        for start in range(0, len(body), 7):
            yield body[start : start + 7]

    answer = await sender.post(chunks())
    assert answer.status_code == 200
    assert sender.names() == ["work"]


@pytest.mark.parametrize("path", ["/v1/traces", "/v1/logs", "/v1/metrics"])
@pytest.mark.parametrize(("headers", "body"), [(PROTOBUF, b""), (JSON, b"{}")])
async def test_an_empty_request_is_a_success(
    sender: Sender, path: str, headers: dict[str, str], body: bytes
) -> None:
    answer = await sender.post(body, headers, path)
    assert answer.status_code == 200
    assert answer.content in (b"", b"{}")


@pytest.mark.parametrize(
    "announced",
    [
        {"content-length": "5"},
        {"transfer-encoding": "chunked", "connection": "Upgrade", "upgrade": "h2c"},
    ],
    ids=["length", "chunked, with an offer of HTTP/2"],
)
@pytest.mark.parametrize("path", ["/v1/traces", "/v1/logs", "/v1/metrics"])
async def test_a_body_that_a_server_in_front_has_dropped_is_no_empty_request(
    sender: Sender, path: str, announced: dict[str, str]
) -> None:
    answer = await sender.post(b"", {**PROTOBUF, **announced}, path)
    assert answer.status_code == 400
    assert "none arrived" in status_of(answer).message
    honest = {**PROTOBUF, "content-length": "00"}
    assert (await sender.post(b"", honest, path)).status_code == 200


async def test_a_bad_span_is_rejected_by_partial_success_and_the_rest_stored(
    sender: Sender,
) -> None:
    body = trace_request(span(1, name="good"), Span(name="bad"), span(2, name="fine"))
    answer = await sender.post(body.SerializeToString())
    assert answer.status_code == 200
    partial = ExportTraceServiceResponse.FromString(answer.content).partial_success
    assert partial.rejected_spans == 1
    assert "trace id" in partial.error_message
    assert sender.names() == ["good", "fine"]


async def test_partial_success_in_json_has_its_count_as_a_string(sender: Sender) -> None:
    body = json.dumps(
        {"resourceSpans": [{"scopeSpans": [{"spans": [{"traceId": "zz", "spanId": "1"}]}]}]}
    )
    answer = await sender.post(body, JSON)
    assert answer.status_code == 200
    assert answer.json()["partialSuccess"]["rejectedSpans"] == "1"
    assert "traceId" in answer.json()["partialSuccess"]["errorMessage"]


@pytest.mark.parametrize("body", [{"batch": []}, {"resourceLogs": []}])
async def test_a_request_of_another_shape_learns_that_nothing_was_stored(
    sender: Sender, body: dict[str, object]
) -> None:
    answer = await sender.client.post("/v1/traces", json=body)
    assert answer.status_code == 200
    assert "`resourceSpans` is missing" in answer.json()["partialSuccess"]["errorMessage"]
    assert "rejectedSpans" not in answer.json()["partialSuccess"]


async def test_logs_without_a_trace_are_accepted_and_not_stored(sender: Sender) -> None:
    request = ExportLogsServiceRequest()
    scope = request.resource_logs.add().scope_logs.add()
    scope.log_records.add(event_name="x")
    scope.log_records.add(event_name="y", trace_id=bytes(range(16)), span_id=span_id(1))
    answer = await sender.post(request.SerializeToString(), PROTOBUF, "/v1/logs")
    assert answer.content == b"", "some SDKs print what is said here as an error, each time"
    assert [incoming.record.event_name for incoming in sender.writer.logs] == ["y"]


async def test_metrics_are_accepted_and_the_log_says_once_that_they_are_not_stored(
    sender: Sender, caplog: pytest.LogCaptureFixture
) -> None:
    request = ExportMetricsServiceRequest()
    request.resource_metrics.add().scope_metrics.add().metrics.add(name="m")
    body = request.SerializeToString()
    for _ in range(3):
        answer = await sender.post(body, PROTOBUF, "/v1/metrics")
        assert (answer.status_code, answer.content) == (200, b"")
    [warning] = [record.getMessage() for record in caplog.records]
    assert warning.startswith("Metrics are counted")
    assert "OTEL_METRICS_EXPORTER=none" in warning


@pytest.mark.parametrize(
    ("headers", "body", "status"),
    [
        (PROTOBUF, b"\xff\xff", 400),
        (JSON, b"{", 400),
        (JSON, b'{"resourceSpans": 5}', 400),
        ({**PROTOBUF, "content-encoding": "gzip"}, b"not gzip", 400),
        ({**PROTOBUF, "content-encoding": "br"}, b"", 415),
        ({**JSON, "content-encoding": "zstd"}, b"not zstd", 400),
        ({"content-type": "text/plain"}, b"", 415),
        ({}, b"", 415),
        ({**PROTOBUF, "content-encoding": "gzip"}, gzip.compress(bytes(MAX_BODY_BYTES + 1)), 413),
        ({**JSON, "content-encoding": "gzip"}, gzip.compress(bytes(MAX_BODY_BYTES + 1)), 413),
    ],
)
async def test_bad_input_is_answered_in_the_words_of_rpc_status(
    sender: Sender, headers: dict[str, str], body: bytes, status: int
) -> None:
    answer = await sender.post(body, headers)
    assert answer.status_code == status
    assert status_of(answer).message
    good = await sender.post(trace_request().SerializeToString())
    assert good.status_code == 200, "the service is unharmed"


async def test_where_zstd_is_missing_the_answer_says_what_can_be_sent(
    sender: Sender, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(otlp, "CODINGS", CODINGS - {"zstd"})
    headers = {**PROTOBUF, "content-encoding": "zstd"}
    answer = await sender.post(zstd.compress(b""), headers)
    assert answer.status_code == 415
    assert "one of deflate, gzip, identity, x-gzip, not 'zstd'" in status_of(answer).message
    assert answer.headers["accept-encoding"] == "deflate, gzip, identity, x-gzip"


@pytest.mark.slow
@pytest.mark.parametrize("method", ["GET", "PUT", "DELETE", "PATCH"])
@pytest.mark.parametrize("headers", [PROTOBUF, JSON])
async def test_another_method_is_405_and_says_which_is_allowed(
    sender: Sender, method: str, headers: dict[str, str]
) -> None:
    answer = await sender.client.request(method, "/v1/traces", headers=headers)
    assert answer.status_code == 405
    assert answer.headers["allow"] == "POST"
    assert status_of(answer).message


async def test_a_body_above_the_limit_is_413_before_it_is_all_read(sender: Sender) -> None:
    sent = 0

    async def endless() -> AsyncIterator[bytes]:
        nonlocal sent
        while True:
            sent += 1
            yield bytes(1024 * 1024)

    answer = await sender.post(endless())
    assert answer.status_code == 413
    assert sent <= MAX_BODY_BYTES // 2**20 + 2


@pytest.mark.parametrize(
    ("error", "status", "retry_after"),
    [
        (OverloadedError("full", retry_after_s=3), 429, "3"),
        (StoreUnavailableError("disk full"), 503, "5"),
    ],
)
@pytest.mark.parametrize("headers", [PROTOBUF, JSON])
async def test_overload_asks_the_sender_to_come_back(
    sender: Sender,
    error: Exception,
    status: int,
    retry_after: str,
    headers: dict[str, str],
) -> None:
    sender.writer.error = error
    body = (
        json.dumps(JSON_TRACE).encode() if headers is JSON else trace_request().SerializeToString()
    )
    answer = await sender.post(body, headers)
    assert answer.status_code == status
    assert answer.headers["retry-after"] == retry_after
    assert status_of(answer).message == str(error)


async def test_what_comes_in_is_counted() -> None:
    metrics = ExportMetricsServiceRequest()
    metrics.resource_metrics.add().scope_metrics.add().metrics.add(name="m")
    async with running_app(RecordingWriter()) as app, caller(app) as client:
        sender = Sender(client, RecordingWriter())
        await sender.post(trace_request(span(1), Span(), span(2)).SerializeToString())
        await sender.post(metrics.SerializeToString(), path="/v1/metrics")
        assert app.state.parts.receiver.counts == {"traces": 2, "metrics": 1, "rejected": 1}


async def test_more_bytes_at_once_than_there_is_room_for_are_429(
    sender: Sender, monkeypatch: pytest.MonkeyPatch
) -> None:
    body = trace_request().SerializeToString()
    monkeypatch.setattr(receiver_module, "MAX_IN_FLIGHT_BYTES", len(body) + 10)
    async with sender.half_sent(body[:20], body[20:]):
        assert (await sender.post(body)).status_code == 429
    again = await sender.post(body)
    assert again.status_code == 200, "the room was given back"
    assert len(sender.writer.spans) == 2


@pytest.mark.parametrize("headers", [PROTOBUF, JSON])
async def test_a_body_that_stops_coming_is_408_and_its_room_is_released(
    sender: Sender, monkeypatch: pytest.MonkeyPatch, headers: dict[str, str]
) -> None:
    monkeypatch.setattr(bodies, "MAX_SILENCE_S", 0.01)
    body = trace_request().SerializeToString()
    monkeypatch.setattr(receiver_module, "MAX_IN_FLIGHT_BYTES", len(body) + 10)

    async def stopping() -> AsyncIterator[bytes]:
        yield body[:20]
        await asyncio.Event().wait()

    stopped = await sender.post(stopping(), headers)
    assert stopped.status_code == 408
    assert stopped.headers["connection"] == "close"
    assert "Send it again" in status_of(stopped).message
    whole = await sender.post(body)
    assert whole.status_code == 200


@pytest.mark.parametrize("headers", [PROTOBUF, JSON])
async def test_a_body_that_drips_is_408_and_its_room_is_released(
    sender: Sender, monkeypatch: pytest.MonkeyPatch, headers: dict[str, str]
) -> None:
    monkeypatch.setattr(bodies, "MAX_BODY_S", 0.05)
    body = trace_request().SerializeToString()
    monkeypatch.setattr(receiver_module, "MAX_IN_FLIGHT_BYTES", len(body) + 10)

    async def dripping() -> AsyncIterator[bytes]:
        while True:  # never silent for long
            yield body[:1]
            await asyncio.sleep(0.02)

    dripped = await sender.post(dripping(), headers)
    assert dripped.status_code == 408
    assert "smaller batches" in status_of(dripped).message
    whole = await sender.post(body)
    assert whole.status_code == 200


@pytest.mark.slow
@pytest.mark.parametrize("coding", ["", "gzip"])
@pytest.mark.parametrize("slow_bytes", [2 * SMALL_BODY_BYTES, SMALL_BODY_BYTES // 2])
async def test_bodies_that_take_long_do_not_keep_ordinary_ones_waiting(
    sender: Sender,
    monkeypatch: pytest.MonkeyPatch,
    coding: str,
    slow_bytes: int,
) -> None:
    body = trace_request(span(1, name="a" * slow_bytes)).SerializeToString()
    headers = {**PROTOBUF, "content-encoding": coding}
    async with slowly_decoded(monkeypatch, over_bytes=100_000) as begun:
        large = gzip.compress(body) if coding else body
        posts = [asyncio.create_task(sender.post(large, headers)) for _ in range(5)]
        await asyncio.to_thread(begun.wait, 20)
        ordinary = trace_request(span(2, name="ordinary")).SerializeToString()
        answer = await asyncio.wait_for(sender.post(ordinary), 10)
        assert (answer.status_code, sender.names()) == (200, ["ordinary"])
    assert {answer.status_code for answer in await asyncio.gather(*posts)} == {200}


async def test_a_sender_that_waits_behind_slow_bodies_is_soon_sent_away(
    sender: Sender, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(receiver_module, "MAX_WAIT_S", 0.05)
    body = trace_request(span(1, name="a" * 2 * SMALL_BODY_BYTES)).SerializeToString()
    async with slowly_decoded(monkeypatch, over_bytes=100_000) as begun:
        first = asyncio.create_task(sender.post(body))
        await asyncio.to_thread(begun.wait, 20)
        second = await asyncio.wait_for(sender.post(body), 10)
        assert (second.status_code, second.headers["retry-after"]) == (429, "5")
        assert "smaller batches" in status_of(second).message
    assert (await first).status_code == 200
    again = await sender.post(body)
    assert again.status_code == 200, "who gave up holds no place"


@asynccontextmanager
async def slowly_decoded(
    monkeypatch: pytest.MonkeyPatch, *, over_bytes: int
) -> AsyncIterator[threading.Event]:
    """Let bodies above `over_bytes` take as long as the block; yield an event that one began."""
    go_on, begun = threading.Event(), threading.Event()
    real = decode_proto

    def slow(*arguments: Any) -> Any:
        if len(arguments[1]) > over_bytes:
            begun.set()
            assert go_on.wait(20)
        return real(*arguments)

    monkeypatch.setattr(receiver_module, "decode_proto", slow)
    try:
        yield begun
    finally:
        go_on.set()


async def test_large_bodies_leave_room_for_small_ones(
    sender: Sender, monkeypatch: pytest.MonkeyPatch
) -> None:
    small = trace_request().SerializeToString()
    monkeypatch.setattr(receiver_module, "SMALL_BODY_BYTES", len(small))
    monkeypatch.setattr(receiver_module, "MAX_IN_FLIGHT_BYTES", 4 * len(small))
    async with sender.half_sent(small * 3):
        assert (await sender.post(small * 2)).status_code == 429
        assert (await sender.post(small)).status_code == 200


def status_of(answer: httpx.Response) -> status_pb2.Status:
    """Return the `google.rpc.Status` of an answer, checking that its encoding is the request's."""
    media_type = answer.request.headers.get("content-type", "").partition(";")[0]
    got = answer.headers["content-type"].partition(";")[0]
    if media_type == "application/json":
        assert got == "application/json"
        return status_pb2.Status(**answer.json())
    assert got == "application/x-protobuf"
    return status_pb2.Status.FromString(answer.content)


async def test_room_is_counted_by_what_a_body_is_when_it_is_decompressed(
    sender: Sender, monkeypatch: pytest.MonkeyPatch
) -> None:
    body = trace_request(span(1, name="x" * 100_000)).SerializeToString()
    packed, headers = gzip.compress(body), {**PROTOBUF, "content-encoding": "gzip"}
    monkeypatch.setattr(receiver_module, "MAX_IN_FLIGHT_BYTES", len(body) + 4 * len(packed))
    is_waiting, release = asyncio.Event(), asyncio.Event()

    async def hold() -> None:
        is_waiting.set()
        await release.wait()

    sender.writer.before = hold
    first = asyncio.create_task(sender.post(packed, headers))
    await is_waiting.wait()
    second = await sender.post(packed, headers)
    assert second.status_code == 429
    assert int(second.headers["retry-after"]) >= 1
    release.set()
    assert (await first).status_code == 200
    assert (await sender.post(packed, headers)).status_code == 200
