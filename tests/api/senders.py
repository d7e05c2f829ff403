"""Senders that run until the service dies and remember what it acknowledged."""

from __future__ import annotations

import random
import threading

import grpc
import httpx
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from inspector.service.model.rows import Json
from tests.support.telemetry.export import trace_request
from tests.support.telemetry.otlp import START_NS, span

TRACES = "/opentelemetry.proto.collector.trace.v1.TraceService/Export"
_PROTOBUF = {"content-type": "application/x-protobuf"}
_BATCH = 12
_KINDS: tuple[dict[str, Json], ...] = (
    {},
    {"gen_ai.operation.name": "chat", "gen_ai.usage.input_tokens": 3},
    {"gen_ai.operation.name": "invoke_agent", "gen_ai.usage.input_tokens": 8},
    {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "t"},
)

SpanKey = tuple[str, str]


class Acknowledged:
    """The spans that the service has acknowledged, of all senders."""

    def __init__(self) -> None:
        self.keys: set[SpanKey] = set()
        self._changed = threading.Condition()
        self._count = 0

    def add(self, spans: list[Span]) -> None:
        """Add the spans of one answer."""
        with self._changed:
            self.keys |= {(one.trace_id.hex(), one.span_id.hex()) for one in spans}
            self._count += 1
            self._changed.notify_all()

    def wait_for(self, more: int, deadline_s: float) -> None:
        """Wait for `more` answers."""
        with self._changed:
            wanted = self._count + more
            assert self._changed.wait_for(lambda: self._count >= wanted, deadline_s)


class Sender(threading.Thread):
    """Sends one batch after another until the connection breaks.

    Args:
        number: Makes its spans, and its choices, its own.
        url: Where: `http://…` is OTLP/HTTP, `127.0.0.1:…` is gRPC.
        acknowledged: Gets what was answered with success.
    """

    def __init__(self, number: int, url: str, acknowledged: Acknowledged) -> None:
        super().__init__(name=f"sender {number}")
        self._number = number
        self._url = url
        self._acknowledged = acknowledged
        self._chance = random.Random(number)
        self._next_span = 1
        self.refusals: list[str] = []

    def run(self) -> None:
        """Send."""
        if self._url.startswith("http"):
            self._send_http()
        else:
            self._send_grpc()

    def _send_http(self) -> None:
        with httpx.Client(base_url=self._url, timeout=30) as client:
            while True:
                spans = self._spans()
                body = trace_request(*spans).SerializeToString()
                try:
                    answer = client.post("/v1/traces", content=body, headers=_PROTOBUF)
                except httpx.TransportError:
                    return
                self._record(spans, answer.is_success, str(answer.status_code))

    def _send_grpc(self) -> None:
        with grpc.insecure_channel(self._url) as channel:
            export: grpc.UnaryUnaryMultiCallable[bytes, bytes] = channel.unary_unary(TRACES)
            while True:
                spans = self._spans()
                try:
                    export(trace_request(*spans).SerializeToString(), timeout=30)
                except grpc.RpcError:
                    return
                self._record(spans, is_accepted=True, error="")

    def _record(self, spans: list[Span], is_accepted: bool, error: str) -> None:
        if is_accepted:
            self._acknowledged.add(spans)
        else:
            self.refusals.append(error)

    def _spans(self) -> list[Span]:
        """Return a piece of one of three traces; some name a session that both share."""
        trace = self._number * 1_000 + self._chance.randrange(3)
        spans = []
        for _ in range(_BATCH):
            number, self._next_span = self._next_span, self._next_span + 1
            parent = self._chance.randrange(number) or None
            key: dict[str, Json] = {"session.id": "shared"} if self._chance.random() < 0.01 else {}
            spans.append(
                span(
                    "x" * self._chance.choice([5, 500, 5_000]),
                    trace=trace,
                    span_id=number,
                    parent=parent,
                    start_ns=START_NS + number,
                    attributes={**self._chance.choice(_KINDS), **key},
                    error="boom" if self._chance.random() < 0.1 else None,
                )
            )
        return spans
