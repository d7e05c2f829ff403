"""The global tracer provider: ours gives way to one that the program sets later.

OpenTelemetry takes the first one only. `inspector run` is there before the program is: without
this, the provider of the program would be refused, and its exporters would get nothing.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from contextlib import suppress
from weakref import WeakSet

from opentelemetry import trace
from opentelemetry.context import Context
from opentelemetry.sdk.trace import ReadableSpan, Span, SpanProcessor, TracerProvider

from subscribers.send.otlp import with_resource

_logger = logging.getLogger("inspector")

Follow = Callable[[trace.TracerProvider], None]

_followers: list[Follow] = []
_ours: WeakSet[TracerProvider] = WeakSet()
"""Providers that give way, or have done so."""


def set_global(ours: TracerProvider) -> None:
    """Make `ours` the global provider until the program sets its own; others cannot follow."""
    trace.set_tracer_provider(ours)
    if trace.get_tracer_provider() is not ours:  # another was there
        return
    _ours.add(ours)
    try:
        waiting = [trace._set_tracer_provider]
    except AttributeError:  # another version: ours stays, as OpenTelemetry says
        return
    refuse = waiting[0]

    def set_theirs(theirs: trace.TracerProvider, log: bool) -> None:
        try:
            trace._set_tracer_provider = waiting.pop()
        except IndexError:
            refuse(theirs, log)
            return
        trace._TRACER_PROVIDER = theirs
        for follow in tuple(_followers):
            try:
                follow(theirs)
            except Exception:
                _logger.warning("Spans of the new tracer provider are not shown.", exc_info=True)

    trace._set_tracer_provider = set_theirs  # type: ignore[assignment] # the same


def when_replaced(ours: TracerProvider, follow: Follow) -> Callable[[], None]:
    """Call `follow` with the provider that the program sets instead of `ours`, if it does.

    Returns:
        A function that withdraws it. Idempotent.
    """
    if ours not in _ours:
        return lambda: None
    _followers.append(follow)

    def withdraw() -> None:
        with suppress(ValueError):
            _followers.remove(follow)

    return withdraw


def join(
    theirs: trace.TracerProvider, ours: TracerProvider, processor: SpanProcessor
) -> TracerProvider | None:
    """Give `processor` the spans of `theirs`, and their processors what tracers of `ours` begin.

    Returns:
        `theirs` if it is one of the SDK. Of another, such as one that wraps each span, only spans
        are taken.

    Raises:
        AttributeError: It takes no processors.
    """
    guest = _Guest(theirs, processor)
    if not isinstance(theirs, TracerProvider):
        return None
    ours.add_span_processor(_Forwarding(theirs, guest))
    return theirs


class _Guest(SpanProcessor):
    """A processor in somebody else's provider: its shutdown is not the end of that processor."""

    def __init__(self, host: trace.TracerProvider, processor: SpanProcessor) -> None:
        self.is_over = False
        self._processor = processor
        host.add_span_processor(self)  # type: ignore[attr-defined] # of the SDK, or like it

    def on_start(self, span: Span, parent_context: Context | None = None) -> None:
        self._processor.on_start(span, parent_context)

    def on_end(self, span: ReadableSpan) -> None:
        self._processor.on_end(span)

    def shutdown(self) -> None:
        self.is_over = True

    def force_flush(self, timeout_millis: int = 30_000) -> bool:
        return self._processor.force_flush(timeout_millis)


class _Forwarding(SpanProcessor):
    """Hands the spans of tracers that were made before to the processors of the new provider."""

    def __init__(self, host: TracerProvider, guest: _Guest) -> None:
        self._host = host
        self._guest = guest
        self._started: set[int] = set()

    def on_start(self, span: Span, parent_context: Context | None = None) -> None:
        self._started.add(span.get_span_context().span_id)
        for processor in self._others():
            processor.on_start(span, parent_context)

    def on_end(self, span: ReadableSpan) -> None:
        context = span.get_span_context()
        if context is None or context.span_id not in self._started:
            return
        self._started.discard(context.span_id)
        for processor in self._others():
            processor.on_end(with_resource(span, self._host.resource))

    def _others(self) -> list[SpanProcessor]:
        if self._guest.is_over:
            return []
        # No other way leads to them, and they may come and go.
        active = getattr(self._host, "_active_span_processor", None)
        found: tuple[SpanProcessor, ...] = getattr(active, "_span_processors", ())
        return [one for one in found if one is not self._guest]
