"""Shared parts of the bridge benchmarks: span keepers, floors, rounds."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field
from time import thread_time
from typing import Any

from opentelemetry.sdk.trace import ReadableSpan, SpanProcessor, TracerProvider

from instrument import Bus
from subscribers import Options, install
from subscribers.bridge.moments import LiveRecords
from subscribers.send.delivery import Answer, Delivery, SendResult
from subscribers.send.live import LiveSpanProcessor

Call = Callable[[], Any]


class Keep(SpanProcessor):
    """Keeps the last span, and costs nothing else."""

    last: ReadableSpan | None = None
    flush: Callable[[], object] = staticmethod(lambda: None)
    """Waits until all that was handed to another thread is done."""

    def on_end(self, span: ReadableSpan) -> None:
        """Keep it."""
        self.last = span

    def span(self) -> ReadableSpan:
        """Return the last span; ends the program when there is none."""
        if self.last is None:
            raise SystemExit("No span was made: a package that is measured does not fit the rest.")
        return self.last


class Nowhere:
    """A target that accepts everything."""

    name = "nowhere"

    def send_logs(self, records: object) -> Answer:
        """Accept them."""
        return Answer(SendResult.ACCEPTED)

    send_spans = send_logs

    def reset(self) -> None:
        """Do nothing."""


@dataclass
class Row:
    """One way to do the work; `watching` is entered around its rounds."""

    name: str
    call: Call
    keep: Keep = field(default_factory=Keep)
    watching: Callable[[], AbstractContextManager[Any]] = nullcontext
    best_us: float = float("inf")


def measure(rows: Iterable[Row], *, rounds: int, calls: int) -> None:
    """Give each row the CPU time of a call in its best round; the rounds of all take turns."""
    rows = list(rows)
    for _ in range(rounds):
        for row in rows:
            with row.watching():
                for _ in range(min(20, calls)):
                    row.call()
                gc.collect()
                start = thread_time()
                for _ in range(calls):
                    row.call()
                row.best_us = min(row.best_us, (thread_time() - start) / calls * 1e6)


def in_memory_provider() -> tuple[TracerProvider, Keep]:
    """Return a provider and its exporter, which stores spans in memory."""
    provider, keep = TracerProvider(), Keep()
    provider.add_span_processor(keep)
    return provider, keep


@contextmanager
def watched_provider(
    *, has_live: bool
) -> Iterator[tuple[TracerProvider, Keep, LiveRecords | None]]:
    """Yield a provider, its exporter, and the processor of live records."""
    provider, keep = in_memory_provider()
    keep.flush = provider.force_flush
    live = None
    if has_live:
        delivery = Delivery(Nowhere(), lambda: provider.resource)
        live = LiveSpanProcessor(delivery, lambda: provider.resource)
        provider.add_span_processor(live)
    yield provider, keep, live
    provider.shutdown()


@contextmanager
def bridged(options: Options, *, has_live: bool) -> Iterator[tuple[Bus, Keep]]:
    """Yield a bus with a bridge, and the exporter of the bridge's spans."""
    bus = Bus()
    with watched_provider(has_live=has_live) as (provider, keep, live):
        off = install(bus, tracer_provider=provider, options=options, live=live)
        yield bus, keep
        off()


def by_hand(like: ReadableSpan, provider: TracerProvider | None = None) -> Call:
    """Return a function that makes a span like `like` with the SDK, from prepared attributes."""
    if provider is None:
        provider, _ = in_memory_provider()
    tracer = provider.get_tracer("by hand")
    attributes = dict(like.attributes or {})
    at_end = {key: attributes.pop(key) for key in list(attributes) if "status" in key}

    def span() -> None:
        with tracer.start_as_current_span(like.name, attributes=attributes) as made:
            made.set_attributes(at_end)

    return span
