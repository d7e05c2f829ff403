"""A real OTLP/HTTP receiver on a free port, with configurable answers."""

from __future__ import annotations

import contextlib
import gzip
import socket
import threading
from collections import defaultdict
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, KeyValue
from opentelemetry.proto.logs.v1.logs_pb2 import LogRecord
from opentelemetry.proto.trace.v1.trace_pb2 import Span

DEADLINE_S = 15.0


def plain(value: AnyValue) -> Any:
    match value.WhichOneof("value"):
        case "array_value":
            return [plain(item) for item in value.array_value.values]
        case None:
            return None
        case kind:
            return getattr(value, kind)


def attributes(pairs: Any) -> dict[str, Any]:
    return {pair.key: plain(pair.value) for pair in pairs if isinstance(pair, KeyValue)}


class Receiver:
    """Collects spans and log records in the order of their arrival."""

    def __init__(self, port: int = 0) -> None:
        self.spans: list[Span] = []
        self.logs: list[LogRecord] = []
        self.order: list[tuple[str, bytes]] = []
        """(event name or `ended`, span id), as received."""
        self.resources: list[dict[str, Any]] = []
        self.scopes: list[str] = []
        self.headers: list[dict[str, str]] = []
        self.requests: list[str] = []
        self.bodies: dict[str, list[bytes]] = defaultdict(list)
        """Path to the bodies that were accepted."""
        self.hops: list[str] = []
        """The `x-inspector-hop` of each request that was accepted."""
        self.answers: list[int] = []
        """Statuses of the next answers, before those of `statuses`."""
        self.statuses: dict[str, int] = {}
        """Path to the status it is answered with; default 200."""
        self.max_body_bytes: int | None = None
        self._changed = threading.Condition()
        self._connections: list[socket.socket] = []
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def setup(self) -> None:
                super().setup()
                receiver._connections.append(self.connection)

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                if self.headers.get("Content-Encoding") == "gzip":
                    body = gzip.decompress(body)
                status = receiver.accept(self.path, dict(self.headers), body)
                self.send_response(status)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, format: str, *args: Any) -> None:
                pass

        class Server(ThreadingHTTPServer):
            daemon_threads = True
            request_queue_size = 64

        self._server = Server(("127.0.0.1", port), Handler)
        self.port = self._server.server_address[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self._thread = threading.Thread(
            target=self._server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True
        )
        self._thread.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def accept(self, path: str, headers: dict[str, str], body: bytes) -> int:
        with self._changed:
            self.requests.append(path)
            self.headers.append(headers)
            default = self.statuses.get(path, 200)
            status = self.answers.pop(0) if self.answers else default
            if self.max_body_bytes is not None and len(body) > self.max_body_bytes:
                status = 413
            if status == 200:
                self.bodies[path].append(body)
                self.hops.append(headers.get("x-inspector-hop", ""))
                self._decode(path, body)
            self._changed.notify_all()
        return status

    def _decode(self, path: str, body: bytes) -> None:
        if path.endswith("/v1/traces"):
            for resource_spans in ExportTraceServiceRequest.FromString(body).resource_spans:
                self.resources.append(attributes(resource_spans.resource.attributes))
                for scope_spans in resource_spans.scope_spans:
                    self.scopes.append(scope_spans.scope.name)
                    self.spans.extend(scope_spans.spans)
                    self.order.extend(("ended", span.span_id) for span in scope_spans.spans)
        elif path.endswith("/v1/logs"):
            for resource_logs in ExportLogsServiceRequest.FromString(body).resource_logs:
                self.resources.append(attributes(resource_logs.resource.attributes))
                for scope_logs in resource_logs.scope_logs:
                    self.scopes.append(scope_logs.scope.name)
                    self.logs.extend(scope_logs.log_records)
                    self.order.extend((r.event_name, r.span_id) for r in scope_logs.log_records)

    def wait_for(self, condition: Callable[[Receiver], object]) -> None:
        """Wait until `condition` holds; fail with what arrived when it does not."""
        with self._changed:
            holds = self._changed.wait_for(lambda: condition(self), DEADLINE_S)
            names = [span.name for span in self.spans]
            assert holds, f"after {DEADLINE_S} s: {self.requests[-20:]}, {names}, {self.order}"

    def events(self, name: str) -> list[LogRecord]:
        """Return the log records of one name."""
        return [record for record in self.logs if record.event_name == name]

    def close(self) -> None:
        """Stop listening and cut every connection, as a killed process would; idempotent."""
        self._server.shutdown()
        for connection in self._connections:
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
        self._server.server_close()
        self._thread.join()
