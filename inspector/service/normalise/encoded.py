"""Spans in protobuf: find the wanted attributes without an object for each of the others.

The spans of one program repeat a few sequences of attribute keys. Such a sequence is looked at
once; of the spans that follow only the attributes at the places found are touched.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from operator import itemgetter
from typing import Any, NamedTuple, TypeAlias

from opentelemetry.proto.common.v1.common_pb2 import KeyValue

from inspector.service.model.otlp_values import json_value
from inspector.service.model.rows import Json

MAX_BYTES = 64 * 1024
"""An attribute longer than this is content, never a fact: decoding it would cost every span."""

# Wire format: KeyValue {key = 1; value = 2}, AnyValue {string_value = 1; int_value = 3}.
_KEY, _VALUE, _STRING, _INT = 0x0A, 0x12, 0x0A, 0x18
_ONE_BYTE_LENGTH = 0x80
"""A length below this is one byte."""


EncodedSpan: TypeAlias = tuple[bytes, Any, Any]
"""A span of a request, taken apart by `otlp.payloads`.

All of it; its ids, name and times as a `Span` has them, and its `attributes`, each of them bytes;
the keys of its attributes, and what else recurs in many spans: its kind, status and counts.
"""


class _Place(NamedTuple):
    """Where an attribute stands, and how its bytes usually begin."""

    at: int
    key: str
    begins: bytes


class Shape:
    """The places of the wanted attributes in spans whose attributes have the same keys.

    Args:
        names: The keys of all attributes, in order.
        steady: Wanted keys whose values recur: few differ among many spans.
        varying: Wanted keys of other values.
    """

    def __init__(
        self, names: Iterable[bytes], steady: Collection[str], varying: Collection[str]
    ) -> None:
        found = [(at, name.decode()) for at, name in enumerate(names)]
        self._steady = [_place(at, key) for at, key in found if key in steady]
        self._varying = [_place(at, key) for at, key in found if key in varying]
        self.is_varying = bool(self._varying)
        self.is_remembered = False
        """Whether later spans meet it again: what is learnt of one that is not is of no use."""
        places = [place.at for place in self._steady]
        self.steady_bytes: Callable[[Sequence[bytes]], Any] = (
            itemgetter(*places) if places else _nothing
        )
        """Return the steady attributes of a span as something to compare."""

    def size_bytes(self, pairs: Sequence[bytes]) -> int:
        """Return how much there is to compare."""
        return sum(len(pairs[place.at]) for place in self._steady)

    def steady(self, pairs: Sequence[bytes]) -> dict[str, Json]:
        """Return the steady attributes; the last of a repeated key wins."""
        return {key: _value(pairs[at], begins) for at, key, begins in self._steady}

    def varying(self, pairs: Sequence[bytes]) -> dict[str, Json]:
        """Return the varying attributes; the last of a repeated key wins."""
        return {key: _value(pairs[at], begins) for at, key, begins in self._varying}


def wanted_attributes(pairs: Iterable[KeyValue], wanted: Collection[str]) -> dict[str, Json]:
    """Return the wanted attributes of decoded `pairs`; one that is too long has no value."""
    return {
        pair.key: json_value(pair.value) if pair.ByteSize() <= MAX_BYTES else None
        for pair in pairs
        if pair.key in wanted
    }


def _nothing(pairs: Sequence[bytes]) -> None:
    """Return the steady attributes of a span without any."""


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
