"""The HTTP JSON of the MCP log: messages between MCP clients and servers in a session."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from inspector.service.wire import Payload, Wire
from inspector.service.wire.base import QualifiedId

MAX_TEXT_CHARS = 400
"""Limit of a message in the log; `GET /sessions/{id}/mcp/frame` returns it complete."""
MAX_NAME_CHARS = 300


class McpFault(Wire):
    """The reason of a failure."""

    kind: Literal["rpc", "tool", "cancelled", "failed"] = Field(
        description="`rpc`: a JSON-RPC error; `tool`: a result with `isError`; `failed`: no "
        "response, or one that the client could not use."
    )
    code: str | None
    message: str | None


class McpAsk(Wire):
    """An item requested by an input-required result, or the answer to it."""

    key: str
    method: str | None
    text: str | None = Field(description="The question, or its outcome.")


class McpProgress(Wire):
    """The progress of a call."""

    value: float | None
    total: float | None
    percent: float | None
    message: str | None


class McpEntry(Wire):
    """A line of the log: half an exchange, or an event of a connection.

    A span of an exchange yields a `request` and, once ended, a `response` with the same `exchange`.
    Messages recorded on the wire (`docs/formats.md`) have none: join them by `connection`,
    direction and `rpc_id`.
    """

    key: str = Field(description="Stable id of the entry, across repeated reports.")
    type: Literal["request", "response", "notification", "transport", "stderr", "asked", "answered"]
    source: Literal["span", "record"]
    offset_ns: int
    trace_id: str | None
    span_id: str | None
    exchange: str | None = Field(description="`TRACE.SPAN` of the span that reports both halves.")
    duplicate_of: str | None = Field(
        description="`TRACE.SPAN` of another report of the same exchange."
    )
    reporter: Literal["sender", "receiver"] | None = Field(
        description="The reporting side: sender or receiver of the request."
    )
    direction: Literal["to_server", "to_client"] | None
    method: str | None
    target: str | None = Field(description="The tool, prompt or resource.")
    rpc_id: str | None = Field(description="JSON text where the message was captured.")
    connection: str | None
    server: str | None
    server_version: str | None
    transport: str | None
    protocol_version: str | None
    size_bytes: int | None
    text: str | None = Field(description="The start of the message, as captured.")
    is_whole: bool = Field(description="Whether `text` is complete.")
    form: Literal["message", "content"] | None = Field(
        description="`message`: as on the wire; `content`: the arguments or the result alone."
    )
    fault: McpFault | None
    result_type: str | None = Field(description="`resultType` of 2026-07-28: `input_required`, …")
    state_hash: str | None = Field(description="Stands for `requestState`; the same in all rounds.")
    progress_token: str | None = Field(description="JSON text.")
    about_id: str | None = Field(description="JSON text of the id that a cancellation names.")
    asks: list[McpAsk] = Field(description="Questions of an input-required result.")
    answers: list[McpAsk] = Field(description="Answers sent with the next round.")
    progress: McpProgress | None
    state: str | None = Field(
        description="State of the exchange (`running`, `lost`, …), or of the connection"
        " (`connected`, `disconnected`, `reconnecting`, `failed`)."
    )
    step: str | None = Field(
        description="Step of a connection: `spawn`, `initialize`, `discover`, …"
    )
    attempt: int | None


class McpLog(Wire):
    """`GET /sessions/{id}/mcp`: a part of the log; not in order, since exchanges overlap."""

    session_id: QualifiedId
    epoch_ns: str
    entries: list[McpEntry]
    next_cursor: str | None
    change: int = Field(description="Pass it as `since` to get later entries.")
    is_gap: bool = Field(description="Too many changes since: read the whole log again.")


class McpFrame(Wire):
    """`GET /sessions/{id}/mcp/frame`: one complete message."""

    key: str
    body: Payload | None
    headers: Payload | None = Field(description="Headers of HTTP, if captured.")
