"""Decompress gzip as a stream, in bounded pieces; other bytes pass unchanged."""

from __future__ import annotations

import zlib
from collections.abc import Iterator

from inspector.errors import BadDataError

PIECE_BYTES = 1024 * 1024
"""The largest piece: a small file may unpack to a large one."""

_GZIP_MAGIC = b"\x1f\x8b"
_GZIP = 31


class Unpacker:
    """Uncompresses a file that comes in pieces."""

    def __init__(self) -> None:
        self._head = b""
        self._is_plain: bool | None = None
        self._stream = zlib.decompressobj(_GZIP)

    def feed(self, data: bytes) -> Iterator[bytes]:
        """Yield `data`, uncompressed.

        Raises:
            BadDataError: It began as gzip, and is damaged.
        """
        if self._is_plain is None:
            data = self._head = self._head + data
            if len(data) < len(_GZIP_MAGIC):
                return
            self._is_plain = not data.startswith(_GZIP_MAGIC)
        if self._is_plain:
            yield data
        else:
            yield from self._unpack(data)

    def finish(self) -> Iterator[bytes]:
        """Yield the buffered bytes.

        Raises:
            BadDataError: The file ends too early.
        """
        if self._is_plain is None and self._head:
            yield self._head
        elif self._is_plain is False and not self._stream.eof:
            raise BadDataError(
                "Cannot read the gzip file to its end: it is truncated. Import the whole file to "
                "add the rest."
            )

    def _unpack(self, data: bytes) -> Iterator[bytes]:
        piece = b""
        # A full piece may have left something behind that needs no more input.
        while data or len(piece) == PIECE_BYTES:
            if self._stream.eof:  # files may be joined end to end, with zeros behind
                data, piece = data.lstrip(b"\0"), b""
                if not data:
                    return
                self._stream = zlib.decompressobj(_GZIP)
            try:
                piece = self._stream.decompress(data, PIECE_BYTES)
            except zlib.error as error:
                raise BadDataError(
                    f"Cannot read the gzip file to its end: it is damaged ({error}). Import an "
                    "intact copy to add the rest."
                ) from error
            if piece:
                yield piece
            data = self._stream.unused_data if self._stream.eof else self._stream.unconsumed_tail
