"""Load of the ingest benchmark: batches of 512 spans, in each encoding of OTLP.

A batch is made once and its ids are written anew for each sending, so that a sender costs little
beside the service that it is to load.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from typing import Literal

from google.protobuf.json_format import MessageToDict
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, InstrumentationScope, KeyValue
from opentelemetry.proto.resource.v1.resource_pb2 import Resource
from opentelemetry.proto.trace.v1.trace_pb2 import ResourceSpans, ScopeSpans, Span

SPANS = 512
SPANS_A_TRACE = 16
ATTRIBUTES = 20
_COUNTERS = 2**32
_ODD = 2_654_435_761  # spreads successive numbers over all of 32 bits, each one once

Protocol = Literal["http/protobuf", "http/json", "grpc"]


def batch(*, ids: Iterator[bytes] | None = None) -> ExportTraceServiceRequest:
    """Return a request of `SPANS` spans; `ids` gives four bytes for the head of each new id."""
    spans: list[Span] = []
    for index in range(SPANS):
        is_root = index % SPANS_A_TRACE == 0
        spans.append(
            span(
                index,
                trace_id=_id(16, ids) if is_root else spans[-1].trace_id,
                span_id=_id(8, ids),
                parent=b"" if is_root else spans[-(index % SPANS_A_TRACE)].span_id,
            )
        )
    return request(spans)


def span(
    index: int, *, trace_id: bytes, span_id: bytes, parent: bytes = b"", session: str = ""
) -> Span:
    """Return a span of `ATTRIBUTES` attributes, about 1.1 kB."""
    attributes = [_attribute(f"attribute.number.{key}", "value " * 4) for key in range(ATTRIBUTES)]
    is_chat = index % 4 == 0
    attributes[0] = _attribute("gen_ai.operation.name", "chat" if is_chat else "execute_tool")
    if is_chat:
        attributes[1] = KeyValue(key="gen_ai.usage.input_tokens", value=AnyValue(int_value=index))
    if session:
        attributes[2] = _attribute("session.id", session)
    start_ns = time.time_ns()
    return Span(
        trace_id=trace_id,
        span_id=span_id,
        parent_span_id=parent,
        name=f"span {index}",
        start_time_unix_nano=start_ns,
        end_time_unix_nano=start_ns + 1_000_000,
        attributes=attributes,
    )


def request(spans: list[Span]) -> ExportTraceServiceRequest:
    """Return `spans` as the body of a request."""
    scope_spans = ScopeSpans(scope=InstrumentationScope(name="bench"), spans=spans)
    resource = Resource(attributes=[_attribute("service.name", "bench")])
    group = ResourceSpans(resource=resource, scope_spans=[scope_spans])
    return ExportTraceServiceRequest(resource_spans=[group])


class Bodies:
    """An endless supply of requests with unique ids.

    Args:
        protocol: In what encoding.
        sender: Which one it is for, below 256: no two have an id in common.
    """

    def __init__(self, protocol: Protocol, sender: int = 0) -> None:
        self._is_hex = protocol == "http/json"
        # Random marks are found by chance elsewhere, now and then, and spoil what stands there.
        marks = [b"\xff\xfe" + n.to_bytes(2, "big") for n in range(SPANS + SPANS // SPANS_A_TRACE)]
        made = batch(ids=iter(marks))
        self._body = bytearray(_json(made) if self._is_hex else made.SerializeToString())
        self._places = [self._places_of(mark) for mark in marks]
        self._next = sender * (_COUNTERS // 256)

    def next(self) -> bytes:
        """Return the next request."""
        for places in self._places:
            self._next += 1
            head = (self._next * _ODD % _COUNTERS).to_bytes(4, "big")
            head = head.hex().encode() if self._is_hex else head
            for place in places:
                self._body[place : place + len(head)] = head
        return bytes(self._body)

    def _places_of(self, mark: bytes) -> list[int]:
        mark = mark.hex().encode() if self._is_hex else mark
        places = [self._body.find(mark)]
        while (place := self._body.find(mark, places[-1] + 1)) >= 0:
            places.append(place)
        return places


def _id(length: int, heads: Iterator[bytes] | None) -> bytes:
    head = next(heads) if heads else b""
    return head + os.urandom(length - len(head))


def _attribute(key: str, text: str) -> KeyValue:
    return KeyValue(key=key, value=AnyValue(string_value=text))


def _json(message: ExportTraceServiceRequest) -> bytes:
    """Return OTLP/JSON: as protobuf's own, but for ids, which are hex."""
    import orjson  # noqa: PLC0415 - the senders of protobuf start faster without

    document = MessageToDict(message)
    pairs = zip(
        document["resourceSpans"][0]["scopeSpans"][0]["spans"],
        message.resource_spans[0].scope_spans[0].spans,
        strict=True,
    )
    for shown, sent in pairs:
        shown["traceId"], shown["spanId"] = sent.trace_id.hex(), sent.span_id.hex()
        if sent.parent_span_id:
            shown["parentSpanId"] = sent.parent_span_id.hex()
    return orjson.dumps(document)
