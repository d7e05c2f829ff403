"""The HTTP JSON of the MCP log: messages between MCP clients and servers in a session."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from inspector.service.wire import Payload, Wire

MAX_TEXT_CHARS = 400
"""Limit of a message in the log; `GET /sessions/{id}/mcp/frame` has the whole."""
MAX_NAME_CHARS = 300


class McpFault(Wire):
    """The reason of a failure."""

    kind: Literal["rpc", "tool", "cancelled", "failed"] = Field(
        description="`rpc`: a JSON-RPC error came back; `tool`: a result with `isError`;"
        " `failed`: no answer came, or the client could not use it."
    )
    code: str | None
    message: str | None


class McpAsk(Wire):
    """An item that an input-required result asks for, or the answer to it."""

    key: str
    method: str | None
    text: str | None = Field(description="The question, or what was done with it.")


class McpProgress(Wire):
    """The progress of a call."""

    value: float | None
    total: float | None
    percent: float | None
    message: str | None


class McpEntry(Wire):
    """A line of the log: half an exchange, or an event of a connection.

    A span that tells of an exchange gives a `request` and, once it ended, a `response` of the same
    `exchange`. Messages recorded on the wire (`docs/formats.md`) have none: whoever reads joins
    them by `connection`, direction and `rpc_id`.
    """

    key: str = Field(description="The same for the same thing, however often it is told.")
    type: Literal["request", "response", "notification", "transport", "stderr", "asked", "answered"]
    source: Literal["span", "record"]
    offset_ns: int
    trace_id: str | None
    span_id: str | None
    exchange: str | None = Field(description="`TRACE.SPAN` of the span that tells of both halves.")
    duplicate_of: str | None = Field(description="`TRACE.SPAN` that tells of the same exchange.")
    reporter: Literal["sender", "receiver"] | None = Field(
        description="Who told: the side that sent the request, or the one that got it."
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
    text: str | None = Field(description="The beginning of the message, as it was captured.")
    is_whole: bool = Field(description="`text` is all of it.")
    form: Literal["message", "content"] | None = Field(
        description="`message`: as on the wire; `content`: the arguments or the result alone."
    )
    fault: McpFault | None
    result_type: str | None = Field(description="`resultType` of 2026-07-28: `input_required`, …")
    state_hash: str | None = Field(description="Stands for `requestState`: rounds have the same.")
    progress_token: str | None = Field(description="JSON text.")
    about_id: str | None = Field(description="JSON text of the id that a cancellation names.")
    asks: list[McpAsk] = Field(description="Questions of an input-required result.")
    answers: list[McpAsk] = Field(description="Answers that go back with the next round.")
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
    """`GET /sessions/{id}/mcp`: a part of the log; not in order, since things end after others."""

    session_id: str
    epoch_ns: str
    entries: list[McpEntry]
    next_cursor: str | None
    change: int = Field(description="Ask with `since` this for what came later.")
    is_gap: bool = Field(description="Too much came since: read all anew.")


class McpFrame(Wire):
    """`GET /sessions/{id}/mcp/frame`: one message, whole."""

    key: str
    body: Payload | None
    headers: Payload | None = Field(description="Headers of HTTP, if captured.")
