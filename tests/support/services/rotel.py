"""The rotel collector, as a third-party OTLP receiver."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import httpx
import pytest

from tests.support.services.process import DEADLINE_S, free_port, wait_for


@dataclass(frozen=True)
class Rotel:
    """Addresses of a running collector."""

    http_url: str
    grpc_url: str


@contextmanager
def running_rotel(directory: Path, export_to: str, *, prints: bool = False) -> Iterator[Rotel]:
    """Run the rotel collector, which forwards to `export_to` by OTLP/HTTP.

    With `prints` it writes every span to `rotel.out` in `directory`.
    """
    agent = _rotel_agent()
    http_port, grpc_port = free_port(), free_port()
    options = {
        "--otlp-http-endpoint": f"127.0.0.1:{http_port}",
        "--otlp-grpc-endpoint": f"127.0.0.1:{grpc_port}",
        "--exporter": "otlp",
        "--otlp-exporter-endpoint": export_to,
        "--otlp-exporter-protocol": "http",
        "--log-file": str(directory / "rotel.log"),
        "--pid-file": str(directory / "rotel.pid"),
    }
    if prints:
        options |= {"--debug-log": "traces", "--debug-log-verbosity": "detailed"}
    words = [word for option in options.items() for word in option]
    with (directory / "rotel.out").open("w") as output:
        process = subprocess.Popen([agent, "start", *words], stdout=output, stderr=output)
    try:
        http_url = f"http://127.0.0.1:{http_port}"
        wait_for(lambda: _answers(http_url))
        yield Rotel(http_url, f"grpc://127.0.0.1:{grpc_port}")
    finally:
        process.kill()
        process.wait(DEADLINE_S)


def _rotel_agent() -> Path:
    """Return the program of the package; skip the test where it does not run."""
    package = find_spec("rotel")
    if package is None or package.origin is None:
        pytest.skip("rotel is not installed: it has no wheel for this system or this Python")
    agent = Path(package.origin).parent / "rotel-agent"
    tried = subprocess.run([agent, "--version"], capture_output=True, text=True, check=False)
    if tried.returncode != 0:  # it wants the library of its Python, which not every system has
        pytest.skip(f"rotel does not run here: {tried.stderr.strip()}")
    return agent


def _answers(url: str) -> bool:
    try:
        httpx.get(url)
    except httpx.TransportError:
        return False
    return True
