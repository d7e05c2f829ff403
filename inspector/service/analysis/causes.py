"""Root causes of a failed session, as opposed to the failures that follow from them. Pure.

A failure goes up: the tool fails, then the agent that called it, then the workflow. The cause is
the one below which nothing failed.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from inspector.service.analysis.sanitise import visible_line
from inspector.service.analysis.span_tree import SpanTree
from inspector.service.model.rows import UNTOLD_MESSAGE, SpanRow, SpanStatus


def is_failed(row: SpanRow) -> bool:
    """Return whether a span failed itself; a duplicate did not."""
    return row.status is SpanStatus.ERROR and row.duplicate_of is None


def with_failures(tree: SpanTree) -> bytearray:
    """Mark the failed spans and all their ancestors."""
    marked = bytearray(len(tree.rows))
    for place, row in enumerate(tree.rows):
        above: int | None = place if is_failed(row) else None
        while above is not None and not marked[above]:
            marked[above] = 1
            above = tree.parents[above]
    return marked


@dataclass(slots=True)
class Group:
    """Causes that are alike: places in the tree, by start."""

    places: list[int] = field(default_factory=list)
    reaches_root: bool = False


def groups_of(tree: SpanTree) -> list[Group]:
    """Return the causes: first the ones that reached the root, then by time."""
    marked = with_failures(tree)
    groups: dict[tuple[str, str, bool], Group] = {}
    for root in tree.roots:
        # With whether all above has failed too, so that one pass is enough.
        waiting = [(root, True)]
        while waiting:
            place, is_whole = waiting.pop()
            row = tree.rows[place]
            is_whole = is_whole and is_failed(row)
            children = tree.children[place]
            waiting += [(child, is_whole) for child in reversed(children) if marked[child]]
            if is_failed(row) and not any(marked[child] for child in children):
                group = groups.setdefault((row.kind, row.name, is_whole), Group())
                group.places.append(place)
                group.reaches_root = is_whole
    for group in groups.values():
        group.places.sort(key=lambda place: tree.rows[place].offset_ns)
    return sorted(
        groups.values(),
        key=lambda group: (not group.reaches_root, tree.rows[group.places[0]].offset_ns),
    )


NO_REASON = "no reason was recorded"


def error_line(detail: dict[str, Any], most: int) -> str:
    """Return the error of a span on one line: type and message, code, or the result of its tool."""
    error = detail["view"]["error"] or {}
    message = error.get("message")
    message = None if message == UNTOLD_MESSAGE else message
    parts = [error.get("type"), message or detail["status_message"]]
    text = ": ".join(dict.fromkeys(filter(None, parts)))
    if not text and error.get("code"):
        text = f"code {error['code']}"
    tool = detail["view"]["tool"]
    if tool and tool["result"] and not message:
        text = ": ".join(filter(None, (text, tool["result"]["text"][:most])))
    return visible_line(text or NO_REASON, most)
