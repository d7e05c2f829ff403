"""Patch points as data, and the code that applies and removes them.

What is patched is put back object by object. A patch that somebody has wrapped in the meantime
stays where it is and passes everything on unseen.
"""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable, Iterable, Iterator
from functools import partial, wraps
from inspect import iscoroutinefunction
from itertools import groupby
from operator import attrgetter
from typing import Any, NamedTuple, TypeAlias

from inspector.agent_side.on_import import after_import
from instrument import Bus

_logger = logging.getLogger("inspector")

Function: TypeAlias = Callable[..., Any]
MARK = "__inspector_patch__"
"""The attribute by which a replacement of ours is itself."""

_MISSING: Any = object()


class PatchContext:
    """The input of every patch: the bus, and whether anyone observes it."""

    def __init__(self, bus: Bus) -> None:
        self.bus = bus
        self.is_on = True

    @property
    def listens(self) -> bool:
        """True if anyone observes the bus."""
        return self.is_on and bool(self.bus._hooks)


class Point(NamedTuple):
    """One thing to be patched."""

    module: str
    owner: str | None
    """The class in it; None: a function of the module itself."""
    names: tuple[str, ...]
    tells: Callable[[PatchContext, Function], Function]
    """Makes what runs instead, while somebody listens, of the original."""
    hooks: tuple[str, ...]
    """What of it is heard."""
    is_family: bool = False
    """Whether every subclass with one of its own is patched too, also one defined later."""
    is_optional: bool = False
    """Whether it may be missing without a word."""
    needs_listener: bool = True
    """Whether the original runs while nobody listens."""


class PointPatches:
    """Points that are applied as their modules are imported, until `restore`."""

    def __init__(self, bus: Bus, points: Iterable[Point]) -> None:
        self._teller = PatchContext(bus)
        self._points = sorted(points, key=attrgetter("module"))
        self._withdraw: list[Callable[[], None]] = []
        self._replaced: list[tuple[Any, str, Any, Any]] = []

    def apply(self) -> None:
        """Patch imported modules now, and the others once they are imported."""
        for module, points in groupby(self._points, key=attrgetter("module")):
            self._withdraw.append(after_import(module, partial(self._patch, tuple(points))))

    def restore(self) -> None:
        """Put everything back. Idempotent."""
        self._teller.is_on = False
        while self._withdraw:
            self._withdraw.pop()()
        while self._replaced:
            owner, name, before, ours = self._replaced.pop()
            if vars(owner).get(name) is not ours:
                continue  # wrapped by somebody else: it passes on, since the teller is off
            if before is _MISSING:
                delattr(owner, name)
            else:
                setattr(owner, name, before)

    def _patch(self, points: tuple[Point, ...]) -> None:
        for point in points:
            module = sys.modules[point.module]
            owner: Any = module if point.owner is None else getattr(module, point.owner, None)
            missing = [name for name in point.names if getattr(owner, name, None) is None]
            if missing and not point.is_optional:
                _logger.warning(
                    "This version of mcp-agent has no %s in %s: %s will not be told from there.",
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
            before = vars(owner).get(name, _MISSING)
            found = getattr(owner, name, None)
            if found is None or (is_own_only and before is _MISSING):
                continue
            if _is_ours(found) or getattr(found, "__isabstractmethod__", False):
                continue
            original = found if before is not _MISSING else _inherited(owner, name)
            told = point.tells(self._teller, original)
            wants = self._wants(point)
            self._put(owner, name, before, _switching(wants, found, original, told))

    def _follow(self, point: Point, base: Any) -> None:
        """Patch subclasses as they are defined."""
        before = vars(base).get("__init_subclass__", _MISSING)
        teller, replace = self._teller, self._replace

        def __init_subclass__(cls: Any, /, **kwargs: Any) -> None:  # noqa: N807
            if before is _MISSING:
                super(base, cls).__init_subclass__(**kwargs)
            else:
                before.__func__(cls, **kwargs)
            if teller.is_on:
                replace(point, cls, is_own_only=True)

        self._put(base, "__init_subclass__", before, classmethod(__init_subclass__))

    def _wants(self, point: Point) -> Callable[[], bool]:
        teller = self._teller
        return (lambda: teller.listens) if point.needs_listener else (lambda: teller.is_on)

    def _put(self, owner: Any, name: str, before: Any, ours: Any) -> None:
        setattr(owner, name, ours)
        self._replaced.append((owner, name, before, ours))


def _is_ours(function: Function) -> bool:
    return getattr(function, MARK, None) is function  # a wrapper of it may have copied the mark


def _inherited(owner: Any, name: str) -> Function:
    """Return what looks up an inherited method when it is called: it may be patched meanwhile."""

    def call(self: Any, *args: Any, **kwargs: Any) -> Any:
        return getattr(super(owner, self), name)(*args, **kwargs)

    return call


def _switching(
    wants: Callable[[], bool], found: Function, original: Function, told: Function
) -> Function:
    """Return what is `told` while it is wanted, else `original`, with the looks of `found`."""
    if iscoroutinefunction(found):

        @wraps(found)
        async def switch(*args: Any, **kwargs: Any) -> Any:
            return await (told if wants() else original)(*args, **kwargs)

    else:

        @wraps(found)
        def switch(*args: Any, **kwargs: Any) -> Any:
            return (told if wants() else original)(*args, **kwargs)

    setattr(switch, MARK, switch)
    return switch


def _heirs(base: type) -> Iterator[type]:
    seen: set[type] = set()
    waiting: list[type] = list(base.__subclasses__())
    while waiting:
        heir = waiting.pop()
        if heir not in seen:
            seen.add(heir)
            waiting.extend(heir.__subclasses__())
            yield heir
