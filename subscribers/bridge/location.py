"""Trace locations: the session, trace and span in which something happens.

Imports no OpenTelemetry: whoever only passes places on need not have it.
"""

from __future__ import annotations

from asyncio import Task
from typing import Any, NamedTuple


class TraceLocation(NamedTuple):
    """A session and a span."""

    session_id: str | None = None
    """As the program names it; None when it does not."""
    trace_id: str | None = None
    """32 hex digits."""
    span_id: str | None = None
    """16 hex digits."""


NO_LOCATION = TraceLocation()


class OpenOperation(NamedTuple):
    """An operation that has begun and not ended."""

    call_id: str | None
    """None for one that is told by bare hooks."""
    place: TraceLocation
    parent_span_id: str | None
    """Of the operation around it that is open."""
    began_ns: int
    """By `time.perf_counter_ns`."""
    task: Task[Any] | None
    """In which it began; None: in sync code on a thread without a running loop."""
