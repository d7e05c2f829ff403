"""Requests of HTTP, databases and messaging: their facts under OpenTelemetry's stable names."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from opentelemetry.proto.trace.v1.trace_pb2 import Span

from inspector.service.model.rows import Json
from inspector.service.normalise import keys

HTTP: Final[Mapping[str, tuple[str, ...]]] = {
    "http.request.method": ("http.method",),
    "url.full": ("http.url",),
    "url.path": ("http.target",),
    "url.query": (),
    "http.route": (),
    "http.response.status_code": ("http.status_code",),
    "http.request.body.size": ("http.request_content_length", "http.request.size"),
    "http.response.body.size": ("http.response_content_length", "http.response.size"),
    "http.request.resend_count": ("http.resend_count", "http.retry_count"),
    "user_agent.original": ("http.user_agent",),
    "network.protocol.version": ("http.flavor", "net.protocol.version"),
}
DATABASE: Final[Mapping[str, tuple[str, ...]]] = {
    "db.system.name": ("db.system",),
    "db.namespace": ("db.name", "db.redis.database_index"),
    "db.collection.name": (
        "db.sql.table",
        "db.mongodb.collection",
        "db.cassandra.table",
        "db.cosmosdb.container",
        "db.elasticsearch.path_parts.index",
    ),
    "db.operation.name": ("db.operation",),
    "db.query.text": ("db.statement",),
    "db.query.summary": (),
    "db.operation.batch.size": (),
    "db.response.returned_rows": ("db.cosmosdb.row_count", "db.row_count"),
    "db.response.status_code": ("db.cosmosdb.status_code",),
}
MESSAGING: Final[Mapping[str, tuple[str, ...]]] = {
    "messaging.system": (),
    "messaging.operation.name": ("messaging.operation.type", "messaging.operation"),
    "messaging.destination.name": ("messaging.destination", "messaging.source.name"),
    "messaging.message.id": ("messaging.message_id",),
    "messaging.message.conversation_id": ("messaging.conversation_id",),
    "messaging.consumer.group.name": (
        "messaging.kafka.consumer.group",
        "messaging.kafka.consumer_group",
        "messaging.rocketmq.client_group",
    ),
    "messaging.destination.partition.id": (
        "messaging.kafka.destination.partition",
        "messaging.kafka.partition",
    ),
    "messaging.kafka.offset": ("messaging.kafka.message.offset",),
    "messaging.batch.message_count": (),
    "messaging.message.body.size": (
        "messaging.message.payload_size_bytes",
        "messaging.message_payload_size_bytes",
    ),
    "messaging.client.id": ("messaging.client_id", "messaging.kafka.client_id"),
}
_SUBJECTS: Final = (
    (("http.request.method", "http.method"), HTTP),
    (("db.system.name", "db.system"), DATABASE),
    (("messaging.system",), MESSAGING),
)
"""For each subject the keys that a span about it has, and its facts: stable name → older names."""
# The older names of both ends depend on which of them wrote the span.
_SERVER_SIDE: Final[Mapping[str, tuple[str, ...]]] = {
    "server.address": ("net.host.name", "http.server_name", "http.host"),
    "server.port": ("net.host.port",),
    "client.address": ("http.client_ip", "net.sock.peer.addr", "net.peer.ip"),
}
_CLIENT_SIDE: Final[Mapping[str, tuple[str, ...]]] = {
    "server.address": ("net.peer.name", "http.host", "net.sock.peer.addr", "net.peer.ip"),
    "server.port": ("net.peer.port", "net.sock.peer.port"),
}


def request_facts(span: Span, attributes: Mapping[str, Json]) -> dict[str, Json]:
    """Return the facts of a request by stable names, whatever names it was sent with."""
    subjects = [facts for needed, facts in _SUBJECTS if keys.first(attributes, needed) is not None]
    if not subjects:
        return {}
    ends = _SERVER_SIDE if span.kind == Span.SPAN_KIND_SERVER else _CLIENT_SIDE
    found = {
        name: keys.first(attributes, (name, *older))
        for facts in (*subjects, ends)
        for name, older in facts.items()
    }
    return {name: value for name, value in found.items() if isinstance(value, (int, float, str))}
