"""Read a span once on ingest: the row to store, and the facts that the rules of sessions use."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from opentelemetry.proto.common.v1.common_pb2 import InstrumentationScope, KeyValue
from opentelemetry.proto.logs.v1.logs_pb2 import LogRecord
from opentelemetry.proto.resource.v1.resource_pb2 import Resource
from opentelemetry.proto.trace.v1.trace_pb2 import Span, Status

from inspector.service.model.incoming import IncomingSpan
from inspector.service.model.otlp_values import as_cost_usd, as_text, as_token_count, json_value
from inspector.service.model.records import (
    Content,
    ContentFacts,
    SpanRecord,
    clamp,
    origin_of,
    trace_process,
)
from inspector.service.model.rows import Engine, Json, SpanKind, SpanStatus
from inspector.service.normalise import keys
from inspector.service.normalise.conversation import (
    INPUT_KEYS,
    first_user_text,
    first_user_text_in_log,
    is_about_messages,
)
from inspector.service.normalise.duplicates import OPERATION_KEYS
from inspector.service.normalise.encoded import MAX_BYTES, EncodedAttributes
from inspector.service.normalise.kinds import KIND_KEYS, MCP_KINDS, kind_of, subject_of
from inspector.service.normalise.session_ids import session_id
from inspector.service.normalise.usage import GENKIT_OUTPUT, usage_of

# Bits 8 and 9 of `Span.flags`: "is_remote is known" and "the parent is remote".
_PARENT_IS_REMOTE = 0x300
# The most a title may be made of; longer messages are cut, not stored twice.
_TITLE_CHARACTERS = 200
_ERROR, _OK = Status.STATUS_CODE_ERROR, Status.STATUS_CODE_OK
# OpenLLMetry's MCP instrumentation writes one for each stream it wraps: no work of its own.
_HELPER = "ResponseStreamWriter"
_MCP_VERSION = "mcp.protocol.version"
_WITHOUT_SESSIONS = "2026"
"""Version of MCP from which on each request has a session id of its own."""
_ASKS_FOR_ERA = "server/discover"
"""Request that servers of older MCP versions refuse, so that a client has to `initialize`."""
_MODELS = (SpanKind.LLM, SpanKind.EMBEDDING)
_HAVE_SUBJECTS = (SpanKind.AGENT, SpanKind.TOOL)
_CONVERSES = (SpanKind.AGENT, SpanKind.LLM, SpanKind.WORKFLOW)
_OF_A_RESOURCE = frozenset({"service.name", "service.instance.id", *keys.SESSION, *keys.ENGINE})
_OF_GENKIT = ("genkit:name", GENKIT_OUTPUT)
_OF_A_SPAN = frozenset(
    {
        *KIND_KEYS,
        *INPUT_KEYS,
        *OPERATION_KEYS,
        *keys.SESSION,
        *keys.ENGINE,
        *keys.TITLE,
        *keys.AGENT,
        *keys.RESPONSE_ID,
        *keys.INPUT_TOKENS,
        *keys.OUTPUT_TOKENS,
        *keys.COST_USD,
        *keys.TAGS,
        *keys.RUN,
        *_OF_GENKIT,
        *keys.MCP_CONNECTION,
        _MCP_VERSION,
        "error.type",
        "inspector.cancelled",
        "inspector.duplicate_of",
    }
)
# By key, the part of the facts that it is for: most spans lack most of them.
_IDENTITY, _MODEL, _INPUT, _OUTPUT, _COST, _MESSAGES, _GENKIT = 1, 2, 4, 8, 16, 32, 64
_PARTS = {
    **dict.fromkeys((*keys.SESSION, *keys.ENGINE, *keys.TITLE, *keys.TAGS), _IDENTITY),
    "inspector.duplicate_of": _IDENTITY,
    **dict.fromkeys((*keys.MODEL, *keys.RESPONSE_ID), _MODEL),
    **dict.fromkeys(keys.INPUT_TOKENS, _INPUT),
    **dict.fromkeys(keys.OUTPUT_TOKENS, _OUTPUT),
    **dict.fromkeys(keys.COST_USD, _COST),
    **dict.fromkeys(INPUT_KEYS, _MESSAGES),
    **dict.fromkeys(_OF_GENKIT, _GENKIT),
}
_ENCODED = EncodedAttributes(lambda key: key in _OF_A_SPAN)


@dataclass(frozen=True, slots=True)
class ResourceFacts:
    """Facts of a resource about each of its spans."""

    session_key: tuple[int, str] | None
    service: str | None
    process_id: str | None
    engine: Engine | None


def read_span(
    span: Span, resource: Resource, scope: InstrumentationScope | None = None
) -> IncomingSpan:
    """Read `span`, which came under `resource` and `scope`; never raises."""
    origin = origin_of(resource, scope or InstrumentationScope())
    return read_decoded_span(span, resource, origin)


def read_decoded_span(span: Span, resource: Resource, origin: bytes) -> IncomingSpan:
    """Read a decoded span; `origin` is the encoded resource and scope."""
    attributes = _wanted(span.attributes, _OF_A_SPAN)
    content = Content(span.SerializeToString(), origin)
    return _read(span, content, attributes, resource_facts(resource))


def read_encoded_span(
    span: Span, content: Content, attributes: Iterable[bytes], of_resource: ResourceFacts
) -> IncomingSpan:
    """Read an encoded span; `attributes` are encoded `KeyValue`s."""
    return _read(span, content, _ENCODED.pick(attributes), of_resource)


def resource_facts(resource: Resource) -> ResourceFacts:
    """Read the facts of a resource about each of its spans."""
    attributes = _wanted(resource.attributes, _OF_A_RESOURCE)
    return ResourceFacts(
        session_key=_session_key(attributes),
        service=as_text(attributes.get("service.name")),
        process_id=as_text(attributes.get("service.instance.id")),
        engine=_engine(attributes),
    )


def content_facts(span: Span) -> ContentFacts:
    """Return the facts of a stored span; one that arrives has them already."""
    return ContentFacts(span.kind, _wanted(span.attributes, OPERATION_KEYS))


def _read(
    span: Span, content: Content, attributes: dict[str, Json], of_resource: ResourceFacts
) -> IncomingSpan:
    content.facts = ContentFacts(span.kind, attributes)
    kind = kind_of(span, attributes)
    trace_id, end_ns = span.trace_id.hex(), span.end_time_unix_nano
    # By position: by name takes three times as long, and this is done for every span.
    record = SpanRecord(
        trace_id,
        span.span_id.hex(),
        "",
        0,
        span.parent_span_id.hex() or None,
        span.name,
        kind,
        status_of(span, attributes),
        clamp(span.start_time_unix_nano),
        clamp(end_ns) if end_ns else None,
        not span.parent_span_id or span.flags & _PARENT_IS_REMOTE == _PARENT_IS_REMOTE,
        of_resource.process_id or trace_process(trace_id),
    )
    record.dropped_count = (
        span.dropped_attributes_count + span.dropped_events_count + span.dropped_links_count
    )
    record.size_bytes = len(content.payload)
    incoming = IncomingSpan(
        span, content, record, of_resource.session_key, of_resource.service, of_resource.engine
    )
    parts = 0
    for key in attributes:
        parts |= _PARTS.get(key, 0)
    if parts & _IDENTITY:
        _read_identity(incoming, attributes, of_resource)
    if parts & (_MODEL | _INPUT | _OUTPUT | _COST):
        _read_model_call(incoming, attributes, parts)
    if parts & _GENKIT and kind in _MODELS:
        _read_genkit(record, attributes)
    if record.name == _HELPER:
        record.duplicate_of = record.parent_span_id
    record.is_counted = record.duplicate_of is None and (
        record.input_tokens is not None
        or record.output_tokens is not None
        or record.cost_usd is not None
    )
    if kind in _HAVE_SUBJECTS:
        record.subject = _cut(subject_of(kind, record.name, attributes))
    if kind in MCP_KINDS:
        _read_connection(incoming, attributes)
    elif kind is SpanKind.AGENT:
        incoming.agent = as_text(keys.first(attributes, keys.AGENT))
    if kind in _CONVERSES and (parts & _MESSAGES or span.events):
        incoming.first_user_message = _cut(first_user_text(attributes, span.events))
    return incoming


def _read_model_call(incoming: IncomingSpan, attributes: dict[str, Json], parts: int) -> None:
    record = incoming.record
    if parts & _MODEL:
        record.model = next(
            (
                name
                for key in keys.MODEL
                if (name := as_text(attributes.get(key))) != "none" and name
            ),
            None,
        )
        incoming.response_id = as_text(keys.first(attributes, keys.RESPONSE_ID))
    if parts & _INPUT:
        record.input_tokens = as_token_count(keys.first(attributes, keys.INPUT_TOKENS))
    if parts & _OUTPUT:
        record.output_tokens = as_token_count(keys.first(attributes, keys.OUTPUT_TOKENS))
    if parts & _COST:
        record.cost_usd = as_cost_usd(keys.first(attributes, keys.COST_USD))


def _read_genkit(record: SpanRecord, attributes: dict[str, Json]) -> None:
    record.model = as_text(attributes.get("genkit:name"))
    usage = usage_of(attributes, record.kind)
    if usage is not None:
        record.input_tokens, record.output_tokens = usage.input_tokens, usage.output_tokens


def _read_identity(
    incoming: IncomingSpan, attributes: dict[str, Json], of_resource: ResourceFacts
) -> None:
    """Read the identity of a span: session key, engine, title, duplicate and tags."""
    own, shared = _session_key(attributes), of_resource.session_key
    # Of the same rank, the span's own is the closer one.
    incoming.session_key = (
        min((own, shared), key=lambda key: key[0]) if own and shared else (own or shared)
    )
    incoming.engine = _engine(attributes) or of_resource.engine
    incoming.title = _cut(as_text(keys.first(attributes, keys.TITLE)))
    incoming.record.duplicate_of = as_text(attributes.get("inspector.duplicate_of"))
    incoming.tags = _tags(attributes)


def _read_connection(incoming: IncomingSpan, attributes: dict[str, Json]) -> None:
    ours, theirs = (as_text(attributes.get(key)) for key in keys.MCP_CONNECTION)
    version = as_text(attributes.get(_MCP_VERSION)) or ""
    found = ours or (theirs if version < _WITHOUT_SESSIONS else None)
    incoming.connection_id = None if found is None else session_id(found)
    incoming.is_mcp = found is not None or "mcp.method.name" in attributes


def _wanted(pairs: Iterable[KeyValue], wanted: Collection[str]) -> dict[str, Json]:
    """Decode only the attributes that facts are read from: this runs for every span."""
    return {
        pair.key: json_value(pair.value)
        for pair in pairs
        if pair.key in wanted and pair.ByteSize() <= MAX_BYTES
    }


def status_of(span: Span, attributes: Mapping[str, Json]) -> SpanStatus:
    """Return the status: running without an end, cancelled for a cancellation's error."""
    if not span.end_time_unix_nano:
        return SpanStatus.RUNNING
    code = span.status.code
    if code == _ERROR:
        if attributes.get("error.type") == "cancelled" or attributes.get("inspector.cancelled"):
            return SpanStatus.CANCELLED
        if keys.first(attributes, keys.MCP_METHOD) == _ASKS_FOR_ERA:
            return SpanStatus.UNSET
        return SpanStatus.ERROR
    return SpanStatus.OK if code == _OK else SpanStatus.UNSET


def _session_key(attributes: Mapping[str, Json]) -> tuple[int, str] | None:
    for rank, key in enumerate(keys.SESSION):
        value = attributes.get(key)
        if key in keys.CONVERSATION and keys.first_key(attributes, keys.RUN):
            continue
        # "unknown" is what a context without a session says.
        if isinstance(value, str) and value and value != "unknown":
            return rank, session_id(value)
    return None


def _engine(attributes: Mapping[str, Json]) -> Engine | None:
    value = keys.first(attributes, keys.ENGINE)
    return Engine(value) if isinstance(value, str) and value in set(Engine) else None


def _tags(attributes: Mapping[str, Json]) -> tuple[str, ...]:
    value = keys.first(attributes, keys.TAGS)
    if isinstance(value, list):
        return tuple(dict.fromkeys(tag for tag in value if isinstance(tag, str)))
    return (value,) if isinstance(value, str) else ()


def title_in_log(name: str, record: LogRecord) -> str | None:
    """Return the title of a session from the messages of a log record, if any."""
    return _cut(first_user_text_in_log(name, record)) if is_about_messages(name) else None


def _cut(text: str | None) -> str | None:
    if text is None:
        return None
    line = " ".join(text.split())
    return line if len(line) <= _TITLE_CHARACTERS else line[: _TITLE_CHARACTERS - 1] + "…"
