"""The state of running sessions, as a follower of the stream knows it. Pure.

It keeps what a screen has room for: the spans that run, what they are below, and what ended last.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from inspector.cli.console import span_row
from inspector.service.analysis.outline import OutlineRow
from inspector.service.analysis.span_tree import SpanTree
from inspector.service.model.rows import SpanRow, SpanStatus

KEPT_SPANS = 1_000
"""Of one session, beside those that run and what they are below."""

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
    """What it asks, by id, oldest first."""

    def hear(self, event: dict[str, Any]) -> None:
        """Record that a person is asked, or is not any more."""
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
        is_asked = bool(span.waited) and span.waited[-1][1] is None
        return is_asked or (span.trace_id, span.span_id) in self.waiting

    def put(self, span: SpanRow) -> None:
        """Store the newest version of a span."""
        key = span.trace_id, span.span_id
        self.spans.pop(key, None)
        self.spans[key] = span  # at the end: the last that changed
        if span.status is not SpanStatus.RUNNING:
            self.waiting.discard(key)
        if len(self.spans) > 2 * KEPT_SPANS:
            tree = SpanTree.of([*self.spans.values()])
            kept = chosen(tree, range(len(tree.rows) - 1, -1, -1), KEPT_SPANS)
            rows = [row for place, row in enumerate(tree.rows) if place in kept]
            self.spans = {(row.trace_id, row.span_id): row for row in rows}

    def outline(self, room: int) -> tuple[SpanTree, list[OutlineRow]]:
        """Return the tree, and its `room` most notable lines."""
        tree = SpanTree.of([*self.spans.values()])
        kept = chosen(tree, range(len(tree.rows) - 1, -1, -1), room)
        lines: list[OutlineRow] = []
        waiting = [(0, root) for root in reversed(tree.roots) if root in kept]
        while waiting:
            depth, place = waiting.pop()
            lines.append(OutlineRow(depth, place))
            below = [child for child in tree.children[place] if child in kept]
            waiting += [(depth + 1, child) for child in reversed(below)]
        return tree, lines[-room:] if room else []


def chosen(tree: SpanTree, newest_first: Iterable[int], room: int) -> set[int]:
    """Return the running spans, then the newest others, each with its ancestors.

    Those that run are all there, however many; others, as far as there is room.
    """
    kept: set[int] = set()
    order = [*newest_first]
    running = [place for place in order if tree.rows[place].status is SpanStatus.RUNNING]
    for place in running:
        _keep(tree, place, kept)
    for place in order:
        if len(kept) >= room:
            break
        _keep(tree, place, kept)
    return kept


def _keep(tree: SpanTree, place: int | None, kept: set[int]) -> None:
    while place is not None and place not in kept:
        kept.add(place)
        place = tree.parents[place]


@dataclass(slots=True)
class Following:
    """All running sessions, in the order of their first event."""

    live: dict[str, LiveSession] = field(default_factory=dict)
    ahead_ns: int = 0
    """How far the service's clock is ahead of ours."""

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
                    known.hear(event)
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
