"""Messages of a service's stream, as entries that the viewers of a reader share. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import orjson

from inspector.service.feed.messages import SESSION, FeedEntry
from inspector.service.present.rows import session_record
from inspector.service.reader.ids import qualifier
from inspector.service.sessions import live
from inspector.service.wire.control import StreamEvent

_qualify = qualifier(StreamEvent)


class RelayedEntry(FeedEntry):
    """A change of a service, in the messages in which it came.

    Args:
        change: Its number.
        messages: In order; their ids get a name before them.
        name: The name of the service.
    """

    def __init__(self, change: int, messages: Sequence[dict[str, Any]], name: str) -> None:
        assert _qualify is not None
        for message in messages:
            _qualify(message, name)
        last = messages[-1]
        super().__init__(change, *_key(last, change), only_for=_only_for(last))
        self._shown = messages
        if "session" in last:
            types = [message["type"] for message in messages]
            self.may_wait = types == ["SessionUpdated"] and self.key[0] == SESSION
            created = change if types[0] == "SessionStarted" else 0
            self.session = session_record(last["session"], created=created)

    def _encode(self, types: object) -> Sequence[bytes]:
        return [orjson.dumps({**message, **self._fitness}) for message in self._shown]


def _key(message: Mapping[str, Any], change: int) -> tuple[str, ...]:
    """Return the key of a row: a later one replaces it. What has none is not replaced."""
    if "span" in message:
        return "span", message["span"]["trace_id"], message["span"]["span_id"]
    if message.get("request") is not None:
        return "request", message["request"]["id"]
    if message["type"] == "SessionDeleted" or message.get("moved_from") is not None:
        return "tombstone", str(change)
    if "session" in message:
        return SESSION, message["session_id"]
    return "moment", str(change)


def _only_for(message: Mapping[str, Any]) -> str | None:
    """Return the session whose viewers get a message; None: all do."""
    is_moment = "attributes" in message and message.get("request") is None
    if "span" in message or (is_moment and message["name"] not in live.PAUSES):
        session_id: str = message["session_id"]
        return session_id
    return None
