"""Durable ingest beside Phoenix and MLflow: `python benchmarks/versus [PRODUCT …]`.

The same requests for all, one product after another on an otherwise idle machine: OTLP/HTTP
protobuf, 512 spans of 20 attributes (about 1.1 kB a span), 16 spans a trace, each product started
as its documentation says, with a SQLite file in an empty folder on the disk under the working
directory. A span counts as *durable* when another connection to that file sees its row: some
products answer 200 before they have written anything, so answers alone say little.

Printed for each: seconds from its start to its first good answer; spans answered and spans durable
per second, with one and with four senders; how long one span alone takes from POST to durable;
resident memory (all its processes) before and after. Run: `make bench-versus`; the first time
installs the others in environments of their own (1.2 GB).
"""

from __future__ import annotations

import os
import signal
import socket
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent.parent), str(HERE.parent)]

import httpx  # noqa: E402
from ingest_load import SPANS, batch  # noqa: E402
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (  # noqa: E402
    ExportTraceServiceRequest,
)

START_TIMEOUT_S = 600
STALL_TIMEOUT_S = 120
SINGLES = 20


@dataclass(frozen=True)
class Product:
    """Command and database of one product."""

    name: str
    command: Callable[[Path, int], Sequence[str]]
    database: str
    count: str
    health: str
    batches: int
    """Requests a run sends: enough for some ten seconds."""
    environment: Callable[[Path, int], dict[str, str]] = lambda folder, port: {}
    headers: dict[str, str] = field(default_factory=dict)


def _script(name: str) -> list[str]:
    python = str(Path(sys.executable))
    return ["uv", "run", "--quiet", "--locked", "--python", python, "--script", str(HERE / name)]


PRODUCTS = (
    Product(
        "inspector",
        lambda folder, port: [str(Path(sys.executable).with_name("inspector")), "serve"],
        "inspector.sqlite3",
        "SELECT count(*) FROM span",
        "/health",
        200,
        lambda folder, port: {
            "INSPECTOR_PORT": str(port),
            "INSPECTOR_OTLP_HTTP_PORT": "0",
            "INSPECTOR_OTLP_GRPC_PORT": "0",
            "INSPECTOR_STORE": f"sqlite:///{folder}/inspector.sqlite3",
        },
    ),
    Product(
        "Phoenix",
        lambda folder, port: [*_script("serve_phoenix.py"), "serve"],
        "phoenix.db",
        "SELECT count(*) FROM spans",
        "/healthz",
        4,
        lambda folder, port: {
            "PHOENIX_HOST": "127.0.0.1",
            "PHOENIX_PORT": str(port),
            "PHOENIX_GRPC_PORT": str(free_port()),
            "PHOENIX_WORKING_DIR": str(folder),
            "PHOENIX_TELEMETRY_ENABLED": "false",
        },
    ),
    Product(
        "MLflow",
        lambda folder, port: [
            *(*_script("serve_mlflow.py"), "server", "--host", "127.0.0.1", "--port", str(port)),
            *("--backend-store-uri", f"sqlite:///{folder}/mlflow.db", "--workers", "1"),
        ],
        "mlflow.db",
        "SELECT count(*) FROM spans",
        "/health",
        6,
        lambda folder, port: {"MLFLOW_DISABLE_TELEMETRY": "true"},
        {"x-mlflow-experiment-id": "0"},
    ),
)


@dataclass
class Result:
    """The measurements of one product."""

    start_s: float
    idle_mib: float
    loaded_mib: float
    rates: dict[int, tuple[float, float]]
    """Number of senders → (spans answered per second, spans durable per second)."""
    single_ms: float


def main() -> None:
    """Measure each, then print them beside each other."""
    wanted = {name.lower() for name in sys.argv[1:]}
    results: dict[str, Result] = {}
    for product in PRODUCTS:
        if not wanted or product.name.lower() in wanted:
            print(f"… {product.name}", file=sys.stderr)
            results[product.name] = _measure(product)
    _print(results)


def _print(results: dict[str, Result]) -> None:
    columns = (
        "start, s",
        "MiB idle",
        "loaded",
        "answered/s",
        "durable/s",
        "4: answered",
        "durable",
    )
    print(f"{'':10}" + "".join(f"{column:>13}" for column in (*columns, "one span, ms")))
    for name, result in results.items():
        numbers = (result.start_s, result.idle_mib, result.loaded_mib)
        figures = (*numbers, *result.rates[1], *result.rates[4], result.single_ms)
        print(f"{name:10}" + "".join(f"{figure:13,.1f}" for figure in figures))
    ours = results.get("inspector")
    for name, result in results.items():
        if ours is not None and result is not ours:
            one, four = (ours.rates[senders][1] / result.rates[senders][1] for senders in (1, 4))
            print(f"durable spans/s, to {name}'s: {one:.0f} times with 1 sender, {four:.0f} with 4")


def _measure(product: Product) -> Result:
    with tempfile.TemporaryDirectory(dir=Path.cwd(), prefix="versus-") as name:
        folder, port = Path(name), free_port()
        # Once without looking at the clock: the first start installs and compiles.
        with running(product, folder, port):
            pass
        began = time.perf_counter()
        with running(product, folder, port) as (process, client):
            start_s = time.perf_counter() - began
            _send(client, product, [batch().SerializeToString()], 1)
            stored = wait_for(folder / product.database, product, SPANS)
            idle_mib = _resident_mib(process.pid)
            rates = {}
            for senders in (1, 4):
                bodies = [batch().SerializeToString() for _ in range(product.batches)]
                count = SPANS * len(bodies)
                began = time.perf_counter()
                _send(client, product, bodies, senders)
                answered_s = time.perf_counter() - began
                stored = wait_for(folder / product.database, product, stored + count)
                durable_s = time.perf_counter() - began
                rates[senders] = (count / answered_s, count / durable_s)
            loaded_mib = _resident_mib(process.pid)
            singles = []
            for _ in range(SINGLES):
                body = _one_span(batch().SerializeToString())
                began = time.perf_counter()
                _send(client, product, [body], 1)
                stored = wait_for(folder / product.database, product, stored + 1)
                singles.append(time.perf_counter() - began)
        return Result(start_s, idle_mib, loaded_mib, rates, statistics.median(singles) * 1e3)


@contextmanager
def running(
    product: Product, folder: Path, port: int
) -> Iterator[tuple[subprocess.Popen[bytes], httpx.Client]]:
    """Run a product until the block ends; yield its process and a client."""
    log = folder / "output.txt"
    with log.open("ab") as output:
        process = subprocess.Popen(
            product.command(folder, port),
            env={**os.environ, **product.environment(folder, port)},
            stdout=output,
            stderr=output,
            start_new_session=True,
        )
    try:
        limits = httpx.Limits(max_connections=4)
        with httpx.Client(
            base_url=f"http://127.0.0.1:{port}", timeout=300, limits=limits
        ) as client:
            _wait_until_healthy(product, client, process, log)
            yield process, client
    finally:
        family = _tree(process.pid)
        os.killpg(process.pid, signal.SIGTERM)
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
        for pid in family:  # some start others in sessions of their own
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)


def _wait_until_healthy(
    product: Product, client: httpx.Client, process: subprocess.Popen[bytes], log: Path
) -> None:
    deadline = time.monotonic() + START_TIMEOUT_S
    while time.monotonic() < deadline and process.poll() is None:
        try:
            if client.get(product.health, timeout=2).is_success:
                return
        except httpx.TransportError:
            pass
        time.sleep(0.02)
    raise SystemExit(f"{product.name} did not start:\n{log.read_text(errors='replace')[-2000:]}")


def _send(client: httpx.Client, product: Product, bodies: Sequence[bytes], senders: int) -> None:
    headers = {"content-type": "application/x-protobuf", **product.headers}

    def post(body: bytes) -> None:
        while True:
            answer = client.post("/v1/traces", content=body, headers=headers)
            if answer.status_code not in (429, 503):
                answer.raise_for_status()
                return
            # A real exporter waits and sends again.
            time.sleep(float(answer.headers.get("retry-after", "1")))

    with ThreadPoolExecutor(senders) as pool:
        list(pool.map(post, bodies))


def wait_for(database: Path, product: Product, count: int) -> int:
    """Return once the file holds `count` rows; looks often, since looking is cheap."""
    most, deadline = 0, time.monotonic() + STALL_TIMEOUT_S
    with closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True, timeout=30)) as connection:
        while time.monotonic() < deadline:
            (rows,) = connection.execute(product.count).fetchone()
            if rows >= count:
                return int(rows)
            if rows > most:
                most, deadline = rows, time.monotonic() + STALL_TIMEOUT_S
            time.sleep(0.002)
    raise SystemExit(f"{product.name} stopped at {most} of {count} spans.")


def _one_span(body: bytes) -> bytes:
    request = ExportTraceServiceRequest.FromString(body)
    del request.resource_spans[0].scope_spans[0].spans[1:]
    return request.SerializeToString()


def _resident_mib(pid: int) -> float:
    pages = 0
    for each in _tree(pid):
        with suppress(FileNotFoundError, ProcessLookupError):
            pages += int(Path(f"/proc/{each}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


def _tree(pid: int) -> list[int]:
    found = [pid]
    for each in found:
        for task in Path(f"/proc/{each}/task").glob("*/children"):
            found.extend(map(int, task.read_text().split()))
    return found


def free_port() -> int:
    """Return a port that nobody listens on."""
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        return int(sock.getsockname()[1])


if __name__ == "__main__":
    main()
