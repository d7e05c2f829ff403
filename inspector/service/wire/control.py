"""The HTTP JSON of control: requests, answers, commands, processes, the audit log.

Two doors share it. People (page, command line, MCP) read requests and answer them; agents open
and close them, and follow their commands. What is answered is bytes that were shown: arguments
and payloads travel as JSON *text* and are parsed by the agent only.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from inspector.service import wire
from inspector.service.wire import MomentMessage, StreamMessage, Wire
from inspector.service.wire.base import Body, Integer

MAX_ACTOR_CHARS = 80
"""Limit of the name of an actor."""

MAX_ARGS_CHARS = 1024 * 1024
"""Arguments above this are shown cut, and can be allowed or denied, not edited."""

Kind = Literal["approval", "question", "breakpoint"]
RequestStatus = Literal["pending", "answered", "expired", "withdrawn", "lost"]
AnswerDecision = Literal["allow", "allow_always", "deny", "answer", "decline", "cancel"]
"""`answer`, `decline` and `cancel` are for questions; a breakpoint is allowed to go on."""
Origin = Literal["browser", "cli", "api", "mcp", "agent", "service"]
AuditResult = Literal["accepted", "applied", "not_applied", "refused"]
"""Channel of an action; `service`: it happened because time passed."""
CommandType = Literal["answer", "cancel", "pause", "resume", "step", "signal"]
Verb = Literal["cancel", "pause", "resume", "step"]

MessageId = Annotated[str, Field(min_length=1, max_length=100)]
RequestId = Annotated[str, Field(min_length=1, max_length=200)]


class Transition(Wire):
    """A request changed its status: who did it, and when."""

    status: RequestStatus
    at: str = Field(description="RFC 3339, by the service's clock.")
    actor: str
    origin: Origin
    reason: str | None = None


class GivenAnswer(Wire):
    """The answer that won."""

    decision: AnswerDecision
    actor: str
    origin: Origin
    at: str
    reason: str | None = None
    is_edited: bool = Field(description="The arguments were edited; the trace has the difference.")
    applied: bool | None = Field(
        description="Whether the agent applied it; null: not reported yet."
    )
    applied_reason: str | None = Field(
        None, description="The reason that the agent did not apply it."
    )


class Request(Wire):
    """Something an agent waits for a person for."""

    id: str
    session_id: str
    session_title: str
    trace_id: str | None
    span_id: str | None
    process_id: str
    kind: Kind
    status: RequestStatus
    hook: str | None
    interceptor: str | None = Field(description="Who wants it asked.")
    tool_name: str | None
    prompt: str
    options: list[str]
    args_json: str | None = Field(
        description="The complete arguments as JSON text; null when they are no JSON or too long, "
        "and when the request has closed."
    )
    args_text: str | None = Field(description="Rendering of arguments without `args_json`.")
    args_hash: str | None = Field(
        description="SHA-256 (hex) of the arguments' UTF-8; an answer has to name it."
    )
    form_json: str | None = Field(description="JSON Schema of the form of a question, as text.")
    signal_name: str | None
    default: str = Field(description="Decision if nobody answers in time: allow or deny.")
    can_always: bool = Field(
        description="`allow_always` covers what this interceptor asks in this session."
    )
    created_at: str
    expires_at: str | None
    closed_at: str | None
    answer: GivenAnswer | None
    transitions: list[Transition]


class RequestList(Wire):
    """A page of requests, newest first."""

    requests: list[Request]
    pending_count: int = Field(description="Number of pending requests of all sessions.")
    next_cursor: str | None
    as_of: str = Field(description="Change-feed position: pass it to `/events?after=`.")


class Answer(Body):
    """`POST /requests/{id}`: what a person answers."""

    decision: AnswerDecision
    args_hash: str | None = Field(
        None, max_length=64, description="Hash of the shown arguments; required if there are any."
    )
    args_json: str | None = Field(
        None, max_length=4 * MAX_ARGS_CHARS, description="Edited arguments, as JSON text."
    )
    payload_json: str | None = Field(
        None, max_length=MAX_ARGS_CHARS, description="The answer to a question, as JSON text."
    )
    reason: str | None = Field(None, max_length=4000)


class AnswerResult(Wire):
    """The answer won. Whether the agent took it is `applied`, null while it is not connected."""

    request: Request
    applied: bool | None
    message: str


class VerbBody(Body):
    """The reason to pause, resume, step or cancel a session."""

    reason: str | None = Field(None, max_length=4000)


class VerbResult(Wire):
    """The outcome of a verb."""

    session_id: str
    verb: Verb | Literal["signal"]
    processes: int = Field(
        description="Number of processes that got the command; 0: none runs here."
    )
    applied: bool | None = Field(description="Null: not all have been heard from yet.")
    message: str


class Signal(Body):
    """`POST /signal/{session_id}`: answers the pending question of that name, else is passed on."""

    signal_name: str = Field(min_length=1, max_length=200)
    payload_json: str | None = Field(None, max_length=MAX_ARGS_CHARS)
    reason: str | None = Field(None, max_length=4000)


# --- the agent's side of the channel ----------------------------------------------------------


class ProcessHello(Body):
    """`PUT /processes/{id}`: an agent says who it is; the id is its `service.instance.id`."""

    name: str = Field(max_length=200)
    pid: Integer = Field(ge=0, le=2**32 - 1)
    host: str = Field(max_length=255)


class ProcessWelcome(Wire):
    """The intervals at which the process has to report."""

    heartbeat_s: float
    lost_after_s: float
    now_ns: str = Field(description="The service's clock.")


class OpenedRequest(Body):
    """A request as the agent opens it; opening the same id again reclaims a lost one."""

    id: RequestId
    session_id: str | None = Field(
        max_length=256, description="The agent's name for the session; null: that of the trace."
    )
    trace_id: str | None = Field(pattern="^[0-9a-f]{32}$")
    span_id: str | None = Field(
        pattern="^[0-9a-f]{16}$", description="The span of the operation that waits."
    )
    kind: Kind
    hook: str | None = Field(max_length=200, description="Such as `before_tool_call`.")
    interceptor: str | None = Field(max_length=200, description="Who wants it asked.")
    tool_name: str | None = Field(max_length=500)
    prompt: str = Field(max_length=64 * 1024)
    options: list[Annotated[str, Field(max_length=200)]] = Field(
        max_length=50, description="Answers to suggest, if there are any."
    )
    args_json: str | None = Field(
        max_length=MAX_ARGS_CHARS,
        description="The complete arguments as exact JSON text; null: they have none.",
    )
    args_text: str | None = Field(
        max_length=MAX_ARGS_CHARS, description="Rendering of arguments without `args_json`."
    )
    args_hash: str | None = Field(
        max_length=64,
        description="SHA-256 (hex) of the arguments' UTF-8; null: there are no arguments.",
    )
    form_json: str | None = Field(
        max_length=MAX_ARGS_CHARS, description="JSON Schema of the form of a question, as text."
    )
    signal_name: str | None = Field(
        max_length=200, description="Name by which `POST /signal/{session_id}` answers a question."
    )
    default: str = Field(max_length=50, description="Decision if nobody answers in time.")
    can_always: bool = Field(description="Whether `allow_always` is possible.")
    age_ms: float = Field(ge=0, description="Time since it was opened, by the agent's clock.")
    expires_in_ms: float | None = Field(description="From now on; null: never.")
    keeps_args: bool = Field(description="Whether `args_json` is kept when the request closes.")


class HeartbeatMessage(Body):
    """The process lives."""

    type: Literal["heartbeat"]
    id: MessageId


class GoodbyeMessage(Body):
    """The process ends, and its open requests with it."""

    type: Literal["goodbye"]
    id: MessageId


class RequestOpenedMessage(Body):
    """A request to a person was opened."""

    type: Literal["request_opened"]
    id: MessageId
    request: OpenedRequest


class RequestClosedMessage(Body):
    """A request was closed by the agent, with the decision that counts."""

    type: Literal["request_closed"]
    id: MessageId
    request_id: RequestId
    status: Literal["answered", "expired", "withdrawn"]
    decision: str | None = Field(
        max_length=50, description="The decision that counts; of an expired request its default."
    )
    reason: str | None = Field(max_length=4000)


class AckMessage(Body):
    """A command was carried out, or could not be; it is not sent again."""

    type: Literal["ack"]
    id: MessageId
    # Up to here a limit is the same number to whoever reads the contract's as a float.
    seq: Integer = Field(ge=1, le=2**53 - 1)
    applied: bool = Field(description="False of an answer: the request waits for another.")
    reason: str | None = Field(max_length=4000, description="For people.")


AgentMessage = Annotated[
    HeartbeatMessage | GoodbyeMessage | RequestOpenedMessage | RequestClosedMessage | AckMessage,
    Field(discriminator="type"),
]


class AgentMessages(Body):
    """`POST /processes/{id}/messages`: in order; each has an id, and twice is once."""

    messages: list[AgentMessage] = Field(min_length=1, max_length=1000)


class AgentMessagesReply(Wire):
    """The messages that are stored durably."""

    received: list[str] = Field(description="Ids of the messages.")


class CommandAnswer(Wire):
    """An answer on its way to the agent, which is the judge of it."""

    request_id: str
    decision: AnswerDecision
    args_json: str | None = Field(
        description="Edited arguments, as the JSON text that was typed; null: as they were."
    )
    args_hash: str | None = Field(description="Hash of the arguments that were shown.")
    payload_json: str | None = Field(description="The answer to a question, as JSON text.")


class Command(Wire):
    """`GET /processes/{id}/commands` (SSE, `id:` is `seq`): sent again until it is acknowledged."""

    seq: int = Field(description="Grows by process.")
    type: CommandType
    session_id: str
    trace_ids: list[str] = Field(description="Open traces of the session in this process.")
    answer: CommandAnswer | None
    signal_name: str | None
    payload_json: str | None
    reason: str | None
    actor: str
    origin: Origin
    issued_at: str


# --- the audit log ----------------------------------------------------------------------------


class AuditEntry(Wire):
    """One action of control, or an attempt at one. Entries are never changed."""

    id: int
    at: str
    actor: str
    origin: Origin
    address: str | None = Field(description="Address of the other end, if known.")
    action: str = Field(description="`answer`, a verb, `signal`, `request_opened`, and so on.")
    request_id: str | None
    session_id: str | None
    process_id: str | None
    result: AuditResult
    code: str | None = Field(description="The problem's `code`, if it was refused.")
    detail: str | None
    decision: str | None
    args_hash: str | None
    tool_name: str | None = Field(description="The tool that the request is about.")
    question: str | None = Field(
        description="The beginning of the request's prompt; null without one, and when the "
        "session is deleted."
    )
    session_title: str | None = Field(description="As it is now; null when the session is gone.")


class AuditLog(Wire):
    """A page of the audit log, newest first. It may be short without being the last."""

    entries: list[AuditEntry]
    next_cursor: str | None


# --- the stream -------------------------------------------------------------------------------


class ApprovalRequested(StreamMessage):
    """An approval or a breakpoint was opened, or opened again; the whole row."""

    type: Literal["ApprovalRequested"] = "ApprovalRequested"
    request: Request


class ApprovalResolved(StreamMessage):
    """An approval or a breakpoint is no longer pending."""

    type: Literal["ApprovalResolved"] = "ApprovalResolved"
    request: Request


class WaitingOnSignal(MomentMessage):
    """The telemetry reports a wait for a person, or a question was asked."""

    type: Literal["WaitingOnSignal"] = "WaitingOnSignal"
    request: Request | None = Field(None, description="The row of a question.")


class SignalReceived(MomentMessage):
    """The telemetry reports that the session goes on, or a question is no longer pending."""

    type: Literal["SignalReceived"] = "SignalReceived"
    request: Request | None = Field(None, description="The row of a question.")


StreamEvent = Annotated[
    wire.SessionStarted
    | wire.SessionUpdated
    | wire.SessionFinished
    | wire.SessionDeleted
    | wire.SpanStarted
    | wire.SpanUpdated
    | wire.SpanEnded
    | ApprovalRequested
    | ApprovalResolved
    | WaitingOnSignal
    | SignalReceived
    | wire.DecisionMade
    | wire.ProgressUpdate
    | wire.ResourceFetched
    | wire.PromptUsed
    | wire.Heartbeat
    | wire.Gap,
    Field(discriminator="type"),
]
