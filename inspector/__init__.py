"""The inspector: agent side and service.

`attach` watches this process, `mount` puts the service into a web app, `context` holds the session
id. Each is imported on first use, so that an agent never loads the web framework.
"""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from inspector import context
    from inspector.attach import attach

__all__ = ["attach", "context", "mount"]

_FUNCTIONS = frozenset({"attach", "mount"})


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
    module = import_module(f"inspector.{name}")
    return getattr(module, name) if name in _FUNCTIONS else module
