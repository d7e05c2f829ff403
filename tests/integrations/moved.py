"""A framework whose internals have moved: the adapter does not find one of its attributes.

The framework itself and the program find it.
"""

from __future__ import annotations

import asyncio
import logging
import sys
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from types import ModuleType
from typing import Any, NamedTuple
from unittest.mock import patch

import pytest

from inspector.agent_side.adapters import Adapter, attach_all, find_adapter
from inspector.integrations.patches import Patches, own_attribute
from instrument import Bus

_NONE: Any = object()


class Framework(NamedTuple):
    """A framework: a run of an agent, and what its adapter reads and replaces, by `moved` names."""

    name: str
    run: Callable[[], Awaitable[list[str]]]
    replaced: frozenset[str]
    read: frozenset[str]

    @property
    def moving(self) -> list[str]:
        """All of these attributes."""
        return sorted(self.replaced | self.read)

    async def check(self, what: str, bus: Bus, caplog: pytest.LogCaptureFixture) -> None:
        """Check that the agent answers when `what` has moved, with at most one log line."""
        expected = await self.run()
        caplog.clear()
        caplog.set_level(logging.WARNING)
        with moved(what) as come_back:
            detach = attach_all((find_adapter(self.name),), bus=bus)
            is_gone = come_back()
            try:
                assert await asyncio.wait_for(self.run(), 30) == expected
            finally:
                detach()
        warnings = [record for record in caplog.records if record.name == "inspector"]
        assert len(warnings) <= 1, caplog.text
        assert "Traceback" not in caplog.text
        if what in self.replaced and is_gone:
            assert what.rpartition(":")[2] in caplog.text
            assert find_adapter(self.name).tested in caplog.text

    def check_replaced(self, bus: Bus) -> None:
        """Check that the adapter replaces exactly `replaced`, and puts the same objects back."""
        with _recording_replacements(find_adapter(self.name)) as originals:
            detach = attach_all((find_adapter(self.name),), bus=bus)
        owned = [one for one in originals if isinstance(one[0], type | ModuleType)]
        assert {_name(owner, name) for owner, name, _ in owned} == self.replaced
        assert all(own_attribute(owner, name) is not before for owner, name, before in originals)
        detach()
        detach()
        assert all(own_attribute(owner, name) is before for owner, name, before in originals)


@contextmanager
def moved(what: str) -> Iterator[Callable[[], bool]]:
    """Hide `what` from the adapter: `module:name`, or `module:Class.name`.

    A method that the adapter replaces is removed. The program needs it: the yielded function puts
    it back, still hidden from the adapter, and returns whether the class inherited no other one.
    """
    module_name, _, path = what.partition(":")
    owner: Any = import_module(module_name)
    *classes, name = path.split(".")
    for one in classes:
        owner = getattr(owner, one)
    if isinstance(owner, ModuleType):
        kind = owner.__class__
        owner.__class__ = _hiding(kind, name)
        try:
            yield lambda: True
        finally:
            owner.__class__ = kind
        return
    holder = next((one for one in owner.__mro__ if name in vars(one)), owner)
    real = vars(holder).get(name, _NONE)
    if real is not _NONE:
        delattr(holder, name)
    try:
        inherited = getattr(owner, name, None)
        is_gone = inherited is None or getattr(inherited, "__isabstractmethod__", False)

        def come_back() -> bool:
            setattr(holder, name, _Hidden(name, real))
            return is_gone

        yield come_back
    finally:
        if real is not _NONE:
            setattr(holder, name, real)
        elif name in vars(holder):
            delattr(holder, name)


def _hiding(kind: Any, hidden: str) -> Any:
    class Hiding(kind):  # type: ignore[misc]  # of any kind
        def __getattribute__(self, name: str) -> Any:
            if name == hidden and _is_read_by_adapter():
                raise AttributeError(name)
            return super().__getattribute__(name)

    return Hiding


class _Hidden:
    """An attribute of a class, hidden from the adapters only."""

    def __init__(self, name: str, real: Any) -> None:
        self._name, self._real = name, real

    def __get__(self, instance: Any, owner: Any) -> Any:
        if _is_read_by_adapter():
            raise AttributeError(self._name)
        if instance is not None and self._name in getattr(instance, "__dict__", {}):
            return instance.__dict__[self._name]
        if self._real is _NONE:
            raise AttributeError(self._name)
        bind = getattr(type(self._real), "__get__", None)
        return self._real if bind is None else bind(self._real, instance, owner)

    def __set__(self, instance: Any, value: Any) -> None:
        put = getattr(type(self._real), "__set__", None)
        if put is None:
            instance.__dict__[self._name] = value
        else:
            put(self._real, instance, value)


def _is_read_by_adapter() -> bool:
    frame = sys._getframe(2)
    while frame.f_code.co_filename == __file__ and frame.f_back is not None:
        frame = frame.f_back
    return str(frame.f_globals.get("__name__", "")).startswith("inspector.integrations")


@contextmanager
def _recording_replacements(adapter: Adapter) -> Iterator[list[tuple[Any, str, Any]]]:
    """Collect owner, name and original of the attributes that an adapter replaces in the block."""
    originals: list[tuple[Any, str, Any]] = []
    put = Patches.put

    def recording(self: Patches, owner: Any, name: str, make: Any) -> None:
        if owner is not None and self._adapter == adapter:  # not one that it stands on
            originals.append((owner, name, own_attribute(owner, name)))
        put(self, owner, name, make)

    with patch.object(Patches, "put", recording):
        yield originals


def _name(owner: Any, name: str) -> str:
    """Return the name by which `moved` knows an attribute."""
    if isinstance(owner, ModuleType):
        return f"{owner.__name__}:{name}"
    return f"{owner.__module__}:{owner.__qualname__}.{name}"
