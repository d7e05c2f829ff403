"""The writer's housekeeping, in small steps: free space, let old sessions go, read causes."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial

from inspector.service.feed.viewing import MAX_BEHIND
from inspector.service.model.records import MAX_INT
from inspector.service.query import QueryScope, parse_query
from inspector.service.sessions.retention import MOST_SESSIONS, Retention
from inspector.service.storage.base import Store
from inspector.service.storage.health import HistoryProgress

LOOK_S = 10.0
"""Interval of the search for overdue work."""
BREAK = 3
"""The pause after a step, as a multiple of its duration: time for senders."""
BREAK_WHEN_TOO_LARGE = 1
_DEPARTURES_A_STEP = 500
_DEPARTURES_EVERY_NS = 3600 * 10**9
_DEPARTURE_AGE_NS = 24 * 3600 * 10**9
_WITHOUT_CAUSE = "errors>0 -cause_key:*"
"""Sessions that were stored before their causes were, and those that are not over."""
_SESSIONS_A_STEP = 500


class Housekeeping:
    """Overdue work of the writer's thread, one small step at each call.

    Args:
        store: The store to clean up.
        retention: The limits of stored sessions.
        delete: Deletes sessions, and publishes the deletion.
        read_outcomes: Reads what came of sessions, and publishes it.
        evict: Lets the content of sessions go, of each up to a change: the history has it.
        hot: The limits of sessions whose content is here although the history has it.
        history: Returns how far the history is; None: there is none.
    """

    def __init__(
        self,
        store: Store,
        retention: Retention,
        *,
        delete: Callable[[Sequence[str]], bool],
        read_outcomes: Callable[[Sequence[str]], bool],
        evict: Callable[[Mapping[str, int]], bool],
        hot: Retention,
        history: Callable[[], HistoryProgress] | None = None,
    ) -> None:
        self._store = store
        self._retention = retention
        self._delete = delete
        self._read_outcomes = read_outcomes
        self._evict = evict
        self._hot = hot
        self._history = history
        self._with_causes_before: tuple[int, str] | None = MAX_INT, ""
        self._is_too_large = False
        self._departures_due_ns = 0

    def step(self, now_ns: int) -> float:
        """Do the next step; return the seconds until the next call.

        Raises:
            StoreUnavailableError: The store cannot be used.
        """
        began_s = time.monotonic()
        steps: list[Callable[[], bool]] = [
            self._store.sweep,
            partial(self._expire, now_ns),
            partial(self._let_go, now_ns),
            partial(self._forget, now_ns),
            self._read_causes,
        ]
        if not any(step() for step in steps):
            return LOOK_S
        took_s = time.monotonic() - began_s
        return took_s * (BREAK_WHEN_TOO_LARGE if self._is_too_large else BREAK)

    def _expire(self, now_ns: int) -> bool:
        with self._store.read() as reader:
            used_bytes = reader.used_bytes()
            oldest = reader.oldest_settled(MOST_SESSIONS)
            overdue = self._retention.overdue(reader, oldest, now_ns)
        limits = (self._retention.max_bytes, self._hot.max_bytes)
        self._is_too_large = any(most is not None and used_bytes > most for most in limits)
        return bool(overdue) and self._delete(overdue)

    def _let_go(self, now_ns: int) -> bool:
        """Evict sessions that the history has whole."""
        if self._history is None or not (whole := self._history().whole):
            return False
        with self._store.read() as reader:
            oldest = reader.oldest_here(MOST_SESSIONS)
            changes = {one.row.id: reader.last_change(one.row.id) for one in oldest}
            copied = (one for one in oldest if whole.get(one.row.id) == changes[one.row.id])
            overdue = self._hot.overdue(reader, copied, now_ns)
        return bool(overdue) and self._evict({one: changes[one] for one in overdue})

    def _forget(self, now_ns: int) -> bool:
        """Forget departures that nobody can still follow (ADR 0003)."""
        if now_ns < self._departures_due_ns:
            return False
        with self._store.read() as reader:
            # Twice, so that a reader that is being served is not overtaken.
            through = reader.head - 2 * MAX_BEHIND
        if self._history is not None:
            through = min(through, self._history().through)
        has_more = self._store.forget_departures(
            through, now_ns - _DEPARTURE_AGE_NS, _DEPARTURES_A_STEP
        )
        if not has_more:
            self._departures_due_ns = now_ns + _DEPARTURES_EVERY_NS
        return has_more

    def _read_causes(self) -> bool:
        """Read the causes of sessions that are stored without, newest first, once."""
        if self._with_causes_before is None:
            return False
        without_cause = parse_query(_WITHOUT_CAUSE, QueryScope.SESSION, 0)
        with self._store.read() as reader:
            found = reader.newest_sessions(
                without_cause, self._with_causes_before, _SESSIONS_A_STEP
            )
        self._with_causes_before = found.next
        self._read_outcomes([one.row.id for one in found.rows if one.settled])
        return True
