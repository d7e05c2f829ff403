"""The inspector: agent side and service.

`attach` watches this process, `capture_state` and `dump_state_to_span` say what it knows, `mount`
puts the service into a web app, `context` holds the session id, `elicit` answers MCP servers and
`on_signal` takes what people signal. Each is imported on first use, so that an agent never loads
the web framework.
"""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from inspector import context
    from inspector.attach import attach
    from inspector.control.elicitation import elicit
    from inspector.control.signals import on_signal
    from subscribers import capture_state, dump_state_to_span

__all__ = [
    "attach",
    "capture_state",
    "context",
    "dump_state_to_span",
    "elicit",
    "mount",
    "on_signal",
]

_FUNCTIONS = frozenset({"attach", "mount"})
_ELSEWHERE = {
    "capture_state": "subscribers",
    "dump_state_to_span": "subscribers",
    "elicit": "inspector.control.elicitation",
    "on_signal": "inspector.control.signals",
}


class _Package(ModuleType):
    """Keeps `inspector.attach` the function, where an import puts the module of that name."""

    def __setattr__(self, name: str, value: Any) -> None:
        if name in _FUNCTIONS and isinstance(value, ModuleType):
            value = getattr(value, name)
        super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Package


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module 'inspector' has no attribute {name!r}")
    if name in _ELSEWHERE:
        return getattr(import_module(_ELSEWHERE[name]), name)
    module = import_module(f"inspector.{name}")
    return getattr(module, name) if name in _FUNCTIONS else module
