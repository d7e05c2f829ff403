"""A client of `GET /events` that follows its contract."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class StreamItem:
    """One server-sent event: its id, and its data as JSON."""

    id: str | None
    data: dict[str, Any]


def stream_items(lines: Iterable[str]) -> Iterator[StreamItem]:
    """Parse server-sent events (HTML standard, 9.2.6) from `lines`."""
    event_id: str | None = None
    data: list[str] = []
    for line in lines:
        field, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if not line and data:
            yield StreamItem(event_id, json.loads("\n".join(data)))
            data = []
        elif field == "id":
            event_id = value
        elif field == "data":
            data.append(value)
