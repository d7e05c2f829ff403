"""Detection of in-place edits by interceptors.

Writable kwargs are copied before an interceptor runs and compared afterwards: dicts and lists,
`MAX_DEPTH` deep, `MAX_NODES` in all for each kwarg. An edit beyond that, or inside any other
object, is not detected.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from instrument.decision import NO_CHANGES

MAX_DEPTH = 8
MAX_NODES = 1_000

_GONE = object()
"""In place of a value that another thread has removed meanwhile."""
_SCALARS = frozenset({str, int, float, bool, bytes, type(None)})


def copies_of(names: Iterable[str], data: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return copies of the kwargs called `names`, where they can be edited.

    What another thread changes meanwhile has no copy: nobody could say whose edit it was.
    """
    copies = NO_CHANGES
    for name in names:
        value = data.get(name)
        if type(value) is dict or type(value) is list:
            left = [MAX_NODES]
            try:
                copied = _copy(value, left, MAX_DEPTH)
            except RuntimeError:
                continue
            if left[0] >= 0:
                copies = {**copies, name: copied}
    return copies


def edited(copies: Mapping[str, Any], data: Mapping[str, Any]) -> dict[str, Any]:
    """Return the kwargs in `data` that differ from their copies, by name."""
    return {name: data[name] for name, before in copies.items() if not _is_same(before, data[name])}


def _copy(value: Any, left: list[int], depth: int) -> Any:
    """Copy containers; `left[0]` falls below 0 beyond the limit."""
    if type(value) is not dict and type(value) is not list:
        return value
    left[0] -= len(value) + 1
    if depth == 0 or left[0] < 0:
        left[0] = -1
        return value
    if type(value) is dict:
        return {key: _copy(one, left, depth - 1) for key, one in value.items()}
    return [_copy(one, left, depth - 1) for one in value]


def _is_same(before: Any, now: Any) -> bool:
    if before is now:
        return True
    if type(before) is not type(now):
        return False
    if type(before) is dict:
        return list(before) == list(now) and all(
            _is_same(one, now.get(key, _GONE)) for key, one in before.items()
        )
    if type(before) is list:
        return len(before) == len(now) and all(map(_is_same, before, now))
    return type(before) in _SCALARS and bool(before == now)
