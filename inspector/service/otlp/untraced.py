"""Requests of our own, which instrumentations leave alone."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from opentelemetry import context as otel_context


@contextmanager
def untraced() -> Iterator[None]:
    """Suppress spans of our own requests by instrumented HTTP clients."""
    # The key has no public name; instrumentations read this very one.
    suppress = otel_context._SUPPRESS_INSTRUMENTATION_KEY
    token = otel_context.attach(otel_context.set_value(suppress, True))
    try:
        yield
    finally:
        otel_context.detach(token)
