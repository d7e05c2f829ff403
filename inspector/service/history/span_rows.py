"""Rows of spans, as `RowBinary`: most of what a span has was encoded for another before.

An attribute has the same bytes in every span that has it. What it adds to the columns is found by
them, and nothing of it is decoded.
"""

from __future__ import annotations

import math
from binascii import hexlify
from functools import lru_cache
from struct import Struct
from typing import Any, TypeAlias
from zlib import crc32

import orjson
from opentelemetry.proto.common.v1.common_pb2 import KeyValue

from inspector.service.history.row_binary import name, string, varint
from inspector.service.model.otlp_values import json_value
from inspector.service.model.records import MAX_CACHED_ORIGIN_BYTES, Content, StoredSpan
from inspector.service.model.rows import Json
from inspector.service.query.fields import Kind
from inspector.service.search.documents import (
    MAX_KNOWN_BYTES,
    MAX_TEXT_CHARS,
    OFFERED,
    VERSION,
    EncodedSpan,
    attribute_terms,
    ending_terms,
    identity_terms,
    plain_span_document,
    resource_terms,
)
from inspector.service.search.marks import (
    HOUR_NS,
    MAX_CHARS,
    magnitude,
    mark_of,
    marks_of_key,
    measure_marks,
)
from inspector.service.storage.sqlite_span_rows import span_of

MAX_VALUE_CHARS = 1024
"""Limit of an attribute's text; `payload` has all of it."""
MAX_ATTRIBUTES = 256
_MAX_KNOWN_CHARS = 256
_MAX_KNOWN_SPANS = 8_192
_MAX_KNOWN_ATTRIBUTES = 16_384
_MAX_KNOWN_KEYS = 1_024
_MAX_KNOWN_PLACES = 4_096
_MAX_KEYS_BYTES = 4_096

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
_Texts: TypeAlias = tuple[bytes, ...]
_NOTHING: tuple[_Texts, ...] = ((), (), ())


def span_row(store: bytes, span: StoredSpan, content: Content, first_day: int) -> bytes:
    """Return the row of a span, with its content."""
    (
        trace_id, span_id, session_id, epoch_ns, parent_id, own_name, kind, status,
        start_ns, end_ns, is_root, process_id, model, input_tokens, output_tokens, cost_usd,
        is_counted, dropped_count, wait_ns, waits, waited, size_bytes, duplicate_of, subject,
        service, stall_start_ns, stall_ns, change, created, settled, content_no, changed_ns,
    ) = span  # fmt: skip
    payload, origin = content.payload, content.origin
    encoded = EncodedSpan.FromString(payload)
    is_short = len(payload) <= MAX_TEXT_CHARS
    read = _known_attributes.__getitem__ if is_short else _without_words
    # Of a slice the parser makes a list at once.
    keys, values, terms = (*zip(*map(read, encoded.attributes[:]), strict=True),) or _NOTHING
    if (keys_column := _known_keys.get(keys)) is None:
        keys_column, values = _keys(keys, values)
    identity = own_name, kind, status, is_root, subject, model, service
    own_columns, own_words = _known_own.get(identity) or _own(span, identity)
    origin_column, origin_words = (
        _known_origin if len(origin) <= MAX_CACHED_ORIGIN_BYTES else _origin
    )(origin)
    if is_short:
        words = b" ".join((own_words, _measures(span), origin_words, *terms))
        if encoded.status or encoded.events:
            words = b" ".join((words, *map(_encoded, ending_terms(encoded))))
    else:
        words = _encoded(plain_span_document(span_of(span), content))
    place = session_id, process_id
    return b"".join(
        (
            _numbers(
                store,
                trace_id,
                span_id,
                change,
                first_day,
                epoch_ns,
                start_ns,
                -1 if end_ns is None else end_ns,
                is_root,
                -1 if input_tokens is None else input_tokens,
                -1 if output_tokens is None else output_tokens,
                math.nan if cost_usd is None else cost_usd,
                is_counted,
                dropped_count,
                wait_ns,
                waits,
                size_bytes,
                -1 if stall_start_ns is None else stall_start_ns,
                -1 if stall_ns is None else stall_ns,
                created,
                settled,
                content_no,
                changed_ns,
                VERSION,
            ),
            own_columns,
            _known_places.get(place) or _place(place),
            b"\0" if parent_id is None else string(hexlify(parent_id)),
            b"\0" if duplicate_of is None else string(duplicate_of),
            b"\0" if waited is None else string(waited),
            keys_column,
            varint(len(values)),
            *values,
            varint(len(payload)),
            payload,
            origin_column,
            varint(len(words)),
            words,
        )
    )


def _keys(keys: _Texts, values: _Texts) -> tuple[bytes, _Texts]:
    """Return the column of a span's keys, and the values that belong to them."""
    if len(keys) > MAX_ATTRIBUTES or len(set(keys)) < len(keys):
        some = dict(zip(keys[:MAX_ATTRIBUTES], values, strict=False))  # of a key the last one
        return b"".join((varint(len(some)), *some)), tuple(some.values())
    column = b"".join((varint(len(keys)), *keys))
    if len(column) <= _MAX_KEYS_BYTES:
        if len(_known_keys) >= _MAX_KNOWN_KEYS:
            _known_keys.clear()
        _known_keys[keys] = column
    return column, values


_known_keys: dict[_Texts, bytes] = {}
"""The column of the keys of many spans. None of them has a key twice, or too many."""


def _measures(span: StoredSpan) -> bytes:
    """Return the marks of a span's times and sizes."""
    start_ns, end_ns = span.start_ns, span.end_ns
    if end_ns is None or end_ns < start_ns or span.wait_ns or start_ns > span.changed_ns + HOUR_NS:
        return _encoded(" ".join(measure_marks(span_of(span))))
    tokens, written, cost_usd = span.input_tokens, span.output_tokens, span.cost_usd
    key = (
        start_ns // HOUR_NS,
        (end_ns - start_ns).bit_length(),
        span.size_bytes.bit_length(),
        tokens and tokens.bit_length(),
        written and written.bit_length(),
        tokens and written and (tokens + written).bit_length(),
        cost_usd and magnitude(cost_usd, Kind.MONEY),
    )
    if (found := _known_measures.get(key)) is None:
        if len(_known_measures) >= _MAX_KNOWN_SPANS:
            _known_measures.clear()
        found = _encoded(" ".join(measure_marks(span_of(span))))
        _known_measures[key] = found
    return found


_known_measures: dict[tuple[Any, ...], bytes] = {}
"""The marks of spans that have ended, by what they depend on."""


def _own(span: StoredSpan, identity: tuple[Any, ...]) -> tuple[bytes, bytes]:
    """Return the columns that tell what a span is, and the words and marks of that."""
    texts = (span.name, span.subject or "", span.model or "", span.service or "")
    columns = b"".join(map(string, (span.kind, span.status, *texts)))
    found = columns, _encoded(" ".join(identity_terms(span_of(span))))
    if sum(map(len, texts)) <= _MAX_KNOWN_CHARS:
        if len(_known_own) >= _MAX_KNOWN_SPANS:
            _known_own.clear()
        _known_own[identity] = found
    return found


_known_own: dict[tuple[Any, ...], tuple[bytes, bytes]] = {}


def _place(place: tuple[str, str]) -> bytes:
    """Return the columns of a session and a process."""
    found = b"".join(map(string, place))
    if len(found) <= _MAX_KNOWN_CHARS:
        if len(_known_places) >= _MAX_KNOWN_PLACES:
            _known_places.clear()
        _known_places[place] = found
    return found


_known_places: dict[tuple[str, str], bytes] = {}


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "replace")


def _attribute(attribute: bytes) -> _Pieces:
    """Return the key, the value and the words of an attribute, all encoded."""
    if (pieces := _plain_attribute(attribute)) is not None:
        return pieces
    pair = KeyValue.FromString(attribute)
    key, value = pair.key, json_value(pair.value)
    return name(key), _value(value), _encoded(attribute_terms(key, value))


def _plain_attribute(attribute: bytes) -> _Pieces | None:
    """Return the same of a plain text, as most are; None: it is something else.

    Protobuf writes a text as `RowBinary` does, and one of ASCII without escapes is its own words.
    """
    if len(attribute) < _LEAST_BYTES:
        return None
    tag, key_length = attribute[:2]
    end = key_length + 2
    left = len(attribute) - end
    length = left - (4 if left < _FIRST_LONG else 6)
    if tag != _KEY_TAG or key_length >= _LONG or not 0 < length <= MAX_VALUE_CHARS:
        return None
    text = attribute[-length:]
    if not attribute.startswith(_HEADS[length], end) or not text.isascii() or b"\\" in text:
        return None
    key, is_offered, seed, words = _key(attribute[1:end])
    if length <= MAX_CHARS:
        words = b"%b %b" % (words, mark_of(crc32(text.lower(), seed)).encode())
    if not is_offered:
        words = b"%b %b" % (text, words)
    return key, attribute[end + (3 if left < _FIRST_LONG else 4) :], words


@lru_cache(_MAX_KNOWN_KEYS)
def _key(column: bytes) -> tuple[bytes, bool, int, bytes]:
    """Return a key's column, whether it is of a tool that is offered, its seed and its mark."""
    key = column[1:].decode()
    seed, presence = marks_of_key(key)
    return column, key.startswith(OFFERED), seed, presence.encode()


_KEY_TAG = 10
_LONG = 0x80
"""A length from which on more than one byte tells it."""
_FIRST_LONG = _LONG + 2
"""Likewise of a value with what stands before its text."""
_LEAST_BYTES = 8
_HEADS = [
    b"\x12%b\n%b" % (varint(1 + len(varint(length)) + length), varint(length))
    for length in range(MAX_VALUE_CHARS + 1)
]
"""What protobuf writes before the text of a value, by its length."""


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
    return name(pair.key), _value(json_value(pair.value)), b""


def _value(value: Json) -> bytes:
    text = value if isinstance(value, str) else orjson.dumps(value).decode()
    return string(text[:MAX_VALUE_CHARS])


def _origin(origin: bytes) -> tuple[bytes, bytes]:
    """Return a resource and scope as a column, and its words."""
    return string(origin), _encoded(resource_terms(origin))


_known_origin = lru_cache(256)(_origin)
