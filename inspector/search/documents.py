"""What can be found in a span or a session: its words, and short marks of what is so of it.

The plain reading of a query (`fitting`) looks at the same texts. So whatever fits is found by the
index, which may find more: two values side by side look like one text to it, and marks are hashes.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import NamedTuple

import orjson
from opentelemetry.proto.trace.v1.trace_pb2 import ResourceSpans

from inspector.model import Json
from inspector.normalise.attributes import flat_attributes
from inspector.query.fields import FIELDS, Field, Kind, Scope
from inspector.query.words import fold
from inspector.search.reading import read
from inspector.storage.base import Content, SessionRecord, SpanRecord

VERSION = 1
"""Of what documents are made of. An index of another version is made anew."""

MAX_TEXT_CHARS = 64 * 1024
"""Of one span; the rest of its text is not looked at, with or without an index."""
MAX_MARK_CHARS = 64
"""Longer values have no mark."""
MAX_MARKS = 256
"""Of the attributes of one span; as many of its resource."""
TOO_MANY_MARKS = "k0"
"""Stands for every mark beyond `MAX_MARKS`."""

_ESCAPES = re.compile(r'\\+(?:[bfnrt"/]|u[0-9a-fA-F]{4})')
_MAX_JSON_CHARS = 256 * 1024
_MARKED_KINDS = {Kind.TEXT, Kind.CHOICE, Kind.FLAG}
# Ids are the same for no two, and a session's status changes all the time.
_UNMARKED = {(Scope.SPAN, "id"), (Scope.SPAN, "trace"), (Scope.SESSION, "id")}
_UNMARKED |= {(Scope.SESSION, "status"), (Scope.SESSION, "title")}


class SpanText(NamedTuple):
    """What a span says."""

    texts: list[str]
    """Folded, one a value, together at most `MAX_TEXT_CHARS` before that."""
    attributes: dict[str, Json]


def span_text(span: SpanRecord, content: Content) -> SpanText:
    """Return the texts of a span: its name, what went wrong, its attributes and its events."""
    message = content.span()
    attributes = flat_attributes(message.attributes)
    budget = MAX_TEXT_CHARS
    texts: list[str] = []
    values: list[Json] = [span.name, message.status.message, *attributes.values()]
    for event in message.events:
        values += [event.name, *flat_attributes(event.attributes).values()]
    for text in _strings(values):
        if budget <= 0:
            break
        if folded := fold(_readable(text, budget)):
            texts.append(folded)
        budget -= len(text)
    return SpanText(texts, attributes)


def session_texts(session: SessionRecord) -> list[str]:
    """Return the texts of a session: its title and its id."""
    return [fold(session.row.title), fold(session.row.id)]


def span_document(span: SpanRecord, content: Content) -> str:
    """Return what the index keeps of a span."""
    texts, attributes = span_text(span, content)
    marks = {*_field_marks(Scope.SPAN, span), *_origin_marks(content.origin)}
    marks |= _marks_of(attributes)
    return " ".join((*texts, *marks))


def session_document(session: SessionRecord) -> str:
    """Return what the index keeps of a session."""
    return " ".join((*session_texts(session), *sorted({*_field_marks(Scope.SESSION, session)})))


def is_marked(field: Field) -> bool:
    """Return whether documents have marks for the values of `field`."""
    return field.kind in _MARKED_KINDS and (field.scope, field.name) not in _UNMARKED


def field_mark(field: Field, value: str | int | float | None = None) -> str | None:
    """Return the mark of a field that has `value`, any one without; None: it has none."""
    return _mark(f".{field.name}", None if value is None else str(value).casefold())


def attribute_mark(key: str, value: str | float | None = None) -> str | None:
    """Return the mark of an attribute that has `value`, any one without; None: it has none."""
    if isinstance(value, float):
        return _mark(f"@{key}#", repr(value))
    return _mark(f"@{key}", value)


@lru_cache(16_384)
def _mark(name: str, value: str | None) -> str | None:
    if value is None:
        return f"k{zlib.crc32(name.encode()):08x}"
    if len(value) > MAX_MARK_CHARS:
        return None
    return f"k{zlib.crc32(f'{name}={value}'.encode(errors='replace')):08x}"


def _field_marks(scope: Scope, subject: SpanRecord | SessionRecord) -> Iterator[str]:
    for field in _MARKED_FIELDS[scope]:
        value = read(field, subject, 0)
        for one in value if isinstance(value, tuple) else (value,):
            if one is not None:
                yield from filter(None, (field_mark(field), field_mark(field, one)))


_MARKED_FIELDS = {
    scope: [field for field in fields.values() if is_marked(field)]
    for scope, fields in FIELDS.items()
}


def _attribute_marks(key: str, value: Json) -> Iterator[str]:
    if value is None:
        return
    yield from filter(None, [attribute_mark(key)])
    if isinstance(value, int | float) and not isinstance(value, bool):
        yield from filter(None, [attribute_mark(key, float(value))])
    for one in value if isinstance(value, list) else (value,):
        if mark := attribute_mark(key, as_text(one).casefold()):
            yield mark


@lru_cache(256)
def _origin_marks(origin: bytes) -> frozenset[str]:
    resource = ResourceSpans.FromString(origin).resource
    return frozenset(_marks_of(flat_attributes(resource.attributes)))


def _marks_of(attributes: Mapping[str, Json]) -> set[str]:
    marks: set[str] = set()
    for key, value in attributes.items():
        for mark in _attribute_marks(key, value):
            if len(marks) == MAX_MARKS:
                return marks | {TOO_MANY_MARKS}
            marks.add(mark)
    return marks


def as_text(value: Json) -> str:
    """Return what an attribute's value is compared with when text is asked for."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)


def _strings(values: Iterable[Json]) -> Iterator[str]:
    """Yield the texts in `values`, in their order."""
    waiting = [iter(values)]
    while waiting:
        for value in waiting[-1]:
            if isinstance(value, str):
                yield value
            elif isinstance(value, list):
                waiting.append(iter(value))
                break
            elif isinstance(value, dict):
                waiting.append(iter(value.values()))
                break
        else:
            waiting.pop()


def _readable(text: str, budget: int) -> str:
    """Return `text`, at most `budget` of it; JSON without the n of its line breaks."""
    if _has_escapes(text):
        try:
            value = orjson.loads(text[: _MAX_JSON_CHARS + 1])
        except orjson.JSONDecodeError:  # cut off, or never was JSON
            return _ESCAPES.sub(" ", text[:budget])
        text = " ".join(_leaves(value))
    return text[:budget]


def _has_escapes(text: str) -> bool:
    return text[:1] in {"{", "[", '"'} and "\\" in text


def _leaves(value: Json) -> Iterator[str]:
    waiting: list[Iterator[Json]] = [iter((value,))]
    while waiting:
        for one in waiting[-1]:
            if isinstance(one, dict):
                waiting.append(part for pair in one.items() for part in pair)
                break
            if isinstance(one, list):
                waiting.append(iter(one))
                break
            if one is not None:
                leaf = as_text(one)
                yield _ESCAPES.sub(" ", leaf) if _has_escapes(leaf) else leaf
        else:
            waiting.pop()
