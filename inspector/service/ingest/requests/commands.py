"""Make commands from answers and verbs, and choose the processes that get them. Pure."""

from __future__ import annotations

from collections.abc import Iterable

from inspector.service.ingest.requests.answering import ProposedAnswer
from inspector.service.model.records import SpanRecord, Waiting
from inspector.service.model.rows import Actor, CommandRow, RequestRow, SpanStatus
from inspector.service.sessions.state import SessionState

MAX_COMMANDS = 1_000
"""Limit of the commands that wait for one process."""


def answer_command(
    seq: int,
    row: RequestRow,
    answer: ProposedAnswer,
    trace_ids: Iterable[str],
    now_ns: int,
    actor: Actor,
) -> CommandRow:
    """Return the command that delivers an answer to its agent, with the texts unchanged."""
    return CommandRow(
        seq=seq,
        process_id=row.process_id,
        type="answer",
        session_id=row.session_id,
        trace_ids=tuple(trace_ids),
        actor=actor.actor,
        origin=actor.origin,
        issued_ns=now_ns,
        reason=answer.reason,
        request_id=row.id,
        decision=answer.decision,
        args_json=answer.args_json,
        args_hash=answer.args_hash,
        payload_json=answer.payload_json,
    )


def open_traces(session_id: str, open_spans: Iterable[SpanRecord]) -> tuple[str, ...]:
    """Return the traces of a session that have a running span among these."""
    running = (span for span in open_spans if span.status is SpanStatus.RUNNING)
    return tuple(dict.fromkeys(s.trace_id for s in running if s.session_id == session_id))


def is_concerned(
    process_id: str,
    session: SessionState,
    trace_ids: tuple[str, ...],
    waiting: Iterable[Waiting],
) -> bool:
    """Return whether a process runs a part of a session, declared it, has a request, or holds."""
    if trace_ids or process_id in session.pauses:
        return True
    if session.is_owned and session.owner == process_id:
        return True
    return any(one.process_id == process_id and one.session_id == session.id for one in waiting)
