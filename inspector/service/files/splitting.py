"""Split a stream of JSON into values with line numbers, without holding the whole in memory.

Two kinds of file: JSON lines, where a broken line costs only itself, and documents over many
lines, such as a pretty-printed request or an array of them. The first line shows which.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from inspector.service.otlp.body import MAX_BODY_BYTES

MAX_VALUE_BYTES = MAX_BODY_BYTES
"""Limit of one value: as much as a sender may send at once."""

_BLANK = b" \t\r\n"
_BOM = b"\xef\xbb\xbf"
_OPENS_DOCUMENT = re.compile(rb"[\[{,:]\Z")
# A whole string, a bracket, or a quote whose string has not ended yet. JSON has one kind of quotes,
# and the others only inside strings; Node prints all three.
_STRINGS = b"|".join(
    rb"Q[^Q\\]*+(?:\\.[^Q\\]*+)*+Q".replace(b"Q", quote) for quote in (b'"', b"'", b"`")
)
_MARK = re.compile(_STRINGS + rb"|[\[\]{}\"'`]", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Value:
    """A stretch of the file that should be one JSON value."""

    line: int
    """First line of the value, from 1."""
    text: bytes
    is_too_large: bool = False
    """Whether the value was skipped and has no text."""


class Splitter:
    """Splits the bytes of a file, which come in pieces, into its values."""

    def __init__(self, max_value_bytes: int = MAX_VALUE_BYTES) -> None:
        self._max_bytes = max_value_bytes
        self._buffer = bytearray()
        self._line = 1
        self._is_skipping = False
        self._document: _Document | None = None
        self._is_lines = False

    def feed(self, data: bytes) -> Iterator[Value]:
        """Yield the values that are complete now."""
        if self._document is not None:
            yield from self._document.feed(data)
            return
        looked = len(self._buffer)
        self._buffer += data
        while (end := self._buffer.find(b"\n", looked)) >= 0:
            line = bytes(self._buffer[:end])
            if not self._is_lines and _is_document(line):
                yield from self._read_document()
                return
            del self._buffer[: end + 1]
            looked = 0
            yield from self._end_line(line)
        if len(self._buffer) > self._max_bytes:
            if not self._is_lines and self._buffer.lstrip(_BLANK)[:1] == b"[":
                yield from self._read_document()
                return
            if not self._is_skipping:
                yield Value(self._line, b"", is_too_large=True)
            self._is_skipping = True
            self._buffer.clear()

    def finish(self) -> Iterator[Value]:
        """Yield the rest."""
        if self._document is not None:
            yield from self._document.finish()
        else:
            yield from self._end_line(bytes(self._buffer))
        self._buffer.clear()

    def _end_line(self, line: bytes) -> Iterator[Value]:
        if not self._is_skipping and (text := line.removeprefix(_BOM).strip(_BLANK)):
            self._is_lines = True
            if len(text) > self._max_bytes:
                yield Value(self._line, b"", is_too_large=True)
            else:
                yield Value(self._line, text)
        self._is_skipping = False
        self._line += 1

    def _read_document(self) -> Iterator[Value]:
        self._document = _Document(self._line, self._max_bytes)
        data = bytes(self._buffer.removeprefix(_BOM))
        self._buffer.clear()
        yield from self._document.feed(data)


def _is_document(line: bytes) -> bool:
    """Return whether a first line only begins a value."""
    return _OPENS_DOCUMENT.search(line.rstrip(_BLANK)) is not None


class _Document:
    """Finds values by their brackets: the items of an array, or objects one after another."""

    def __init__(self, line: int, max_bytes: int) -> None:
        self._max_bytes = max_bytes
        self._buffer = bytearray()
        self._line = line  # on which the buffer begins
        self._seen = 0  # how much of the buffer was scanned
        self._wanted = 0  # an incomplete string is scanned again when the buffer has so much
        self._start: int | None = None  # of the value that is open
        self._depth = 0
        self._floor = 0  # 1 within an outermost array
        self._is_skipping = False
        self._is_abandoned = False

    def feed(self, data: bytes) -> Iterator[Value]:
        if self._is_abandoned:
            return
        self._buffer += data
        if len(self._buffer) < self._wanted:
            return
        yield from self._scan()
        if len(self._buffer) - self._seen > self._max_bytes:  # one string, whose end is unknown
            self._is_abandoned = True
            if not self._is_skipping:
                yield self._too_large()
        elif self._start is not None and len(self._buffer) - self._start > self._max_bytes:
            if not self._is_skipping:
                yield self._too_large()
            self._is_skipping = True
        self._drop_seen()

    def finish(self) -> Iterator[Value]:
        self._wanted = 0
        yield from self.feed(b"")
        rest = bytes(self._buffer).strip(_BLANK + b",]")
        if rest and not self._is_skipping and not self._is_abandoned:
            yield Value(self._line, rest)  # it ends too early, which the parser reports

    def _scan(self) -> Iterator[Value]:
        while mark := _MARK.search(self._buffer, self._seen):
            text = mark[0]
            if text[:1] in (b"'", b"`") and self._start is None:
                self._seen = mark.start() + 1  # between values it is no string
                continue
            if text in (b'"', b"'", b"`"):
                self._seen = mark.start()
                self._wanted = 2 * len(self._buffer) - self._seen
                return
            self._seen = mark.end()
            if text in (b"[", b"{"):
                self._open(mark.start(), text)
            elif text in (b"]", b"}"):
                yield from self._close()
        self._seen, self._wanted = len(self._buffer), 0

    def _open(self, place: int, bracket: bytes) -> None:
        if self._depth == 0 and bracket == b"[":
            self._floor = 1
        elif self._depth == self._floor:
            self._start = place
        self._depth += 1

    def _close(self) -> Iterator[Value]:
        self._depth = max(self._depth - 1, 0)
        if self._depth == self._floor and self._start is not None:
            if not self._is_skipping:
                line = self._line + self._buffer.count(b"\n", 0, self._start)
                yield Value(line, bytes(self._buffer[self._start : self._seen]))
            self._start, self._is_skipping = None, False
        elif self._depth == 0:
            self._floor = 0

    def _too_large(self) -> Value:
        line = self._line + self._buffer.count(b"\n", 0, self._start or 0)
        return Value(line, b"", is_too_large=True)

    def _drop_seen(self) -> None:
        """Keep the value that is open, and what was not scanned."""
        done = self._seen
        if self._start is not None:
            done = done if self._is_skipping else self._start
            self._start -= done
        self._line += self._buffer.count(b"\n", 0, done)
        del self._buffer[:done]
        self._seen -= done
        self._wanted = max(self._wanted - done, 0)
