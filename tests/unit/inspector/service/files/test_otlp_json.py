"""OTLP's JSON, made fast, is what protobuf makes of the same messages."""

from __future__ import annotations

import base64
from typing import Any

import pytest
from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.json_format import MessageToDict
from google.protobuf.message import Message
from hypothesis import given
from hypothesis import strategies as st
from opentelemetry.proto.common.v1.common_pb2 import KeyValue
from opentelemetry.proto.logs.v1.logs_pb2 import LogRecord, ResourceLogs
from opentelemetry.proto.trace.v1.trace_pb2 import ResourceSpans, Span

from inspector.service.files.otlp_json import plain

_MAX_DEPTH = 7
_RANGES = {
    FieldDescriptor.CPPTYPE_INT32: st.integers(-(2**31), 2**31 - 1),
    FieldDescriptor.CPPTYPE_INT64: st.integers(-(2**63), 2**63 - 1),
    FieldDescriptor.CPPTYPE_UINT32: st.integers(0, 2**32 - 1),
    FieldDescriptor.CPPTYPE_UINT64: st.integers(0, 2**64 - 1),
    FieldDescriptor.CPPTYPE_ENUM: st.integers(0, 9),
    FieldDescriptor.CPPTYPE_BOOL: st.booleans(),
    FieldDescriptor.CPPTYPE_DOUBLE: st.floats(),
}
_BYTES = st.binary(max_size=9)
_TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=5)


def _fill(draw: st.DrawFn, message: Message, depth: int = 0) -> None:
    """Set any fields of a message, of all that its descriptor has."""
    fields = st.lists(st.sampled_from([*message.DESCRIPTOR.fields]), min_size=1, max_size=6)
    for field in draw(fields):
        target: Any = getattr(message, field.name)
        if field.message_type is None:
            value = draw(_values(field))
            if field.is_repeated:
                target.append(value)
            else:
                setattr(message, field.name, value)
        elif depth < _MAX_DEPTH:
            for _ in range(draw(st.integers(1, 2)) if field.is_repeated else 1):
                inner = target.add() if field.is_repeated else target
                inner.SetInParent()
                _fill(draw, inner, depth + 1)


def _values(field: FieldDescriptor) -> st.SearchStrategy[Any]:
    if field.type == FieldDescriptor.TYPE_BYTES:
        return _BYTES
    return _RANGES.get(field.cpp_type, _TEXT)


def _with_hex_ids(node: Any) -> Any:
    if isinstance(node, list):
        return [_with_hex_ids(one) for one in node]
    if not isinstance(node, dict):
        return node
    ids = {"traceId", "spanId", "parentSpanId"} & node.keys()
    changed = {name: base64.b64decode(node[name]).hex() for name in ids}
    return {name: changed.get(name) or _with_hex_ids(value) for name, value in node.items()}


@st.composite
def _messages(draw: st.DrawFn) -> Message:
    types = [ResourceSpans, ResourceLogs, Span, LogRecord, KeyValue]
    message: Message = draw(st.sampled_from(types))()
    _fill(draw, message)
    return message


@pytest.mark.slow
@given(_messages())
def test_any_message_has_the_json_of_protobuf_but_for_its_ids(message: Message) -> None:
    expected = _with_hex_ids(MessageToDict(message, use_integers_for_enums=True))
    # Not by `==`: NaN is not itself, and fields have an order.
    assert repr(plain(message)) == repr(expected)
