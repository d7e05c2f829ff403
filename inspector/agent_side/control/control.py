"""Control of one process: the parts between a bus and the channel."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import TYPE_CHECKING

from inspector.agent_side.control.channel import Channel
from inspector.agent_side.control.commands import Commands, ControlCommand
from inspector.agent_side.control.connection_state import Process
from inspector.agent_side.control.gate import Gate
from inspector.agent_side.control.http_connection import Address
from inspector.agent_side.control.open_requests import AnswerOutcome, RequestTable
from inspector.agent_side.control.provider import InspectorProvider
from inspector.agent_side.control.signals import PausedSessions, deliver
from instrument import Bus
from subscribers.bridge.location import OpenOperation, TraceLocation
from subscribers.exits import when_forked

if TYPE_CHECKING:
    from subscribers.wiring import Wiring

_logger = logging.getLogger("inspector")

_controlled: set[str] = set()
"""Ids of processes with a channel: the service knows one channel of each."""


def control_of(
    bus: Bus, wiring: Wiring, find: Callable[[], Address | None], *, keeps_args: bool
) -> Control | None:
    """Return the control of the bus whose telemetry `wiring` sends.

    None if the process is controlled through another bus already.
    """
    name = wiring.process().id
    if name in _controlled:
        _logger.info(
            "This process is already controlled through another bus; this one is only observed."
        )
        return None
    _controlled.add(name)
    return Control(
        bus,
        find,
        lambda: Process(*wiring.process()),
        wiring.location_of,
        wiring.open_operations,
        keeps_args=keeps_args,
        on_close=lambda: _controlled.discard(name),
    )


class Control:
    """Control of the operations on one bus by people: answers, pauses and cancellations."""

    def __init__(
        self,
        bus: Bus,
        find: Callable[[], Address | None],
        process: Callable[[], Process],
        location_of: Callable[[str | None], TraceLocation],
        open_operations: Callable[[], list[OpenOperation]],
        *,
        keeps_args: bool = False,
        on_close: Callable[[], None] = lambda: None,
    ) -> None:
        """Control `bus` from now on; the channel starts with the first request, or `start`.

        Args:
            bus: The bus whose requests people answer and whose operations they steer.
            find: Returns the current address of the service.
            process: Returns the identity of this process in telemetry.
            location_of: Returns the trace location of an operation.
            open_operations: Returns the running operations.
            keeps_args: Whether arguments stay readable in a closed request.
            on_close: Called at the end.
        """
        self._requests = RequestTable(lambda: self._channel.wake())
        self.gate = Gate(bus, location_of, open_operations)
        self._commands = Commands(self._requests, self.gate)
        self._commands.on("signal", _signal)
        self._paused = PausedSessions(self._requests, location_of=location_of)
        self._provider = InspectorProvider(
            self._requests, location_of=location_of, keeps_args=keeps_args, watcher=self._paused
        )
        self._commands.on("cancel", self._cancel)
        self._channel = Channel(find, process, self._requests, self._commands, self.gate)
        self._offs = [self._provider.install(bus), self._paused.install(bus), on_close]
        when_forked(self.forget)

    def start(self) -> None:
        """Start receiving commands, even before any request."""
        self._channel.start()

    def begin_close(self) -> None:
        """Stop requests and holds, and say goodbye in the background."""
        offs, self._offs = self._offs, []
        for off in offs:
            off()
        self.gate.close("the process detached from the Inspector service")
        self._channel.begin_close()

    def finish_close(self, timeout_s: float) -> None:
        """Wait for the goodbye, at most `timeout_s`."""
        self._channel.finish_close(timeout_s)

    def forget(self) -> None:
        """Start afresh in a forked child: open requests and holds are the parent's."""
        self._requests.forget()
        self.gate.forget()
        self._commands.forget()
        self._provider.forget()
        self._paused.forget()
        self._channel.forget()

    def _cancel(self, command: ControlCommand) -> AnswerOutcome:
        if not command.session_id:
            return AnswerOutcome(False, "session_id is missing")
        outcome = self.gate.cancel(command.session, command.by)
        refused = self._provider.cancel(command.session.names, command.by)
        return outcome if outcome.applied or not refused else AnswerOutcome(True, None)


def _signal(command: ControlCommand) -> AnswerOutcome:
    if command.signal_name is None:
        return AnswerOutcome(False, "signal_name is missing")
    return deliver(
        command.session_id or None,
        command.signal_name,
        command.payload_json,
        reason=command.reason,
        actor=command.actor,
        origin=command.origin,
    )
