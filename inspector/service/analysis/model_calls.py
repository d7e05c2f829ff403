"""Details of LLM calls that rows do not hold: streaming, caching, hand-offs.

They are in the attributes, so they are read from a store, up to a limit.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import accumulate, chain
from typing import NamedTuple, TypeAlias

from opentelemetry.proto.trace.v1.trace_pb2 import Span

from inspector.service.analysis.span_table import NamedSpan, SpanTable
from inspector.service.model.otlp_values import as_float, as_int, as_text, json_value
from inspector.service.model.rows import Json, Moment, SpanKind
from inspector.service.normalise import keys
from inspector.service.normalise.conventions import SpanSource, first_found
from inspector.service.normalise.kinds import MODEL_KINDS
from inspector.service.normalise.usage import usage_of
from inspector.service.storage.base import Reader

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
        *keys.USAGE_OBJECTS,
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
class Measured:
    """What an LLM call says of itself; None: not reported."""

    first_chunk_ns: int | None = None
    """Time from the start to the first chunk of the answer."""
    longest_stall_ns: int | None = None
    """Longest wait for a piece after the first."""
    chunk_count: int | None = None
    cache_read_tokens: int | None = None
    cache_write_tokens: int | None = None
    reasoning_tokens: int | None = None


class ModelCall(NamedTuple):
    """One LLM call, as its sender measured it."""

    span: NamedSpan
    kind: SpanKind
    model: str | None
    measured: Measured


class Handoff(NamedTuple):
    """A hand-off from one agent to another, as the attributes of its span report it."""

    span: NamedSpan
    from_agent: str | None
    to_agent: str


_Details: TypeAlias = tuple[Measured | None, tuple[str | None, str] | None]
"""What a content says: of an LLM call, and the agents of a hand-off."""
_NOTHING: _Details = (None, None)


@dataclass(slots=True)
class CallDetails:
    """The details of a session's LLM calls, and the number of spans that were not read."""

    calls: list[ModelCall] = field(default_factory=list)
    """Those that report anything."""
    handoffs: list[Handoff] = field(default_factory=list)
    left_out: int = 0
    by_content: dict[int, _Details] = field(default_factory=dict)


def read_details(
    reader: Reader, table: SpanTable, before: CallDetails | None = None
) -> CallDetails:
    """Read LLM calls and hand-offs from the first spans, up to a limit.

    Args:
        reader: The store.
        table: The spans.
        before: What was read of the session earlier; content never changes.
    """
    of = table.columns
    wanted = [places for (kind, name), places in table.operations.items() if _is_wanted(kind, name)]
    places = sorted(chain.from_iterable(wanted))
    sizes_bytes = accumulate(of.size_bytes[place] for place in places[:MAX_SPANS])
    chosen = places[: bisect_right(list(sizes_bytes), MAX_BYTES)]
    kinds = {of.content[place]: SpanKind(of.kind[place]) for place in chosen}
    known = before.by_content if before is not None else {}
    found = CallDetails(left_out=len(places) - len(chosen))
    found.by_content = {number: known[number] for number in kinds if number in known}
    unread = [number for number in kinds if number not in known]
    for page in (unread[start : start + _PAGE] for start in range(0, len(unread), _PAGE)):
        for number, content in zip(page, reader.contents(page), strict=True):
            found.by_content[number] = _read(kinds[number], content.span())
    for place in chosen:
        measured, agents = found.by_content[of.content[place]]
        if measured is not None:
            kind = SpanKind(of.kind[place])
            found.calls.append(ModelCall(table.named(place), kind, of.model[place], measured))
        if agents is not None:
            found.handoffs.append(Handoff(table.named(place), *agents))
    return found


def _is_wanted(kind: str, name: str) -> bool:
    return kind in MODEL_KINDS or kind == SpanKind.AGENT or "handoff" in name.lower()


def _read(kind: SpanKind, span: Span) -> _Details:
    attributes = {
        pair.key: json_value(pair.value) for pair in span.attributes if pair.key in _WANTED
    }
    if not attributes and not span.events:
        return _NOTHING  # as most; to ask every convention takes as long as all the rest
    measured = _measured(kind, span, attributes) if kind in MODEL_KINDS else None
    to_agent = as_text(keys.first(attributes, _HANDOFF_TO))
    if to_agent is None:
        return measured, None
    return measured, (as_text(keys.first(attributes, _HANDOFF_FROM)), to_agent)


def _measured(kind: SpanKind, span: Span, attributes: dict[str, Json]) -> Measured:
    moments, start_ns = list(_moments(span)), span.start_time_unix_nano
    source = SpanSource(attributes, span.name, kind, start_ns, moments)
    first_ms = first_found(source, lambda convention: convention.first_chunk_ms)
    stall_s = as_float(attributes.get(_STALL))
    usage = None if _USAGE.isdisjoint(attributes) else usage_of(attributes, SpanKind.LLM)
    return Measured(
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
