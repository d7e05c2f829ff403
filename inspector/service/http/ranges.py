"""`Range` and its conditions (RFC 9110): one range of bytes, or else the whole."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

TAIL_BYTES = 64 * 1024
"""Bytes cached of the end of a stream: clients read the end more than once."""

_ONE_RANGE = re.compile(r"bytes=(?:(\d{1,18})-(\d{0,18})|-(\d{1,18}))", re.ASCII)


def requested_range(header: str) -> tuple[int | None, int | None] | None:
    """Return (first, last) of the request; None without a range that is served.

    `(None, 500)` are the last 500 bytes, `(500, None)` all from the 500th on.
    """
    match = _ONE_RANGE.fullmatch(header.replace(" ", ""))
    if match is None:
        return None
    first, last, suffix = match.groups()
    if suffix is not None:
        return None, int(suffix)
    start, end = int(first), int(last) if last else None
    return None if end is not None and end < start else (start, end)


def resolve(requested: tuple[int | None, int | None], total: int) -> tuple[int, int] | None:
    """Return the start and the exclusive end of a range; None if it is outside `total` bytes."""
    first, last = requested
    if first is None:
        first, end = max(total - (last or 0), 0), total
    else:
        end = total if last is None else min(last + 1, total)
    return (first, end) if first < end else None


@dataclass(frozen=True, slots=True)
class Measure:
    """The length and the last bytes of a stream."""

    total: int
    tail: bytes

    def ending(self, first: int, end: int) -> bytes | None:
        """Return the bytes from `first` up to `end` if they are in the tail."""
        begin = self.total - len(self.tail)
        return self.tail[first - begin : end - begin] if first >= begin else None


def measured(pieces: Iterable[bytes], on_end: Callable[[Measure], object]) -> Iterator[bytes]:
    """Yield `pieces`, and call `on_end` with their measure after the last."""
    total, tail = 0, b""
    for piece in pieces:
        total += len(piece)
        tail = (tail + piece)[-TAIL_BYTES:]
        yield piece
    on_end(Measure(total, tail))


def stretch(pieces: Iterable[bytes], first: int, end: int) -> Iterator[bytes]:
    """Yield the bytes of the joined `pieces` from `first` up to `end`, and stop there."""
    place = 0
    for piece in pieces:
        if part := piece[max(first - place, 0) : max(end - place, 0)]:
            yield part
        place += len(piece)
        if place >= end:
            return


def fits(header: str, tag: str, *, is_weak_enough: bool = False) -> bool:
    """Return whether one of the tags in `If-None-Match` or `If-Range` is `tag`.

    Args:
        header: As sent; `*` is any.
        tag: Strong, with its quotes.
        is_weak_enough: A weak tag of the same text will do.
    """
    tags = [one.strip() for one in header.split(",")]
    if is_weak_enough:
        tags = [one.removeprefix("W/") for one in tags]
    return tag in tags or "*" in tags
