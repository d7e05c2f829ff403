"""The thread that receives the service's commands and runs them."""

from __future__ import annotations

import logging
import uuid
from time import monotonic

from inspector.agent_side.control.commands import Commands, MalformedCommandError, read_command
from inspector.agent_side.control.connection_state import Ack, Connection, ConnectionState
from inspector.agent_side.control.http_connection import AwayError, HttpConnection, StatusError
from inspector.agent_side.control.open_requests import AnswerOutcome
from inspector.sse import EventSplitter, TooLongError

_logger = logging.getLogger("inspector")


class CommandReceiver:
    """The receiver of one connection's command stream; it reconnects if that breaks."""

    def __init__(self, state: ConnectionState, commands: Commands) -> None:
        self._state = state
        self._commands = commands

    def run(self) -> None:
        """Follow the command stream until the channel closes."""
        state, failures = self._state, 0
        while not state.closing.is_set():
            state.has_connection.wait()
            connection = state.connection
            if connection is None:
                continue
            began_s = monotonic()
            try:
                self._follow(connection)
            except Exception:  # noqa: BLE001 - a bad command must not be the last one
                text = "The command stream failed; it reconnects."
                state.log_once(logging.WARNING, "stream", text, has_trace=True)
            # If a stream ends at once, another process of this name may take it over.
            has_lasted = monotonic() - began_s > connection.welcome.heartbeat_s
            failures = 0 if has_lasted else failures + 1
            state.closing.wait(state.pause_s(failures))

    def _follow(self, connection: Connection) -> None:
        """Run commands until the stream or the connection ends."""
        state = self._state
        state.stream = link = HttpConnection(connection.link.address)
        events = EventSplitter()
        silence_s = state.limits.silent_beats * connection.welcome.heartbeat_s
        path = f"{connection.path}/commands?after={connection.last_seq}"
        try:
            for piece in link.follow(path, state.limits.timeout_s, silence_s):
                state.mark_alive()
                for event in events.feed(piece):
                    if connection.is_over or state.closing.is_set():
                        return
                    with state.executing:
                        self._execute(connection, event.data)
        except StatusError as error:
            if error.status == 404:  # it has forgotten us
                state.end(connection)
        except TooLongError as error:
            state.log_once(logging.WARNING, "length", f"The command stream was closed: {error}.")
        except AwayError as error:
            _logger.debug("The command stream was interrupted: %s", error)

    def _execute(self, connection: Connection, text: str) -> None:
        try:
            command = read_command(text)
        except MalformedCommandError as error:
            sent = f"The Inspector service sent an invalid command: {error}."
            self._state.log_once(logging.WARNING, "command", sent)
            if error.seq is None:
                return
            seq, outcome = error.seq, AnswerOutcome(False, f"malformed: {error}"[:1_000])
        else:
            seq, outcome = command.seq, self._commands.handle(command)
        connection.last_seq = max(connection.last_seq, seq)
        connection.acks.append(Ack(uuid.uuid4().hex, seq, outcome))
        self._state.news.set()
