"""Cost of control per tool call, beside the same watched call without it.

The channel is connected to a service of its own wire on this machine. While no session is paused
nothing of it is on the bus, so that the time is the same; while another one is, an operation is
asked for its session.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from bridge_parts import Nowhere, Row, in_memory_provider, measure

from inspector.agent_side.control.connection_state import Process
from inspector.agent_side.control.control import Control
from inspector.agent_side.control.gate import SessionRef
from inspector.agent_side.control.hold import Issuer
from inspector.agent_side.control.http_connection import Address
from instrument import Bus
from subscribers.installation import make_bridge
from subscribers.send.delivery import Delivery
from subscribers.send.live import LiveSpanProcessor

ROUNDS = 15
BY = Issuer("ANNA", "browser")


class Service(BaseHTTPRequestHandler):
    """A control service that accepts every message and sends no commands."""

    streams = threading.Semaphore(0)

    def do_PUT(self) -> None:
        """Take a hello."""
        self._answer({"heartbeat_s": 5.0, "lost_after_s": 12.0})

    def do_POST(self) -> None:
        """Take messages."""
        messages = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["messages"]
        self._answer({"received": [message["id"] for message in messages]})

    def do_GET(self) -> None:
        """Start a stream of commands that stays empty."""
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()
        self.wfile.write(b": commands\n\n")
        self.streams.release()
        threading.Event().wait()

    def log_message(self, *_: object) -> None:
        """Say nothing."""

    def _answer(self, fields: dict[str, object]) -> None:
        content = json.dumps(fields).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)


def watched() -> tuple[Bus, Callable[[], Control]]:
    """Return a bus whose hooks become spans and live records, and its control channel."""
    provider, _ = in_memory_provider()
    delivery = Delivery(Nowhere(), lambda: provider.resource)
    live = LiveSpanProcessor(delivery, lambda: provider.resource)
    provider.add_span_processor(live)
    bus = Bus()
    bridge = make_bridge(
        tracer_provider=provider,
        options=None,
        redactor=None,
        live=live,
        session_id=lambda: "mine",
        spec=None,
    )
    bridge.subscribe(bus)

    def control() -> Control:
        server = ThreadingHTTPServer(("127.0.0.1", 0), Service)
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, daemon=True).start()
        address = Address(f"http://127.0.0.1:{server.server_address[1]}", None)
        control = Control(
            bus,
            lambda: address,
            lambda: Process("bench", "bench"),
            bridge.location_of,
            bridge.open_operations,
        )
        control.start()
        Service.streams.acquire()
        return control

    return bus, control


def tool_call(bus: Bus) -> Callable[[], None]:
    """Return a function that emits one whole tool call."""

    def call() -> None:
        with bus.operation("tool_call", tool_name="search", args={"q": "x"}) as op:
            op.result = "found"

    return call


def bus_with_paused_sessions(count: int) -> Bus:
    """Return a bus that is controlled, with `count` other sessions paused."""
    bus, control = watched()
    gate = control().gate
    for number in range(count):
        gate.pause(SessionRef(f"other-{number}"), BY)
    return bus


def main() -> None:
    """Print all figures."""
    buses = {
        "watched": watched()[0],
        "watched, control connected": bus_with_paused_sessions(0),
        "watched, another session paused": bus_with_paused_sessions(1),
        "watched, 1000 other sessions paused": bus_with_paused_sessions(1_000),
    }
    rows = [Row(name, tool_call(bus)) for name, bus in buses.items()]
    measure(rows, rounds=ROUNDS, calls=300)
    for row, bus in zip(rows, buses.values(), strict=True):
        before = len(bus._hooks["before_tool_call"])
        print(
            f"{row.name:<36}{row.best_us:7.1f} µs{row.best_us / rows[0].best_us:7.2f} x  "
            f"{before} on before_tool_call"
        )


if __name__ == "__main__":
    main()
