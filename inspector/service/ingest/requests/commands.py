"""Make commands from answers and verbs, and choose the processes that get them. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

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


def targets(
    session: SessionState,
    process_ids: Iterable[str],
    open_spans: Callable[[str], Iterable[SpanRecord]],
    waiting: Iterable[Waiting],
) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield the processes that get a command for a session, each with its open traces.

    Those run a part of the session, declared it, have a request of it, or hold it.

    Args:
        session: The session.
        process_ids: The connected processes.
        open_spans: Return the spans of a process without an end.
        waiting: The requests that are not over.
    """
    concerned = {one.process_id for one in waiting if one.session_id == session.id}
    concerned.update(session.pauses)
    if session.is_owned:
        concerned.add(session.owner)
    for process_id in process_ids:
        traces = _open_traces(session.id, open_spans(process_id))
        if traces or process_id in concerned:
            yield process_id, traces


def _open_traces(session_id: str, open_spans: Iterable[SpanRecord]) -> tuple[str, ...]:
    running = (span for span in open_spans if span.status is SpanStatus.RUNNING)
    return tuple(dict.fromkeys(s.trace_id for s in running if s.session_id == session_id))
