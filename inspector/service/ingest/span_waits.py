"""Work out when a span, or a session without one, waited for a person."""

from __future__ import annotations

from dataclasses import replace

from opentelemetry.proto.trace.v1.trace_pb2 import Span

from inspector.service.ingest.unit_of_work import UnitOfWork
from inspector.service.model.records import MomentRecord, clamp
from inspector.service.model.rows import SpanStatus
from inspector.service.model.waits import PauseSignal, waits_of
from inspector.service.sessions import live
from inspector.service.sessions.state import SessionState


def wait_key(trace_id: str | None, span_id: str | None) -> str:
    """Return the key of a span's waits in the state of its session."""
    return f"{trace_id or ''}:{span_id or ''}"


def settle_waits(
    unit: UnitOfWork, trace_id: str | None, span_id: str | None, session: SessionState | None
) -> None:
    """Compute the waits of one span, or of `session` as a whole, from all of its signals."""
    span = unit.span(trace_id, span_id) if trace_id and span_id else None
    if trace_id and span_id:
        unit.trace(trace_id).paused_spans.add(span_id)
    session = unit.session(span.session_id) if span else session
    if session is None:
        return
    place = (trace_id, span_id, session.id)
    fresh = (moment for moment in unit.moments if _is_at(moment, place))
    signals = [
        live.pause_signal(m.name, m.time_ns, m.content.log_record().attributes)
        for m in (*unit.reader.moments(*place), *fresh)
        if m.name in live.WAITS
    ]
    if span is not None and span.end_ns is not None:
        signals += _signals_in_events(unit.content(span).span())
    waits = waits_of(signals, span.end_ns if span else None)
    key = wait_key(trace_id, span_id)
    session.open_waits.pop(key, None)
    session.wait(key, waits.intervals)
    if waits.since_ns is not None and (span is None or span.status is SpanStatus.RUNNING):
        # An operator's hold is a wait, but needs no answer.
        unanswered = waits_of(signal for signal in signals if not signal.is_hold)
        if unanswered.since_ns is not None:
            session.open_waits[key] = unanswered.since_ns
    if span is None:
        return
    new = replace(span, wait_ns=waits.wait_ns, waits=waits.count, waited=waits.shown)
    if (span.wait_ns, span.waits, span.waited) != (new.wait_ns, new.waits, new.waited):
        unit.put_span(new)


def _is_at(moment: MomentRecord, place: tuple[str | None, str | None, str]) -> bool:
    trace_id, span_id, session_id = place
    if trace_id is None:
        return moment.trace_id is None and moment.session_id == session_id
    return (moment.trace_id, moment.span_id) == (trace_id, span_id)


def _signals_in_events(span: Span) -> list[PauseSignal]:
    """Return the pauses in the events of an ended span, of a sender without live records."""
    return [
        live.pause_signal(event.name, clamp(event.time_unix_nano), event.attributes)
        for event in span.events
        if event.name in live.WAITS
    ]
