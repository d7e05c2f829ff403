"""Patch points as data, and the code that applies and removes them.

Patched objects are put back one by one. A patch that somebody has wrapped in the meantime stays
where it is, and calls the original.
"""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from functools import partial, wraps
from inspect import iscoroutinefunction
from itertools import groupby
from operator import attrgetter
from typing import Any, NamedTuple, TypeAlias

from inspector.agent_side.on_import import after_import
from inspector.integrations.patches import MISSING, own_attribute, put_back
from instrument import Bus

_logger = logging.getLogger("inspector")

Function: TypeAlias = Callable[..., Any]
MARK = "__inspector_patch__"
"""The attribute by which a replacement of ours is itself."""


class PatchContext:
    """The input of every patch: the bus, and whether it has hooks."""

    def __init__(self, bus: Bus) -> None:
        self.bus = bus
        self.is_on = True

    @property
    def has_hooks(self) -> bool:
        """Whether the bus has hooks."""
        return self.is_on and bool(self.bus._hooks)


class Point(NamedTuple):
    """One patched function."""

    module: str
    owner: str | None
    """The class in it; None: a function of the module itself."""
    names: tuple[str, ...]
    wrap: Callable[[PatchContext, Function], Function]
    """Makes the replacement of the original, which runs while the bus has hooks."""
    hooks: tuple[str, ...]
    """The hooks that it emits."""
    is_family: bool = False
    """Whether overrides in subclasses are patched too, also in later ones."""
    is_optional: bool = False
    """Whether it may be missing without a log line."""
    needs_hooks: bool = True
    """Whether the original runs while the bus has no hooks."""


class PointPatches:
    """Points that are applied as their modules are imported, until `restore`."""

    def __init__(self, bus: Bus, points: Iterable[Point]) -> None:
        self._context = PatchContext(bus)
        self._points = sorted(points, key=attrgetter("module"))
        self._undo = ExitStack()

    def apply(self) -> None:
        """Patch imported modules now, and the others once they are imported."""
        for module, points in groupby(self._points, key=attrgetter("module")):
            self._undo.callback(after_import(module, partial(self._patch, tuple(points))))

    def restore(self) -> None:
        """Put everything back. Idempotent."""
        self._context.is_on = False
        self._undo.close()

    def _patch(self, points: tuple[Point, ...]) -> None:
        for point in points:
            module = sys.modules[point.module]
            owner: Any = module if point.owner is None else getattr(module, point.owner, None)
            missing = [name for name in point.names if getattr(owner, name, None) is None]
            if missing and not point.is_optional:
                _logger.warning(
                    "This version of mcp-agent has no %s in %s: %s is not reported from there.",
                    ", ".join(missing),
                    ".".join(filter(None, (point.module, point.owner))),
                    ", ".join(point.hooks),
                )
            if owner is None:
                continue
            self._replace(point, owner, is_own_only=False)
            if point.is_family:
                for heir in _heirs(owner):
                    self._replace(point, heir, is_own_only=True)
                self._follow(point, owner)

    def _replace(self, point: Point, owner: Any, *, is_own_only: bool) -> None:
        for name in point.names:
            before = own_attribute(owner, name)
            found = getattr(owner, name, None)
            if found is None or (is_own_only and before is MISSING):
                continue
            if _is_ours(found) or getattr(found, "__isabstractmethod__", False):
                continue
            original = found if before is not MISSING else _inherited(owner, name)
            patched = point.wrap(self._context, original)
            self._put(owner, name, before, self._switching(point, found, original, patched))

    def _follow(self, point: Point, base: Any) -> None:
        """Patch subclasses as they are defined."""
        before = own_attribute(base, "__init_subclass__")
        context, replace = self._context, self._replace

        def __init_subclass__(cls: Any, /, **kwargs: Any) -> None:  # noqa: N807
            if before is MISSING:
                super(base, cls).__init_subclass__(**kwargs)
            else:
                before.__func__(cls, **kwargs)
            if context.is_on:
                replace(point, cls, is_own_only=True)

        self._put(base, "__init_subclass__", before, classmethod(__init_subclass__))

    def _switching(
        self, point: Point, found: Function, original: Function, patched: Function
    ) -> Function:
        """Return `patched` while it is wanted, else `original`, with the signature of `found`."""
        context = self._context

        def chosen() -> Function:
            is_wanted = context.has_hooks if point.needs_hooks else context.is_on
            return patched if is_wanted else original

        if iscoroutinefunction(found):

            @wraps(found)
            async def switch(*args: Any, **kwargs: Any) -> Any:
                return await chosen()(*args, **kwargs)

        else:

            @wraps(found)
            def switch(*args: Any, **kwargs: Any) -> Any:
                return chosen()(*args, **kwargs)

        setattr(switch, MARK, switch)
        return switch

    def _put(self, owner: Any, name: str, before: Any, ours: Any) -> None:
        setattr(owner, name, ours)
        self._undo.callback(put_back, owner, name, before, ours)


def _is_ours(function: Function) -> bool:
    return getattr(function, MARK, None) is function  # a wrapper of it may have copied the mark


def _inherited(owner: Any, name: str) -> Function:
    """Return a function that looks up an inherited method when called, maybe patched by then."""

    def call(self: Any, *args: Any, **kwargs: Any) -> Any:
        return getattr(super(owner, self), name)(*args, **kwargs)

    return call


def _heirs(base: type) -> Iterator[type]:
    heirs: list[type] = base.__subclasses__()
    for heir in heirs:
        yield heir
        yield from _heirs(heir)
