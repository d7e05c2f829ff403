"""A viewer of lists and stream that follows only the rules of ADR 0003."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

Row = dict[str, Any]


@dataclass
class Viewer:
    """The state of a page."""

    sessions: dict[str, Row] = field(default_factory=dict)
    spans: dict[tuple[str, str], tuple[str, Row]] = field(default_factory=dict)
    requests: dict[str, Row] = field(default_factory=dict)
    last_id: str | None = None
    must_reload: bool = False
    types: list[str] = field(default_factory=list)
    store_state: str = ""

    def read(self, event: str) -> None:
        """Take in one server-sent event."""
        fields = dict(line.split(": ", 1) for line in event.strip().splitlines())
        self.take(json.loads(fields["data"]), fields.get("id"))

    def take(self, message: Row, id_: str | None) -> None:
        """Take in one message."""
        self._apply(message)
        self.last_id = id_ or self.last_id

    def _apply(self, message: Row) -> None:
        self.types.append(message["type"])
        match message:
            case {"request": dict() as row}:
                self.requests[row["id"]] = row
            case {"session": row}:
                if _is_newer(row, self.sessions.get(row["id"])):
                    self.sessions[row["id"]] = row
            case {"span": row, "session_id": session_id}:
                key = row["trace_id"], row["span_id"]
                if key not in self.spans or _is_newer(row, self.spans[key][1]):
                    self.spans[key] = (session_id, row)
            case {"type": "SessionDeleted", "session_id": session_id}:
                if _is_newer(message, self.sessions.get(session_id)):
                    self.sessions.pop(session_id, None)
                self.spans = {
                    key: (of, row)
                    for key, (of, row) in self.spans.items()
                    if of != session_id or not _is_newer(message, row)
                }
                rows = self.requests.items()
                self.requests = {k: v for k, v in rows if v["session_id"] != session_id}
            case {"type": "Heartbeat", "store": store}:
                self.store_state = store["state"]
            case {"type": "Gap"}:
                self.must_reload = True


def _is_newer(one: Row, known: Row | None) -> bool:
    return known is None or one["change"] >= known["change"]
