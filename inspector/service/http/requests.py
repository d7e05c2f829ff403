"""`/requests`: requests of agents to people, and the answers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from inspector.service.http.caller import caller_of
from inspector.service.http.control_route import ACK_TIMEOUT_S, ControlRoute, problem_of
from inspector.service.http.cursors import encode_cursor, request_cursor
from inspector.service.http.parts import PartsDep, ReadPartsDep
from inspector.service.http.queries import HasPositions
from inspector.service.ingest.requests.answering import ProposedAnswer, Refusal
from inspector.service.ingest.requests.control_plane import ControlPlane, WinningAnswer
from inspector.service.ingest.unit_of_work import UnitOfWork
from inspector.service.model.rows import RequestRow, RequestStatus
from inspector.service.present import rows as presenter
from inspector.service.storage.base import Reader
from inspector.service.wire import ListPosition
from inspector.service.wire import control as wire_control

router = APIRouter(tags=["control"], route_class=ControlRoute)


@router.get("/requests", response_model=wire_control.RequestList)
def list_requests(
    parts: ReadPartsDep,
    status: Annotated[RequestStatus | None, Query()] = None,
    session_id: Annotated[str | None, Query(max_length=1000)] = None,
    cursor: Annotated[str | None, Query(max_length=2000)] = None,
    limit: Annotated[int, Query(ge=1, le=1000)] = 100,
    positions: HasPositions = False,
) -> Response:
    """List requests, newest first. A page may be short if arguments are long."""
    with parts.store.read() as reader:
        page = reader.requests(status, session_id, request_cursor(cursor), limit)
        found = _presented(reader, [record.row for record in page.rows])
        pending_count, head = reader.pending_count(), reader.head
    body = wire_control.RequestList(
        requests=found,
        pending_count=pending_count,
        next_cursor=encode_cursor(*page.next) if page.next else None,
        as_of=parts.feed.position(head),
        positions=[
            ListPosition(value=row.created_ns, cursor=encode_cursor(row.created_ns, row.id))
            for row in (record.row for record in page.rows)
        ]
        if positions
        else None,
    )
    # Straight to bytes: FastAPI would check every row once more.
    return Response(body.model_dump_json(), media_type="application/json")


@router.get("/requests/{request_id:path}")
def get_request(parts: ReadPartsDep, request_id: str) -> wire_control.Request:
    """Return one request."""
    with parts.store.read() as reader:
        record = reader.request(request_id)
        if record is None:
            raise problem_of(Refusal("no_such_request", "No request has this id."))
        return _presented(reader, [record.row])[0]


@router.post("/requests/{request_id:path}", name="answer")
async def answer_request(
    request: Request, parts: PartsDep, request_id: str, body: wire_control.Answer
) -> wire_control.AnswerResult:
    """Answer a request. The first answer wins; the agent decides whether to apply it.

    Errors: `already_answered` and `already_closed` (409), `wrong_hash`, `wrong_decision`,
    `not_editable` and `bad_json` (422). The winning answer is durable before it is sent.
    """
    proposed, caller = ProposedAnswer(**body.model_dump()), caller_of(request, parts.access)

    def answer(unit: UnitOfWork, control: ControlPlane) -> WinningAnswer | Refusal:
        outcome = control.answer(unit, request_id, proposed, caller)
        if isinstance(outcome, WinningAnswer):
            parts.dispatch.expect([outcome.seq])
        return outcome

    outcome = await parts.writer.run_control(answer)
    if isinstance(outcome, Refusal):
        raise problem_of(outcome)
    ends = await parts.dispatch.ends_of([outcome.seq], ACK_TIMEOUT_S)
    applied = ends[0].applied if ends else None
    message = "Sent, not yet acknowledged by the agent."
    if ends:
        why = ends[0].reason or "no reason given"
        message = "Received by the agent." if applied else f"Rejected by the agent: {why}."
    with parts.store.read() as reader:
        record = reader.request(request_id)
        row = record.row if record else outcome.row
        return wire_control.AnswerResult(
            request=_presented(reader, [row])[0], applied=applied, message=message
        )


def _presented(reader: Reader, rows: Sequence[RequestRow]) -> list[wire_control.Request]:
    sessions = reader.sessions({row.session_id for row in rows})
    titles = {record.row.id: record.row.title for record in sessions}
    return [presenter.request(row, titles.get(row.session_id, "")) for row in rows]
