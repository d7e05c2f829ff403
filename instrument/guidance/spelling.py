"""camelCase aliases for Python names, in mappings and as attributes."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import Any, Generic, TypeVar, cast

from instrument.guidance.errors import GuidanceValueError

T = TypeVar("T")

_HUMP = re.compile(r"(?<!^)(?=[A-Z])")


def snake_case(name: str) -> str:
    """Return `requiresStorage` as `requires_storage`."""
    return _HUMP.sub("_", name).lower()


def merged(
    attempt: str,
    mapping: object,
    named: Mapping[str, Any],
    known: Collection[str],
) -> dict[str, Any]:
    """Return `mapping`, in either spelling, overlaid with the keyword arguments `named`.

    Args:
        attempt: The action, for the message: `register a hook`.
        mapping: A mapping, or None.
        named: Keyword arguments, in either spelling too.
        known: The possible keys, in snake_case.

    Raises:
        GuidanceValueError: `mapping` is not a mapping, or a key is unknown.
    """
    if mapping is not None and not isinstance(mapping, Mapping):
        raise GuidanceValueError(
            f"Cannot {attempt}: got {type(mapping).__name__}. Give a mapping or keyword arguments."
        )
    values = {**(mapping or {}), **named}
    result: dict[str, Any] = {}
    for key, value in values.items():
        name = snake_case(key) if isinstance(key, str) else key
        if name not in known:
            raise GuidanceValueError(
                f"Cannot {attempt}: unknown {key!r}. Known: {', '.join(sorted(known))}."
            )
        result[name] = value
    return result


class Alias(Generic[T]):
    """A read-only attribute that returns another one."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __get__(self, instance: object, owner: type) -> T:
        return cast(T, getattr(owner if instance is None else instance, self._name))
