"""Documents of the index of words: the words and marks of a span or a session.

The evaluator of queries reads the same texts. So the index finds every match; it may find more: two
values in a row look like one text to it, and marks are hashes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Any, NamedTuple

import orjson
from opentelemetry.proto.common.v1.common_pb2 import KeyValue
from opentelemetry.proto.trace.v1.trace_pb2 import ResourceSpans, Span, Status

from inspector.service.model.encoded import message_classes
from inspector.service.model.otlp_values import flat_attributes, json_value
from inspector.service.model.records import (
    MAX_CACHED_ORIGIN_BYTES,
    Content,
    SessionRecord,
    SpanRecord,
)
from inspector.service.model.rows import Json
from inspector.service.query.words import fold
from inspector.service.search.marks import (
    as_text,
    attribute_marks,
    identity_marks,
    measure_marks,
    session_marks,
    value_marks,
)

VERSION = 2
"""Version of the contents of documents. An index of another version is made anew."""

MAX_TEXT_CHARS = 64 * 1024
"""Limit of the searched text of one span, with or without an index."""
_ESCAPES = re.compile(r'\\+(?:[bfnrt"/]|u[0-9a-fA-F]{4})')
_MAX_JSON_CHARS = 256 * 1024
MAX_KNOWN_BYTES = 128
"""A longer encoded attribute is no key of a cache."""
OFFERED = ("gen_ai.tool.definitions", "llm.tools.", "ai.prompt.tools", "llm.request.functions.")
"""What the keys of tools begin with that a model is offered."""
_SPAN_FIELDS = (("attributes", 9, "", True), ("events", 11, "", True), ("status", 15, "", False))
EncodedSpan = message_classes({"Span": _SPAN_FIELDS})["Span"]
"""A span whose attributes, events and status are bytes."""


class SpanTerms(NamedTuple):
    """The texts and attributes of a span."""

    texts: list[str]
    """One text per value, together at most `MAX_TEXT_CHARS`."""
    attributes: dict[str, Json]


def span_text(span: SpanRecord, content: Content) -> SpanTerms:
    """Return the texts of a span: its name, its error, its attributes and its events."""
    message = content.span()
    attributes = flat_attributes(message.attributes)
    values: list[Json] = [span.name, message.status.message, *_searched(attributes).values()]
    for event in message.events:
        values += [event.name, *_searched(flat_attributes(event.attributes)).values()]
    return SpanTerms([text for _, text in _readable_texts([("", values)])], attributes)


def placed_texts(span: SpanRecord, content: Content) -> Iterator[tuple[str, str]]:
    """Yield the texts of `span_text`, each with its place: `name` or an attribute's key."""
    message = content.span()
    places: list[tuple[str, Json]] = [("name", span.name), ("status", message.status.message)]
    places += _searched(flat_attributes(message.attributes)).items()
    for event in message.events:
        attributes = _searched(flat_attributes(event.attributes))
        places += [("event", event.name), *attributes.items()]
    return _readable_texts((place, [value]) for place, value in places)


def _searched(attributes: dict[str, Json]) -> dict[str, Json]:
    """Return the attributes whose words are looked for.

    Each call of a model has all tools that it is offered: their words would find every call.
    """
    return {key: value for key, value in attributes.items() if not key.startswith(OFFERED)}


def _readable_texts(places: Iterable[tuple[str, list[Json]]]) -> Iterator[tuple[str, str]]:
    budget = MAX_TEXT_CHARS
    for place, values in places:
        for text in _strings(values):
            if budget <= 0:
                return
            yield place, _readable(text, budget)
            budget -= len(text)


def session_texts(session: SessionRecord) -> list[str]:
    """Return the texts of a session: its title and its id."""
    return [session.row.title, session.row.id]


def placed_session_texts(session: SessionRecord) -> Iterator[tuple[str, str]]:
    """Yield the texts of `session_texts`, each with its place, and what came of the session."""
    row = session.row
    yield "title", row.title
    yield "cause", row.cause or ""
    yield "answer", row.answer or ""
    yield "id", row.id


def span_document(span: SpanRecord, content: Content) -> str:
    """Return the document of a span for the index."""
    if len(content.payload) > MAX_TEXT_CHARS:  # then the limits may apply
        return plain_span_document(span, content)
    encoded = EncodedSpan.FromString(content.payload)
    parts = [*identity_terms(span), *measure_marks(span), _origin_terms(content.origin)]
    parts += [
        _known_terms(attribute) if len(attribute) <= MAX_KNOWN_BYTES else _terms(attribute)
        for attribute in encoded.attributes
    ]
    return " ".join((*parts, *ending_terms(encoded)))


def identity_terms(span: SpanRecord) -> list[str]:
    """Return the words of a span's name, and the marks of what many spans have in common."""
    return [_words(span.name), *identity_marks(span)]


def attribute_terms(key: str, value: Json) -> str:
    """Return the words and marks of an attribute."""
    marks = value_marks(key, value)
    if key.startswith(OFFERED):
        return " ".join(marks)
    words = (_words(value),) if isinstance(value, str) else map(_words, _strings((value,)))
    return " ".join((*words, *marks))


def ending_terms(encoded: Any) -> list[str]:
    """Return the words of an `EncodedSpan`'s error and events."""
    parts: list[str] = []
    if encoded.status:
        parts.append(_words(Status.FromString(encoded.status).message))
    for event in map(Span.Event.FromString, encoded.events):
        attributes = _searched(flat_attributes(event.attributes))
        parts += map(_words, _strings([event.name, *attributes.values()]))
    return parts


def plain_span_document(span: SpanRecord, content: Content) -> str:
    """Return the document of a span of any size, without what is known of its attributes."""
    texts, attributes = span_text(span, content)
    marks = {*identity_marks(span), *measure_marks(span), *attribute_marks(attributes)}
    return " ".join((*map(_indexable, texts), *marks, _origin_terms(content.origin)))


def session_document(session: SessionRecord) -> str:
    """Return the document of a session for the index."""
    words = [fold(text) for text in session_texts(session)]
    return " ".join((*words, *sorted(session_marks(session))))


def _origin_terms(origin: bytes) -> str:
    return (_known_resource if len(origin) <= MAX_CACHED_ORIGIN_BYTES else resource_terms)(origin)


def resource_terms(origin: bytes) -> str:
    """Return the marks of the attributes of a `Content.origin`'s resource."""
    resource = ResourceSpans.FromString(origin).resource
    return " ".join(attribute_marks(flat_attributes(resource.attributes)))


_known_resource = lru_cache(256)(resource_terms)


def _terms(attribute: bytes) -> str:
    pair = KeyValue.FromString(attribute)
    return attribute_terms(pair.key, json_value(pair.value))


# Most short ones come again, with the next span of the same kind.
_known_terms = lru_cache(16_384)(_terms)


def _words(text: str) -> str:
    if "\\" in text or len(text) > MAX_TEXT_CHARS:
        text = _readable(text, MAX_TEXT_CHARS)
    return _indexable(text)


def _indexable(text: str) -> str:
    return text if text.isascii() else fold(text)  # the index splits ASCII as `fold` does


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
    """Return at most `budget` characters of `text`; JSON with its escapes decoded."""
    if _has_escapes(text):
        try:
            value = orjson.loads(text[: _MAX_JSON_CHARS + 1])
        except orjson.JSONDecodeError:  # cut off, or never was JSON
            return _ESCAPES.sub(" ", text[:budget])
        text = " ".join(_leaves(value))
    return text[:budget]


def _has_escapes(text: str) -> bool:
    return text[:1] in {"{", "[", '"'} and "\\" in text


def _leaves(value: Json) -> list[str]:
    """Return the keys and values within `value`, in their order."""
    leaves: list[str] = []
    waiting = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, str):
            leaves.append(_ESCAPES.sub(" ", one) if _has_escapes(one) else one)
        elif isinstance(one, dict):
            for key, inner in reversed(one.items()):
                waiting += (inner, key)
        elif isinstance(one, list):
            waiting += reversed(one)
        elif one is not None:
            leaves.append(as_text(one))
    return leaves
