"""Read only the wanted attributes from their protobuf bytes.

An encoded `KeyValue` begins with its key, so one look-up of its first bytes says whether it is
wanted. Nearly all are not, and cost no object; short texts and small numbers, nearly all of the
rest, are read here, anything else by the stock class.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from opentelemetry.proto.common.v1.common_pb2 import KeyValue

from inspector.service.model.otlp_values import json_value
from inspector.service.model.rows import Json

MAX_BYTES = 64 * 1024
"""An attribute longer than this is content, never a fact: decoding it would cost every span."""
_MAX_REMEMBERED = 4096

# Wire format: KeyValue {key = 1; value = 2}, AnyValue {string_value = 1; int_value = 3}.
_KEY, _VALUE, _STRING, _INT = 0x0A, 0x12, 0x0A, 0x18
_ONE_BYTE_LENGTH = 0x80
"""A length below this is one byte."""


class EncodedAttributes:
    """Picks the wanted attributes from encoded ones.

    Args:
        is_wanted: Whether the attribute of this key is to be read.
    """

    def __init__(self, is_wanted: Callable[[str], bool]) -> None:
        self._is_wanted = is_wanted
        # By the bytes before their value, which are of the usual form.
        self._wanted: dict[bytes, str] = {}
        self._unwanted: set[bytes] = set()

    def pick(self, pairs: Iterable[bytes]) -> dict[str, Json]:
        """Return the wanted `KeyValue`s of valid `pairs`; the last of a repeated key wins."""
        unwanted = self._unwanted
        try:
            rest = [pair for pair in pairs if pair[: 2 + pair[1]] not in unwanted]
        except IndexError:  # an empty one: it has neither key nor value
            return self.pick([pair for pair in pairs if pair])
        found: dict[str, Json] = {}
        for pair in rest:
            start = 2 + pair[1]
            if len(pair) > MAX_BYTES:
                continue
            if (key := self._wanted.get(pair[:start])) is not None:
                found[key] = _value(pair, start)
            elif (key := self._learn(pair)) is not None:
                found[key] = json_value(KeyValue.FromString(pair).value)
        return found

    def _learn(self, pair: bytes) -> str | None:
        """Return the key of `pair` if it is wanted, and remember whether."""
        key = KeyValue.FromString(pair).key
        is_wanted = self._is_wanted(key)
        if len(self._wanted) + len(self._unwanted) >= _MAX_REMEMBERED:
            self._wanted.clear()
            self._unwanted.clear()
        raw = key.encode()
        if len(raw) < _ONE_BYTE_LENGTH and pair.startswith(bytes((_KEY, len(raw))) + raw):
            if is_wanted:
                self._wanted[pair[: 2 + len(raw)]] = key
            else:
                self._unwanted.add(pair[: 2 + len(raw)])
        return key if is_wanted else None


def _value(pair: bytes, start: int) -> Json:
    """Return the value of `pair`, whose key ends at `start`."""
    rest = pair[start : start + 4]
    if len(rest) == 4 and rest[0] == _VALUE and rest[1] == len(pair) - start - 2:
        if rest[2] == _STRING and rest[1] == rest[3] + 2 and rest[1] < _ONE_BYTE_LENGTH:
            return pair[start + 4 :].decode()
        if rest[2] == _INT and rest[1] == 2 and rest[3] < _ONE_BYTE_LENGTH:
            return rest[3]
    return json_value(KeyValue.FromString(pair).value)
