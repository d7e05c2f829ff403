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
        unit: Of which commit it is part.
        actor: Who did it.
        action: What.
        outcome: What became of it.
        request: That it is about; the rest is for what is about none.
        answer: The proposed answer.
        request_id: Of a request that is not there.
        session_id: Likewise.
        process_id: Likewise.
        decision: What was decided, without `answer`.
        detail: What else there is to say; of a refusal its own words by default.
        result: Of a refusal.
    """
    refusal = outcome if isinstance(outcome, Refusal) else None
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
            decision=answer.decision if answer else decision,
            args_hash=answer.args_hash if answer else request.args_hash if request else None,
        )
    )
