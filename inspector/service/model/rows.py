"""The rows shared by everything above the store: pure, frozen, no I/O.

Three shapes, three owners: OTLP messages (`otlp/`) become rows (here), rows become HTTP JSON
(`wire`). Times are Unix nanoseconds; ids are lower-case hex strings.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, TypeAlias

Json: TypeAlias = bool | int | float | str | list[Any] | dict[str, Any] | None


class SpanKind(StrEnum):
    """Kind of a span, read from its attributes (never from the OTLP kind)."""

    AGENT = "agent"
    LLM = "llm"
    TOOL = "tool"
    WORKFLOW = "workflow"
    STEP = "step"
    MCP = "mcp"
    RESOURCE = "resource"
    PROMPT = "prompt"
    RETRIEVAL = "retrieval"
    EMBEDDING = "embedding"
    MEMORY = "memory"
    GUARDRAIL = "guardrail"
    DATABASE = "database"
    MESSAGING = "messaging"
    HTTP = "http"
    OTHER = "other"


UNTOLD_MESSAGE = "The sender reports a failure without a reason."
"""Message of an error of which nothing else is known."""


class SpanStatus(StrEnum):
    """`running` and `lost` are ours; the rest is the OTLP status, `cancelled` split from error."""

    RUNNING = "running"
    UNSET = "unset"
    OK = "ok"
    ERROR = "error"
    CANCELLED = "cancelled"
    LOST = "lost"


class SessionStatus(StrEnum):
    """Status of a session, in order of precedence: the first that applies is shown."""

    WAITING = "waiting"
    PAUSED = "paused"
    RUNNING = "running"
    LOST = "lost"
    FAILED = "failed"
    CANCELLED = "cancelled"
    COMPLETED = "completed"


class Engine(StrEnum):
    """Engine that executes the session."""

    ASYNCIO = "asyncio"
    TEMPORAL = "temporal"
    INBOUND = "inbound"
    OTLP = "otlp"


@dataclass(frozen=True, slots=True)
class SpanRow:
    """One line of the waterfall. `offset_ns` counts from the session's `epoch_ns`."""

    session_id: str
    trace_id: str
    span_id: str
    parent_span_id: str | None
    name: str
    kind: SpanKind
    status: SpanStatus
    offset_ns: int
    duration_ns: int | None
    wait_ns: int = 0
    waits: int = 0
    waited: tuple[tuple[int, int | None], ...] = ()
    """(offset, duration) of each wait, by start; no duration: it is not over."""
    model: str | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    cost_usd: float | None = None
    size_bytes: int = 0
    duplicate_of: str | None = None
    subject: str | None = None
    """The tool that it calls, or the agent that runs."""
    service: str | None = None
    """The service that sent it."""
    stall_start_ns: int | None = None
    """From its start to its longest stall; while it runs, to the newest chunk of its answer."""
    stall_ns: int | None = None
    change: int = 0
    """The change that brought this version."""


@dataclass(frozen=True, slots=True)
class SessionRow:
    """One line of the session list. Counters are of leaves only (usage) or of all spans."""

    id: str
    title: str
    status: SessionStatus
    engine: Engine
    epoch_ns: int
    started_ns: int
    ended_ns: int | None
    waiting_ns: int = 0
    waiting_since_ns: int | None = None
    paused_since_ns: int | None = None
    """Start of an operator's pause; None unless the session is `paused`."""
    silent_since_ns: int | None = None
    """Last arrival of its telemetry, if the session counts as running only for lack of an end."""
    idle_ns: int = 0
    """Time between its start and its end in which nothing of it ran: pauses between its runs."""
    idle_since_ns: int | None = None
    """Start of the current idle time, beyond `idle_ns`; None if something runs, or it ended."""
    span_count: int = 0
    error_count: int = 0
    llm_calls: int = 0
    tool_calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float | None = None
    models: tuple[str, ...] = ()
    services: tuple[str, ...] = ()
    agents: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    users: tuple[str, ...] = ()
    """Whom it worked for, by the ids that its senders give."""
    has_mcp: bool = True
    """Whether any of it may be about MCP; of a session stored before this was noted, it may."""
    dropped_count: int = 0
    """Attributes, events and links that a sender's SDK dropped: data the user cannot see."""
    cause: str | None = None
    """What failed first, on one line. Only of a session that is over, as `answer`."""
    cause_key: str | None = None
    """The same for causes that differ in ids, numbers and paths alone."""
    cause_span: str | None = None
    """Trace and span id of the cause, with a dot between; None in stores of before."""
    answer: str | None = None
    """The last answer of a model, on one line; None if there is a cause."""

    def duration_ns(self, now_ns: int) -> int:
        """Return the time in which anything of the session ran, up to now."""
        until_ns = self.idle_since_ns if self.ended_ns is None else self.ended_ns
        until_ns = now_ns if until_ns is None else until_ns
        return max(until_ns - self.started_ns - self.idle_ns, 0)


@dataclass(frozen=True, slots=True)
class Moment:
    """A log record stored with its span: progress, a pause, a decision, a state snapshot."""

    session_id: str
    trace_id: str
    span_id: str | None
    time_ns: int
    name: str
    attributes: Mapping[str, Json] = field(default_factory=dict)
    body: Json = None


# --- control ----------------------------------------------------------------------------------


class RequestStatus(StrEnum):
    """Status of a request. The agent has the last word; `expired` and `lost` may be guesses."""

    PENDING = "pending"
    ANSWERED = "answered"
    EXPIRED = "expired"
    WITHDRAWN = "withdrawn"
    LOST = "lost"


@dataclass(frozen=True, slots=True)
class Actor:
    """The person or program behind an action, its channel and its address."""

    actor: str
    origin: str
    """One of `wire.control.Origin`."""
    address: str | None = None


@dataclass(frozen=True, slots=True)
class TransitionRow:
    """A change of a request's status."""

    status: RequestStatus
    at_ns: int
    actor: str
    origin: str
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class AnswerRow:
    """The answer that won; its content is in the command that carries it."""

    decision: str
    actor: str
    origin: str
    at_ns: int
    reason: str | None
    is_edited: bool
    command_seq: int
    applied: bool | None = None
    """None: the agent has not reported yet."""
    applied_reason: str | None = None


@dataclass(frozen=True, slots=True)
class RequestRow:
    """A request of an agent to a person."""

    id: str
    session_id: str
    trace_id: str | None
    span_id: str | None
    process_id: str
    kind: str
    status: RequestStatus
    hook: str | None
    interceptor: str | None
    tool_name: str | None
    prompt: str
    options: tuple[str, ...]
    args_json: str | None
    args_text: str | None
    args_hash: str | None
    form_json: str | None
    signal_name: str | None
    default: str
    can_always: bool
    keeps_args: bool
    """Its arguments stay when the request closes."""
    created_ns: int
    expires_ns: int | None = None
    closed_ns: int | None = None
    answer: AnswerRow | None = None
    transitions: tuple[TransitionRow, ...] = ()


@dataclass(frozen=True, slots=True)
class RequestSubject:
    """What a request is about, in short."""

    tool_name: str | None
    prompt: str
    """Its beginning."""
    session_id: str


@dataclass(frozen=True, slots=True)
class CommandRow:
    """A command to a process, sent until the process acknowledges it."""

    seq: int
    """A change number: it grows, and none is used twice."""
    process_id: str
    type: str
    session_id: str
    trace_ids: tuple[str, ...]
    actor: str
    origin: str
    issued_ns: int
    reason: str | None = None
    request_id: str | None = None
    decision: str | None = None
    args_json: str | None = None
    args_hash: str | None = None
    signal_name: str | None = None
    payload_json: str | None = None


@dataclass(frozen=True, slots=True)
class ProcessRow:
    """An agent that follows its commands."""

    id: str
    name: str
    pid: int
    host: str


@dataclass(frozen=True, slots=True)
class AuditRow:
    """One action of control, or an attempt at one. Never changed once written."""

    at_ns: int
    actor: str
    origin: str
    address: str | None
    action: str
    result: str
    """`accepted`, `applied`, `not_applied` or `refused`."""
    request_id: str | None = None
    session_id: str | None = None
    process_id: str | None = None
    code: str | None = None
    detail: str | None = None
    decision: str | None = None
    args_hash: str | None = None
    tool_name: str | None = None
    is_edited: bool = False
    """The answer has other arguments than the request."""
    id: int = 0
    """Change number, set by the commit."""
