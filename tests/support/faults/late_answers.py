"""A server whose answers are late: a proxy in front of it."""

from __future__ import annotations

import socket
import socketserver
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

_PIECE = 65_536


class LateAnswers(socketserver.ThreadingTCPServer):
    """Forwards connections; what comes back waits for a time first.

    Args:
        port: Of the server.
        late_s: How late each piece of an answer is; it may change.
    """

    daemon_threads = True

    def __init__(self, port: int, late_s: float) -> None:
        super().__init__(("127.0.0.1", 0), _Forward)
        self.upstream = ("127.0.0.1", port)
        self.late_s = late_s
        self.port = int(self.server_address[1])
        self.is_over = threading.Event()


class _Forward(socketserver.BaseRequestHandler):
    server: LateAnswers

    def handle(self) -> None:
        with suppress(OSError), socket.create_connection(self.server.upstream) as upstream:
            threading.Thread(target=self._ask, args=(upstream,), daemon=True).start()
            while piece := upstream.recv(_PIECE):
                self.server.is_over.wait(self.server.late_s)
                self.request.sendall(piece)

    def _ask(self, upstream: socket.socket) -> None:
        with suppress(OSError):
            while piece := self.request.recv(_PIECE):
                upstream.sendall(piece)
            upstream.shutdown(socket.SHUT_RDWR)


@contextmanager
def late_answers(port: int, late_s: float) -> Iterator[LateAnswers]:
    """Run a proxy in front of a server."""
    with LateAnswers(port, late_s) as proxy:
        threading.Thread(target=proxy.serve_forever, daemon=True).start()
        yield proxy
        proxy.is_over.set()
        proxy.shutdown()
