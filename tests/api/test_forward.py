import asyncio
import gzip
import json
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from inspector.errors import SettingsError
from inspector.service.forward import forwarder as forward
from inspector.service.forward.forwarder import Forwarder
from inspector.service.forward.queue import ForwardQueue, QueuedRequest
from inspector.service.otlp.signals import LOGS, TRACES
from tests.support.services.otlp_receiver import Receiver
from tests.support.services.process import DEADLINE_S, free_port, running_service, wait_for
from tests.support.services.rotel import running_rotel
from tests.support.telemetry.export import TRACE_ID, span, span_id, trace_request

PROTOBUF = {"content-type": "application/x-protobuf"}


def rich_span(number: int) -> Span:
    """Return a span with something in every field that a receiver could lose."""
    rich = span(number, name=f"span {number}")
    rich.parent_span_id = span_id(number + 1)
    rich.kind = Span.SPAN_KIND_CLIENT
    rich.flags = 0x101
    rich.trace_state = "vendor=1"
    rich.dropped_attributes_count = 3
    rich.attributes.add(key="text").value.string_value = "héllo"
    rich.attributes.add(key="int").value.int_value = 9007199254740993
    rich.attributes.add(key="float").value.double_value = 0.1
    rich.attributes.add(key="bool").value.bool_value = False
    rich.attributes.add(key="bytes").value.bytes_value = b"\0\xff"
    listed = rich.attributes.add(key="list").value.array_value.values
    listed.add(string_value="a")
    listed.add(int_value=1)
    nested = rich.attributes.add(key="map").value.kvlist_value.values.add(key="k")
    nested.value.bool_value = True
    event = rich.events.add(name="said", time_unix_nano=1_700_000_000_500_000_000)
    event.attributes.add(key="event").value.string_value = "x"
    rich.links.add(trace_id=TRACE_ID, span_id=span_id(99), trace_state="a=b", flags=0x100)
    rich.status.code = rich.status.STATUS_CODE_ERROR
    rich.status.message = "broken"
    return rich


@asynccontextmanager
async def forwarder(
    path: Path | None, *targets: str, max_bytes: int = 1 << 20
) -> AsyncIterator[Forwarder]:
    made = Forwarder(targets, path, max_bytes=max_bytes)
    await made.start()
    try:
        yield made
    finally:
        await made.close()


async def until(probe: object) -> None:
    assert callable(probe)
    await asyncio.to_thread(wait_for, probe)


@pytest.fixture(autouse=True)
def _soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(forward, "FIRST_WAIT_S", 0.01)


@pytest.mark.slow
@pytest.mark.parametrize("protocol", ["http", "grpc"])
def test_spans_arrive_unchanged_at_a_foreign_collector(tmp_path: Path, protocol: str) -> None:
    sent = [rich_span(number) for number in range(1, 20)]
    request = trace_request(*sent)
    with Receiver() as received, running_rotel(tmp_path, received.url) as rotel:
        target = rotel.http_url if protocol == "http" else rotel.grpc_url
        with running_service(tmp_path, forward_otlp=target) as service:
            answer = httpx.post(
                f"{service.url}/v1/traces",
                content=gzip.compress(request.SerializeToString()),
                headers={**PROTOBUF, "content-encoding": "gzip"},
            )
            assert answer.status_code == 200
            wait_for(lambda: len(received.spans) == len(sent))
    arrived = sorted(received.spans, key=lambda one: one.span_id)
    assert arrived == sent


def test_a_service_that_was_killed_forwards_what_waited_when_it_is_back(tmp_path: Path) -> None:
    port = free_port()
    values: dict[str, Any] = {"forward_otlp": f"http://127.0.0.1:{port}"}
    with running_service(tmp_path, **values) as service:
        for number in (1, 2):
            service.send(span(number))
        service.process.send_signal(signal.SIGKILL)
        service.process.wait(DEADLINE_S)
    with Receiver(port) as received, running_service(tmp_path, **values):
        wait_for(lambda: len(received.spans) == 2)
    assert [one.span_id for one in received.spans] == [span_id(1), span_id(2)]


def test_json_goes_on_as_protobuf(tmp_path: Path) -> None:
    plain = {"traceId": TRACE_ID.hex(), "spanId": span_id(5).hex(), "name": "from json"}
    body = {"resourceSpans": [{"scopeSpans": [{"spans": [plain]}]}]}
    with (
        Receiver() as received,
        running_service(tmp_path, forward_otlp=received.url) as service,
    ):
        json_type = {"content-type": "application/json"}
        httpx.post(f"{service.url}/v1/traces", content=json.dumps(body), headers=json_type)
        [arrived] = wait_for(lambda: received.spans)
    assert arrived == Span(trace_id=TRACE_ID, span_id=span_id(5), name="from json")


async def test_each_target_gets_everything_in_order(tmp_path: Path) -> None:
    with Receiver() as one, Receiver() as other:
        async with forwarder(tmp_path / "queue", one.url, other.url) as forwards:
            for number in range(1, 6):
                body = trace_request(span(number)).SerializeToString()
                await forwards.offer(TRACES, body, hops="")
            await until(lambda: len(one.spans) == len(other.spans) == 5)
    for received in (one, other):
        assert [span.span_id for span in received.spans] == [span_id(n) for n in range(1, 6)]


@pytest.mark.parametrize("status", [429, 502, 503, 504])
async def test_a_target_that_is_busy_is_sent_to_again(status: int) -> None:
    with Receiver() as received:
        received.answers = [status, status]
        async with forwarder(None, received.url) as forwards:
            await forwards.offer(TRACES, trace_request().SerializeToString(), hops="")
            await until(lambda: forwards.counts["sent"] == 1)
    assert len(received.spans) == 1
    assert forwards.counts["waits"] == 2


@pytest.mark.parametrize("status", [400, 401, 500])
async def test_what_a_target_refuses_does_not_hold_up_the_rest(status: int) -> None:
    with Receiver() as received:
        received.answers = [status]
        async with forwarder(None, received.url) as forwards:
            for number in (1, 2):
                body = trace_request(span(number)).SerializeToString()
                await forwards.offer(TRACES, body, hops="")
            await until(lambda: received.spans)
    assert [one.span_id for one in received.spans] == [span_id(2)]
    assert forwards.counts["refused"] == 1


async def test_a_target_that_refuses_a_signal_is_not_sent_it_again() -> None:
    logs = ExportLogsServiceRequest()
    logs.resource_logs.add().scope_logs.add().log_records.add(event_name="x")
    with Receiver() as received:
        received.answers = [404]
        async with forwarder(None, received.url) as forwards:
            for _ in range(3):
                await forwards.offer(LOGS, logs.SerializeToString(), hops="")
            await forwards.offer(TRACES, trace_request().SerializeToString(), hops="")
            await until(lambda: received.spans)
    assert received.bodies["/v1/logs"] == []
    assert (forwards.counts["refused"], forwards.counts["skipped"]) == (1, 2)


async def test_a_request_that_is_too_large_for_the_target_goes_in_parts() -> None:
    sent = [rich_span(number) for number in range(1, 42)]
    body = trace_request(*sent).SerializeToString()
    with Receiver() as received:
        received.max_body_bytes = len(body) // 5
        async with forwarder(None, received.url) as forwards:
            await forwards.offer(TRACES, body, hops="")
            await until(lambda: len(received.spans) == len(sent))
    assert received.spans == sent
    assert len(received.bodies["/v1/traces"]) >= 5


async def test_a_full_queue_drops_the_oldest(tmp_path: Path) -> None:
    bodies = [trace_request(span(number)).SerializeToString() for number in range(1, 11)]
    port = free_port()
    path, target = tmp_path / "queue", f"http://127.0.0.1:{port}"
    async with forwarder(path, target, max_bytes=3 * len(bodies[0])) as forwards:
        for body in bodies:
            await forwards.offer(TRACES, body, hops="")
    with Receiver(port) as received:
        async with forwarder(path, target):
            await until(lambda: len(received.spans) == 3)
    assert [one.span_id for one in received.spans] == [span_id(number) for number in (8, 9, 10)]


async def test_what_was_sent_is_not_sent_again_after_a_restart(tmp_path: Path) -> None:
    path = tmp_path / "queue"
    with Receiver() as received:
        for number in (1, 2, 3):
            async with forwarder(path, received.url) as forwards:
                body = trace_request(span(number)).SerializeToString()
                await forwards.offer(TRACES, body, hops="")
                await until(lambda counts=forwards.counts: counts["sent"] == 1)
    assert len(received.spans) == 3


@pytest.mark.parametrize("bad", ["\xe9", "two words", "a\nb", "x" * 65, "\ud800"])
async def test_a_hop_that_is_no_name_is_left_out(bad: str) -> None:
    with Receiver() as received:
        async with forwarder(None, received.url) as forwards:
            await forwards.offer(TRACES, trace_request().SerializeToString(), hops=f"one, {bad}")
            await until(received.hops.__len__)
    assert received.hops[0].startswith("one,")
    assert received.hops[0].count(",") == 1


@pytest.mark.parametrize(("signal", "hops"), [("traces", "\xe9"), ("profiles", "one")])
async def test_a_queued_request_that_cannot_be_sent_does_not_hold_up_the_rest(
    tmp_path: Path, signal: str, hops: str
) -> None:
    path = tmp_path / "queue"
    with Receiver() as received:
        queue = ForwardQueue(path, [received.url], max_bytes=1 << 20)
        queue.push(signal, hops, trace_request(span(1)).SerializeToString())
        queue.close()
        async with forwarder(path, received.url) as forwards:
            await forwards.offer(TRACES, trace_request(span(2)).SerializeToString(), hops="")
            await until(lambda: received.spans)
    assert [one.span_id for one in received.spans] == [span_id(2)]
    assert forwards.counts["refused"] == 1


async def test_forwarding_goes_on_after_a_queue_that_could_not_be_read(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    errors = [OSError("the disk is gone")]
    peek = ForwardQueue.peek

    def failing_once(queue: ForwardQueue, target: str) -> QueuedRequest | None:
        if errors:
            raise errors.pop()
        return peek(queue, target)

    monkeypatch.setattr(ForwardQueue, "peek", failing_once)
    monkeypatch.setattr(forward, "RECOVERY_WAIT_S", 0.01)
    with Receiver() as received:
        async with forwarder(None, received.url) as forwards:
            await forwards.offer(TRACES, trace_request().SerializeToString(), hops="")
            await until(lambda: received.spans)
    assert not errors


@pytest.mark.parametrize(
    "target",
    [
        "http://127.0.0.1:abc",
        "http://127.0.0.1:99999",
        "http://127.0.0.1:0",
        "http://[::1",
        "http://",
        "http://:4318",
        "grpc://",
        "127.0.0.1:4318",
        "ftp://127.0.0.1",
    ],
)
def test_a_target_that_is_no_address_is_refused_at_the_start(target: str) -> None:
    with pytest.raises(SettingsError) as caught:
        Forwarder([target], None)
    assert repr(target) in str(caught.value)
    assert "INSPECTOR_FORWARD_OTLP" in str(caught.value)


@pytest.mark.parametrize(
    "target",
    ["http://127.0.0.1:4318", "https://collector.example/otlp", "http://[::1]:4318", "grpc://a:1"],
)
async def test_a_target_that_is_an_address_is_accepted(target: str) -> None:
    await Forwarder([target], None).close()


async def test_a_loop_of_services_is_cut() -> None:
    with Receiver() as received:
        async with forwarder(None, received.url) as forwards:
            body = trace_request().SerializeToString()
            await forwards.offer(TRACES, body, hops="")
            await until(received.hops.__len__)
            [hops] = received.hops
            await forwards.offer(TRACES, body, hops=hops)
            await forwards.offer(TRACES, body, hops=",".join("abcdefgh"))
            await forwards.offer(TRACES, body, hops="another")
            await until(lambda: len(received.hops) == 2)
    assert received.hops[1].startswith("another,")
    assert forwards.counts["looped"] == 2


@pytest.mark.slow
def test_two_services_that_forward_to_each_other_come_to_rest(tmp_path: Path) -> None:
    ports = [free_port(), free_port()]
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    first: dict[str, Any] = {"port": ports[0], "forward_otlp": f"http://127.0.0.1:{ports[1]}"}
    second: dict[str, Any] = {"port": ports[1], "forward_otlp": f"http://127.0.0.1:{ports[0]}"}
    with (
        running_service(tmp_path / "a", **first) as one,
        running_service(tmp_path / "b", **second) as other,
    ):
        one.send()
        wait_for(lambda: other.client.get("/sessions").json()["sessions"])
        for service in (one, other):
            [session] = service.client.get("/sessions").json()["sessions"]
            assert session["span_count"] == 1
