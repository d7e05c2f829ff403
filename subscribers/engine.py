"""Compile the telemetry spec, once, into functions from hook kwargs to attributes."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from itertools import islice
from typing import Any, TypeAlias

from subscribers.content import Content, clean_text, cut_text, to_json
from subscribers.convert import CONVERSIONS, MAX_LIST_ITEMS
from subscribers.options import Capture, Options, Vocabulary
from subscribers.paths import Reader, compile_path
from subscribers.redaction import REDACTED, Redactor, is_secret_key
from subscribers.spec import Attribute, Sensitivity, SpanSpec, Spec, Truncation

Attributes: TypeAlias = dict[str, Any]
Kwargs: TypeAlias = Mapping[str, Any]

TRUNCATED = "inspector.truncated"

_MAX_CHARS = {Truncation.SHORT: 256, Truncation.LONG: 1_024}
_MARGIN_CHARS = 256
_SHORTEST_SECRET_CHARS = 16
_MAX_KEY_CHARS = 128
_UNSAFE_KEY_CHARS = re.compile(r"[^A-Za-z0-9_.-]")

_Write: TypeAlias = Callable[[Attributes, Any], None]
_Row: TypeAlias = Callable[[Attributes, Kwargs], None]


class Engine:
    """The spec under one set of options."""

    def __init__(self, spec: Spec, options: Options, redactor: Redactor | None = None) -> None:
        self.spec = spec
        self.options = options
        self.redactor = redactor or Redactor()
        is_legacy = options.vocabulary is Vocabulary.LEGACY
        self._names = {span.name: _namer(span, is_legacy=is_legacy) for span in spec.spans.values()}
        self._rows = {
            name: [row for attribute in hook.attributes if (row := self._compile(attribute))]
            for name, hook in spec.hooks.items()
        }

    def attributes(self, hook: str, kwargs: Kwargs) -> Attributes:
        """Return the attributes that `hook` says with `kwargs`; never raises.

        A row whose source is missing, or whose conversion fails, is left out.
        """
        found: Attributes = {}
        for row in self._rows[hook]:
            try:
                row(found, kwargs)
            except Exception:  # noqa: BLE001 - values of the watched program
                continue
        return found

    def span_name(self, span: SpanSpec, attributes: Attributes) -> str:
        """Fill the span's name template in from its attributes."""
        return self._names[span.name](attributes)

    def _compile(self, row: Attribute) -> _Row | None:
        keys = self._keys(row)
        is_content = row.sensitivity is Sensitivity.CONTENT
        if not keys or (is_content and self.options.capture is Capture.OFF):
            return None
        write = self._writer(row, keys)
        if row.source is None:
            constant = row.constant
            return lambda found, kwargs: write(found, constant)
        return _guarded(row.when, _reading(compile_path(row.source), CONVERSIONS[row.via], write))

    def _keys(self, row: Attribute) -> tuple[str, ...]:
        match self.options.vocabulary:
            case Vocabulary.DUP:
                return row.keys
            case Vocabulary.CURRENT:
                return (row.current,) if row.current else ()
            case Vocabulary.LEGACY:
                return (row.legacy,) if row.legacy else ()

    def _writer(self, row: Attribute, keys: Sequence[str]) -> _Write:
        if row.type == "json":
            return self._json_writer(row, keys)
        if row.type == "map":
            return self._map_writer(row, keys)
        text = self._text(row)

        def write(found: Attributes, value: Any) -> None:
            if isinstance(value, str):
                value = text(value)
            elif isinstance(value, list):
                value = [text(item) for item in value]
            for key in keys:
                found[key] = value

        return write

    def _redactor_of(self, row: Attribute) -> Redactor | None:
        """Scrub everything; content unless everything was asked for."""
        is_full = self.options.capture is Capture.FULL
        return None if is_full and row.sensitivity is Sensitivity.CONTENT else self.redactor

    def _text(self, row: Attribute) -> Callable[[str], str]:
        redactor, limit = self._redactor_of(row), _MAX_CHARS.get(row.truncation, 1_024)
        # Names and ids hold no secrets, but what is as long as one may be one by mistake.
        is_plain = row.sensitivity in {Sensitivity.PUBLIC, Sensitivity.IDENTIFIER}
        harmless_chars = _SHORTEST_SECRET_CHARS - 1 if is_plain else 0

        def text(value: str) -> str:
            # With a margin, so that a secret across the cut is seen whole.
            value = clean_text(value[: limit + _MARGIN_CHARS])
            if redactor is not None and len(value) > harmless_chars:
                value = redactor.text(value)
            return cut_text(value, limit)

        return text

    def _json_writer(self, row: Attribute, keys: Sequence[str]) -> _Write:
        redactor, max_bytes = self._redactor_of(row), self.options.max_content_bytes
        is_structured = self.options.has_structured_content

        def write(found: Attributes, value: Any) -> None:
            if isinstance(value, Content):  # made by the bridge
                content = value
            else:
                content = to_json(value, redactor=redactor, max_bytes=max_bytes)
            for key in keys:
                structured = is_structured and key == row.current
                found[key] = json.loads(content.text) if structured else content.text
                if content.is_truncated:
                    self._mark(found, key, is_legacy=key == row.legacy)

        return write

    def _mark(self, found: Attributes, key: str, *, is_legacy: bool) -> None:
        if is_legacy:
            found[f"{key}_truncated"] = True
        if self.options.vocabulary is not Vocabulary.LEGACY:
            found.setdefault(TRUNCATED, []).append(key)

    def _map_writer(self, row: Attribute, keys: Sequence[str]) -> _Write:
        """One attribute per item: `gen_ai.prompt.variable.*`."""
        text, redactor = self._text(row), self._redactor_of(row)

        def write(found: Attributes, value: Any) -> None:
            for name, item in islice(value.items(), MAX_LIST_ITEMS):
                suffix = key_part(name, redactor)
                if redactor is not None and is_secret_key(suffix):
                    item = REDACTED
                elif not isinstance(item, str):
                    item = to_json(item, redactor=redactor, max_bytes=1_024).text
                for key in keys:
                    found[key.removesuffix("*") + suffix] = text(item)

        return write


def key_part(name: Any, redactor: Redactor | None) -> str:
    """Return a name as a part of an attribute key."""
    text = clean_text(name[:_MAX_KEY_CHARS]) if isinstance(name, str) else type(name).__name__
    return _UNSAFE_KEY_CHARS.sub("_", redactor.text(text) if redactor is not None else text)


def _reading(read: Reader, convert: Callable[[Any], Any], write: _Write) -> _Row:
    def row(found: Attributes, kwargs: Kwargs) -> None:
        value = read(kwargs)
        if value is not None and (value := convert(value)) is not None:
            write(found, value)

    return row


def _guarded(when: str | None, row: _Row) -> _Row:
    if when is None:
        return row
    condition = compile_path(when)

    def guarded(found: Attributes, kwargs: Kwargs) -> None:
        if condition(kwargs):
            row(found, kwargs)

    return guarded


def _namer(span: SpanSpec, *, is_legacy: bool) -> Callable[[Attributes], str]:
    if is_legacy:
        return lambda attributes: span.legacy_name
    words = [
        (None, tuple(word.strip("{}").split("|"))) if word.startswith("{") else (word, ())
        for word in span.template.split(" ")
    ]

    def name(attributes: Attributes) -> str:
        found = [literal or _first_text(attributes, keys) for literal, keys in words]
        return " ".join(filter(None, found)) or span.noun

    return name


def _first_text(attributes: Attributes, keys: Sequence[str]) -> str | None:
    for key in keys:
        if isinstance(value := attributes.get(key), str):
            return value
    return None
