"""Convert statistics to wire shapes. Pure."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Sequence
from operator import attrgetter

from inspector.service.analysis.model_calls import Handoff, Measured, ModelCall
from inspector.service.analysis.span_table import NamedSpan, SpanTable
from inspector.service.analysis.statistics import RollUp, Share, Times, median, percentile
from inspector.service.analysis.usage import Used
from inspector.service.model.rows import SpanKind
from inspector.service.normalise.kinds import agent_name
from inspector.service.wire import statistics as wire

MAX_WORST = 10
_BUCKETS_NS = [ms * 1_000_000 for ms in (100, 200, 500, 1_000, 2_000, 5_000, 10_000, 30_000)]


def operation(share: Share) -> wire.Operation:
    """Return a line of the table of operations."""
    return wire.Operation(
        kind=SpanKind(share.kind),
        name=share.name,
        count=share.count,
        errors=share.failed,
        running=share.running,
        own_ns=share.own_ns,
        wait_ns=share.wait_ns,
        times=_times(share.times),
        used=_use(share.used),
    )


def roll_up(one: RollUp) -> wire.RollUp:
    """Return a line of the tables of models, tools and agents."""
    return wire.RollUp(
        name=one.name,
        count=one.count,
        errors=one.failed,
        running=one.running,
        wait_ns=one.wait_ns,
        times=_times(one.times),
        used=_use(one.used),
        used_in_all=_use(one.used_in_all),
        model_calls=one.model_calls,
        tool_calls=one.tool_calls,
    )


def handoff(one: Handoff) -> wire.Handoff:
    """Return a hand-off between two agents."""
    return wire.Handoff(span=_ref(one.span), from_agent=one.from_agent, to_agent=one.to_agent)


def agent_runs(table: SpanTable, most: int) -> list[wire.AgentRun]:
    """Return the agents of the first runs whose spans have other names."""
    subjects = table.columns.subject
    found: dict[int, str] = {}
    for (kind, name), places in table.operations.items():
        if kind == SpanKind.AGENT:
            expected = agent_name(name, {})
            named = ((place, subjects[place]) for place in places)
            found |= {place: agent for place, agent in named if agent not in (None, expected)}
    refs = [(table.named(place), found[place]) for place in sorted(found)[:most]]
    return [
        wire.AgentRun(trace_id=one.trace_id, span_id=one.span_id, agent=agent)
        for one, agent in refs
    ]


def _times(times: Times) -> wire.Times:
    return wire.Times(
        total_ns=times.total_ns,
        mean_ns=times.mean_ns,
        median_ns=times.median_ns,
        p95_ns=times.p95_ns,
        longest_ns=times.longest_ns,
        longest=_ref(times.longest),
    )


def _use(used: Used) -> wire.Use:
    return wire.Use(
        input_tokens=used.input_tokens, output_tokens=used.output_tokens, cost_usd=used.cost_usd
    )


def _ref(span: NamedSpan) -> wire.SpanRef:
    return wire.SpanRef(trace_id=span.trace_id, span_id=span.span_id, name=span.name)


def streams(calls: Sequence[ModelCall]) -> wire.Streams:
    """Return the streaming times of `calls`."""
    firsts = [call for call in calls if call.measured.first_chunk_ns is not None]
    stalls = [call for call in calls if call.measured.longest_stall_ns is not None]
    firsts.sort(key=attrgetter("measured.first_chunk_ns"))
    stalls.sort(key=attrgetter("measured.longest_stall_ns"))
    return wire.Streams(
        first_chunk=_spread([call.measured.first_chunk_ns or 0 for call in firsts]),
        stall=_spread([call.measured.longest_stall_ns or 0 for call in stalls]),
        latest_first_chunks=[_streamed(call) for call in firsts[: -MAX_WORST - 1 : -1]],
        longest_stalls=[_streamed(call) for call in stalls[: -MAX_WORST - 1 : -1]],
    )


def _spread(ordered: Sequence[int]) -> wire.Spread | None:
    if not ordered:
        return None
    buckets = [0] * (len(_BUCKETS_NS) + 1)
    for took_ns in ordered:
        buckets[bisect_right(_BUCKETS_NS, took_ns)] += 1
    return wire.Spread(
        count=len(ordered),
        median_ns=median(ordered) or 0,
        p95_ns=percentile(ordered, 95) or 0,
        longest_ns=ordered[-1],
        buckets=buckets,
        bucket_ns=_BUCKETS_NS,
    )


def _streamed(call: ModelCall) -> wire.StreamedCall:
    return wire.StreamedCall(
        span=_ref(call.span),
        model=call.model,
        first_chunk_ns=call.measured.first_chunk_ns,
        longest_stall_ns=call.measured.longest_stall_ns,
        chunk_count=call.measured.chunk_count,
    )


def cache(calls: Iterable[ModelCall]) -> list[wire.CacheUse]:
    """Return the cached and reasoning tokens, where reported."""
    groups: dict[tuple[SpanKind, str, str | None], list[Measured]] = defaultdict(list)
    for call in calls:
        groups[call.kind, call.span.name, call.model].append(call.measured)
    found = (
        wire.CacheUse(
            kind=kind,
            name=name,
            model=model,
            cache_read_tokens=_sum(call.cache_read_tokens for call in group),
            cache_write_tokens=_sum(call.cache_write_tokens for call in group),
            reasoning_tokens=_sum(call.reasoning_tokens for call in group),
        )
        for (kind, name, model), group in groups.items()
    )
    return [
        one
        for one in found
        if (one.cache_read_tokens, one.cache_write_tokens, one.reasoning_tokens) != (None,) * 3
    ]


def _sum(counts: Iterable[int | None]) -> int | None:
    known = [count for count in counts if count is not None]
    return sum(known) if known else None
