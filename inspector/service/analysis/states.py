"""Rebuild captured states, step by step, from snapshots and patches.

A patch applies to the last snapshot of its name in its trace (`docs/formats.md`, *State*), and its
hashes say whether that one is here: a chain with a link missing is told as such, never guessed.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final

from inspector.service.model.nesting import is_too_deep, parse
from inspector.service.model.otlp_values import as_text
from inspector.service.model.rows import Moment
from subscribers.content.json_patch import Changed, PatchError, apply, changes
from subscribers.content.snapshots import hash_of

STATE: Final = "inspector.state"
MAX_CHANGES = 1_000
"""Of one step, that are told; the others are counted up to `_MAX_COUNTED`."""
_MAX_COUNTED = 20_000
_MAX_TEXT_CHARS = 2 * 1024 * 1024
"""Of a snapshot that is compared; ours have at most an eighth of it."""


@dataclass(frozen=True, slots=True)
class Step:
    """A state after one of its changes."""

    moment: Moment
    name: str
    text: str | None
    """The whole as JSON text; None: see `problem`."""
    problem: str | None = None
    """Why the whole is not known, or not all of it."""
    changes: Sequence[Changed] | None = None
    """Against the step before; None: there is none, or it cannot be compared."""
    change_count: int = 0


_UNKNOWN: Final = object()
"""No value of JSON: `null` is a state too."""


@dataclass(slots=True)
class _Known:
    """The last snapshot of a trace."""

    text: str | None
    tree: Any
    hash: str | None


def name_of(moment: Moment) -> str:
    """Return the name of the state that a moment is about."""
    return as_text(moment.attributes.get("inspector.state.name")) or "state"


def steps(moments: Iterable[Moment], wanted: frozenset[int]) -> Iterator[tuple[int, Step]]:
    """Yield the steps at the places in `wanted`, by place.

    Args:
        moments: All changes of one state in a session, in time.
        wanted: Places among them.
    """
    last_of_trace: dict[str, _Known] = {}
    before: _Known | None = None
    for place, moment in enumerate(moments):
        known, problem = _resolved(moment, last_of_trace.get(moment.trace_id))
        last_of_trace[moment.trace_id] = known
        if place in wanted:
            found = _compared(before, known) if before else None
            yield (
                place,
                Step(
                    moment,
                    name_of(moment),
                    known.text,
                    problem,
                    None if found is None else found[:MAX_CHANGES],
                    0 if found is None else len(found),
                ),
            )
        before = known


def _resolved(moment: Moment, last: _Known | None) -> tuple[_Known, str | None]:
    told = moment.attributes
    told_hash = as_text(told.get("inspector.state.hash"))
    value, patch = told.get("inspector.state.value"), told.get("inspector.state.patch")
    if patch is None:
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        if _is_cut(told):
            return _Known(text, _UNKNOWN, told_hash), "The sender cut this state short."
        return _Known(text, _tree(text), told_hash), None
    base = as_text(told.get("inspector.state.base"))
    if last is None or last.tree is _UNKNOWN or (base and last.hash and base != last.hash):
        return _Known(None, _UNKNOWN, told_hash), (
            "Only what changed was sent, and the state before it is not here."
        )
    try:
        tree = apply(last.tree, _tree(patch) if isinstance(patch, str) else patch)
    except PatchError as error:
        return _Known(
            None, _UNKNOWN, told_hash
        ), f"What changed does not fit the state before: {error}"
    if is_too_deep(tree):
        return _Known(None, _UNKNOWN, told_hash), "This state is nested deeper than is shown."
    if told_hash and hash_of(tree) != told_hash:
        return _Known(None, _UNKNOWN, told_hash), (
            "What changed was sent, and does not lead to the state that was meant."
        )
    return _Known(json.dumps(tree, ensure_ascii=False), tree, told_hash), None


def _is_cut(told: Any) -> bool:
    listed = told.get("inspector.truncated")
    is_listed = isinstance(listed, list) and "inspector.state.value" in listed
    return is_listed or told.get("inspector.state.value_truncated") is True


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
