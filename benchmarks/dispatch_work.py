"""The measured work, and the callbacks shared by all cases."""

from __future__ import annotations

from typing import Any

NOTHING = "tell, nobody listens"
ONE_SYNC = "tell one plain function"
FIVE_SYNC = "tell five plain functions"
ONE_ASYNC = "tell one coroutine function"
FIVE_ASYNC = "tell five coroutine functions"
DECIDE_ONE = "ask one, who has no objection"
DECIDE_FIVE = "ask five, who have no objection"
REFUSE = "ask one, who refuses"
OPERATION = "a whole operation: opened, before, after, closed"

KWARGS = "tool_name='search', args=None, context=None"
"""Arguments of every event."""

EMIT = f"await f('before_tool_call', {KWARGS})"
SEND = f"f('before_tool_call', {KWARGS})"
CALL = f"f({KWARGS})"
CONTROL = "await f('tool:pre', {'tool_name': 'search', 'tool_input': None, 'context': None})"
AWAIT = "await f()"


async def empty() -> None:
    """Do nothing."""


async def empty_with_kwargs(name: str, /, *args: Any, **kwargs: Any) -> None:
    """Accept an event and do nothing: the floor of any `async def`."""


def sync_observer(*args: Any, **kwargs: Any) -> None:
    """Observe nothing."""


async def observer(*args: Any, **kwargs: Any) -> None:
    """Observe nothing."""


def on_event(event: Any) -> None:
    """Have no objection to an event that is an object."""


def cancel(event: Any) -> None:
    """Refuse a tool call, in the words of Strands."""
    event.cancel_tool = "no"
