"""Transitions between the statuses of a request, as the service sees them. Pure.

Two ends change it. People answer, once. The agent, which waits and decides, reports how it ended;
its report stays. What the service concludes from silence (`lost`, `expired`) is a guess that
the agent may put right: by opening the request again, or by saying how it did end. Each function
returns the new row, or None where nothing changes, so that a message that comes twice is once.
"""

from __future__ import annotations

from dataclasses import replace

from inspector.service.model.records import is_over
from inspector.service.model.rows import Actor, AnswerRow, RequestRow, RequestStatus, TransitionRow
from inspector.service.sessions.state import SECOND_NS

EXPIRY_GRACE_NS = 5 * SECOND_NS
"""Time for the agent to report the expiry of its request itself."""
MAX_TRANSITIONS = 50
"""Limit of the stored transitions of a request: the first and the latest ones."""

SERVICE = Actor("inspector", "service")
"""The actor of transitions that happen because time has passed."""
_OVER = frozenset({RequestStatus.ANSWERED, RequestStatus.EXPIRED, RequestStatus.WITHDRAWN})


def opened(fresh: RequestRow, now_ns: int, actor: Actor) -> RequestRow:
    """Return a new request."""
    return _moved(fresh, RequestStatus.PENDING, now_ns, actor)


def reopened(row: RequestRow, fresh: RequestRow, now_ns: int, actor: Actor) -> RequestRow | None:
    """Return the request, pending again because the agent reports that it still waits.

    Args:
        row: As it is known.
        fresh: As the agent reports it now.
        now_ns: The service's clock.
        actor: The agent.
    """
    is_wanted = row.status in (RequestStatus.LOST, RequestStatus.EXPIRED)
    is_late = fresh.expires_ns is not None and fresh.expires_ns <= now_ns
    if not is_wanted or is_final(row) or is_late:
        return None
    shown = replace(
        row,
        args_json=fresh.args_json,
        args_text=fresh.args_text,
        args_hash=fresh.args_hash,
        expires_ns=fresh.expires_ns,
        answer=None,
    )
    return _moved(shown, RequestStatus.PENDING, now_ns, actor)


def answered(row: RequestRow, answer: AnswerRow) -> RequestRow:
    """Return the request with its first valid answer, which the agent has not applied yet."""
    actor = Actor(answer.actor, answer.origin)
    with_answer = replace(row, answer=answer)
    return _moved(with_answer, RequestStatus.ANSWERED, answer.at_ns, actor, answer.reason)


def acknowledged(
    row: RequestRow, seq: int, *, applied: bool, reason: str | None, now_ns: int, actor: Actor
) -> RequestRow | None:
    """Return the request after the agent applied or refused its answer; None: no change.

    One that it could not apply leaves the request open, as it is for the agent.
    """
    answer = row.answer
    if answer is None or answer.command_seq != seq or answer.applied is not None:
        return None
    judged = replace(row, answer=replace(answer, applied=applied, applied_reason=reason))
    if applied:
        return _blanked(judged)
    if row.status is not RequestStatus.ANSWERED:
        return judged
    why = f"The agent rejected the answer of {answer.actor}: {reason or 'no reason given'}"
    return _moved(replace(row, answer=None), RequestStatus.PENDING, now_ns, actor, why)


def closed(
    row: RequestRow, status: RequestStatus, reason: str | None, now_ns: int, actor: Actor
) -> RequestRow | None:
    """Return the request with the final status that the agent reports; None: no change."""
    if is_final(row):
        return None
    answer = row.answer
    if answer is not None:
        was_applied = status is RequestStatus.ANSWERED
        why = None if was_applied else f"The agent had closed it: {status.value}"
        answer = replace(answer, applied=was_applied, applied_reason=why)
    judged = replace(row, answer=answer)
    if row.status is status is RequestStatus.ANSWERED:
        return _blanked(judged)
    return _moved(judged, status, now_ns, actor, reason)


def lost(row: RequestRow, now_ns: int, actor: Actor, reason: str) -> RequestRow | None:
    """Return the request after its process was lost."""
    return _abandoned(row, RequestStatus.LOST, now_ns, actor, reason)


def expired(row: RequestRow, now_ns: int) -> RequestRow | None:
    """Return the request as expired, if its time is over without a report; None: no change."""
    if row.expires_ns is None or now_ns < row.expires_ns + EXPIRY_GRACE_NS:
        return None
    reason = "It timed out without a report of the agent"
    return _abandoned(row, RequestStatus.EXPIRED, now_ns, SERVICE, reason)


def is_final(row: RequestRow) -> bool:
    """Return whether the agent has reported the end of a request."""
    if row.answer is not None and row.answer.applied:
        return True
    return row.status in _OVER and row.transitions[-1].origin == "agent"


def _abandoned(
    row: RequestRow, status: RequestStatus, now_ns: int, actor: Actor, reason: str
) -> RequestRow | None:
    if is_over(row):
        return None
    answer = row.answer and replace(row.answer, applied=False, applied_reason=reason)
    return _moved(replace(row, answer=answer), status, now_ns, actor, reason)


def _moved(
    row: RequestRow, status: RequestStatus, now_ns: int, actor: Actor, reason: str | None = None
) -> RequestRow:
    transition = TransitionRow(status, now_ns, actor.actor, actor.origin, reason)
    first, last = row.transitions[:1], row.transitions[1:]
    moved = replace(
        row,
        status=status,
        closed_ns=None if status is RequestStatus.PENDING else now_ns,
        transitions=(*first, *last[-(MAX_TRANSITIONS - 2) :], transition),
    )
    return _blanked(moved) if is_over(moved) else moved


def _blanked(row: RequestRow) -> RequestRow:
    """Return a closed request without its arguments, unless `keeps_args` is set."""
    return row if row.keeps_args else replace(row, args_json=None, args_text=None)
