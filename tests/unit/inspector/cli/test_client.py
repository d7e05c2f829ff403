"""Requests and redirects of the command line's client."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from inspector.cli.client import Client, NoServiceError
from inspector.errors import RefusedError

Seen = list[tuple[str, str, dict[str, str], bytes]]


class _Server:
    """A server that records its requests, and may redirect them."""

    def __init__(self) -> None:
        self.seen: Seen = []
        self.redirects: dict[str, str] = {}
        recorder = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                self._record(b"")

            def do_POST(self) -> None:
                self._record(self.rfile.read(int(self.headers["Content-Length"])))

            def _record(self, body: bytes) -> None:
                headers = {name.lower(): value for name, value in self.headers.items()}
                recorder.seen.append((self.command, self.path, headers, body))
                target = recorder.redirects.get(self.path)
                self.send_response(308 if target else 200)
                if target:
                    self.send_header("Location", target)
                self.send_header("Content-Length", "2")
                self.end_headers()
                self.wfile.write(b"{}")

            def log_message(self, format: str, *args: Any) -> None:
                """Do not log."""

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"


@pytest.fixture
def servers() -> Iterator[tuple[_Server, _Server]]:
    both = _Server(), _Server()
    threads = [threading.Thread(target=recorder.server.serve_forever) for recorder in both]
    for thread in threads:
        thread.start()
    yield both
    for recorder, thread in zip(both, threads, strict=True):
        recorder.server.shutdown()
        recorder.server.server_close()
        thread.join()


def test_a_redirect_within_the_service_is_followed_with_the_token(
    servers: tuple[_Server, _Server],
) -> None:
    ours, _ = servers
    ours.redirects["/sessions/old"] = "/sessions/new"
    assert Client(ours.url, "secret").get("/sessions/old") == {}
    assert [(path, headers["authorization"]) for _, path, headers, _ in ours.seen] == [
        ("/sessions/old", "Bearer secret"),
        ("/sessions/new", "Bearer secret"),
    ]


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_the_token_goes_nowhere_else(servers: tuple[_Server, _Server], host: str) -> None:
    ours, other = servers
    port = ours.server.server_port if host == "localhost" else other.server.server_port
    ours.redirects["/sessions"] = f"http://{host}:{port}/steal"
    with pytest.raises(RefusedError, match="token is not sent"):
        Client(ours.url, "secret").get("/sessions")
    assert other.seen == []
    assert len(ours.seen) == 1


def test_a_post_is_not_redirected(servers: tuple[_Server, _Server]) -> None:
    ours, _ = servers
    ours.redirects["/requests/r"] = "/requests/other"
    with pytest.raises(RefusedError):
        Client(ours.url, "secret").post("/requests/r", {"decision": "allow"})
    assert len(ours.seen) == 1


def test_a_post_names_its_actor_and_agent(servers: tuple[_Server, _Server]) -> None:
    ours, _ = servers
    Client(ours.url, "secret", actor="Zoë\n" + "x" * 200).post("/requests/r", {"reason": "ö"})
    [(method, _, headers, body)] = ours.seen
    assert (method, headers["content-type"]) == ("POST", "application/json")
    assert headers["user-agent"].startswith("inspector-cli/")
    assert headers["inspector-actor"] == "Zo%C3%AB%0A" + "x" * 76
    assert body == b'{"reason": "\\u00f6"}'


def test_the_token_is_not_in_the_repr() -> None:
    assert "secret" not in repr(Client("http://127.0.0.1:1", "secret"))


def test_an_address_without_tls_is_not_advised_to_be_started(
    servers: tuple[_Server, _Server],
) -> None:
    address = servers[0].url.replace("http:", "https:")
    with pytest.raises(NoServiceError, match="does not speak TLS") as refused:
        Client(address, None).get("/health")
    assert "inspector serve" not in str(refused.value)
