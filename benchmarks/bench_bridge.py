"""Cost of the bridge to the agent: CPU time of its thread, as ratios of the best rounds.

The floor is the same span with the same attributes, made with the SDK by hand. Run:
`python benchmarks/bench_bridge.py` (about 20 s).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import count
from typing import NamedTuple

from bridge_parts import Row, bridged, by_hand, measure

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


def measured(setting: Setting) -> tuple[Row, Row, Row, int]:
    """Measure the bridge, the same span by hand and the bus alone; return its attributes, too."""
    with bridged(setting.options, has_live=setting.has_live) as (bus, keep):
        row = Row(setting.title, tool_call(bus, setting.content), keep)
        row.call()
        floor = Row("by hand", by_hand(keep.span()))
        idle = Row("nobody listens", tool_call(Bus(), setting.content))
        measure([row, floor, idle], rounds=ROUNDS, calls=300)
    return row, floor, idle, len(keep.span().attributes or {})


def ratio(setting: Setting) -> float:
    """Return the bridge's time for a tool call to the SDK's for the same span."""
    row, floor, _, _ = measured(setting)
    return row.best_us / floor.best_us


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
    """Print the cost of a state of 200 KB of which one value changes: in long texts, in short."""
    with bridged(Options(capture=Capture.REDACTED), has_live=True) as (bus, _):
        rows = []
        for notes, words in ((180, 100), (1_000, 12)):
            steps = count()
            state = [{"id": n, "text": "some words " * words, "tags": ["a"]} for n in range(notes)]

            def capture(state: object = state, steps: Iterator[int] = steps) -> None:
                with bus.operation("tool_call", tool_name="search", args={}):
                    for _ in range(10):
                        capture_state("plan", {"step": next(steps), "notes": state}, bus=bus)

            rows.append(Row(f"a state of 200 KB in {notes} notes", capture))
        measure(rows, rounds=5, calls=2)
    for row in rows:
        print(f"{row.name:<42}{row.best_us / 10:7.1f} µs{'≤ 3 ms':>106}")


def main() -> None:
    """Print all figures."""
    for setting in settings():
        row, floor, idle, attributes = measured(setting)
        print(
            f"{row.name:<42}{row.best_us:7.1f} µs{row.best_us / floor.best_us:7.2f} x the SDK's "
            f"span ({floor.best_us:.1f} µs, {attributes} attributes; "
            f"bus alone {idle.best_us:.1f} µs){setting.goal:>30}"
        )
    content_costs()
    state_costs()


if __name__ == "__main__":
    main()
