import tracemalloc
from collections.abc import Callable
from dataclasses import replace
from typing import Any, cast

import pytest
from google.protobuf.internal.encoder import _VarintBytes  # type: ignore[attr-defined]  # private
from google.protobuf.message import DecodeError
from hypothesis import given
from hypothesis import strategies as st
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, ArrayValue

from inspector.errors import TooLargeError
from inspector.service.otlp import message_count
from inspector.service.otlp.batch import MAX_ITEMS, make_batch
from inspector.service.otlp.decode_proto import decode_proto
from inspector.service.otlp.message_count import check_message_count, count_messages
from inspector.service.otlp.rejections import Rejections
from inspector.service.otlp.signals import LOGS, METRICS, SIGNALS, TRACES, OtlpSignal
from tests.support.telemetry.export import span, trace_request

ROOT = TRACES.request.DESCRIPTOR
EMPTY = 20_001


def inside(body: bytes, *tags: int) -> bytes:
    """Return `body` in a field, in a field …, the innermost tag first."""
    for tag in tags:
        body = bytes([tag]) + _VarintBytes(len(body)) + body
    return body


IN_SPAN = (0x12, 0x12, 0x0A)  # spans = 2, scope_spans = 2, resource_spans = 1
FLOODS = {
    "resources": lambda: b"\x0a\0" * EMPTY,
    "scopes": lambda: inside(b"\x12\0" * EMPTY, 0x0A),
    "spans": lambda: inside(b"\x12\0" * EMPTY, 0x12, 0x0A),
    "attributes": lambda: inside(b"\x4a\0" * EMPTY, *IN_SPAN),
    "events": lambda: inside(b"\x5a\0" * EMPTY, *IN_SPAN),
    "links": lambda: inside(b"\x6a\0" * EMPTY, *IN_SPAN),
    "values": lambda: inside(b"\x0a\0" * EMPTY, 0x2A, 0x12, 0x4A, *IN_SPAN),
    "long tags": lambda: inside(b"\x92\0\0" * EMPTY, 0x0A),
    "after damage": lambda: inside(b"\x0a\x7f" + bytes(9), *IN_SPAN) + b"\x0a\0" * EMPTY,
    "entity keys": lambda: inside(b"\x1a\0" * EMPTY, 0x1A, 0x0A, 0x0A),
}


@pytest.mark.parametrize("flood", FLOODS.values(), ids=FLOODS.keys())
def test_a_flood_of_empty_messages_is_refused_before_it_is_parsed(
    flood: Callable[[], bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(message_count, "MAX_MESSAGES", EMPTY - 1)

    class Unparsed:
        DESCRIPTOR = ROOT

        @staticmethod
        def FromString(body: bytes) -> None:  # noqa: N802 - protobuf's name
            raise AssertionError("it was parsed")

    signal = replace(TRACES, request=cast(Any, Unparsed))
    with pytest.raises(TooLargeError, match="smaller batches"):
        decode_proto(signal, flood(), Rejections())


@pytest.mark.parametrize("signal", SIGNALS.values(), ids=lambda signal: str(signal.name))
@pytest.mark.parametrize("level", ["groups", "scopes"])
def test_resources_and_scopes_without_items_are_bounded_too(signal: OtlpSignal, level: str) -> None:
    request: Any = signal.request()
    if level == "groups":
        request.MergeFromString(b"\x0a\0" * (MAX_ITEMS + 1))
    else:
        request.MergeFromString(inside(b"\x12\0" * (MAX_ITEMS + 1), 0x0A))
    with pytest.raises(TooLargeError, match=getattr(signal, level)):
        make_batch(signal, request, Rejections(), size_bytes=0)


def test_scopes_without_items_leave_nothing_behind() -> None:
    request: Any = TRACES.request()
    request.MergeFromString(inside(b"\x12\0" * MAX_ITEMS, 0x0A))
    tracemalloc.start()
    try:
        make_batch(TRACES, request, Rejections(), size_bytes=0)
        _, peak_bytes = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak_bytes < 50 * MAX_ITEMS


def test_a_large_body_of_ordinary_spans_is_accepted() -> None:
    spans = [span(number) for number in range(1, 3001)]
    for one in spans:
        one.attributes.add(key="text").value.string_value = "BRZ: bjrz" * 100
    body = trace_request(*spans).SerializeToString()
    translated = body.translate(None, message_count._TAGS_OF_OTHERS)
    assert len(translated) > message_count.MAX_MESSAGES
    check_message_count(body, ROOT)
    assert count_messages(body, ROOT) < 20_000


def test_fields_that_are_no_messages_are_not_looked_at_without_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(message_count, "MAX_FIELDS", 1000)
    body = inside(b"\x30\x01" * 1000, *IN_SPAN)  # kind = 6
    assert count_messages(body, ROOT) > message_count.MAX_MESSAGES


def made(message: Any) -> int:
    """Return how many messages are in `message`."""
    count = 0
    for field, value in message.ListFields():
        if field.message_type:
            for one in value if field.is_repeated else [value]:
                count += 1 + made(one)
        elif field.is_repeated and field.type == field.TYPE_STRING:
            count += len(value)
    return count


values = st.recursive(
    st.builds(AnyValue, string_value=st.text(max_size=200)) | st.builds(AnyValue),
    lambda inner: st.lists(inner, max_size=4).map(
        lambda items: AnyValue(array_value=ArrayValue(values=items))
    ),
    max_leaves=10,
)


@given(st.lists(values, max_size=5))
def test_the_count_is_that_of_the_parser(drawn_values: list[AnyValue]) -> None:
    one = span(1)
    for value in drawn_values:
        one.attributes.add(key="k", value=value)
        one.events.add(name="e").attributes.add(key="k", value=value)
    request = trace_request(one)
    assert count_messages(request.SerializeToString(), ROOT) == made(request)


@given(st.binary(max_size=200), st.sampled_from([TRACES, LOGS, METRICS]))
def test_the_count_of_any_bytes_is_never_below_what_the_parser_makes(
    body: bytes, signal: OtlpSignal
) -> None:
    count = count_messages(body, signal.request.DESCRIPTOR)
    try:
        request = signal.request.FromString(body)
    except DecodeError:
        return
    assert count >= made(request)
