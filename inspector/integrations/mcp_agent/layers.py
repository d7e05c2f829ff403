"""De-duplication within mcp-agent, whose methods call each other and `super()`.

Within the shim only. For the adapter of the MCP SDK, see `inspector.integrations.deduplication`.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

_NOTHING = ("", "")
_telling: ContextVar[tuple[str, str]] = ContextVar("inspector.mcp_agent.telling", default=_NOTHING)


def innermost() -> tuple[str, str]:
    """Return kind and name of the innermost reported operation, empty if none."""
    return _telling.get()


def is_told(noun: str, name: str) -> bool:
    """Return whether this is the innermost reported operation."""
    return _telling.get() == (noun, name)


@contextmanager
def telling(noun: str, name: str) -> Iterator[None]:
    """Mark the block as reported by an operation of kind `noun`."""
    before, mine = _telling.get(), (noun, name)
    _telling.set(mine)
    try:
        yield
    finally:
        if _telling.get() is mine:  # it may be closed by another task
            _telling.set(before)


def identity(thing: Any) -> str:
    """Return a name for an object, for as long as it lives."""
    return f"{type(thing).__name__}#{id(thing):x}"


def is_tapped(session: Any) -> bool:
    """Return whether the SDK's adapter already reports a session's messages."""
    streams = (getattr(session, f"_{name}_stream", None) for name in ("read", "write"))
    return any(hasattr(stream, "wire") for stream in streams)
