"""Cost of the bridge to the agent: CPU time of its thread, as ratios of the best rounds.

The floor is the same span with the same attributes, made with the SDK by hand. Run:
`python benchmarks/bench_bridge.py` (about 20 s).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import Token
from itertools import count
from typing import Any, NamedTuple

from bridge_parts import Row, bridged, by_hand, measure, watched_provider
from opentelemetry.context import Context, attach, detach
from opentelemetry.trace import Span, Tracer, set_span_in_context

from instrument import Bus
from subscribers import Capture, Options, Redactor, capture_state
from subscribers.content.serialise import to_json

ROUNDS = 15


def tool_call(bus: Bus, content: dict[str, str]) -> Callable[[], None]:
    """Return a function that emits one whole tool call."""

    def call() -> None:
        with bus.operation("tool_call", tool_name="search", args=content) as op:
            op.result = content

    return call


class Setting(NamedTuple):
    """One way to watch a tool call."""

    title: str
    options: Options
    content: dict[str, str]
    has_live: bool
    goal: str


def settings() -> tuple[Setting, ...]:
    """Return all that are measured."""
    kilobyte = {"query": "some words " * 45}
    redacted = Options(capture=Capture.REDACTED)
    return (
        Setting("tool call, no content, no live records", Options(), {}, False, "≤ 2 x"),
        Setting("tool call, no content", Options(), {}, True, ""),
        Setting("tool call, 1 KB, no live records", redacted, kilobyte, False, ""),
        Setting("tool call, 1 KB", redacted, kilobyte, True, "≤ 3.5 x"),
    )


def least_bridge(tracer: Tracer, *, has_content: bool) -> Bus:
    """Return a bus whose tool calls become such spans, with the least that this takes.

    It knows this one call, no options and no parents, and nothing may go wrong.
    """
    bus, redactor = Bus(), Redactor()
    spans: dict[str, tuple[Span, Token[Context]]] = {}

    def content(value: object, *keys: str) -> dict[str, str]:
        return dict.fromkeys(keys, redactor.text(json.dumps(value))) if has_content else {}

    def opened(*, call_id: str, kwargs: dict[str, Any], **_: object) -> None:
        name = kwargs["tool_name"]
        attributes = {
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": name,
            "mcp.tool.name": name,
            **content(kwargs["args"], "gen_ai.tool.call.arguments", "mcp.tool.input_json"),
        }
        span = tracer.start_span(f"execute_tool {name}", attributes=attributes)
        spans[call_id] = span, attach(set_span_in_context(span))

    def before(**_: object) -> None: ...

    def after(*, call_id: str, result: object, **_: object) -> None:
        at_end = content(result, "gen_ai.tool.call.result", "mcp.tool.output_json")
        spans[call_id][0].set_attributes({"mcp.status.code": "ok", **at_end})

    def closed(*, call_id: str, **_: object) -> None:
        span, token = spans.pop(call_id)
        span.end()
        detach(token)

    bus.observe("operation_opened", opened)
    bus.observe("before_tool_call", before)
    bus.observe("after_tool_call", after)
    bus.observe("operation_closed", closed)
    return bus


class Measured(NamedTuple):
    """What a tool call takes that is watched, and beside it."""

    row: Row
    by_hand: Row
    least: Row
    """By the least bridge."""
    idle: Row
    """By a bus that nobody listens to."""
    attributes: int


def measured(setting: Setting) -> Measured:
    """Measure the bridge, the same span by hand, the least bridge and the bus alone."""
    content, has_live = setting.content, setting.has_live
    with (
        bridged(setting.options, has_live=has_live) as (bus, keep),
        watched_provider(has_live=has_live) as (provider, least_keep, _),
    ):
        row = Row(setting.title, tool_call(bus, content), keep)
        row.call()
        floor = Row("by hand", by_hand(keep.span()))
        least_bus = least_bridge(provider.get_tracer("least"), has_content=bool(content))
        least = Row("the least bridge", tool_call(least_bus, content), least_keep)
        least.call()
        idle = Row("nobody listens", tool_call(Bus(), content))
        measure([row, floor, least, idle], rounds=ROUNDS, calls=300)
    attributes = keep.span().attributes or {}
    assert set(attributes) == set(least_keep.span().attributes or {})
    return Measured(row, floor, least, idle, len(attributes))


def ratio(setting: Setting) -> float:
    """Return the bridge's time for a tool call to the SDK's for the same span."""
    times = measured(setting)
    return times.row.best_us / times.by_hand.best_us


def content_costs() -> None:
    """Print the cost of serialising, redacting and truncating."""
    redactor = Redactor()
    message = {"role": "user", "parts": [{"type": "text", "content": "some words " * 9}]}
    cases = {
        "content, 1 KB in one string": {"text": "some words " * 90},
        "content, 4 KB in 30 messages": [message] * 30,
        "content, 30 KB in one string": {"text": "some words " * 2_750},
        "content, 30 KB in 220 messages": [message] * 220,
        "content, 2 MiB in one string": {"text": "some words " * 190_000},
        "content, 2 MiB in 15 000 messages": [message] * 15_000,
    }
    goals = ("≤ 200 µs", "≤ 200 µs", "≤ 2 ms", "≤ 1.5 ms", "≤ 1.2 x 30 KB", "≤ 1.2 x 30 KB")
    rows = [
        Row(title, lambda value=value: to_json(value, redactor=redactor))
        for title, value in cases.items()
    ]
    measure(rows, rounds=ROUNDS, calls=20)
    for index, (row, goal) in enumerate(zip(rows, goals, strict=True)):
        beside = f"{row.best_us / rows[index - 2].best_us:6.2f} x 30 KB" if index > 3 else ""
        print(f"{row.name:<42}{row.best_us:7.1f} µs{beside:<16}{goal:>90}")


def state_costs() -> None:
    """Print the cost of a state of 200 KB of which one value changes.

    In long texts, in short ones, and in so many parts that only its beginning is read. Our thread
    has caught up before each round: without pauses, the agent's does the work of both.
    """
    with bridged(Options(capture=Capture.REDACTED), has_live=True) as (bus, keep):
        rows = []

        @contextmanager
        def caught_up() -> Iterator[None]:
            keep.flush()
            yield

        for notes, words, tags in ((180, 100, 1), (1_000, 12, 1), (1_000, 12, 5)):
            steps, texts = count(), {"text": "some words " * words, "tags": ["a"] * tags}
            state = [{"id": number, **texts} for number in range(notes)]

            def capture(state: object = state, steps: Iterator[int] = steps) -> None:
                with bus.operation("tool_call", tool_name="search", args={}):
                    for _ in range(10):
                        capture_state("plan", {"step": next(steps), "notes": state}, bus=bus)

            parts = notes * (4 + tags)
            title = f"a state of 200 KB, {notes} notes, {parts} parts"
            rows.append(Row(title, capture, keep, caught_up))
        measure(rows, rounds=5, calls=2)
    for row in rows:
        print(f"{row.name:<42}{row.best_us / 10:7.1f} µs{'≤ 3 ms':>106}")


def main() -> None:
    """Print all figures."""
    for setting in settings():
        times = measured(setting)
        row, floor, least = times.row, times.by_hand, times.least
        print(
            f"{row.name:<42}{row.best_us:7.1f} µs{row.best_us / floor.best_us:7.2f} x the SDK's "
            f"span ({floor.best_us:.1f} µs, {times.attributes} attributes; bus alone "
            f"{times.idle.best_us:.1f} µs){row.best_us / least.best_us:6.2f} x the least "
            f"({least.best_us:.1f} µs){setting.goal:>8}"
        )
    content_costs()
    state_costs()


if __name__ == "__main__":
    main()
