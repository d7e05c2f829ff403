from __future__ import annotations

import gzip
import json
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.errors import BadDataError
from inspector.service.files.splitting import Splitter, Value
from inspector.service.files.unpacking import PIECE_BYTES, Unpacker

plain = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(alphabet='ab"\\{}[],:\n é', max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text(alphabet='k"\\}]', max_size=4), inner, max_size=3)
    ),
    max_leaves=8,
)
objects = st.lists(st.dictionaries(st.text(max_size=3), plain, min_size=1, max_size=3), max_size=4)
cuts = st.lists(st.integers(0, 400), max_size=6).map(sorted)


def split(text: bytes, at: Sequence[int] = (), max_value_bytes: int = 1 << 20) -> list[Value]:
    splitter = Splitter(max_value_bytes)
    found: list[Value] = []
    for start, end in zip((0, *at), (*at, len(text)), strict=True):
        found += splitter.feed(text[start:end])
    return [*found, *splitter.finish()]


def read(values: Sequence[Value]) -> list[object]:
    return [json.loads(value.text) for value in values]


@given(objects, cuts)
def test_lines_come_out_whatever_the_pieces(items: list[object], at: list[int]) -> None:
    text = "".join(json.dumps(item) + "\n" for item in items).encode()
    values = split(text, [min(place, len(text)) for place in at])
    assert read(values) == items
    assert [value.line for value in values] == list(range(1, len(items) + 1))


@given(objects.filter(bool), cuts, st.booleans())
def test_documents_come_out_whatever_the_pieces(
    items: list[object], at: list[int], is_array: bool
) -> None:
    if is_array:
        text = json.dumps(items, indent=2).encode()
    else:
        text = "\n".join(json.dumps(item, indent=2) for item in items).encode()
    values = split(text, [min(place, len(text)) for place in at])
    assert read(values) == items
    lines = text.split(b"\n")
    assert all(b"{" in lines[value.line - 1] for value in values), "each names its first line"


def test_an_array_that_is_one_long_line_is_read_item_by_item() -> None:
    items = [{"n": number, "text": "x" * 50} for number in range(100)]
    values = split(json.dumps(items).encode(), range(0, 6000, 100), max_value_bytes=200)
    assert read(values) == items


def test_a_broken_line_costs_only_itself() -> None:
    text = b'\xef\xbb\xbf{"a": 1}\n{"a": 2, \n\n{"a": 3}\nnonsense\r\n{"a": 4}'
    assert split(text) == [
        Value(1, b'{"a": 1}'),
        Value(2, b'{"a": 2,'),
        Value(4, b'{"a": 3}'),
        Value(5, b"nonsense"),
        Value(6, b'{"a": 4}'),
    ]


@pytest.mark.parametrize("size", [1, 7, 64, 10_000])
def test_a_line_that_is_too_large_is_skipped_and_named(size: int) -> None:
    text = b'{"a": 1}\n{"b": "' + b"x" * 500 + b'"}\n{"a": 2}\n'
    assert split(text, range(0, len(text), size), max_value_bytes=100) == [
        Value(1, b'{"a": 1}'),
        Value(2, b"", is_too_large=True),
        Value(3, b'{"a": 2}'),
    ]


@pytest.mark.parametrize("size", [7, 64, 10_000])
def test_an_item_that_is_too_large_is_skipped_and_named(size: int) -> None:
    large = {"b": ["x" * 20] * 40}
    text = json.dumps([{"a": 1}, large, {"a": 2}], indent=1).encode()
    assert [value.line for value in split(text, max_value_bytes=100_000)] == [2, 5, 49]
    if size < 1_000:  # read at once, it is there before anybody asks how large it is
        values = split(text, range(0, len(text), size), max_value_bytes=100)
        assert [value.is_too_large for value in values] == [False, True, False]
        assert [value.line for value in values] == [2, 5, 49]


def test_one_text_without_end_does_not_fill_memory() -> None:
    splitter = Splitter(1_000)
    found = list(splitter.feed(b'[\n{"a": "'))
    for _ in range(1_000):
        found += splitter.feed(b"x" * 100)
        assert len(splitter._document._buffer) < 10_000  # type: ignore[union-attr]
    assert [*found, *splitter.finish()] == [Value(2, b"", is_too_large=True)]


def test_a_document_that_ends_too_early_is_named() -> None:
    values = split(b'[\n{"a": 1},\n{"b": [1, 2')
    assert read(values[:1]) == [{"a": 1}]
    assert values[1:] == [Value(3, b'{"b": [1, 2')]


def test_long_texts_are_not_read_again_and_again() -> None:
    looked = 0
    splitter = Splitter(1 << 24)
    text = b'[{"a": "' + b"x" * (1 << 22) + b'"}]'
    found: list[Value] = []
    first, rest = text[:1] + b"\n", text[1:]
    found += splitter.feed(first)
    document = splitter._document
    assert document is not None
    scan = document._scan

    def counting() -> object:
        nonlocal looked
        looked += len(document._buffer) - document._seen
        return scan()

    document._scan = counting  # type: ignore[method-assign,assignment]
    for start in range(0, len(rest), 4096):
        found += splitter.feed(rest[start : start + 4096])
    found += splitter.finish()
    assert len(found) == 1
    assert looked < 6 * len(text)


def unpacked(data: bytes, size: int = 100) -> bytes:
    unpacker = Unpacker()
    pieces = [
        piece
        for start in range(0, len(data), size)
        for piece in unpacker.feed(data[start : start + size])
    ]
    pieces += unpacker.finish()
    if data.startswith(b"\x1f\x8b"):
        assert all(len(piece) <= PIECE_BYTES for piece in pieces)
    return b"".join(pieces)


@pytest.mark.parametrize("size", [1, 3, 100, 1 << 30])
@pytest.mark.parametrize("text", [b"", b"a", b"plain text", bytes(3 * PIECE_BYTES)])
def test_gzip_and_plain_come_out_the_same(text: bytes, size: int) -> None:
    if size > 3 or len(text) < 1_000:
        assert unpacked(text, size) == text
    packed = gzip.compress(text)
    assert unpacked(packed, size) == text
    assert unpacked(packed + packed + b"\0" * 7, size) == text + text


@pytest.mark.parametrize("damage", [slice(0, -5), slice(0, 30)])
def test_gzip_that_ends_too_early_is_reported(damage: slice) -> None:
    packed = gzip.compress(bytes(range(256)) * 10)
    with pytest.raises(BadDataError, match="truncated"):
        unpacked(packed[damage])
    with pytest.raises(BadDataError, match="damaged"):
        unpacked(packed[:2] + b"\xff" + packed[3:])
