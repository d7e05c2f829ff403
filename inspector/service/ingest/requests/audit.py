"""Build entries of the audit log, for actions of the control plane."""

from __future__ import annotations

from typing import Literal, TypeAlias

from inspector.service.ingest.requests.answering import ProposedAnswer, Refusal
from inspector.service.ingest.unit_of_work import UnitOfWork
from inspector.service.model.rows import Actor, AuditRow, RequestRow

Outcome: TypeAlias = Literal["accepted", "applied", "not_applied"]


def record_audit(
    unit: UnitOfWork,
    actor: Actor,
    action: str,
    outcome: Outcome | Refusal,
    *,
    request: RequestRow | None = None,
    answer: ProposedAnswer | None = None,
    request_id: str | None = None,
    session_id: str | None = None,
    process_id: str | None = None,
    decision: str | None = None,
    detail: str | None = None,
    result: str = "refused",
) -> None:
    """Write an entry of the audit log.

    Args:
        unit: The commit that it is part of.
        actor: The person or program that acted.
        action: The name of the action.
        outcome: The result, or the refusal.
        request: The request of the action; the ids below are for actions without one.
        answer: The proposed answer.
        request_id: Id of an unknown request.
        session_id: Id of the session.
        process_id: Id of the process.
        decision: The decision, without `answer`.
        detail: A text; default: the detail of the refusal.
        result: The result of a refusal.
    """
    refusal = outcome if isinstance(outcome, Refusal) else None
    decision = answer.decision if answer else decision
    if refusal and answer and request:
        is_edited = answer.is_edit_of(request)
    else:
        winner = request.answer if request and decision else None
        is_edited = winner is not None and winner.is_edited
    unit.put_audit(
        AuditRow(
            at_ns=unit.now_ns,
            actor=actor.actor,
            origin=actor.origin,
            address=actor.address,
            action=action,
            result=result if isinstance(outcome, Refusal) else outcome,
            request_id=request.id if request else request_id,
            session_id=request.session_id if request else session_id,
            process_id=request.process_id if request else process_id,
            code=refusal.code if refusal else None,
            detail=detail or (refusal.detail if refusal else None),
            decision=decision,
            args_hash=answer.args_hash if answer else request.args_hash if request else None,
            tool_name=request.tool_name if request else None,
            is_edited=is_edited,
        )
    )
