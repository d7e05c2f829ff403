"""Signs of life of processes, and what they change: a lost process's spans are lost."""

from __future__ import annotations

from dataclasses import replace

from inspector.service.ingest.duplicates import original_of_lost
from inspector.service.ingest.span_waits import settle_waits, wait_key
from inspector.service.ingest.unit_of_work import UnitOfWork
from inspector.service.model.rows import SpanStatus
from inspector.service.sessions.live import ProcessSign
from inspector.service.sessions.processes import Processes

_ENDINGS = ("completed", "failed", "cancelled")


def mark_alive(
    unit: UnitOfWork, processes: Processes, process_id: str, lost_after_ns: int | None = None
) -> None:
    """Record a sign of life; if the process was lost, its open spans run again."""
    if unit.is_past or not processes.mark_alive(process_id, unit.now_ns, lost_after_ns):
        return
    for stored in unit.reader.open_spans(process_id):
        span = unit.span(stored.trace_id, stored.span_id)
        if span is not None and span.status is SpanStatus.LOST:
            unit.put_span(replace(span, status=SpanStatus.RUNNING))
            settle_waits(unit, span.trace_id, span.span_id, None)


def end_run(unit: UnitOfWork, sign: ProcessSign) -> None:
    """Finish the session of a script that has ended, if it is one."""
    is_ending = sign.is_exiting and sign.run_status in _ENDINGS  # of which nothing else is stored
    session = unit.session(sign.run_id) if sign.run_id and is_ending else None
    if session is not None and sign.time_ns >= (session.finished_ns or 0):
        session.finished_ns, session.finished_status = sign.time_ns, sign.run_status
        session.is_ended_script = True
        unit.updated[session.id] = None


def lose_spans(unit: UnitOfWork, process_id: str, heard_ns: int) -> None:
    """Mark the running spans of a process as lost since `heard_ns`; they wait for nobody."""
    for span in unit.reader.open_spans(process_id):
        if span.status is SpanStatus.RUNNING:
            original = original_of_lost(unit, span)
            unit.put_span(replace(span, status=SpanStatus.LOST, duplicate_of=original))
            if session := unit.session(span.session_id):
                session.open_waits.pop(wait_key(span.trace_id, span.span_id), None)
                session.lost_ns = max(session.lost_ns, heard_ns)
