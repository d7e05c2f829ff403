"""Each span has the bytes it came in, and its facts."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from hypothesis import given
from hypothesis import strategies as st
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import ResourceSpans, ScopeSpans, Span

from inspector.service.normalise import read_span
from inspector.service.normalise.encoded import attribute_keys
from inspector.service.otlp.payloads import encoded_spans
from inspector.service.otlp.receiver import read_request
from inspector.service.otlp.rejections import Rejections
from inspector.service.otlp.signals import TRACES
from tests.support.telemetry.otlp import resource, span

SHAPES = st.lists(st.lists(st.integers(0, 3), max_size=3), max_size=3)
"""Of each resource, how many spans each of its scopes has."""


def request(shape: list[list[int]]) -> ExportTraceServiceRequest:
    numbers = iter(range(1, 1000))
    return ExportTraceServiceRequest(
        resource_spans=[
            ResourceSpans(
                resource=resource(service_name=f"service {len(counts)}"),
                scope_spans=[ScopeSpans(spans=_spans(numbers, count)) for count in counts],
            )
            for counts in shape
        ]
    )


def _spans(numbers: Iterator[int], count: int) -> list[Span]:
    return [
        span(
            f"span {number}",
            span_id=number,
            attributes={"n": number, "gen_ai.request.model": f"m{number}", "x": [number, "y"]},
            events=[Span.Event(name="e")] * (number % 2),
        )
        for number in itertools.islice(numbers, count)
    ]


@given(SHAPES)
def test_parts_are_those_of_each_span_in_order(shape: list[list[int]]) -> None:
    sent = request(shape)
    spans = [s for group in sent.resource_spans for scope in group.scope_spans for s in scope.spans]
    parts = list(encoded_spans(sent.SerializeToString()))
    assert [Span.FromString(whole) for whole, _, _ in parts] == spans
    assert [list(fields.attributes) for _, fields, _ in parts] == [
        [pair.SerializeToString() for pair in one.attributes] for one in spans
    ]
    assert [attribute_keys(shape) for _, _, shape in parts] == [
        [pair.key for pair in one.attributes] for one in spans
    ]


def test_a_span_stays_as_it_came_in_whatever_order_its_fields_have() -> None:
    whole = span("s", attributes={"a": 1})
    name = Span(name=whole.name).SerializeToString()
    whole.ClearField("name")
    odd = whole.SerializeToString() + name  # no encoder of ours writes the name last
    body = _wrap(_wrap(odd, 2), 2)
    batch = read_request(TRACES, _wrap(body, 1), rejections=Rejections())
    assert [one.content.payload for one in batch.spans] == [odd]
    assert batch.forward == _wrap(body, 1)


def _wrap(inner: bytes, field: int) -> bytes:
    return bytes([field << 3 | 2, len(inner)]) + inner


def test_bytes_and_facts_go_with_their_span_when_others_are_rejected() -> None:
    sent = request([[2, 3], [1]])
    bad = sent.resource_spans[0].scope_spans[1].spans[1]
    bad.span_id = b"short"
    rejections = Rejections()
    batch = read_request(TRACES, sent.SerializeToString(), rejections=rejections)
    assert (len(batch.spans), rejections.count) == (5, 1)
    for one in batch.spans:
        assert one == read_span(one.span, one.content.resource_spans().resource)
    payloads = [one.content.payload for one in batch.spans]
    assert [whole for whole, _, _ in encoded_spans(batch.forward)] == payloads
