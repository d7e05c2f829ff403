"""The bus as mcp-agent knows one: ours by its name, or its own relayed to ours."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from types import ModuleType
from typing import Any

import instrument
from instrument import CATALOGUE, Bus
from instrument import default as shared

NAME = "mcp_agent.core.instrument"


def publish(bus: Bus) -> Callable[[], None]:
    """Publish the bus as `mcp_agent.core.instrument`; return a function that undoes it."""
    ours = _module_of(bus)
    core: Any = sys.modules["mcp_agent.core"]
    sys.modules[NAME] = ours
    core.instrument = ours  # what programs look for

    def withdraw() -> None:
        if sys.modules.get(NAME) is ours:
            del sys.modules[NAME]
        if getattr(core, "instrument", None) is ours:
            del core.instrument

    return withdraw


def is_ours(module: ModuleType) -> bool:
    """Return whether the module is one that `publish` provides."""
    return module is instrument or hasattr(module, "__inspector_bus__")


def relay(source: Any, bus: Bus) -> Callable[[], None]:
    """Register for every hook of the catalogue with `source`, a bus of mcp-agent's own.

    Observation only: nothing that is decided here reaches it.

    Returns:
        A function that unregisters.
    """
    emitters = {name: partial(bus._emit, name) for name in CATALOGUE}
    for name, emit in emitters.items():
        source.register(name, emit)

    def end() -> None:
        while emitters:
            source.unregister(*emitters.popitem())

    return end


def _module_of(bus: Bus) -> ModuleType:
    if bus is shared.bus:
        return instrument
    module = ModuleType(NAME, "A bus of the inspector.")
    module.__inspector_bus__ = bus  # type: ignore[attr-defined]
    for name in ("register", "unregister", "_emit", "_hooks"):
        setattr(module, name, getattr(bus, name))
    return module
