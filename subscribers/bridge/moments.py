"""Moments: hooks that become a span event and a live record with the same time."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from contextvars import ContextVar
from typing import Any, Protocol

from opentelemetry import trace
from opentelemetry.trace import SpanContext

from subscribers.bridge import late
from subscribers.bridge.event_time import event_time_ns
from subscribers.bridge.facts import (
    RpcFacts,
    as_key,
    connection_of,
    progress_percent,
    reason_text,
    selection,
    server_uri,
    transport_facts,
    uri_text,
)
from subscribers.bridge.failures import CANCELLED, Failure, failure_of_exception, failure_of_hook
from subscribers.bridge.metrics import Metrics
from subscribers.bridge.progress import ProgressLimiter
from subscribers.bridge.sessions import Sessions
from subscribers.bridge.spans import OwnedSpan, SpanTable, current_owned, nearest_open
from subscribers.content.redaction import REDACTED, is_secret_key
from subscribers.content.snapshots import Later, Snapshot, Snapshots
from subscribers.options import Capture, Vocabulary
from subscribers.spec.engine import Attributes, Engine, key_part
from subscribers.spec.model import HookSpec

_CANCEL_GRACE_S = 1.0


class LiveRecords(Protocol):
    """A sender of live records; see `subscribers.send.live`."""

    def progress(self, span: trace.Span, attributes: Mapping[str, Any]) -> None:
        """Send new attributes, or a new name, of a running span."""

    def soon(self, span: trace.Span, changes: Callable[[], Mapping[str, Any]]) -> None:
        """Send changes of a running span a little later; `changes` is called then."""

    def moment(
        self, name: str, time_ns: int, span: SpanContext | None, attributes: Mapping[str, Any]
    ) -> None:
        """Send a moment, on a span or not."""


class Moments:
    """Reports moments on spans that the bridge owns."""

    def __init__(
        self,
        engine: Engine,
        table: SpanTable,
        sessions: Sessions,
        rpc: RpcFacts,
        *,
        live: LiveRecords | None,
        metrics: Metrics | None,
        reap: Callable[[OwnedSpan, Failure | None], None],
    ) -> None:
        """Create one; `reap` ends a span whose end is never reported."""
        self._engine = engine
        self._table = table
        self._sessions = sessions
        self._rpc = rpc
        self._live = live
        self._metrics = metrics
        self._reap = reap
        self._progress = ProgressLimiter()
        options = engine.options
        is_full = options.capture is Capture.FULL
        self._states = Snapshots(None if is_full else engine.redactor, options.max_content_bytes)
        self._remembered: ContextVar[Attributes | None] = ContextVar("remembered", default=None)

    def release_progress(self, owned: OwnedSpan) -> None:
        """Report the newest pending progress, before the span ends."""
        if self._progress.spans:
            for time_ns, attributes in self._progress.release(id(owned)):
                self.report("inspector.progress", time_ns, owned, attributes)

    def remember(self, hook: HookSpec, kwargs: dict[str, Any]) -> None:
        """Store a hook for the later one that reports both (model selection)."""
        self._remembered.set(self._engine.attributes(hook.name, kwargs))

    def report_hook(self, hook: HookSpec, kwargs: dict[str, Any]) -> None:
        """Report a hook as a moment on its span, and live."""
        now_ns = event_time_ns()
        kwargs["$failure"] = failure = self._event_failure(hook, kwargs)
        kwargs["$status"] = "ok" if failure is None else "error"
        self._sessions.add_to(kwargs, is_root=False)
        self._before_event(hook.name, kwargs, now_ns)
        snapshot = self._snapshot(kwargs) if hook.name == "state_captured" else None
        attributes = self._engine.attributes(hook.name, kwargs)
        if hook.name in {"after_model_select", "error_model_select"}:
            attributes = {**(self._remembered.get() or {}), **attributes}
            self._remembered.set(None)
        owned = self._event_span(hook, kwargs)
        if hook.name == "progress_update":
            is_final = (attributes.get("inspector.progress.percent") or 0) >= 100
            key = as_key(kwargs.get("operation_id"))
            if not self._progress.admit(
                id(owned) if owned else 0, key, now_ns, attributes, is_final=is_final
            ):
                return
        if snapshot is None:
            on_span = hook.on != "none"
            self.report(hook.event or hook.name, now_ns, owned, attributes, on_span=on_span)
        else:
            self._report_state(hook, now_ns, owned, attributes, snapshot)
            self._set_legacy_state(owned, kwargs, snapshot)
        self._after_event(hook.name, kwargs, owned)

    def _event_failure(self, hook: HookSpec, kwargs: Mapping[str, Any]) -> Failure | None:
        if hook.name != "session_finished":
            return failure_of_hook(hook.failure, kwargs, self._engine)
        error = kwargs.get("error")
        if error is None and kwargs.get("status") != "failed":
            return None
        return failure_of_exception(error, self._engine)

    def _before_event(self, hook: str, kwargs: dict[str, Any], now_ns: int) -> None:
        match hook:
            case "session_started":
                self._begin_session(kwargs)
            case "session_paused":
                self._sessions.pause(kwargs, now_ns)
            case "session_resumed":
                kwargs["$wait_ms"] = self._sessions.resume(kwargs, now_ns)
            case "progress_update":
                kwargs["$percent"] = progress_percent(kwargs)
            case "transport_connected" | "transport_disconnected" | "transport_reconnecting":
                self._count_connection(hook, kwargs)
                kwargs["$server_uri"] = server_uri(kwargs.get("uri"))
                kwargs["$reason"] = reason_text(kwargs.get("reason"), self._engine.redactor)
                self._rpc.note_connection(kwargs)
            case "transport_failed":
                kwargs["$reason"] = reason_text(kwargs.get("exc"), self._engine.redactor)
            case "after_model_select":
                kwargs["$selection"] = selection(kwargs)

    def _count_connection(self, hook: str, kwargs: dict[str, Any]) -> None:
        if self._metrics is None or hook == "transport_reconnecting":
            return
        connection = (connection_of(kwargs), as_key(uri_text(kwargs.get("uri"))))
        if hook == "transport_connected":
            self._metrics.connected(connection)
            return
        reason, error_type = kwargs.get("reason"), None
        if isinstance(reason, BaseException):
            error_type = failure_of_exception(reason, self._engine).type
        facts = transport_facts(kwargs.get("transport_type"))
        self._metrics.disconnected(connection, facts, error_type)

    def _begin_session(self, kwargs: Mapping[str, Any]) -> None:
        attributes = self._engine.attributes("session_started", kwargs)
        title, engine = (
            attributes.get("inspector.session.title"),
            attributes.get("inspector.engine"),
        )
        self._sessions.begin(kwargs.get("session_id"), title, engine)

    def _snapshot(self, kwargs: Mapping[str, Any]) -> Later[Snapshot] | None:
        if self._engine.options.capture is Capture.OFF:
            return None
        trace_id = trace.get_current_span().get_span_context().trace_id
        name, value = kwargs.get("name"), kwargs.get("value")
        name = name[:256] if isinstance(name, str) else ""
        if is_secret_key(name) and value is not None:
            value = REDACTED
        return self._states.take((trace_id, name), value)

    def _event_span(self, hook: HookSpec, kwargs: Mapping[str, Any]) -> OwnedSpan | None:
        if hook.on == "operation":
            for name in ("call_id", "operation_id"):
                call_id = kwargs.get(name)
                call = self._table.calls.get(call_id) if isinstance(call_id, str) else None
                if call is not None and (owned := nearest_open(call.owned)) is not None:
                    return owned
        return current_owned()

    def report(
        self,
        name: str,
        time_ns: int,
        owned: OwnedSpan | None,
        attributes: Attributes,
        *,
        on_span: bool = True,
    ) -> None:
        """Write a moment as a span event and a live record with the same time."""
        span = owned.span if owned is not None else trace.get_current_span()
        if on_span and span.is_recording():
            span.add_event(name, attributes, time_ns)
        self._report_live(name, time_ns, span, attributes)

    def _report_live(
        self, name: str, time_ns: int, span: trace.Span, attributes: Mapping[str, Any]
    ) -> None:
        if self._live is not None:
            context = span.get_span_context()
            self._live.moment(name, time_ns, context if context.is_valid else None, attributes)

    def _report_state(
        self,
        hook: HookSpec,
        time_ns: int,
        owned: OwnedSpan | None,
        attributes: Attributes,
        snapshot: Later[Snapshot],
    ) -> None:
        """Report a state that was captured; its snapshot is made when somebody reads it."""

        def compute() -> Attributes:
            return self._engine.attributes(hook.name, {"$state": snapshot()})

        name, most_bytes = hook.event or hook.name, self._engine.options.max_content_bytes
        span = owned.span if owned is not None else trace.get_current_span()
        if span.is_recording():
            late.add_event(span, name, attributes, time_ns, compute, most_bytes)
        self._report_live(name, time_ns, span, late.attributes(attributes, compute, most_bytes))

    def _after_event(self, hook: str, kwargs: Mapping[str, Any], owned: OwnedSpan | None) -> None:
        if hook == "session_finished":
            self._finish_session(kwargs)
        elif hook == "operation_cancelled" and owned is not None:
            self._expect_end(owned)

    def _set_legacy_state(
        self, owned: OwnedSpan | None, kwargs: Mapping[str, Any], snapshot: Later[Snapshot]
    ) -> None:
        """Set the legacy attribute of `capture_state`, except for a patch."""
        if self._engine.options.vocabulary is Vocabulary.CURRENT:
            return
        kind = "result" if kwargs.get("is_result") else "state"
        key = f"mcp.{kind}.{key_part(kwargs.get('name'), self._engine.redactor)}_json"
        span = owned.span if owned is not None else trace.get_current_span()
        if not span.is_recording():  # ended by another task
            return

        def compute() -> Attributes:
            value = snapshot().value
            if value is None:
                return {}
            return {key: value.text} | ({f"{key}_truncated": True} if value.is_truncated else {})

        late.set_attributes(span, compute, self._engine.options.max_content_bytes)

    def _finish_session(self, kwargs: Mapping[str, Any]) -> None:
        """End the spans that bare hooks of this session left open."""
        session = self._sessions.finish(kwargs.get("session_id"))
        if session is None:
            return
        for owned in self._table.open_spans():
            is_ours = owned.attributes.get("session.id") == session.id
            if owned.call_id is None and is_ours:
                self._reap(owned, None)

    def _expect_end(self, owned: OwnedSpan) -> None:
        """End a cancelled operation later if nobody does: bare emitters see no `CancelledError`."""
        if owned.call_id is not None:
            return
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:
            return
        loop.call_later(_CANCEL_GRACE_S, self._reap, owned, CANCELLED)
