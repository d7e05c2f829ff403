"""Read a span once on ingest: the row to store, and the facts that the rules of sessions use."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from opentelemetry.proto.common.v1.common_pb2 import InstrumentationScope
from opentelemetry.proto.logs.v1.logs_pb2 import LogRecord
from opentelemetry.proto.resource.v1.resource_pb2 import Resource
from opentelemetry.proto.trace.v1.trace_pb2 import Span, Status

from inspector.service.model.incoming import IncomingSpan
from inspector.service.model.otlp_values import as_cost_usd, as_float, as_text, as_token_count
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
from inspector.service.normalise.encoded import (
    EncodedSpan,
    Places,
    attribute_keys,
    wanted_attributes,
)
from inspector.service.normalise.kinds import (
    KIND_KEYS,
    MCP_KINDS,
    kind_of,
    significant_name,
    subject_in_name,
    subject_of,
)
from inspector.service.normalise.plain import plain_line
from inspector.service.normalise.session_ids import session_id
from inspector.service.normalise.usage import GENKIT_OUTPUT, REPEATED_USAGE, USAGE_KIND, usage_of

LEAST_STALL_S = 3.0
"""A stall of a streamed answer is marked above this."""
# Bits 8 and 9 of `Span.flags`: "is_remote is known" and "the parent is remote".
_PARENT_IS_REMOTE = 0x300
# The most a title may be made of; longer messages are cut, not stored twice.
_TITLE_CHARACTERS = 200
_READ_CHARACTERS = 500
_ERROR, _OK = Status.STATUS_CODE_ERROR, Status.STATUS_CODE_OK
# OpenLLMetry's MCP instrumentation writes one for each stream it wraps: no work of its own.
_HELPER = "ResponseStreamWriter"
_MCP_VERSION = "mcp.protocol.version"
_WITHOUT_SESSIONS = "2026"
"""Version of MCP from which on each request has a session id of its own."""
_ASKS_FOR_ERA = "server/discover"
"""Request that servers of older MCP versions refuse, so that a client has to `initialize`."""
_MODELS = (SpanKind.LLM, SpanKind.EMBEDDING)
_CONVERSES = (SpanKind.AGENT, SpanKind.LLM, SpanKind.WORKFLOW)
_OF_A_RESOURCE = frozenset({"service.name", "service.instance.id", *keys.SESSION, *keys.ENGINE})
_STEADY = frozenset(
    {
        *KIND_KEYS,
        *keys.AGENT,
        *keys.TOOL,
        *keys.MODEL,
        *keys.MODEL_RESPONDED,
        *keys.PROVIDER,
        *keys.SERVER_ADDRESS,
        *keys.SERVICE_TIER,
        *keys.MCP_METHOD,
        *keys.MCP_CONNECTION,
        "genkit:name",
        _MCP_VERSION,
        "error.type",
        "inspector.cancelled",
        USAGE_KIND,
    }
    - INPUT_KEYS
)
"""Keys of what a span does, whose values recur: what they say is read once for many spans."""
MAX_USER_CHARS = 256
_OWNER = frozenset({*keys.SESSION, *keys.RUN, *keys.ENGINE, *keys.TITLE, *keys.TAGS, *keys.USER})
"""Keys of whose span it is. They are read apart: sessions come and go, and all do the same."""
# By key, the part of the facts that it is for: most spans lack most of them.
_RESPONSE, _INPUT, _OUTPUT, _COST, _GENKIT, _DUPLICATE, _MESSAGES, _EVENTS, _MODEL, _STALL = (
    2**place for place in range(10)
)
_PARTS = {
    **dict.fromkeys(keys.RESPONSE_ID, _RESPONSE),
    **dict.fromkeys(keys.INPUT_TOKENS, _INPUT),
    **dict.fromkeys(keys.OUTPUT_TOKENS, _OUTPUT),
    **dict.fromkeys(keys.COST_USD, _COST),
    **dict.fromkeys(INPUT_KEYS, _MESSAGES),
    **dict.fromkeys(("genkit:name", GENKIT_OUTPUT), _GENKIT),
    **dict.fromkeys(keys.MODEL, _MODEL),
    "inspector.duplicate_of": _DUPLICATE,
    **dict.fromkeys(keys.STALL, _STALL),
}
_USED = frozenset(
    {
        *keys.CACHE_READ_TOKENS,
        *keys.CACHE_WRITE_TOKENS,
        *keys.REASONING_TOKENS,
        *keys.AUDIO_INPUT_TOKENS,
        *keys.AUDIO_OUTPUT_TOKENS,
        *keys.AUDIO_CACHE_READ_TOKENS,
        *keys.USAGE_OBJECTS,
    }
)
"""Keys of what an LLM call used in detail, which decides its price."""
_OF_A_SPAN = frozenset({*_STEADY, *_OWNER, *_PARTS, *_USED, *OPERATION_KEYS})
_VARYING = _OF_A_SPAN - _STEADY - _OWNER
_MAX_REMEMBERED_BYTES = 1024 * 1024
"""Limit of the keys and values that a reader remembers; decoded, they take up to 30 times that."""
_MAX_ENTRY_BYTES = 4 * 1024
"""Keys or values longer than this are no part of what many spans have in common."""
_LEAST_ENTRY_BYTES = 256
_MAX_SEEN_ONCE = 4_096


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
    return _read_whole(span, span.SerializeToString(), origin, resource_facts(resource))


def _read_whole(
    span: Span, payload: bytes, origin: bytes, of_resource: ResourceFacts
) -> IncomingSpan:
    attributes = wanted_attributes(span.attributes, _OF_A_SPAN)
    sketch, owner = _sketch(span, attributes, attributes), _owner(attributes)
    content = Content(payload, origin, sketch.facts)
    incoming = _fill_in(sketch, owner, span, content, of_resource)
    if sketch.parts:
        _read_varying(incoming, sketch.parts, attributes)
    return incoming


class _Shape:
    """What was learnt of spans whose attributes have the same keys."""

    def __init__(self, names: Sequence[str]) -> None:
        self.steady = Places(names, _STEADY)
        self.owner = Places(names, _OWNER)
        self.varying = Places(names, _VARYING)
        self.has_owner, self.has_varying = bool(self.owner), bool(self.varying)
        self.sketches: dict[object, _Sketch] = {}
        self.owners: dict[object, _Owner] = {}


class EncodedSpanReader:
    """Reads encoded spans. What those of one shape, kind of name and steady attributes say is kept.

    A shape is learnt when it comes for the second time: some never do. Threads may share it: at
    worst two of them learn the same.
    """

    def __init__(self) -> None:
        self._shapes: dict[bytes, _Shape] = {}
        self._seen_once: set[int] = set()
        self._left_bytes = _MAX_REMEMBERED_BYTES

    def read(self, encoded: EncodedSpan, origin: bytes, of_resource: ResourceFacts) -> IncomingSpan:
        """Read an encoded span; `origin` is the encoded resource and scope."""
        payload, fields, shape_bytes = encoded
        shape = self._shapes.get(shape_bytes) or self._learn(shape_bytes)
        if shape is None:
            return _read_whole(Span.FromString(payload), payload, origin, of_resource)
        pairs = fields.attributes
        name, is_root = significant_name(fields.name), not fields.parent_span_id
        alike = (name, is_root, shape.steady.bytes_in(pairs))
        sketch = shape.sketches.get(alike) or self._sketch(shape, alike, payload, pairs)
        owner = self._owner(shape, pairs) if shape.has_owner else _NOBODY
        content = Content(payload, origin, sketch.facts)
        incoming = _fill_in(sketch, owner, fields, content, of_resource)
        attributes = sketch.facts.attributes
        if shape.has_varying:
            attributes = {**attributes, **shape.varying.values(pairs)}
            content.facts = ContentFacts(sketch.facts.span_kind, attributes)
        if sketch.parts:
            _read_varying(incoming, sketch.parts, attributes)
        return incoming

    def _learn(self, shape_bytes: bytes) -> _Shape | None:
        mark = hash(shape_bytes)
        if len(shape_bytes) > _MAX_ENTRY_BYTES or mark not in self._seen_once:
            if len(self._seen_once) >= _MAX_SEEN_ONCE:
                self._seen_once.clear()
            self._seen_once.add(mark)
            return None
        shape = _Shape(attribute_keys(shape_bytes))
        self._remember(self._shapes, shape_bytes, shape, len(shape_bytes))
        return shape

    def _sketch(
        self, shape: _Shape, alike: tuple[str, bool, Any], payload: bytes, pairs: Sequence[bytes]
    ) -> _Sketch:
        steady = shape.steady.values(pairs)
        sketch = _sketch(
            Span.FromString(payload), {**steady, **shape.varying.values(pairs)}, steady
        )
        size_bytes = len(alike[0]) + shape.steady.size_bytes(pairs)
        self._remember(shape.sketches, alike, sketch, size_bytes)
        return sketch

    def _owner(self, shape: _Shape, pairs: Sequence[bytes]) -> _Owner:
        alike = shape.owner.bytes_in(pairs)
        if (owner := shape.owners.get(alike)) is None:
            owner = _owner(shape.owner.values(pairs))
            self._remember(shape.owners, alike, owner, shape.owner.size_bytes(pairs))
        return owner

    def _remember(self, known: dict[Any, Any], key: object, value: object, size_bytes: int) -> None:
        if size_bytes > _MAX_ENTRY_BYTES:
            return
        size_bytes = max(size_bytes, _LEAST_ENTRY_BYTES)
        if size_bytes > self._left_bytes:
            self._shapes.clear()  # and with them what was learnt of them
            self._left_bytes = _MAX_REMEMBERED_BYTES
        self._left_bytes -= size_bytes
        known[key] = value


def resource_facts(resource: Resource) -> ResourceFacts:
    """Read the facts of a resource about each of its spans."""
    attributes = wanted_attributes(resource.attributes, _OF_A_RESOURCE)
    return ResourceFacts(
        session_key=_session_key(attributes),
        service=_cut(as_text(attributes.get("service.name"))),
        process_id=as_text(attributes.get("service.instance.id")),
        engine=_engine(attributes),
    )


def content_facts(span: Span) -> ContentFacts:
    """Return the facts of a stored span; one that arrives has them already."""
    return ContentFacts(span.kind, wanted_attributes(span.attributes, OPERATION_KEYS))


@dataclass(frozen=True, slots=True)
class _Owner:
    """Whose span it is."""

    session_key: tuple[int, str] | None = None
    engine: Engine | None = None
    title: str | None = None
    tags: tuple[str, ...] = ()
    user: str | None = None


_NOBODY = _Owner()


def _owner(attributes: Mapping[str, Json]) -> _Owner:
    if _OWNER.isdisjoint(attributes):
        return _NOBODY
    title = _cut(as_text(keys.first(attributes, keys.TITLE)))
    user = as_text(keys.first(attributes, keys.USER))
    return _Owner(
        _session_key(attributes),
        _engine(attributes),
        title,
        _tags(attributes),
        user and user[:MAX_USER_CHARS],
    )


@dataclass(slots=True)
class _Sketch:
    """What spans have in common whose shape, kind of name and steady attributes are the same."""

    facts: ContentFacts
    """With the steady attributes."""
    parts: int
    """The parts of the facts that differ among them."""
    kind: SpanKind
    status: SpanStatus
    """The status at the end."""
    is_root: bool
    dropped_count: int
    subject: str | None
    """The tool or agent; empty if only the name says it."""
    agent: str | None
    model: str | None = None
    connection_id: str | None = None
    is_mcp: bool = False


def _sketch(span: Span, attributes: Mapping[str, Json], steady: Mapping[str, Json]) -> _Sketch:
    """Read what `span` has in common with others; of what varies only whether it is there."""
    kind = kind_of(span, attributes)
    parts = 0
    for key in attributes:
        parts |= _PARTS.get(key, 0)
    if kind not in _MODELS:
        parts &= ~_GENKIT
    if attributes.get(USAGE_KIND) in REPEATED_USAGE:
        parts &= ~(_INPUT | _OUTPUT | _COST)
    if kind not in _CONVERSES:
        parts &= ~_MESSAGES
    elif span.events:
        parts |= _EVENTS
    sketch = _Sketch(
        facts=ContentFacts(span.kind, steady),
        parts=parts & ~_MODEL,
        kind=kind,
        status=_status_at_end(span, attributes),
        is_root=not span.parent_span_id or span.flags & _PARENT_IS_REMOTE == _PARENT_IS_REMOTE,
        dropped_count=span.dropped_attributes_count
        + span.dropped_events_count
        + span.dropped_links_count,
        subject=_cut(subject_of(kind, "", attributes)),
        agent=as_text(keys.first(attributes, keys.AGENT)) if kind is SpanKind.AGENT else None,
    )
    if parts & _MODEL:
        models = (as_text(attributes.get(key)) for key in keys.MODEL)
        sketch.model = next((name for name in models if name and name != "none"), None)
    if kind in MCP_KINDS:
        sketch.connection_id = _connection(attributes)
        sketch.is_mcp = sketch.connection_id is not None or "mcp.method.name" in attributes
    return sketch


def _fill_in(
    sketch: _Sketch, owner: _Owner, span: Any, content: Content, of_resource: ResourceFacts
) -> IncomingSpan:
    """Return a span of `sketch` with the ids, name and times of its own, those of `span`."""
    trace_id, parent_span_id = span.trace_id.hex(), span.parent_span_id.hex() or None
    name, end_ns, subject = span.name, span.end_time_unix_nano, sketch.subject
    if subject == "":
        subject = _cut(subject_in_name(sketch.kind, name))
    # By position: by name takes three times as long, and this is done for every span.
    record = SpanRecord(
        trace_id,
        span.span_id.hex(),
        "",
        0,
        parent_span_id,
        name,
        sketch.kind,
        sketch.status if end_ns else SpanStatus.RUNNING,
        clamp(span.start_time_unix_nano),
        clamp(end_ns) if end_ns else None,
        sketch.is_root,
        of_resource.process_id or trace_process(trace_id),
        sketch.model,
        None,
        None,
        None,
        False,
        sketch.dropped_count,
        0,
        0,
        (),
        len(content.payload),
        parent_span_id if name == _HELPER else None,
        subject,
        of_resource.service,
    )
    own, shared = owner.session_key, of_resource.session_key
    return IncomingSpan(
        content,
        record,
        # Of the same rank, the span's own is the closer one.
        min((own, shared), key=_rank) if own and shared else (own or shared),
        of_resource.service,
        owner.engine or of_resource.engine,
        owner.title,
        sketch.agent,
        None,
        sketch.connection_id,
        sketch.is_mcp,
        None,
        owner.tags,
        owner.user,
    )


def _rank(session_key: tuple[int, str]) -> int:
    return session_key[0]


def _read_varying(incoming: IncomingSpan, parts: int, attributes: Mapping[str, Json]) -> None:
    """Read what differs among spans that are otherwise alike: usage, ids, messages."""
    record = incoming.record
    if parts & _RESPONSE:
        incoming.response_id = as_text(keys.first(attributes, keys.RESPONSE_ID))
    if parts & _INPUT:
        record.input_tokens = as_token_count(keys.first(attributes, keys.INPUT_TOKENS))
    if parts & _OUTPUT:
        record.output_tokens = as_token_count(keys.first(attributes, keys.OUTPUT_TOKENS))
    if parts & _COST:
        record.cost_usd = as_cost_usd(keys.first(attributes, keys.COST_USD))
    if parts & _GENKIT:
        _read_genkit(record, attributes)
    if parts & _DUPLICATE:
        record.duplicate_of = record.duplicate_of or as_text(
            attributes.get("inspector.duplicate_of")
        )
    if parts & _STALL and record.kind is not SpanKind.AGENT:  # whose tools work between chunks
        _read_stall(record, attributes)
    if parts & (_MESSAGES | _EVENTS):
        events = incoming.span.events if parts & _EVENTS else ()
        incoming.first_user_message = _plain(first_user_text(attributes, events))
    record.is_counted = record.duplicate_of is None and (
        record.input_tokens is not None
        or record.output_tokens is not None
        or record.cost_usd is not None
    )


def _read_stall(record: SpanRecord, attributes: Mapping[str, Json]) -> None:
    """Read the longest stall of a streamed answer, or when the newest chunk of it came."""
    stall_s, stall_at_s, last_chunk_s = (as_float(attributes.get(key)) for key in keys.STALL)
    if record.end_ns is None:
        record.stall_start_ns = _whole_ns(last_chunk_s)
    elif stall_s is not None and stall_s > LEAST_STALL_S:
        record.stall_ns, record.stall_start_ns = _whole_ns(stall_s), _whole_ns(stall_at_s)


def _whole_ns(seconds: float | None) -> int | None:
    # Above that it does not fit, and nothing streams for thirty years.
    return round(seconds * 1e9) if seconds is not None and seconds < 1e9 else None


def _read_genkit(record: SpanRecord, attributes: Mapping[str, Json]) -> None:
    record.model = as_text(attributes.get("genkit:name"))
    usage = usage_of(attributes, record.kind)
    if usage is not None:
        record.input_tokens, record.output_tokens = usage.input_tokens, usage.output_tokens


def _connection(attributes: Mapping[str, Json]) -> str | None:
    """Return the MCP connection that a span names."""
    ours, theirs = (as_text(attributes.get(key)) for key in keys.MCP_CONNECTION)
    version = as_text(attributes.get(_MCP_VERSION)) or ""
    found = ours or (theirs if version < _WITHOUT_SESSIONS else None)
    return None if found is None else session_id(found)


def _status_at_end(span: Span, attributes: Mapping[str, Json]) -> SpanStatus:
    """Return the status of a span that ended: cancelled for a cancellation's error."""
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
    return _plain(first_user_text_in_log(name, record)) if is_about_messages(name) else None


def _plain(text: str | None) -> str | None:
    return text and _cut(plain_line(text, _READ_CHARACTERS))


def _cut(text: str | None) -> str | None:
    if text is None:
        return None
    line = " ".join(text.split())
    return line if len(line) <= _TITLE_CHARACTERS else line[: _TITLE_CHARACTERS - 1] + "…"
