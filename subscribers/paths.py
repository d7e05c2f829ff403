"""Read a value out of hook kwargs by a dotted path: `llm.default_request_params.model|llm.model`.

Emitters hand over anything (dicts, pydantic models, their own classes), so a step is a mapping
key, a list index or an attribute, whichever fits, and what is not there is None.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

Reader = Callable[[Mapping[str, Any]], Any]


def step(value: Any, name: str) -> Any:
    """Return `value`'s item or attribute `name`; None where there is none or reading it fails."""
    if isinstance(value, Mapping):
        return value.get(name)
    if name.isdecimal():
        if isinstance(value, Sequence) and int(name) < len(value):
            return value[int(name)]
        return None
    try:
        return getattr(value, name, None)
    except Exception:  # noqa: BLE001 - a property of the watched program may raise anything
        return None


def read_path(root: Any, path: str) -> Any:
    """Follow `path` from `root`: the first of its `|` alternatives that is not None."""
    for alternative in path.split("|"):
        value = root
        for name in alternative.strip().split("."):
            value = step(value, name)
            if value is None:
                break
        if value is not None:
            return value
    return None


def compile_path(path: str) -> Reader:
    """Return a function that reads `path` from hook kwargs."""
    alternatives = [tuple(part.strip().split(".")) for part in path.split("|")]
    if len(alternatives) == 1 and len(alternatives[0]) == 1:
        root = alternatives[0][0]
        return lambda kwargs: kwargs.get(root)

    def read(kwargs: Mapping[str, Any]) -> Any:
        for root, *names in alternatives:
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
    return {part.strip().split(".")[0] for part in path.split("|")}
