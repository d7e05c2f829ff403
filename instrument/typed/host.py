"""`HookHost`, the base class of agents with hooks."""

from __future__ import annotations

from abc import ABCMeta
from collections.abc import Callable, Iterable
from typing import Any, ClassVar

from instrument.bus import Bus
from instrument.typed.registry import HookProvider, HookRegistry


class HostMeta(ABCMeta):
    """A metaclass that adds `hooks=` to the construction of instances."""

    def __call__(
        cls,
        *args: Any,
        hooks: Iterable[HookProvider | Callable[..., Any]] | None = None,
        **kwargs: Any,
    ) -> Any:
        """Make an instance; `hooks` is not passed on.

        Raises:
            TypeError: `hooks` is not a list of providers and functions.
        """
        if hooks is not None and not isinstance(hooks, Iterable):
            raise TypeError(
                f"Cannot make a {cls.__name__} with hooks={hooks!r}: give a list of providers and "
                "callbacks."
            )
        host: Any = super().__call__(*args, **kwargs)
        for provider in hooks or ():
            host.hooks.add_hook(provider)
        host.hooks.bus.dispatch_sync("agent_initialized", agent=host)
        return host


class HookHost(metaclass=HostMeta):
    """A base class that takes `hooks=[…]` on construction and has `.hooks`.

    `AgentInitializedEvent` is emitted after `__init__`. The other events come from the operations
    that the agent emits; with several agents in a process, pass `agent=self` to each operation, so
    that every agent's callbacks get its own events.

    Attributes:
        hook_bus: The bus of all instances; None: the shared one.
        hooks: The callbacks of this agent.
    """

    hook_bus: ClassVar[Bus | None] = None
    hooks: HookRegistry

    def __new__(cls, *_: Any, **__: Any) -> Any:
        """Create an instance with a registry, independent of the parameters of `__init__`."""
        host = super().__new__(cls)
        host.hooks = HookRegistry(cls.hook_bus, agent=host)
        return host
