"""An attached script in its own process."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from tests.support.services.process import Service

ROOT = Path(__file__).resolve().parents[3]


class WatchedAgent:
    """Runs while it is entered, with `args` as JSON on its standard input."""

    def __init__(
        self, service: Service, script: Path, args: object = None, **environment: str
    ) -> None:
        self._process = subprocess.Popen(
            [sys.executable, script],
            env={
                **os.environ,
                "INSPECTOR_URL": service.url,
                "INSPECTOR_TOKEN": service.token,
                "PYTHONPATH": str(ROOT),
                **environment,
            },
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(args))
        self._process.stdin.close()
        self._process.stdin = None

    def __enter__(self) -> WatchedAgent:
        return self

    def __exit__(self, *_: object) -> None:
        if self._process.poll() is None:
            self._process.kill()
            self._process.communicate()

    def output_lines(self) -> list[str]:
        """Wait for its successful end; return its output."""
        out, err = self._process.communicate(timeout=60)
        assert err == ""
        assert self._process.returncode == 0
        return out.splitlines()
