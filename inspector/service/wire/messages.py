"""Messages and their parts, and the values in them."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from inspector.service.wire.base import Wire, optional


class Payload(Wire):
    """A value as text: JSON text is never parsed, so `9007199254740993` survives."""

    text: str
    is_json: bool
    is_truncated: bool = False
    original_bytes: int | None = Field(default=None, description="Size before truncation.")


class TextPart(Wire):
    """Plain text."""

    type: Literal["text"] = "text"
    text: str
    parse_error: bool = Field(
        default=False, description="Meant as JSON, but invalid: shown as received."
    )
    is_refusal: bool = Field(
        default=False, description="The model refuses.", json_schema_extra=optional
    )


class ReasoningPart(Wire):
    """Reasoning of a model before its answer."""

    type: Literal["reasoning"] = "reasoning"
    text: str


class ToolCallPart(Wire):
    """A tool call that the model requests."""

    type: Literal["tool_call"] = "tool_call"
    id: str | None
    name: str
    arguments: Payload | None


class ToolResultPart(Wire):
    """The result of a tool call."""

    type: Literal["tool_result"] = "tool_result"
    id: str | None
    result: Payload | None


class BlobPart(Wire):
    """Inline media, base64."""

    type: Literal["blob"] = "blob"
    modality: str | None
    mime_type: str | None
    data: str | None = Field(description="Base64; null when only its size was captured.")
    size_bytes: int | None = None
    name: str | None = Field(
        default=None, description="Name of the file.", json_schema_extra=optional
    )


class LinkPart(Wire):
    """Media somewhere else: shown as text, never fetched."""

    type: Literal["link"] = "link"
    modality: str | None
    mime_type: str | None
    uri: str
    name: str | None = Field(
        default=None, description="Name of the file.", json_schema_extra=optional
    )


class OtherPart(Wire):
    """A part of an unknown type, unchanged."""

    type: Literal["other"] = "other"
    part_type: str
    value: Payload


Part = Annotated[
    TextPart | ReasoningPart | ToolCallPart | ToolResultPart | BlobPart | LinkPart | OtherPart,
    Field(discriminator="type"),
]


class Message(Wire):
    """A message of a conversation."""

    role: str = Field(description="system, user, assistant, tool, or the sender's own role.")
    origin: Literal["system", "input", "output"]
    name: str | None = None
    finish_reason: str | None = None
    parts: list[Part]


class ToolDefinition(Wire):
    """A tool that was offered to the model."""

    name: str
    description: str | None
    parameters: Payload | None
