"""Add the moments of a batch, and what session records and pauses change."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from opentelemetry.proto.trace.v1.trace_pb2 import Span

from inspector.service.ingest.arrivals import IncomingMoment
from inspector.service.ingest.liveness import mark_alive
from inspector.service.ingest.span_waits import settle_waits
from inspector.service.ingest.unit_of_work import UnitOfWork
from inspector.service.model.records import MomentRecord, is_silent
from inspector.service.normalise import read_span
from inspector.service.normalise.facts import title_in_log
from inspector.service.sessions import live
from inspector.service.sessions.processes import Processes
from inspector.service.sessions.state import REQUEST_WAIT, SessionState

_HAVE_MESSAGES = live.PAUSES | {"inspector.decision", "inspector.progress"}
"""Moments with a message of their own in the stream; any other is shown by its span's row."""
_OF_MCP = ("inspector.mcp.", "inspector.transport.")
"""Beginnings of names of moments of MCP connections: messages, transports, what servers write."""


def add_moments(unit: UnitOfWork, processes: Processes, moments: Iterable[IncomingMoment]) -> None:
    """Add new moments to the unit; apply session records and pauses."""
    for incoming in moments:
        moment = incoming.record
        session = _session_of(unit, incoming)
        if moment.trace_id:
            trace = unit.trace(moment.trace_id)
            if title := title_in_log(moment.name, incoming.log.record):
                trace.profile.see_message(title, moment.time_ns)
        if moment.name.startswith(_OF_MCP):
            _see_mcp(unit, session, moment)
        moment.session_id = session.id if session else None
        if not unit.add_moment(moment):
            continue
        if moment.name in live.WAITS:
            settle_waits(unit, moment.trace_id, moment.span_id, session)
        if moment.name not in _HAVE_MESSAGES:
            _touch_span(unit, moment)
        if session is not None and moment.name in live.SESSION_RECORDS:
            session.profile.see_time(moment.time_ns)
            _apply_session_record(unit, processes, session, incoming)
            unit.updated[session.id] = None


def _see_mcp(unit: UnitOfWork, session: SessionState | None, moment: MomentRecord) -> None:
    if moment.trace_id:
        unit.trace(moment.trace_id).profile.has_mcp = True
    elif session is not None:
        session.profile.has_mcp = True
        unit.updated[session.id] = None


def _session_of(unit: UnitOfWork, incoming: IncomingMoment) -> SessionState | None:
    moment = incoming.record
    if moment.trace_id:
        session_id = unit.trace(moment.trace_id).session_id
        return unit.session(session_id) if session_id else None
    if incoming.session_key is None:
        return None
    return unit.session_or_new(incoming.session_key, moment.time_ns)


def _touch_span(unit: UnitOfWork, moment: MomentRecord) -> None:
    """Publish the span of a moment again."""
    if moment.trace_id and moment.span_id:
        span = unit.span(moment.trace_id, moment.span_id)
        if span is not None:
            unit.put_span(replace(span))


def _apply_session_record(
    unit: UnitOfWork, processes: Processes, session: SessionState, incoming: IncomingMoment
) -> None:
    session.is_declared = True
    name, time_ns, log = incoming.record.name, incoming.record.time_ns, incoming.log
    facts = read_span(
        Span(name="", attributes=log.record.attributes, start_time_unix_nano=time_ns), log.resource
    )
    session.profile.engine = facts.engine or session.profile.engine
    session.profile.see_owner(facts)
    if facts.title:
        session.profile.see_title(facts.title, time_ns)
    if name == live.SESSION_STARTED:
        session.declared_ns = max(time_ns, session.declared_ns or 0)
        process_id = facts.record.process_id
        session.owner = "" if is_silent(process_id) else process_id
        if session.owner:
            session.profile.is_live = True
            mark_alive(unit, processes, session.owner)
    elif name == live.SESSION_FINISHED and time_ns >= (session.finished_ns or 0):
        session.finished_ns = time_ns
        session.finished_status = str(live.attribute(log.record, "inspector.session.status") or "")
        session.pauses.clear()
        waits = session.open_waits.items()
        session.open_waits = {key: since for key, since in waits if key.startswith(REQUEST_WAIT)}
