"""What viewers cost the service: `python benchmarks/bench_viewers.py [--viewers N] [--reader]`.

A real `inspector serve` is sent 500 spans a second in 50 sessions, by real agents in a process of
their own. Viewers in another process each follow one of the sessions over a connection of their
own; one of them never reads. Phases without viewers, with one and with all alternate, so that the
difference of the service's CPU time is that of the viewers. With `--reader` they are connected to
a reader in front of the service.

Then four senders send as many spans as they can, as in `bench_ingest.py`, where each trace is a
session of its own: without a viewer, and with one that follows another session.
"""

from __future__ import annotations

import argparse
import multiprocessing
import re
import selectors
import socket
import statistics
import tempfile
import time
from collections.abc import Sequence
from contextlib import nullcontext, suppress
from datetime import datetime
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from bench_hook_to_pixel import SESSIONS, loaded, viewed
from bench_ingest import WORDS_THREAD, cpu_s, send
from ingest_load import SPANS

from tests.support.services.process import Service

_SETTLE_S = 1.0
_ENDED = re.compile(rb'"type":"SpanEnded","time":"([^"]*)"')
_SPAN = re.compile(rb'"type":"Span')


class Phase(NamedTuple):
    """What was measured with so many viewers."""

    core_percent: float
    """CPU time of the service, as a part of one core."""
    spans_per_s: float
    received: dict[str, Any]
    """Bytes and rows of spans that all viewers received, and the delays of some, in ms."""


class Viewers:
    """So many connections to `/events`, of which the last is never read, while the block runs."""

    def __init__(self, service: Service, count: int, prefix: str = "") -> None:
        spawn = multiprocessing.get_context("spawn")
        self._pipe, theirs = spawn.Pipe()
        self._process = spawn.Process(
            target=_watch, args=(service.url, service.token, count, prefix, theirs)
        )

    def __enter__(self) -> Viewers:
        self._process.start()
        self._pipe.recv()
        return self

    def __exit__(self, *_: object) -> None:
        self._pipe.send(None)
        self._process.join()

    def received(self) -> dict[str, Any]:
        """Return what was received since the last call."""
        self._pipe.send("report")
        found: dict[str, Any] = self._pipe.recv()
        return found


def _watch(url: str, token: str, count: int, prefix: str, pipe: Connection) -> None:
    with selectors.DefaultSelector() as selector:
        ids = [f"{prefix}load-{number % SESSIONS}" for number in range(count)]
        sockets = [_connected(url, token, one) for one in ids]
        for number, one in enumerate(sockets[:-1] if count > 1 else sockets):
            selector.register(one, selectors.EVENT_READ, number)
        pipe.send("connected")
        found: dict[str, Any] = {"bytes": 0, "rows": 0, "delays_ms": []}
        while True:
            for key, _ in selector.select(0.05):
                data = key.fileobj.recv(1 << 20)  # type: ignore[union-attr] # they are sockets
                found["bytes"] += len(data)
                found["rows"] += len(_SPAN.findall(data))
                if key.data == 0:
                    now_s = time.time()
                    found["delays_ms"] += [(now_s - _s(t)) * 1e3 for t in _ENDED.findall(data)]
            with suppress(EOFError):
                if pipe.poll():
                    if pipe.recv() is None:
                        return
                    pipe.send(found)
                    found = {"bytes": 0, "rows": 0, "delays_ms": []}


def _connected(url: str, token: str, session_id: str) -> socket.socket:
    address = urlsplit(url)
    one = socket.create_connection((address.hostname, address.port))
    one.sendall(
        f"GET /events?session_id={session_id} HTTP/1.1\r\n"
        f"Host: {address.netloc}\r\nAuthorization: Bearer {token}\r\n\r\n".encode()
    )
    return one


def _s(rfc3339: bytes) -> float:
    return datetime.fromisoformat(f"{rfc3339[:26].decode()}+00:00").timestamp()


def _measure(service: Service, viewers: Viewers | None, seconds: float) -> Phase:
    time.sleep(_SETTLE_S)
    if viewers:
        viewers.received()
    spans, used_s, began_s = _span_count(service), cpu_s(service), time.monotonic()
    time.sleep(seconds)
    took_s, used_s = time.monotonic() - began_s, cpu_s(service) - used_s
    received = viewers.received() if viewers else {}
    return Phase(100 * used_s / took_s, (_span_count(service) - spans) / took_s, received)


def _span_count(service: Service) -> int:
    rows = service.get("/sessions?limit=100")["sessions"]
    return sum(row["span_count"] for row in rows)


def main() -> None:
    """Print what viewers cost."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--viewers", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=4, help="for each phase")
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--reader", action="store_true", help="connect viewers to a reader")
    options = parser.parse_args()
    phases: dict[int, list[Phase]] = {0: [], 1: [], options.viewers: []}
    with (
        tempfile.TemporaryDirectory(dir=Path.cwd()) as folder,
        Service(Path(folder)) as service,
        loaded(service),
        viewed(service, Path(folder), options.reader) as (seen_at, prefix),
    ):
        for _ in range(options.rounds):
            for count, measured in phases.items():
                if count == 0:
                    measured.append(_measure(service, None, options.seconds))
                    continue
                with Viewers(seen_at, count, prefix) as viewers:
                    measured.append(_measure(service, viewers, options.seconds))
    base = statistics.mean(phase.core_percent for phase in phases[0])
    for count, measured in phases.items():
        _print_line(count, measured, base, options.seconds)
    if not options.reader:
        _print_ingest(options.seconds, options.rounds)


def _print_ingest(seconds: float, rounds: int) -> None:
    """Print what a viewer adds to each span of four senders."""
    cpu_us: dict[int, list[float]] = {0: [], 1: []}
    with tempfile.TemporaryDirectory(dir=Path.cwd()) as folder, Service(Path(folder)) as service:
        for _ in range(rounds):
            for count, measured in cpu_us.items():
                with Viewers(service, count) if count else nullcontext():
                    used_s = _ingest_cpu_s(service)
                    sent = send(service, "http/protobuf", senders=4, seconds=seconds)
                    used_s = _ingest_cpu_s(service) - used_s
                    measured.append(used_s / sent["requests"] / SPANS * 1e6)
    alone, watched = (statistics.mean(measured) for measured in cpu_us.values())
    print(
        f"four senders: {alone:.1f} µs CPU a span; with a viewer of another session {watched:.1f},"
        f" which adds {watched - alone:.1f} µs"
    )


def _ingest_cpu_s(service: Service) -> float:
    """Return the service's CPU time without the index of words, which catches up later."""
    return cpu_s(service) - cpu_s(service, WORDS_THREAD)


def _print_line(count: int, phases: Sequence[Phase], base: float, seconds: float) -> None:
    core = statistics.mean(phase.core_percent for phase in phases)
    rate = statistics.mean(phase.spans_per_s for phase in phases)
    line = f"{count:4} viewers: {core:5.1f} % of a core at {rate:4.0f} spans/s"
    if count:
        received = [phase.received for phase in phases]
        delays = sorted(delay for one in received for delay in one["delays_ms"])
        p50, p99 = (delays[int(len(delays) * part)] for part in (0.5, 0.99))
        mib = sum(one["bytes"] for one in received) / len(phases) / seconds / 2**20
        rows = sum(one["rows"] for one in received) / len(phases) / seconds
        line += (
            f"; the viewers {core - base:5.1f} %, {rows:6.0f} rows/s of spans, {mib:4.1f} MiB/s;"
            f" commit -> viewer p50 {p50:.0f} ms, p99 {p99:.0f} ms"
        )
    print(line, flush=True)


if __name__ == "__main__":
    main()
