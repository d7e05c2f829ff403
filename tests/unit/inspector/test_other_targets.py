"""The standard OTLP variables beside the inspector, in processes of their own."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent import futures
from pathlib import Path
from threading import Event
from typing import Any

import grpc
import pytest
from opentelemetry.proto.collector.trace.v1 import trace_service_pb2 as messages
from opentelemetry.proto.collector.trace.v1 import trace_service_pb2_grpc as services

from tests.support.services.otlp_receiver import DEADLINE_S, Receiver, attributes
from tests.unit.inspector.test_attach import HELLO, run_program


@pytest.fixture
def inspector() -> Iterator[Receiver]:
    receiver = Receiver()
    yield receiver
    receiver.close()


@pytest.fixture
def other() -> Iterator[Receiver]:
    receiver = Receiver()
    yield receiver
    receiver.close()


def names(receiver: Receiver) -> list[str]:
    return sorted(span.name for span in receiver.spans)


def test_spans_go_to_the_standard_target_too(
    inspector: Receiver, other: Receiver, tmp_path: Path
) -> None:
    code = HELLO + (
        "from opentelemetry import trace\n"
        "attributes = {'url.full': 'https://joe:hunter22@host/'}\n"
        "trace.get_tracer('x').start_span('foreign', attributes=attributes).end()\n"
    )
    run_program(
        code,
        tmp_path,
        INSPECTOR_URL=inspector.url,
        OTEL_EXPORTER_OTLP_ENDPOINT=other.url,
        OTEL_EXPORTER_OTLP_HEADERS="x-tenant=blue",
        OTEL_SERVICE_NAME="named",
        OTEL_RESOURCE_ATTRIBUTES="team=search",
    )
    assert names(inspector) == names(other) == ["execute_tool hello", "foreign"]
    assert all(headers["x-tenant"] == "blue" for headers in other.headers)
    assert all("x-tenant" not in headers for headers in inspector.headers)
    assert other.logs == [], "live records are for the inspector"
    for resource in other.resources + inspector.resources:
        assert (resource["service.name"], resource["team"]) == ("named", "search")
    assert "hunter22" not in str(other.spans)


def test_an_endpoint_that_is_the_inspector_gets_each_span_once(
    inspector: Receiver, tmp_path: Path
) -> None:
    settings = {"INSPECTOR_URL": inspector.url, "OTEL_EXPORTER_OTLP_ENDPOINT": inspector.url}
    run_program(HELLO, tmp_path, **settings)
    assert names(inspector) == ["execute_tool hello"]


def test_the_switch_of_the_sdk_is_obeyed(inspector: Receiver, tmp_path: Path) -> None:
    done = run_program(HELLO, tmp_path, INSPECTOR_URL=inspector.url, OTEL_SDK_DISABLED="true")
    assert inspector.requests == []
    assert "OTEL_SDK_DISABLED" in done.stderr


class Collector(services.TraceServiceServicer):
    """A gRPC collector."""

    def __init__(self) -> None:
        self.spans: list[str] = []
        self.came = Event()

    def Export(  # noqa: N802 - its name in the protocol
        self, request: messages.ExportTraceServiceRequest, context: grpc.ServicerContext
    ) -> messages.ExportTraceServiceResponse:
        self.spans += [
            span.name
            for group in request.resource_spans
            for scope in group.scope_spans
            for span in scope.spans
        ]
        self.came.set()
        return messages.ExportTraceServiceResponse()


@pytest.mark.slow
def test_the_standard_target_may_speak_grpc(inspector: Receiver, tmp_path: Path) -> None:
    collector = Collector()
    server = grpc.server(futures.ThreadPoolExecutor(2))
    register: Any = services.add_TraceServiceServicer_to_server
    register(collector, server)
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    try:
        run_program(
            HELLO,
            tmp_path,
            INSPECTOR_URL=inspector.url,
            OTEL_EXPORTER_OTLP_ENDPOINT=f"http://127.0.0.1:{port}",
            OTEL_EXPORTER_OTLP_PROTOCOL="grpc",
        )
        assert collector.came.wait(DEADLINE_S)
    finally:
        server.stop(None)
    assert collector.spans == ["execute_tool hello"]
    assert names(inspector) == ["execute_tool hello"]


@pytest.mark.slow
@pytest.mark.parametrize("protocol", ["http/protobuf", "grpc"])
def test_an_exit_does_not_wait_for_a_dead_target(
    inspector: Receiver, tmp_path: Path, protocol: str
) -> None:
    dead = Receiver()
    dead.close()
    done = run_program(
        HELLO + "handle.detach()\n",
        tmp_path,
        INSPECTOR_URL=inspector.url,
        OTEL_EXPORTER_OTLP_ENDPOINT=dead.url,
        OTEL_EXPORTER_OTLP_PROTOCOL=protocol,
    )
    assert done.stderr.count("did not accept all") == 1
    assert names(inspector) == ["execute_tool hello"]


@pytest.mark.parametrize(
    "variables",
    [
        {"OTEL_EXPORTER_OTLP_PROTOCOL": "grpc", "OTEL_EXPORTER_OTLP_CERTIFICATE": "/none.pem"},
        {"OTEL_EXPORTER_OTLP_TIMEOUT": "soon"},
        {"OTEL_BSP_MAX_QUEUE_SIZE": "many"},
        {"OTEL_EXPORTER_OTLP_HEADERS": "===,,"},
        {"OTEL_EXPORTER_OTLP_COMPRESSION": "zip"},
    ],
)
@pytest.mark.slow
def test_invalid_variables_never_stop_the_program(
    inspector: Receiver, other: Receiver, tmp_path: Path, variables: dict[str, str]
) -> None:
    settings = {"INSPECTOR_URL": inspector.url, "OTEL_EXPORTER_OTLP_ENDPOINT": other.url}
    run_program(HELLO, tmp_path, **settings, **variables)
    assert names(inspector) == ["execute_tool hello"]


@pytest.mark.slow
def test_a_child_by_multiprocessing_delivers_its_own_spans(
    inspector: Receiver, other: Receiver, tmp_path: Path
) -> None:
    code = (
        HELLO
        + """
import multiprocessing
def work(name):
    with instrument.operation("tool_call", tool_name=name, args={}):
        pass
    handle.flush()
    from opentelemetry import trace
    trace.get_tracer_provider().force_flush(5000)
handle.flush()
fork = multiprocessing.get_context("fork")
children = [fork.Process(target=work, args=(f"child-{n}",)) for n in range(3)]
for child in children:
    child.start()
for child in children:
    child.join()
"""
    )
    run_program(code, tmp_path, INSPECTOR_URL=inspector.url, OTEL_EXPORTER_OTLP_ENDPOINT=other.url)
    expected = ["execute_tool child-0", "execute_tool child-1", "execute_tool child-2"]
    for receiver in (inspector, other):
        assert names(receiver) == [*expected, "execute_tool hello"]
        with_id = {r["process.pid"]: r["service.instance.id"] for r in receiver.resources}
        assert len(with_id) == len(set(with_id.values())) == 4


@pytest.mark.slow
def test_our_own_requests_are_no_spans(
    inspector: Receiver, other: Receiver, tmp_path: Path
) -> None:
    code = (
        "from opentelemetry.instrumentation.requests import RequestsInstrumentor\n"
        "from opentelemetry.instrumentation.urllib3 import URLLib3Instrumentor\n"
        "RequestsInstrumentor().instrument()\nURLLib3Instrumentor().instrument()\n"
        + HELLO
        + f"""
import requests
for _ in range(3):
    handle.flush()
requests.post("{other.url}/mine", data=b"")
handle.flush()
"""
    )
    run_program(code, tmp_path, INSPECTOR_URL=inspector.url, OTEL_EXPORTER_OTLP_ENDPOINT=other.url)
    spans = [span for span in inspector.spans if span.name != "execute_tool hello"]
    urls = {attributes(s.attributes).get("http.url", "") for s in spans}
    assert {url.rpartition("/")[2] for url in urls} == {"mine"}, "instrumentation is active"
