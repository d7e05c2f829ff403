"""The HTTP JSON of contexts: what each LLM call was sent."""

from __future__ import annotations

from typing import Literal, TypeAlias

from pydantic import Field

from inspector.service.wire.base import QualifiedId, Wire

PartName: TypeAlias = Literal["system", "tools", "history", "retrieved", "tool_results", "other"]


class ContextPart(Wire):
    """A part of a context, measured in characters."""

    part: PartName = Field(
        description="Instructions; tool definitions; messages and calls of users and models; "
        "retrieval results; tool results; the rest."
    )
    chars: int
    tokens: int | None = Field(
        description="Estimate: its share of the characters, applied to the reported input tokens. "
        "Null: none are reported."
    )
    repeated_chars: int = Field(description="Of texts that occur earlier in the context.")
    dropped_chars: int = Field(
        description="Of texts that were sent to the previous call, but not to this one."
    )


class CallContext(Wire):
    """The context of an LLM call, in total."""

    trace_id: str
    span_id: str
    agent: str | None = Field(description="The nearest agent above it.")
    offset_ns: int = Field(description="From the session's `epoch_ns`; may be negative.")
    model: str | None
    input_tokens: int | None
    cached_tokens: int | None = Field(
        description="Part of the input tokens; null: not reported, or more than these."
    )
    chars: int = Field(description="The sum of the parts.")
    media: int = Field(description="Number of images, sounds and files, which are not measured.")
    parts: list[ContextPart] = Field(description="Parts that are present or were dropped.")


class SessionContext(Wire):
    """The contexts of a session's LLM calls, by start."""

    session_id: QualifiedId
    as_of: str = Field(description="Change-feed position.")
    calls: list[CallContext] = Field(
        description="The first 1 000, up to 64 MB; without those of unknown content."
    )
    left_out: int = Field(description="Number of later calls, which were not read.")


class ContextPiece(Wire):
    """A text of a context."""

    part: PartName
    pointer: str = Field(description="JSON Pointer (RFC 6901) into the response for the span.")
    chars: int
    repeats: str | None = Field(description="JSON Pointer to the earlier occurrence of the text.")


class DroppedPiece(Wire):
    """A text that was sent to the previous call, but not to this one."""

    part: PartName
    chars: int
    beginning: str = Field(description="Its first 200 characters.")


class SpanContext(CallContext):
    """The context of one LLM call, text by text."""

    before: str | None = Field(
        description="`TRACE.SPAN` of the agent's previous call, which it is compared with."
    )
    pieces: list[ContextPiece] = Field(description="At most 2 000, in the order of the prompt.")
    dropped: list[DroppedPiece] = Field(description="At most 100.")
