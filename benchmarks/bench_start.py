"""Start of `inspector serve`: from the start of the process to the first 200 of `/health`.

Beside Python alone and a FastAPI app with one route on uvicorn; medians of starts in turns, with
bytecode. The import of the agent's side is measured, too. With `--run` only what `inspector run`
takes beside Python alone, in any environment that has the agent's side.
"""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage
from statistics import median
from time import perf_counter, sleep
from typing import NamedTuple

from importing import import_times

STARTS = 10
RUNS = 20
POLL_S = 0.002
DEADLINE_S = 60.0
FLOOR, OURS = "FastAPI and uvicorn, one route", "inspector serve"
PYTHON, RUN = "python -c pass", "inspector run -- python -c pass"

BARE = """
import sys, uvicorn
from fastapi import FastAPI
app = FastAPI()
@app.get("/health")
async def health() -> dict[str, str]:
    return {"status": "ok"}
uvicorn.run(app, port=int(sys.argv[1]), log_level="error")
"""
HEALTH = b"GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n"


class Start(NamedTuple):
    """Times of one start."""

    passed_s: float
    cpu_s: float


def main() -> None:
    """Measure and print."""
    if "--run" in sys.argv:
        for name, (passed_s, cpu_s) in measured(RUNS, _runs).items():
            print(f"{name:<36}{passed_s * 1e3:8.0f}{cpu_s * 1e3:8.0f}")
        return
    starts = measured(STARTS)
    print(f"{'to the first answer':<36}{'ms':>8}{'CPU ms':>8}{'x FastAPI':>11}")
    floor_s = starts[FLOOR].cpu_s
    for name, (passed_s, cpu_s) in starts.items():
        print(f"{name:<36}{passed_s * 1e3:8.0f}{cpu_s * 1e3:8.0f}{cpu_s / floor_s:11.2f}")
    for module in ("instrument", "inspector.attach"):
        times = import_times(module)
        print(f"import {module:<29}{times.median_ms:8.1f}{times.best_ms:8.1f} (best)")


def measured(
    count: int, starts_of: Callable[[], Iterator[tuple[str, Start]]] | None = None
) -> dict[str, Start]:
    """Return the medians of `count` starts of each."""
    starts: dict[str, list[Start]] = {}
    for number in range(count + 1):
        for name, start in (starts_of or _starts)():
            if number > 0:  # the first writes the caches
                starts.setdefault(name, []).append(start)
    return {
        name: Start(*(median(values) for values in zip(*times, strict=True)))
        for name, times in starts.items()
    }


def _starts() -> Iterator[tuple[str, Start]]:
    with _environment() as (environment, port):
        yield PYTHON, _started([sys.executable, "-c", "pass"], environment, None)
        bare = [sys.executable, "-c", BARE, str(port)]
        yield FLOOR, _started(bare, environment, port)
        serve = [sys.executable, "-m", "inspector", "serve"]
        yield OURS, _started(serve, environment, port)


def _runs() -> Iterator[tuple[str, Start]]:
    with _environment() as (environment, _):
        # As for a user who is watched: a service is named, and what is installed is ours.
        named = {**environment, "INSPECTOR_URL": "http://127.0.0.1:9"}
        named.pop("PYTHONPATH")
        plain = [sys.executable, "-c", "pass"]
        inspector = str(Path(sys.executable).with_name("inspector"))
        yield PYTHON, _started(plain, named, None)
        yield RUN, _started([inspector, "run", "--", *plain], named, None)


@contextmanager
def _environment() -> Iterator[tuple[Mapping[str, str], int]]:
    port, http_port, grpc_port = _free_ports(3)
    with tempfile.TemporaryDirectory() as folder:
        environment = {
            **os.environ,
            "INSPECTOR_RUNTIME_DIR": folder,
            "INSPECTOR_STORE": f"sqlite:///{folder}/inspector.sqlite3",
            "INSPECTOR_PORT": str(port),
            "INSPECTOR_OTLP_HTTP_PORT": str(http_port),
            "INSPECTOR_OTLP_GRPC_PORT": str(grpc_port),
            "PYTHONPATH": str(Path(__file__).resolve().parent.parent),
        }
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        yield environment, port


def _started(command: list[str], environment: Mapping[str, str], port: int | None) -> Start:
    """Run a command until it answers on `port`, or to its end."""
    cpu_s, began_s = _children_cpu_s(), perf_counter()
    with subprocess.Popen(
        command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as process:
        try:
            while port is not None and not _answers(port):
                if process.poll() is not None or perf_counter() - began_s > DEADLINE_S:
                    raise RuntimeError(f"{command} did not start")
                sleep(POLL_S)
            if port is None:
                process.wait()
            passed_s = perf_counter() - began_s
        finally:
            process.kill()
    return Start(passed_s, _children_cpu_s() - cpu_s)


def _answers(port: int) -> bool:
    with suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=10) as client:
        client.sendall(HEALTH)
        return b" 200 " in client.recv(64)
    return False


def _children_cpu_s() -> float:
    used = getrusage(RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _free_ports(count: int) -> list[int]:
    with_ports = [socket.socket() for _ in range(count)]
    for one in with_ports:
        one.bind(("127.0.0.1", 0))
    ports = [one.getsockname()[1] for one in with_ports]
    for one in with_ports:
        one.close()
    return ports


if __name__ == "__main__":
    main()
