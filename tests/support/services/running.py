"""The real service in its own process."""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TypeVar

import httpx

T = TypeVar("T")

_LINE = re.compile(r"^Inspector: (?P<url>\S+)/ui/\?token=(?P<token>\S+)$")
DEADLINE_S = 30.0


@dataclass(frozen=True)
class Service:
    """A running `inspector serve`."""

    url: str
    token: str
    otlp_http_port: int
    otlp_grpc_port: int
    process: subprocess.Popen[str]
    runtime_dir: Path
    client: httpx.Client
    """Has the token."""


def free_port() -> int:
    """Return a port that nobody has now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def environment(directory: Path, **settings: object) -> dict[str, str]:
    """Return an environment in which nothing of this machine's user is found."""
    inherited = {key: value for key, value in os.environ.items() if _is_neutral(key)}
    variables = {f"INSPECTOR_{key.upper()}": str(value) for key, value in settings.items()}
    return {
        **inherited,
        "XDG_CONFIG_HOME": str(directory / "config"),
        "XDG_DATA_HOME": str(directory / "data"),
        "INSPECTOR_RUNTIME_DIR": str(directory / "run"),
        **variables,
    }


def command(*arguments: str, module: str = "inspector") -> list[str]:
    """Return the command line of `inspector`."""
    return [sys.executable, "-m", module, *arguments]


@contextmanager
def running_service(
    directory: Path,
    *arguments: str,
    stderr: IO[str] | None = None,
    module: str = "inspector",
    **settings: object,
) -> Iterator[Service]:
    """Run `inspector serve` on free ports, its files below `directory`.

    `module` stands for `inspector` where a test prepares the process.
    """
    ports = {"port": 0, "otlp_http_port": free_port(), "otlp_grpc_port": free_port()}
    values = {**ports, **settings}
    with subprocess.Popen(
        command("serve", *arguments, module=module),
        env=environment(directory, **values),
        stdout=subprocess.PIPE,
        stderr=stderr,
        text=True,
    ) as process:
        try:
            assert process.stdout is not None
            line = process.stdout.readline()
            found = _LINE.match(line)
            assert found, f"the service said {line!r} and ended with {process.wait(DEADLINE_S)}"
            bearer = {"authorization": f"Bearer {found['token']}"}
            with httpx.Client(base_url=found["url"], headers=bearer, timeout=DEADLINE_S) as client:
                yield Service(
                    found["url"],
                    found["token"],
                    int(str(values["otlp_http_port"])),
                    int(str(values["otlp_grpc_port"])),
                    process,
                    directory / "run",
                    client,
                )
        finally:
            process.kill()


def wait_for(probe: Callable[[], T], *, deadline_s: float = DEADLINE_S) -> T:
    """Return what `probe` returns once that is true.

    Raises:
        AssertionError: It was not in time.
    """
    end = time.monotonic() + deadline_s
    while not (found := probe()):
        assert time.monotonic() < end, f"waited {deadline_s} s for {probe}"
        time.sleep(0.02)
    return found


def _is_neutral(name: str) -> bool:
    return not name.startswith(("INSPECTOR_", "OTEL_", "XDG_"))
