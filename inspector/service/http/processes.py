"""`/processes`: agents register, open and close requests, and receive commands."""

from __future__ import annotations

from time import time_ns
from typing import Annotated, Any

from fastapi import APIRouter, Query

from inspector.service.http.control_route import ControlRoute, problem_of
from inspector.service.http.events import HEADERS, EventStream
from inspector.service.http.parts import PartsDep
from inspector.service.ingest.requests.answering import Refusal
from inspector.service.ingest.requests.control_plane import ControlPlane
from inspector.service.ingest.unit_of_work import UnitOfWork
from inspector.service.model.records import MAX_INT
from inspector.service.model.rows import CommandRow, ProcessRow, RequestRow, RequestStatus
from inspector.service.present import rows as presenter
from inspector.service.sessions.processes import LOST_AFTER_NS
from inspector.service.sessions.state import SECOND_NS
from inspector.service.wire import control as wire_control

router = APIRouter(tags=["agents"], route_class=ControlRoute)

HEARTBEAT_S = 5.0
_MS = 1_000_000
_MAX_AGE_MS = 366 * 86_400_000.0
_UNKNOWN = Refusal(
    "no_such_process",
    "This process is not registered, or was lost. Register it (`PUT /processes/{id}`), and reopen "
    "its open requests.",
)
_COMMANDS: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "Unacknowledged commands, oldest first; then live.",
        "content": {
            "text/event-stream": {
                "itemSchema": {
                    "type": "object",
                    "properties": {
                        "id": {"type": "string", "description": "The command's `seq`."},
                        "data": {
                            "type": "string",
                            "contentMediaType": "application/json",
                            "contentSchema": {"$ref": "#/components/schemas/Command"},
                        },
                    },
                    "required": ["data"],
                }
            }
        },
    }
}


@router.post("/processes/{process_id:path}/messages", name="messages")
async def receive_messages(
    parts: PartsDep, process_id: str, body: wire_control.AgentMessages
) -> wire_control.AgentMessagesReply:
    """Receive messages of an agent, in order; idempotent, and durable once answered.

    `received` omits requests beyond the limit of open ones: send them again.
    """

    def receive(unit: UnitOfWork, control: ControlPlane) -> list[str] | Refusal:
        process = control.mark_alive(unit, process_id)
        if process is None:
            return _UNKNOWN
        return [one.id for one in body.messages if _receive(unit, control, process, one)]

    received = await parts.writer.run_control(receive)
    if isinstance(received, Refusal):
        raise problem_of(received)
    return wire_control.AgentMessagesReply(received=received)


@router.get(
    "/processes/{process_id:path}/commands", response_class=EventStream, responses=_COMMANDS
)
def follow_commands(
    parts: PartsDep,
    process_id: str,
    after: Annotated[int, Query(ge=0, le=MAX_INT, description="The last `seq` handled.")] = 0,
) -> EventStream:
    """Stream the commands of a process; each is repeated until it is acknowledged.

    A new stream replaces the previous one. A comment every 5 s keeps it alive.
    """
    with parts.store.read() as reader:
        if reader.process(process_id) is None:
            raise problem_of(_UNKNOWN)
    return EventStream(parts.dispatch.follow(process_id, after, command_text), headers=HEADERS)


# Behind the two above: an id may be any path.
@router.put("/processes/{process_id:path}", name="hello")
async def register_process(
    parts: PartsDep, process_id: str, body: wire_control.ProcessHello
) -> wire_control.ProcessWelcome:
    """Register a process. Its id is the `service.instance.id` of its telemetry."""
    if not 0 < len(process_id) <= 200:
        raise problem_of(Refusal("bad_process_id", "The id must be 1 to 200 characters long."))
    process = ProcessRow(process_id, body.name, body.pid, body.host)
    refusal = await parts.writer.run_control(lambda unit, control: control.hello(unit, process))
    if refusal is not None:
        raise problem_of(refusal)
    return wire_control.ProcessWelcome(
        heartbeat_s=HEARTBEAT_S, lost_after_s=LOST_AFTER_NS / SECOND_NS, now_ns=str(time_ns())
    )


def command_text(row: CommandRow) -> str:
    """Return the JSON of a command's event."""
    return presenter.command(row).model_dump_json()


def _receive(
    unit: UnitOfWork, control: ControlPlane, process: ProcessRow, message: wire_control.AgentMessage
) -> bool:
    """Act on a message; return False if it has to be sent again."""
    match message:
        case wire_control.RequestOpenedMessage():
            refusal = control.open(unit, process, _row(process.id, message.request, unit.now_ns))
            return refusal is None or refusal.code != "too_many_requests"
        case wire_control.RequestClosedMessage():
            status = RequestStatus(message.status)
            request_id, decision, reason = message.request_id, message.decision, message.reason
            control.close(unit, process, request_id, status, decision, reason)
        case wire_control.AckMessage():
            control.acknowledge(
                unit, process, message.seq, applied=message.applied, reason=message.reason
            )
        case wire_control.GoodbyeMessage():
            control.goodbye(unit, process)
        case wire_control.HeartbeatMessage():
            pass  # it marks the process as alive, as any message
    return True


def _row(process_id: str, opened: wire_control.OpenedRequest, now_ns: int) -> RequestRow:
    """Return the request by the service's clock: an agent sends durations, not times."""
    expires_ns = None
    if opened.expires_in_ms is not None:
        left_ms = max(-_MAX_AGE_MS, min(opened.expires_in_ms, _MAX_AGE_MS))
        expires_ns = now_ns + int(left_ms * _MS)
    same = opened.model_dump(exclude={"age_ms", "expires_in_ms", "session_id", "options"})
    return RequestRow(
        **same,
        session_id=opened.session_id or "",
        options=tuple(opened.options),
        process_id=process_id,
        status=RequestStatus.PENDING,
        created_ns=now_ns - int(min(opened.age_ms, _MAX_AGE_MS) * _MS),
        expires_ns=expires_ns,
    )
