"""Stock OpenTelemetry SDKs as senders, at their default paths."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.services.process import (
    DEADLINE_S,
    Service,
    environment,
    running_service,
    wait_for,
)

PYTHON_SENDER = """
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from {exporter} import OTLPSpanExporter

provider = TracerProvider()
provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
tracer = provider.get_tracer("stock")
attributes = {{"text": "h\\u00e9llo", "n": 9007199254740993}}
with tracer.start_as_current_span("root", attributes=attributes):
    with tracer.start_as_current_span("child"):
        pass
provider.shutdown()
"""

JS_SENDER = """
const { BasicTracerProvider, BatchSpanProcessor } = require('@opentelemetry/sdk-trace-base');
const { OTLPTraceExporter } = require(process.argv[2]);
const { resourceFromAttributes } = require('@opentelemetry/resources');
const provider = new BasicTracerProvider({
  resource: resourceFromAttributes({ 'service.name': process.env.OTEL_SERVICE_NAME }),
  spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter())],
});
const tracer = provider.getTracer('stock');
const { context, trace } = require('@opentelemetry/api');
const root = tracer.startSpan('root', { attributes: { text: 'h\\u00e9llo', n: 42, half: 0.5 } });
tracer.startSpan('child', {}, trace.setSpan(context.active(), root)).end();
root.end();
provider.shutdown();
"""
JS_PACKAGES = [
    "@opentelemetry/api",
    "@opentelemetry/resources",
    "@opentelemetry/sdk-trace-base",
    "@opentelemetry/exporter-trace-otlp-http",
    "@opentelemetry/exporter-trace-otlp-proto",
]


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    with running_service(tmp_path_factory.mktemp("service")) as service:
        yield service


def shown(service: Service, name: str) -> dict[str, Any]:
    """Return the root span of service `name`, once it is there with its child."""

    def look() -> list[dict[str, Any]]:
        listed = service.client.get("/sessions").json()["sessions"]
        return [one for one in listed if one["services"] == [name] and one["span_count"] == 2]

    [session] = wait_for(look)
    page = service.client.get(f"/sessions/{session['id']}/spans").json()
    names = {span["name"]: span for span in page["spans"]}
    assert names["child"]["parent_span_id"] == names["root"]["span_id"]
    root = names["root"]
    detail: dict[str, Any] = service.client.get(
        f"/spans/{root['trace_id']}/{root['span_id']}"
    ).json()
    return detail


@pytest.mark.parametrize(
    ("protocol", "port_of"), [("http", "http"), ("grpc", "grpc"), ("grpc", "http")]
)
@pytest.mark.parametrize("compression", ["none", "gzip"])
def test_a_stock_python_sdk_appears(
    tmp_path: Path, service: Service, protocol: str, port_of: str, compression: str
) -> None:
    name = f"python-{protocol}-{port_of}-{compression}"
    port = service.otlp_grpc_port if port_of == "grpc" else service.otlp_http_port
    env = {
        **environment(tmp_path),
        "OTEL_SERVICE_NAME": name,
        "OTEL_EXPORTER_OTLP_ENDPOINT": f"http://127.0.0.1:{port}",
    }
    if compression != "none":  # the gRPC exporter does not know the word
        env["OTEL_EXPORTER_OTLP_COMPRESSION"] = compression
    exporter = f"opentelemetry.exporter.otlp.proto.{protocol}.trace_exporter"
    script = PYTHON_SENDER.format(exporter=exporter)
    subprocess.run([sys.executable, "-c", script], env=env, check=True, timeout=DEADLINE_S)
    root = shown(service, name)
    assert root["attributes"] == {"text": "héllo", "n": 9007199254740993}


@pytest.fixture(scope="module")
def js_packages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if not shutil.which("npm"):
        pytest.skip("npm is not installed")
    directory = tmp_path_factory.mktemp("js")
    (directory / "package.json").write_text(json.dumps({"private": True}))
    (directory / "send.js").write_text(JS_SENDER)
    subprocess.run(
        ["npm", "install", "--no-audit", "--no-fund", "--silent", *JS_PACKAGES],
        cwd=directory,
        check=True,
        timeout=110,
    )
    return directory


@pytest.mark.slow
@pytest.mark.parametrize("exporter", JS_PACKAGES[-2:])
@pytest.mark.parametrize("compression", ["none", "gzip"])
def test_a_stock_javascript_sdk_appears(
    js_packages: Path, service: Service, exporter: str, compression: str
) -> None:
    name = f"{exporter[-5:]}-{compression}"
    env = {
        **os.environ,
        "OTEL_SERVICE_NAME": name,
        "OTEL_EXPORTER_OTLP_ENDPOINT": f"http://127.0.0.1:{service.otlp_http_port}",
        "OTEL_EXPORTER_OTLP_COMPRESSION": compression,
    }
    subprocess.run(
        ["node", "send.js", exporter], cwd=js_packages, env=env, check=True, timeout=DEADLINE_S
    )
    root = shown(service, name)
    assert root["attributes"] == {"text": "héllo", "n": 42, "half": 0.5}
