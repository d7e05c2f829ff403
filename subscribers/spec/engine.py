"""The engine that compiles the telemetry spec into functions from kwargs to attributes.

Most rows of a hook have no source in a call (an LLM call has 22 rows, of which an emitter fills
five). So a plan is compiled for a hook with certain kwargs, and certain keys in those that are
dicts: only the rows, and of their paths only the alternatives, that begin there. An emitter always
passes the same few; a plan is compiled at its first use.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from itertools import islice, pairwise
from typing import Any, NamedTuple, TypeAlias

from subscribers.content.convert import CONVERSIONS, MAX_LIST_ITEMS, fitting_tools
from subscribers.content.messages import mcp_messages
from subscribers.content.paths import Reader, compile_path, inner_names, path_from
from subscribers.content.redaction import REDACTED, Redactor, is_secret_key
from subscribers.content.serialise import (
    MAX_NODES,
    Content,
    Reading,
    clean_text,
    cut_text,
    to_json,
)
from subscribers.options import Capture, Options, Vocabulary
from subscribers.spec.model import Attribute, Sensitivity, SpanSpec, Spec, Truncation

Attributes: TypeAlias = dict[str, Any]
Compute: TypeAlias = Callable[[], Attributes]
Kwargs: TypeAlias = Mapping[str, Any]

_MCP_FORMS = {"mcp_input": "input_messages", "mcp_output": "output_messages"}
"""Conversion to MCP's messages, and the one to the conventions' messages that it goes through."""

TRUNCATED = "inspector.truncated"
MAX_PLANS = 1_024

_MAX_CHARS = {Truncation.SHORT: 256, Truncation.LONG: 1_024}
_MARGIN_CHARS = 256
_SHORTEST_SECRET_CHARS = 16
_HARMLESS = frozenset({Sensitivity.PUBLIC, Sensitivity.IDENTIFIER})
"""Names and ids are no secrets, but a long one may be a secret by mistake."""
_MAX_KEY_CHARS = 128
_UNSAFE_KEY_CHARS = re.compile(r"[^A-Za-z0-9_.-]")

_Write: TypeAlias = Callable[[Attributes, Any], None]
_Row: TypeAlias = Callable[[Attributes, Kwargs], None]
_Shape: TypeAlias = tuple[str, ...]
_Keys: TypeAlias = frozenset[str] | None
"""Keys of a dict that paths may read; None where it is no dict, so that any may be there."""
_Available: TypeAlias = dict[str, _Keys]


class _Plan(NamedTuple):
    rows: tuple[_Row, ...]
    inner: tuple[tuple[str, frozenset[str]], ...]
    """Kwargs that paths go into, with the names that they read there."""


class Engine:
    """The spec under one set of options."""

    def __init__(self, spec: Spec, options: Options, redactor: Redactor | None = None) -> None:
        self.spec = spec
        self.options = options
        self.redactor = redactor or Redactor()
        is_legacy = options.vocabulary is Vocabulary.LEGACY
        templates = {
            span.name: () if is_legacy else _words(span.template) for span in spec.spans.values()
        }
        self._names = {
            span.name: _namer(span, templates[span.name]) for span in spec.spans.values()
        }
        self._name_keys = {
            name: frozenset(key for _, keys in words for key in keys)
            for name, words in templates.items()
        }
        self._rows = {
            name: [row for row in hook.attributes if self._is_wanted(row)]
            for name, hook in spec.hooks.items()
        }
        self._pairs = {
            id(row): after
            for rows in self._rows.values()
            for row, after in pairwise(rows)
            if _MCP_FORMS.get(after.via) == row.via
            and (after.source, after.when, after.sensitivity)
            == (row.source, row.when, row.sensitivity)
        }
        """Rows of messages whose next row is the same in MCP's form; one function writes both."""
        self._plans: dict[_Shape, _Plan] = {}
        self._narrow_plans: dict[tuple[_Shape, tuple[_Keys, ...]], _Plan] = {}
        self._inner = {
            name: tuple(inner_names(p for row in rows for p in (row.source, row.when) if p).items())
            for name, rows in self._rows.items()
        }
        """Of each hook: kwargs that paths go into, with the names that they read there."""

    def attributes(self, hook: str, kwargs: Kwargs) -> Attributes:
        """Return the attributes of `hook` with `kwargs`; never raises.

        A row whose source is missing, or whose conversion fails, is left out.
        """
        return self._fill({}, hook, kwargs)

    def attributes_and_content(
        self, hook: str, kwargs: Kwargs
    ) -> tuple[Attributes, Compute | None, int]:
        """Return the attributes as above, and a function that returns those of content, if any.

        Content is read now. The rest of the work is the function's, on any thread. The last value
        is an estimate of its memory, in bytes.
        """
        found = _WithoutContent()
        self._fill(found, hook, kwargs)
        content = None if found.content is None else partial(_written, found.content)
        return found, content, found.content_bytes

    def _fill(self, found: Attributes, hook: str, kwargs: Kwargs) -> Attributes:
        shape = (hook, *[name for name, value in kwargs.items() if value is not None])
        plan = self._plans.get(shape) or self._plan(shape)
        if plan.inner:
            plan = self._narrowed(plan, shape, kwargs)
        for row in plan.rows:
            try:
                row(found, kwargs)
            except Exception:  # noqa: BLE001 - values of the watched program
                continue
        return found

    def in_official_vocabulary(self) -> Engine:
        """Return an engine for the official vocabulary, without content."""
        if self.options.vocabulary is not Vocabulary.LEGACY:
            return self
        options = replace(self.options, vocabulary=Vocabulary.CURRENT, capture=Capture.OFF)
        return Engine(self.spec, options, self.redactor)

    def span_name(self, span: SpanSpec, attributes: Attributes) -> str:
        """Fill the span's name template in from its attributes."""
        return self._names[span.name](attributes)

    def may_rename(self, span: SpanSpec, attributes: Attributes) -> bool:
        """Return whether the span's name depends on any of these attributes."""
        return not self._name_keys[span.name].isdisjoint(attributes)

    def _is_wanted(self, row: Attribute) -> bool:
        is_content = row.sensitivity is Sensitivity.CONTENT
        return bool(self._keys(row)) and not (is_content and self.options.capture is Capture.OFF)

    def _plan(self, shape: _Shape) -> _Plan:
        """Compile the rows for `shape`: a hook and the names of its kwargs that are not None."""
        hook, names = shape[0], frozenset(shape[1:])
        inner = [(name, read) for name, read in self._inner[hook] if name in names]
        plan = _Plan(self._compiled(hook, dict.fromkeys(names)), tuple(inner))
        if len(self._plans) < MAX_PLANS:  # an emitter may choose any names
            self._plans[shape] = plan
        return plan

    def _narrowed(self, plan: _Plan, shape: _Shape, kwargs: Kwargs) -> _Plan:
        """Return the plan for the keys of those kwargs that are dicts."""
        inner = tuple([_keys_in(kwargs[name], read) for name, read in plan.inner])
        narrow = self._narrow_plans.get((shape, inner))
        if narrow is None:
            if len(self._narrow_plans) >= MAX_PLANS:
                return plan
            keys = {name: found for (name, _), found in zip(plan.inner, inner, strict=True)}
            narrow = _Plan(self._compiled(shape[0], dict.fromkeys(shape[1:]) | keys), ())
            self._narrow_plans[shape, inner] = narrow
        return narrow

    def _compiled(self, hook: str, available: _Available) -> tuple[_Row, ...]:
        paired = {id(row) for row in self._pairs.values()}
        rows = (self._compile(row, available) for row in self._rows[hook] if id(row) not in paired)
        return tuple(row for row in rows if row is not None)

    def _compile(self, row: Attribute, available: _Available) -> _Row | None:
        """Return the function of `row` for these kwargs; None if none is its source."""
        write = self._writer(row, self._keys(row))
        if row.source is None:
            return _writing(row.constant, write)
        source = path_from(row.source, available)
        condition = path_from(row.when or "", available)
        if not source or (row.when and not condition):
            return None
        compiled = _reading(compile_path(source), CONVERSIONS[row.via], write)
        is_text = row.type == "string" and row.via == "text"
        if is_text and row.sensitivity in _HARMLESS and source in available:
            compiled = _copying(source, self._keys(row), compiled)
        return _guarded(compile_path(condition), compiled) if condition else compiled

    def _keys(self, row: Attribute) -> tuple[str, ...]:
        match self.options.vocabulary:
            case Vocabulary.DUP:
                return row.keys
            case Vocabulary.CURRENT:
                return (row.current,) if row.current else ()
            case Vocabulary.LEGACY:
                return (row.legacy,) if row.legacy else ()

    def _writer(self, row: Attribute, keys: Sequence[str]) -> _Write:
        if row.type == "json" and (mcp_row := self._pairs.get(id(row))) is not None:
            return self._pair_writer(row, mcp_row)
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
        """Return the redactor for a row; None for content under full capture."""
        is_full = self.options.capture is Capture.FULL
        return None if is_full and row.sensitivity is Sensitivity.CONTENT else self.redactor

    def _text(self, row: Attribute) -> Callable[[str], str]:
        redactor, limit = self._redactor_of(row), _MAX_CHARS.get(row.truncation, 1_024)
        harmless_chars = _SHORTEST_SECRET_CHARS - 1 if row.sensitivity in _HARMLESS else 0

        def text(value: str) -> str:
            if len(value) <= harmless_chars and value.isascii():
                return value
            # With a margin, so that the redactor sees a secret across the cut.
            value = clean_text(value[: limit + _MARGIN_CHARS])
            if redactor is not None and len(value) > harmless_chars:
                value = redactor.text(value)
            return cut_text(value, limit)

        return text

    def _json_writer(self, row: Attribute, keys: Sequence[str]) -> _Write:
        redactor, max_bytes = self._redactor_of(row), self.options.max_content_bytes
        is_of_tools = row.via == "tool_definitions"
        # Schemas are many small parts: the limit in bytes is theirs.
        max_nodes = max_bytes // 4 if is_of_tools else MAX_NODES
        is_structured = self.options.has_structured_content

        def write(found: Attributes, value: Any) -> None:
            if isinstance(value, Content):
                write_content(found, value)
            else:
                is_read = isinstance(value, Reading)
                reading = value if is_read else Reading(value, redactor, max_bytes, max_nodes)
                if is_of_tools and not reading.is_whole:
                    fitting = fitting_tools(value, max_bytes)
                    reading = Reading(fitting, redactor, max_bytes, max_nodes)
                _write(found, reading, lambda found: write_content(found, reading.content()))

        def write_content(found: Attributes, content: Content) -> None:
            for key in keys:
                structured = is_structured and key == row.current
                found[key] = json.loads(content.text) if structured else content.text
                if content.is_truncated:
                    self._mark(found, key, is_legacy=key == row.legacy)

        return write

    def _pair_writer(self, row: Attribute, mcp_row: Attribute) -> _Write:
        """Return a writer of messages in the conventions' form, and in MCP's."""
        redactor, max_bytes = self._redactor_of(row), self.options.max_content_bytes
        write_one = self._json_writer(row, self._keys(row))
        write_other = self._json_writer(mcp_row, self._keys(mcp_row))
        has_own_rules = redactor is not None and redactor.has_own_rules

        def write(found: Attributes, messages: Any) -> None:
            reading = Reading(messages, redactor, max_bytes)
            if has_own_rules or not reading.is_whole:
                write_one(found, reading)
                write_other(found, mcp_messages(messages))
                return

            def write_both(found: Attributes) -> None:
                one, other = reading.in_two_forms(mcp_messages)
                write_one(found, one)
                write_other(found, other)

            _write(found, reading, write_both)

        return write

    def _mark(self, found: Attributes, key: str, *, is_legacy: bool) -> None:
        if is_legacy:
            found[f"{key}_truncated"] = True
        if self.options.vocabulary is not Vocabulary.LEGACY:
            found.setdefault(TRUNCATED, []).append(key)

    def _map_writer(self, row: Attribute, keys: Sequence[str]) -> _Write:
        """Return a writer of one attribute per item: `gen_ai.prompt.variable.*`."""
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


class _WithoutContent(Attributes):
    """Attributes of a hook whose content is still to be written."""

    content: list[Callable[[Attributes], None]] | None = None
    content_bytes = 0


def _write(found: Attributes, reading: Reading, write: Callable[[Attributes], None]) -> None:
    """Write content that was read, or have it written later."""
    if type(found) is not _WithoutContent:
        write(found)
        return
    found.content_bytes += reading.size_bytes
    if found.content is None:
        found.content = [write]
    else:
        found.content.append(write)


def _written(content: Sequence[Callable[[Attributes], None]]) -> Attributes:
    found: Attributes = {}
    for write in content:
        with suppress(Exception):  # values of the watched program, and rules of its redactor
            write(found)
    return found


def key_part(name: Any, redactor: Redactor | None) -> str:
    """Return a name as a part of an attribute key."""
    text = clean_text(name[:_MAX_KEY_CHARS]) if isinstance(name, str) else type(name).__name__
    return _UNSAFE_KEY_CHARS.sub("_", redactor.text(text) if redactor is not None else text)


def _keys_in(value: Any, names: frozenset[str]) -> _Keys:
    if type(value) is not dict:
        return None
    try:
        few = value if len(value) < len(names) else filter(value.__contains__, names)
        return names.intersection(few)
    except Exception:  # noqa: BLE001 - keys of the watched program, or changed meanwhile
        return None


def _writing(constant: Any, write: _Write) -> _Row:
    always: Attributes = {}
    write(always, constant)
    return lambda found, kwargs: found.update(always)


def _reading(read: Reader, convert: Callable[[Any], Any], write: _Write) -> _Row:
    def row(found: Attributes, kwargs: Kwargs) -> None:
        value = read(kwargs)
        if value is not None and (value := convert(value)) is not None:
            write(found, value)

    return row


def _copying(name: str, keys: Sequence[str], otherwise: _Row) -> _Row:
    """Return a row that copies a short text, which most values are."""

    def row(found: Attributes, kwargs: Kwargs) -> None:
        value = kwargs.get(name)
        if type(value) is str and len(value) < _SHORTEST_SECRET_CHARS and value.isascii():
            for key in keys:
                found[key] = value
        else:
            otherwise(found, kwargs)

    return row


def _guarded(condition: Reader, row: _Row) -> _Row:
    def guarded(found: Attributes, kwargs: Kwargs) -> None:
        if condition(kwargs):
            row(found, kwargs)

    return guarded


_Word: TypeAlias = tuple[str | None, tuple[str, ...]]
"""Part of a name's template: a literal, or attribute keys of which the first present one counts."""


def _words(template: str) -> tuple[_Word, ...]:
    return tuple(
        (None, tuple(word.strip("{}").split("|"))) if word.startswith("{") else (word, ())
        for word in template.split(" ")
    )


def _namer(span: SpanSpec, words: Sequence[_Word]) -> Callable[[Attributes], str]:
    if not words:
        return lambda attributes: span.legacy_name

    def name(attributes: Attributes) -> str:
        text = ""
        for word, keys in words:  # a literal, or the first of the keys that is there
            for key in keys:
                if isinstance(word := attributes.get(key), str):
                    break
            if word and isinstance(word, str):
                text = f"{text} {word}" if text else word
        return text or span.noun

    return name
