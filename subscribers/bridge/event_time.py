"""Event time: now, or the time set explicitly for a late report."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from time import time_ns


class _ExplicitTime(threading.local):
    ns: int | None = None


_explicit = _ExplicitTime()
# Not a context variable: an operation continues in the context in which it began.


def explicit_time_ns() -> int | None:
    """Return the time set on this thread; None for now."""
    return _explicit.ns


def event_time_ns() -> int:
    """Return the time of the current event."""
    return _explicit.ns or time_ns()


@contextmanager
def at_time(ns: int) -> Iterator[None]:
    """Date events emitted in the block to `ns` of the system clock."""
    before, _explicit.ns = _explicit.ns, ns
    try:
        yield
    finally:
        _explicit.ns = before
