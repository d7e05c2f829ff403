"""Spans in protobuf: find the wanted attributes without an object for each of the others.

The spans of one program repeat a few sequences of attribute keys. Such a sequence is looked at
once; of the spans that follow only the attributes at the places found are touched.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from operator import itemgetter
from typing import Any, NamedTuple, TypeAlias

from opentelemetry.proto.common.v1.common_pb2 import KeyValue

from inspector.service.model.encoded import message_classes
from inspector.service.model.otlp_values import json_value
from inspector.service.model.rows import Json

MAX_BYTES = 64 * 1024
"""An attribute longer than this is content, never a fact: decoding it would cost every span."""

# Wire format: KeyValue {key = 1; value = 2}, AnyValue {string_value = 1; int_value = 3}.
_KEY, _VALUE, _STRING, _INT = 0x0A, 0x12, 0x0A, 0x18
_ONE_BYTE_LENGTH = 0x80
"""A length below this is one byte."""
_Keys = message_classes(
    {"Keys": [("attributes", 9, "Key", True)], "Key": [("key", 1, "string", False)]}
)["Keys"]

EncodedSpan: TypeAlias = tuple[bytes, Any, bytes]
"""A span of a request, taken apart by `otlp.payloads`.

All of it; its ids, name and times as a `Span` has them, and its `attributes`, each of them bytes;
the keys of its attributes, and what else recurs in many spans: its kind, status and counts.
"""


class Places:
    """The places of the attributes of some keys, in spans whose attributes have the same keys.

    Args:
        keys: Of all attributes, in order.
        wanted: The keys that are looked for.
    """

    def __init__(self, keys: Sequence[str], wanted: Collection[str]) -> None:
        self._places = [_place(at, key) for at, key in enumerate(keys) if key in wanted]
        places = [place.at for place in self._places]
        self.bytes_in: Callable[[Sequence[bytes]], Any] = (
            itemgetter(*places) if places else _nothing
        )
        """Return the attributes of a span as something to compare."""

    def __bool__(self) -> bool:
        return bool(self._places)

    def size_bytes(self, pairs: Sequence[bytes]) -> int:
        """Return how much there is to compare."""
        return sum(len(pairs[place.at]) for place in self._places)

    def values(self, pairs: Sequence[bytes]) -> dict[str, Json]:
        """Return the attributes of a span; the last of a repeated key wins."""
        return {key: _value(pairs[at], begins) for at, key, begins in self._places}


def attribute_keys(shape_bytes: bytes) -> list[str]:
    """Return the keys of a span's attributes, in order."""
    return [pair.key for pair in _Keys.FromString(shape_bytes).attributes]


def wanted_attributes(pairs: Iterable[KeyValue], wanted: Collection[str]) -> dict[str, Json]:
    """Return the wanted attributes of decoded `pairs`; one that is too long has no value."""
    return {
        pair.key: json_value(pair.value) if pair.ByteSize() <= MAX_BYTES else None
        for pair in pairs
        if pair.key in wanted
    }


class _Place(NamedTuple):
    """Where an attribute stands, and how its bytes usually begin."""

    at: int
    key: str
    begins: bytes


def _nothing(pairs: Sequence[bytes]) -> None:
    """Return the attributes of a span that has none of the wanted ones."""


def _place(at: int, key: str) -> _Place:
    name = key.encode()  # it is wanted, so its length is one byte
    return _Place(at, key, bytes((_KEY, len(name))) + name)


def _value(pair: bytes, begins: bytes) -> Json:
    """Return the value of an encoded `KeyValue`; short texts and small numbers without objects."""
    if len(pair) > MAX_BYTES:
        return None
    start = len(begins)
    rest = pair[start : start + 4]
    if len(rest) == 4 and rest[0] == _VALUE and rest[1] == len(pair) - start - 2:
        is_usual = rest[1] < _ONE_BYTE_LENGTH and pair.startswith(begins)
        if rest[2] == _STRING and rest[1] == rest[3] + 2 and is_usual:
            return pair[start + 4 :].decode()
        if rest[2] == _INT and rest[1] == 2 and rest[3] < _ONE_BYTE_LENGTH and is_usual:
            return rest[3]
    return json_value(KeyValue.FromString(pair).value)
