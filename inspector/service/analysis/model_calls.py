"""Details of model calls that rows do not hold: streaming, caching, hand-offs.

They are in the attributes, so they are read from a store, up to a limit.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from opentelemetry.proto.trace.v1.trace_pb2 import Span

from inspector.service.analysis.statistics import MODEL_KINDS
from inspector.service.model.otlp_values import as_float, as_int, as_text, json_value
from inspector.service.model.rows import Json, Moment, SpanKind
from inspector.service.normalise import keys
from inspector.service.normalise.conventions import SpanSource, first_found
from inspector.service.normalise.usage import usage_of
from inspector.service.storage.base import Reader, SpanFacts

MAX_SPANS = 10_000
MAX_BYTES = 64 * 2**20
_PAGE = 200
_HANDOFF_FROM = ("gen_ai.handoff.from_agent", "from_agent")
_HANDOFF_TO = ("gen_ai.handoff.to_agent", "to_agent")
_STALL = "inspector.stream.longest_stall_s"
_CHUNKS = "inspector.stream.chunk_count"
_USAGE = frozenset(
    {
        *keys.CACHE_READ_TOKENS,
        *keys.CACHE_WRITE_TOKENS,
        *keys.REASONING_TOKENS,
        "gen_ai.usage.input_token_details",
        "gen_ai.usage.output_token_details",
        "gen_ai.usage.raw",
    }
)
_WANTED = _USAGE | {
    "gen_ai.response.time_to_first_chunk",
    "gen_ai.server.time_to_first_token",
    "ai.response.msToFirstChunk",
    "ai.stream.msToFirstChunk",
    _STALL,
    _CHUNKS,
    *_HANDOFF_FROM,
    *_HANDOFF_TO,
}


@dataclass(frozen=True, slots=True)
class ModelCall:
    """One model call, as its sender measured it; None: not reported."""

    record: SpanFacts
    first_chunk_ns: int | None
    """Time from the start to the first chunk of the answer."""
    longest_stall_ns: int | None
    """Longest wait for a piece after the first."""
    chunk_count: int | None
    cache_read_tokens: int | None
    cache_write_tokens: int | None
    reasoning_tokens: int | None


@dataclass(frozen=True, slots=True)
class Handoff:
    """A hand-off from one agent to another, as the attributes of its span report it."""

    record: SpanFacts
    from_agent: str | None
    to_agent: str


_Details: TypeAlias = tuple[ModelCall | None, Handoff | None]


@dataclass(slots=True)
class CallDetails:
    """The details of a session's model calls, and the number of spans that were not read."""

    calls: list[ModelCall] = field(default_factory=list)
    handoffs: list[Handoff] = field(default_factory=list)
    left_out: int = 0
    by_content: dict[int, _Details] = field(default_factory=dict)


def read_details(
    reader: Reader, records: Iterable[SpanFacts], before: CallDetails | None = None
) -> CallDetails:
    """Read model calls and hand-offs from the first `records`, up to a limit.

    Args:
        reader: The store.
        records: The spans.
        before: What was read of the session earlier; content never changes.
    """
    found = CallDetails()
    room_bytes = MAX_BYTES
    chosen: list[SpanFacts] = []
    for record in filter(_is_wanted, records):
        room_bytes -= record.size_bytes
        if room_bytes < 0 or len(chosen) == MAX_SPANS:
            found.left_out += 1
        else:
            chosen.append(record)
    known = before.by_content if before is not None else {}
    for page in _pages([record for record in chosen if record.content not in known]):
        for record, content in zip(page, reader.contents(page), strict=True):
            found.by_content[record.content] = _read(record, content.span())
    for record in chosen:
        details = found.by_content.get(record.content) or _of(record, known[record.content])
        found.by_content[record.content] = details
        call, handoff = details
        found.calls += [call] if call else []
        found.handoffs += [handoff] if handoff else []
    return found


def _of(record: SpanFacts, details: _Details) -> _Details:
    """Return the details of a content, with the present version of its span."""
    call, handoff = details
    if call and call.record is not record:
        call = replace(call, record=record)
    if handoff and handoff.record is not record:
        handoff = replace(handoff, record=record)
    return call, handoff


def _is_wanted(record: SpanFacts) -> bool:
    return record.duplicate_of is None and (
        record.kind in MODEL_KINDS
        or record.kind == SpanKind.AGENT
        or "handoff" in record.name.lower()
    )


def _pages(records: Sequence[SpanFacts]) -> Iterator[Sequence[SpanFacts]]:
    return (records[start : start + _PAGE] for start in range(0, len(records), _PAGE))


def _read(record: SpanFacts, span: Span) -> _Details:
    attributes = {
        pair.key: json_value(pair.value) for pair in span.attributes if pair.key in _WANTED
    }
    call = _model_call(record, span, attributes) if record.kind in MODEL_KINDS else None
    to_agent = as_text(keys.first(attributes, _HANDOFF_TO))
    if to_agent is None:
        return call, None
    return call, Handoff(record, as_text(keys.first(attributes, _HANDOFF_FROM)), to_agent)


def _model_call(record: SpanFacts, span: Span, attributes: dict[str, Json]) -> ModelCall:
    # Most calls say nothing of all this: to ask every convention takes as long as all the rest.
    if not attributes and not span.events:
        return ModelCall(record, None, None, None, None, None, None)
    moments, start_ns = list(_moments(span)), span.start_time_unix_nano
    source = SpanSource(attributes, span.name, SpanKind(record.kind), start_ns, moments)
    first_ms = first_found(source, lambda convention: convention.first_chunk_ms)
    stall_s = as_float(attributes.get(_STALL))
    usage = None if _USAGE.isdisjoint(attributes) else usage_of(attributes, SpanKind.LLM)
    return ModelCall(
        record,
        first_chunk_ns=None if first_ms is None else _whole_ns(first_ms, 1e6),
        longest_stall_ns=None if stall_s is None else _whole_ns(stall_s, 1e9),
        chunk_count=as_int(attributes.get(_CHUNKS)),
        cache_read_tokens=usage.cache_read_tokens if usage else None,
        cache_write_tokens=usage.cache_write_tokens if usage else None,
        reasoning_tokens=usage.reasoning_tokens if usage else None,
    )


def _whole_ns(value: float, unit_ns: float) -> int:
    """Return a reported duration as whole nanoseconds that JSON readers hold exactly."""
    return int(min(max(value * unit_ns, 0), 2**53))


def _moments(span: Span) -> Iterator[Moment]:
    """Yield the names and times of the span's events."""
    for event in sorted(span.events, key=lambda event: event.time_unix_nano):
        yield Moment("", "", None, event.time_unix_nano, event.name)
