"""The thread that reads the service's commands and carries them out."""

from __future__ import annotations

import logging
import uuid
from time import monotonic

from inspector.agent_side.control.commands import Commands, MalformedCommandError, read_command
from inspector.agent_side.control.connection_state import Ack, Connection, ConnectionState
from inspector.agent_side.control.http_connection import AwayError, HttpConnection, StatusError
from inspector.agent_side.control.open_requests import AnswerOutcome
from inspector.agent_side.control.sse import EventSplitter, TooLongError

_logger = logging.getLogger("inspector")


class CommandReceiver:
    """Follows one connection's command stream, and reconnects if it breaks."""

    def __init__(self, line: ConnectionState, commands: Commands) -> None:
        self._line = line
        self._commands = commands

    def run(self) -> None:
        """Listen until the line closes."""
        line, failures = self._line, 0
        while not line.closing.is_set():
            line.has_visit.wait()
            visit = line.visit
            if visit is None:
                continue
            began_s = monotonic()
            try:
                self._follow(visit)
            except Exception:  # noqa: BLE001 - no command may be the last one
                text = "The stream of commands failed; it is taken up again."
                line.say_once(logging.WARNING, "stream", text, has_trace=True)
            # A stream that ends at once may be one that another process of this name takes over.
            has_lasted = monotonic() - began_s > visit.welcome.heartbeat_s
            failures = 0 if has_lasted else failures + 1
            line.closing.wait(line.pause_s(failures))

    def _follow(self, visit: Connection) -> None:
        """Do what is commanded until the stream, or the visit, ends."""
        line = self._line
        line.stream = link = HttpConnection(visit.link.address)
        events = EventSplitter()
        silence_s = line.limits.silent_beats * visit.welcome.heartbeat_s
        path = f"{visit.path}/commands?after={visit.last_seq}"
        try:
            for piece in link.follow(path, line.limits.timeout_s, silence_s):
                line.hear()
                for text in events.feed(piece):
                    if visit.is_over or line.closing.is_set():
                        return
                    with line.obeying:
                        self._obey(visit, text)
        except StatusError as error:
            if error.status == 404:  # it has forgotten us
                line.end(visit)
        except TooLongError as error:
            line.say_once(logging.WARNING, "length", f"A stream of commands was cut: {error}.")
        except AwayError as error:
            _logger.debug("The stream of commands broke off: %s", error)

    def _obey(self, visit: Connection, text: str) -> None:
        try:
            command = read_command(text)
        except MalformedCommandError as error:
            sent = f"The inspector sent what is no command: {error}."
            self._line.say_once(logging.WARNING, "command", sent)
            if error.seq is None:
                return
            seq, taken = error.seq, AnswerOutcome(False, f"malformed: {error}"[:1_000])
        else:
            seq, taken = command.seq, self._commands.handle(command)
        visit.last_seq = max(visit.last_seq, seq)
        visit.acks.append(Ack(uuid.uuid4().hex, seq, taken))
        self._line.news.set()
