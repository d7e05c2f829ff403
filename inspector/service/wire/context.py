"""The HTTP JSON of contexts: what each LLM call was sent."""

from __future__ import annotations

from typing import Literal, TypeAlias

from pydantic import Field

from inspector.service.wire.base import Wire

PartName: TypeAlias = Literal["system", "tools", "history", "retrieved", "tool_results", "other"]


class ContextPart(Wire):
    """A part of a context, by the characters of its texts."""

    part: PartName = Field(
        description="Instructions; definitions of tools; what users and models wrote and called; "
        "what retrievals returned; results of tools; the rest."
    )
    chars: int
    tokens: int | None = Field(
        description="Estimated: the share of the reported input tokens that it has of the "
        "characters. Null: none are reported."
    )
    repeated_chars: int = Field(description="Of texts that stand in the context before.")
    dropped_chars: int = Field(
        description="Of texts that the call before was sent and this one was not."
    )


class CallContext(Wire):
    """What an LLM call was sent, in sum."""

    trace_id: str
    span_id: str
    agent: str | None = Field(description="The nearest agent above it.")
    offset_ns: int = Field(description="From the session's `epoch_ns`; may be negative.")
    model: str | None
    input_tokens: int | None
    cached_tokens: int | None = Field(
        description="Of the input tokens; null: not reported, or more than these."
    )
    chars: int = Field(description="The sum of the parts.")
    media: int = Field(description="Pictures, sound and files, which are not measured.")
    parts: list[ContextPart] = Field(description="Those that are there or were dropped.")


class SessionContext(Wire):
    """The contexts of a session's LLM calls, by start."""

    session_id: str
    as_of: str = Field(description="Change-feed position.")
    calls: list[CallContext] = Field(
        description="The first 1 000, up to 64 MB; without those of unknown content."
    )
    left_out: int = Field(description="Later calls, which were not read.")


class ContextPiece(Wire):
    """A text of a context."""

    part: PartName
    pointer: str = Field(
        description="Its place in the response about the span: a JSON Pointer (RFC 6901)."
    )
    chars: int
    repeats: str | None = Field(description="The place of the same text before it.")


class DroppedPiece(Wire):
    """A text that the call before was sent and this one was not."""

    part: PartName
    chars: int
    beginning: str = Field(description="Its first 200 characters.")


class SpanContext(CallContext):
    """What one LLM call was sent, text by text."""

    before: str | None = Field(
        description="`TRACE.SPAN` of the call before of the same agent, which it is compared with."
    )
    pieces: list[ContextPiece] = Field(description="At most 2 000, as a model reads them.")
    dropped: list[DroppedPiece] = Field(description="At most 100.")
