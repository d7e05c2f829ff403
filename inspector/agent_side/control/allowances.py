"""Standing permissions of a person ("always allow"), as an interceptor."""

from __future__ import annotations

from collections import OrderedDict
from threading import Lock
from types import MethodType
from typing import Any, NamedTuple

MAX_ALLOWANCES = 1_000


class Allowance(NamedTuple):
    """An "always allow" answer: the person and the reason to record."""

    actor: str
    reason: str
    callbacks: tuple[Any, ...] = ()
    """The interceptors that asked; others of the same name are not covered."""


class Allowances:
    """Allowances by scope (a session, or a trace without one) and interceptor. Thread-safe.

    Bounded: the least recently used one goes first, and people are asked again.
    """

    def __init__(self, max_count: int = MAX_ALLOWANCES) -> None:
        self._max_count = max_count
        self.clear()

    def clear(self) -> None:
        """Remove all, as in a forked child."""
        self._lock = Lock()  # a thread of the parent may have locked the old one
        self._known: OrderedDict[tuple[str, str], Allowance] = OrderedDict()

    def add(self, scope: str, interceptor: str, allowance: Allowance) -> None:
        """Allow further requests of `interceptor` in `scope`."""
        with self._lock:
            self._known[scope, interceptor] = allowance
            self._known.move_to_end((scope, interceptor))
            if len(self._known) > self._max_count:
                self._known.popitem(last=False)

    def find(
        self, scope: str, interceptor: str, callbacks: tuple[Any, ...] = ()
    ) -> Allowance | None:
        """Return the allowance of `interceptor` in `scope`, or None."""
        with self._lock:
            found = self._known.get((scope, interceptor))
            if found is None or not _are_same(found.callbacks, callbacks):
                return None
            self._known.move_to_end((scope, interceptor))
            return found

    def forget(self, scope: str) -> None:
        """Remove the allowances of `scope`: it is over."""
        with self._lock:
            for key in [key for key in self._known if key[0] == scope]:
                del self._known[key]


def _are_same(some: tuple[Any, ...], others: tuple[Any, ...]) -> bool:
    """Return whether these are the same callbacks; `==` of a callable is not reliable."""
    return len(some) == len(others) and all(map(_is_same, some, others))


def _is_same(one: Any, other: Any) -> bool:
    if type(one) is type(other) is MethodType:
        return one.__self__ is other.__self__ and one.__func__ is other.__func__
    return one is other
