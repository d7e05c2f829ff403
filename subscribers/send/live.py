"""The span processor that sends live records as OTLP logs (`docs/formats.md`).

OTLP sends a span when it has ended. `LiveSpanProcessor` reports every recorded span of its
provider, of any instrumentation, as soon as it starts.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from time import monotonic, time_ns
from typing import TYPE_CHECKING, Any
from weakref import WeakSet

from opentelemetry import trace
from opentelemetry.context import Context
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ReadableSpan, Span, SpanProcessor
from opentelemetry.trace import SpanContext

from subscribers.bridge.sessions import (
    MAX_ID_CHARS,
    SESSION_ID,
    TAGS,
    TITLE,
    UNKNOWN_SESSION,
    USER_ID,
    Details,
)
from subscribers.bridge.spans import DUPLICATE_OF, duplicated, is_ours, running_task
from subscribers.exits import is_pool_worker
from subscribers.send.live_record import PROGRESS, STARTED, LiveRecord
from subscribers.send.process_session import RUN_ID, ProcessSession

if TYPE_CHECKING:
    from subscribers.send.delivery import Delivery

BEFORE_RESULT_S = 0.25
"""The longest wait of a pool's worker until all is sent, before it hands over its result."""
_WAITING_SHARE = 0.1
"""Of the time of a worker, at most, beside one wait of the longest kind."""
SOON_S = 0.25
"""From a change that `soon` reports until it is sent: at most four a second for each span."""


class LiveSpanProcessor(SpanProcessor):
    """Hands starts, progress, moments and ends to one delivery, in the order they happened."""

    def __init__(
        self,
        delivery: Delivery,
        resource: Callable[[], Resource],
        session_id: Callable[[], str | None] | None = None,
        session_details: Details | None = None,
        process_session: ProcessSession | None = None,
    ) -> None:
        """Create one that calls `session_id` and `session_details` for spans of others.

        What begins a trace is of the `process_session`, unless anything in the trace names another.
        """
        self._delivery = delivery
        self._resource = resource
        self._session_id = session_id or (lambda: None)
        self._session_details = session_details or dict
        self._process_session = process_session
        self._is_stopped = False
        self._open_in_worker: WeakSet[Span] = WeakSet()
        """Running spans, where the process is killed once its result is there."""
        self._worker_since_s = self._waited_s = 0.0
        self._first_wait_s = BEFORE_RESULT_S

    def on_start(self, span: Span, parent_context: Context | None = None) -> None:
        """Report a started span; unsampled spans are not shown."""
        context = span.get_span_context()
        if self._is_stopped or not context.trace_flags.sampled:
            return
        if (owned := duplicated(span, parent_context)) is not None:
            original = owned.span.get_span_context().span_id
            span.set_attribute(DUPLICATE_OF, trace.format_span_id(original))
        self._name_session(span, parent_context)
        of_process = self._process_session
        if of_process is not None and (run_id := of_process.id_of(span, parent_context)):
            span.set_attribute(RUN_ID, run_id)
        attributes: Any = span.attributes  # read one by one they would take locks
        record = LiveRecord(
            STARTED, span.start_time or time_ns(), context, attributes.copy(), span.resource, span
        )
        self._delivery.put(record)
        if is_pool_worker():
            self._worker_since_s = self._worker_since_s or monotonic()
            self._open_in_worker.add(span)

    def _name_session(self, span: Span, parent_context: Context | None) -> None:
        """Set the current session on a span of another instrumentation, and what is known of it."""
        session, details = self._session_id(), self._session_details()
        if session and session != UNKNOWN_SESSION and SESSION_ID not in (span.attributes or {}):
            span.set_attribute(SESSION_ID, session[:MAX_ID_CHARS])
        if not details or is_ours(span):
            return
        found = {USER_ID: details.get("user")}
        if not _is_within(session, parent_context):
            found |= {TITLE: details.get("title"), TAGS: details.get("tags")}
        known = span.attributes or {}
        span.set_attributes(
            {key: value for key, value in found.items() if value and key not in known}
        )

    def on_end(self, span: ReadableSpan) -> None:
        """Send the whole span."""
        context = span.get_span_context()
        if self._process_session is not None:
            self._process_session.keep_active()
        if not self._is_stopped and context is not None and context.trace_flags.sampled:
            self._delivery.put(span)
            if self._open_in_worker:
                self._end_in_worker()

    def _end_in_worker(self) -> None:
        """Wait for the delivery if nothing runs, within a share of the time; never in a loop."""
        running = [one for one in self._open_in_worker if one.end_time is None]
        self._open_in_worker = WeakSet(running)
        may_wait_s = self._first_wait_s + _WAITING_SHARE * (monotonic() - self._worker_since_s)
        if running or self._waited_s >= may_wait_s or running_task() is not None:
            return
        began_s = monotonic()
        if not self._delivery.flush(BEFORE_RESULT_S, until_back=False):
            self._first_wait_s = -math.inf  # it is slow: this process waits no more
        self._waited_s += monotonic() - began_s

    def progress(self, span: trace.Span, attributes: Mapping[str, Any]) -> None:
        """Send the changes of a running span."""
        context = span.get_span_context()
        if self._is_stopped or not isinstance(span, Span) or not context.trace_flags.sampled:
            return
        record = LiveRecord(PROGRESS, time_ns(), context, dict(attributes), span.resource, span)
        self._delivery.put(record)

    def soon(self, span: trace.Span, changes: Callable[[], Mapping[str, Any]]) -> None:
        """Send changes of a running span, computed when they are sent, unless it has ended."""
        context = span.get_span_context()
        if self._is_stopped or not isinstance(span, Span) or not context.trace_flags.sampled:
            return
        running = span

        def make() -> LiveRecord | None:
            if running.end_time is not None:
                return None
            resource = running.resource
            return LiveRecord(PROGRESS, time_ns(), context, dict(changes()), resource, running)

        self._delivery.put_later(make, SOON_S)

    def moment(
        self, name: str, time_ns: int, span: SpanContext | None, attributes: Mapping[str, Any]
    ) -> None:
        """Send a moment; on an unsampled span nothing is shown."""
        if self._is_stopped or (span is not None and not span.trace_flags.sampled):
            return
        # Not copied: that would compute what is late.
        self._delivery.put(LiveRecord(name, time_ns, span, attributes, self._resource()))

    def shutdown(self) -> None:
        """Send the remaining records, for at most a second, and accept no more."""
        if not self._is_stopped:
            self._is_stopped = True
            self._delivery.close()

    def force_flush(self, timeout_millis: int = 30_000) -> bool:
        """Wait until all items are sent, but not for a service that is away.

        Frameworks call this after each span, in the agent's own thread.
        """
        return self._delivery.flush(timeout_millis / 1_000, until_back=False)


def _is_within(session: str | None, parent_context: Context | None) -> bool:
    """Return whether the parent of a span is a span of this process and of the same session."""
    parent: Any = trace.get_current_span(parent_context)
    return (
        session is not None
        and (getattr(parent, "attributes", None) or {}).get(SESSION_ID) == session[:MAX_ID_CHARS]
    )
