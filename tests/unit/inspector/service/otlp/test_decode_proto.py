from typing import Any

import pytest
from google.protobuf.internal.encoder import _VarintBytes  # type: ignore[attr-defined]  # private
from hypothesis import given
from hypothesis import strategies as st
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from inspector.errors import BadDataError
from inspector.service.otlp.decode_proto import decode_proto
from inspector.service.otlp.rejections import Rejections
from inspector.service.otlp.signals import LOGS, METRICS, SIGNALS, TRACES, OtlpSignal
from tests.support.telemetry.export import span, trace_request


def names(request: Any) -> list[str]:
    return [
        item.name
        for group in request.resource_spans
        for scope in group.scope_spans
        for item in scope.spans
    ]


def test_a_good_request_is_what_it_was() -> None:
    request, rejections = trace_request(span(1), span(2)), Rejections()
    assert decode_proto(TRACES, request.SerializeToString(), rejections) == request
    assert rejections.count == 0


@pytest.mark.parametrize("signal", SIGNALS.values(), ids=lambda signal: str(signal.name))
def test_an_empty_body_is_an_empty_request(signal: OtlpSignal) -> None:
    assert decode_proto(signal, b"", Rejections()) == signal.request()


def test_a_span_whose_text_is_not_utf8_is_dropped_alone() -> None:
    request = trace_request(span(1, name="one"), span(2, name="BADNAME"), span(3, name="three"))
    body = request.SerializeToString().replace(b"BADNAME", b"BAD\xff\xfeME")
    rejections = Rejections()
    decoded: Any = decode_proto(TRACES, body, rejections)
    assert names(decoded) == ["one", "three"]
    assert rejections.count == 1
    assert "UTF-8" in rejections.reason
    assert decoded.resource_spans[0].resource == request.resource_spans[0].resource


def test_a_span_that_is_nested_too_deeply_is_dropped_alone() -> None:
    deep = span(2, name="deep")
    value = deep.attributes.add(key="a").value
    for _ in range(60):
        value = value.array_value.values.add()
    rejections = Rejections()
    # Joined: a request that holds it cannot even be copied together.
    body = trace_request(span(1, name="one")).SerializeToString() + _alone(deep)
    assert names(decode_proto(TRACES, body, rejections)) == ["one"]
    assert rejections.count == 1


def test_a_resource_that_cannot_be_read_takes_its_spans_with_it() -> None:
    good, bad = trace_request(span(1, name="one")), trace_request(span(2), span(3))
    bad_body = bad.SerializeToString().replace(b"service.name", b"service.\xff\xff\xff\xff")
    rejections = Rejections()
    decoded = decode_proto(TRACES, good.SerializeToString() + bad_body, rejections)
    assert names(decoded) == ["one"]
    assert rejections.count == 2


@pytest.mark.parametrize("body", [b"\xff", b"{}", b"hello world", b"\x0a\xff\xff\xff\xff\x0f"])
def test_what_is_no_request_is_bad_data(body: bytes) -> None:
    with pytest.raises(BadDataError):
        decode_proto(TRACES, body, Rejections())


def test_a_request_whose_only_span_is_bad_is_an_empty_one() -> None:
    body = trace_request(span(1, name="BADNAME")).SerializeToString()
    rejections = Rejections()
    decoded: Any = decode_proto(TRACES, body.replace(b"BADNAME", b"BAD\xff\xfeME"), rejections)
    assert names(decoded) == []
    assert rejections.count == 1


def _alone(span: Span) -> bytes:
    """Return a request in protobuf that holds `span`."""
    inner = span.SerializeToString()
    for tag in (b"\x12", b"\x12", b"\x0a"):  # spans = 2, scope_spans = 2, resource_spans = 1
        inner = tag + _VarintBytes(len(inner)) + inner
    return inner


@given(st.binary(max_size=300), st.sampled_from([TRACES, LOGS, METRICS]))
def test_any_bytes_are_decoded_or_refused(body: bytes, signal: OtlpSignal) -> None:
    try:
        decode_proto(signal, body, Rejections())
    except BadDataError:
        return


@given(st.data())
def test_a_damaged_request_is_decoded_or_refused(data: st.DataObject) -> None:
    body = bytearray(trace_request(span(1), span(2)).SerializeToString())
    for _ in range(data.draw(st.integers(1, 4))):
        body[data.draw(st.integers(0, len(body) - 1))] = data.draw(st.integers(0, 255))
    try:
        decoded = decode_proto(TRACES, bytes(body), Rejections())
    except BadDataError:
        return
    TRACES.request.FromString(decoded.SerializeToString())
