"""Goals of the dispatch benchmark, and the reasons why others are faster."""

from __future__ import annotations

from typing import NamedTuple

from dispatch_floors import EMPTY, LOOP
from dispatch_others import MCP_AGENT
from dispatch_ours import (
    DISPATCH,
    EMIT_ASYNC,
    EMIT_SYNC,
    GUARDED,
    TYPED_INVOKE,
)
from dispatch_work import DECIDE_ONE, NOTHING, ONE_ASYNC, OPERATION

IMPORT_GOAL_MS = 5.0


class Goal(NamedTuple):
    """A limit for our time as a multiple of that of a floor or of mcp-agent's code."""

    ours: tuple[str, str]
    base: tuple[str, str]
    at_most: float


GOALS = (
    Goal((NOTHING, EMIT_ASYNC), (NOTHING, MCP_AGENT), 0.6),
    Goal((NOTHING, EMIT_ASYNC), (NOTHING, EMPTY), 2.2),
    Goal((NOTHING, GUARDED), (NOTHING, EMPTY), 0.25),
    Goal((NOTHING, GUARDED), (NOTHING, MCP_AGENT), 0.25),
    Goal((ONE_ASYNC, EMIT_ASYNC), (ONE_ASYNC, LOOP), 1.5),
    Goal((OPERATION, "operation, idle"), (NOTHING, EMPTY), 8),
    Goal((OPERATION, "operation, one observer"), (NOTHING, EMPTY), 40),
    Goal((OPERATION, "operation, one observer after"), (NOTHING, EMPTY), 40),
    Goal((DECIDE_ONE, DISPATCH), (NOTHING, EMPTY), 25),
)

_PLUGGY = (
    "pluggy calls plain functions and looks for the first value that is not None. A decision of "
    "ours is checked against the contract of its event, timed, and kept in a trail; an interceptor "
    "may be async, may raise, and knows how deep it is nested."
)
_STRANDS = (
    "Strands hands one event object to a list of functions. Each of our call-backs gets an event "
    "of its own, with copies of what it may write into, so that what it wrote is known as its own: "
    "it is compared, checked against the contract and kept in the trail."
)
REASONS: dict[tuple[str, str], str] = {
    (DISPATCH, "pluggy, firstresult"): _PLUGGY,
    ("instrument, dispatch_sync", "pluggy, firstresult"): _PLUGGY,
    (TYPED_INVOKE, "strands, invoke_callbacks_async"): _STRANDS,
    (EMIT_SYNC, "blinker, send"): (
        "a signal is an object of its own, so that no name has to be looked up."
    ),
}
"""(our case, other case) → why ours is slower."""
