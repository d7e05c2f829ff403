"""A splitter of byte chunks into lines of bounded length."""

from __future__ import annotations

from collections.abc import Iterator

MAX_LINE_BYTES = 16 * 2**20


class LineSplitter:
    """Takes chunks as they come and gives whole lines, without their end."""

    def __init__(self, max_bytes: int = MAX_LINE_BYTES) -> None:
        """Make one; of a longer line only its length is kept."""
        self._max_bytes = max_bytes
        self.forget()

    def forget(self) -> None:
        """Something is missing here: what comes is a line again after the next end of one."""
        self._parts: list[bytes] = []
        self._size = 0
        self._is_broken = False

    def lose(self) -> None:
        """Note that bytes are missing: the line that they belong to is none."""
        self.forget()
        self._is_broken = True

    def feed(self, chunk: bytes) -> Iterator[bytes | int]:
        """Yield each line that `chunk` ends; of one that is too long, its length in bytes."""
        start = 0
        while (end := chunk.find(b"\n", start)) >= 0:
            yield from self._ended(chunk[start:end])
            start = end + 1
        self._keep(chunk[start:])

    def rest(self) -> Iterator[bytes | int]:
        """Yield what is left without an end of line."""
        if self._size:
            yield from self._ended(b"")

    def _ended(self, last: bytes) -> Iterator[bytes | int]:
        self._keep(last)
        parts, size, is_broken = self._parts, self._size, self._is_broken
        self.forget()
        if is_broken:
            return
        yield b"".join(parts) if size <= self._max_bytes else size

    def _keep(self, part: bytes) -> None:
        self._size += len(part)
        if self._size > self._max_bytes:
            self._parts.clear()
        elif part and not self._is_broken:
            self._parts.append(part)
