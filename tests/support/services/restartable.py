"""`inspector serve` in its own process, with the same ports and store over restarts."""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import httpx

_URL = re.compile(r"(http://127\.0\.0\.1:\d+)/ui/\?token=(\S+)")


def free_port() -> int:
    """Return a port that nobody listens on now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    return port


class Service:
    """Give it a folder, `start` it, and ask it by `get`."""

    def __init__(self, folder: Path, *, python: str = sys.executable) -> None:
        self.folder = folder
        self._python = python
        self.url = ""
        self.token = ""
        self._process: subprocess.Popen[str] | None = None
        self.environment = {
            **{name: value for name, value in os.environ.items() if "INSPECTOR" not in name},
            "INSPECTOR_PORT": str(free_port()),
            "INSPECTOR_OTLP_HTTP_PORT": "0",
            "INSPECTOR_OTLP_GRPC_PORT": "0",
            "INSPECTOR_STORE": f"sqlite:///{folder}/store.sqlite3",
            "INSPECTOR_RUNTIME_DIR": str(folder),
        }

    def start(self) -> None:
        """Start, and return once it listens."""
        self._process = subprocess.Popen(
            [self._python, "-m", "inspector", "serve"],
            env=self.environment,
            cwd=self.folder,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self._process.stdout is not None
        found = next(filter(None, map(_URL.search, self._process.stdout)), None)
        assert found, "the service ended without saying where it listens"
        self.url, self.token = found.groups()

    def kill(self) -> None:
        """End it as a crash would."""
        assert self._process is not None
        self._process.kill()
        self._close()

    def stop(self) -> None:
        """End it as its user would."""
        if self._process is not None and self._process.poll() is None:
            self._process.terminate()
            try:
                self._process.communicate(timeout=10)
            except subprocess.TimeoutExpired:
                self._process.kill()
        self._close()

    @property
    def headers(self) -> dict[str, str]:
        """What every request needs."""
        return {"Authorization": f"Bearer {self.token}"}

    # `verify=False`: it is plain HTTP, and reading all certificates takes longer than the request.
    def get(self, path: str) -> Any:
        """Ask the API."""
        answer = httpx.get(f"{self.url}{path}", headers=self.headers, timeout=10, verify=False)
        answer.raise_for_status()
        return answer.json()

    def post(self, path: str, body: bytes) -> None:
        """Send it OTLP as protobuf."""
        headers = {**self.headers, "Content-Type": "application/x-protobuf"}
        httpx.post(
            f"{self.url}{path}", content=body, headers=headers, timeout=10, verify=False
        ).raise_for_status()

    def _close(self) -> None:
        if self._process is not None:
            self._process.communicate()
