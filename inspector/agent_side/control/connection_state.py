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
"""How long what was said is not said again: what fails fails again and again."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of retries and timeouts."""

    timeout_s: float = 10.0
    first_retry_s: float = 0.1
    last_retry_s: float = 5.0
    unknown_retry_s: float = 30.0
    """How long one is left alone that has no such routes: it is no inspector, or an old one."""
    shortest_beat_s: float = 0.2
    longest_beat_s: float = 60.0
    silent_beats: float = 3.0
    """How many heartbeats a stream may be silent."""
    held_for: float = 5.0
    """How many times `lost_after_s` a session stays held while the service is away."""
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
    """Of the message."""
    seq: int
    taken: AnswerOutcome


class Connection:
    """A connection, from one hello to the next; command numbers are valid within it."""

    def __init__(self, link: HttpConnection, path: str, welcome: Welcome) -> None:
        self.link = link
        self.path = path
        self.welcome = welcome
        self.last_seq = 0
        self.is_over = False
        self.acks: deque[Ack] = deque()
        """From the one thread to the other."""


class ConnectionState:
    """State shared by the two threads; made afresh in a forked child."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.news = Event()
        """There is more to say."""
        self.closing = Event()
        self.obeying = Lock()
        """Held from a command to its ack."""
        self.has_connection = Event()
        self.connection: Connection | None = None
        self.stream: HttpConnection | None = None
        """That commands come by."""
        self.lost_after_s = 12.0
        self._heard_s = monotonic()
        self._said_s: dict[str, float] = {}

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

    def hear(self) -> None:
        """Record that the service is alive."""
        self._heard_s = monotonic()

    def away_s(self) -> float:
        """Return the seconds since the service was last heard from."""
        return monotonic() - self._heard_s

    def pause_s(self, failures: int) -> float:
        """Return how long to wait after so many failures; not the same for all agents."""
        longest_s = self.limits.first_retry_s * 2.0 ** min(failures, 16)
        return min(longest_s, self.limits.last_retry_s) * random.uniform(0.6, 1.0)

    def say_once(self, level: int, kind: str, text: str, *, has_trace: bool = False) -> None:
        """Log one line about a kind of trouble, and then none of that kind for a while."""
        now_s = monotonic()
        if now_s - self._said_s.get(kind, -_QUIET_S) >= _QUIET_S:
            self._said_s[kind] = now_s
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
