"""Smoke check of a service that a command starts: its address, health and web UI."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import time
import urllib.request
from collections.abc import Sequence
from pathlib import Path

_URL = re.compile(r"(http://\S+?)/ui/\?token=(\S+)")
_PATIENCE_S = 60.0
"""Time limit for a session to arrive, and for the command to end."""


def first_look(command: Sequence[str | Path], store: Path, cwd: Path, *, sessions: int = 0) -> None:
    """Start a command that serves, wait until it has `sessions` sessions, and interrupt it.

    It gets ports of its own, and the folder `store` to write to.

    Raises:
        SystemExit: Something is not as it should be.
    """
    settings = {
        "INSPECTOR_PORT": "0",
        "INSPECTOR_OTLP_HTTP_PORT": "0",
        "INSPECTOR_OTLP_GRPC_PORT": "0",
        "INSPECTOR_STORE": f"sqlite:///{store}/smoke.sqlite3",
        "INSPECTOR_RUNTIME_DIR": str(store),
    }
    inherited = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    with subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        text=True,
        cwd=cwd,
        env=inherited | settings,
        start_new_session=True,
    ) as service:
        try:
            assert service.stdout is not None
            found = next(filter(None, map(_URL.search, service.stdout)), None)
            if found is None:
                raise SystemExit(f"{command} ended without printing where it listens.")
            base, token = found.groups()
            _look(base, token, sessions)
            # As Ctrl-C does: the command, and what it started.
            os.killpg(service.pid, signal.SIGINT)
            service.communicate(timeout=_PATIENCE_S)
        finally:
            if service.poll() is None:
                os.killpg(service.pid, signal.SIGKILL)


def _look(base: str, token: str, sessions: int) -> None:
    health = json.loads(_get(f"{base}/health", token))
    page = _get(f"{base}/ui/", token).decode()
    if not health["ready"] or "<script" not in page:
        raise SystemExit(f"Not as it should be: {health}, {page[:200]!r}")
    deadline = time.monotonic() + _PATIENCE_S
    while len(json.loads(_get(f"{base}/sessions", token))["sessions"]) < sessions:
        if time.monotonic() > deadline:
            raise SystemExit(f"Fewer than {sessions} sessions came in {_PATIENCE_S:.0f} s.")
        time.sleep(0.2)


def _get(url: str, token: str) -> bytes:
    request = urllib.request.Request(url, headers={"Authorization": f"Bearer {token}"})
    with urllib.request.urlopen(request, timeout=10) as answer:
        body: bytes = answer.read()
    return body
