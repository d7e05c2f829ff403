"""Control of running sessions: pause, resume, step, cancel, and signals."""

from __future__ import annotations

import itertools
from collections.abc import Awaitable, Callable
from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import Response

from inspector.service.http.caller import caller_of
from inspector.service.http.control_route import ACK_TIMEOUT_S, ControlRoute, problem_of
from inspector.service.http.parts import Parts, PartsDep, ReadPartsDep
from inspector.service.http.sessions import MOVED, missing_session
from inspector.service.ingest.requests.answering import ProposedAnswer, Refusal
from inspector.service.ingest.requests.commands import targets
from inspector.service.ingest.requests.control_plane import CommandsSent, ControlPlane
from inspector.service.ingest.unit_of_work import UnitOfWork
from inspector.service.model.records import CommandEnd
from inspector.service.sessions.state import SessionState
from inspector.service.wire import control as wire_control

router = APIRouter(tags=["control"], route_class=ControlRoute)

_ANSWER: dict[str, Any] = {"response_model": wire_control.VerbResult, "responses": MOVED}
_MAX_LISTENERS = 100
"""Limit of the processes in an answer about who listens."""
_VERBS: tuple[tuple[str, wire_control.Verb, str, str], ...] = (
    ("pause", "pause", "/sessions/{session_id:path}/pause",
     "Pause a session at its next operation."),
    ("resume", "resume", "/sessions/{session_id:path}/resume",
     "Resume a paused session."),
    ("step", "step", "/sessions/{session_id:path}/step",
     "Run one operation of a paused session, and pause again."),
    ("cancel", "cancel", "/sessions/{session_id:path}/cancel",
     "Cancel a session: its running operations, and new ones until those have ended."),
    ("cancel_alias", "cancel", "/cancel/{session_id:path}",
     "Alias of `POST /sessions/{id}/cancel`."),
)  # fmt: skip
"""The routes without arguments of their own: name, verb, path, description."""


def _verb_route(verb: wire_control.Verb) -> Callable[..., Awaitable[Response]]:
    async def run_verb(
        request: Request,
        parts: PartsDep,
        session_id: str,
        body: wire_control.VerbBody | None = None,
    ) -> Response:
        caller, reason = caller_of(request, parts.access), body.reason if body else None

        def act(unit: UnitOfWork, control: ControlPlane) -> CommandsSent | Refusal:
            return control.send(unit, session_id, verb, caller, reason=reason)

        return await _run(request, parts, session_id, verb, act)

    return run_verb


for _name, _verb, _path, _description in _VERBS:
    router.add_api_route(
        _path, _verb_route(_verb), methods=["POST"], name=_name, description=_description, **_ANSWER
    )


@router.post("/signal/{session_id:path}", name="signal", **_ANSWER)
async def signal_session(
    request: Request, parts: PartsDep, session_id: str, body: wire_control.Signal
) -> Response:
    """Send a signal: answers the oldest question that waits for it, otherwise goes to the agent."""
    caller = caller_of(request, parts.access)

    def act(unit: UnitOfWork, control: ControlPlane) -> CommandsSent | Refusal:
        row = control.question_of(unit, session_id, body.signal_name)
        if row is None:
            return control.signal(
                unit, session_id, body.signal_name, body.payload_json, caller, body.reason
            )
        payload = "null" if body.payload_json is None else body.payload_json
        answer = ProposedAnswer("answer", row.args_hash, None, payload, body.reason)
        outcome = control.answer(unit, row.id, answer, caller)
        if isinstance(outcome, Refusal):
            return outcome
        return CommandsSent(outcome.row.session_id, (outcome.seq,))

    return await _run(request, parts, session_id, "signal", act)


@router.get(
    "/sessions/{session_id:path}/control",
    response_model=wire_control.Listeners,
    responses=MOVED,
)
def session_control(request: Request, parts: ReadPartsDep, session_id: str) -> Response:
    """List connected processes that take commands for a session; empty: nobody listens."""
    with parts.store.read() as reader:
        record = reader.session(session_id)
        if record is None:
            return missing_session(request, reader, session_id, "session_control")
        # A process is in the store for as long as it reports.
        processes = {one.id: one for one in reader.processes()}
        found = targets(
            SessionState.load(record.state),
            processes,
            reader.open_spans,
            reader.waiting_requests(),
        )
        listening = [processes[id_] for id_, _ in itertools.islice(found, _MAX_LISTENERS)]
    listeners = wire_control.Listeners(
        processes=[wire_control.Listener(id=one.id, name=one.name) for one in listening]
    )
    return Response(listeners.model_dump_json(), media_type="application/json")


async def _run(
    request: Request,
    parts: Parts,
    session_id: str,
    verb: str,
    act: Callable[[UnitOfWork, ControlPlane], CommandsSent | Refusal],
) -> Response:
    """Send the commands of `act`, and wait a moment for what the processes make of them."""

    def act_expecting(unit: UnitOfWork, control: ControlPlane) -> CommandsSent | Refusal:
        sent = act(unit, control)
        if isinstance(sent, CommandsSent):
            parts.dispatch.expect(sent.seqs)
        return sent

    sent = await parts.writer.run_control(act_expecting)
    if isinstance(sent, Refusal):
        if sent.code != "session_not_found":
            raise problem_of(sent)
        with parts.store.read() as reader:
            return missing_session(request, reader, session_id, verb)
    ends = await parts.dispatch.ends_of(sent.seqs, ACK_TIMEOUT_S)
    applied, message = _outcome(verb, sent, ends)
    result = wire_control.VerbResult.model_validate(
        {
            "session_id": session_id,
            "verb": verb,
            "processes": len(sent.seqs),
            "applied": applied,
            "message": message,
        }
    )
    return Response(result.model_dump_json(), media_type="application/json")


_DONE = {
    "pause": "Paused.",
    "resume": "Resumed.",
    "step": "Stepped.",
    "cancel": "Stopped.",
    "signal": "Signal received.",
}


def _outcome(verb: str, sent: CommandsSent, ends: list[CommandEnd]) -> tuple[bool | None, str]:
    """Return whether the commands were applied (None: unknown yet), and that in words."""
    if not sent.seqs:
        return False, "No running process of this session is connected. Nothing was sent."
    refused = [end for end in ends if not end.applied]
    if refused:
        return False, f"Failed: {refused[0].reason or 'no reason given'}."
    if len(ends) < len(sent.seqs):
        return None, "Sent, not yet acknowledged by every process."
    return True, _DONE.get(verb, "Done.")
