"""JSON text that represents exactly one value, and its parser.

A person approves text, and a value runs: neither numbers nor types may change between them. The
text is that of RFC 8785 except for numbers, which the RFC would change: integers are exact, floats
as Python writes them.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable
from typing import Any, NoReturn

MAX_DEPTH = 100
"""Limit of nested arrays and objects."""

_SCALARS = frozenset({int, float, bool, type(None)})
_SURROGATE = re.compile("[\ud800-\udfff]")
# A string counts to its end or that of the text, so that this takes linear time.
_BRACKETS = re.compile(r'"(?:[^"\\]++|\\.)*+"?|[\[{\]}]', re.DOTALL)


class NotExactError(ValueError):
    """The value has no exact JSON text; the message says why."""


class BadJsonError(ValueError):
    """The text is no acceptable JSON; the message says why."""


def canonical(value: Any, max_bytes: int) -> str:
    """Return the text that means exactly `value`: keys sorted, no white space.

    Raises:
        NotExactError: There is none, or it has more than `max_bytes` bytes of UTF-8.
    """
    try:
        ordered = _Ordering(max_bytes).of(value, 0)
        text = json.dumps(
            ordered,
            ensure_ascii=False,
            allow_nan=False,
            check_circular=False,
            separators=(",", ":"),
        )
    except (RecursionError, RuntimeError) as error:  # the latter: it changes meanwhile
        raise NotExactError(f"it cannot be traversed: {error}") from error
    except NotExactError:
        raise
    except ValueError as error:  # an integer of thousands of digits
        raise NotExactError(f"it cannot be encoded as JSON: {error}") from error
    if _SURROGATE.search(text):
        text = _SURROGATE.sub(lambda half: f"\\u{ord(half[0]):04x}", text)
        if not is_same(json.loads(text), value):
            raise NotExactError("it contains unpaired surrogates")
    if len(text) > max_bytes or len(text.encode()) > max_bytes:
        raise NotExactError(f"it is longer than {max_bytes} bytes")
    return text


class _Ordering:
    """A copier of plain data that sorts keys and refuses other types and too much text."""

    def __init__(self, max_chars: int) -> None:
        self._left = max_chars
        self._max = max_chars

    def of(self, value: Any, depth: int) -> Any:
        """Return a copy of `value`; its count of characters is a lower bound of the text."""
        kind = type(value)
        if kind is str:
            self._count(len(value))
        elif kind is dict:
            return self._object(value, depth)
        elif kind is list:
            _check_depth(depth)
            self._count(2 * len(value))
            return [self.of(item, depth + 1) for item in value]
        elif kind is float and not math.isfinite(value):
            raise NotExactError(f"it contains the number {value}, which JSON does not support")
        elif kind not in _SCALARS:
            raise NotExactError(f"it contains a {kind.__qualname__}, which JSON does not support")
        return value

    def _object(self, value: dict[Any, Any], depth: int) -> dict[str, Any]:
        _check_depth(depth)
        self._count(4 * len(value))
        for key in value:
            if type(key) is not str:
                raise NotExactError(f"it has a key of type {type(key).__qualname__}")
        names = "".join(value)
        self._count(len(names))
        # RFC 8785 sorts by UTF-16, which for ASCII is the order of Python.
        by_utf16 = None if names.isascii() else lambda key: key.encode("utf-16-be", "surrogatepass")
        keys = sorted(value, key=by_utf16)
        return {key: self.of(value[key], depth + 1) for key in keys}

    def _count(self, chars: int) -> None:
        self._left -= chars
        if self._left < 0:
            raise NotExactError(f"it is longer than {self._max} bytes")


def _check_depth(depth: int) -> None:
    if depth >= MAX_DEPTH:
        raise NotExactError(f"it is nested deeper than {MAX_DEPTH}")


def parsed(text: str, max_bytes: int) -> Any:
    """Return the value of a JSON text from outside.

    Raises:
        BadJsonError: It is no JSON, has more than `max_bytes` bytes of UTF-8, is nested deeper
            than `MAX_DEPTH`, has a key twice in one object, or an infinite number or NaN.
    """
    if len(text) > max_bytes or len(text.encode("utf-8", "surrogatepass")) > max_bytes:
        raise BadJsonError(f"it is longer than {max_bytes} bytes")
    if _depth(text) > MAX_DEPTH:
        raise BadJsonError(f"it is nested deeper than {MAX_DEPTH}")
    try:
        return json.loads(
            text,
            object_pairs_hook=_object_of,
            parse_constant=_refuse_constant,
            parse_float=_finite,
        )
    except BadJsonError:
        raise
    except (ValueError, RecursionError) as error:
        raise BadJsonError(f"it is not JSON: {error}") from error


def _depth(text: str) -> int:
    depth = deepest = 0
    for token in _BRACKETS.finditer(text):
        first = text[token.start()]
        if first in "[{":
            depth += 1
            deepest = max(deepest, depth)
        elif first in "]}":
            depth -= 1
    return deepest


def _object_of(pairs: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise BadJsonError(f"the key {key[:80]!r} is duplicated")
        found[key] = value
    return found


def _refuse_constant(constant: str) -> NoReturn:
    raise BadJsonError(f"{constant} is not a JSON number")


def _finite(digits: str) -> float:
    number = float(digits)
    if not math.isfinite(number):
        raise BadJsonError(f"the number {digits[:80]} is too large")
    return number


def is_same(one: Any, other: Any) -> bool:
    """Return whether two values of JSON are the same, with the same types (1 is not 1.0)."""
    kind = type(one)
    if kind is not type(other):
        return False
    if kind is dict:
        return one.keys() == other.keys() and all(is_same(one[key], other[key]) for key in one)
    if kind is list:
        return len(one) == len(other) and all(map(is_same, one, other))
    return bool(one == other) and (kind is not float or repr(one) == repr(other))


def reuse_unchanged(before: Any, after: Any) -> Any:
    """Return `after` with its unchanged parts replaced by the same objects of `before`.

    Old keys stay in their order.
    """
    if type(before) is dict and type(after) is dict:
        result = {key: reuse_unchanged(before[key], after[key]) for key in before if key in after}
        result |= {key: value for key, value in after.items() if key not in before}
        is_as_before = result.keys() == before.keys() and all(
            result[key] is before[key] for key in before
        )
        return before if is_as_before else result
    if type(before) is list and type(after) is list:
        items = [*map(reuse_unchanged, before, after), *after[len(before) :]]
        is_as_before = len(items) == len(before) and all(
            item is old for item, old in zip(items, before, strict=True)
        )
        return before if is_as_before else items
    return before if is_same(before, after) else after
