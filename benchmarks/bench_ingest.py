"""Rate of durable spans: `python benchmarks/bench_ingest.py [--seconds S] [--stored N] …`.

A real `inspector serve` in a process of its own, with its defaults and a SQLite store on the disk
under the working directory, is sent batches of 512 spans of 20 attributes (about 1.1 kB a span, 16
spans a trace) by senders in another process. A span counts when its request was answered 200, which
means that it was committed. Meanwhile a viewer follows one session, into which one span at a time
is sent, and sees how long after its POST it comes out of `/events`.

Beside it, on the same bytes: parsing alone, the least that SQLite can do (one row with the bytes,
one transaction a batch), and the stages of ingest. All are in this process; the service has its
HTTP beside them.

`--stored 1000000 --seconds 60` is the long one: it fills the store first, some two minutes.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ingest_load import SPANS, Bodies
from ingest_stages import measure_floors, measure_stages, read
from ingest_viewer import Follower

from inspector.service.ingest.recorder import Recorder
from inspector.service.storage import open_store
from tests.support.services.process import Service, free_port

HERE = Path(__file__).resolve().parent
PROTOCOLS = ("http/protobuf", "http/json", "grpc")
STAGE_BATCHES = 60
BATCHES_A_COMMIT = 8
WORDS_THREAD = "inspector-words"


def cpu_s(service: Service, thread: str | None = None) -> float:
    """Return the CPU time that the service has used, or its threads of one name."""
    tasks = list(Path(f"/proc/{service.process.pid}/task").iterdir())
    if thread is None:
        tasks = [Path(f"/proc/{service.process.pid}")]
    named = [one for one in tasks if thread in {None, (one / "comm").read_text().strip()}]
    stats = [(one / "stat").read_text().rsplit(")", 1)[1].split() for one in named]
    return sum(int(one[11]) + int(one[12]) for one in stats) / os.sysconf("SC_CLK_TCK")


def rss_mib(service: Service) -> int:
    """Return the memory of the service."""
    pages = int(Path(f"/proc/{service.process.pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") // 2**20


def main() -> None:
    """Print the rates."""
    options = _arguments()
    floors, stages = measure_floors(), measure_stages(STAGE_BATCHES)
    parse, bare = floors.parse_spans_per_s, floors.bare_spans_per_s
    print(f"{SPANS} spans a request, {len(Bodies('http/protobuf').next()) // SPANS} bytes each")
    print(f"parsing alone {parse:10,.0f} spans/s\nbare SQLite   {bare:10,.0f} spans/s")
    print(
        f"in process: read {stages.read_us:.1f}, of it at least {stages.least_read_us:.1f}, "
        f"record {stages.record_us:.1f}, commit {stages.commit_us:.1f} µs CPU a span; "
        f"bare SQLite {floors.bare_cpu_us:.1f}"
    )
    for stored in sorted({0, options.stored}):
        for protocol in options.protocols if not stored else options.protocols[:1]:
            _measure(options, protocol, stored, parse, bare)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=4, help="for each line")
    parser.add_argument("--stored", type=int, default=0, help="spans that are there before")
    parser.add_argument("--senders", type=int, nargs="+", default=[1, 4])
    parser.add_argument("--protocols", nargs="+", choices=PROTOCOLS, default=PROTOCOLS)
    return parser.parse_args()


def _measure(
    options: argparse.Namespace, protocol: str, stored: int, parse: float, bare: float
) -> None:
    with tempfile.TemporaryDirectory(dir=Path.cwd()) as folder:
        if stored:
            _fill(Path(folder), stored)
        with Service(Path(folder), otlp_grpc_port=free_port()) as service:
            for senders in options.senders:
                _print_line(service, protocol, stored, senders, options.seconds, (parse, bare))


def _print_line(
    service: Service,
    protocol: str,
    stored: int,
    senders: int,
    seconds: float,
    floors: Sequence[float],
) -> None:
    before_s, words_before_s = cpu_s(service), cpu_s(service, WORDS_THREAD)
    with Follower(_address(service), service.token) as follower:
        sent = send(service, protocol, senders, seconds)
    spans = sent["requests"] * SPANS
    rate = spans / sent["seconds"]
    cpu_us = (cpu_s(service) - before_s) / spans * 1e6
    words_us = (cpu_s(service, WORDS_THREAD) - words_before_s) / spans * 1e6
    answers, seen = _percentiles_ms(sent["took_s"]), _percentiles_ms(follower.took_s)
    print(
        f"{protocol:13} {stored:10,} stored, {senders} at once {rate:8,.0f} spans/s"
        f"   1/{floors[0] / rate:.1f} of parsing   1/{floors[1] / rate:.1f} of bare SQLite"
        f"   {cpu_us:4.0f} µs CPU a span, {words_us:.0f} of them the index of words"
        f"   {rss_mib(service):4} MiB"
        f"\n    answered after {answers}; seen by the viewer after {seen}, "
        f"{len(follower.took_s)} of {follower.sent_count} spans",
        flush=True,
    )


def _percentiles_ms(seconds: Sequence[float]) -> str:
    ordered = sorted(seconds)
    if not ordered:
        return "never"
    p50, p99 = (ordered[int(len(ordered) * part)] * 1e3 for part in (0.5, 0.99))
    return f"{p50:.0f} ms (p50), {p99:.0f} ms (p99)"


# --- the senders ------------------------------------------------------------------


def _address(service: Service) -> str:
    return service.url.removeprefix("http://")


def send(service: Service, protocol: str, senders: int, seconds: float) -> dict[str, Any]:
    """Send as much as the service takes; return the number of requests and their durations."""
    address = f"127.0.0.1:{service.otlp_grpc_port}" if protocol == "grpc" else _address(service)
    script = str(HERE / "ingest_senders.py")
    command = [sys.executable, script, protocol, address, str(senders), str(seconds)]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    sent: dict[str, Any] = json.loads(done.stdout)
    return sent


def _fill(folder: Path, count: int) -> None:
    """Keep `count` spans, by the code of the service but without its process."""
    store = open_store(f"sqlite:///{folder}/store.sqlite3")
    recorder, supply = Recorder(store, time.time_ns()), Bodies("http/protobuf", 255)
    for _ in range(0, count, SPANS * BATCHES_A_COMMIT):
        spans = [
            s for _ in range(BATCHES_A_COMMIT) for s in read(supply.next(), scrubs=False).spans
        ]
        changes = recorder.record(spans, [], time.time_ns())
        store.commit(changes)
        recorder.committed()
    later_ns = time.time_ns() + 60 * 10**9
    while not (changes := recorder.tick(later_ns)).is_empty:  # as they would be by then: over
        store.commit(changes)
        recorder.committed()
    store.close()


if __name__ == "__main__":
    main()
