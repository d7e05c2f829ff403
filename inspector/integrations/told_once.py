"""One call that two layers see is told once: by the outer one, which knows more about it.

An agent's tool that an MCP client carries out is one tool call; the client tells its messages
only. A layer asks `is_told` before it opens an operation, and says `telling` while it has one open.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_telling: ContextVar[tuple[tuple[str, str], ...]] = ContextVar(
    "inspector.integrations.telling", default=()
)


def is_told(noun: str, name: str) -> bool:
    """Return whether the innermost operation that somebody is telling here is this one."""
    told = _telling.get()
    return bool(told) and told[-1] == (noun, name)


@contextmanager
def telling(noun: str, name: str) -> Iterator[None]:
    """Say that what runs in the block is being told as `noun`, for instance a call of `name`."""
    before = _telling.get()
    mine = (*before, (noun, name))
    _telling.set(mine)
    try:
        yield
    finally:
        if _telling.get() is mine:  # a generator may be closed by another task
            _telling.set(before)
