"""The demo's own service: `inspector serve`, started and ended with it."""

from __future__ import annotations

import re
import subprocess
import sys
import threading
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import IO

_URL = re.compile(r"(https?://\S+?)/ui/(?:\?token=(\S+))?")
_STOP_S = 5.0


class ServiceError(RuntimeError):
    """The service ended before it listened. It printed the reason itself."""


@dataclass(frozen=True, slots=True)
class DemoService:
    """A running service."""

    url: str
    token: str | None


@contextmanager
def running_service() -> Generator[DemoService]:
    """Run `inspector serve` with the settings of the environment until the block ends.

    What it prints goes on to our own standard output.

    Raises:
        ServiceError: It ended before it listened.
    """
    with subprocess.Popen(
        [sys.executable, "-m", "inspector", "serve"],
        stdout=subprocess.PIPE,
        text=True,
        # Out of reach of the terminal's Ctrl-C: it must take in how the stories ended.
        start_new_session=True,
    ) as process:
        assert process.stdout is not None
        try:
            service = _wait_until_listening(process.stdout)
            # Drained as long as it runs: a full pipe would stop the service.
            threading.Thread(target=_pass_on, args=(process.stdout,), daemon=True).start()
            yield service
        finally:
            _stop(process)


def _wait_until_listening(lines: IO[str]) -> DemoService:
    for line in lines:
        _say(line)
        if found := _URL.search(line):
            return DemoService(found[1], found[2])
    raise ServiceError("The service did not start.")


def _pass_on(lines: IO[str]) -> None:
    for line in lines:
        _say(line)


def _say(text: str) -> None:
    sys.stdout.write(text)
    sys.stdout.flush()


def _stop(process: subprocess.Popen[str]) -> None:
    process.terminate()
    try:
        process.wait(_STOP_S)
    except subprocess.TimeoutExpired:
        process.kill()
