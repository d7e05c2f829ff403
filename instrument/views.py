"""Helpers shared by the views of the bus: hook names, copies, differences."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from instrument.catalogue import CATALOGUE

MAX_COPY_DEPTH = 32
_COPIED = (dict, list)


@lru_cache(maxsize=1024)
def hooks_named(vocabulary: str, event: str) -> tuple[str, ...]:
    """Return the hooks that `vocabulary` calls `event`; for an unknown name, that name."""
    hooks = tuple(
        hook.name for hook in CATALOGUE.values() if event in hook.aliases.get(vocabulary, ())
    )
    return hooks or (event,)


def copied(value: Any, depth: int = 0) -> Any:
    """Copy plain dicts and lists for a callback that may write to them; share other objects.

    Values nested deeper than `MAX_COPY_DEPTH` are shared.
    """
    if depth >= MAX_COPY_DEPTH:
        return value
    if type(value) is dict:
        return {
            key: copied(item, depth + 1) if type(item) in _COPIED else item
            for key, item in value.items()
        }
    if type(value) is list:
        return [copied(item, depth + 1) if type(item) in _COPIED else item for item in value]
    return value


def differs(one: Any, other: Any) -> bool:
    """Return whether two values differ; values that cannot be compared do."""
    if one is other:
        return False
    try:
        return not bool(one == other)
    except Exception:  # noqa: BLE001 - arrays and the like may raise anything
        return True


def changed(before: Mapping[str, Any], after: Mapping[str, Any]) -> dict[str, Any]:
    """Return the items of `after` that are new or differ from `before`."""
    return {
        key: value
        for key, value in after.items()
        if key not in before or differs(before[key], value)
    }
