"""The channel: two-way communication with the service, independent of the agent's loop.

Two daemon threads, started on demand: the `sender` sends reports, the `receiver` follows the
stream of commands. They are two because a slow reply must not delay a cancel, nor a quiet stream a
heartbeat. Neither needs the agent's event loop.

Whenever the service may have lost something (it was away, or does not know this process), the
sender sends hello and all open requests again, and the service sends unacknowledged commands
again. Both ends ignore repeats. Telemetry has a delivery of its own: neither waits for the other.
"""

from __future__ import annotations

import threading
from collections.abc import Callable

from inspector.agent_side.control.commands import Commands
from inspector.agent_side.control.connection_state import ConnectionState, Limits, Process
from inspector.agent_side.control.gate import Gate
from inspector.agent_side.control.http_connection import Address
from inspector.agent_side.control.open_requests import RequestTable
from inspector.agent_side.control.receiver import CommandReceiver
from inspector.agent_side.control.sender import ReportSender


class Channel:
    """The channel to the service: sends reports and receives commands. Thread-safe."""

    def __init__(
        self,
        find: Callable[[], Address | None],
        process: Callable[[], Process],
        requests: RequestTable,
        commands: Commands,
        gate: Gate,
        limits: Limits | None = None,
    ) -> None:
        """Make a channel that is not started.

        Args:
            find: Returns the current address of the service, or None; called before each hello.
            process: Returns the identity of this process; called before each hello.
            requests: The requests of this process.
            commands: Runs the commands of the service.
            gate: Releases its holds when the service is away for long.
            limits: Limits; the defaults are for production.
        """
        self._find = find
        self._process = process
        self._requests = requests
        self._commands = commands
        self._gate = gate
        self._limits = limits or Limits()
        self._is_ended = False
        self._begin()

    def _begin(self) -> None:
        self._lock = threading.Lock()
        self._state = ConnectionState(self._limits)
        self._sender = ReportSender(
            self._state, self._find, self._process, self._requests, self._gate
        )
        self._receiver = CommandReceiver(self._state, self._commands)
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Start the threads if they do not run."""
        with self._lock:
            if self._thread is not None or self._is_ended:
                return
            self._thread = _start(self._sender.run, "inspector-control")
            _start(self._receiver.run, "inspector-commands")

    def wake(self) -> None:
        """Wake the sending thread for new reports. Never blocks, never raises."""
        if self._thread is None:
            self.start()
        self._state.news.set()

    def begin_close(self) -> None:
        """Send the remaining reports and a goodbye in the background; see `finish_close`."""
        with self._lock:
            self._is_ended = True
        self._state.close()

    def finish_close(self, timeout_s: float) -> None:
        """Wait for the goodbye, at most `timeout_s`."""
        thread = self._thread
        if thread is not None and thread is not threading.current_thread():
            thread.join(max(timeout_s, 0.0))

    def forget(self) -> None:
        """Start afresh in a forked child: threads and connections are the parent's."""
        links = (self._sender.link, self._state.stream)
        self._begin()
        for link in links:
            if link is not None:
                link.forget()


def _start(work: Callable[[], None], name: str) -> threading.Thread:
    thread = threading.Thread(target=work, name=name, daemon=True)
    thread.start()
    return thread
