"""Replaced attributes of a watched framework, and their restoration.

A framework whose internals have moved is watched without what is missing, and says so once.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from contextlib import ExitStack
from importlib import import_module
from typing import Any, TypeVar

from inspector.agent_side.adapters import find_adapter, installed_version, is_warned_of

_logger = logging.getLogger("inspector")
_MISSING: Any = object()
T = TypeVar("T")


class Patches:
    """The replaced attributes of one `attach`.

    Args:
        framework: The name of its adapter.
    """

    def __init__(self, framework: str) -> None:
        self._adapter = find_adapter(framework)
        self._undo = ExitStack()
        self._has_said = False

    def find(self, module: str, name: str) -> Any:
        """Return a module's attribute `name`; None, with a log line, if missing."""
        try:
            found = import_module(module)
            return getattr(found, name, None) or import_module(f"{module}.{name}")
        except ImportError:
            self.lacks(f"{module}.{name}")
            return None

    def put(self, owner: Any, name: str, make: Callable[[Any], Any]) -> bool:
        """Replace an attribute of a class, a module or an object by the result of `make`.

        Returns:
            Whether it is replaced. Else that is said, and nothing is changed; of None, which
            `find` may have returned, it has been.
        """
        if owner is None:
            return False
        original = getattr(owner, name, None)
        if original is None or getattr(original, "__isabstractmethod__", False):
            self.lacks(f"{_name(owner)}.{name}")
            return False
        before = _own(owner, name)
        ours = make(original)
        try:
            setattr(owner, name, ours)
        except (AttributeError, TypeError):  # written in another language
            self.lacks(f"a {_name(owner)}.{name} that can be replaced")
            return False
        self._undo.callback(_put_back, owner, name, before, ours)
        return True

    def callback(self, undo: Callable[..., object], *args: Any) -> None:
        """Register `undo` to be called before the earlier changes are undone."""
        self._undo.callback(undo, *args)

    def attempt(self, read: Callable[[], T]) -> T | None:
        """Return the result of `read`; None, with a log line, if this version lacks it.

        For all that an adapter wants to know of the framework before it tells something: the
        program goes on untold.
        """
        try:
            return read()
        except Exception as error:  # noqa: BLE001 - never into the program that is watched
            self._say(f"is not as expected ({type(error).__name__}: {error})")
            return None

    def lacks(self, what: str) -> None:
        """Log that this version has no `what`."""
        self._say(f"has no {what}")

    def _say(self, why: str) -> None:
        """Say that a part is not watched: one WARNING for all the parts."""
        level = logging.INFO if self._has_said or is_warned_of(self._adapter) else logging.WARNING
        self._has_said = True
        _logger.log(
            level,
            "%s %s %s: a part of it is not watched (tested: %s).",
            self._adapter.distribution,
            installed_version(self._adapter) or "of this version",
            why,
            self._adapter.tested,
        )

    def undo(self) -> None:
        """Restore the attributes that are still ours. Idempotent."""
        self._undo.close()


def _put_back(owner: Any, name: str, before: Any, ours: Any) -> None:
    if _own(owner, name) is not ours:
        return  # somebody has wrapped it meanwhile
    if before is _MISSING:
        delattr(owner, name)
    else:
        setattr(owner, name, before)


def _own(owner: Any, name: str) -> Any:
    """Return what `owner` itself has under `name`, as it has it: what it inherits is not its."""
    own = getattr(owner, "__dict__", None)
    return getattr(owner, name, _MISSING) if own is None else own.get(name, _MISSING)


def _name(owner: Any) -> str:
    name = getattr(owner, "__name__", None)
    return name if isinstance(name, str) else type(owner).__name__
