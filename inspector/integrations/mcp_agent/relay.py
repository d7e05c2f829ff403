"""Relay of hooks from a framework's own bus to ours, in place of patches."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from instrument import CATALOGUE, Bus


def relay(source: Any, bus: Bus) -> Callable[[], None]:
    """Register for every hook of the contract with `source`, a bus as in seed 000 §3.

    Observation only: nothing that is decided here reaches it.

    Returns:
        What unregisters.
    """
    offs = []
    for name in CATALOGUE:
        tell = partial(bus._emit, name)
        source.register(name, tell)
        offs.append(partial(source.unregister, name, tell))

    def end() -> None:
        while offs:
            offs.pop()()

    return end
