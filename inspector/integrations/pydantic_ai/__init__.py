"""Adapter for Pydantic AI: agents, LLM calls and tools."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, Any

from inspector.integrations.patches import Patches
from instrument import Bus
from instrument import default as shared

if TYPE_CHECKING:
    from pydantic_ai.agent import AbstractAgent


def attach(*targets: AbstractAgent[Any, Any], bus: Bus | None = None) -> Callable[[], None]:
    """Watch `targets`, or every agent of this process, also those made later.

    Every way to run an agent goes through `Agent.iter`, which takes capabilities: ours is one
    more, of each run.

    Returns:
        A function that detaches and leaves everything as it was. Idempotent.
    """
    from pydantic_ai import Agent  # noqa: PLC0415 - imported here only

    from inspector.integrations.pydantic_ai.watch import RunWatch  # noqa: PLC0415 - imports it too

    here = bus or shared.bus
    patches = Patches("pydantic_ai")
    if not targets and not patches.claim(here):
        return lambda: None
    watched = [_innermost(target) for target in targets]
    is_on = True

    def wrap_iter(original: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(original)
        def iter(agent: Agent[Any, Any], *args: Any, **kwargs: Any) -> Any:
            capabilities = tuple(kwargs.get("capabilities") or ())
            is_watched = any(isinstance(one, RunWatch) and one.bus is here for one in capabilities)
            if is_on and not is_watched and (not watched or any(one is agent for one in watched)):
                ours = RunWatch(here, patches, kwargs.get("conversation_id"))
                kwargs["capabilities"] = (*capabilities, ours)
            return original(agent, *args, **kwargs)

        return iter

    def end() -> None:  # `iter` may be wrapped by somebody by then
        nonlocal is_on
        is_on = False

    patches.callback(end)
    patches.put(Agent, "iter", wrap_iter)
    return patches.undo


def _innermost(agent: Any) -> Any:
    """Return the agent that runs in the end: durable and other agents wrap one."""
    while (inner := getattr(agent, "wrapped", None)) is not None:
        agent = inner
    return agent
