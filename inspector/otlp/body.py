"""Undo `Content-Encoding`, never past a limit: a small body can hold a large one."""

from __future__ import annotations

import zlib

from inspector.errors import BadDataError, TooLargeError

MAX_BODY_BYTES = 64 * 1024 * 1024
"""A request, before and after decompression (OTLP's recommended default)."""

CODINGS = frozenset({"", "identity", "gzip", "x-gzip", "deflate"})

_GZIP, _ZLIB, _RAW_DEFLATE = 31, 15, -15


def decompress(body: bytes, coding: str, *, limit_bytes: int = MAX_BODY_BYTES) -> bytes:
    """Return `body` without its content coding.

    Args:
        body: As it came.
        coding: One of `CODINGS`, lower case.
        limit_bytes: Of the result. Memory stays below it, whatever `body` would become.

    Raises:
        BadDataError: It is not what `coding` says, or it is cut short.
        TooLargeError: The result would be larger.
    """
    if not body or coding in {"", "identity"}:  # nothing is an empty request in any coding
        if len(body) > limit_bytes:
            raise _too_large(limit_bytes)
        return body
    if coding == "deflate":
        return _inflate(body, _ZLIB if _has_zlib_header(body) else _RAW_DEFLATE, limit_bytes)
    return _inflate(body, _GZIP, limit_bytes)


def _inflate(body: bytes, window_bits: int, limit_bytes: int) -> bytes:
    parts: list[bytes] = []
    size_bytes = 0
    while True:  # one turn for each member: gzip files may be joined end to end
        stream = zlib.decompressobj(window_bits)
        try:
            part = stream.decompress(body, limit_bytes - size_bytes + 1)
        except zlib.error as error:
            raise BadDataError(f"The body cannot be decompressed: {error}.") from error
        size_bytes += len(part)
        if size_bytes > limit_bytes:
            raise _too_large(limit_bytes)
        parts.append(part)
        if not stream.eof:
            raise BadDataError("The compressed body ends too early. Send it again, whole.")
        body = stream.unused_data
        if not body:
            return b"".join(parts)
        if window_bits != _GZIP:
            raise BadDataError("There is something after the end of the compressed body.")


def _has_zlib_header(body: bytes) -> bool:
    # RFC 9110 says zlib; some senders send bare deflate. The header checks itself (RFC 1950).
    return len(body) >= 2 and body[0] & 0x0F == 8 and int.from_bytes(body[:2], "big") % 31 == 0


def _too_large(limit_bytes: int) -> TooLargeError:
    return TooLargeError(
        f"The request is larger than {limit_bytes // 2**20} MiB after decompression. "
        "Send smaller batches."
    )
