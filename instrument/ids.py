"""Call ids: unique across processes and forks, and cheap enough to draw for every operation."""

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


def next_number() -> int:
    """Return a number that no other operation of this process has. Any thread may ask."""
    return next(_numbers)


def call_id(number: int) -> str:
    """Spell `number` as a call id: 12 hex digits of this process, a dash, the number in hex."""
    return f"{_process}-{number:x}"
