"""De-duplication of calls that two layers see: only the outer one reports them.

An agent's tool that an MCP client carries out is one tool call, and a method of a framework may
call the one that it overrides. A layer checks `is_reported` before it opens an operation. The bus
knows what its open operations enclose; a layer whose operations are in contexts of their own enters
`reporting` as well.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from instrument import Bus
from instrument import default as shared
from instrument.operations import is_current

TOOL_CALL = "tool_call"
_NOTHING = ("", "")

_innermost: ContextVar[tuple[str, str]] = ContextVar(
    "inspector.integrations.reporting", default=_NOTHING
)


def innermost() -> tuple[str, str]:
    """Return noun and name of the innermost call marked as reported; empty strings if none."""
    return _innermost.get()


def is_reported(name: str, bus: Bus | None = None, noun: str = TOOL_CALL) -> bool:
    """Return whether an outer layer already reports this call, of a tool or of another `noun`."""
    is_marked = innermost() == (noun, name)
    return is_marked or is_current(bus or shared.bus, noun, name if noun == TOOL_CALL else None)


@contextmanager
def reporting(name: str, noun: str = TOOL_CALL) -> Iterator[None]:
    """Mark the block as reported: it runs inside the operation `noun` on `name`."""
    before, mine = _innermost.get(), (noun, name)
    _innermost.set(mine)
    try:
        yield
    finally:
        if _innermost.get() is mine:  # a generator may be closed by another task
            _innermost.set(before)
