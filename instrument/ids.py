"""Call ids: unique across processes and forks, and cheap to generate."""

from __future__ import annotations

import itertools
import os

_numbers = itertools.count(1)
_process = ""


def _renew_process() -> None:
    global _process
    _process = os.urandom(6).hex()


_renew_process()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew_process)


def next_call_id() -> str:
    """Return a new id: 12 hex digits that name this process, a dash, a count. Thread-safe."""
    return f"{_process}-{next(_numbers)}"
