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
from inspector.service.wire.base import Body, Integer, QualifiedId
from inspector.service.wire.sessions import Positioned, Searched

MAX_ACTOR_CHARS = 80
"""Limit of the name of an actor."""

MAX_ARGS_CHARS = 1024 * 1024
"""Longer arguments are shown cut, and can be allowed or denied, but not edited."""

Kind = Literal["approval", "question", "breakpoint"]
RequestStatus = Literal["pending", "answered", "expired", "withdrawn", "lost"]
AnswerDecision = Literal["allow", "allow_always", "deny", "answer", "decline", "cancel"]
"""`answer`, `decline` and `cancel` are for questions; `allow` resumes a breakpoint."""
Origin = Literal["browser", "cli", "api", "mcp", "agent", "service"]
AuditResult = Literal["accepted", "applied", "not_applied", "refused"]
"""Channel of an action; `service`: a timeout of the service."""
CommandType = Literal["answer", "cancel", "pause", "resume", "step", "signal"]
Verb = Literal["cancel", "pause", "resume", "step"]

MessageId = Annotated[str, Field(min_length=1, max_length=100)]
RequestId = Annotated[str, Field(min_length=1, max_length=200)]


class Transition(Wire):
    """A change of a request's status, with time and actor."""

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
        description="Whether the agent applied the answer; null: not reported yet."
    )
    applied_reason: str | None = Field(None, description="Why the agent did not apply the answer.")


class Request(Wire):
    """A request of an agent to a person."""

    id: QualifiedId
    session_id: QualifiedId
    session_title: str
    trace_id: str | None
    span_id: str | None
    process_id: str
    kind: Kind
    status: RequestStatus
    hook: str | None
    interceptor: str | None = Field(description="The interceptor that asks.")
    tool_name: str | None
    prompt: str
    options: list[str]
    args_json: str | None = Field(
        description="The complete arguments as JSON text; null if they are not JSON or too long, "
        "and once the request is closed."
    )
    args_text: str | None = Field(description="Rendering of arguments that have no `args_json`.")
    args_hash: str | None = Field(
        description="SHA-256 (hex) of the arguments' UTF-8; required in an answer."
    )
    form_json: str | None = Field(description="JSON Schema of a question's form, as text.")
    signal_name: str | None
    default: str = Field(description="Decision on timeout: allow or deny.")
    can_always: bool = Field(
        description="`allow_always` covers later requests of this interceptor in this session."
    )
    created_at: str
    expires_at: str | None
    closed_at: str | None
    answer: GivenAnswer | None
    transitions: list[Transition]


class RequestList(Searched, Positioned):
    """A page of requests, newest first."""

    requests: list[Request]
    pending_count: int = Field(description="Number of pending requests of all sessions.")
    next_cursor: str | None
    as_of: str = Field(description="Change-feed position: pass it to `/events?after=`.")


class Answer(Body):
    """`POST /requests/{id}`: the answer of a person."""

    decision: AnswerDecision
    args_hash: str | None = Field(
        None,
        max_length=64,
        description="Hash of the shown arguments; required if the request has any.",
    )
    args_json: str | None = Field(
        None, max_length=4 * MAX_ARGS_CHARS, description="Edited arguments, as JSON text."
    )
    payload_json: str | None = Field(
        None, max_length=MAX_ARGS_CHARS, description="The answer to a question, as JSON text."
    )
    reason: str | None = Field(None, max_length=4000)


class AnswerResult(Wire):
    """The winning answer. `applied` is null until the agent has replied."""

    request: Request
    applied: bool | None
    message: str


class VerbBody(Body):
    """The reason to pause, resume, step or cancel a session."""

    reason: str | None = Field(None, max_length=4000)


class VerbResult(Wire):
    """The outcome of a verb."""

    session_id: QualifiedId
    verb: Verb | Literal["signal"]
    processes: int = Field(
        description="Number of processes that received the command; 0: none is connected."
    )
    applied: bool | None = Field(description="Null: not all processes have replied.")
    message: str


class Listener(Wire):
    """A connected process that takes commands."""

    id: str
    name: str


class Listeners(Wire):
    """The processes that a verb for a session goes to, at most a hundred."""

    processes: list[Listener]


class Signal(Body):
    """`POST /signal/{session_id}`: answers the pending question, or goes to the agent."""

    signal_name: str = Field(min_length=1, max_length=200)
    payload_json: str | None = Field(None, max_length=MAX_ARGS_CHARS)
    reason: str | None = Field(None, max_length=4000)


# --- the agent's side of the channel ----------------------------------------------------------


class ProcessHello(Body):
    """`PUT /processes/{id}`: registers an agent; the id is its `service.instance.id`."""

    name: str = Field(max_length=200)
    pid: Integer = Field(ge=0, le=2**32 - 1)
    host: str = Field(max_length=255)


class ProcessWelcome(Wire):
    """The intervals at which the process must report."""

    heartbeat_s: float
    lost_after_s: float
    now_ns: str = Field(description="The service's clock.")


class OpenedRequest(Body):
    """A request as the agent opens it; reopening an id reclaims a lost request."""

    id: RequestId
    session_id: str | None = Field(
        max_length=256, description="The agent's name for the session; null: that of the trace."
    )
    trace_id: str | None = Field(pattern="^[0-9a-f]{32}$")
    span_id: str | None = Field(
        pattern="^[0-9a-f]{16}$", description="The span of the waiting operation."
    )
    kind: Kind
    hook: str | None = Field(max_length=200, description="Such as `before_tool_call`.")
    interceptor: str | None = Field(max_length=200, description="The interceptor that asks.")
    tool_name: str | None = Field(max_length=500)
    prompt: str = Field(max_length=64 * 1024)
    options: list[Annotated[str, Field(max_length=200)]] = Field(
        max_length=50, description="Suggested answers, if any."
    )
    args_json: str | None = Field(
        max_length=MAX_ARGS_CHARS,
        description="The complete arguments as exact JSON text; null: not representable.",
    )
    args_text: str | None = Field(
        max_length=MAX_ARGS_CHARS, description="Rendering of arguments that have no `args_json`."
    )
    args_hash: str | None = Field(
        max_length=64,
        description="SHA-256 (hex) of the arguments' UTF-8; null: no arguments.",
    )
    form_json: str | None = Field(
        max_length=MAX_ARGS_CHARS, description="JSON Schema of a question's form, as text."
    )
    signal_name: str | None = Field(
        max_length=200,
        description="Signal name with which `POST /signal/{session_id}` answers a question.",
    )
    default: str = Field(max_length=50, description="Decision on timeout.")
    can_always: bool = Field(description="Whether `allow_always` is possible.")
    age_ms: float = Field(ge=0, description="Time since the request opened, by the agent's clock.")
    expires_in_ms: float | None = Field(description="From now on; null: never.")
    keeps_args: bool = Field(description="Whether `args_json` is kept when the request closes.")


class HeartbeatMessage(Body):
    """The process is alive."""

    type: Literal["heartbeat"]
    id: MessageId


class GoodbyeMessage(Body):
    """The process ends, which closes its open requests."""

    type: Literal["goodbye"]
    id: MessageId


class RequestOpenedMessage(Body):
    """A request to a person opened."""

    type: Literal["request_opened"]
    id: MessageId
    request: OpenedRequest


class RequestClosedMessage(Body):
    """The agent closed a request, with the effective decision."""

    type: Literal["request_closed"]
    id: MessageId
    request_id: RequestId
    status: Literal["answered", "expired", "withdrawn"]
    decision: str | None = Field(
        max_length=50, description="The effective decision; the default of an expired request."
    )
    reason: str | None = Field(max_length=4000)


class AckMessage(Body):
    """Outcome of a command, which is not sent again."""

    type: Literal["ack"]
    id: MessageId
    # Up to here a limit is the same number to whoever reads the contract's as a float.
    seq: Integer = Field(ge=1, le=2**53 - 1)
    applied: bool = Field(description="False for an answer: the request waits for another one.")
    reason: str | None = Field(max_length=4000, description="For people.")


AgentMessage = Annotated[
    HeartbeatMessage | GoodbyeMessage | RequestOpenedMessage | RequestClosedMessage | AckMessage,
    Field(discriminator="type"),
]


class AgentMessages(Body):
    """`POST /processes/{id}/messages`: in order, de-duplicated by id."""

    messages: list[AgentMessage] = Field(min_length=1, max_length=1000)


class AgentMessagesReply(Wire):
    """The durably stored messages."""

    received: list[str] = Field(description="Ids of the messages.")


class CommandAnswer(Wire):
    """An answer sent to the agent, which decides whether to apply it."""

    request_id: str
    decision: AnswerDecision
    args_json: str | None = Field(
        description="Edited arguments, as typed JSON text; null: unchanged."
    )
    args_hash: str | None = Field(description="Hash of the shown arguments.")
    payload_json: str | None = Field(description="The answer to a question, as JSON text.")


class Command(Wire):
    """`GET /processes/{id}/commands` (SSE, `id:` is `seq`): repeated until acknowledged."""

    seq: int = Field(description="Increases per process.")
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
    """A control action, or an attempt at one. Entries never change."""

    id: int
    at: str
    actor: str
    origin: Origin
    address: str | None = Field(description="Address of the client, if known.")
    action: str = Field(description="`answer`, a verb, `signal`, `request_opened`, and so on.")
    request_id: QualifiedId | None
    session_id: QualifiedId | None
    process_id: str | None
    result: AuditResult
    code: str | None = Field(description="The problem's `code`, if it was rejected.")
    detail: str | None
    decision: str | None
    args_hash: str | None
    is_edited: bool = Field(description="The answer has edited arguments.")
    tool_name: str | None = Field(description="The tool of the request.")
    question: str | None = Field(
        description="The start of the request's prompt; null without one, and when the session is "
        "deleted."
    )
    session_title: str | None = Field(
        description="Current title; null when the session is deleted."
    )


class AuditLog(Searched, Positioned):
    """A page of the audit log, newest first. It may be short without being the last."""

    entries: list[AuditEntry]
    next_cursor: str | None


# --- the stream -------------------------------------------------------------------------------


class ApprovalRequested(StreamMessage):
    """An approval or a breakpoint opened or reopened; the complete row."""

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
    """The telemetry reports that the session continues, or a question is no longer pending."""

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
    | wire.LeftOut
    | wire.Gap,
    Field(discriminator="type"),
]
