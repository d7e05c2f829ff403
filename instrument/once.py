"""Run-once helpers that are safe in threads, with or without a global interpreter lock.

Built on single steps of list and dict, which are atomic on every build of CPython.
"""

from __future__ import annotations

from collections.abc import Callable


def once(undo: Callable[[], None]) -> Callable[[], None]:
    """Return a function that calls `undo` the first time, and does nothing later."""
    remaining = [undo]

    def off() -> None:
        try:
            undo = remaining.pop()
        except IndexError:
            return
        undo()

    return off


class FirstTimes:
    """A set of names that reports the first occurrence of each."""

    def __init__(self) -> None:
        self._first: dict[str, object] = {}

    def is_first(self, name: str) -> bool:
        """Return whether this is the first call with `name`."""
        mine = object()
        return self._first.setdefault(name, mine) is mine
