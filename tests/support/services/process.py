"""`inspector serve` in its own process."""

from __future__ import annotations

import os
import re
import secrets
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any, Self, TypeVar

import httpx
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from tests.support.services.nursery import Forked, nursery
from tests.support.telemetry.export import trace_request

T = TypeVar("T")

_URL = re.compile(r"(\S+)/ui/\?token=(\S+)$")
DEADLINE_S = 30.0


class Service:
    """A service with the same port and store over restarts; it runs while it is entered.

    Args:
        folder: Contains its files.
        arguments: Arguments of `inspector serve`.
        module: A stand-in for `inspector`, where a test prepares the process.
        python: The interpreter.
        stderr: Where its log is written; by default that of the test.
        settings: Settings of the service, such as `port=0`.
    """

    def __init__(
        self,
        folder: Path,
        *arguments: str,
        module: str = "inspector",
        python: str = sys.executable,
        stderr: IO[str] | None = None,
        **settings: object,
    ) -> None:
        self.folder = folder
        self.url = ""
        self.token = ""
        self.client: httpx.Client
        """Sends the token with each request, while the service runs."""
        defaults = {
            "port": free_port(),
            "otlp_http_port": 0,
            "otlp_grpc_port": 0,
            "store": f"sqlite:///{folder}/store.sqlite3",
        }
        self.environment = environment(folder, **{**defaults, **settings})
        self._command = command("serve", *arguments, module=module, python=python)
        self._stderr = stderr
        self._process: subprocess.Popen[str] | Forked | None = None

    def start(self) -> None:
        """Start, and return once it listens."""
        if self._command[:3] == command():
            self._process = nursery().start(self._command, self.environment, self._stderr)
        else:
            self._process = subprocess.Popen(
                self._command,
                env=self.environment,
                stdout=subprocess.PIPE,
                stderr=self._stderr,
                text=True,
            )
        assert self._process.stdout is not None
        found = next(filter(None, map(_URL.search, self._process.stdout)), None)
        if found is None:
            self._process.communicate()
        assert found, f"the service ended with {self._process.wait(DEADLINE_S)}"
        self.url, self.token = found.groups()
        # `verify=False`: reading all certificates takes longer than a request.
        self.client = httpx.Client(
            base_url=self.url, headers=self.headers, timeout=DEADLINE_S, verify=False
        )

    def kill(self) -> None:
        """End it as a crash would."""
        self.process.kill()
        self._close()

    def stop(self) -> None:
        """End it as its user would; idempotent."""
        if self._process is not None and self._process.poll() is None:
            self._process.terminate()
            try:
                self._process.communicate(timeout=10)
            except subprocess.TimeoutExpired:
                self._process.kill()
        self._close()

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    @property
    def process(self) -> subprocess.Popen[str] | Forked:
        """The process, which runs or has run."""
        assert self._process is not None
        return self._process

    @property
    def headers(self) -> dict[str, str]:
        """The headers that every request needs."""
        return {"Authorization": f"Bearer {self.token}"}

    @property
    def runtime_dir(self) -> Path:
        """The folder of the run-file."""
        return Path(self.environment["INSPECTOR_RUNTIME_DIR"])

    @property
    def otlp_http_port(self) -> int:
        """The port of OTLP over HTTP; 0 for none."""
        return int(self.environment["INSPECTOR_OTLP_HTTP_PORT"])

    @property
    def otlp_grpc_port(self) -> int:
        """The port of OTLP over gRPC; 0 for none."""
        return int(self.environment["INSPECTOR_OTLP_GRPC_PORT"])

    def get(self, path: str) -> Any:
        """Return the JSON of a route."""
        return self.client.get(path).raise_for_status().json()

    def post(self, path: str, body: bytes) -> None:
        """Send OTLP as protobuf."""
        headers = {"Content-Type": "application/x-protobuf"}
        self.client.post(path, content=body, headers=headers).raise_for_status()

    def send(self, *spans: Span) -> None:
        """Send spans as one request; without any, one."""
        self.post("/v1/traces", trace_request(*spans).SerializeToString())

    def _close(self) -> None:
        if self._process is not None:
            self.client.close()
            self._process.communicate()


def free_port() -> int:
    """Return a port that nobody listens on now.

    It is below those that systems take for connections: none takes it before it is used.
    """
    while True:
        port = 10_240 + secrets.randbelow(20_000)
        with socket.socket() as probe, suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port


def environment(folder: Path, **settings: object) -> dict[str, str]:
    """Return an environment without settings of this machine's user; None leaves one out."""
    inherited = {
        key: value
        for key, value in os.environ.items()
        if not key.startswith(("INSPECTOR_", "OTEL_", "XDG_"))
    }
    variables = {
        f"INSPECTOR_{key.upper()}": str(value)
        for key, value in settings.items()
        if value is not None
    }
    return {
        **inherited,
        "XDG_CONFIG_HOME": str(folder / "config"),
        "XDG_DATA_HOME": str(folder / "data"),
        "INSPECTOR_RUNTIME_DIR": str(folder / "run"),
        "INSPECTOR_EXIT_TIMEOUT_S": "20",  # a busy machine must not lose what a test looks for
        **variables,
    }


def command(*arguments: str, module: str = "inspector", python: str = sys.executable) -> list[str]:
    """Return the command line of `inspector`."""
    return [python, "-m", module, *arguments]


@contextmanager
def running_service(folder: Path, *arguments: str, **options: Any) -> Iterator[Service]:
    """Run a service on free ports with the default store, and kill it at the end."""
    folder.mkdir(parents=True, exist_ok=True)
    ports = {"port": 0, "otlp_http_port": free_port(), "otlp_grpc_port": free_port()}
    service = Service(folder, *arguments, **{"store": None, **ports, **options})
    service.start()
    try:
        yield service
    finally:
        service.kill()


def wait_for(probe: Callable[[], T], *, deadline_s: float = DEADLINE_S) -> T:
    """Return the first true result of `probe`.

    Raises:
        AssertionError: It was not in time.
    """
    end = time.monotonic() + deadline_s
    while not (found := probe()):
        assert time.monotonic() < end, f"waited {deadline_s} s for {probe}"
        time.sleep(0.02)
    return found
