"""Documents of spans have the words and marks that a search asks for, however they are made."""

from __future__ import annotations

from typing import Any

from hypothesis import example, given
from hypothesis import strategies as st
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from inspector.service.model import records
from inspector.service.model.rows import Json
from inspector.service.normalise import read_span
from inspector.service.query.fields import SPAN_FIELDS, Kind
from inspector.service.query.tree import Operator
from inspector.service.query.words import fold, has_words
from inspector.service.search import documents, marks
from inspector.service.search.documents import MAX_TEXT_CHARS, span_document, span_text
from inspector.service.search.fields import read
from inspector.service.search.marks import (
    attribute_marks,
    field_mark,
    hour_marks,
    is_marked,
    size_marks,
)
from tests.support.telemetry.otlp import key_values, resource, span
from tests.support.telemetry.records import SCOPE

_TEXTS = st.sampled_from(
    [
        "",
        "Merge conflict",
        "café 合并",
        '{"a": ["x\\ny", 1.50, null, "b"]}',
        '{"a": "\\u00e9',
        "k " * 90,
    ]
)
_VALUES: st.SearchStrategy[Json] = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(-9, 2**62), st.floats(), _TEXTS),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_TEXTS, inner, max_size=2),
    max_leaves=5,
)
_KEYS = st.sampled_from(
    ["gen_ai.operation.name", "gen_ai.request.model", "gen_ai.usage.input_tokens", "x", "é"]
)


@given(
    attributes=st.dictionaries(_KEYS, _VALUES, max_size=5),
    text=_TEXTS,
    duration_ns=st.none() | st.integers(-5, 2**50),
    error=st.none() | _TEXTS,
)
@example({"gen_ai.operation.name": "chat", "gen_ai.usage.input_tokens": 7}, "", 5, None)
@example({"x": "long " * MAX_TEXT_CHARS}, "text", None, "failed")
@example({"x": ["item"] * 300}, "text", 0, None)
def test_a_document_has_every_word_and_mark_of_its_span(
    attributes: dict[str, Json], text: str, duration_ns: int | None, error: str | None
) -> None:
    events = [Span.Event(name=text, attributes=key_values({"e": [text]}))]
    message = span(text, duration_ns=duration_ns, attributes=attributes, events=events, error=error)
    known = read_span(message, resource(service_name="demo"), SCOPE)
    document = fold(span_document(known.record, known.content))
    texts, attributes = span_text(known.record, known.content)
    for words in map(fold, texts):
        assert not words or has_words(document, words)
    found = {word for word in document.split() if word[0] == "k" and word != "k"}
    plain = _field_marks(known.record) | attribute_marks(attributes)
    assert found == plain | attribute_marks({"service.name": "demo"})


def test_no_name_that_a_sender_makes_very_long_is_remembered() -> None:
    caches = (
        marks._known_span_marks, marks._known_key, documents._known_resource,
        documents._known_terms, records._known_scope_name,
    )  # fmt: skip
    sizes = []
    for name in ("short", "x" * 20_000, "y" * 20_000):
        message = span(name, attributes={name: 1, "gen_ai.request.model": name})
        known = read_span(message, resource(service_name=name), SCOPE)
        assert name in span_document(known.record, known.content)
        assert known.content.scope_name == SCOPE.name
        sizes.append([cache.cache_info().currsize for cache in caches])
    assert sizes[0] == sizes[1] == sizes[2]


def _field_marks(record: Any) -> set[str]:
    """Return the marks of a span, one field at a time."""
    marks = {*(hour_marks(record.start_ns, record.start_ns + 1, 0) or ())}
    marks |= {*(hour_marks(record.start_ns, record.start_ns + 50 * 3_600 * 10**9, 0) or ())[:1]}
    for field in filter(is_marked, SPAN_FIELDS.values()):
        value: Any = read(field, record, 0)
        if value is None or field.kind is Kind.TIME:
            continue
        if field.kind in {Kind.TEXT, Kind.CHOICE, Kind.FLAG}:
            marks |= {one for one in (field_mark(field), field_mark(field, value)) if one}
        elif record.end_ns is not None or field.kind is not Kind.DURATION:
            marks.add(size_marks(field, Operator.EQUALS, value)[0])
    if record.end_ns is None:
        marks.add("k1")
    if record.start_ns > record.changed_ns + 3_600 * 10**9:
        marks.add("k2")
    return marks


def test_the_tools_that_a_model_is_offered_are_no_words_of_its_call() -> None:
    attributes: dict[str, Json] = {
        "gen_ai.tool.definitions": '[{"name": "delete_file"}]',
        "llm.tools.0.tool.json_schema": '{"name": "delete_file"}',
        "gen_ai.output.messages": '[{"role": "assistant", "parts": []}]',
    }
    sent = read_span(span("chat", attributes=attributes), resource(), SCOPE)
    plain = documents.plain_span_document(sent.record, sent.content)
    for document in (span_document(sent.record, sent.content), plain):
        assert "assistant" in document
        assert "delete" not in document
    places = dict(documents.placed_texts(sent.record, sent.content))
    assert "gen_ai.tool.definitions" not in places
    read_as = span_text(sent.record, sent.content)
    assert "gen_ai.tool.definitions" in read_as.attributes, "by its name it is found"
