"""Dotted paths into hook kwargs, such as `llm.default_request_params.model|llm.model`.

Emitters pass dicts, pydantic models or their own classes, so a step is a mapping key, a list index
or an attribute, whichever fits. A missing value is None.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from functools import lru_cache
from time import perf_counter_ns
from typing import Any

_logger = logging.getLogger("inspector")

Reader = Callable[[Mapping[str, Any]], Any]
_Read = Callable[[Any], Any]


SLOW_NS = 250_000_000
"""Limit for a property, in nanoseconds; a slower one is not read again, as it may use a network."""
MAX_SLOW = 256

_slow: dict[tuple[type, str], None] = {}


def step(value: Any, name: str) -> Any:
    """Return `value`'s item or attribute `name`; None where there is none or reading it fails."""
    kind = type(value)
    try:
        if kind is dict:
            return value.get(name)
        read: _Read = _reader(kind, name)  # type: ignore[arg-type]  # a class is hashable
        return read(value)
    except Exception:  # noqa: BLE001 - code of the watched program may raise anything
        return None


@lru_cache(maxsize=2_048)
def _reader(kind: type, name: str) -> _Read:
    """Return the function that reads `name` of values of `kind`; looked up once for each type."""
    if any("__class__" in vars(base) for base in kind.__mro__[:-1]):  # stands for another object
        return lambda value: _read_proxy(value, name)
    if issubclass(kind, Mapping):
        return lambda value: value.get(name)
    if name.isdecimal():
        if not issubclass(kind, Sequence):
            return lambda value: None
        place = int(name)
        return lambda value: value[place] if place < len(value) else None
    fields: Mapping[str, str] = _stored_fields(kind)  # type: ignore[arg-type]  # as above
    if (stored := fields.get(name)) is not None:
        return _reader_of_field(name, stored)
    if name.startswith("_") or any(name in vars(base) for base in kind.__mro__):
        return lambda value: _read_attribute(value, name)
    if getattr(getattr(kind, "__getattr__", None), "__module__", None) == "pydantic.main":
        return _reader_of_extra(name)
    return lambda value: _read_attribute(value, name)


def _reader_of_field(name: str, stored: str) -> _Read:
    """Return the reader of a field around properties, which may warn of deprecation."""

    def read(value: Any) -> Any:
        own = value.__dict__
        return own[stored] if stored in own else _read_attribute(value, name)

    return read


def _reader_of_extra(name: str) -> _Read:
    """Return the reader of what is no field of a pydantic model: to ask that takes microseconds."""

    def read(value: Any) -> Any:
        found = value.__dict__.get(name)
        if found is None and (extra := value.__pydantic_extra__):
            return extra.get(name)
        return found

    return read


def _read_proxy(value: Any, name: str) -> Any:
    if issubclass(value.__class__, Mapping):
        return value.get(name)
    if name.isdecimal():
        is_there = isinstance(value, Sequence) and int(name) < len(value)
        return value[int(name)] if is_there else None
    return _read_attribute(value, name)


def _read_attribute(value: Any, name: str) -> Any:
    key: tuple[type, str] = (type(value), name)
    if key in _slow:
        return None
    start_ns = perf_counter_ns()
    try:
        return getattr(value, name, None)
    finally:
        if perf_counter_ns() - start_ns > SLOW_NS and len(_slow) < MAX_SLOW:
            _slow[key] = None
            _logger.warning(
                "Reading %s.%s took longer than 0.25 s; it is not read again.",
                type(value).__qualname__,
                name,
            )


@lru_cache(maxsize=512)
def _stored_fields(kind: type) -> dict[str, str]:
    """Return the fields of a pydantic model (without importing it) by name and alias."""
    fields = getattr(kind, "model_fields", None)
    if not isinstance(fields, Mapping):
        return {}
    aliases = {getattr(info, "alias", None): name for name, info in fields.items()}
    return {**aliases, **{name: name for name in fields}}


def member_value(value: Any) -> Any:
    """Return the value of a member of an enumeration, of whatever kind; else `value` itself."""
    if type(value) is str or value is None:
        return value
    found = step(value, "value")
    return value if found is None else found


def read_path(root: Any, path: str) -> Any:
    """Follow `path` from `root`: the first of its `|` alternatives that is not None."""
    for names in _split(path):
        value = root
        for name in names:
            value = step(value, name)
            if value is None:
                break
        if value is not None:
            return value
    return None


@lru_cache(maxsize=1_024)
def _split(path: str) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(part.strip().split(".")) for part in path.split("|"))


def compile_path(path: str) -> Reader:
    """Return a function that reads `path` from hook kwargs."""
    alternatives = [(root, tuple(names)) for root, *names in _split(path)]
    if len(alternatives) == 1 and not alternatives[0][1]:
        root = alternatives[0][0]
        return lambda kwargs: kwargs.get(root)

    def read(kwargs: Mapping[str, Any]) -> Any:
        for root, names in alternatives:
            value = kwargs.get(root)
            for name in names:
                if value is None:
                    break
                value = step(value, name)
            if value is not None:
                return value
        return None

    return read


def roots(path: str) -> set[str]:
    """Return the kwargs that `path` starts from."""
    return {names[0] for names in _split(path)}


def inner_names(paths: Iterable[str]) -> dict[str, frozenset[str]]:
    """Return the kwargs that paths go into, with the names that they read there first."""
    steps = [names for path in paths for names in _split(path) if len(names) > 1]
    return {root: frozenset(names[1] for names in steps if names[0] == root) for root, *_ in steps}


def path_from(path: str, available: Mapping[str, Set[str] | None]) -> str:
    """Return the alternatives of `path` that may find something; "" for none.

    Args:
        path: The path.
        available: Kwargs that are there, with the names in each; None for any names.
    """
    found = (names for names in _split(path) if names[0] in available)
    return "|".join(
        ".".join(names)
        for names in found
        if len(names) == 1 or (inner := available[names[0]]) is None or names[1] in inner
    )
