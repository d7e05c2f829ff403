"""`HookHost`, the base class of agents with hooks."""

from __future__ import annotations

from abc import ABCMeta
from collections.abc import Callable, Iterable
from typing import Any, ClassVar

from instrument.bus import Bus
from instrument.typed.registry import HookProvider, HookRegistry


class HostMeta(ABCMeta):
    """The metaclass that takes `hooks=` on construction and acts once `__init__` has returned."""

    def __call__(
        cls,
        *args: Any,
        hooks: Iterable[HookProvider | Callable[..., Any]] | None = None,
        **kwargs: Any,
    ) -> Any:
        """Make an instance; `hooks` is not passed on.

        Raises:
            TypeError: `hooks` is no list, or holds what is no provider and no function.
        """
        if hooks is not None and not isinstance(hooks, Iterable):
            raise TypeError(
                f"Cannot make a {cls.__name__} with hooks={hooks!r}: give a list of providers and "
                "call-backs."
            )
        host: Any = super().__call__(*args, **kwargs)
        for provider in hooks or ():
            host.hooks.add_hook(provider)
        host.hooks.bus.dispatch_sync("agent_initialized", agent=host)
        return host


class HookHost(metaclass=HostMeta):
    """Gives any class `hooks=[…]` on construction and `.hooks` from then on.

    `AgentInitializedEvent` comes when `__init__` has ended. The other events come from
    the operations that the agent emits; where several agents live in one process, pass
    `agent=self` to each, so that every agent's call-backs get its own events.

    Attributes:
        hook_bus: The bus of all instances; None: the one that everybody shares.
        hooks: The call-backs of this agent.
    """

    hook_bus: ClassVar[Bus | None] = None
    hooks: HookRegistry

    def __new__(cls, *_: Any, **__: Any) -> Any:
        """Make an instance with a registry, whatever its `__init__` takes."""
        host = super().__new__(cls)
        host.hooks = HookRegistry(cls.hook_bus, agent=host)
        return host
