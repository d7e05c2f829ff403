"""Rate of copying to a history, to that of ingest: `python benchmarks/bench_history.py [SPANS]`.

A store is filled, by code of the service, with the load of `bench_ingest.py` (20 attributes,
1.1 kB a span, 16 spans a trace), and another with that of `bench_queries.py` (agents; of their 7
attributes two or three are in no other span). In turns, and each the best of some rounds: the spans
of the store are sent to a real service by four senders, and the store is copied to a server that
drops what it gets. The service has a history, so no index of words, but cannot reach it. What is
counted is the processor time of the service and that of the copying process, with its HTTP; beside
it the floor, reading the same rows and content.

Where `clickhouse-server` is installed, each is copied to a real one, with the time that passed.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from multiprocessing import get_context
from pathlib import Path

import orjson
from bench_ingest import cpu_s
from ingest_load import SPANS, Bodies
from ingest_senders import Send, sender
from ingest_stages import read
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import ResourceSpans
from query_store import SESSION_SPANS, StoreFiller

from inspector.service.history.address import HistoryAddress
from inspector.service.history.clickhouse import ClickHouse
from inspector.service.history.copier import Copier
from inspector.service.history.schema import _layout, migrate
from inspector.service.ingest.recorder import Recorder
from inspector.service.model.records import MAX_INT, Content, StoredSpan
from inspector.service.storage import Store, open_store
from inspector.service.storage.sqlite_readonly import ReadOnlySqliteStore
from tests.support.services.clickhouse import WHY, is_installed, running_clickhouse
from tests.support.services.process import Service, free_port

ROUNDS = 5
SENDERS = 4
_CHUNK = 2_000


class Dropping(BaseHTTPRequestHandler):
    """A history that drops what it gets, and has nothing but the right tables."""

    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        """Answer a statement."""
        size = int(self.headers["Content-Length"])
        is_insert = "query=" in self.path
        while is_insert and size:
            size -= len(self.rfile.read(min(size, 2**16)))
        statement = self.rfile.read(size).decode()
        answer = b""
        if "version() AS" in statement:
            answer = b'{"version": "18.16.1"}\n'
        elif "system.columns" in statement:
            rows = [
                (t, n, type_) for t, columns in _layout().items() for n, type_ in columns.items()
            ]
            names = ("table", "name", "type")
            answer = b"\n".join(orjson.dumps(dict(zip(names, row, strict=True))) for row in rows)
        self.send_response(200)
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, format: str, *args: object) -> None:
        """Be silent."""


@contextmanager
def dropping() -> Iterator[ClickHouse]:
    """Run a server that drops what it gets, in a process of its own."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Dropping)
    process = get_context("fork").Process(target=server.serve_forever, daemon=True)
    process.start()
    address = HistoryAddress.parse(
        f"clickhouse://inspector@127.0.0.1:{server.server_port}/inspector"
    )
    history = ClickHouse(address, "")
    history.connect()
    try:
        yield history
    finally:
        history.close()
        process.terminate()
        server.server_close()


def main() -> None:
    """Print the times."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("spans", type=int, nargs="?", default=50_000)
    count = parser.parse_args().spans
    with tempfile.TemporaryDirectory(dir=Path.cwd()) as folder:
        for name, fill in (("20 attributes", fill_with_load), ("agents", fill_with_agents)):
            path = Path(folder) / f"{fill.__name__}.sqlite3"
            store = open_store(f"sqlite:///{path}")
            fill(store, count)
            store.close()
            measure(name, path, Path(folder))


def fill_with_load(store: Store, count: int) -> None:
    """Fill a store with the load of the benchmark of ingest."""
    recorder, bodies = Recorder(store, time.time_ns()), Bodies("http/protobuf")
    for _ in range(count // SPANS):
        store.commit(recorder.record(list(read(bodies.next()).spans), [], time.time_ns()))
        recorder.committed()
    later_ns = time.time_ns() + 60 * 10**9
    while not (changes := recorder.tick(later_ns)).is_empty:  # as they are in a backlog: over
        store.commit(changes)
        recorder.committed()


def fill_with_agents(store: Store, count: int) -> None:
    """Fill a store with the load of the benchmark of queries."""
    StoreFiller(store, count // SESSION_SPANS).fill(count // SESSION_SPANS)


def measure(name: str, path: Path, folder: Path) -> None:
    """Print what copying a store costs, and what receiving its spans does."""
    store = ReadOnlySqliteStore(path)
    spans, bodies = read_all(store), list(bodies_of(store))
    received_us, copied_us, read_us = [], [], []
    with dropping() as history:
        for number in range(ROUNDS):
            received_us.append(receive_s(bodies, folder / f"{path.stem}-{number}") / spans * 1e6)
            copied_us.append(spent_s(lambda: copy(store, history)) / spans * 1e6)
            read_us.append(spent_s(lambda: read_all(store)) / spans * 1e6)
    copy_us, receive_us, floor_us = map(min, (copied_us, received_us, read_us))
    print(
        f"{name:14} {spans:,} spans: copying {copy_us:5.1f} µs CPU a span"
        f" ({1e6 / copy_us:,.0f} spans/s), reading alone {floor_us:5.1f}; receiving"
        f" {receive_us:5.1f}, {receive_us / copy_us:.2f} times as much as copying"
    )
    if not is_installed("server"):
        print(WHY["server"])
        return
    with running_clickhouse("server", folder / f"{path.stem}-history") as server:
        history = server.client()
        migrate(history)
        began_s, began_cpu_s = time.perf_counter(), time.process_time()
        copy(store, history)
        passed_s, used_s = time.perf_counter() - began_s, time.process_time() - began_cpu_s
        history.close()
    print(
        f"{'':14} to ClickHouse beside it: {used_s / spans * 1e6:.1f} µs CPU a span here,"
        f" {passed_s / spans * 1e6:.1f} µs passed ({spans / passed_s:,.0f} spans/s)"
    )


def bodies_of(store: ReadOnlySqliteStore) -> Iterator[bytes]:
    """Yield requests with the spans of a store, as they came."""
    for spans in span_contents(store, SPANS):
        by_origin = defaultdict[bytes, list[Content]](list)
        for one in spans:
            by_origin[one.origin].append(one)
        groups = [ResourceSpans.FromString(origin) for origin in by_origin]
        for group, contents in zip(groups, by_origin.values(), strict=True):
            group.scope_spans[0].spans.extend(one.span() for one in contents)
        yield ExportTraceServiceRequest(resource_spans=groups).SerializeToString()


def receive_s(bodies: Sequence[bytes], folder: Path) -> float:
    """Return the CPU time of a service that receives requests as fast as it can."""
    folder.mkdir()
    nowhere = f"clickhouse://inspector@127.0.0.1:{free_port()}/inspector"
    with (
        (folder / "log").open("w") as log,
        Service(folder, stderr=log, history=nowhere) as service,
        ThreadPoolExecutor(SENDERS) as pool,
    ):
        address = service.url.removeprefix("http://")
        sends = [sender("http/protobuf", address) for _ in range(SENDERS)]
        began_s = cpu_s(service)
        list(pool.map(_send, sends, (bodies[n::SENDERS] for n in range(SENDERS))))
        return cpu_s(service) - began_s


def _send(send: Send, bodies: Iterable[bytes]) -> None:
    for body in bodies:
        send(body)()


def spent_s(work: Callable[[], object]) -> float:
    """Return the CPU time of some work."""
    began_s = time.process_time()
    work()
    return time.process_time() - began_s


def copy(store: ReadOnlySqliteStore, history: ClickHouse) -> None:
    """Copy all of a store."""
    copier = Copier(store, history, behind_ns=0)
    while copier.step():
        pass


def read_all(store: ReadOnlySqliteStore) -> int:
    """Read all changes and contents; return the number of spans."""
    return sum(map(len, span_contents(store, _CHUNK)))


def span_contents(store: ReadOnlySqliteStore, most: int) -> Iterator[list[Content]]:
    """Yield the contents of spans, those of up to `most` changes each time."""
    through = 0
    while True:
        with store.read() as reader:
            changes = reader.stored_changes(through, most, MAX_INT)
            found = reader.contents([o.content for o in changes if isinstance(o, StoredSpan)])
        if not changes:
            return
        yield found
        through = changes[-1].change


if __name__ == "__main__":
    main()
