"""What the command line sends, and whom it follows."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from inspector.cli.client import Client
from inspector.errors import RefusedError

Seen = list[tuple[str, str, dict[str, str], bytes]]


class _Door:
    """A server on this machine that notes what it is asked, and may send on."""

    def __init__(self) -> None:
        self.seen: Seen = []
        self.redirects: dict[str, str] = {}
        door = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                self._note(b"")

            def do_POST(self) -> None:
                self._note(self.rfile.read(int(self.headers["Content-Length"])))

            def _note(self, body: bytes) -> None:
                headers = {name.lower(): value for name, value in self.headers.items()}
                door.seen.append((self.command, self.path, headers, body))
                target = door.redirects.get(self.path)
                self.send_response(308 if target else 200)
                if target:
                    self.send_header("Location", target)
                self.send_header("Content-Length", "2")
                self.end_headers()
                self.wfile.write(b"{}")

            def log_message(self, format: str, *args: Any) -> None:
                """Say nothing."""

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"


@pytest.fixture
def doors() -> Iterator[tuple[_Door, _Door]]:
    both = _Door(), _Door()
    threads = [threading.Thread(target=door.server.serve_forever) for door in both]
    for thread in threads:
        thread.start()
    yield both
    for door, thread in zip(both, threads, strict=True):
        door.server.shutdown()
        door.server.server_close()
        thread.join()


def test_it_follows_within_the_service_and_still_says_who_it_is(doors: tuple[_Door, _Door]) -> None:
    ours, _ = doors
    ours.redirects["/sessions/old"] = "/sessions/new"
    assert Client(ours.url, "secret").get("/sessions/old") == {}
    assert [(path, headers["authorization"]) for _, path, headers, _ in ours.seen] == [
        ("/sessions/old", "Bearer secret"),
        ("/sessions/new", "Bearer secret"),
    ]


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_the_token_goes_nowhere_else(doors: tuple[_Door, _Door], host: str) -> None:
    ours, other = doors
    port = ours.server.server_port if host == "localhost" else other.server.server_port
    ours.redirects["/sessions"] = f"http://{host}:{port}/steal"
    with pytest.raises(RefusedError, match="does not get its token"):
        Client(ours.url, "secret").get("/sessions")
    assert other.seen == []
    assert len(ours.seen) == 1


def test_what_changes_something_is_not_sent_on(doors: tuple[_Door, _Door]) -> None:
    ours, _ = doors
    ours.redirects["/requests/r"] = "/requests/other"
    with pytest.raises(RefusedError):
        Client(ours.url, "secret").post("/requests/r", {"decision": "allow"})
    assert len(ours.seen) == 1


def test_what_is_posted_says_who_does_it_and_with_what(doors: tuple[_Door, _Door]) -> None:
    ours, _ = doors
    Client(ours.url, "secret", actor="Zoë\n" + "x" * 200).post("/requests/r", {"reason": "ö"})
    [(method, _, headers, body)] = ours.seen
    assert (method, headers["content-type"]) == ("POST", "application/json")
    assert headers["user-agent"].startswith("inspector-cli/")
    assert headers["inspector-actor"] == "Zo%C3%AB%0A" + "x" * 76
    assert body == b'{"reason": "\\u00f6"}'


def test_the_token_is_not_in_what_is_printed_of_it() -> None:
    assert "secret" not in repr(Client("http://127.0.0.1:1", "secret"))
