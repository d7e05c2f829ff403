"""Trace locations: the session, trace and span in which something happens.

Imports no OpenTelemetry, which code that only passes locations on need not have.
"""

from __future__ import annotations

from asyncio import Task
from typing import Any, NamedTuple


class TraceLocation(NamedTuple):
    """A session and a span."""

    session_id: str | None = None
    """Named by the program; None if it names none."""
    trace_id: str | None = None
    """32 hex digits."""
    span_id: str | None = None
    """16 hex digits."""
    run_id: str | None = None
    """The session of the process, where the trace is of it and nothing names another."""


NO_LOCATION = TraceLocation()


class OpenOperation(NamedTuple):
    """An operation that has begun and not ended."""

    call_id: str | None
    """None for an operation of bare hooks."""
    location: TraceLocation
    parent_span_id: str | None
    """Span of the open operation around it."""
    began_ns: int
    """Start by `time.perf_counter_ns`."""
    task: Task[Any] | None
    """Task in which it began; None: sync code on a thread without a running loop."""
