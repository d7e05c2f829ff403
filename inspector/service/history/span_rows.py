"""Rows of spans, as `RowBinary`: most of what a span has was encoded for another before.

An attribute has the same bytes in every span that has it. What it adds to the columns is found by
them, and nothing of it is decoded.
"""

from __future__ import annotations

import math
from functools import lru_cache
from operator import attrgetter
from struct import Struct
from typing import Any, TypeAlias

import orjson
from opentelemetry.proto.common.v1.common_pb2 import KeyValue

from inspector.service.history.row_binary import day_of, name, string, varint
from inspector.service.model.otlp_values import json_value
from inspector.service.model.records import MAX_CACHED_ORIGIN_BYTES, Content, SpanRecord
from inspector.service.model.rows import Json
from inspector.service.search.documents import (
    MAX_KNOWN_BYTES,
    MAX_TEXT_CHARS,
    VERSION,
    EncodedSpan,
    attribute_terms,
    ending_terms,
    identity_terms,
    plain_span_document,
    resource_terms,
)
from inspector.service.search.marks import measure_marks

MAX_VALUE_CHARS = 1024
"""Limit of an attribute's text; `payload` has all of it."""
MAX_ATTRIBUTES = 256
_MAX_KNOWN_CHARS = 256
_MAX_KNOWN_SPANS = 8_192
_MAX_KNOWN_ATTRIBUTES = 16_384

_NUMBERS = {
    "store": "12s", "trace": "16s", "span": "8s", "change": "Q", "first_day": "H",
    "epoch_ns": "q", "start_ns": "q", "end_ns": "q", "is_root": "B",
    "input_tokens": "q", "output_tokens": "q", "cost_usd": "d", "is_counted": "B",
    "dropped_count": "q", "wait_ns": "q", "waits": "q", "size_bytes": "q",
    "stall_start_ns": "q", "stall_ns": "q", "created": "Q", "settled": "Q", "content": "Q",
    "changed_ns": "q", "words_version": "B",
}  # fmt: skip
"""Columns of a fixed width: they stand together, and one call encodes them."""
_TEXTS = (
    "kind", "status", "name", "subject", "model", "service",
    "session", "process", "parent", "duplicate_of", "waited",
    "attribute_keys", "attribute_values", "payload", "origin", "words",
)  # fmt: skip
COLUMNS = (*_NUMBERS, *_TEXTS)
"""The columns of a row, in its order."""
_numbers = Struct("<" + "".join(_NUMBERS.values())).pack

_Pieces: TypeAlias = tuple[bytes, bytes, bytes]


def span_row(store: bytes, span: SpanRecord, content: Content, first_ns: int) -> bytes:
    """Return the row of a span, with its content."""
    payload, origin = content.payload, content.origin
    encoded = EncodedSpan.FromString(payload)
    is_short = len(payload) <= MAX_TEXT_CHARS
    read = _known_attributes.__getitem__ if is_short else _without_words
    found = list(map(read, encoded.attributes))
    keys, values, terms = zip(*found, strict=True) if found else ((), (), ())
    if len(found) > MAX_ATTRIBUTES or len(set(keys)) < len(found):
        some = dict(zip(keys[:MAX_ATTRIBUTES], values, strict=False))  # of a key the last one
        keys, values = tuple(some), tuple(some.values())
    texts, own_words = _own(span)
    origin_column, origin_words = (
        _known_origin if len(origin) <= MAX_CACHED_ORIGIN_BYTES else _origin
    )(origin)
    if is_short:
        measures = " ".join(measure_marks(span)).encode()
        ending = map(_encoded, ending_terms(encoded))
        words = b" ".join((own_words, measures, origin_words, *terms, *ending))
    else:
        words = _encoded(plain_span_document(span, content))
    count = varint(len(keys))
    return b"".join(
        (
            _numbers(
                store,
                bytes.fromhex(span.trace_id),
                bytes.fromhex(span.span_id),
                span.change,
                day_of(first_ns),
                span.epoch_ns,
                span.start_ns,
                -1 if span.end_ns is None else span.end_ns,
                span.is_root,
                -1 if span.input_tokens is None else span.input_tokens,
                -1 if span.output_tokens is None else span.output_tokens,
                math.nan if span.cost_usd is None else span.cost_usd,
                span.is_counted,
                span.dropped_count,
                span.wait_ns,
                span.waits,
                span.size_bytes,
                -1 if span.stall_start_ns is None else span.stall_start_ns,
                -1 if span.stall_ns is None else span.stall_ns,
                span.created,
                span.settled,
                span.content,
                span.changed_ns,
                VERSION,
            ),
            texts,
            name(span.session_id),
            name(span.process_id),
            b"\0" if span.parent_span_id is None else string(span.parent_span_id),
            b"\0" if span.duplicate_of is None else string(span.duplicate_of),
            string(orjson.dumps(span.waited)) if span.waited else b"\0",
            count,
            *keys,
            count,
            *values,
            varint(len(payload)),
            payload,
            origin_column,
            varint(len(words)),
            words,
        )
    )


def _own(span: SpanRecord) -> tuple[bytes, bytes]:
    """Return the columns that tell what a span is, and the words and marks of that."""
    key = _identity(span)
    if (found := _known_own.get(key)) is None:
        texts = (span.name, span.subject or "", span.model or "", span.service or "")
        columns = b"".join(map(string, (span.kind, span.status, *texts)))
        found = columns, _encoded(" ".join(identity_terms(span)))
        if sum(map(len, texts)) <= _MAX_KNOWN_CHARS:
            if len(_known_own) >= _MAX_KNOWN_SPANS:
                _known_own.clear()
            _known_own[key] = found
    return found


_identity = attrgetter("name", "kind", "status", "is_root", "subject", "model", "service")
_known_own: dict[tuple[Any, ...], tuple[bytes, bytes]] = {}


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "replace")


def _attribute(attribute: bytes) -> _Pieces:
    """Return the key, the value and the words of an attribute, all encoded."""
    pair = KeyValue.FromString(attribute)
    key, value = pair.key, json_value(pair.value)
    return *_columns(key, value), _encoded(attribute_terms(key, value))


class _Attributes(dict[bytes, _Pieces]):
    """What attributes add to a row. Most short ones come again, with the next of their kind."""

    def __missing__(self, attribute: bytes) -> _Pieces:
        pieces = _attribute(attribute)
        if len(attribute) <= MAX_KNOWN_BYTES:
            if len(self) >= _MAX_KNOWN_ATTRIBUTES:
                self.clear()
            self[attribute] = pieces
        return pieces


_known_attributes = _Attributes()


def _without_words(attribute: bytes) -> _Pieces:
    """Return the key and the value of an attribute of a large span."""
    pair = KeyValue.FromString(attribute)
    return *_columns(pair.key, json_value(pair.value)), b""


def _columns(key: str, value: Json) -> tuple[bytes, bytes]:
    text = value if isinstance(value, str) else orjson.dumps(value).decode()
    return name(key), string(text[:MAX_VALUE_CHARS])


def _origin(origin: bytes) -> tuple[bytes, bytes]:
    """Return a resource and scope as a column, and its words."""
    return string(origin), _encoded(resource_terms(origin))


_known_origin = lru_cache(256)(_origin)
