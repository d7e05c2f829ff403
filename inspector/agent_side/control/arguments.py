"""Arguments as shown to a person, and the changes that an edit makes. Pure.

They are shown complete, as JSON *text* with its hash: an answer names the hash of the arguments it
is about. Only the agent turns text into arguments, and only where that loses nothing.
"""

from __future__ import annotations

import hashlib
import json
import marshal
from collections.abc import Mapping
from typing import Any, NamedTuple

from inspector.agent_side.control.exact_json import (
    MAX_DEPTH,
    BadJsonError,
    NotExactError,
    canonical,
    is_same,
    parsed,
    reuse_unchanged,
)
from instrument.contracts import value_kwarg

MAX_ARGS_BYTES = 2**20
"""Limit of UTF-8 bytes; longer arguments are shown cut and cannot be edited."""
MAX_EDIT_BYTES = 4 * 2**20
MAX_SHOWN_CHARS = 128 * 1024
"""Limit in characters of arguments that are shown but cannot be edited."""
MAX_DRAWN_PIECES = 100_000
MAX_DRAWN_CHARS = 16 * 2**20
"""Limit in characters of the rendering of objects, which their hash is computed from."""
_BYTES_SHOWN = 64
_WITHOUT_REFERENCES = 2  # the same for equal values, whatever they share


class EditError(ValueError):
    """The edited text is not valid as arguments; the message has the reason."""


class ArgumentsView(NamedTuple):
    """Arguments as a person sees them."""

    kwarg: str | None = None
    """Name of the kwarg that is shown; None if the event has no such kwarg."""
    args_json: str | None = None
    """The complete arguments as exact JSON text; None: see `fault`."""
    args_text: str | None = None
    """Rendering for people; set only if `args_json` is None."""
    args_hash: str | None = None
    """SHA-256 (hex) of `args_json` in UTF-8; without it, of the marshalled or rendered value."""
    fault: str | None = None
    """The reason that it cannot be edited."""


def show(hook: str | None, data: Mapping[str, Any]) -> ArgumentsView:
    """Return the view of the event `hook` with the kwargs `data`."""
    kwarg = None if hook is None else value_kwarg(hook)
    if kwarg is None or kwarg not in data:
        return ArgumentsView()
    value = data[kwarg]
    try:
        text = canonical(value, MAX_ARGS_BYTES)
    except NotExactError as error:
        text, digest = _drawn(value)
        return ArgumentsView(kwarg, None, text, digest, str(error))
    return ArgumentsView(kwarg, text, None, _sha256(text.encode()))


def is_still(view: ArgumentsView, hook: str | None, data: Mapping[str, Any]) -> bool:
    """Return whether the arguments are still those that were shown."""
    return show(hook, data).args_hash == view.args_hash


def changes_from(view: ArgumentsView, data: Mapping[str, Any], text: str) -> dict[str, Any]:
    """Return the kwargs that an edit changes; none if it equals the shown arguments.

    Unchanged parts stay the same objects.

    Raises:
        EditError: There is nothing to edit, the text is no acceptable JSON, or it is no object
            where an object was.
    """
    if view.args_json is None or view.kwarg is None:
        raise EditError(f"these arguments cannot be edited: {view.fault or 'there are none'}")
    before = data[view.kwarg]
    try:
        after = parsed(text, MAX_EDIT_BYTES)
    except BadJsonError as error:
        raise EditError(f"the edited arguments are invalid: {error}") from error
    if type(before) is dict and type(after) is not dict:
        raise EditError("the edited arguments must be a JSON object")
    value = reuse_unchanged(before, after)
    return {} if value is before else {view.kwarg: value}


def is_edited(view: ArgumentsView, text: str, data: Mapping[str, Any]) -> bool:
    """Return whether the arguments equal the edited `text` exactly."""
    value = None if view.kwarg is None else data.get(view.kwarg)
    return is_same(parsed(text, MAX_EDIT_BYTES), value)


def _drawn(value: Any) -> tuple[str, str]:
    """Return a rendering of any value, and its hash."""
    try:
        whole = _sha256(marshal.dumps(value, _WITHOUT_REFERENCES))
    except (ValueError, RuntimeError, MemoryError):  # objects, too deep, or changing meanwhile
        drawing = _Drawing(MAX_DRAWN_CHARS)
        drawing.draw(value)
        return drawing.text(), drawing.digest()
    drawing = _Drawing(MAX_SHOWN_CHARS)
    drawing.draw(value)
    return drawing.text(), whole


class _EnoughError(Exception):
    """The drawing has reached its limit."""


class _Drawing:
    """JSON-like rendering of any value; only its beginning is stored."""

    def __init__(self, max_chars: int) -> None:
        self._max_chars = max_chars
        self._pieces: list[str] = []
        self._count = self._chars = 0
        self._hash = hashlib.sha256()

    def draw(self, value: Any) -> None:
        """Draw any value."""
        try:
            self._draw(value, 0)
        except _EnoughError:
            pass
        except Exception as error:  # noqa: BLE001 - it may be anything, and may change meanwhile
            self._add(f"<cannot be shown: {type(error).__name__}>")

    def text(self) -> str:
        """Return the beginning, marked if it is cut."""
        text = "".join(self._pieces)[:MAX_SHOWN_CHARS]
        is_whole = self._chars <= MAX_SHOWN_CHARS and self._count <= MAX_DRAWN_PIECES
        return text if is_whole else f"{text}… (cut)"

    def digest(self) -> str:
        """Return the SHA-256 of the drawing."""
        return self._hash.hexdigest()

    def _draw(self, value: Any, depth: int) -> None:
        kind = type(value)
        if kind is str:
            self._add(json.dumps(value[: self._max_chars + 1], ensure_ascii=False))
        elif kind in (list, tuple) and depth < MAX_DEPTH:
            brackets = "[]" if kind is list else "()"
            self._all(((None, item) for item in value), brackets, depth)
        elif isinstance(value, Mapping) and depth < MAX_DEPTH:
            if kind is not dict:
                self._add(kind.__qualname__)
            self._all(value.items(), "{}", depth)
        elif isinstance(value, bytes | bytearray | memoryview):
            data = bytes(value)
            self._add(f"<{len(data)} bytes, SHA-256 {_sha256(data)}: {data[:_BYTES_SHOWN]!r}>")
        else:
            self._add(_named(value))

    def _all(self, items: Any, brackets: str, depth: int) -> None:
        separator = brackets[0]
        for key, item in items:
            self._add(separator)
            separator = ","
            if brackets == "{}":
                self._draw(key, depth + 1)
                self._add(":")
            self._draw(item, depth + 1)
        self._add(brackets if separator == brackets[0] else brackets[1])

    def _add(self, piece: str) -> None:
        data = piece.encode("utf-8", "backslashreplace")
        if self._chars < MAX_SHOWN_CHARS:
            self._pieces.append(data.decode()[: MAX_SHOWN_CHARS - self._chars + 1])
        self._count += 1
        self._chars += len(piece)
        self._hash.update(data)
        if self._chars > self._max_chars or self._count > MAX_DRAWN_PIECES:
            raise _EnoughError


def _named(value: object) -> str:
    try:
        return hex(value) if isinstance(value, int) and abs(value) > 10**1000 else repr(value)
    except Exception as error:  # noqa: BLE001 - a repr may raise what it wants
        return f"<{type(value).__qualname__} whose repr raises {type(error).__name__}>"


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
