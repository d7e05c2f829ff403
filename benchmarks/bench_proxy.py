"""Cost of `inspector proxy` at startup and per message.

A server that answers each line with the same line, started and asked with and without the proxy
in front; with a service, without one, and with one that never answers.
"""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median
from time import perf_counter

from tests.support.services.process import Service

PROXY = [sys.executable, "-m", "inspector", "proxy", "--"]
SERVER = [
    sys.executable,
    "-S",
    "-c",
    "import sys\nfor l in sys.stdin: print(l, end='', flush=True)",
]
MESSAGE = b'{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"f","arguments":{}}}\n'
STARTS, MESSAGES = 15, 3_000


def main() -> None:
    """Measure and print."""
    with (
        tempfile.TemporaryDirectory() as folder,
        socket.socket() as deaf,
        Service(Path(folder)) as service,
    ):
        deaf.bind(("127.0.0.1", 0))
        deaf.listen()
        alone = {**service.environment, "INSPECTOR_RUNTIME_DIR": f"{folder}/none"}
        hanging = {**alone, "INSPECTOR_URL": f"http://127.0.0.1:{deaf.getsockname()[1]}"}
        seen = {**alone, "INSPECTOR_URL": service.url, "INSPECTOR_TOKEN": service.token}
        print(f"{'':32}{'first answer':>14}{'one message':>14}")
        for name, command, environment in (
            ("the server alone", SERVER, alone),
            ("proxy, no service", [*PROXY, *SERVER], alone),
            ("proxy, service that hangs", [*PROXY, *SERVER], hanging),
            ("proxy, service", [*PROXY, *SERVER], seen),
        ):
            first_s, each_s = measured(command, {**os.environ, **environment})
            print(f"{name:32}{first_s * 1e3:11.0f} ms{each_s * 1e6:11.0f} µs")


def measured(command: list[str], environment: dict[str, str]) -> tuple[float, float]:
    """Return the median times to the first answer, and of one message to and fro."""
    firsts = [_times(command, environment, 1)[0] for _ in range(STARTS)]
    times = _times(command, environment, MESSAGES)
    return median(firsts), median(times[MESSAGES // 3 :])


def _times(command: list[str], environment: dict[str, str], count: int) -> list[float]:
    times = []
    began = perf_counter()
    with subprocess.Popen(
        command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        for number in range(count):
            process.stdin.write(MESSAGE % number)
            process.stdout.readline()
            times.append(perf_counter() - began)
            began = perf_counter()
        process.stdin.close()
    return times


if __name__ == "__main__":
    main()
