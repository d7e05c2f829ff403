"""Cache of answers computed from whole sessions, valid while the sessions do not change."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Generic, TypeVar

T = TypeVar("T")

IDLE_S = 120.0


@dataclass(frozen=True, slots=True)
class _Entry(Generic[T]):
    version: Hashable
    value: T
    weight: int


class ResponseCache(Generic[T]):
    """The answers used last: for pages of one answer, and for concurrent viewers.

    Args:
        max_weight: Limit of the sum of their weights, of which none counts as less than one; a
            heavier answer is not cached.
        idle_s: The cache is emptied after so long without a request.
    """

    def __init__(self, max_weight: int, idle_s: float = IDLE_S) -> None:
        self._max_weight = max_weight
        self._idle_s = idle_s
        self._entries: OrderedDict[Hashable, _Entry[T]] = OrderedDict()
        self._lock = threading.Lock()
        self._timer: threading.Timer | None = None

    def answer(self, key: Hashable, version: Hashable, work: Callable[[], tuple[T, int]]) -> T:
        """Return the cached answer for `key`; else call `work` and cache its result.

        Args:
            key: Names the answer.
            version: Changes whenever something changes that the answer depends on.
            work: Returns the answer and its weight. Several threads may call theirs at once.
        """
        with self._lock:
            entry = self._entries.get(key)
        if entry is None or entry.version != version:
            entry = _Entry(version, *work())
        self._store(key, entry)
        return entry.value

    def last(self, key: Hashable) -> T | None:
        """Return the cached answer for `key`, of whatever version."""
        with self._lock:
            entry = self._entries.get(key)
        return None if entry is None else entry.value

    def clear(self) -> None:
        """Empty the cache."""
        with self._lock:
            self._entries.clear()
            if self._timer is not None:
                self._timer.cancel()

    def _store(self, key: Hashable, entry: _Entry[T]) -> None:
        with self._lock:
            self._entries.pop(key, None)
            if entry.weight > self._max_weight:
                return
            self._entries[key] = entry
            while sum(max(one.weight, 1) for one in self._entries.values()) > self._max_weight:
                self._entries.popitem(last=False)
            if self._timer is not None:
                self._timer.cancel()
            self._timer = threading.Timer(self._idle_s, self.clear)
            self._timer.daemon = True
            self._timer.start()
