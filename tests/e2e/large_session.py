"""Sessions of many spans, as an agent's exporter sends them."""

from __future__ import annotations

from collections.abc import Iterator

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import ResourceSpans, ScopeSpans, Span

from tests.support.telemetry.otlp import SECOND_NS, START_NS, resource, span

BATCH = 4_000
TURNS, CALLS, STEPS = 20, 12, 8
"""Of one agent: turns, calls in a turn, steps in a call."""
_MS = SECOND_NS // 1000


def wide_session(count: int, *, trace: int = 1, failing: int = 3) -> Iterator[Span]:
    """Yield `count` spans of one trace in five levels: workflow, agents, turns, calls, steps.

    Every `failing`-th agent has one failing step, with the turn and the call above it.
    """
    per_agent = 1 + TURNS * (1 + CALLS * (1 + STEPS))
    agents = max(1, -(-(count - 1) // per_agent))
    step_ns = 2 * _MS
    agent_ns = TURNS * CALLS * STEPS * step_ns
    made = 1
    yield span("nightly batch", trace=trace, duration_ns=agents * agent_ns // 4)
    for agent in range(agents):
        fails = failing > 0 and agent % failing == 1
        # Four agents at a time: bars overlap, as those of real work do.
        start_ns = START_NS + agent * agent_ns // 4
        agent_id = made + 1
        for one in _agent(trace, agent_id, start_ns, step_ns, agent, fails=fails):
            if made == count:
                return
            made += 1
            yield one


def _agent(
    trace: int, first: int, start_ns: int, step_ns: int, number: int, *, fails: bool
) -> Iterator[Span]:
    turn_ns = CALLS * STEPS * step_ns
    name = f"invoke_agent worker-{number}"
    yield span(
        name,
        trace=trace,
        span_id=first,
        parent=1,
        start_ns=start_ns,
        duration_ns=TURNS * turn_ns,
        attributes={"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": name[13:]},
    )
    at = first
    for turn in range(TURNS):
        is_bad_turn = fails and turn == TURNS // 2
        turn_id = at = at + 1
        turn_start = start_ns + turn * turn_ns
        yield span(
            f"turn {turn}",
            trace=trace,
            span_id=turn_id,
            parent=first,
            start_ns=turn_start,
            duration_ns=turn_ns,
            error="a call failed" if is_bad_turn else None,
        )
        for call in range(CALLS):
            is_bad_call = is_bad_turn and call == CALLS // 2
            call_id = at = at + 1
            call_start = turn_start + call * STEPS * step_ns
            yield span(
                f"execute_tool tool_{call}",
                trace=trace,
                span_id=call_id,
                parent=turn_id,
                start_ns=call_start,
                duration_ns=STEPS * step_ns,
                attributes={
                    "gen_ai.operation.name": "execute_tool",
                    "gen_ai.tool.name": f"tool_{call}",
                },
                error="a step failed" if is_bad_call else None,
            )
            for step in range(STEPS):
                at += 1
                is_bad = is_bad_call and step == STEPS // 2
                yield span(
                    f"chat step-{step}",
                    trace=trace,
                    span_id=at,
                    parent=call_id,
                    start_ns=call_start + step * step_ns,
                    duration_ns=step_ns - step_ns // 8,
                    attributes={
                        "gen_ai.operation.name": "chat",
                        "gen_ai.request.model": "scripted-large",
                        "gen_ai.usage.input_tokens": 100 + step,
                        "gen_ai.usage.output_tokens": 10,
                    },
                    error=f"disk of worker {number} is full" if is_bad else None,
                )


def deep_session(count: int, *, trace: int = 2) -> Iterator[Span]:
    """Yield `count` spans, each inside the one before."""
    for depth in range(count):
        yield span(
            f"call {depth}",
            trace=trace,
            span_id=depth + 1,
            parent=depth or None,
            start_ns=START_NS + depth * _MS,
            duration_ns=(2 * count - 2 * depth) * _MS,
        )


def requests_of(spans: Iterator[Span], service: str = "large") -> Iterator[bytes]:
    """Yield the spans as bodies of `POST /v1/traces`, the parents last, as exporters send them."""
    group: list[Span] = []
    for one in spans:
        group.append(one)
        if len(group) == BATCH:
            yield _body(group, service)
            group = []
    if group:
        yield _body(group, service)


def _body(spans: list[Span], service: str) -> bytes:
    scope = ScopeSpans(spans=reversed(spans))
    found = ResourceSpans(resource=resource(service_name=service), scope_spans=[scope])
    return ExportTraceServiceRequest(resource_spans=[found]).SerializeToString()
