"""A splitter of byte chunks into lines of bounded length."""

from __future__ import annotations

from collections.abc import Iterator

MAX_LINE_BYTES = 16 * 2**20


class LineSplitter:
    """A splitter that yields whole lines without their end."""

    def __init__(self, max_bytes: int = MAX_LINE_BYTES) -> None:
        """Make a splitter; a longer line yields only its length."""
        self._max_bytes = max_bytes
        self._reset()

    def _reset(self) -> None:
        self._parts: list[bytes] = []
        self._size = 0
        self._is_broken = False

    def lose(self) -> None:
        """Drop the current line, of which bytes are missing."""
        self._reset()
        self._is_broken = True

    def feed(self, chunk: bytes) -> Iterator[bytes | int]:
        """Yield each line that `chunk` ends; the length in bytes of one that is too long."""
        start = 0
        while (end := chunk.find(b"\n", start)) >= 0:
            yield from self._ended(chunk[start:end])
            start = end + 1
        self._append(chunk[start:])

    def rest(self) -> Iterator[bytes | int]:
        """Yield the last line, which has no end."""
        if self._size:
            yield from self._ended(b"")

    def _ended(self, last: bytes) -> Iterator[bytes | int]:
        self._append(last)
        parts, size, is_broken = self._parts, self._size, self._is_broken
        self._reset()
        if is_broken:
            return
        yield b"".join(parts) if size <= self._max_bytes else size

    def _append(self, part: bytes) -> None:
        self._size += len(part)
        if self._size > self._max_bytes:
            self._parts.clear()
        elif part and not self._is_broken:
            self._parts.append(part)
