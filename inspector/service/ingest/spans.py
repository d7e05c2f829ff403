"""Add the spans of a batch: merge with known data, count usage, find duplicates."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

from opentelemetry.proto.trace.v1.trace_pb2 import Span

from inspector.service.ingest.duplicates import find_duplicates
from inspector.service.ingest.liveness import mark_alive
from inspector.service.ingest.span_waits import settle_waits
from inspector.service.ingest.unit_of_work import UnitOfWork
from inspector.service.model.incoming import IncomingSpan
from inspector.service.model.records import SpanRecord, is_silent
from inspector.service.model.rows import SpanStatus
from inspector.service.normalise.duplicates import DUPLICATED_KINDS
from inspector.service.normalise.facts import read_decoded_span
from inspector.service.sessions import live
from inspector.service.sessions.processes import Processes
from inspector.service.sessions.state import SessionState, TraceState


def add_spans(unit: UnitOfWork, processes: Processes, spans: Sequence[IncomingSpan]) -> None:
    """Add new spans to the unit, and new data of known spans."""
    for trace_id, span_ids in _of_known_traces(unit, spans).items():
        unit.load_spans(trace_id, span_ids)
    session_of: dict[str, tuple[TraceState, SessionState | None]] = {}
    for incoming in spans:
        known = unit.span(incoming.record.trace_id, incoming.record.span_id)
        new = incoming if known is None else _merge(unit, known, incoming)
        process_id = (new or incoming).record.process_id
        if incoming.record.end_ns is None:
            mark_alive(unit, processes, process_id)
        else:
            processes.touch(process_id, unit.now_ns)
        if new is None:
            continue
        trace_id = new.record.trace_id
        if trace_id not in session_of:
            session_of[trace_id] = unit.trace_and_session(trace_id)
        trace, session = session_of[trace_id]
        if session is not None:
            _add_span(unit, processes, new, trace, session)
            unit.updated[session.id] = None


def _of_known_traces(unit: UnitOfWork, spans: Iterable[IncomingSpan]) -> dict[str, list[str]]:
    """Return the span ids to look up of each trace that is not new."""
    found = defaultdict[str, list[str]](list)
    for incoming in spans:
        record = incoming.record
        if record.trace_id not in unit.new_traces:
            found[record.trace_id].append(record.span_id)
            if record.kind in DUPLICATED_KINDS and record.parent_span_id is not None:
                found[record.trace_id].append(record.parent_span_id)
    return found


def _merge(unit: UnitOfWork, known: SpanRecord, incoming: IncomingSpan) -> IncomingSpan | None:
    """Return the new version of `known`; None if it stays unchanged: an end always wins."""
    if incoming.record.end_ns is not None:
        return None if known.end_ns is not None and _is_same(unit, known, incoming) else incoming
    if known.end_ns is not None:
        return None
    content = unit.content(known)
    before = content.span()
    after = live.update_span(before, incoming.span, is_progress=incoming.is_progress)
    if after == before and (unit.is_past or known.status is SpanStatus.RUNNING):
        return None
    # The start knows the scope; a progress record need not.
    of = content if incoming.is_progress else incoming.content
    merged = read_decoded_span(after, of.resource_spans().resource, of.origin)
    if not incoming.is_progress:
        merged.record.process_id = incoming.record.process_id
    return merged


def _is_same(unit: UnitOfWork, known: SpanRecord, incoming: IncomingSpan) -> bool:
    """Return whether `incoming` equals the stored span, whatever the order of its fields."""
    content = unit.content(known)
    return content.payload == incoming.content.payload or content.span() == incoming.span


def _add_span(
    unit: UnitOfWork,
    processes: Processes,
    incoming: IncomingSpan,
    trace: TraceState,
    session: SessionState,
) -> None:
    new = incoming.record.copy()
    new.session_id, new.epoch_ns = session.id, session.epoch_ns
    new.is_counted = new.is_counted and new.span_id not in trace.usage_ancestors
    if unit.is_past and new.end_ns is None and not processes.is_alive(new.process_id):
        new.status = SpanStatus.LOST
    unit.put_span(new, incoming.content, trace)
    # One with usage that is not counted is among the ancestors.
    if new.is_counted or new.span_id in trace.usage_ancestors:
        unit.mark_usage_below(trace, new.parent_span_id)
    if new.kind in DUPLICATED_KINDS or trace.inner_spans:
        find_duplicates(unit, trace, new, incoming.response_id)
    trace.profile.see(new, incoming)
    # A sender of live records leaves out the start of a short span.
    if new.end_ns is None or (not is_silent(new.process_id) and processes.is_alive(new.process_id)):
        trace.profile.is_live = True
    if new.span_id in trace.paused_spans or _reports_waits(incoming.span):
        settle_waits(unit, new.trace_id, new.span_id, None)


def _reports_waits(span: Span) -> bool:
    # Most have no events: to ask that first takes a third of the time.
    return bool(span.events) and any(event.name in live.WAITS for event in span.events)
