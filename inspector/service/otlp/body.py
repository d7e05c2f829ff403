"""Undo `Content-Encoding`, never past a size limit: a small body can hold a large one."""

from __future__ import annotations

import sys
import time
import zlib
from collections.abc import Callable
from importlib import import_module
from typing import Any, Protocol

from inspector.errors import BadDataError, TooLargeError

MAX_BODY_BYTES = 64 * 1024 * 1024
"""A request, before and after decompression (OTLP's recommended default)."""

MAX_MEMBERS = 4096
"""Limit of compressed streams in one body: each takes time, even an empty one."""

MAX_DECOMPRESSION_S = 5.0
"""Limit of CPU time. The largest body takes half a second, a malicious one many."""

MAX_ZSTD_WINDOW_LOG = 23
"""Limit of a frame's window: 8 MiB of memory (RFC 9659)."""

_PIECE_BYTES = 64 * 1024
"""Limit of the input of one step: what is left behind the end of a member is copied."""

_GZIP, _ZLIB, _RAW_DEFLATE = 31, 15, -15


class ExpandedTooLargeError(TooLargeError):
    """The body is within the limit, but its decompressed content is not."""


class _Stream(Protocol):
    """The common interface of `zlib` and `zstd`."""

    @property
    def eof(self) -> bool: ...

    @property
    def unused_data(self) -> bytes: ...

    def decompress(self, data: bytes, max_length: int, /) -> bytes: ...


def _zstd_module() -> Any:
    """Return Python's own from 3.14 on, its copy for others, or None: not every build has it."""
    try:
        return import_module(
            "compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd"
        )
    except ImportError:
        return None


_zstd = _zstd_module()
_ERRORS = (zlib.error, *([_zstd.ZstdError] if _zstd else []))

CODINGS = frozenset({"", "identity", "gzip", "x-gzip", "deflate", *(["zstd"] if _zstd else [])})


def decompress(body: bytes, coding: str, *, limit_bytes: int = MAX_BODY_BYTES) -> bytes:
    """Return `body` without its content coding.

    Args:
        body: As it came.
        coding: One of `CODINGS`, lower case.
        limit_bytes: Limit of the result, and of the memory that decompression takes.

    Raises:
        BadDataError: It is not what `coding` says, or it is cut short.
        TooLargeError: The result would be larger, or there is too much to do for it.
    """
    if not body or coding in {"", "identity"}:  # nothing is an empty request in any coding
        if len(body) > limit_bytes:
            raise _too_large(limit_bytes)
        return body
    if coding == "zstd":
        options = {_zstd.DecompressionParameter.window_log_max: MAX_ZSTD_WINDOW_LOG}
        return _unpack(body, lambda: _zstd.ZstdDecompressor(options=options), limit_bytes)
    if coding == "deflate":
        bits = _ZLIB if _has_zlib_header(body) else _RAW_DEFLATE
        return _unpack(body, lambda: zlib.decompressobj(bits), limit_bytes, max_members=1)
    return _unpack(body, lambda: zlib.decompressobj(_GZIP), limit_bytes)


def _unpack(
    body: bytes,
    new_stream: Callable[[], _Stream],
    limit_bytes: int,
    *,
    max_members: int = MAX_MEMBERS,
) -> bytes:
    parts: list[bytes] = []
    size_bytes, members = 0, 1
    stream = new_stream()
    end_s = time.thread_time() + MAX_DECOMPRESSION_S
    for start in range(0, len(body), _PIECE_BYTES):
        if time.thread_time() > end_s:
            raise TooLargeError("Decompressing the body takes too long. Send smaller batches.")
        rest = body[start : start + _PIECE_BYTES]
        while rest:
            if stream.eof:
                members += 1
                if members > max_members:
                    raise _too_many(max_members)
                stream = new_stream()
            try:
                part = stream.decompress(rest, limit_bytes - size_bytes + 1)
            except _ERRORS as error:
                raise BadDataError(f"Cannot decompress the body: {error}.") from error
            size_bytes += len(part)
            if size_bytes > limit_bytes:
                raise _too_large(limit_bytes)
            parts.append(part)
            rest = stream.unused_data if stream.eof else b""
    if not stream.eof:
        raise BadDataError("The compressed body is truncated. Send it again.")
    return b"".join(parts)


def _has_zlib_header(body: bytes) -> bool:
    # RFC 9110 says zlib; some senders send bare deflate. The header checks itself (RFC 1950).
    return len(body) >= 2 and body[0] & 0x0F == 8 and int.from_bytes(body[:2], "big") % 31 == 0


def _too_many(max_members: int) -> BadDataError | TooLargeError:
    if max_members == 1:
        return BadDataError("The compressed body has trailing data.")
    return TooLargeError(
        f"The body has more than {max_members} compressed streams. Send smaller batches."
    )


def _too_large(limit_bytes: int) -> ExpandedTooLargeError:
    return ExpandedTooLargeError(
        f"The request is larger than {limit_bytes // 2**20} MiB after decompression. "
        "Send smaller batches."
    )
