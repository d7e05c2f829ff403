"""Connection state, shared by the two threads of the channel."""

from __future__ import annotations

import logging
import random
from collections import deque
from dataclasses import dataclass
from threading import Event, Lock
from time import monotonic
from typing import Any, NamedTuple

from inspector.agent_side.control.http_connection import HttpConnection
from inspector.agent_side.control.open_requests import AnswerOutcome

_logger = logging.getLogger("inspector")

_QUIET_S = 600.0
"""Interval between log lines of one kind of failure."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of retries and timeouts."""

    timeout_s: float = 10.0
    first_retry_s: float = 0.1
    last_retry_s: float = 5.0
    unknown_retry_s: float = 30.0
    """Pause after a service without these routes: it is no inspector, or an old one."""
    shortest_beat_s: float = 0.2
    longest_beat_s: float = 60.0
    silent_beats: float = 3.0
    """Longest silence of a stream, in heartbeats."""
    max_hold_intervals: float = 5.0
    """Longest hold while the service is away, in multiples of `lost_after_s`."""
    max_batch: int = 1_000
    max_batch_chars: int = 4 * 2**20
    goodbye_s: float = 0.5


class Process(NamedTuple):
    """The identity of this process in telemetry."""

    id: str
    service: str


class Welcome(NamedTuple):
    """The service's reply to hello: its heartbeat intervals."""

    heartbeat_s: float
    lost_after_s: float


class Ack(NamedTuple):
    """The acknowledgement of a command, with its result."""

    id: str
    """Id of the message."""
    seq: int
    outcome: AnswerOutcome


class Connection:
    """A connection, from one hello to the next; command numbers are valid within it."""

    def __init__(self, link: HttpConnection, path: str, welcome: Welcome) -> None:
        self.link = link
        self.path = path
        self.welcome = welcome
        self.last_seq = 0
        self.is_over = False
        self.acks: deque[Ack] = deque()
        """Acks that the receiver's thread hands to the sender's."""


class ConnectionState:
    """State shared by the two threads; made afresh in a forked child."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.news = Event()
        """Set when there is more to send."""
        self.closing = Event()
        self.executing = Lock()
        """Locked from a command to its ack."""
        self.has_connection = Event()
        self.connection: Connection | None = None
        self.stream: HttpConnection | None = None
        """The connection of the command stream."""
        self.lost_after_s = 12.0
        self._alive_s = monotonic()
        self._logged_s: dict[str, float] = {}

    def begin(self, connection: Connection) -> None:
        """Let both threads work for `connection`."""
        self.lost_after_s = connection.welcome.lost_after_s
        self.connection = connection
        self.has_connection.set()

    def end(self, connection: Connection | None) -> None:
        """End a connection; the next one begins with hello."""
        if connection is None:
            return
        connection.is_over = True
        if self.connection is connection:
            if not self.closing.is_set():
                self.has_connection.clear()
            self.connection = None
        if self.stream is not None:
            self.stream.abort()
        self.news.set()

    def close(self) -> None:
        """Wake both threads, for the last time."""
        self.closing.set()
        self.has_connection.set()
        self.news.set()
        if self.stream is not None:
            self.stream.abort()

    def mark_alive(self) -> None:
        """Record that the service is alive."""
        self._alive_s = monotonic()

    def away_s(self) -> float:
        """Return the seconds since the last sign of life."""
        return monotonic() - self._alive_s

    def pause_s(self, failures: int) -> float:
        """Return the random pause after so many failures, so that agents do not retry in step."""
        longest_s = self.limits.first_retry_s * 2.0 ** min(failures, 16)
        return min(longest_s, self.limits.last_retry_s) * random.uniform(0.6, 1.0)

    def log_once(self, level: int, kind: str, text: str, *, has_trace: bool = False) -> None:
        """Log a line, unless one of the same kind was logged in the last `_QUIET_S`."""
        now_s = monotonic()
        if now_s - self._logged_s.get(kind, -_QUIET_S) >= _QUIET_S:
            self._logged_s[kind] = now_s
            _logger.log(level, "%s", text, exc_info=has_trace)


def read_welcome(fields: dict[str, Any], limits: Limits) -> Welcome:
    """Return the service's intervals, within limits."""
    beat_s = min(_seconds(fields.get("heartbeat_s"), 5.0), limits.longest_beat_s)
    lost_s = min(_seconds(fields.get("lost_after_s"), 12.0), 10 * limits.longest_beat_s)
    return Welcome(max(beat_s, limits.shortest_beat_s), max(lost_s, limits.shortest_beat_s))


def _seconds(value: object, default: float) -> float:
    if not isinstance(value, int | float) or isinstance(value, bool) or not 0 < value < 1e9:
        return default
    return float(value)
