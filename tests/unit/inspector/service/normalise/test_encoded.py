"""Spans read from their bytes, with what was learnt from others, say what they say alone."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, KeyValue
from opentelemetry.proto.resource.v1.resource_pb2 import Resource
from opentelemetry.proto.trace.v1.trace_pb2 import ResourceSpans, ScopeSpans, Span

from inspector.service.model.incoming import IncomingSpan
from inspector.service.model.rows import Json
from inspector.service.normalise import facts, read_span
from inspector.service.normalise.duplicates import OPERATION_KEYS
from inspector.service.normalise.encoded import MAX_BYTES
from inspector.service.normalise.facts import EncodedSpanReader, content_facts, resource_facts
from inspector.service.otlp.payloads import encoded_spans
from tests.support.telemetry.otlp import any_value, key_values, resource, span
from tests.unit.inspector.service.normalise.test_facts import JSON, KNOWN_KEYS

SOME_KEYS = [
    "gen_ai.operation.name", "gen_ai.request.model", "gen_ai.usage.input_tokens", "session.id",
    "gen_ai.response.id", "inspector.session.title", "inspector.duplicate_of", "genkit:name",
    "genkit:output", "all_messages_events", "gen_ai.prompt", "mcp.method.name", "error.type",
    "gen_ai.tool.name", "mcp.session.id", "gen_ai.agent.name", "x" * 128, "",
]  # fmt: skip
ATTRIBUTES = st.dictionaries(
    st.sampled_from(SOME_KEYS) | st.sampled_from([*KNOWN_KEYS, *facts._OF_A_SPAN]),
    st.sampled_from([7, "chat", "tools/call", "x" * 200, "server/discover", "", True]) | JSON,
    max_size=5,
)
EVENTS = [
    Span.Event(name="e"),
    Span.Event(name="gen_ai.user.message", attributes=key_values({"content": "Why?"})),
]
NAMES = st.sampled_from(
    ["a", "b", "execute_tool c", "invoke_agent d", "ResponseStreamWriter", "MCP send tools/call x",
     "tools/list.mcp", "MyLLM.finder.generate_str", "MyLLM.finder.generate_it", "tool.call", ""]
)  # fmt: skip


def spans(names: Sequence[str], attributes: Sequence[dict[str, Json]]) -> st.SearchStrategy[Span]:
    return st.builds(
        span,
        st.sampled_from(names),
        parent=st.sampled_from([None, 2]),
        duration_ns=st.sampled_from([None, 3]),
        attributes=st.sampled_from(attributes),
        events=st.sampled_from([(), EVENTS[:1], EVENTS]),
        error=st.sampled_from([None, "failed"]),
        kind=st.sampled_from([Span.SPAN_KIND_CLIENT, Span.SPAN_KIND_SERVER]),
        flags=st.sampled_from([0x101, 0x301]),
    )


ALIKE = st.tuples(
    st.lists(NAMES, min_size=1, max_size=2),
    st.lists(st.just({"gen_ai.operation.name": "chat"}) | ATTRIBUTES, min_size=1, max_size=2),
).flatmap(lambda drawn: st.lists(spans(*drawn), min_size=2, max_size=8))
"""Spans that have most in common, as those of one program have."""


def read(reader: EncodedSpanReader, owner: Resource, bodies: Sequence[bytes]) -> list[IncomingSpan]:
    """Return encoded spans of `owner` as read."""
    # Field 2 of a scope: a span, its length in as many bytes as any may need.
    group = ResourceSpans(resource=owner, scope_spans=[ScopeSpans()])
    scope = b"".join(_field(2, body) for body in bodies)
    request = _field(1, group.resource.SerializeToString()) + _field(2, scope)
    ExportTraceServiceRequest.FromString(body := _field(1, request))
    origin, of_resource = read_span(Span(), owner).content.origin, resource_facts(owner)
    return [reader.read(one, origin, of_resource) for one in encoded_spans(body)]


def _field(number: int, value: bytes) -> bytes:
    size = len(value)
    length = bytes((size >> shift & 0x7F) | 0x80 for shift in (0, 7, 14)) + bytes([size >> 21])
    return bytes([number << 3 | 2]) + length + value


def facts_of(one: IncomingSpan) -> str:
    """Return the facts beside the row; as text, in which NaN is equal to itself."""
    assert one.content.facts is not None
    kind, attributes = one.content.facts
    return repr((kind, sorted(pair for pair in attributes.items() if pair[0] in OPERATION_KEYS)))


@given(
    ALIKE,
    st.dictionaries(st.sampled_from(["service_name", "session_id", "inspector_engine"]), JSON),
)
def test_a_span_says_the_same_from_bytes_whatever_came_before(
    sent: list[Span], of_resource: dict[str, Json]
) -> None:
    reader, owner = EncodedSpanReader(), resource(**of_resource)
    for _ in range(3):  # the third time, all is known
        found = read(reader, owner, [one.SerializeToString() for one in sent])
        expected = [read_span(one, owner) for one in sent]
        assert found == expected
        assert list(map(facts_of, found)) == list(map(facts_of, expected))


@given(ATTRIBUTES)
def test_what_is_compared_of_a_new_span_is_what_is_compared_of_a_stored_one(
    attributes: dict[str, Json],
) -> None:
    sent = span(attributes=attributes)
    (found,) = read(EncodedSpanReader(), resource(), [sent.SerializeToString()])
    assert found.content.facts is not None
    kind, read_keys = found.content.facts
    compared = {key: value for key, value in read_keys.items() if key in OPERATION_KEYS}
    stored_kind, stored = content_facts(sent)
    assert kind == stored_kind
    assert repr(sorted(compared.items())) == repr(sorted(stored.items()))


def test_whatever_order_an_encoder_writes_in_and_whatever_it_repeats_the_last_counts() -> None:
    key = KeyValue(key="gen_ai.request.model").SerializeToString()
    value = KeyValue(value=any_value("b")).SerializeToString()
    other = KeyValue(value=any_value("a")).SerializeToString()
    twice = any_value("a").SerializeToString() + any_value("b").SerializeToString()
    forms = [key + value, value + key, key + other + value, key + _field(2, twice)]
    forms.append(KeyValue(key="n").SerializeToString() + value + key)
    reader = EncodedSpanReader()
    name = Span(name="chat").SerializeToString()
    for _ in range(3):
        found = read(reader, resource(), [_field(9, form) + name for form in forms])
        assert [one.record.model for one in found] == ["b"] * len(forms)
        assert [one.record.name for one in found] == ["chat"] * len(forms)


def test_an_attribute_that_is_too_long_to_be_a_fact_has_no_value() -> None:
    reader = EncodedSpanReader()
    for key, value in (("gen_ai.request.model", "m"), ("gen_ai.prompt", "Why?")):
        for text in (value, value + "y" * MAX_BYTES, value):
            sent = span(attributes={"gen_ai.operation.name": "chat", key: text})
            (found,) = read(reader, resource(), [sent.SerializeToString()])
            assert found == read_span(sent, resource())
            known = found.record.model or found.first_user_message
            assert known == (value if text == value else None)


@pytest.mark.slow
def test_any_number_of_names_keys_and_values_is_remembered_in_bounded_memory() -> None:
    reader, most = EncodedSpanReader(), (0, 0)
    for number in range(3_000):
        varying = {"session.id": f"s{number}", "gen_ai.request.model": f"m{number}" + "x" * 900}
        sent = span(f"{number}.mcp", attributes={f"key.{number // 2}": 1, **varying})
        read(reader, resource(), [sent.SerializeToString()])
        most = max(most, remembered(reader))
    assert most[0] > 1_000
    assert most[1] <= 1024 * 1024
    known = remembered(reader)
    long = AnyValue(string_value="y" * 5_000)
    pairs = [KeyValue(key="session.id", value=long), KeyValue(key="k" * 5_000)]
    many = [KeyValue(key="gen_ai.response.id")] * 500
    for odd in (pairs, pairs[:1], many) * 2:
        read(reader, resource(), [Span(name="x", attributes=odd).SerializeToString()])
    # Of the short keys of the long value, and of its kind.
    assert remembered(reader)[0] <= known[0] + 2
    assert len(reader._seen_once) <= 4_096


def remembered(reader: EncodedSpanReader) -> tuple[int, int]:
    """Return the number of entries that a reader remembers, and their bytes."""
    sizes = [len(shape_bytes) for shape_bytes in reader._shapes]
    for shape in reader._shapes.values():
        for key in (*shape.sketches, *shape.owners):
            parts = key if isinstance(key, tuple) else (key,)
            sizes += [sum(len(part) for part in parts if isinstance(part, str | bytes))]
    return len(sizes), sum(max(size, 256) for size in sizes)
