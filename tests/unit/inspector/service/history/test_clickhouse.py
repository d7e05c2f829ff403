"""A connection has the user, password and CA that somebody chose, and ends with its server."""

from __future__ import annotations

import base64
import ssl
import subprocess
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import httpx
import pytest

from inspector.errors import HistoryError
from inspector.service.history import clickhouse
from inspector.service.history.address import HistoryAddress
from inspector.service.history.clickhouse import ClickHouse, SilentServerError

pytestmark = pytest.mark.slow  # it needs openssl
_ANSWER = b'{"version":"18.16.1"}\n'
_LOOKS = 3


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    users: list[str]
    may_insert: threading.Semaphore
    may_answer: threading.Event


class _Handler(BaseHTTPRequestHandler):
    server: _Server

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.may_answer.wait()
        if body == b"SELECT 1":
            self.server.may_insert.release()
        if "INSERT" in self.path:
            for _ in range(_LOOKS):
                self.server.may_insert.acquire()
        user = base64.b64decode(self.headers["Authorization"].removeprefix("Basic "))
        self.server.users.append(user.decode())
        self.send_response(200)
        self.send_header("Content-Length", str(len(_ANSWER)))
        self.end_headers()
        self.wfile.write(_ANSWER)

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


@pytest.fixture
def certificate(tmp_path: Path) -> Path:
    """Return a file of a certificate that signs itself, and of its key."""
    path = tmp_path / "both.pem"
    ask = "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 1"
    about = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"]
    command = [*ask.split(), *about, "-keyout", "-", "-out", "-"]
    made = subprocess.run(command, check=True, capture_output=True)
    path.write_bytes(made.stdout)
    return path


@pytest.fixture
def server(certificate: Path) -> Iterator[_Server]:
    found = _Server(("localhost", 0), _Handler)
    found.users = []
    found.may_insert, found.may_answer = threading.Semaphore(0), threading.Event()
    found.may_answer.set()
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    found.socket = context.wrap_socket(found.socket, server_side=True)
    threading.Thread(target=found.serve_forever, daemon=True).start()
    yield found
    found.may_answer.set()
    found.shutdown()
    found.server_close()


def test_a_server_is_trusted_by_the_ca_that_is_named(
    server: _Server, certificate: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    address = HistoryAddress.parse(
        f"clickhouse://j%C3%B6rg@localhost:{server.server_port}/x?secure=1"
    )
    with pytest.raises(HistoryError, match="certificate verify failed"):
        ClickHouse(address, "pässwörd: ").connect()
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    monkeypatch.setenv("HTTPS_PROXY", "http://127.0.0.1:9")
    assert ClickHouse(address, "pässwörd: ").connect() == "18.16.1"
    assert server.users == ["jörg:pässwörd: "]


def test_a_server_that_is_slow_is_waited_for_and_one_that_answers_nobody_is_not(
    server: _Server, certificate: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(clickhouse, "_LOOK_EVERY_S", 0.01)
    monkeypatch.setattr(clickhouse, "_LOOK_S", 0.2)
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    port = server.server_port
    history = ClickHouse(HistoryAddress.parse(f"clickhouse://localhost:{port}/x?secure=1"))
    history.connect()
    with history.watched():
        history.insert("span", ["name"], [b"it answers others meanwhile"])
        server.may_answer.clear()
        with pytest.raises(SilentServerError, match="does not answer"):
            history.run("OPTIMIZE TABLE span")
    history.close()


@pytest.mark.parametrize(
    ("status", "text", "says"),
    [
        (
            403,
            "Code: 497. DB::Exception: ada: Not enough privileges. To execute this query, it's"
            " necessary to have the grant SELECT(name, rows) ON system.parts. (ACCESS_DENIED)",
            "a right is missing. Run GRANT SELECT(name, rows) ON system.parts TO `ada`.",
        ),
        (404, "Code: 81. DB::Exception: Database x-y doesn't exist.", "CREATE DATABASE `x-y`."),
        (404, "<html>secret of another service", "answers 404, as ClickHouse does not. Check the"),
        (200, "<html>secret of another service", "as ClickHouse does not. Check the address."),
        (502, "<h1>secret Error Code: 502</h1>", "answers 502. Is ClickHouse running behind it."),
        (403, "Code: 497. DB::Exception: it needs the grant SELECT for at least", "Grant INSERT,"),
        (500, "Code: 49. DB::Exception: Logical error", "Code: 49. DB::Exception: Logical error."),
    ],
)
def test_what_a_server_refuses_says_what_to_do(
    monkeypatch: pytest.MonkeyPatch, status: int, text: str, says: str
) -> None:
    answer = httpx.Response(status, text=text)
    monkeypatch.setattr(httpx.Client, "post", lambda *_args, **_more: answer)
    with pytest.raises(HistoryError) as raised:
        ClickHouse(HistoryAddress.parse("clickhouse://ada@localhost/x-y")).connect()
    assert says in str(raised.value)
    assert "secret" not in str(raised.value)
