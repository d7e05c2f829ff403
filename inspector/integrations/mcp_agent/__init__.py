"""Adapter for mcp-agent 0.2.x, which has no hooks: patched only if the user opts in.

It is patched with `INSPECTOR_ENABLE_PATCH=1` only, and only where it has no
`mcp_agent.core.instrument`. Where it has, nothing is patched, and we register there.
What is seen and what can be decided: `docs/legacy-patching.md`.
"""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from threading import RLock

from inspector.agent_side.adapters import find_adapter, is_theirs, load_adapter
from inspector.agent_side.on_import import after_import
from inspector.integrations.mcp_agent.app import Section, get_tracer, initialize
from inspector.integrations.mcp_agent.patches import Point, PointPatches
from inspector.integrations.mcp_agent.points import POINTS
from inspector.integrations.mcp_agent.publishing import NAME, is_ours, publish, relay
from inspector.integrations.mcp_agent.waits import accept_signals
from instrument import Bus
from instrument import default as shared
from instrument.once import once
from subscribers.options import is_on

__all__ = ["POINTS", "SWITCH", "attach"]

SWITCH = "INSPECTOR_ENABLE_PATCH"
_logger = logging.getLogger("inspector")


class _Shim:
    """The patches, in place while at least one bus is attached."""

    def __init__(self, bus: Bus) -> None:
        self.bus = bus
        self.users = 0
        self.section = Section()
        self._undo = ExitStack()
        self._undo.callback(after_import("mcp_agent", self._begin))
        self.end = self._undo.close

    def _begin(self) -> None:
        try:
            has_bus = NAME in sys.modules or find_spec(NAME) is not None
        except ModuleNotFoundError:  # it has no `core`: a package of the program's own
            return
        if not is_theirs(find_adapter("mcp_agent")):
            return
        if has_bus:
            bus_of_its_own = import_module(NAME)
            if not is_ours(bus_of_its_own):
                self._undo.callback(relay(bus_of_its_own, self.bus))
            return
        settings = Point(
            "mcp_agent.app",
            "MCPApp",
            ("initialize",),
            partial(initialize, self.section),
            hooks=(),
            needs_hooks=False,
        )
        tracer = Point("mcp_agent.agents.agent", None, ("get_tracer",), get_tracer, hooks=())
        patches = PointPatches(self.bus, (settings, tracer, *POINTS))
        for undo in (self.section.close, patches.restore, publish(self.bus), accept_signals()):
            self._undo.callback(undo)
        patches.apply()
        self._undo.callback(after_import("mcp", self._attach_sdk))

    def _attach_sdk(self) -> None:
        self._undo.callback(load_adapter("mcp").attach(bus=self.bus))


_lock = RLock()
_shim: _Shim | None = None


def attach(bus: Bus | None = None) -> Callable[[], None]:
    """Watch mcp-agent as soon as the program imports it, if `INSPECTOR_ENABLE_PATCH` is on.

    Nothing of mcp-agent is imported here. Attached again, it is patched once; the last `detach`
    puts every function back.

    Args:
        bus: Default: the bus that everybody shares. One bus at a time.

    Returns:
        A function that detaches. Idempotent.
    """
    global _shim
    here = bus or shared.bus
    if NAME not in sys.modules and not is_on(SWITCH, os.environ, default=False):
        _logger.info("mcp-agent is watched only with %s=1.", SWITCH)
        return lambda: None
    problem = _problem()
    if problem is not None:
        _logger.warning("Cannot watch mcp-agent: %s", problem)
        return lambda: None
    with _lock:
        if _shim is not None and _shim.bus is not here:
            _logger.warning("mcp-agent is already watched for another bus; nothing changes.")
            return lambda: None
        if _shim is None:
            _shim = _Shim(here)
        if _shim.section.is_attaching:
            return lambda: None
        _shim.users += 1
        return once(_leave)


def _leave() -> None:
    global _shim
    with _lock:
        if _shim is not None:
            _shim.users -= 1
            if _shim.users == 0:
                _shim.end()
                _shim = None


def _problem() -> str | None:
    """Return why mcp-agent cannot work with the installed versions; None if it can."""
    try:
        own, protocol = version("mcp-agent"), version("mcp")
    except PackageNotFoundError:
        return None
    if protocol.startswith(("0.", "1.")):
        return None
    return (
        f"mcp-agent {own} needs mcp 1.x, but mcp {protocol} is installed. "
        "Run: pip install 'mcp-agent-inspector[mcp-agent,otel]'"
    )
