"""Third-party OTLP receivers: a bare HTTP one, and the rotel collector."""

from __future__ import annotations

import gzip
import subprocess
import threading
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.util import find_spec
from pathlib import Path

import httpx
import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from tests.support.services.process import DEADLINE_S, free_port, wait_for


@dataclass
class Received:
    """What a bare receiver got, and what it answers."""

    port: int = 0
    bodies: dict[str, list[bytes]] = field(default_factory=lambda: defaultdict(list))
    hops: list[str] = field(default_factory=list)
    answers: list[int] = field(default_factory=list)
    """Statuses of the next answers; then always 200."""
    max_bytes: int = 1 << 30

    @property
    def url(self) -> str:
        """Return its address."""
        return f"http://127.0.0.1:{self.port}"

    def spans(self) -> list[Span]:
        """Return the spans of all requests that were taken, in their order."""
        return [
            span
            for body in list(self.bodies["/v1/traces"])
            for group in ExportTraceServiceRequest.FromString(body).resource_spans
            for scope in group.scope_spans
            for span in scope.spans
        ]


@contextmanager
def bare_receiver(port: int = 0) -> Iterator[Received]:
    """Receive OTLP/HTTP in protobuf, and keep the bodies."""
    received = Received()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            if self.headers.get("content-encoding") == "gzip":
                body = gzip.decompress(body)
            status = received.answers.pop(0) if received.answers else 200
            if len(body) > received.max_bytes:
                status = 413
            if status == 200:
                received.hops.append(self.headers.get("x-inspector-hop", ""))
                received.bodies[self.path].append(body)
            self.send_response(status)
            self.send_header("content-length", "0")
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", port), Handler) as server:
        server.daemon_threads = True
        received.port = server.server_address[1]
        thread = threading.Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        try:
            yield received
        finally:
            server.shutdown()
            thread.join(DEADLINE_S)


@dataclass(frozen=True)
class Rotel:
    """Addresses of a running collector."""

    http_url: str
    grpc_url: str


@contextmanager
def running_rotel(directory: Path, export_to: str, *, prints: bool = False) -> Iterator[Rotel]:
    """Run the rotel collector, which sends what it gets on to `export_to` by OTLP/HTTP.

    With `prints` it writes every span to `rotel.out` in `directory`.
    """
    agent = _rotel_agent()
    http_port, grpc_port = free_port(), free_port()
    options = {
        "--otlp-http-endpoint": f"127.0.0.1:{http_port}",
        "--otlp-grpc-endpoint": f"127.0.0.1:{grpc_port}",
        "--exporter": "otlp",
        "--otlp-exporter-endpoint": export_to,
        "--otlp-exporter-protocol": "http",
        "--log-file": str(directory / "rotel.log"),
        "--pid-file": str(directory / "rotel.pid"),
    }
    if prints:
        options |= {"--debug-log": "traces", "--debug-log-verbosity": "detailed"}
    words = [word for option in options.items() for word in option]
    with (directory / "rotel.out").open("w") as output:
        process = subprocess.Popen([agent, "start", *words], stdout=output, stderr=output)
    try:
        http_url = f"http://127.0.0.1:{http_port}"
        wait_for(lambda: _answers(http_url))
        yield Rotel(http_url, f"grpc://127.0.0.1:{grpc_port}")
    finally:
        process.kill()
        process.wait(DEADLINE_S)


def _rotel_agent() -> Path:
    """Return the program that the package brings; skip the test where it does not run."""
    package = find_spec("rotel")
    if package is None or package.origin is None:
        pytest.skip("rotel is not installed: it has no wheel for this system or this Python")
    agent = Path(package.origin).parent / "rotel-agent"
    tried = subprocess.run([agent, "--version"], capture_output=True, text=True, check=False)
    if tried.returncode != 0:  # it wants the library of its Python, which not every system has
        pytest.skip(f"rotel does not run here: {tried.stderr.strip()}")
    return agent


def _answers(url: str) -> bool:
    try:
        httpx.get(url)
    except httpx.TransportError:
        return False
    return True
