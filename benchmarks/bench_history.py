"""Rate of copying to a history: `python benchmarks/bench_history.py [SPANS]`.

A store is filled, by code of the service, with the load of `bench_ingest.py` (20 attributes,
1.1 kB a span, 16 spans a trace), and another with that of `bench_queries.py` (agents; of their 7
attributes two or three are in no other span). Each is copied to a history that drops what it gets,
which leaves what one process of ours costs; beside it the floor, reading the same rows and content.
Where `clickhouse-server` is installed, each is copied to a real one, with the time that passed.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from ingest_load import SPANS, Bodies
from ingest_stages import read
from query_store import SESSION_SPANS, StoreFiller

from inspector.service.history.clickhouse import ClickHouse
from inspector.service.history.copier import Copier
from inspector.service.history.schema import migrate
from inspector.service.ingest.recorder import Recorder
from inspector.service.model.records import SpanRecord
from inspector.service.storage import Store, open_store
from inspector.service.storage.sqlite_readonly import ReadOnlySqliteStore
from tests.support.services.clickhouse import WHY, is_installed, running_clickhouse

ROUNDS = 3
_CHUNK = 2_000


class Nowhere(ClickHouse):
    """A history that drops what it gets."""

    def __init__(self) -> None:
        self.bytes = 0

    def rows(self, query: str) -> list[dict[str, Any]]:
        """Return nothing: nothing was copied yet."""
        return []

    def insert(self, table: str, columns: Sequence[str], rows: Sequence[bytes]) -> None:
        """Count the bytes."""
        self.bytes += sum(map(len, rows))


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


def fill_with_agents(store: Store, count: int) -> None:
    """Fill a store with the load of the benchmark of queries."""
    StoreFiller(store, count // SESSION_SPANS).fill(count // SESSION_SPANS)


def measure(name: str, path: Path, folder: Path) -> None:
    """Print what copying a store costs."""
    store, nowhere = ReadOnlySqliteStore(path), Nowhere()
    spans = read_all(store)
    floor_us = best_us(spans, lambda: read_all(store))
    copy_us = best_us(spans, lambda: copy(store, nowhere))
    print(
        f"{name:14} {spans:,} spans, {nowhere.bytes // ROUNDS // spans:,} bytes a row: copying"
        f" {copy_us:5.1f} µs CPU a span ({1e6 / copy_us:,.0f} spans/s), reading alone"
        f" {floor_us:5.1f}, 1/{copy_us / floor_us:.1f} of its speed"
    )
    if not is_installed("server"):
        print(WHY["server"])
        return
    with running_clickhouse("server", folder / f"{path.stem}-history") as server:
        history = server.client()
        migrate(history)
        began_s, began_cpu_s = time.perf_counter(), time.process_time()
        copy(store, history)
        passed_s, cpu_s = time.perf_counter() - began_s, time.process_time() - began_cpu_s
        history.close()
    print(
        f"{'':14} to ClickHouse beside it: {cpu_s / spans * 1e6:.1f} µs CPU a span here,"
        f" {passed_s / spans * 1e6:.1f} µs passed ({spans / passed_s:,.0f} spans/s)"
    )


def best_us(spans: int, work: Callable[[], object]) -> float:
    """Return the CPU time a span of the best round."""
    return min(rounds_s(work)) / spans * 1e6


def rounds_s(work: Callable[[], object]) -> Iterator[float]:
    """Yield the CPU time of each round."""
    for _ in range(ROUNDS):
        began_s = time.process_time()
        work()
        yield time.process_time() - began_s


def copy(store: ReadOnlySqliteStore, history: ClickHouse) -> None:
    """Copy all of a store."""
    copier = Copier(store, history, behind_ns=0)
    while copier.step():
        pass


def read_all(store: ReadOnlySqliteStore) -> int:
    """Read all changes and contents; return the number of spans."""
    through = count = 0
    while True:
        with store.read() as reader:
            changes = reader.changes(through, _CHUNK)
            spans = [one.content for one in changes if isinstance(one, SpanRecord)]
            reader.contents(spans)
        if not changes:
            return count
        through, count = changes[-1].change, count + len(spans)


if __name__ == "__main__":
    main()
