"""Serialisation of any value as bounded, valid, redacted JSON text.

Values are redacted, then cut. They are read with a budget of nodes and characters, so that 2 MiB
cost what 30 KB do. Objects that are not data become their class name: a `repr` may leak secrets.
"""

from __future__ import annotations

import dataclasses
import json
import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from datetime import date, datetime, time
from decimal import Decimal
from enum import Enum
from functools import lru_cache, partial
from json.encoder import encode_basestring
from pathlib import PurePath
from typing import Any, NamedTuple
from uuid import UUID

from subscribers.content.paths import step
from subscribers.content.redaction import REDACTED, Redactor, is_secret_flag, is_secret_key
from subscribers.options import DEFAULT_MAX_CONTENT_BYTES

MAX_NODES = 1_500
MAX_DEPTH = 64
MAX_KEY_CHARS = 256
ELLIPSIS = "…"

# Read beyond the cut, so that the redactor sees a secret that lies across it.
_MARGIN_CHARS = 256
_STARVED_CHARS = 256
_FEW_STRINGS = 64
_MIN_USEFUL_CHARS = 128
_STRINGS_AT_LEAST = 16
"""Least number of strings that share the room, where items go too."""
_MAX_INT_BITS = 4_096
"""Python refuses to print integers of more than 4300 digits."""
_DATA_URL = re.compile(r"data:([\w.+/-]{1,128});base64,(?=[A-Za-z0-9+/=])")
_SCHEMA_VALUES = frozenset({"const", "default", "enum", "examples"})
_SCHEMA_KEYS = _SCHEMA_VALUES | {
    *("anyOf", "deprecated", "description", "format", "maxLength", "minLength", "nullable"),
    *("pattern", "title", "type", "writeOnly"),
}
_SCHEMA_TYPES = ("string", "number", "integer", "boolean", "null")
_ENCODER = json.JSONEncoder(
    ensure_ascii=False, check_circular=False, allow_nan=False, separators=(",", ":")
)
_make_chunks = getattr(json.encoder, "c_make_encoder", None)
_chunks = _make_chunks and _make_chunks(
    None, _ENCODER.default, encode_basestring, None, ":", ",", False, False, False
)
"""What `_ENCODER` makes anew for each value; None where Python is not CPython."""


class Content(NamedTuple):
    """JSON text within a limit of UTF-8 bytes."""

    text: str
    is_truncated: bool


@dataclass(frozen=True, slots=True)
class JsonText:
    """A value to be encoded as a JSON string of its own inside a larger one."""

    value: Any


class LeftOut(int):
    """A count of items omitted earlier, to be reported as truncation."""


_SIMPLE = Enum | datetime | date | time | UUID | Decimal | PurePath
"""Types that JSON lacks, each with one complete form as text."""


def is_data(value: Any) -> bool:
    """Return whether `value` has a JSON form with more than its class name."""
    return (
        isinstance(value, Mapping | Sequence | Set | int | float | _SIMPLE)
        or _field_names(value) is not None
        or isinstance(getattr(type(value), "model_fields", None), Mapping)
    )


def to_json(
    value: Any,
    *,
    redactor: Redactor | None = None,
    max_bytes: int = DEFAULT_MAX_CONTENT_BYTES,
) -> Content:
    """Serialise `value` to valid JSON of at most `max_bytes` (at least 16) UTF-8 bytes.

    The longest strings are shortened first, to one common length; if that is not enough, trailing
    items go. Applied to its own parsed output it changes nothing.
    """
    return Reading(value, redactor, max_bytes).content()


def count_nodes(value: Any, most: int) -> int:
    """Count the keys and items in the dicts and lists of `value`, until there are more than `most`.

    Level by level, which takes a tenth of the time of reading them.
    """
    count, level = 0, [value]
    try:
        while containers := [one for one in level if type(one) is dict or type(one) is list]:
            count += sum(map(len, containers))
            if count > most:
                break
            level = []
            for one in containers:
                level += one.values() if type(one) is dict else one
    except RuntimeError:  # changed meanwhile
        pass
    return count


def encode(tree: Any) -> str:
    """Return the compact JSON text of a tree."""
    return _ENCODER.encode(tree) if _chunks is None else "".join(_chunks(tree, 0))


def clean_text(text: str) -> str:
    """Replace lone surrogates: one of them makes the export of a whole batch fail."""
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "replace").decode()
    return text


def cut_text(text: str, max_chars: int) -> str:
    """Cut to `max_chars`, the last of them an ellipsis; never in the middle of a redaction."""
    if len(text) <= max_chars:
        return text
    head = text[: max(max_chars - 1, 0)]
    start = head.rfind("[", max(len(head) - len(REDACTED), 0))
    if start >= 0 and REDACTED.startswith(head[start:]):
        head = head[:start]
    return head + ELLIPSIS


def _useful_chars(max_bytes: int) -> int:
    """Return how much of a long string must remain, where it is not to be left out."""
    return min(_MIN_USEFUL_CHARS, max_bytes // 2)


def _size(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode())


class Reading:
    """A value as it was read, in plain dicts, lists and scalars that nobody else changes.

    It is read within a budget. Strings are whole or have a margin beyond the cut: they are redacted
    and cut afterwards, on any thread.
    """

    _is_cut = False
    _is_oversize = False

    def __init__(
        self,
        value: Any,
        redactor: Redactor | None,
        max_bytes: int,
        max_nodes: int = MAX_NODES,
    ) -> None:
        self._strings: list[str] = []
        self._keys: dict[str, tuple[str, bool]] = {}
        self._room_bytes = max_bytes
        """Bytes left with every string cut as short as possible; below 0: the value cannot fit."""
        self._redactor = redactor
        self._useful_chars = _useful_chars(max_bytes)
        self._max_bytes = max_bytes
        self._max_nodes = self._nodes = max_nodes
        self._chars = 2 * max_bytes
        self._tree = self._plain(value, 0)

    @property
    def is_whole(self) -> bool:
        """Whether all of the value was read, and may fit."""
        return not (self._is_cut or self._room_bytes < 0)

    @property
    def size_bytes(self) -> int:
        """An estimate of its memory."""
        length_chars, nodes = 2 * self._max_bytes - self._chars, self._max_nodes - self._nodes
        return 64 + length_chars + 16 * nodes

    def tree(self) -> Any:
        """Return the value without its secrets."""
        redactor, strings = self._redactor, self._strings
        changed = redactor.texts(strings) if redactor is not None else None
        if not changed:
            return self._tree
        return _map_strings(self._tree, lambda text: changed.get(text, text), has_keys=True)

    def content(self) -> Content:
        """Return the value as text without its secrets, shortened if it must be."""
        return self._content_of(self.tree())

    def in_two_forms(self, other_form: Callable[[Any], Any]) -> tuple[Content, Content]:
        """Return the content of a whole value, and that of its other form.

        The other has the same strings, and is no longer; the redactor has no rules of its own.
        """
        tree = self.tree()
        return self._content_of(tree), self._content_of(other_form(tree))

    def _content_of(self, tree: Any) -> Content:
        max_bytes = self._max_bytes
        if self._room_bytes < 0:  # short strings would not help
            return Content(_beginning(tree, max_bytes), True)
        if self._is_oversize:
            tree = _map_strings(tree, lambda text: cut_text(text, max_bytes))
            return Content(_fit(tree, None, max_bytes), True)
        text = encode(tree)
        size = _size(text)
        if size <= max_bytes:
            return Content(text, self._is_cut)
        return Content(_fit(tree, size, max_bytes), True)

    def _plain(self, value: Any, depth: int) -> Any:
        kind = type(value)  # exact types first: they are nearly everything there is
        if kind is str:
            return self._string(value)
        if kind is dict:
            return self._mapping(value, depth)
        if kind is list:
            return self._items(value, depth)
        if value is None or kind is bool:
            self._room_bytes -= 4
            return value
        try:
            return self._other(value, depth)
        except Exception:  # noqa: BLE001 - code of the watched program may raise anything
            self._is_cut = True
            return f"<{kind.__name__}>"

    def _other(self, value: Any, depth: int) -> Any:
        if isinstance(value, str):
            return self._string(str.__str__(value))
        self._room_bytes -= 1
        if isinstance(value, int):
            self._is_cut |= type(value) is LeftOut
            return int(value) if value.bit_length() <= _MAX_INT_BITS else "<int>"
        if isinstance(value, float):
            return float(value) if math.isfinite(value) else str(value)
        return self._container(value, depth)

    def _container(self, value: Any, depth: int) -> Any:
        if isinstance(value, JsonText):
            return self._json_text(value.value, depth)
        if isinstance(value, bytes | bytearray | memoryview):
            return {"bytes": len(value)}
        if isinstance(value, Mapping):
            return self._mapping(value, depth)
        if isinstance(value, tuple) and (names := getattr(value, "_fields", None)):
            return self._pairs(zip(names, value, strict=False), depth)
        if isinstance(value, Sequence | Set):
            return self._items(value, depth)
        return self._object(value, depth)

    def _json_text(self, value: Any, depth: int) -> str:
        room_bytes, chars = self._room_bytes, self._chars
        text = encode(self._plain(value, depth))
        # Only the text takes room; its parts were read for their secrets.
        self._room_bytes, self._chars = room_bytes, chars
        return self._string(text)

    def _string(self, text: str) -> str:
        limit, length = self._max_bytes if self._chars > 0 else _STARVED_CHARS, len(text)
        if length > limit:
            self._is_cut = True
            if (url := _data_url(text)) is not None:
                return url
            # Cut here, so the redaction of a starved string may lose its last characters.
            text = text[: limit + _MARGIN_CHARS]
            length = len(text)
            self._is_oversize = True
        elif text[:5] == "data:" and (url := _data_url(text)) is not None:
            return url
        if not text.isascii():
            text = clean_text(text)
            length = len(text)
        useful = self._useful_chars
        self._strings.append(text)
        self._chars -= length
        self._room_bytes -= (length if length < useful else useful) + 2
        return text

    def _mapping(self, value: Mapping[Any, Any], depth: int) -> dict[str, Any]:
        if ("data" in value or "blob" in value) and (blob := _blob(value)) is not None:
            return self._pairs(blob.items(), depth)
        if "value" in value and self._redactor is not None and _names_secret(value):
            return self._pairs(_with_hidden_value(value), depth)
        return self._pairs(value.items(), depth)

    def _pairs(self, pairs: Iterable[tuple[Any, Any]], depth: int) -> dict[str, Any]:
        plain: dict[str, Any] = {}
        keys = self._keys
        try:
            for key, item in pairs:
                if self._nodes <= 0 or self._room_bytes < 0 or depth >= MAX_DEPTH:
                    self._is_cut = True
                    break
                self._nodes -= 1
                known = keys.get(key) if type(key) is str else None
                name, is_secret = known or self._key(key)
                self._room_bytes -= len(name) + 4
                if is_secret and item is not None and type(item) is not bool:
                    item = _schema_of_secret(item) or REDACTED
                kind = type(item)  # the most frequent here, too: spare a call
                if kind is str:
                    plain[name] = self._string(item)
                elif kind is list:
                    plain[name] = self._items(item, depth + 1)
                else:
                    plain[name] = self._plain(item, depth + 1)
        except Exception:  # noqa: BLE001 - a mapping of the watched program, or changed meanwhile
            self._is_cut = True
        return plain

    def _key(self, key: Any) -> tuple[str, bool]:
        """Return a key as text, and whether it names a secret."""
        if type(key) is str and len(key) <= MAX_KEY_CHARS:
            text, is_secret = _short_key(key)
            self._strings.append(text)
            known = self._keys[key] = text, is_secret and self._redactor is not None
            return known
        if isinstance(key, Enum):
            key = key.value
        if isinstance(key, bytes):
            key = key.decode("utf-8", "replace")
        if not isinstance(key, str | int | float | None):
            return f"<{type(key).__name__}>", False
        if isinstance(key, int) and key.bit_length() > _MAX_INT_BITS:
            return "<int>", False
        whole = str.__str__(key) if isinstance(key, str) else str(key)
        is_secret = self._redactor is not None and is_secret_key(whole[-MAX_KEY_CHARS:])
        text = whole
        if len(text) > MAX_KEY_CHARS:
            self._is_cut = True
            text = whole[: MAX_KEY_CHARS + _MARGIN_CHARS]
        self._strings.append(clean_text(text))
        self._keys[whole] = clean_text(text), is_secret
        return self._keys[whole]

    def _items(self, value: Iterable[Any], depth: int) -> list[Any]:
        plain: list[Any] = []
        before: Any = None
        try:
            for item in value:
                if self._nodes <= 0 or self._room_bytes < 0 or depth >= MAX_DEPTH:
                    self._is_cut = True
                    break
                self._nodes -= 1
                self._room_bytes -= 1
                if self._redactor is not None:
                    if type(before) is str and before[:1] == "-" and is_secret_flag(before):
                        before, item = None, REDACTED
                    else:
                        before = item
                        if type(item) is tuple or type(item) is list:
                            item = _without_secret(item)
                is_dict = type(item) is dict
                read = self._mapping if is_dict else self._plain
                plain.append(read(item, depth + 1))
        except Exception:  # noqa: BLE001 - a sequence of the watched program
            self._is_cut = True
        return plain

    def _object(self, value: Any, depth: int) -> Any:
        if isinstance(value, Enum):
            return self._plain(value.value, depth) if not isinstance(value.value, Enum) else None
        if isinstance(value, datetime | date | time):
            return value.isoformat()
        if isinstance(value, UUID | Decimal | PurePath):
            return self._string(str(value))
        if isinstance(value, type):
            return f"<{value.__name__}>"
        if (names := _field_names(value)) is not None:
            return self._pairs(((name, step(value, name)) for name in names), depth)
        fields = getattr(type(value), "model_fields", None)
        if isinstance(fields, Mapping):  # pydantic, without importing it
            return self._pairs(_model_pairs(value, fields), depth)
        if type(value).__module__.startswith("pydantic") and hasattr(value, "unicode_string"):
            return self._string(str(value))
        return f"<{type(value).__name__}>"


@lru_cache(maxsize=2048)
def _short_key(key: str) -> tuple[str, bool]:
    """Remembered: the same few keys are in nearly every value."""
    return clean_text(key), is_secret_key(key)


def _field_names(value: Any) -> list[str] | None:
    """Return the fields of a dataclass or an attrs class (without importing it)."""
    if dataclasses.is_dataclass(value):
        return [field.name for field in dataclasses.fields(value)]
    fields = getattr(type(value), "__attrs_attrs__", None)
    return [field.name for field in fields] if isinstance(fields, tuple) else None


def _names_secret(value: Mapping[Any, Any]) -> bool:
    """Return whether a mapping is a header or variable: `{"name": "Authorization", "value": …}`."""
    name = value.get("name") or value.get("key")
    return isinstance(name, str) and is_secret_key(name[-MAX_KEY_CHARS:])


def _with_hidden_value(value: Mapping[Any, Any]) -> Iterable[tuple[Any, Any]]:
    return ((key, REDACTED if key == "value" else item) for key, item in value.items())


def _schema_of_secret(value: Any) -> dict[str, Any] | None:
    """Return the JSON schema of a secret, such as a tool's parameter; None: it is no schema.

    What the secret may be, or is without a word, is hidden.
    """
    if type(value) is not dict or not value.keys() <= _SCHEMA_KEYS:
        return None
    choices = value.get("anyOf", ())
    if not choices and value.get("type") not in _SCHEMA_TYPES:
        return None
    if not isinstance(choices, list | tuple) or None in map(_schema_of_secret, choices):
        return None
    return {key: REDACTED if key in _SCHEMA_VALUES else item for key, item in value.items()}


def _without_secret(pair: Sequence[Any]) -> Sequence[Any]:
    """Hide the second of `("authorization", …)`, as lists of headers have it."""
    if len(pair) == 2 and isinstance(pair[0], str) and is_secret_key(pair[0][-MAX_KEY_CHARS:]):
        return (pair[0], REDACTED)
    return pair


def _data_url(text: str) -> str | None:
    match = _DATA_URL.match(text[:160])
    if match is None:
        return None
    return f"data:{match[1]};base64,<{(len(text) - match.end()) * 3 // 4} bytes>"


def _model_pairs(model: Any, fields: Mapping[str, Any]) -> Iterable[tuple[str, Any]]:
    """Yield what a pydantic model would send: by alias, without Nones, one level at a time."""
    for name, info in fields.items():
        value = step(model, name)
        if value is not None and not getattr(info, "exclude", None):
            alias = getattr(info, "serialization_alias", None) or getattr(info, "alias", None)
            yield alias or name, value
    extra = getattr(model, "model_extra", None)
    if isinstance(extra, Mapping):
        yield from extra.items()


def _blob(value: Mapping[Any, Any]) -> dict[str, Any] | None:
    """Replace inline media by its type and size."""
    mime_type = value.get("mimeType") or value.get("mime_type") or value.get("media_type")
    data = value.get("data") or value.get("blob")
    if not isinstance(mime_type, str) or not isinstance(data, str | bytes):
        return None
    size_bytes = len(data) * 3 // 4 if isinstance(data, str) else len(data)
    modality = mime_type[:64].partition("/")[0]
    return {"modality": modality, "mime_type": mime_type[:128], "bytes": size_bytes}


def _fit(tree: Any, size: int | None, max_bytes: int) -> str:
    """Shorten strings, then drop trailing items, until the text fits.

    Args:
        tree: The value, which is too large.
        size: Bytes of its text; None: not measured yet.
        max_bytes: Limit for the text.
    """
    lengths: list[int] = []
    _measure(tree, lengths)
    lengths.sort()
    if size is None and len(lengths) > _FEW_STRINGS:
        size = _size(encode(tree))
    shortened = _shorten(tree, lengths, size or 0, max_bytes)
    return _beginning(tree, max_bytes) if shortened is None else shortened


def _shorten(tree: Any, lengths: Sequence[int], size: int, max_bytes: int) -> str | None:
    """Cut the longest strings to one common length; None if too little would remain of them."""
    if len(lengths) > _FEW_STRINGS:
        room = max_bytes - size + sum(lengths)
        if room <= 0 or _common_length(lengths, room) < _useful_chars(max_bytes):
            return None  # known without measuring: most of such a value is structure
    room = max_bytes - _size(encode(_map_strings(tree, lambda _: "")))
    # JSON escapes and UTF-8 make 1 to 6 bytes of a character: guess, measure, tighten.
    chars = room - 2 * min(len(lengths), _FEW_STRINGS)  # what a cut leaves ends with 3 bytes
    while chars > 8 * len(lengths):
        cap = _common_length(lengths, chars)
        text = encode(_map_strings(tree, partial(cut_text, max_chars=cap)))
        excess = _size(text) - max_bytes
        if excess <= 0:
            return text
        chars = min(chars * room // (room + excess), chars * 49 // 50) - 1
    return None


def _measure(tree: Any, lengths: list[int]) -> None:
    """Add the lengths of the strings inside `tree`."""
    kind = type(tree)
    if kind is str:
        lengths.append(len(tree))
    elif kind is dict or kind is list:
        for item in tree.values() if kind is dict else tree:
            if type(item) is str:  # most are: spare the call
                lengths.append(len(item))
            else:
                _measure(item, lengths)


def _common_length(lengths: Sequence[int], budget: int) -> int:
    """Return the length to which all longer strings must be cut so that the sum fits."""
    for index, length in enumerate(lengths):
        share = budget // (len(lengths) - index)
        if length > share:
            return share
        budget -= length
    return lengths[-1]


def _map_strings(tree: Any, change: Callable[[str], str], *, has_keys: bool = False) -> Any:
    kind = type(tree)
    if kind is str:
        return change(tree)
    if kind is dict:
        if has_keys:
            return {change(k): _map_strings(v, change, has_keys=True) for k, v in tree.items()}
        return {key: _map_strings(item, change) for key, item in tree.items()}
    if kind is list:
        return [_map_strings(item, change, has_keys=has_keys) for item in tree]
    return tree


def _beginning(tree: Any, max_bytes: int) -> str:
    """Return the text of as many leading items as fit, with long strings cut to a share of it."""
    writer = _Writer(max_bytes)
    writer.write(tree)
    return "".join(writer.parts) or encode(ELLIPSIS)


class _Writer:
    """Writes the beginning of a tree as JSON; each value is written whole or not at all."""

    def __init__(self, max_bytes: int) -> None:
        self.parts: list[str] = []
        self._room = max_bytes
        self._max_chars = max(max_bytes // _STRINGS_AT_LEAST, _useful_chars(max_bytes))
        self._names: dict[str, str] = {}

    def write(self, tree: Any, before: str = "") -> bool:
        """Write `before` and what fits of `tree`; return whether that is all of it."""
        kind = type(tree)
        if kind is dict:
            return self._write_dict(tree, before)
        if kind is list:
            return self._write_list(tree, before)
        if kind is str:
            short = tree if len(tree) <= self._max_chars else cut_text(tree, self._max_chars)
            text = before + encode_basestring(short)
        else:
            text = before + encode(tree)
        size = len(text) if text.isascii() else len(text.encode())
        if size > self._room:
            return False
        self._room -= size
        self.parts.append(text)
        return True

    def _write_dict(self, items: dict[str, Any], before: str) -> bool:
        if not self._open(before, "{"):
            return False
        is_whole, comma, names = True, "", self._names
        for key, item in items.items():
            name = names.get(key)
            if name is None:
                name = names[key] = encode_basestring(key) + ":"
            if not (is_whole := self.write(item, comma + name)):
                break
            comma = ","
        self.parts.append("}")
        return is_whole

    def _write_list(self, items: list[Any], before: str) -> bool:
        if not self._open(before, "["):
            return False
        is_whole, comma = True, ""
        for item in items:
            if not (is_whole := self.write(item, comma)):
                break
            comma = ","
        self.parts.append("]")
        return is_whole

    def _open(self, before: str, bracket: str) -> bool:
        room = self._room - _size(before) - 2  # for the other bracket, too
        if room < 0:
            return False
        self._room = room
        self.parts.append(before + bracket)
        return True
