"""Forks and exits of the process: what starts afresh in a child, and what is called at the end.

`multiprocessing` ends a forked child by `os._exit`, which skips `atexit`, and calls finalizers of
its own before. It is never imported for us.
"""

from __future__ import annotations

import atexit
import os
import sys
from collections.abc import Callable
from typing import Any
from weakref import WeakMethod

_PROCESS = "multiprocessing.process"
_LAST = -1_000
"""Priority of the finalizer: after those of queues and pools."""


def when_forked(renew: Callable[[], None]) -> None:
    """Call a bound method in each child that is forked from now on, while its object lives."""
    if hasattr(os, "register_at_fork"):
        method = WeakMethod(renew)

        def renew_in_child() -> None:
            if (alive := method()) is not None:
                alive()

        os.register_at_fork(after_in_child=renew_in_child)


def at_exit(function: Callable[[], None]) -> None:
    """Call `function` at the exit, before what is registered already; a child calls it, too."""
    _functions.append(function)
    atexit.register(function)
    _finish_with_multiprocessing()


def not_at_exit(function: Callable[[], None]) -> None:
    """Undo `at_exit`."""
    atexit.unregister(function)
    if function in _functions:
        _functions.remove(function)


def is_pool_worker() -> bool:
    """Return whether this process is a worker of a `multiprocessing.Pool`.

    Its parent kills it once the results are there, instead of waiting for its end.
    """
    if multiprocessing_parent() is None or "multiprocessing.pool" not in sys.modules:
        return False
    return "PoolWorker-" in sys.modules[_PROCESS].current_process().name


def multiprocessing_parent() -> int | None:
    """Return the id of the process of which this one is a child by `multiprocessing`, if any."""
    parent = getattr(sys.modules.get(_PROCESS), "parent_process", lambda: None)()
    return None if parent is None else parent.pid


class _Exit:
    """The end of this process, as `multiprocessing` sees it."""

    def run(self) -> None:
        while _functions:
            _functions.pop()()


def _add_finalizer(end: _Exit) -> None:
    sys.modules["multiprocessing.util"].Finalize(None, end.run, exitpriority=_LAST)


def _finish_with_multiprocessing() -> None:
    global _is_registered
    util: Any = sys.modules.get("multiprocessing.util")
    if not hasattr(util, "Finalize"):
        return
    if not _is_registered:  # a new child drops the finalizers that there are, and calls this then
        util.register_after_fork(_exit, _add_finalizer)
        _is_registered = True
    if multiprocessing_parent() is not None and len(_functions) == 1:
        _add_finalizer(_exit)


_functions: list[Callable[[], None]] = []
_is_registered = False
_exit = _Exit()

if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_finish_with_multiprocessing)
