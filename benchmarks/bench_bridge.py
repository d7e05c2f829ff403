"""What the bridge costs the agent, in CPU time of its thread: ratios from one run, best rounds.

The floor is the same span with the same attributes, made with the SDK by hand. Run:
`python benchmarks/bench_bridge.py` (about 15 s).
"""

from __future__ import annotations

from collections.abc import Callable
from time import thread_time

from opentelemetry.sdk.trace import ReadableSpan, SpanProcessor, TracerProvider

from instrument import Bus
from subscribers import Capture, Options, Redactor, install
from subscribers.content import to_json
from subscribers.delivery import Answer, Delivery, Verdict
from subscribers.live import LiveSpanProcessor

ROUNDS = 9


class Keep(SpanProcessor):
    """Keeps the last span, and costs nothing else."""

    last: ReadableSpan

    def on_end(self, span: ReadableSpan) -> None:
        """Keep it."""
        self.last = span


class Nowhere:
    """A target that takes everything."""

    name = "nowhere"

    def send_logs(self, records: object) -> Answer:
        """Take them."""
        return Answer(Verdict.TAKEN)

    send_spans = send_logs

    def reset(self) -> None:
        """There is nothing to forget."""


def best_us(function: Callable[[], object], repeat: int) -> float:
    """Return the best round's time for one call, in microseconds."""
    function()
    rounds = []
    for _ in range(ROUNDS):
        start = thread_time()
        for _ in range(repeat):
            function()
        rounds.append((thread_time() - start) / repeat)
    return min(rounds) * 1e6


def tool_call(bus: Bus, content: dict[str, str]) -> Callable[[], None]:
    """Return a function that emits one whole tool call."""

    def call() -> None:
        with bus.operation("tool_call", tool_name="search", args=content) as op:
            op.result = content

    return call


def bare(provider: TracerProvider, like: ReadableSpan) -> Callable[[], None]:
    """Return a function that makes a span like `like` by hand."""
    tracer = provider.get_tracer("bare")
    attributes = dict(like.attributes or {})
    at_end = {key: attributes.pop(key) for key in list(attributes) if "status" in key}

    def span() -> None:
        with tracer.start_as_current_span(like.name, attributes=attributes) as made:
            made.set_attributes(at_end)

    return span


def compare(title: str, options: Options, content: dict[str, str], *, has_live: bool) -> None:
    """Print the bridge's time for a tool call beside the SDK's for the same span."""
    provider, keep, bus = TracerProvider(), Keep(), Bus()
    provider.add_span_processor(keep)
    live = None
    if has_live:
        delivery = Delivery(Nowhere(), lambda: provider.resource)
        live = LiveSpanProcessor(delivery, lambda: provider.resource)
        provider.add_span_processor(live)
    off = install(bus, tracer_provider=provider, options=options, live=live)
    call = tool_call(bus, content)
    call()
    bridged, floor = best_us(call, 1_000), best_us(bare(provider, keep.last), 1_000)
    idle = best_us(tool_call(Bus(), content), 1_000)
    count = len(keep.last.attributes or {})
    print(
        f"{title:<46} {bridged:7.1f} µs  {bridged / floor:5.2f} x the SDK's span "
        f"({floor:.1f} µs, {count} attributes; bus alone {idle:.1f} µs)"
    )
    off()
    provider.shutdown()


def content_costs() -> None:
    """Print what serialising, redacting and cutting costs."""
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
    for title, value in cases.items():
        print(f"{title:<46} {best_us(lambda v=value: to_json(v, redactor=redactor), 50):7.1f} µs")


def main() -> None:
    """Print all figures."""
    compare("tool call, no content, no live records", Options(), {}, has_live=False)
    compare("tool call, no content", Options(), {}, has_live=True)
    kilobyte = {"query": "some words " * 45}
    compare("tool call, 1 KB", Options(capture=Capture.REDACTED), kilobyte, has_live=True)
    content_costs()


if __name__ == "__main__":
    main()
