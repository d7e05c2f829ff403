"""Add the spans of a batch: merge with known data, count usage, find duplicates."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

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


def add_spans(
    unit: UnitOfWork, processes: Processes, traces: Mapping[str, Sequence[IncomingSpan]]
) -> None:
    """Add new spans to the unit, and new data of known spans."""
    heard_of = set[str]()
    for trace_id, spans in traces.items():
        if trace_id not in unit.new_traces:
            unit.load_spans(trace_id, _looked_up(spans))
        trace, session = unit.trace_and_session(trace_id)
        for incoming in spans:
            known = unit.span(trace_id, incoming.record.span_id)
            new = incoming if known is None else _merge(unit, known, incoming)
            process_id = (new or incoming).record.process_id
            if incoming.record.end_ns is None:
                mark_alive(unit, processes, process_id)
            elif process_id not in heard_of:
                heard_of.add(process_id)
                processes.touch(process_id, unit.now_ns)
            if new is not None and session is not None:
                # Read again: a process that lives again may have changed it.
                known = known and unit.span(trace_id, new.record.span_id)
                _add_span(unit, processes, new, known, trace, session)
                unit.updated[session.id] = None


def _looked_up(spans: Iterable[IncomingSpan]) -> set[str]:
    """Return the ids of spans that are looked up when these are added."""
    found = set[str]()
    for record in (incoming.record for incoming in spans):
        found.add(record.span_id)
        if record.kind in DUPLICATED_KINDS and record.parent_span_id is not None:
            found.add(record.parent_span_id)
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
    known: SpanRecord | None,
    trace: TraceState,
    session: SessionState,
) -> None:
    new = incoming.record
    is_above_usage = new.span_id in trace.usage_ancestors
    is_lost = unit.is_past and new.end_ns is None and not processes.is_alive(new.process_id)
    if is_lost or (is_above_usage and new.is_counted):
        new = new.copy()  # of a batch that is tried again, the same is true again
        new.is_counted = new.is_counted and not is_above_usage
        new.status = SpanStatus.LOST if is_lost else new.status
    new.session_id, new.epoch_ns = session.id, session.epoch_ns
    unit.add_span(new, known, incoming.content)
    # One with usage that is not counted is among the ancestors.
    if new.is_counted or is_above_usage:
        unit.mark_usage_below(trace, new.parent_span_id)
    if new.kind in DUPLICATED_KINDS or trace.inner_spans:
        find_duplicates(unit, trace, new, incoming.response_id)
    trace.profile.see(new, incoming)
    # A sender of live records leaves out the start of a short span.
    if not trace.profile.is_live and (
        new.end_ns is None or (processes.is_alive(new.process_id) and not is_silent(new.process_id))
    ):
        trace.profile.is_live = True
    if new.span_id in trace.paused_spans or _reports_waits(incoming):
        settle_waits(unit, new.trace_id, new.span_id, None)


def _reports_waits(incoming: IncomingSpan) -> bool:
    # Most have no such bytes anywhere: to ask that first takes a fifth of the time.
    return live.WAITS_PREFIX in incoming.content.payload and any(
        event.name in live.WAITS for event in incoming.span.events
    )
