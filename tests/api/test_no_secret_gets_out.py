"""Secrets in every place of an agent: none is on the wire, in the store, in a log or forwarded.

A real agent (`tests.support.agents.careless_agent`) reports to a real service through a tap that
keeps every byte; the service stores on disk, logs, and forwards.
"""

from __future__ import annotations

import base64
import gzip
import json
import os
import re
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.support.agents.careless_agent import SECRETS
from tests.support.services.otlp_receiver import Receiver
from tests.support.services.process import (
    DEADLINE_S,
    Service,
    environment,
    running_service,
    wait_for,
)

ROOT = Path(__file__).resolve().parents[2]


class Tap:
    """A proxy that captures each direction of each connection."""

    def __init__(self, target: tuple[str, int]) -> None:
        self._target = target
        self._server = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._server.getsockname()[1]
        self.streams: list[bytearray] = []
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        while True:
            try:
                near, _ = self._server.accept()
            except OSError:
                return
            far = socket.create_connection(self._target)
            for source, sink in ((near, far), (far, near)):
                captured = bytearray()
                self.streams.append(captured)
                threading.Thread(target=_pump, args=(source, sink, captured), daemon=True).start()

    def close(self) -> None:
        """Accept no more connections."""
        self._server.close()


def _pump(source: socket.socket, sink: socket.socket, captured: bytearray) -> None:
    try:
        while data := source.recv(65_536):
            captured += data
            sink.sendall(data)
        sink.shutdown(socket.SHUT_WR)
    except OSError:
        pass


@contextmanager
def tapped(service: Service) -> Iterator[Tap]:
    """Run a proxy between an agent and `service`."""
    host, port = service.url.removeprefix("http://").split(":")
    tap = Tap((host, int(port)))
    try:
        yield tap
    finally:
        tap.close()


def run_agent(service: Service, tap: Tap, directory: Path, **settings: str) -> bytes:
    """Run the careless agent to its end; return all that it printed and logged."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.support.agents.careless_agent"],
        cwd=ROOT,
        env=environment(
            directory,
            url=f"http://joe:{SECRETS['inspector-url']}@127.0.0.1:{tap.port}",
            token=service.token,
            **settings,
        ),
        capture_output=True,
        timeout=DEADLINE_S * 2,
        check=False,
    )
    _, places, output = done.stdout.partition(b"places: ")
    assert places, done.stderr[-4_000:].decode()
    for place in json.loads(output):
        assert SECRETS[place]
    return done.stdout + done.stderr


def everything_shown(service: Service) -> Iterator[tuple[str, bytes]]:
    """Yield every answer of the API about the received spans."""
    sessions = service.client.get("/sessions").json()["sessions"]
    yield "sessions", service.client.get("/sessions").content
    for session in sessions:
        spans = service.client.get(f"/sessions/{session['id']}/spans")
        yield "spans", spans.content
        export = service.client.get(f"/trace/{session['id']}").content
        yield "export", gzip.decompress(export) if export[:2] == b"\x1f\x8b" else export
        page = service.client.get(f"/sessions/{session['id']}/export.html").content
        yield "page", page
        if answers := re.search(rb'<script id="answers"[^>]*>([^<]+)', page):
            yield "answers in the page", gzip.decompress(base64.b64decode(answers[1]))
        for row in spans.json()["spans"]:
            address = f"/spans/{row['trace_id']}/{row['span_id']}"
            yield "span", service.client.get(address).content


def forms(secret: str) -> list[bytes]:
    """Return the forms of a secret."""
    plain = secret.encode()
    encoded = [base64.b64encode(b"\0" * shift + plain)[4:-4] for shift in range(3)]
    return [plain, plain.hex().encode(), *encoded]


def leaks(where: str, content: bytes) -> list[str]:
    lowered = content.lower()
    found = []
    for place, secret in SECRETS.items():
        if secret.lower().encode() in lowered or any(form in content for form in forms(secret)):
            at = max(lowered.find(secret.lower().encode()) - 120, 0)
            found.append(f"{place!r} in {where}: {content[at : at + 200]!r}")
    return found


@pytest.mark.parametrize(
    ("semconv", "capture"),
    [
        ("dup", "redacted"),
        pytest.param("dup", "off", marks=pytest.mark.slow),
        *(
            pytest.param(semconv, capture, marks=pytest.mark.slow)
            for semconv in ("current", "legacy")
            for capture in ("redacted", "off")
        ),
    ],
)
def test_no_secret_is_in_any_byte(tmp_path: Path, semconv: str, capture: str) -> None:
    with (
        Receiver() as further,
        (tmp_path / "service.log").open("w") as log,
        running_service(tmp_path, forward_otlp=further.url, stderr=log) as service,
        tapped(service) as tap,
    ):
        printed = run_agent(service, tap, tmp_path, semconv=semconv, capture_content=capture)
        wait_for(lambda: b"POST other" in b"".join(further.bodies["/v1/traces"]) or _last(further))
        shown = list(everything_shown(service))
    received = b"".join(b"".join(bodies) for bodies in further.bodies.values())
    wire = [bytes(stream) for stream in tap.streams]
    stored = [(str(path.relative_to(tmp_path)), path.read_bytes()) for path in files(tmp_path)]
    assert len(SECRETS) >= 100
    assert sum(map(len, wire)) > (100_000 if capture == "redacted" else 10_000)
    assert any(name.endswith(".sqlite3") for name, _ in stored), [name for name, _ in stored]
    assert any(name == "span" for name, _ in shown)
    content = b"".join(wire)
    if capture == "redacted":
        assert b"[redacted]" in content, "there was something to find"
    found = [
        leak
        for where, text in [
            *((f"the wire ({number})", stream) for number, stream in enumerate(wire)),
            ("what was forwarded", received),
            ("what the agent printed", printed),
            *stored,
            *shown,
        ]
        for leak in leaks(where, text)
    ]
    assert not found, "\n".join([f"{len(found)} leaks", *found[:40]])


def _last(further: object) -> bool:
    return any(span.name.startswith("POST") for span in further.spans)  # type: ignore[attr-defined]


def files(directory: Path) -> Iterator[Path]:
    for folder, _, names in os.walk(directory):
        yield from (Path(folder) / name for name in names)
