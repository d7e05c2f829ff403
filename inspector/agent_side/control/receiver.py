"""The thread that reads the service's commands and carries them out."""

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
    """Follows one connection's command stream, and reconnects if it breaks."""

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
            except Exception:  # noqa: BLE001 - no command may be the last one
                text = "The stream of commands failed; it is taken up again."
                state.say_once(logging.WARNING, "stream", text, has_trace=True)
            # A stream that ends at once may be one that another process of this name takes over.
            has_lasted = monotonic() - began_s > connection.welcome.heartbeat_s
            failures = 0 if has_lasted else failures + 1
            state.closing.wait(state.pause_s(failures))

    def _follow(self, connection: Connection) -> None:
        """Do what is commanded until the stream, or the connection, ends."""
        state = self._state
        state.stream = link = HttpConnection(connection.link.address)
        events = EventSplitter()
        silence_s = state.limits.silent_beats * connection.welcome.heartbeat_s
        path = f"{connection.path}/commands?after={connection.last_seq}"
        try:
            for piece in link.follow(path, state.limits.timeout_s, silence_s):
                state.hear()
                for event in events.feed(piece):
                    if connection.is_over or state.closing.is_set():
                        return
                    with state.obeying:
                        self._obey(connection, event.data)
        except StatusError as error:
            if error.status == 404:  # it has forgotten us
                state.end(connection)
        except TooLongError as error:
            state.say_once(logging.WARNING, "length", f"A stream of commands was cut: {error}.")
        except AwayError as error:
            _logger.debug("The stream of commands broke off: %s", error)

    def _obey(self, connection: Connection, text: str) -> None:
        try:
            command = read_command(text)
        except MalformedCommandError as error:
            sent = f"The inspector sent what is no command: {error}."
            self._state.say_once(logging.WARNING, "command", sent)
            if error.seq is None:
                return
            seq, taken = error.seq, AnswerOutcome(False, f"malformed: {error}"[:1_000])
        else:
            seq, taken = command.seq, self._commands.handle(command)
        connection.last_seq = max(connection.last_seq, seq)
        connection.acks.append(Ack(uuid.uuid4().hex, seq, taken))
        self._state.news.set()
