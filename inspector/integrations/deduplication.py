"""De-duplication of calls that two layers see: only the outer one reports them.

An agent's tool that an MCP client carries out is one tool call; the client tells its messages
only. A layer asks `is_reported` before it opens an operation. What an operation of the bus encloses
is known; a layer whose operations are in contexts of their own enters `reporting` as well.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from instrument import Bus
from instrument import default as shared
from instrument.operations import is_current

TOOL_CALL = "tool_call"

_reporting: ContextVar[str | None] = ContextVar("inspector.integrations.reporting", default=None)


def is_reported(tool_name: str, bus: Bus | None = None) -> bool:
    """Return whether an outer layer already reports this tool call."""
    return _reporting.get() == tool_name or is_current(bus or shared.bus, TOOL_CALL, tool_name)


@contextmanager
def reporting(tool_name: str) -> Iterator[None]:
    """Mark the block as reported: it runs inside a call of `tool_name`."""
    before = _reporting.get()
    _reporting.set(tool_name)
    try:
        yield
    finally:
        if _reporting.get() == tool_name:  # a generator may be closed by another task
            _reporting.set(before)
