"""The content of a span, independent of any convention."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, JsonValue

from inspector.service.wire.base import Wire
from inspector.service.wire.messages import Message, Payload, ToolDefinition


class ToolView(Wire):
    """A tool execution."""

    name: str
    call_id: str | None
    description: str | None
    arguments: Payload | None
    result: Payload | None
    is_error: bool


class TextSoFar(Wire):
    """The answer of an LLM call that still streams, or was lost; its end replaces this."""

    text: str = Field(description="The end of the text, without its last word.")
    chars: int = Field(description="Length of the text received so far.")


class LlmView(Wire):
    """An LLM call."""

    provider: str | None
    model_requested: str | None
    model_responded: str | None
    finish_reasons: list[str] = Field(
        description="stop, length, tool_call, content_filter, or the sender's own value."
    )
    finish_reasons_raw: list[str] = Field(description="As the sender wrote them.")
    time_to_first_chunk_ms: float | None
    request_params: dict[str, JsonValue]
    tools_offered: list[ToolDefinition]
    so_far: TextSoFar | None


class Usage(Wire):
    """Tokens that this span reports. Cached and reasoning tokens are subsets."""

    input_tokens: int | None
    output_tokens: int | None
    cache_read_tokens: int | None
    cache_write_tokens: int | None
    reasoning_tokens: int | None
    cost_usd: float | None
    cost_source: Literal["sender", "prices"] | None = Field(
        description="Source of the cost: the span itself, or the prices of `GET /prices`."
    )
    is_aggregate: bool = Field(
        description="A sum over descendants, on a span that does not call a model itself."
    )
    is_suspect: bool = Field(
        description="More cached than input tokens: the sender excludes them from its input."
    )


class StateChange(Wire):
    """A snapshot of the agent's state, or an RFC 6902 patch against the previous one."""

    name: str
    description: str | None
    time: str
    value: Payload | None
    patch: Payload | None


class Decision(Wire):
    """A decision of a hook, a policy or a person."""

    time: str
    hook: str | None
    interceptor: str | None
    action: str
    reason: str | None
    microseconds: float | None
    before: Payload | None
    after: Payload | None


class McpView(Wire):
    """An MCP exchange."""

    method: str
    request_id: str | None
    protocol_version: str | None
    transport: str | None
    server: str | None
    resource_uri: str | None
    mime_type: str | None
    size_bytes: int | None
    prompt_name: str | None
    request: Payload | None
    response: Payload | None


class ErrorView(Wire):
    """The error of a span, from its last exception event, or else its attributes and status."""

    type: str | None
    code: str | None = Field(
        description="The RPC or HTTP status code, or else `error.type` if it is not an exception's."
    )
    message: str | None
    status_message: str | None = Field(
        description="The message of the span's status, if it adds to type and message."
    )
    stacktrace: str | None


class View(Wire):
    """The content of a span, independent of the convention it was written in."""

    messages: list[Message]
    llm: LlmView | None
    tool: ToolView | None
    usage: Usage | None
    state: list[StateChange]
    decisions: list[Decision]
    mcp: McpView | None
    error: ErrorView | None
    user_id: str | None
    metadata: dict[str, JsonValue] = Field(description="Metadata from the application.")
    request: dict[str, JsonValue] = Field(
        description="Facts about an HTTP, database or messaging request, under OpenTelemetry's "
        "stable names."
    )
    truncated: list[str] = Field(description="Attributes that the sender truncated.")
