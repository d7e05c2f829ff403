"""Run the emitters, and record the requests of their real exporters.

`python -m tests.emitters.record [NAME …]` writes `captured/NAME.otlp.jsonl`: one OTLP request in
JSON a line, without names, paths and numbers of the machine.
"""

from __future__ import annotations

import base64
import gzip
import json
import os
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from google.protobuf.json_format import MessageToDict
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from tests.emitters.scripts.story import model_server

FOLDER = Path(__file__).parent
SCRIPTS = FOLDER / "scripts"
CAPTURED = FOLDER / "captured"
DEADLINE_S = 600
_REQUESTS: dict[str, Any] = {
    "/v1/traces": ExportTraceServiceRequest,
    "/v1/logs": ExportLogsServiceRequest,
}
_IDS = frozenset({"traceId", "spanId", "parentSpanId"})
_OF_THE_MACHINE = (
    "host.",
    "process.",
    "os.",
    "service.instance.id",
    "service.version",
    "code.filepath",
    "langsmith.metadata.revision_id",
)
_MACHINE = (
    (re.compile(r"127\.0\.0\.1:\d+"), "127.0.0.1:1234"),
    (re.compile(r"0x[0-9a-f]{8,}"), "0x1234"),
    (re.compile(r"file:///(?:[\w.@+-]+/)+"), "file:…/"),
    (re.compile(r"(?<![\w./:])(?:/[\w.@+-]+){2,}/(?=[\w.-]+)"), "…/"),
)


def emitters() -> list[str]:
    """Return the names of all emitters."""
    scripts = [p.stem for p in SCRIPTS.glob("*.py") if p.read_text("utf-8").startswith("# /// ")]
    return sorted([*scripts, *_in_javascript(), *_in_java()])


def tools_of(name: str) -> tuple[str, ...]:
    """Return the programs that one emitter needs on the PATH."""
    if (SCRIPTS / f"{name}.py").exists():
        return ("uv",)
    return ("node", "npm") if name in _in_javascript() else ("java", "mvn")


def run(name: str, endpoint: str) -> None:
    """Run one emitter in its own locked environment; it sends to the OTLP/HTTP `endpoint`.

    Raises:
        subprocess.CalledProcessError: It failed; its output is on our stderr.
    """
    environment = {
        **{key: value for key, value in os.environ.items() if not key.startswith("OTEL_")},
        "OTEL_EXPORTER_OTLP_ENDPOINT": endpoint,
        "OTEL_EXPORTER_OTLP_PROTOCOL": "http/protobuf",
        "UV_PYTHON_DOWNLOADS": "never",
    }
    with model_server() as model:  # for those in other languages
        subprocess.run(
            _command(name),
            env={**environment, "MODEL_URL": model},
            check=True,
            timeout=DEADLINE_S,
            stdout=sys.stderr,
        )


def _command(name: str) -> list[str]:
    if (of_python := SCRIPTS / f"{name}.py").exists():
        run_script = ["uv", "run", "--quiet", "--locked", "--python", sys.executable, "--script"]
        return [*run_script, str(of_python)]
    if (project := _in_java().get(name)) is not None:
        jar = project / "target" / f"{name}-1.jar"
        if not jar.exists():
            build = ["mvn", "--quiet", "--batch-mode", "package"]
            subprocess.run(build, cwd=project, check=True, timeout=DEADLINE_S, stdout=sys.stderr)
        return ["java", "-jar", str(jar)]
    script = _in_javascript()[name]
    if not (script.parent / "node_modules").exists():
        install = ["npm", "ci", "--silent", "--no-audit", "--no-fund"]
        subprocess.run(install, cwd=script.parent, check=True, timeout=DEADLINE_S)
    return ["node", str(script)]


def _in_javascript() -> dict[str, Path]:
    return {script.stem: script for script in FOLDER.glob("*/*.mjs") if script.stem != "story"}


def _in_java() -> dict[str, Path]:
    return {project.parent.name: project.parent for project in FOLDER.glob("*/pom.xml")}


@contextmanager
def _listening() -> Iterator[tuple[str, list[dict[str, Any]]]]:
    requests: list[dict[str, Any]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self._body()
            if self.headers.get("content-encoding") == "gzip":
                body = gzip.decompress(body)
            if self.path in _REQUESTS:
                request = _REQUESTS[self.path].FromString(body)
                requests.append(MessageToDict(request, use_integers_for_enums=True))
            self.send_response(200)
            self.send_header("content-type", "application/x-protobuf")
            self.send_header("content-length", "0")
            self.end_headers()

        def _body(self) -> bytes:
            if (length := self.headers.get("content-length")) is not None:
                return self.rfile.read(int(length))
            body = b""  # in chunks, as JavaScript sends
            while size := int(self.rfile.readline(), 16):
                body += self.rfile.read(size)
                self.rfile.readline()
            self.rfile.readline()
            return body

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}", requests
    finally:
        server.shutdown()
        server.server_close()


def _scrubbed(node: Any) -> Any:
    """Return OTLP JSON with ids in hex and without names of the machine."""
    if isinstance(node, list):
        items = [item for item in node if not _is_of_the_machine(item)]
        return [_scrubbed(item) for item in items]
    if isinstance(node, dict):
        if node.get("key") in ("server.port", "network.peer.port"):
            return {"key": node["key"], "value": {"intValue": "1234"}}
        return {
            key: base64.b64decode(value).hex() if key in _IDS else _scrubbed(value)
            for key, value in node.items()
        }
    if isinstance(node, str):
        for pattern, instead in _MACHINE:
            node = pattern.sub(instead, node)
    return node


def _is_of_the_machine(item: Any) -> bool:
    return isinstance(item, dict) and str(item.get("key", "")).startswith(_OF_THE_MACHINE)


def record(name: str) -> Path:
    """Run one emitter and write its requests; return the file."""
    with _listening() as (endpoint, requests):
        run(name, endpoint)
    lines = [json.dumps(_scrubbed(request), ensure_ascii=False) for request in requests]
    CAPTURED.mkdir(exist_ok=True)
    file = CAPTURED / f"{name}.otlp.jsonl"
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return file


if __name__ == "__main__":
    for wanted in sys.argv[1:] or emitters():
        written = record(wanted)
        sys.stderr.write(f"{written.name}: {written.stat().st_size} bytes\n")
