"""The state of a session of which only its row is left. Pure, no I/O."""

from __future__ import annotations

from inspector.service.model.rows import SessionRow, SessionStatus, SpanStatus
from inspector.service.sessions.run_time import RunTime
from inspector.service.sessions.state import (
    TITLE_SET,
    Outcome,
    Profile,
    Root,
    SessionState,
    Tally,
    TraceState,
)

_ROOTS = {
    SessionStatus.FAILED: SpanStatus.ERROR,
    SessionStatus.CANCELLED: SpanStatus.CANCELLED,
}


def recovered_session(row: SessionRow) -> SessionState:
    """Return a state with which a session that is over shows its row again.

    What comes later adds to it.
    """
    ended_ns = row.started_ns if row.ended_ns is None else row.ended_ns
    cost = row.cost_usd
    return SessionState(
        id=row.id,
        epoch_ns=row.epoch_ns,
        tally=Tally(
            span_count=row.span_count,
            lost_count=int(row.status is SessionStatus.LOST),
            error_count=row.error_count,
            llm_calls=row.llm_calls,
            tool_calls=row.tool_calls,
            input_tokens=row.input_tokens,
            output_tokens=row.output_tokens,
            cost_nanodollars=round((cost or 0.0) * 1e9),
            costed_count=int(cost is not None),
            dropped_count=row.dropped_count,
        ),
        profile=Profile(
            started_ns=row.started_ns,
            latest_ns=ended_ns,
            title="" if row.title == row.id else row.title,
            title_rank=TITLE_SET,
            root=Root(ended_ns, row.started_ns, _ROOTS.get(row.status, SpanStatus.OK)),
            engine=row.engine,
            models=list(row.models),
            services=list(row.services),
            agents={name: row.started_ns + place for place, name in enumerate(row.agents)},
            tags=list(row.tags),
            users=list(row.users),
            has_mcp=row.has_mcp,
        ),
        waited_before_ns=row.waiting_ns,
        summed_until_ns=ended_ns,
        run_time=_run_time(row.started_ns, row.duration_ns(ended_ns)),
        outcome=Outcome(row.cause, row.cause_key, row.cause_span, row.answer),
    )


def recovered_trace(trace_id: str, session_id: str, *, seen_ns: int, since: int) -> TraceState:
    """Return the state of a trace that stays in its session."""
    return TraceState(trace_id, session_id, rank=0, seen_ns=seen_ns, since=since)


def _run_time(started_ns: int, covered_ns: int) -> RunTime:
    if covered_ns <= 0:
        return RunTime()
    return RunTime([started_ns], [started_ns + covered_ns], covered_ns)
