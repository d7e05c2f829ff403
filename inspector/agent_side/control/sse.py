"""A parser that splits a byte stream into server-sent events. Pure."""

from __future__ import annotations

from collections.abc import Iterator

MAX_EVENT_BYTES = 32 * 2**20
"""Longer than any that the service sends: arguments of 4 MiB, each character escaped."""


class TooLongError(ValueError):
    """An event is longer than any may be."""


class EventSplitter:
    """Splits a `text/event-stream` into the `data` of its events.

    Comments, and other fields, are passed over; an event that is cut off by the end of the stream
    never counts.
    """

    def __init__(self, max_bytes: int = MAX_EVENT_BYTES) -> None:
        self._max_bytes = max_bytes
        self._line = bytearray()
        self._data: list[bytes] = []
        self._data_bytes = 0

    def feed(self, piece: bytes) -> Iterator[str]:
        """Yield the `data` of each event that `piece` completes.

        Raises:
            TooLongError: An event is too long; nothing can be made of what follows.
        """
        *lines, rest = piece.split(b"\n")
        for line in lines:
            self._add(line)
            text = self._end_of_line()
            if text is not None:
                yield text
        self._add(rest)

    def _add(self, part: bytes) -> None:
        self._line += part
        if len(self._line) + self._data_bytes > self._max_bytes:
            raise TooLongError(f"an event is longer than {self._max_bytes} bytes")

    def _end_of_line(self) -> str | None:
        line, self._line = bytes(self._line).removesuffix(b"\r"), bytearray()
        if not line:
            data, self._data, self._data_bytes = self._data, [], 0
            return b"\n".join(data).decode("utf-8", "replace") if data else None
        name, _, value = line.partition(b":")
        if name == b"data":
            self._data.append(value.removeprefix(b" "))
            self._data_bytes += len(value) + 1  # an endless row of empty ones ends too
        return None
