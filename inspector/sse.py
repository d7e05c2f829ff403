"""A parser that splits a byte stream into server-sent events. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

MAX_EVENT_BYTES = 32 * 2**20
"""Longer than any that the service sends: arguments of 4 MiB, each character escaped."""


class TooLongError(ValueError):
    """An event is longer than the limit."""


class ServerSentEvent(NamedTuple):
    """A server-sent event that has data."""

    id: str
    """The `id` of this very event; empty without one."""
    data: str


class EventSplitter:
    """Splits a `text/event-stream` into its events.

    Ignores comments, other fields, events without data, and an event that the end of the stream
    cuts off.
    """

    def __init__(self, max_bytes: int = MAX_EVENT_BYTES) -> None:
        self._max_bytes = max_bytes
        self._line = bytearray()
        self._data: list[bytes] = []
        self._data_bytes = 0
        self._id = ""

    def feed(self, piece: bytes) -> Iterator[ServerSentEvent]:
        """Yield each event that `piece` completes.

        Raises:
            TooLongError: An event is too long; the splitter is of no more use.
        """
        *lines, rest = piece.split(b"\n")
        for line in lines:
            self._add(line)
            if event := self._end_of_line():
                yield event
        self._add(rest)

    def _add(self, part: bytes) -> None:
        self._line += part
        if len(self._line) + self._data_bytes > self._max_bytes:
            raise TooLongError(f"an event is longer than {self._max_bytes} bytes")

    def _end_of_line(self) -> ServerSentEvent | None:
        line, self._line = bytes(self._line).removesuffix(b"\r"), bytearray()
        if not line:
            data, self._data, self._data_bytes = self._data, [], 0
            event_id, self._id = self._id, ""
            if not data:
                return None
            return ServerSentEvent(event_id, b"\n".join(data).decode("utf-8", "replace"))
        name, _, value = line.partition(b":")
        if name == b"data":
            self._data.append(value.removeprefix(b" "))
            self._data_bytes += len(value) + 1  # an endless row of empty ones ends too
        elif name == b"id":
            self._id = value.removeprefix(b" ").decode("utf-8", "replace")
        return None
