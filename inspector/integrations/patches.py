"""Replaced attributes of a watched framework, and their restoration.

A framework whose internals have moved is watched without what is missing, and says so once.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from contextlib import ExitStack
from importlib import import_module
from importlib.util import find_spec
from typing import Any, TypeVar

from inspector.agent_side.adapters import Adapter, find_adapter, installed_version, is_warned_of
from instrument import Bus

_logger = logging.getLogger("inspector")
MISSING: Any = object()
T = TypeVar("T")

_claimed: set[tuple[Adapter, Bus]] = set()
"""Frameworks that are watched as a whole: attached twice, everything would be reported twice."""


class Patches:
    """The replaced attributes of one `attach`.

    Args:
        framework: The name of its adapter.
    """

    def __init__(self, framework: str) -> None:
        self._adapter = find_adapter(framework)
        self._undo = ExitStack()
        self._has_warned = False

    def claim(self, bus: Bus) -> bool:
        """Claim the whole framework for `bus` until `undo`; False if that is done already."""
        claim = (self._adapter, bus)
        if claim in _claimed:
            return False
        _claimed.add(claim)
        self._undo.callback(_claimed.discard, claim)
        return True

    def find(self, module: str, name: str) -> Any:
        """Return a module's attribute `name`; None, with a log line, if missing."""
        try:
            found = import_module(module)
            return getattr(found, name, None) or import_module(f"{module}.{name}")
        except ImportError:
            self.lacks(f"{module}.{name}")
            return None

    def put(self, owner: Any, name: str, make: Callable[[Any], Any]) -> None:
        """Replace an attribute of a class, a module or an object by the result of `make`.

        One that cannot be replaced is logged; an owner of None was by `find`.
        """
        if owner is None:
            return
        original = getattr(owner, name, None)
        if original is None or getattr(original, "__isabstractmethod__", False):
            self.lacks(f"{_name(owner)}.{name}")
            return
        before = own_attribute(owner, name)
        ours = make(original)
        try:
            setattr(owner, name, ours)
        except (AttributeError, TypeError):  # written in another language
            self.lacks(f"a {_name(owner)}.{name} that can be replaced")
        else:
            self._undo.callback(put_back, owner, name, before, ours)

    def callback(self, undo: Callable[..., object], *args: Any) -> None:
        """Register `undo` to be called before the earlier changes are undone."""
        self._undo.callback(undo, *args)

    def attempt(self, read: Callable[[], T]) -> T | None:
        """Return the result of `read`; None, with a log line, if this version lacks it.

        For everything that an adapter reads of the framework before it reports: where that fails,
        the program goes on unwatched.
        """
        try:
            return read()
        except Exception as error:  # noqa: BLE001 - never into the program that is watched
            self._warn(f"is not as expected ({type(error).__name__}: {error})")
            return None

    def expect(self, module: str) -> None:
        """Log that a module, which is not imported for this, is elsewhere in this version."""
        try:
            is_there = find_spec(module) is not None
        except (ImportError, ValueError):
            is_there = False
        if not is_there:
            self.lacks(module)

    def lacks(self, what: str) -> None:
        """Log that this version has no `what`."""
        self._warn(f"has no {what}")

    def _warn(self, why: str) -> None:
        """Log that a part is not watched: one WARNING for all the parts."""
        level = logging.INFO if self._has_warned or is_warned_of(self._adapter) else logging.WARNING
        self._has_warned = True
        _logger.log(
            level,
            "%s %s %s: some calls are not watched (tested: %s).",
            self._adapter.distribution,
            installed_version(self._adapter) or "of this version",
            why,
            self._adapter.tested,
        )

    def undo(self) -> None:
        """Restore the attributes that are still ours. Idempotent."""
        self._undo.close()


def put_back(owner: Any, name: str, before: Any, ours: Any) -> None:
    """Restore an attribute, unless `ours` has been replaced meanwhile."""
    if own_attribute(owner, name) is not ours:
        return
    if before is MISSING:
        delattr(owner, name)
    else:
        setattr(owner, name, before)


def own_attribute(owner: Any, name: str) -> Any:
    """Return the attribute that `owner` itself has, not inherited and not bound; else `MISSING`."""
    own = getattr(owner, "__dict__", None)
    return getattr(owner, name, MISSING) if own is None else own.get(name, MISSING)


def _name(owner: Any) -> str:
    name = getattr(owner, "__name__", None)
    return name if isinstance(name, str) else type(owner).__name__
