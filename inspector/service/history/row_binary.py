"""Values of `RowBinary`, ClickHouse's format of rows without separators or names."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Any, TypeAlias

Encode: TypeAlias = Callable[[Any], bytes]

NS_A_DAY = 86_400 * 10**9
_MAX_KNOWN_CHARS = 80
_MAX_DAY = 49_709
"""2106-02-06: `Date` has later days, but ClickHouse 18.16 takes them as partitions of 1970."""

int64 = struct.Struct("<q").pack
uint64 = struct.Struct("<Q").pack
uint8 = struct.Struct("<B").pack
float64 = struct.Struct("<d").pack
_uint16 = struct.Struct("<H").pack


def varint(number: int) -> bytes:
    """Return a length: seven bits a byte, the lowest first."""
    if number < 0x80:
        return _SMALL[number]
    if number < 0x4000:
        return bytes((number & 0x7F | 0x80, number >> 7))
    found = bytearray()
    while number > 0x7F:
        found.append(number & 0x7F | 0x80)
        number >>= 7
    found.append(number)
    return bytes(found)


_SMALL = [bytes((number,)) for number in range(0x80)]


def string(value: str | bytes) -> bytes:
    """Return a `String`."""
    data = value if isinstance(value, bytes) else value.encode("utf-8", "replace")
    return varint(len(data)) + data


_known = lru_cache(maxsize=4096)(string)


def name(value: str) -> bytes:
    """Return a `String` that many rows have: most of these have been encoded before."""
    return _known(value) if len(value) <= _MAX_KNOWN_CHARS else string(value)


def fixed(length: int) -> Encode:
    """Return the encoder of a `FixedString`."""

    def encode(value: bytes) -> bytes:
        if len(value) != length:
            raise ValueError(f"{value!r} has {len(value)} bytes, not {length}")
        return value

    return encode


def day_of(time_ns: int) -> int:
    """Return the day of a time (Unix ns) that a `Date` has."""
    return min(max(time_ns // NS_A_DAY, 0), _MAX_DAY)


def day(time_ns: int) -> bytes:
    """Return the `Date` of a time (Unix ns)."""
    return _uint16(day_of(time_ns))


def encode_row(encoders: Iterable[Encode], row: Iterable[Any]) -> bytes:
    """Return a row, each value by the encoder of its column."""
    return b"".join(encode(value) for encode, value in zip(encoders, row, strict=True))
