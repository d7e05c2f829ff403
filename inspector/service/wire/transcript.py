"""The HTTP JSON of a transcript: readings of spans, short enough to read many in sequence.

An LLM call re-sends its conversation each turn; its reading has only what is new. Texts are
clipped, with their true length; the whole is in the span (`GET /spans/{trace_id}/{span_id}`).
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from inspector.service.model.rows import SpanStatus
from inspector.service.wire import TextSoFar, Wire
from inspector.service.wire.base import QualifiedId


class Clip(Wire):
    """The start of a text."""

    text: str
    chars: int = Field(description="Length of the whole text, as received.")
    is_json: bool = False
    is_truncated: bool = Field(default=False, description="The sender truncated it.")


class Piece(Wire):
    """A part of a message, clipped."""

    type: Literal["text", "reasoning", "tool_call", "tool_result", "blob", "link", "other"]
    at: tuple[int, int] = Field(
        description="Index of the message in the span's `view.messages`, and of the part in it."
    )
    clip: Clip | None = Field(description="The text, arguments, result or value.")
    id: str | None = Field(default=None, description="Id of the tool call.")
    name: str | None = Field(default=None, description="Name of the tool, or of an unknown type.")
    modality: str | None = None
    mime_type: str | None = None
    uri: str | None = None
    data: str | None = Field(default=None, description="Base64; null if missing or large.")
    size_bytes: int | None = None


class Said(Wire):
    """A message, clipped."""

    role: str
    origin: Literal["system", "input", "output"]
    name: str | None
    finish_reason: str | None
    pieces: list[Piece]


class Rewritten(Wire):
    """How the conversation sent differs from the previous one, if it does not extend it.

    Counts messages sent to the previous call, without instructions. `kept` is 0 if the history was
    replaced, or it is another conversation.
    """

    gone: int
    kept: int


class ToolReading(Wire):
    """The arguments and the result of a tool call."""

    name: str
    call_id: str | None
    arguments: Clip | None
    result: Clip | None
    is_error: bool


class McpReading(Wire):
    """An MCP exchange."""

    method: str
    server: str | None
    resource_uri: str | None
    prompt_name: str | None
    request: Clip | None
    response: Clip | None


class ErrorReading(Wire):
    """The error of a span."""

    type: str | None
    code: str | None
    message: Clip | None


class DecisionReading(Wire):
    """A decision of a hook, a policy or a person, other than plain consent."""

    offset_ns: int
    hook: str | None
    interceptor: str | None
    action: str
    reason: str | None
    before: Clip | None
    after: Clip | None


class StateReading(Wire):
    """The agent's state at a moment, or how it changed."""

    offset_ns: int
    name: str
    description: str | None
    value: Clip | None
    patch: Clip | None


class AskedReading(Wire):
    """A wait for a person: the question and its outcome."""

    id: QualifiedId | None = Field(description="Id of the request; null for a pause.")
    kind: str
    prompt: str | None
    offset_ns: int
    waited_ns: int | None = Field(description="Null while it waits.")
    status: str = Field(description="Status of the request; `pending` or `answered` for a pause.")
    decision: str | None
    actor: str | None
    reason: str | None
    is_edited: bool
    answer: Clip | None = Field(description="The answer to a question; JSON.")


class ProgressReading(Wire):
    """The last progress report of an operation."""

    offset_ns: int
    percent: float | None
    message: str | None


class Reading(Wire):
    """The transcript of one span."""

    trace_id: str
    span_id: str
    status: SpanStatus
    said: list[Said] = Field(description="New messages since the previous call, then the output.")
    repeated: int = Field(
        description="Number of messages already in the previous call or its output."
    )
    left_out: int = Field(
        description="Number of earlier new messages, omitted from `said` by its limit."
    )
    rewritten: Rewritten | None
    model: str | None
    finish_reasons: list[str]
    first_chunk_ms: float | None
    tools_offered: int
    tool: ToolReading | None
    mcp: McpReading | None
    error: ErrorReading | None
    decisions: list[DecisionReading]
    assents: int = Field(description="Number of decisions that only continue.")
    state: list[StateReading]
    asked: list[AskedReading]
    progress: ProgressReading | None
    so_far: TextSoFar | None
    truncated: list[str] = Field(description="Attributes that the sender truncated.")


class Transcript(Wire):
    """Readings of the requested spans, in the order of the request."""

    session_id: QualifiedId
    readings: Annotated[list[Reading], Field(description="Without unknown spans.")]
    left_out: list[str] = Field(
        description="Requested spans that did not fit into the response: request them again."
    )
    as_of: str = Field(description="Change-feed position.")
