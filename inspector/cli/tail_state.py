"""The state of running sessions, for a follower of the stream. Pure.

It stores as much as a screen shows: the running spans with their ancestors, and the last ended
ones.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from inspector.cli.console import span_row
from inspector.service.analysis.outline import OutlineRow
from inspector.service.analysis.span_tree import SpanTree
from inspector.service.model.rows import SpanRow, SpanStatus

MAX_SPANS = 1_000
"""Limit of spans of one session, without the running ones and their ancestors."""

_LIVE = frozenset({"running", "waiting", "paused"})
_ABOUT_PEOPLE = frozenset(
    {"ApprovalRequested", "ApprovalResolved", "WaitingOnSignal", "SignalReceived"}
)

Key = tuple[str, str]


@dataclass(slots=True)
class LiveSession:
    """A running session."""

    row: dict[str, Any]
    spans: dict[Key, SpanRow] = field(default_factory=dict)
    waiting: set[Key] = field(default_factory=set)
    """Spans that wait for a person."""
    requests: dict[str, dict[str, Any]] = field(default_factory=dict)
    """Its open requests by id, oldest first."""

    def record(self, event: dict[str, Any]) -> None:
        """Record the start or the end of a wait for a person."""
        if request := event.get("request"):
            self.requests.pop(request["id"], None)
            if request["status"] == "pending":
                self.requests[request["id"]] = request
        elif event["type"] == "WaitingOnSignal":
            self.waiting.add((event["trace_id"], event["span_id"]))
        elif event["type"] == "SignalReceived":
            self.waiting.discard((event["trace_id"], event["span_id"]))

    def waits(self, span: SpanRow) -> bool:
        """Return whether a running span waits for a person."""
        is_open = bool(span.waited) and span.waited[-1][1] is None
        return is_open or (span.trace_id, span.span_id) in self.waiting

    def put(self, span: SpanRow) -> None:
        """Store the newest version of a span."""
        key = span.trace_id, span.span_id
        self.spans.pop(key, None)
        self.spans[key] = span  # at the end: the last change
        if span.status is not SpanStatus.RUNNING:
            self.waiting.discard(key)
        if len(self.spans) > 2 * MAX_SPANS:
            tree = SpanTree.of([*self.spans.values()])
            chosen_places = chosen(tree, range(len(tree.rows) - 1, -1, -1), MAX_SPANS)
            rows = [row for place, row in enumerate(tree.rows) if place in chosen_places]
            self.spans = {(row.trace_id, row.span_id): row for row in rows}

    def outline(self, room: int) -> tuple[SpanTree, list[OutlineRow]]:
        """Return the tree, and its `room` most notable lines."""
        tree = SpanTree.of([*self.spans.values()])
        chosen_places = chosen(tree, range(len(tree.rows) - 1, -1, -1), room)
        lines: list[OutlineRow] = []
        waiting = [(0, root) for root in reversed(tree.roots) if root in chosen_places]
        while waiting:
            depth, place = waiting.pop()
            lines.append(OutlineRow(depth, place))
            below = [child for child in tree.children[place] if child in chosen_places]
            waiting += [(depth + 1, child) for child in reversed(below)]
        return tree, lines[-room:] if room else []


def chosen(tree: SpanTree, newest_first: Iterable[int], room: int) -> set[int]:
    """Return the running spans, then the newest others, each with its ancestors.

    All running ones are included, the others as far as there is room.
    """
    chosen_places: set[int] = set()
    order = [*newest_first]
    running = [place for place in order if tree.rows[place].status is SpanStatus.RUNNING]
    for place in running:
        _add_with_ancestors(tree, place, chosen_places)
    for place in order:
        if len(chosen_places) >= room:
            break
        _add_with_ancestors(tree, place, chosen_places)
    return chosen_places


def _add_with_ancestors(tree: SpanTree, place: int | None, chosen_places: set[int]) -> None:
    while place is not None and place not in chosen_places:
        chosen_places.add(place)
        place = tree.parents[place]


@dataclass(slots=True)
class LiveSessions:
    """All running sessions, in the order of their first event."""

    live: dict[str, LiveSession] = field(default_factory=dict)
    ahead_ns: int = 0
    """Lead of the service's clock over ours."""

    def apply(self, event: dict[str, Any], now_ns: int) -> dict[str, Any] | None:
        """Apply an event; return the row of a session that it ends."""
        match event:
            case {"type": "Heartbeat", "now_ns": service_ns}:
                self.ahead_ns = int(service_ns) - now_ns
            case {"type": "SessionDeleted", "session_id": session_id}:
                self.live.pop(session_id, None)
            case {"session": row}:
                return self._session(row)
            case {"span": span, "session_id": session_id}:
                if known := self.live.get(session_id):
                    known.put(span_row(span, session_id))
            case {"type": what, "session_id": session_id} if what in _ABOUT_PEOPLE:
                if known := self.live.get(session_id):
                    known.record(event)
        return None

    def _session(self, row: dict[str, Any]) -> dict[str, Any] | None:
        known = self.live.get(row["id"])
        if row["status"] in _LIVE:
            if known:
                known.row = row
            else:
                self.live[row["id"]] = LiveSession(row)
            return None
        self.live.pop(row["id"], None)
        return row if known else None
