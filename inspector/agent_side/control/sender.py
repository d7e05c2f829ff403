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
"""Limit of unconfirmed acks. The oldest go first: their commands come again."""
_NO_SUCH_ROUTE = frozenset({404, 405, 501})
_OF_A_READER = 421
_REFUSED = frozenset({400, 413, 422})
"""Statuses of a batch with a message that will never be accepted."""

Message = dict[str, Any]


class ReportSender:
    """The sender of reports over one connection at a time."""

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
                is_well = self._send()
            except Exception:  # noqa: BLE001 - the thread must go on
                text = "The control channel failed; it restarts."
                state.log_once(logging.WARNING, "channel", text, has_trace=True)
                state.end(state.connection)
                is_well = False
            away_s = state.away_s()
            if away_s >= state.limits.max_hold_intervals * state.lost_after_s:
                self._gate.release_all(
                    f"the Inspector service has been unreachable for {away_s:.0f} s"
                )
            if is_well:
                self._failures = 0
                state.news.wait(max(self._next_beat_s - monotonic(), 0.0))
            else:
                self._failures = min(self._failures + 1, 16)
                state.closing.wait(state.pause_s(self._failures - 1))
        self._send_goodbye()

    def _send(self) -> bool:
        """Send all news; return whether the service accepted them."""
        connection = self._state.connection
        if connection is None:
            connection = self._send_hello()
            if connection is None:
                return False
        has_beat = monotonic() >= self._next_beat_s
        if has_beat:
            self._next_beat_s = monotonic() + connection.welcome.heartbeat_s
            self._gate.refresh()
        if self._send_news(connection, has_beat=has_beat):
            return True
        self._state.end(connection)
        return False

    # --- hello and goodbye --------------------------------------------------------------------

    def _send_hello(self) -> Connection | None:
        address = self._find()
        if address is None:
            return None
        process, self.link = self._process(), HttpConnection(address)
        path = f"/processes/{quote(process.id, safe='')}"
        hello = messages.hello(process.service, os.getpid(), socket.gethostname())
        reply = self._request("PUT", path, hello)
        if reply is None or not self._is_fine(reply):
            return None
        connection = Connection(self.link, path, read_welcome(reply.fields(), self._state.limits))
        self._acks, self._next_beat_s = [], 0.0
        self._requests.report_again()
        self._state.begin(connection)
        return connection

    def _send_goodbye(self) -> None:
        """Send the last acks, the closed requests and a goodbye, if the service was there.

        The last act of an agent is often a command: a cancel ends the program.
        """
        connection, limits = self._state.connection, self._state.limits
        if connection is None or connection.is_over:
            return
        now_s = monotonic()
        end_s = now_s + limits.goodbye_s
        if self._state.executing.acquire(timeout=limits.goodbye_s / 2):  # until its ack is there
            self._state.executing.release()
        pending = {request.id for request in self._requests.pending()}
        reports = self._requests.unconfirmed(limits.max_batch)
        self._collect_acks(connection)
        outbox = [messages.ack(*ack) for ack in self._acks]
        outbox += [messages.report(r, now_s) for r in reports if r.request_id not in pending]
        outbox.append(messages.goodbye())
        for batch in _batches(outbox, limits.max_batch, limits.max_batch_chars):
            path, left_s = f"{connection.path}/messages", end_s - monotonic()
            if left_s <= 0 or self._request("POST", path, {"messages": batch}, left_s) is None:
                break
        self._state.end(connection)

    # --- news ---------------------------------------------------------------------------------

    def _send_news(self, connection: Connection, *, has_beat: bool) -> bool:
        """Send the news in batches; return False if the connection is over."""
        self._collect_acks(connection)
        limits, now_s = self._state.limits, monotonic()
        reports = self._requests.unconfirmed(limits.max_batch)
        outbox = [messages.ack(*ack) for ack in self._acks]
        outbox += [messages.report(report, now_s) for report in reports]
        if has_beat:
            outbox.append(messages.heartbeat())
        received: set[str] = set()
        is_over = False
        for batch in _batches(outbox, limits.max_batch, limits.max_batch_chars):
            accepted = self._post(connection, batch)
            if accepted is None:
                is_over = True
                break
            received |= accepted
        self._acks = [ack for ack in self._acks if ack.id not in received]
        self._requests.confirm(report for report in reports if report.id in received)
        # Messages for which the service has no room go with the next heartbeat.
        if not is_over and len(reports) >= limits.max_batch and len(received) == len(outbox):
            self._state.news.set()  # there is more
        return not is_over and not connection.is_over

    def _collect_acks(self, connection: Connection) -> None:
        while connection.acks:
            self._acks.append(connection.acks.popleft())
        del self._acks[:-MAX_ACKS]

    def _post(self, connection: Connection, batch: list[Message]) -> set[str] | None:
        """Return the ids that need no other try; None if the connection is over."""
        reply = self._request("POST", f"{connection.path}/messages", {"messages": batch})
        if reply is None:
            return None
        if reply.status in _REFUSED:
            return self._post_halves(connection, batch, reply)
        if reply.status == 404 or not self._is_fine(reply):
            return None
        received = reply.fields().get("received")
        sent = {message["id"] for message in batch}
        listed = received if isinstance(received, list) else []
        return sent.intersection(one for one in listed if isinstance(one, str))

    def _post_halves(
        self, connection: Connection, batch: list[Message], reply: Reply
    ) -> set[str] | None:
        """Find the refused message by halving the batch, so that the others arrive."""
        if len(batch) == 1:
            # It will never be accepted; a request then ends by its default.
            code = str(reply.fields().get("code") or reply.status)[:100]
            _logger.warning("The Inspector service rejected a %s: %s.", batch[0]["type"], code)
            return {batch[0]["id"]}
        middle = len(batch) // 2
        first = self._post(connection, batch[:middle])
        second = None if first is None else self._post(connection, batch[middle:])
        return None if first is None or second is None else first | second

    # --- HTTP ---------------------------------------------------------------------------------

    def _request(
        self, method: str, path: str, body: Message, timeout_s: float | None = None
    ) -> Reply | None:
        link, state = self.link, self._state
        assert link is not None
        try:
            reply = link.request(method, path, body, timeout_s or state.limits.timeout_s)
        except AwayError as error:
            _logger.debug("Cannot reach the Inspector service at %s: %s", link.address.name, error)
            if type(error.__cause__).__name__ == "SSLCertVerificationError":  # `ssl` may be missing
                text = f"Cannot verify the certificate of {link.address.name}: {error.__cause__}"
                state.log_once(logging.WARNING, "certificate", text)
            return None
        if reply.status < 300:
            state.mark_alive()
        return reply

    def _is_fine(self, reply: Reply) -> bool:
        """Return whether the reply is a success; log once what only a person can fix."""
        if 200 <= reply.status < 300:
            return True
        name = self.link.address.name if self.link is not None else ""
        if reply.status in (401, 403):
            self._state.log_once(
                logging.WARNING,
                "token",
                f"The Inspector service at {name} rejected the token ({reply.status}): this agent "
                "cannot be controlled from there. Set INSPECTOR_TOKEN to the output of "
                "`inspector token`.",
            )
        elif reply.status in _NO_SUCH_ROUTE:
            text = f"{name} does not support control: not an Inspector service, or an old version."
            self._state.log_once(logging.INFO, "route", text)
            self._state.closing.wait(self._state.limits.unknown_retry_s)
        elif reply.status == _OF_A_READER:
            self._state.log_once(
                logging.WARNING,
                "reader",
                f"{name} is a reader, which takes nothing from agents. Set INSPECTOR_URL to the "
                "service that this agent belongs to.",
            )
            self._state.closing.wait(self._state.limits.unknown_retry_s)
        elif 300 <= reply.status < 400:
            self._state.log_once(
                logging.WARNING,
                "redirect",
                f"The Inspector service at {name} redirects ({reply.status}); redirects are not "
                "followed, to protect the token. Set INSPECTOR_URL to the final address.",
            )
        return False


def _batches(outbox: list[Message], longest: int, max_chars: int) -> Iterable[list[Message]]:
    """Yield batches that fit into one request, in order; a message that is too long goes alone."""
    batch: list[Message] = []
    chars = 0
    for message in outbox:
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
