"""Truncate the long values of a span, so that it loads at once.

The place of each cut is a JSON Pointer (RFC 6901) into the same answer, by which the whole value
can be read.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final

Json = Any

LONG_VALUES: Final = 16
"""The number of values of full length; later ones are cut shorter."""
_SHORT: Final = 256
_DATA: Final = frozenset({"attributes", "metadata", "request_params"})
"""Fields whose members are values from outside: a long list or object there is one value."""


@dataclass(frozen=True, slots=True)
class Cut:
    """The place of a truncated value, and its length as UTF-8."""

    pointer: str
    size_bytes: int
    is_json: bool
    """Whether the value is no text, so that the beginning is that of its JSON."""


@dataclass(slots=True)
class _Clamp:
    value_bytes: int
    left_bytes: int
    cuts: list[Cut] = field(default_factory=list)

    def tree(self, value: Json, pointer: str, *, is_data: bool) -> Json:
        if isinstance(value, str):
            return self._text(value, pointer, is_json=False)
        if isinstance(value, dict):
            return {
                key: self._member(key, inner, f"{pointer}/{escape(key)}", is_data=is_data)
                for key, inner in _views_first(value)
            }
        if isinstance(value, list):
            return [
                self.tree(inner, f"{pointer}/{at}", is_data=is_data)
                for at, inner in enumerate(value)
            ]
        return value

    def _member(self, key: str, value: Json, pointer: str, *, is_data: bool) -> Json:
        if (is_data or key == "body") and isinstance(value, (dict, list)):
            return self._container(value, pointer)
        return self.tree(value, pointer, is_data=key in _DATA)

    def _container(self, value: Json, pointer: str) -> Json:
        text = as_text(value)
        cut = self._text(text, pointer, is_json=True)
        return value if cut is text else cut

    def _text(self, text: str, pointer: str, *, is_json: bool) -> str:
        limit = self.value_bytes if self.left_bytes > 0 else min(_SHORT, self.value_bytes)
        if len(text) * 4 <= limit:
            return text
        data = text.encode(errors="replace")
        self.left_bytes -= min(len(data), limit)
        if len(data) <= limit:
            return text
        self.cuts.append(Cut(pointer, len(data), is_json))
        return data[:limit].decode(errors="ignore")


def clamp(detail: dict[str, Json], value_bytes: int) -> tuple[dict[str, Json], list[Cut]]:
    """Return `detail` with its long values truncated, and their places.

    Args:
        detail: The JSON of a `wire.SpanDetail`.
        value_bytes: The length of a cut value; after `LONG_VALUES` of them, 256 bytes.
    """
    clamping = _Clamp(value_bytes, LONG_VALUES * value_bytes)
    return clamping.tree(detail, "", is_data=False), clamping.cuts


def find(detail: Json, pointer: str) -> Json:
    """Return the value at `pointer`.

    Raises:
        LookupError: There is no such value.
    """
    found = detail
    for step in _steps(pointer):
        if isinstance(found, list) and step.isascii() and step.isdecimal() and len(step) < 10:
            found = found[int(step)]
        elif isinstance(found, dict):
            found = found[step]
        else:
            raise LookupError(step)
    return found


def as_text(value: Json) -> str:
    """Return text unchanged, everything else as JSON."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def escape(key: str) -> str:
    """Return a key as a step of a JSON Pointer."""
    return key.replace("~", "~0").replace("/", "~1")


def _steps(pointer: str) -> Iterator[str]:
    if pointer and not pointer.startswith("/"):
        raise LookupError(pointer)
    for step in pointer.split("/")[1:]:
        yield step.replace("~1", "/").replace("~0", "~")


def _views_first(value: dict[str, Json]) -> Iterator[tuple[str, Json]]:
    """Yield the view first, which readers see first, while there is room."""
    if "view" in value:
        yield "view", value["view"]
    yield from ((key, inner) for key, inner in value.items() if key != "view")
