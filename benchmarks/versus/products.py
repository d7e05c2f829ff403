"""The products that ours is measured beside: how each is started, asked and stopped.

Each is started as its documentation says, with a SQLite file in an empty folder, and asked by its
public HTTP interface. The others live in environments of their own, which `uv` makes.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import httpx

from inspector.version import VERSION

HERE = Path(__file__).resolve().parent
START_TIMEOUT_S = 600
SEARCHED = "zanzibar"
"""Name of the spans that a search looks for."""


@dataclass(frozen=True)
class Product:
    """Command, database and interface of one product."""

    name: str
    version: str
    command: Callable[[Path, int], Sequence[str]]
    database: str
    count: str
    health: str
    batches: int
    """Requests a run sends: enough for some ten seconds."""
    listing: Callable[[httpx.Client], httpx.Response]
    """Asks for the newest 50 of what its first page lists."""
    search: Callable[[httpx.Client], httpx.Response]
    """Asks for the newest 50 that a span named `SEARCHED` is part of."""
    has_span: Callable[[httpx.Client, bytes, bytes], bool]
    """Says whether it shows the span with these ids of a trace and a span."""
    page: Callable[[httpx.Client, bytes, str], str]
    """Gives the path of the page that shows a trace, by its id and its session."""
    environment: Callable[[Path, int], dict[str, str]] = lambda folder, port: {}
    headers: dict[str, str] = field(default_factory=dict)


@cache
def _uv() -> str:
    beside = Path(sys.executable).with_name("uv")
    found = str(beside) if beside.exists() else shutil.which("uv")
    if found is None:
        raise SystemExit(
            "Phoenix and MLflow are installed by uv, which is neither on the PATH nor beside "
            f"{sys.executable}. Run `make bench-versus`, which fetches it, or install uv."
        )
    return found


def _script(name: str) -> list[str]:
    script = str(HERE / name)
    return [_uv(), "run", "--quiet", "--locked", "--python", sys.executable, "--script", script]


def _pinned(name: str) -> str:
    """Return the version that a script's own header names."""
    found = re.search(r'"[\w-]+==([^"]+)"', (HERE / name).read_text(encoding="utf-8"))
    assert found is not None
    return found[1]


# --- ours ---------------------------------------------------------------------------------------

_INSPECTOR = Product(
    name="Inspector",
    version=VERSION,
    command=lambda folder, port: [str(Path(sys.executable).with_name("inspector")), "serve"],
    database="inspector.sqlite3",
    count="SELECT count(*) FROM span",
    health="/health",
    batches=90,
    listing=lambda client: client.get("/sessions", params={"limit": 50}),
    search=lambda client: client.get("/search", params={"q": f"name:{SEARCHED}", "limit": 50}),
    has_span=lambda client, trace, span: (
        client.get(f"/spans/{trace.hex()}/{span.hex()}").is_success
    ),
    page=lambda client, trace, session: f"/ui/sessions/{session}?view=waterfall",
    environment=lambda folder, port: {
        "INSPECTOR_PORT": str(port),
        "INSPECTOR_OTLP_HTTP_PORT": "0",
        "INSPECTOR_OTLP_GRPC_PORT": "0",
        "INSPECTOR_STORE": f"sqlite:///{folder}/inspector.sqlite3",
        "INSPECTOR_TOKEN": "benchmark",
    },
    headers={"Authorization": "Bearer benchmark"},
)

# --- Phoenix ------------------------------------------------------------------------------------


def _phoenix_spans(client: httpx.Client, **params: str | int) -> httpx.Response:
    return client.get("/v1/projects/default/spans", params=params)


def _phoenix_page(client: httpx.Client, trace: bytes, session: str) -> str:
    project = client.get("/v1/projects").json()["data"][0]["id"]
    # Without the range of time that it adds itself: with that, it opens the project alone.
    return f"/projects/{project}/traces/{trace.hex()}"


_PHOENIX = Product(
    name="Phoenix",
    version=_pinned("serve_phoenix.py"),
    command=lambda folder, port: [*_script("serve_phoenix.py"), "serve"],
    database="phoenix.db",
    count="SELECT count(*) FROM spans",
    health="/healthz",
    batches=4,
    listing=lambda client: _phoenix_spans(client, limit=50, parent_id="null"),
    search=lambda client: _phoenix_spans(client, limit=50, name=SEARCHED),
    has_span=lambda client, trace, span: bool(
        _phoenix_spans(client, limit=1, span_id=span.hex()).json()["data"]
    ),
    page=_phoenix_page,
    environment=lambda folder, port: {
        "PHOENIX_HOST": "127.0.0.1",
        "PHOENIX_PORT": str(port),
        "PHOENIX_GRPC_PORT": str(free_port()),
        "PHOENIX_WORKING_DIR": str(folder),
        "PHOENIX_TELEMETRY_ENABLED": "false",
    },
)

# --- MLflow -------------------------------------------------------------------------------------


def _mlflow_traces(client: httpx.Client, filtered: str = "") -> httpx.Response:
    experiment = {"type": "MLFLOW_EXPERIMENT", "mlflow_experiment": {"experiment_id": "0"}}
    query: dict[str, Any] = {"locations": [experiment], "max_results": 50, "filter": filtered}
    return client.post("/api/3.0/mlflow/traces/search", json=query)


_MLFLOW = Product(
    name="MLflow",
    version=_pinned("serve_mlflow.py"),
    command=lambda folder, port: [
        *(*_script("serve_mlflow.py"), "server", "--host", "127.0.0.1", "--port", str(port)),
        *("--backend-store-uri", f"sqlite:///{folder}/mlflow.db", "--workers", "1"),
    ],
    database="mlflow.db",
    count="SELECT count(*) FROM spans",
    health="/health",
    batches=6,
    listing=_mlflow_traces,
    search=lambda client: _mlflow_traces(client, f"span.name = '{SEARCHED}'"),
    has_span=lambda client, trace, span: (
        (
            client.get("/api/3.0/mlflow/traces/get", params={"trace_id": f"tr-{trace.hex()}"})
        ).is_success
    ),
    page=lambda client, trace, session: (
        f"/#/experiments/0/traces?selectedEvaluationId=tr-{trace.hex()}"
    ),
    environment=lambda folder, port: {"MLFLOW_DISABLE_TELEMETRY": "true"},
    headers={"x-mlflow-experiment-id": "0"},
)

PRODUCTS = (_INSPECTOR, _PHOENIX, _MLFLOW)


# --- processes ----------------------------------------------------------------------------------


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
        with httpx.Client(
            base_url=f"http://127.0.0.1:{port}",
            headers=product.headers,
            timeout=300,
            limits=httpx.Limits(max_connections=4),
        ) as client:
            _wait_until_healthy(product, client, process, log)
            yield process, client
    finally:
        stop(process)


def stop(process: subprocess.Popen[bytes]) -> None:
    """End a product with all that it started."""
    family = _tree(process.pid)
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGTERM)
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
    for pid in family:  # some start others in sessions of their own
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def resident_mib(pid: int) -> float:
    """Return the resident memory of a process and all that it started."""
    pages = 0
    for each in _tree(pid):
        with suppress(FileNotFoundError, ProcessLookupError):
            pages += int(Path(f"/proc/{each}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


def free_port() -> int:
    """Return a port that nobody listens on."""
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        return int(sock.getsockname()[1])


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


def _tree(pid: int) -> list[int]:
    found = [pid]
    for each in found:
        for task in Path(f"/proc/{each}/task").glob("*/children"):
            with suppress(FileNotFoundError, ProcessLookupError):
                found.extend(map(int, task.read_text().split()))
    return found
