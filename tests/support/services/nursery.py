"""Processes of `inspector` that are forked from one which has imported it.

Importing takes most of the start of a service, and the tests start hundreds. So each process of
pytest starts this module once, which imports what `inspector serve` needs, and forks it for each
service: what runs then is `python -m inspector`, with its own environment and streams.
"""

from __future__ import annotations

import gc
import json
import os
import runpy
import selectors
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from concurrent.futures import TimeoutError as FutureTimeoutError
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import IO, Any

_HEADER_BYTES = 8


class Forked:
    """A process of the nursery, with as much of `subprocess.Popen` as the tests use."""

    def __init__(self, command: Sequence[str], stdout: IO[str]) -> None:
        self.stdout = stdout
        self.born: Future[int] = Future()
        self.exit_code: Future[int] = Future()
        self._command = command

    @property
    def pid(self) -> int:
        return self.born.result(60)

    @property
    def returncode(self) -> int | None:
        """The exit code, negative for a signal; None while it runs."""
        return self.exit_code.result() if self.exit_code.done() else None

    def poll(self) -> int | None:
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        try:
            return self.exit_code.result(timeout)
        except FutureTimeoutError:
            raise subprocess.TimeoutExpired(self._command, timeout or 0) from None

    def send_signal(self, number: int) -> None:
        if self.poll() is None:
            os.kill(self.pid, number)

    def terminate(self) -> None:
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)

    def communicate(self, timeout: float | None = None) -> tuple[str, None]:
        """Wait for its end, and return the rest of what it wrote."""
        self.wait(timeout)
        rest = "" if self.stdout.closed else self.stdout.read()
        self.stdout.close()
        return rest, None


class Nursery:
    """The process that forks, seen from that of the tests."""

    def __init__(self) -> None:
        self._socket, theirs = socket.socketpair()
        self._lock = threading.Lock()
        self._unborn: list[Forked] = []
        self._running: dict[int, Forked] = {}
        own = [name for name in os.environ if name.startswith(("INSPECTOR_", "OTEL_", "XDG_"))]
        self._process = subprocess.Popen(
            [sys.executable, "-m", __name__, str(theirs.fileno())],
            env={name: value for name, value in os.environ.items() if name not in own},
            pass_fds=[theirs.fileno()],
        )
        theirs.close()
        threading.Thread(target=self._read, daemon=True).start()

    def start(
        self, command: Sequence[str], env: Mapping[str, str], stderr: IO[str] | None
    ) -> Forked:
        """Run `python -m inspector` with the arguments after the module of a command line."""
        reads, writes = os.pipe()
        forked = Forked(command, os.fdopen(reads, encoding="utf-8"))
        body = json.dumps({"argv": command[3:], "env": dict(env), "cwd": str(Path.cwd())}).encode()
        files = [writes, 2 if stderr is None else stderr.fileno()]
        with self._lock:
            self._unborn.append(forked)
            socket.send_fds(self._socket, [len(body).to_bytes(_HEADER_BYTES)], files)
            self._socket.sendall(body)
        os.close(writes)
        return forked

    def _read(self) -> None:
        for line in self._socket.makefile():
            pid, status = map(int, line.split())
            if status < 0:
                self._running[pid] = forked = self._unborn.pop(0)
                forked.born.set_result(pid)
            else:
                code = os.waitstatus_to_exitcode(status)
                self._running.pop(pid).exit_code.set_result(code)


@cache
def nursery() -> Nursery:
    """Return that of this process, started on first use."""
    return Nursery()


def _serve(connection: socket.socket) -> dict[str, Any]:
    """Fork for each request, and report births and ends; return the request in the child."""
    ends, wakes = socket.socketpair()
    for one in (ends, wakes):
        one.setblocking(False)
    signal.set_wakeup_fd(wakes.fileno(), warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    selector = selectors.DefaultSelector()
    selector.register(connection, selectors.EVENT_READ)
    selector.register(ends, selectors.EVENT_READ)
    while True:
        for key, _ in selector.select():
            if key.fileobj is ends:
                ends.recv(4096)
                _report_ends(connection)
                continue
            header, files, _, _ = socket.recv_fds(connection, _HEADER_BYTES, 2)
            if not header:
                sys.exit(0)
            body = connection.recv(int.from_bytes(header), socket.MSG_WAITALL)
            pid = os.fork()
            if pid == 0:
                signal.set_wakeup_fd(-1)
                signal.signal(signal.SIGCHLD, signal.SIG_DFL)
                signal.signal(signal.SIGINT, signal.default_int_handler)
                for target, file in enumerate(files, start=1):
                    os.dup2(file, target)
                    os.close(file)
                selector.close()
                for one in (ends, wakes, connection):
                    one.close()
                request: dict[str, Any] = json.loads(body)
                return request
            for file in files:
                os.close(file)
            connection.sendall(b"%d -1\n" % pid)


def _report_ends(connection: socket.socket) -> None:
    while True:
        try:
            pid, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return
        if pid == 0:
            return
        connection.sendall(b"%d %d\n" % (pid, status))


def main() -> None:
    """Import what a service needs, and become one in each child."""
    import_module("inspector.service.server.serve")
    gc.freeze()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # it is for pytest, which ends its services
    request = _serve(socket.socket(fileno=int(sys.argv[1])))
    os.environ.clear()
    os.environ.update(request["env"])
    # As an interpreter makes them; ours are of other files.
    sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    sys.stderr = open(2, "w", 1, "utf-8", "backslashreplace", closefd=False)  # noqa: SIM115
    os.chdir(request["cwd"])
    sys.argv = ["inspector", *request["argv"]]
    runpy.run_module("inspector", run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main()
