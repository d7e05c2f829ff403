"""The row of a span is the one that the schema describes, made a column at a time."""

from __future__ import annotations

import math
import re
from dataclasses import fields, replace
from importlib import resources
from itertools import product
from typing import Any

import orjson
from hypothesis import example, given
from hypothesis import strategies as st
from opentelemetry.proto.trace.v1.trace_pb2 import Span, Status

from inspector.service.history import span_rows
from inspector.service.history.row_binary import (
    Encode,
    day,
    day_of,
    encode_row,
    fixed,
    float64,
    int64,
    string,
    uint8,
    uint64,
    varint,
)
from inspector.service.history.span_rows import COLUMNS, MAX_ATTRIBUTES, MAX_VALUE_CHARS, span_row
from inspector.service.model.otlp_values import flat_attributes
from inspector.service.model.records import (
    MAX_CACHED_ORIGIN_BYTES,
    MAX_INT,
    Content,
    SpanRecord,
    StoredSpan,
    origin_of,
)
from inspector.service.model.rows import Json, SpanKind, SpanStatus
from inspector.service.search.documents import MAX_TEXT_CHARS, VERSION, span_document
from inspector.service.search.marks import HOUR_NS
from tests.support.telemetry.otlp import any_value, key_values, resource
from tests.support.telemetry.records import SCOPE, stored

STORE = b"0123456789ab"
FIELDS = {
    "trace": "trace_id",
    "span": "span_id",
    "session": "session_id",
    "parent": "parent_span_id",
    "process": "process_id",
}
"""Columns with another name than their field."""


def strings(values: list[str]) -> bytes:
    return varint(len(values)) + b"".join(map(string, values))


ENCODERS: dict[str, Encode] = {
    "FixedString(8)": fixed(8),
    "FixedString(12)": fixed(12),
    "FixedString(16)": fixed(16),
    "Date": day,
    "Int64": int64,
    "UInt64": uint64,
    "UInt8": uint8,
    "Float64": float64,
    "String": string,
    "Array(String)": strings,
}
NONE = {"Int64": -1, "Float64": math.nan, "String": ""}


def schema() -> dict[str, str]:
    """Return the type of each column, as the first script has it."""
    script = resources.files(span_rows.__package__) / "schema" / "0001_history.sql"
    table = script.read_text().split("EXISTS span (")[1].split(") ENGINE")[0]
    return dict(re.findall(r"^    (\w+) ([\w()]+)", table, re.MULTILINE))


TYPES = schema()


def row_of(span: SpanRecord, content: Content, first_ns: int) -> bytes:
    return span_row(STORE, stored(span), content, day_of(first_ns))


def plain_row(span: SpanRecord, content: Content, first_ns: int) -> bytes:
    attributes = flat_attributes(content.span().attributes[:MAX_ATTRIBUTES])
    texts = [v if isinstance(v, str) else orjson.dumps(v).decode() for v in attributes.values()]
    made: dict[str, Any] = {
        "store": STORE,
        "trace": bytes.fromhex(span.trace_id),
        "span": bytes.fromhex(span.span_id),
        "first_day": first_ns,
        "waited": orjson.dumps(span.waited) if span.waited else "",
        "attribute_keys": list(attributes),
        "attribute_values": [text[:MAX_VALUE_CHARS] for text in texts],
        "payload": content.payload,
        "origin": content.origin,
        "words": span_document(span, content),
        "words_version": VERSION,
    }
    row = [made[one] if one in made else getattr(span, FIELDS.get(one, one)) for one in COLUMNS]
    types = [TYPES[one] for one in COLUMNS]
    values = [NONE[t] if v is None else v for t, v in zip(types, row, strict=True)]
    return encode_row([ENCODERS[one] for one in types], values)


TEXTS = st.one_of(
    st.text(max_size=5),
    st.sampled_from(["chat", "café 合并", '{"a": ["x\\ny", 1.50]}', "k " * 90, "long " * 400]),
)
VALUES: st.SearchStrategy[Json] = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(-9, 2**62), st.floats(), TEXTS),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=2),
    max_leaves=5,
)
KEYS = st.sampled_from(["gen_ai.request.model", "gen_ai.tool.definitions", "x", "é", "y" * 200])
PAIRS = st.lists(st.tuples(KEYS, VALUES), max_size=6)
TIMES = st.integers(0, MAX_INT)
COUNTS = st.integers(0, 2**40)
RECORDS = st.builds(
    SpanRecord,
    trace_id=st.binary(min_size=16, max_size=16).map(bytes.hex),
    span_id=st.binary(min_size=8, max_size=8).map(bytes.hex),
    parent_span_id=st.none() | st.binary(min_size=8, max_size=8).map(bytes.hex),
    epoch_ns=TIMES,
    start_ns=TIMES,
    end_ns=st.none() | TIMES,
    session_id=TEXTS,
    name=TEXTS,
    process_id=TEXTS,
    kind=st.sampled_from(SpanKind),
    status=st.sampled_from(SpanStatus),
    is_root=st.booleans(),
    model=st.none() | TEXTS,
    subject=st.none() | TEXTS,
    service=st.none() | TEXTS,
    duplicate_of=st.none() | TEXTS,
    input_tokens=st.none() | COUNTS,
    output_tokens=st.none() | COUNTS,
    cost_usd=st.none() | st.floats(0, 1e6),
    is_counted=st.booleans(),
    waited=st.lists(st.tuples(TIMES, st.none() | TIMES), max_size=2).map(tuple),
    stall_start_ns=st.none() | TIMES,
    stall_ns=st.none() | COUNTS,
    changed_ns=TIMES,
    **dict.fromkeys(
        (
            *("dropped_count", "wait_ns", "waits", "size_bytes"),
            *("change", "created", "settled", "content"),
        ),
        COUNTS,
    ),
)
A_SPAN = SpanRecord(
    "0" * 32, "0" * 16, "s", 0, None, "chat", SpanKind.LLM, SpanStatus.OK, 5, 6, False, "p"
)


@given(RECORDS, RECORDS)
def test_spans_that_differ_in_one_field_have_rows_of_their_own(
    span: SpanRecord, other: SpanRecord
) -> None:
    content = Content(Span(name=span.name).SerializeToString(), origin_of(resource(), SCOPE))
    for field in fields(SpanRecord):
        row_of(span, content, 5)
        nearly = replace(span, **{field.name: getattr(other, field.name)})
        assert row_of(nearly, content, 5) == plain_row(nearly, content, 5)


@given(RECORDS, PAIRS, st.none() | TEXTS, st.lists(st.tuples(TEXTS, PAIRS), max_size=2), TIMES)
@example(A_SPAN, [("x", "long " * MAX_TEXT_CHARS), ("x", 1)], "failed", [], 5)
@example(A_SPAN, [(f"key {number}", number) for number in range(300)], None, [], 5)
@example(A_SPAN, [("resource", "x" * MAX_CACHED_ORIGIN_BYTES)], None, [], 5)
def test_a_row_is_what_its_plain_description_makes(
    span: SpanRecord,
    pairs: list[tuple[str, Json]],
    error: str | None,
    events: list[tuple[str, list[tuple[str, Json]]]],
    first_ns: int,
) -> None:
    message = Span(name=span.name)
    for key, value in pairs:
        message.attributes.add(key=key, value=any_value(value))
    for name, inner in events:
        message.events.add(name=name, attributes=key_values(dict(inner)))
    if error is not None:
        message.status.CopyFrom(Status(code=Status.STATUS_CODE_ERROR, message=error))
    sent_by = resource(service_name="demo", big=dict(pairs).get("resource"))
    content = Content(message.SerializeToString(), origin_of(sent_by, SCOPE))
    for _ in range(2):  # the second time most of it is known
        assert row_of(span, content, first_ns) == plain_row(span, content, first_ns)


def test_each_time_and_size_of_a_span_has_its_marks() -> None:
    content = Content(b"", origin_of(resource(), SCOPE))
    counts = (None, 0, 1, 2, 3)
    for start_ns, took_ns, delay_ns, tokens, written, cost_usd in product(
        (9 * HOUR_NS, 10 * HOUR_NS - 1, 10 * HOUR_NS),
        (-9, 0, 9, None),
        (0, -HOUR_NS, -HOUR_NS - 1),
        counts,
        counts,
        (None, 0.0, 3e-6, 4e-6),
    ):
        span = A_SPAN.copy()
        span.start_ns, span.changed_ns = start_ns, start_ns + delay_ns
        span.end_ns = None if took_ns is None else start_ns + took_ns
        span.input_tokens, span.output_tokens, span.cost_usd = tokens, written, cost_usd
        assert row_of(span, content, 5) == plain_row(span, content, 5)


def test_a_text_of_any_length_has_the_row_of_its_plain_description() -> None:
    content = Content(b"", origin_of(resource(), SCOPE))
    for length in (0, 1, 64, 65, 119, *range(124, 134), 1024, 1025):
        for key in ("k", "gen_ai.tool.definitions", "k" * 127, "k" * 128):
            for text in ("X" * length, ('["' + "\\n" * length)[:length], "É" * length):
                content.payload = Span(attributes=key_values({key: text})).SerializeToString()
                assert row_of(A_SPAN, content, 5) == plain_row(A_SPAN, content, 5)


def test_a_span_has_the_fields_of_its_record_as_stored() -> None:
    assert StoredSpan._fields == tuple(one.name for one in fields(SpanRecord))


def test_every_column_and_every_field_is_in_a_row() -> None:
    assert sorted(COLUMNS) == sorted(TYPES)
    names = {FIELDS.get(column, column) for column in COLUMNS}
    assert {one.name for one in fields(SpanRecord)} <= names


def test_what_is_known_of_spans_is_bounded() -> None:
    origin = origin_of(resource(), SCOPE)
    known = span_rows._known_attributes
    known.clear()
    for number in range(span_rows._MAX_KNOWN_ATTRIBUTES + 1):
        known[b"\n\1a\x12\7\n\5%05d" % number]
    assert len(known) == 1
    known_keys, known_measures, known_places = (
        span_rows._known_keys,
        span_rows._known_measures,
        span_rows._known_places,
    )
    for number in range(span_rows._MAX_KNOWN_SPANS):
        if number < span_rows._MAX_KNOWN_KEYS:
            known_keys[b"%d" % number,] = b""
        if number < span_rows._MAX_KNOWN_PLACES:
            known_places[str(number), ""] = b""
        known_measures[number,] = b""
    before = len(span_rows._known_own)
    long = Span(name="n" * 400, attributes=key_values({"its own": "y" * 200}))
    record = A_SPAN.copy()
    record.name, record.session_id, record.size_bytes = long.name, "its own", 2**40
    row_of(record, Content(long.SerializeToString(), origin), 5)
    assert (len(known), len(span_rows._known_own)) == (1, before)
    assert (len(known_keys), len(known_measures), len(known_places)) == (1, 1, 1)
