"""Dotted paths into hook kwargs, such as `llm.default_request_params.model|llm.model`.

Emitters pass dicts, pydantic models or their own classes, so a step is a mapping key, a list index
or an attribute, whichever fits. A missing value is None.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence, Set
from functools import lru_cache
from time import perf_counter_ns
from typing import Any

_logger = logging.getLogger("inspector")

Reader = Callable[[Mapping[str, Any]], Any]


SLOW_NS = 250_000_000
"""Limit for a property, in nanoseconds; a slower one is not read again, as it may use a network."""
MAX_SLOW = 256

_slow: dict[tuple[type, str], None] = {}


def step(value: Any, name: str) -> Any:
    """Return `value`'s item or attribute `name`; None where there is none or reading it fails."""
    try:
        if type(value) is dict or _is_mapping(value.__class__):
            return value.get(name)
        if name.isdecimal():
            is_there = isinstance(value, Sequence) and int(name) < len(value)
            return value[int(name)] if is_there else None
        return _attribute(value, name)
    except Exception:  # noqa: BLE001 - code of the watched program may raise anything
        return None


def _attribute(value: Any, name: str) -> Any:
    key: tuple[type, str] = (type(value), name)
    stored = _stored_fields(key[0]).get(name)
    if stored is not None and stored in (own := vars(value)):
        return own[stored]  # bypasses properties and descriptors, which may warn of deprecation
    if key in _slow:
        return None
    start_ns = perf_counter_ns()
    try:
        return getattr(value, name, None)
    finally:
        if perf_counter_ns() - start_ns > SLOW_NS and len(_slow) < MAX_SLOW:
            _slow[key] = None
            _logger.warning(
                "Reading %s.%s took longer than 0.25 s: the inspector does not read it again.",
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


@lru_cache(maxsize=512)
def _is_mapping(kind: type) -> bool:
    """Return whether `kind` is a mapping; cached, as this costs as much as the rest of a step."""
    return issubclass(kind, Mapping)


def member_value(value: Any) -> Any:
    """Return the value of a member of an enumeration, of whatever kind; else `value` itself."""
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
    alternatives = [_compile_one(root, tuple(names)) for root, *names in _split(path)]
    if len(alternatives) == 1:
        return alternatives[0]

    def read(kwargs: Mapping[str, Any]) -> Any:
        for alternative in alternatives:
            value = alternative(kwargs)
            if value is not None:
                return value
        return None

    return read


def _compile_one(root: str, names: tuple[str, ...]) -> Reader:
    if not names:
        return lambda kwargs: kwargs.get(root)

    def read(kwargs: Mapping[str, Any]) -> Any:
        value = kwargs.get(root)
        for name in names:
            if value is None:
                return None
            value = step(value, name)
        return value

    return read


def roots(path: str) -> set[str]:
    """Return the kwargs that `path` starts from."""
    return {names[0] for names in _split(path)}


def path_from(path: str, available: Set[str]) -> str:
    """Return the alternatives of `path` that start from an `available` kwarg; "" for none."""
    return "|".join(".".join(names) for names in _split(path) if names[0] in available)
