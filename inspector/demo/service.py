"""The demo's own service: an `inspector serve` that starts and ends with it."""

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
    """The service ended before it listened, and printed the reason."""


@dataclass(frozen=True, slots=True)
class DemoService:
    """A running service."""

    url: str
    token: str | None


@contextmanager
def running_service() -> Generator[DemoService]:
    """Run `inspector serve` with the settings of the environment until the block ends.

    Its output goes to our standard output.

    Raises:
        ServiceError: It ended before it listened.
    """
    with subprocess.Popen(
        [sys.executable, "-m", "inspector", "serve"],
        stdout=subprocess.PIPE,
        text=True,
        # Out of reach of the terminal's Ctrl-C: it must still record how the stories ended.
        start_new_session=True,
    ) as process:
        assert process.stdout is not None
        try:
            service = _wait_until_listening(process.stdout)
            # Drained as long as it runs: a full pipe would stop the service.
            threading.Thread(target=_print_all, args=(process.stdout,), daemon=True).start()
            yield service
        finally:
            process.terminate()
            try:
                process.wait(_STOP_S)
            except subprocess.TimeoutExpired:
                process.kill()


def _wait_until_listening(lines: IO[str]) -> DemoService:
    for line in lines:
        _print(line)
        if found := _URL.search(line):
            return DemoService(found[1], found[2])
    raise ServiceError("The service did not start.")


def _print_all(lines: IO[str]) -> None:
    for line in lines:
        _print(line)


def _print(line: str) -> None:
    sys.stdout.write(line)
    sys.stdout.flush()
