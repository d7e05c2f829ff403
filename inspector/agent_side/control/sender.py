"""The thread that reports requests, command results and heartbeats to the service."""

from __future__ import annotations

import logging
import os
import socket
from collections.abc import Callable, Iterable
from time import monotonic
from typing import Any
from urllib.parse import quote

from inspector.agent_side.control import messages
from inspector.agent_side.control.connection_state import (
    Ack,
    Connection,
    ConnectionState,
    Process,
    read_welcome,
)
from inspector.agent_side.control.gate import Gate
from inspector.agent_side.control.http_connection import Address, AwayError, HttpConnection, Reply
from inspector.agent_side.control.open_requests import RequestTable

_logger = logging.getLogger("inspector")

MAX_ACKS = 2_000
"""That are not confirmed: of more the oldest go, as their commands come again."""
_NO_SUCH_ROUTE = frozenset({404, 405, 501})
_REFUSED = frozenset({400, 413, 422})
"""Something in it will never be taken."""

Message = dict[str, Any]


class ReportSender:
    """Speaks over one line."""

    def __init__(
        self,
        state: ConnectionState,
        find: Callable[[], Address | None],
        process: Callable[[], Process],
        requests: RequestTable,
        gate: Gate,
    ) -> None:
        self._state = state
        self._find = find
        self._process = process
        self._requests = requests
        self._gate = gate
        self._failures = 0
        self._next_beat_s = 0.0
        self._acks: list[Ack] = []
        self.link: HttpConnection | None = None

    def run(self) -> None:
        """Send reports until the channel closes, and then a goodbye."""
        state = self._state
        while not state.closing.is_set():
            state.news.clear()
            try:
                is_well = self._speak()
            except Exception:  # noqa: BLE001 - it has to go on
                text = "The control channel failed; it begins anew."
                state.say_once(logging.WARNING, "channel", text, has_trace=True)
                state.end(state.connection)
                is_well = False
            self._check_away()
            if is_well:
                self._failures = 0
                state.news.wait(max(self._next_beat_s - monotonic(), 0.0))
            else:
                self._failures = min(self._failures + 1, 16)
                state.closing.wait(state.pause_s(self._failures - 1))
        self._say_goodbye()

    def _speak(self) -> bool:
        """Say what there is to say; return whether the service took it."""
        connection = self._state.connection
        if connection is None:
            connection = self._say_hello()
            if connection is None:
                return False
        has_beat = monotonic() >= self._next_beat_s
        if has_beat:
            self._next_beat_s = monotonic() + connection.welcome.heartbeat_s
            self._gate.refresh()
        if self._say_news(connection, has_beat=has_beat):
            return True
        self._state.end(connection)
        return False

    # --- hello and goodbye --------------------------------------------------------------------

    def _say_hello(self) -> Connection | None:
        address = self._find()
        if address is None:
            return None
        process, self.link = self._process(), HttpConnection(address)
        path = f"/processes/{quote(process.id, safe='')}"
        said = messages.hello(process.service, os.getpid(), socket.gethostname())
        reply = self._ask("PUT", path, said)
        if reply is None or not self._is_fine(reply):
            return None
        connection = Connection(self.link, path, read_welcome(reply.fields(), self._state.limits))
        self._acks, self._next_beat_s = [], 0.0
        self._requests.say_again()
        self._state.begin(connection)
        return connection

    def _say_goodbye(self) -> None:
        """Say what was done and what has closed, and goodbye, if the service was there.

        What an agent does last is often what it was told: a cancel ends the program.
        """
        connection, limits = self._state.connection, self._state.limits
        if connection is None or connection.is_over:
            return
        now_s = monotonic()
        end_s = now_s + limits.goodbye_s
        if self._state.obeying.acquire(timeout=limits.goodbye_s / 2):  # until its ack is there
            self._state.obeying.release()
        still_open = {asked.id for asked in self._requests.still_open()}
        reports = self._requests.to_say(limits.max_batch)
        self._collect_acks(connection)
        told = [messages.ack(*ack) for ack in self._acks]
        told += [messages.report(r, now_s) for r in reports if r.request_id not in still_open]
        told.append(messages.goodbye())
        for batch in _batches(told, limits.max_batch, limits.max_batch_chars):
            path, left_s = f"{connection.path}/messages", end_s - monotonic()
            if left_s <= 0 or self._ask("POST", path, {"messages": batch}, left_s) is None:
                break
        self._state.end(connection)

    # --- news ---------------------------------------------------------------------------------

    def _say_news(self, connection: Connection, *, has_beat: bool) -> bool:
        """Say what is new, in batches; False when the connection is over."""
        self._collect_acks(connection)
        limits, now_s = self._state.limits, monotonic()
        reports = self._requests.to_say(limits.max_batch)
        told = [messages.ack(*ack) for ack in self._acks]
        told += [messages.report(report, now_s) for report in reports]
        if has_beat:
            told.append(messages.heartbeat())
        received: set[str] = set()
        is_over = False
        for batch in _batches(told, limits.max_batch, limits.max_batch_chars):
            taken = self._post(connection, batch)
            if taken is None:
                is_over = True
                break
            received |= taken
        self._acks = [ack for ack in self._acks if ack.id not in received]
        self._requests.said(report for report in reports if report.id in received)
        # What was not taken, because the service has no room, is said with the next heartbeat.
        if not is_over and len(reports) >= limits.max_batch and len(received) == len(told):
            self._state.news.set()  # there is more
        return not is_over and not connection.is_over

    def _collect_acks(self, connection: Connection) -> None:
        while connection.acks:
            self._acks.append(connection.acks.popleft())
        del self._acks[:-MAX_ACKS]

    def _post(self, connection: Connection, batch: list[Message]) -> set[str] | None:
        """Return the ids of what was taken, or never will be; None when the connection is over."""
        reply = self._ask("POST", f"{connection.path}/messages", {"messages": batch})
        if reply is None:
            return None
        if reply.status in _REFUSED:
            return self._post_apart(connection, batch, reply)
        if reply.status == 404 or not self._is_fine(reply):
            return None
        received = reply.fields().get("received")
        sent = {message["id"] for message in batch}
        listed = received if isinstance(received, list) else []
        return sent.intersection(one for one in listed if isinstance(one, str))

    def _post_apart(
        self, connection: Connection, batch: list[Message], reply: Reply
    ) -> set[str] | None:
        """Find what is refused by halves, so that it takes nothing else with it."""
        if len(batch) == 1:
            self._give_up(batch[0], reply)
            return {batch[0]["id"]}
        middle = len(batch) // 2
        first = self._post(connection, batch[:middle])
        second = None if first is None else self._post(connection, batch[middle:])
        return None if first is None or second is None else first | second

    def _give_up(self, message: Message, reply: Reply) -> None:
        """Say that a message will never be taken; what it asks has its default to end by."""
        code = str(reply.fields().get("code") or reply.status)[:100]
        _logger.warning("The inspector refuses a %s: %s.", message["type"], code)

    # --- asking -------------------------------------------------------------------------------

    def _ask(
        self, method: str, path: str, body: Message, timeout_s: float | None = None
    ) -> Reply | None:
        link, state = self.link, self._state
        assert link is not None
        try:
            reply = link.request(method, path, body, timeout_s or state.limits.timeout_s)
        except AwayError as error:
            _logger.debug("The inspector at %s is away: %s", link.address.name, error)
            if type(error.__cause__).__name__ == "SSLCertVerificationError":  # `ssl` may be missing
                text = f"The certificate of {link.address.name} is not trusted: {error.__cause__}"
                state.say_once(logging.WARNING, "certificate", text)
            return None
        if reply.status < 300:
            state.hear()
        return reply

    def _is_fine(self, reply: Reply) -> bool:
        """Return whether it was taken; say once what only a person can put right."""
        if 200 <= reply.status < 300:
            return True
        name = self.link.address.name if self.link is not None else ""
        if reply.status in (401, 403):
            self._state.say_once(
                logging.WARNING,
                "token",
                f"The inspector at {name} does not accept the token ({reply.status}): nobody can "
                "answer or stop this agent from there. Set INSPECTOR_TOKEN to what "
                "`inspector token` prints.",
            )
        elif reply.status in _NO_SUCH_ROUTE:
            text = f"{name} takes no control: it is no inspector, or an old one."
            self._state.say_once(logging.INFO, "route", text)
            self._state.closing.wait(self._state.limits.unknown_retry_s)
        elif 300 <= reply.status < 400:
            self._state.say_once(
                logging.WARNING,
                "redirect",
                f"The inspector at {name} sends us elsewhere ({reply.status}), which is not "
                "followed: the token is for that address only. Set INSPECTOR_URL.",
            )
        return False

    def _check_away(self) -> None:
        away_s = self._state.away_s()
        if away_s >= self._state.limits.held_for * self._state.lost_after_s:
            self._gate.let_all_go(f"the inspector has been away for {away_s:.0f} s")


def _batches(told: list[Message], longest: int, max_chars: int) -> Iterable[list[Message]]:
    """Yield what fits into one request, in order; what is too long for that goes alone."""
    batch: list[Message] = []
    chars = 0
    for message in told:
        size = _chars(message)
        if batch and (len(batch) >= longest or chars + size > max_chars):
            yield batch
            batch, chars = [], 0
        batch.append(message)
        chars += size
    if batch:
        yield batch


def _chars(message: Message) -> int:
    texts = (*message.values(), *(message.get("request") or {}).values())
    return sum(len(text) for text in texts if isinstance(text, str))
