"""Requests of HTTP, databases and messaging, in stable and in older attribute names."""

from __future__ import annotations

import pytest
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from inspector.service.model.rows import Json
from inspector.service.normalise import span_view
from tests.support.telemetry.otlp import span

SERVER, CLIENT, PRODUCER = Span.SPAN_KIND_SERVER, Span.SPAN_KIND_CLIENT, Span.SPAN_KIND_PRODUCER


@pytest.mark.parametrize(
    ("kind", "older", "stable"),
    [
        pytest.param(
            SERVER,
            {
                "http.method": "GET",
                "http.target": "/items?q=1",
                "http.route": "/items",
                "http.status_code": 404,
                "http.user_agent": "curl/8",
                "net.host.name": "shop",
                "net.host.port": 8080,
                "net.peer.ip": "10.0.0.7",
            },
            {
                "http.request.method": "GET",
                "url.path": "/items?q=1",
                "http.route": "/items",
                "http.response.status_code": 404,
                "user_agent.original": "curl/8",
                "server.address": "shop",
                "server.port": 8080,
                "client.address": "10.0.0.7",
            },
            id="http server",
        ),
        pytest.param(
            CLIENT,
            {
                "db.system": "postgresql",
                "db.name": "shop",
                "db.sql.table": "items",
                "db.operation": "SELECT",
                "db.statement": "SELECT 1",
                "net.peer.name": "db.internal",
            },
            {
                "db.system.name": "postgresql",
                "db.namespace": "shop",
                "db.collection.name": "items",
                "db.operation.name": "SELECT",
                "db.query.text": "SELECT 1",
                "server.address": "db.internal",
            },
            id="database",
        ),
        pytest.param(
            PRODUCER,
            {
                "messaging.system": "kafka",
                "messaging.destination": "orders",
                "messaging.operation": "publish",
                "messaging.message_id": "m1",
                "messaging.kafka.partition": 0,
            },
            {
                "messaging.system": "kafka",
                "messaging.destination.name": "orders",
                "messaging.operation.name": "publish",
                "messaging.message.id": "m1",
                "messaging.destination.partition.id": 0,
            },
            id="messaging",
        ),
    ],
)
def test_a_request_has_stable_names_whatever_it_was_sent_with(
    kind: Span.SpanKind.ValueType, older: dict[str, Json], stable: dict[str, Json]
) -> None:
    assert span_view(span(kind=kind, attributes=older)).request == stable
    assert span_view(span(kind=kind, attributes=stable)).request == stable


def test_what_is_no_request_has_no_facts_of_one() -> None:
    model: dict[str, Json] = {"gen_ai.operation.name": "chat", "server.address": "api.openai.com"}
    assert span_view(span(attributes=model)).request == {}
    odd: dict[str, Json] = {"http.method": "GET", "http.url": ["a"], "http.status_code": {"a": 1}}
    assert span_view(span(attributes=odd)).request == {"http.request.method": "GET"}
