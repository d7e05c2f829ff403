"""Rebuild lists and objects that a sender wrote as one attribute for each leaf.

`llm.input_messages.0.message.role` and so on: OpenInference, older OpenLLMetry, mcp-agent.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from inspector.service.model.rows import Json

MAX_INDEX = 1_000
"""Limit of the indexes that are read: a key costs its sender nothing."""
_MAX_LEVELS = 12


def expand(attributes: Mapping[str, Json], prefix: str) -> Any:
    """Return the value under `prefix`: an object, or a list where keys are indexes.

    Indexes may have holes, which are closed. None when nothing stands there.
    """
    tree: dict[str, Any] = {}
    for key, value in attributes.items():
        if key.startswith(prefix) and len(key) > len(prefix):
            _plant(tree, key[len(prefix) :].split("."), value)
    return _collect(tree) if tree else None


def _plant(tree: dict[str, Any], path: list[str], value: Json) -> None:
    if len(path) > _MAX_LEVELS or any(_is_beyond(step) for step in path):
        return
    for step in path[:-1]:
        inner = tree.setdefault(step, {})
        if not isinstance(inner, dict):
            return  # `a` has a value and `a.b` has one, too: the first stays
        tree = inner
    tree.setdefault(path[-1], value)


def _is_beyond(step: str) -> bool:
    return step.isdecimal() and (len(step) > 4 or int(step) >= MAX_INDEX)


def _collect(tree: Any) -> Any:
    if not isinstance(tree, dict):
        return tree
    if tree and all(key.isdecimal() for key in tree):
        return [_collect(tree[key]) for key in sorted(tree, key=int)]
    return {key: _collect(value) for key, value in tree.items()}
