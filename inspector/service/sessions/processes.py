"""Processes that are alive: added by heartbeats, removed when these stop. Pure."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

from inspector.service.model.records import is_silent
from inspector.service.sessions.state import SECOND_NS, SILENCE_NS

LOST_AFTER_NS = 12 * SECOND_NS
"""Silence after which a process that sends live records is lost."""
EXIT_GRACE_NS = 1 * SECOND_NS
"""Time for the last spans to arrive after a process exits."""


@dataclass(slots=True)
class _Process:
    heard_ns: int
    lost_after_ns: int


class Processes:
    """The processes that are alive, by `service.instance.id`."""

    def __init__(self) -> None:
        self._alive: dict[str, _Process] = {}

    def mark_alive(self, process_id: str, now_ns: int, lost_after_ns: int | None = None) -> bool:
        """Record a sign of life in live records; return whether the process is new."""
        known = self._alive.get(process_id)
        if known is None:
            default_ns = SILENCE_NS if is_silent(process_id) else LOST_AFTER_NS
            self._alive[process_id] = _Process(now_ns, lost_after_ns or default_ns)
            return True
        known.heard_ns = now_ns
        known.lost_after_ns = lost_after_ns or known.lost_after_ns
        return False

    def touch(self, process_id: str, now_ns: int) -> None:
        """Record news of `process_id`, if it is watched."""
        if process_id in self._alive:
            self._alive[process_id].heard_ns = now_ns

    def is_alive(self, process_id: str) -> bool:
        """Return whether a process gave a recent sign of life."""
        return process_id in self._alive

    def take_lost(self, now_ns: int, most: int) -> dict[str, int]:
        """Return up to `most` processes that were silent for too long, and forget them.

        Returns:
            Process → its last sign of life (Unix ns).
        """
        silent = (
            (process_id, process.heard_ns)
            for process_id, process in self._alive.items()
            if now_ns - process.heard_ns > process.lost_after_ns
        )
        lost = dict(itertools.islice(silent, most))
        for process_id in lost:
            del self._alive[process_id]
        return lost
