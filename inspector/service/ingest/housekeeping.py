"""The writer's housekeeping, in steps of a few milliseconds: free space, expire old sessions."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from inspector.service.feed.feed import MAX_BEHIND
from inspector.service.sessions.retention import Retention
from inspector.service.storage.base import Store

LOOK_S = 10.0
"""Interval of the search for overdue work."""
BREAK = 3
"""The pause after a step, as a multiple of its duration: time for senders."""
BREAK_WHEN_TOO_LARGE = 1
_DEPARTURES_A_STEP = 500
_DEPARTURES_EVERY_NS = 3600 * 10**9
_DEPARTURE_AGE_NS = 24 * 3600 * 10**9


class Housekeeping:
    """Overdue work of the writer's thread, one small step at each call.

    Args:
        store: The store to clean up.
        retention: The limits of stored sessions.
        delete: Deletes sessions, and publishes the deletion.
    """

    def __init__(
        self, store: Store, retention: Retention, delete: Callable[[Sequence[str]], bool]
    ) -> None:
        self._store = store
        self._retention = retention
        self._delete = delete
        self._is_too_large = False
        self._departures_due_ns = 0

    def step(self, now_ns: int) -> float:
        """Do the next step; return the seconds until the next call.

        Raises:
            StoreUnavailableError: The store cannot be used.
        """
        began_s = time.monotonic()
        if not (self._store.sweep() or self._expire(now_ns) or self._forget(now_ns)):
            return LOOK_S
        took_s = time.monotonic() - began_s
        return took_s * (BREAK_WHEN_TOO_LARGE if self._is_too_large else BREAK)

    def _expire(self, now_ns: int) -> bool:
        with self._store.read() as reader:
            used_bytes = reader.used_bytes()
            overdue = self._retention.overdue(reader, now_ns)
        most = self._retention.max_bytes
        self._is_too_large = most is not None and used_bytes > most
        return bool(overdue) and self._delete(overdue)

    def _forget(self, now_ns: int) -> bool:
        """Forget departures that nobody can still follow (ADR 0003)."""
        if now_ns < self._departures_due_ns:
            return False
        with self._store.read() as reader:
            # Twice, so that a reader that is being served is not overtaken.
            through = reader.head - 2 * MAX_BEHIND
        has_more = self._store.forget_departures(
            through, now_ns - _DEPARTURE_AGE_NS, _DEPARTURES_A_STEP
        )
        if not has_more:
            self._departures_due_ns = now_ns + _DEPARTURES_EVERY_NS
        return has_more
