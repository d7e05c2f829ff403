"""Rebuild captured states, step by step, from snapshots and patches.

A patch applies to the last snapshot of its name in its trace (`docs/formats.md`, *State*), and its
hashes show whether that is stored: of a chain with a link missing, nothing is guessed.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final

from inspector.service.model.nesting import is_too_deep, parse
from inspector.service.model.otlp_values import as_text
from inspector.service.model.rows import Json, Moment
from subscribers.content.json_patch import Changed, PatchError, apply, changes
from subscribers.content.snapshots import hash_of

STATE: Final = "inspector.state"
MAX_CHANGES = 1_000
"""Limit of listed changes of one step; the others are counted up to `_MAX_COUNTED`."""
_MAX_COUNTED = 20_000
_MAX_TEXT_CHARS = 2 * 1024 * 1024
"""Limit in characters of a compared snapshot; ours have at most an eighth of it."""


@dataclass(frozen=True, slots=True)
class Step:
    """A state after one of its changes."""

    moment: Moment
    name: str
    text: str | None
    """The whole as JSON text; None: see `problem`."""
    problem: str | None = None
    """The reason that the state is unknown or incomplete."""
    changes: Sequence[Changed] | None = None
    """Against the step before; None: there is none, or it cannot be compared."""
    change_count: int = 0


_UNKNOWN: Final = object()
"""Placeholder for an unknown state: `null` is a state too."""


@dataclass(slots=True)
class _Known:
    """The last snapshot of a trace."""

    text: str | None
    tree: Any
    hash: str | None


def name_of(moment: Moment) -> str:
    """Return the name of the state that a moment is about."""
    return as_text(moment.attributes.get("inspector.state.name")) or "state"


def step_at(moments: Sequence[Moment], position: int) -> Step:
    """Return a step of a state.

    Args:
        moments: All changes of one state in a session, by time.
        position: Index of one of them.
    """
    last_of_trace: dict[str, _Known] = {}
    before: _Known | None = None
    for moment in moments[:position]:
        before, _ = _resolved(moment, last_of_trace.get(moment.trace_id))
        last_of_trace[moment.trace_id] = before
    moment = moments[position]
    known, problem = _resolved(moment, last_of_trace.get(moment.trace_id))
    found = _compared(before, known) if before else None
    changes, count = (None, 0) if found is None else (found[:MAX_CHANGES], len(found))
    return Step(moment, name_of(moment), known.text, problem, changes, count)


def _resolved(moment: Moment, last: _Known | None) -> tuple[_Known, str | None]:
    """Return the state after a change, and the reason why it is not known."""
    attributes = moment.attributes
    hash_after = as_text(attributes.get("inspector.state.hash"))
    unknown = _Known(None, _UNKNOWN, hash_after)
    value, patch = attributes.get("inspector.state.value"), attributes.get("inspector.state.patch")
    if patch is None:
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        if _is_cut(attributes):
            return _Known(text, _UNKNOWN, hash_after), "The sender truncated this state."
        return _Known(text, _tree(text), hash_after), None
    base = as_text(attributes.get("inspector.state.base"))
    if last is None or last.tree is _UNKNOWN or (base and last.hash and base != last.hash):
        return unknown, "Only the change was sent, and the previous state is missing."
    try:
        tree = apply(last.tree, _tree(patch) if isinstance(patch, str) else patch)
    except PatchError as error:
        return unknown, f"The change does not apply to the previous state: {error}"
    if is_too_deep(tree):
        return unknown, "This state is nested too deeply to show."
    if hash_after and hash_of(tree) != hash_after:
        return unknown, "The change does not produce the reported state (hash mismatch)."
    return _Known(json.dumps(tree, ensure_ascii=False), tree, hash_after), None


def _is_cut(attributes: Mapping[str, Json]) -> bool:
    listed = attributes.get("inspector.truncated")
    is_listed = isinstance(listed, list) and "inspector.state.value" in listed
    return is_listed or attributes.get("inspector.state.value_truncated") is True


def _tree(text: str) -> Any:
    if len(text) > _MAX_TEXT_CHARS:
        return _UNKNOWN
    try:
        return parse(text)
    except ValueError:
        return _UNKNOWN


def _compared(before: _Known, after: _Known) -> list[Changed] | None:
    if before.tree is _UNKNOWN or after.tree is _UNKNOWN:
        return None
    try:
        return list(islice(changes(before.tree, after.tree), _MAX_COUNTED))
    except (PatchError, RecursionError):
        return None
