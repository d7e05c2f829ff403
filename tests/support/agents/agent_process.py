"""An agent in its own process: a script that prints and reads lines."""

from __future__ import annotations

import json
import os
import queue
import subprocess
import sys
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Self

from tests.support.services.process import Service

ROOT = Path(__file__).resolve().parents[3]
DEADLINE_S = 60.0


class AgentProcess:
    """A script that runs until it ends or is left; its stderr is part of its output.

    Args:
        script: The program.
        environ: Its variables, beside those of this process that configure no telemetry.
    """

    def __init__(self, script: Path, environ: Mapping[str, str]) -> None:
        inherited = {
            k: v for k, v in os.environ.items() if not k.startswith(("INSPECTOR_", "OTEL_"))
        }
        self._lines: queue.Queue[str | None] = queue.Queue()
        self.output: list[str] = []
        self._process = subprocess.Popen(
            [sys.executable, "-u", "-W", "error", str(script)],
            env={**inherited, "PYTHONPATH": str(ROOT), **environ},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()

    def read_line(self, beginning: str = "") -> str:
        """Wait for a line that starts with `beginning`; return the rest of it."""
        while True:
            try:
                line = self._lines.get(timeout=DEADLINE_S)
            except queue.Empty:
                line = None
            assert line is not None, f"never printed {beginning!r}:\n" + "\n".join(self.output)
            self.output.append(line)
            if line.startswith(beginning):
                return line.removeprefix(beginning).strip()

    def write_line(self, line: str) -> None:
        """Write a line to its standard input."""
        assert self._process.stdin is not None
        self._process.stdin.write(line + "\n")
        self._process.stdin.flush()

    def output_lines(self) -> list[str]:
        """Wait for its successful end; return the lines that were not read."""
        code = self.wait()
        self._reader.join(DEADLINE_S)
        lines = [line for line in self._lines.queue if line is not None]
        assert code == 0, lines
        return lines

    def wait(self) -> int:
        """Wait for its end; return its code."""
        return self._process.wait(DEADLINE_S)

    def kill(self) -> None:
        """End it now, whatever it does; idempotent."""
        self._process.kill()
        self._process.wait(DEADLINE_S)
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                try:
                    stream.close()
                except BrokenPipeError:
                    continue

    def _read(self) -> None:
        assert self._process.stdout is not None
        try:
            for line in self._process.stdout:
                self._lines.put(line.rstrip("\n"))
        except ValueError:  # closed
            pass
        self._lines.put(None)


def watched_agent(
    service: Service, script: Path, args: object = None, **environ: str
) -> AgentProcess:
    """Run a script that reports to `service`, with `args` as a line of JSON on its input."""
    where = {"INSPECTOR_URL": service.url, "INSPECTOR_TOKEN": service.token}
    agent = AgentProcess(script, {**where, **environ})
    agent.write_line(json.dumps(args))
    return agent
