"""Let decoding and committing take turns, as long as neither takes long.

Both are Python, of which one thread runs at a time. Threads that run at once interrupt each other a
thousand times a second, and each finds the caches of the processor full of what the other needs:
an eighth of the work. And a commit that waits for what is being decoded serves more senders.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

PATIENCE_S = 0.05
"""Limit of a wait. A body may take seconds, as one full of secrets does, and keeps nobody up."""

_T = TypeVar("_T")


class Intake:
    """What the threads that decode and the one that commits know of each other."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._takes_long = False
        self._changed = threading.Condition()
        self._coming: list[float] = []
        """When each began, by the monotonic clock."""

    def in_turn(self, act: Callable[[], _T]) -> _T:
        """Call `act` while no other thread is in here, unless that one takes long."""
        is_alone = self._lock.acquire(timeout=0 if self._takes_long else PATIENCE_S)
        if not is_alone:
            self._takes_long = True  # one has waited for it: that is enough
        try:
            return act()
        finally:
            if is_alone:
                self._takes_long = False
                self._lock.release()

    @contextmanager
    def coming(self) -> Iterator[None]:
        """Let the next commit wait for a body; the block ends when it is decoded and submitted."""
        began_s = time.monotonic()
        with self._changed:
            self._coming.append(began_s)
        try:
            yield
        finally:
            with self._changed:
                self._coming.remove(began_s)
                self._changed.notify()

    def wait(self) -> None:
        """Wait for the bodies that are coming, but not for long, nor for one that takes long."""
        long_ago_s = time.monotonic() - PATIENCE_S
        with self._changed:
            self._changed.wait_for(
                lambda: all(began_s < long_ago_s for began_s in self._coming), PATIENCE_S
            )
