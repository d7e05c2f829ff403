"""A control service over real HTTP that can be made to misbehave."""

from __future__ import annotations

import contextlib
import json
import re
import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from inspector.service.wire.control import AgentMessages, Command, ProcessHello

DEADLINE_S = 15.0
_PATH = re.compile(r"(?P<prefix>.*)/processes/(?P<id>[^/]+)(?P<rest>/messages|/commands|)$")

Misbehaviour = Callable[[BaseHTTPRequestHandler], None]


class ControlService:
    """Records what agents send, and sends the commands that a test asks for."""

    def __init__(self, port: int = 0, *, context: ssl.SSLContext | None = None) -> None:
        self.heartbeat_s = 0.2
        self.lost_after_s = 12.0
        self.hellos: list[tuple[str, dict[str, Any]]] = []
        self.messages: list[tuple[str, dict[str, Any]]] = []
        """(process, message), each id once."""
        self.streams: list[tuple[str, int]] = []
        """(process, after) of each stream of commands."""
        self.commands: dict[str, list[Command]] = {}
        self.tokens: list[str | None] = []
        self.connection_count = 0
        self.known: set[str] = set()
        self.acked: set[tuple[str, int]] = set()
        self.misbehave: dict[str, Misbehaviour] = {}
        """What is done instead, by `hello`, `messages` or `commands`."""
        self.refuses: Callable[[dict[str, Any]], bool] = lambda _: False
        """Messages for which a request is answered 422."""
        self.ignores: Callable[[dict[str, Any]], bool] = lambda _: False
        """Messages that are left out of `received`."""
        self._seen: set[str] = set()
        self._changed = threading.Condition()
        self._connections: list[socket.socket] = []
        self._is_closed = False
        self._ended_streams = 0
        service = self

        class Handler(_Handler):
            of = service

            def setup(self) -> None:
                super().setup()
                service._connections.append(self.connection)

        def count_connection() -> tuple[socket.socket, Any]:
            with service._changed:
                service.connection_count += 1
                service._changed.notify_all()
            return accept()

        self._server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
        self._server.daemon_threads = True
        self._server.handle_error = lambda *_: None  # type: ignore[method-assign]
        scheme = "http"
        if context is not None:
            self._server.socket = context.wrap_socket(self._server.socket, server_side=True)
            scheme = "https"
        accept = self._server.get_request
        self._server.get_request = count_connection  # type: ignore[method-assign]
        self.port = self._server.server_address[1]
        self.url = f"{scheme}://127.0.0.1:{self.port}"
        self._thread = threading.Thread(
            target=self._server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True
        )
        self._thread.start()

    # --- what tests do ------------------------------------------------------------------------

    def wait(self, condition: Callable[[], bool], deadline_s: float = DEADLINE_S) -> None:
        with self._changed:
            assert self._changed.wait_for(condition, deadline_s), (
                f"hellos {self.hellos}, streams {self.streams}, messages {self.messages[-20:]}"
            )

    def messages_of(self, kind: str) -> list[dict[str, Any]]:
        return [message for _, message in list(self.messages) if message["type"] == kind]

    def wait_for_messages(self, kind: str, count: int = 1) -> list[dict[str, Any]]:
        self.wait(lambda: len(self.messages_of(kind)) >= count)
        return self.messages_of(kind)

    def open_ids(self) -> list[str]:
        return [message["request"]["id"] for message in self.messages_of("request_opened")]

    def command(self, process: str, **fields: Any) -> int:
        """Send a command, and again until it is acknowledged."""
        with self._changed:
            waiting = self.commands.setdefault(process, [])
            values: dict[str, Any] = {
                "seq": len(waiting) + 1,
                "type": "pause",
                "session_id": "s-1",
                "trace_ids": [],
                "answer": None,
                "signal_name": None,
                "payload_json": None,
                "reason": None,
                "actor": "ANNA",
                "origin": "browser",
                "issued_at": f"2026-11-22T09:00:{len(waiting):02}Z",
            }
            command = Command(**{**values, **fields})
            waiting.append(command)
            self._changed.notify_all()
            return command.seq

    def forget_all(self) -> None:
        """Be another service, with another store, on the same port."""
        with self._changed:
            self.known.clear()
            self.commands.clear()
            self.acked.clear()
            self._seen.clear()
        self.cut()

    def end_streams(self) -> None:
        """End the streams of commands in good order."""
        with self._changed:
            self._ended_streams = len(self.streams)
            self._changed.notify_all()

    def cut(self) -> None:
        """Break every connection."""
        for connection in self._connections:
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        self._is_closed = True
        with self._changed:
            self._changed.notify_all()
        self._server.shutdown()
        self._server.server_close()
        self.cut()
        self._thread.join()

    # --- what agents do -----------------------------------------------------------------------

    def _hello(self, process: str, body: dict[str, Any]) -> None:
        ProcessHello(**body)
        with self._changed:
            self.hellos.append((process, body))
            self.known.add(process)
            self._changed.notify_all()

    def _take(self, process: str, messages: list[dict[str, Any]]) -> list[str]:
        received = []
        with self._changed:
            for message in messages:
                if self.ignores(message):
                    continue
                received.append(message["id"])
                if message["id"] in self._seen:
                    continue
                self._seen.add(message["id"])
                self.messages.append((process, message))
                if message["type"] == "ack":
                    self.acked.add((process, message["seq"]))
            self._changed.notify_all()
        return received

    def _follow(self, process: str, after: int) -> Iterator[bytes]:
        with self._changed:
            self.streams.append((process, after))
            number = len(self.streams)
            self._changed.notify_all()
        yield b": commands\n\n"
        last = after
        while not self._is_closed and number > self._ended_streams:
            with self._changed:
                news = [
                    one
                    for one in self.commands.get(process, [])
                    if one.seq > last and (process, one.seq) not in self.acked
                ]
                if not news and not self._changed.wait(self.heartbeat_s):
                    yield b": alive\n\n"
            for one in news:
                last = one.seq
                yield f"id: {one.seq}\ndata: {one.model_dump_json()}\n\n".encode()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    of: ControlService

    def do_PUT(self) -> None:
        self._serve("hello")

    def do_POST(self) -> None:
        self._serve("messages")

    def do_GET(self) -> None:
        self._serve("commands")

    def log_message(self, *_: Any) -> None:
        pass

    def _serve(self, what: str) -> None:
        service = self.of
        length = int(self.headers.get("Content-Length") or 0)
        body = json.loads(self.rfile.read(length)) if length else {}
        with service._changed:
            service.tokens.append(self.headers.get("Authorization"))
            service._changed.notify_all()
        if (misbehave := service.misbehave.get(what)) is not None:
            with contextlib.suppress(OSError):
                misbehave(self)
            self.close_connection = True
            return
        parts = urlsplit(self.path)
        found = _PATH.match(parts.path)
        assert found is not None, self.path
        process = unquote(found["id"])
        if what == "hello":
            service._hello(process, body)
            answer = {
                "heartbeat_s": service.heartbeat_s,
                "lost_after_s": service.lost_after_s,
                "now_ns": "1",
            }
            self.answer(200, answer)
        elif process not in service.known:
            self.answer(404, {"code": "no_such_process"})
        elif what == "messages":
            AgentMessages(**body)
            if any(map(service.refuses, body["messages"])):
                self.answer(422, {"code": "invalid"})
                return
            self.answer(200, {"received": service._take(process, body["messages"])})
        else:
            self._stream(process, int(parse_qs(parts.query)["after"][0]))

    def answer(self, status: int, body: dict[str, Any], **headers: str) -> None:
        content = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)

    def _stream(self, process: str, after: int) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        with contextlib.suppress(OSError):
            for piece in self.of._follow(process, after):
                self.wfile.write(f"{len(piece):x}\r\n".encode() + piece + b"\r\n")
                self.wfile.flush()
            self.wfile.write(b"0\r\n\r\n")
        self.close_connection = True
