"""Public names of Inspector: the agent's side and the mounted service.

`attach` watches this process; `tool`, `agent`, `workflow` and `step` make operations of functions,
`span` of a block, and `session` says to what they belong. `capture_state` and `dump_state_to_span`
record the state of the process, `context` holds the session, `elicit` answers MCP servers and
`on_signal` receives signals from people. `mount` puts the service into a web app. Each is imported
on first use, so that an agent never loads the web framework.
"""

from __future__ import annotations

import os
import sys
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from inspector import context
    from inspector.agent_side.control.elicitation import elicit
    from inspector.agent_side.control.signals import on_signal
    from inspector.attach import attach
    from inspector.own_code.operations import agent, span, step, tool, workflow
    from inspector.own_code.session import session
    from instrument import HookDenied
    from subscribers import capture_state, dump_state_to_span

__all__ = [
    "HookDenied",
    "agent",
    "attach",
    "capture_state",
    "context",
    "dump_state_to_span",
    "elicit",
    "mount",
    "on_signal",
    "session",
    "span",
    "step",
    "tool",
    "workflow",
]

_FUNCTIONS = frozenset({"attach", "mount"})
_MODULES = {
    "HookDenied": "instrument",
    **dict.fromkeys(("agent", "span", "step", "tool", "workflow"), "inspector.own_code.operations"),
    "session": "inspector.own_code.session",
    "capture_state": "subscribers",
    "dump_state_to_span": "subscribers",
    "elicit": "inspector.agent_side.control.elicitation",
    "on_signal": "inspector.agent_side.control.signals",
}
"""Modules of the names that have no module of their own."""


class _Package(ModuleType):
    """A package in which `inspector.attach` stays the function when the module is imported."""

    def __setattr__(self, name: str, value: Any) -> None:
        if name in _FUNCTIONS and isinstance(value, ModuleType):
            value = getattr(value, name)
        super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Package


def __dir__() -> list[str]:
    return sorted({*__all__, *(name for name in globals() if name.startswith("__")), "__version__"})


def __getattr__(name: str) -> Any:
    if name == "__version__":
        return import_module("importlib.metadata").version("mcp-agent-inspector")
    if name not in __all__:
        raise AttributeError(f"module 'inspector' has no attribute {name!r}")
    module = _import_ours(_MODULES.get(name, f"inspector.{name}"))
    return getattr(module, name) if name in _FUNCTIONS | _MODULES.keys() else module


_PRIVATE = "_mcp_agent_inspector"
_HOME = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))  # noqa: PTH120 - see below


def _import_ours(name: str) -> ModuleType:
    _step_aside()
    private: Any = sys.modules.get(_PRIVATE)
    found: ModuleType = import_module(name) if private is None else private.load(name)
    return found


def _step_aside() -> None:
    """Isolate our packages where the program has packages of the same names.

    They are then loaded under a private name; see the module of that name.
    """
    if _PRIVATE in sys.modules or all(map(_is_importable, ("instrument", "subscribers"))):
        return
    private: Any = import_module(_PRIVATE)
    private.isolate()


def _is_importable(package: str) -> bool:
    module = sys.modules.get(package)
    try:
        spec = find_spec(package) if module is None else module.__spec__
    except (ImportError, ValueError):
        return False
    # Not `pathlib`: a program that only imports this package may not need it.
    return spec is not None and os.path.realpath(spec.origin or "") == os.path.join(  # noqa: PTH118
        _HOME, package, "__init__.py"
    )


_step_aside()  # the import of a submodule does not pass `__getattr__`
