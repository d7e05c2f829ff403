"""Control of running sessions: pause, resume, step, cancel, and signals."""

from __future__ import annotations

from fastapi import APIRouter, Request
from starlette.responses import Response

from inspector.service.http.caller import doer_of
from inspector.service.http.controlled import (
    ACK_TIMEOUT_S,
    ControlledRoute,
    dispatch_of,
    problem_of,
    run_control,
)
from inspector.service.http.sessions import MOVED, elsewhere
from inspector.service.ingest.requests.answering import ProposedAnswer, Refusal
from inspector.service.ingest.requests.control_plane import (
    CommandsSent,
    ControlPlane,
    WinningAnswer,
)
from inspector.service.ingest.unit_of_work import UnitOfWork
from inspector.service.model.records import CommandEnd
from inspector.service.storage.base import Store
from inspector.service.wire import control as wire_control

router = APIRouter(tags=["control"], route_class=ControlledRoute)


@router.post(
    "/sessions/{session_id:path}/pause",
    name="pause",
    response_model=wire_control.VerbResult,
    responses=MOVED,
)
async def pause_session(
    request: Request, session_id: str, body: wire_control.VerbBody | None = None
) -> Response:
    """Let the session hold at its next operation."""
    return await _tell(request, session_id, "pause", body)


@router.post(
    "/sessions/{session_id:path}/resume",
    name="resume",
    response_model=wire_control.VerbResult,
    responses=MOVED,
)
async def resume_session(
    request: Request, session_id: str, body: wire_control.VerbBody | None = None
) -> Response:
    """Let a session that holds go on."""
    return await _tell(request, session_id, "resume", body)


@router.post(
    "/sessions/{session_id:path}/step",
    name="step",
    response_model=wire_control.VerbResult,
    responses=MOVED,
)
async def step_session(
    request: Request, session_id: str, body: wire_control.VerbBody | None = None
) -> Response:
    """Let a session that holds do one operation, and hold again."""
    return await _tell(request, session_id, "step", body)


@router.post(
    "/sessions/{session_id:path}/cancel",
    name="cancel",
    response_model=wire_control.VerbResult,
    responses=MOVED,
)
async def cancel_session(
    request: Request, session_id: str, body: wire_control.VerbBody | None = None
) -> Response:
    """Let the session stop at its next operation."""
    return await _tell(request, session_id, "cancel", body)


@router.post(
    "/cancel/{session_id:path}",
    name="cancel_alias",
    response_model=wire_control.VerbResult,
    responses=MOVED,
)
async def cancel(
    request: Request, session_id: str, body: wire_control.VerbBody | None = None
) -> Response:
    """Do as `POST /sessions/{id}/cancel`."""
    return await _tell(request, session_id, "cancel", body)


@router.post(
    "/signal/{session_id:path}",
    name="signal",
    response_model=wire_control.VerbResult,
    responses=MOVED,
)
async def signal_session(request: Request, session_id: str, body: wire_control.Signal) -> Response:
    """Send a signal: it answers the oldest question that waits for it, else it is passed on."""
    doer, dispatch = doer_of(request), dispatch_of(request)

    def act(unit: UnitOfWork, control: ControlPlane) -> CommandsSent | Refusal:
        row = control.question_of(unit, session_id, body.signal_name)
        if row is None:
            outcome: CommandsSent | Refusal = control.signal(
                unit, session_id, body.signal_name, body.payload_json, doer, body.reason
            )
        else:
            payload = "null" if body.payload_json is None else body.payload_json
            given = ProposedAnswer("answer", row.args_hash, None, payload, body.reason)
            answered = control.answer(unit, row.id, given, doer)
            outcome = answered if isinstance(answered, Refusal) else _told(answered)
        if isinstance(outcome, CommandsSent):
            dispatch.expect(outcome.seqs)
        return outcome

    return await _report(request, session_id, "signal", await run_control(request, act))


async def _tell(
    request: Request,
    session_id: str,
    verb: wire_control.Verb,
    body: wire_control.VerbBody | None,
) -> Response:
    doer, dispatch = doer_of(request), dispatch_of(request)
    reason = body.reason if body else None

    def act(unit: UnitOfWork, control: ControlPlane) -> CommandsSent | Refusal:
        outcome = control.tell(unit, session_id, verb, doer, reason=reason)
        if isinstance(outcome, CommandsSent):
            dispatch.expect(outcome.seqs)
        return outcome

    return await _report(request, session_id, verb, await run_control(request, act))


async def _report(
    request: Request, session_id: str, verb: str, outcome: CommandsSent | Refusal
) -> Response:
    if isinstance(outcome, Refusal):
        if outcome.code != "session_not_found":
            raise problem_of(outcome)
        store: Store = request.app.state.store
        with store.read() as reader:
            return elsewhere(request, reader, session_id, verb)
    ends = await dispatch_of(request).ends_of(outcome.seqs, ACK_TIMEOUT_S)
    result = wire_control.VerbResult.model_validate(
        {
            "session_id": session_id,
            "verb": verb,
            "processes": len(outcome.seqs),
            "applied": _applied(outcome, ends),
            "message": _message(outcome, ends),
        }
    )
    return Response(result.model_dump_json(), media_type="application/json")


def _told(accepted: WinningAnswer) -> CommandsSent:
    return CommandsSent(accepted.row.session_id, (accepted.seq,))


def _applied(told: CommandsSent, ends: list[CommandEnd]) -> bool | None:
    if not told.seqs or any(not end.applied for end in ends):
        return False
    return True if len(ends) == len(told.seqs) else None


def _message(told: CommandsSent, ends: list[CommandEnd]) -> str:
    if not told.seqs:
        return "Nothing of this session runs here, so nobody was told."
    refused = [end for end in ends if not end.applied]
    if refused:
        return f"It was not carried out: {refused[0].reason or 'no reason was given'}."
    if len(ends) < len(told.seqs):
        return "It is on its way; not every process has been heard from yet."
    return "It was carried out."
