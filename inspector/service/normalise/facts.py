"""Facts that the store indexes about a span, read once on ingest."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from opentelemetry.proto.common.v1.common_pb2 import KeyValue
from opentelemetry.proto.logs.v1.logs_pb2 import LogRecord
from opentelemetry.proto.resource.v1.resource_pb2 import Resource
from opentelemetry.proto.trace.v1.trace_pb2 import Span, Status

from inspector.service.model.otlp_values import as_cost_usd, as_text, as_token_count, json_value
from inspector.service.model.rows import Engine, Json, SpanFacts, SpanKind, SpanStatus
from inspector.service.normalise import keys
from inspector.service.normalise.conversation import (
    INPUT_KEYS,
    first_user_text,
    first_user_text_in_log,
    is_about_messages,
)
from inspector.service.normalise.encoded import MAX_BYTES, EncodedAttributes
from inspector.service.normalise.kinds import KIND_KEYS, MCP_KINDS, kind_of
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
"""From this version of MCP on, each request has a session id of its own."""
_ASKS_FOR_ERA = "server/discover"
"""A server of an older era of MCP refuses it, which is how a client learns to `initialize`."""
_MODELS = (SpanKind.LLM, SpanKind.EMBEDDING)
_CONVERSES = (SpanKind.AGENT, SpanKind.LLM, SpanKind.WORKFLOW)
_OF_A_RESOURCE = frozenset({"service.name", "service.instance.id", *keys.SESSION, *keys.ENGINE})
_OF_GENKIT = ("genkit:name", GENKIT_OUTPUT)
_OF_A_SPAN = frozenset(
    {
        *KIND_KEYS,
        *INPUT_KEYS,
        *keys.SESSION,
        *keys.ENGINE,
        *keys.TITLE,
        *keys.AGENT,
        *keys.MODEL,
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
_ASKED_BY = {
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


def span_facts(span: Span, resource: Resource) -> SpanFacts:
    """Read kind, status, session key, model and usage from `span`; never raises."""
    return _facts(span, _wanted(span.attributes, _OF_A_SPAN), resource_facts(resource))


def encoded_span_facts(
    span: Span, attributes: Iterable[bytes], of_resource: ResourceFacts
) -> SpanFacts:
    """Return what `span_facts` does, from the span's attributes as encoded `KeyValue`s."""
    return _facts(span, _ENCODED.pick(attributes), of_resource)


def resource_facts(resource: Resource) -> ResourceFacts:
    """Read the facts of a resource about each of its spans."""
    attributes = _wanted(resource.attributes, _OF_A_RESOURCE)
    return ResourceFacts(
        session_key=_session_key(attributes),
        service=as_text(attributes.get("service.name")),
        process_id=as_text(attributes.get("service.instance.id")),
        engine=_engine(attributes),
    )


def _facts(span: Span, attributes: dict[str, Json], of_resource: ResourceFacts) -> SpanFacts:
    kind = kind_of(span, attributes)
    is_root = not span.parent_span_id or span.flags & _PARENT_IS_REMOTE == _PARENT_IS_REMOTE
    facts = SpanFacts(
        kind,
        status_of(span, attributes),
        is_root,
        of_resource.session_key,
        of_resource.service,
        of_resource.process_id,
        of_resource.engine,
    )
    asked = 0
    for key in attributes:
        asked |= _ASKED_BY.get(key, 0)
    if asked & _IDENTITY:
        _read_identity(facts, attributes, of_resource)
    if asked & (_MODEL | _INPUT | _OUTPUT | _COST):
        _read_model_call(facts, attributes, asked)
    if asked & _GENKIT and kind in _MODELS:
        _read_genkit(facts, attributes)
    if span.name == _HELPER:
        facts.duplicate_of = span.parent_span_id.hex() or None
    if kind in MCP_KINDS:
        _read_connection(facts, attributes)
    elif kind is SpanKind.AGENT:
        facts.agent = as_text(keys.first(attributes, keys.AGENT))
    if kind in _CONVERSES and (asked & _MESSAGES or span.events):
        facts.first_user_message = _cut(first_user_text(attributes, span.events))
    return facts


def _read_model_call(facts: SpanFacts, attributes: dict[str, Json], asked: int) -> None:
    if asked & _MODEL:
        facts.model = next(
            (
                name
                for key in keys.MODEL
                if (name := as_text(attributes.get(key))) != "none" and name
            ),
            None,
        )
        facts.response_id = as_text(keys.first(attributes, keys.RESPONSE_ID))
    if asked & _INPUT:
        facts.input_tokens = as_token_count(keys.first(attributes, keys.INPUT_TOKENS))
    if asked & _OUTPUT:
        facts.output_tokens = as_token_count(keys.first(attributes, keys.OUTPUT_TOKENS))
    if asked & _COST:
        facts.cost_usd = as_cost_usd(keys.first(attributes, keys.COST_USD))


def _read_genkit(facts: SpanFacts, attributes: dict[str, Json]) -> None:
    facts.model = as_text(attributes.get("genkit:name"))
    usage = usage_of(attributes, facts.kind)
    if usage is not None:
        facts.input_tokens, facts.output_tokens = usage.input_tokens, usage.output_tokens


def _read_identity(
    facts: SpanFacts, attributes: dict[str, Json], of_resource: ResourceFacts
) -> None:
    """Read the identity of a span: session key, engine, title, duplicate and tags."""
    given, shared = _session_key(attributes), of_resource.session_key
    # Of the same rank, the span's own is the closer one.
    facts.session_key = (
        min((given, shared), key=lambda key: key[0]) if given and shared else (given or shared)
    )
    facts.engine = _engine(attributes) or of_resource.engine
    facts.title = _cut(as_text(keys.first(attributes, keys.TITLE)))
    facts.duplicate_of = as_text(attributes.get("inspector.duplicate_of"))
    facts.tags = _tags(attributes)


def _read_connection(facts: SpanFacts, attributes: dict[str, Json]) -> None:
    ours, theirs = (as_text(attributes.get(key)) for key in keys.MCP_CONNECTION)
    version = as_text(attributes.get(_MCP_VERSION)) or ""
    found = ours or (theirs if version < _WITHOUT_SESSIONS else None)
    facts.connection_id = None if found is None else session_id(found)
    facts.is_mcp = found is not None or "mcp.method.name" in attributes


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
