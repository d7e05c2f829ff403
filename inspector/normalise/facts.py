"""What the store indexes about a span, read once on ingest."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from opentelemetry.proto.common.v1.common_pb2 import KeyValue
from opentelemetry.proto.resource.v1.resource_pb2 import Resource
from opentelemetry.proto.trace.v1.trace_pb2 import Span, Status

from inspector.model import Engine, Json, SpanFacts, SpanKind, SpanStatus
from inspector.normalise import keys
from inspector.normalise.attributes import as_float, as_int, as_text, json_value
from inspector.normalise.conversation import INPUT_KEYS, first_user_text
from inspector.normalise.kinds import KIND_KEYS, kind_of
from inspector.normalise.session_ids import session_id

# Bits 8 and 9 of `Span.flags`: "is_remote is known" and "the parent is remote".
_PARENT_IS_REMOTE = 0x300
# The most a title may be made of; longer messages are cut, not stored twice.
_TITLE_CHARACTERS = 200
# Values longer than this are content, never a fact: decoding them here would cost every span.
_FACT_BYTES = 64 * 1024
_CONVERSES = (SpanKind.AGENT, SpanKind.LLM, SpanKind.WORKFLOW)
_OF_A_RESOURCE = frozenset({"service.name", "service.instance.id", *keys.SESSION, *keys.ENGINE})
_OF_A_SPAN = frozenset(
    {
        *KIND_KEYS,
        *INPUT_KEYS,
        *keys.SESSION,
        *keys.ENGINE,
        *keys.TITLE,
        *keys.AGENT,
        *keys.MODEL,
        *keys.INPUT_TOKENS,
        *keys.OUTPUT_TOKENS,
        *keys.COST_USD,
        *keys.TAGS,
        "error.type",
        "inspector.cancelled",
        "inspector.duplicate_of",
    }
)


def span_facts(span: Span, resource: Resource) -> SpanFacts:
    """Read kind, status, session key, model and usage from `span`; never raises."""
    attributes = _wanted(span.attributes, _OF_A_SPAN)
    resource_attributes = _wanted(resource.attributes, _OF_A_RESOURCE)
    kind = kind_of(span, attributes)
    return SpanFacts(
        kind=kind,
        status=status_of(span, attributes),
        is_root=not span.parent_span_id or span.flags & _PARENT_IS_REMOTE == _PARENT_IS_REMOTE,
        session_key=_session_key(attributes, resource_attributes),
        service=as_text(resource_attributes.get("service.name")),
        process_id=as_text(resource_attributes.get("service.instance.id")),
        engine=_engine(attributes, resource_attributes),
        title=_cut(as_text(keys.first(attributes, keys.TITLE))),
        agent=as_text(keys.first(attributes, keys.AGENT)) if kind is SpanKind.AGENT else None,
        first_user_message=_cut(first_user_text(attributes, span.events))
        if kind in _CONVERSES
        else None,
        model=as_text(keys.first(attributes, keys.MODEL)),
        input_tokens=as_int(keys.first(attributes, keys.INPUT_TOKENS)),
        output_tokens=as_int(keys.first(attributes, keys.OUTPUT_TOKENS)),
        cost_usd=as_float(keys.first(attributes, keys.COST_USD)),
        duplicate_of=as_text(attributes.get("inspector.duplicate_of")),
        tags=_tags(attributes),
    )


def _wanted(pairs: Iterable[KeyValue], wanted: Collection[str]) -> dict[str, Json]:
    """Decode what facts are read from, and no more: this runs for every span that comes in."""
    return {
        pair.key: json_value(pair.value)
        for pair in pairs
        if pair.key in wanted and pair.value.ByteSize() <= _FACT_BYTES
    }


def status_of(span: Span, attributes: Mapping[str, Json]) -> SpanStatus:
    """Return the status; a span without an end runs, an error that was a cancellation says so."""
    if not span.end_time_unix_nano:
        return SpanStatus.RUNNING
    if span.status.code == Status.STATUS_CODE_ERROR:
        if attributes.get("error.type") == "cancelled" or attributes.get("inspector.cancelled"):
            return SpanStatus.CANCELLED
        return SpanStatus.ERROR
    return SpanStatus.OK if span.status.code == Status.STATUS_CODE_OK else SpanStatus.UNSET


def _session_key(
    attributes: Mapping[str, Json], resource: Mapping[str, Json]
) -> tuple[int, str] | None:
    for rank, key in enumerate(keys.SESSION):
        for source in (attributes, resource):
            value = source.get(key)
            # "unknown" is what a context without a session says (000-23).
            if isinstance(value, str) and value and value != "unknown":
                return rank, session_id(value)
    return None


def _engine(attributes: Mapping[str, Json], resource: Mapping[str, Json]) -> Engine | None:
    value = keys.first(attributes, keys.ENGINE) or keys.first(resource, keys.ENGINE)
    return Engine(value) if isinstance(value, str) and value in set(Engine) else None


def _tags(attributes: Mapping[str, Json]) -> tuple[str, ...]:
    value = keys.first(attributes, keys.TAGS)
    if isinstance(value, list):
        return tuple(dict.fromkeys(tag for tag in value if isinstance(tag, str)))
    return (value,) if isinstance(value, str) else ()


def _cut(text: str | None) -> str | None:
    if text is None:
        return None
    line = " ".join(text.split())
    return line if len(line) <= _TITLE_CHARACTERS else line[: _TITLE_CHARACTERS - 1] + "…"
