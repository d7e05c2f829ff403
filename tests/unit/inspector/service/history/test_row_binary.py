"""What is encoded can be read back by the rules of the format."""

from __future__ import annotations

import struct
from io import BytesIO

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.service.history.row_binary import (
    NS_A_DAY,
    day,
    encode_row,
    fixed,
    float64,
    int64,
    string,
    uint64,
    varint,
)

INT64 = st.integers(-(2**63), 2**63 - 1)


def read_varint(data: BytesIO) -> int:
    found, shift = 0, 0
    while True:
        byte = data.read(1)[0]
        found |= (byte & 0x7F) << shift
        if byte < 0x80:
            return found
        shift += 7


def read_string(data: BytesIO) -> bytes:
    return data.read(read_varint(data))


@given(st.integers(0, 2**40))
def test_a_length_is_read_back(number: int) -> None:
    assert read_varint(BytesIO(varint(number))) == number


@given(INT64, st.text(), st.binary(min_size=8, max_size=8))
def test_a_row_is_read_back(number: int, text: str, eight: bytes) -> None:
    data = BytesIO(encode_row((int64, string, fixed(8)), (number, text, eight)))
    assert struct.unpack("<q", data.read(8)) == (number,)
    assert read_string(data) == text.encode("utf-8", "replace")
    assert data.read() == eight


def test_numbers_have_the_order_of_bytes_of_the_format() -> None:
    assert uint64(1) == b"\1" + bytes(7)
    assert float64(1.0) == bytes(6) + b"\xf0\x3f"
    assert day(3 * NS_A_DAY + 5) == b"\3\0"
    assert (day(-1), day(2**63 - 1)) == (b"\0\0", b"\x2d\xc2")


def test_a_fixed_string_of_another_length_is_refused() -> None:
    with pytest.raises(ValueError, match="has 3 bytes, not 8"):
        fixed(8)(b"abc")
