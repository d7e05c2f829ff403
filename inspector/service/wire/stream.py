"""The messages of the stream (`GET /events`)."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, JsonValue

from inspector.service.wire.base import QualifiedId, Wire, optional
from inspector.service.wire.service import StoreHealth
from inspector.service.wire.sessions import Session
from inspector.service.wire.spans import SpanRow


class StreamMessage(Wire):
    """Fields of every message of the stream."""

    time: str = Field(description="RFC 3339: when the change was committed.")
    session_id: QualifiedId


class SessionMessage(StreamMessage):
    """The complete row of a session."""

    session: Session
    fits: bool = Field(
        default=True,
        description="False: with `q`, this version is not in the list.",
        json_schema_extra=optional,
    )


class SessionStarted(SessionMessage):
    """A new session."""

    type: Literal["SessionStarted"] = "SessionStarted"


class SessionUpdated(SessionMessage):
    """A session changed; with its complete row."""

    type: Literal["SessionUpdated"] = "SessionUpdated"
    moved_from: QualifiedId | None = Field(
        default=None,
        description="A trace moved here from this session; the old id responds with 308.",
    )
    moved_change: int | None = Field(
        default=None,
        description="Change number of the move: older rows of `moved_from` that are not read with "
        "it again are gone.",
    )


class SessionFinished(SessionMessage):
    """A session ended. New spans may make it run again."""

    type: Literal["SessionFinished"] = "SessionFinished"


class SessionDeleted(StreamMessage):
    """A session was deleted, or merged into another."""

    type: Literal["SessionDeleted"] = "SessionDeleted"
    moved_to: QualifiedId | None = None
    change: int = Field(
        description="Change number of the deletion: rows of the session that are older are gone."
    )


class SpanStarted(StreamMessage):
    """A span started."""

    type: Literal["SpanStarted"] = "SpanStarted"
    span: SpanRow


class SpanUpdated(StreamMessage):
    """The complete row of a span that still runs, or was re-classified."""

    type: Literal["SpanUpdated"] = "SpanUpdated"
    span: SpanRow


class SpanEnded(StreamMessage):
    """A span ended."""

    type: Literal["SpanEnded"] = "SpanEnded"
    span: SpanRow


class MomentMessage(StreamMessage):
    """A moment on a span; the type names it."""

    trace_id: str
    span_id: str | None
    name: str
    attributes: dict[str, JsonValue]


class DecisionMade(MomentMessage):
    """A hook, a policy or a person decided."""

    type: Literal["DecisionMade"] = "DecisionMade"


class ProgressUpdate(MomentMessage):
    """An operation reports progress."""

    type: Literal["ProgressUpdate"] = "ProgressUpdate"


class ResourceFetched(StreamMessage):
    """A resource was read; sent beside the span's `SpanEnded`."""

    type: Literal["ResourceFetched"] = "ResourceFetched"
    span: SpanRow


class PromptUsed(StreamMessage):
    """A prompt was applied; sent beside the span's `SpanEnded`."""

    type: Literal["PromptUsed"] = "PromptUsed"
    span: SpanRow


class Heartbeat(Wire):
    """Keep-alive, every 10 s at the latest and whenever the store's health changes."""

    type: Literal["Heartbeat"] = "Heartbeat"
    time: str
    now_ns: str = Field(description="The service's clock.")
    store: StoreHealth


class Gap(Wire):
    """The reader's position is unknown: reload the lists."""

    type: Literal["Gap"] = "Gap"
    time: str
    reload: Literal[True] = True


class LeftOut(Wire):
    """With `q` or `rows`: rows of the list were left out, above 200 a second; read it again."""

    type: Literal["LeftOut"] = "LeftOut"
    time: str
    count: int = Field(description="Number of rows that were left out.")
    through: str = Field(description="Position up to which rows were left out, as `as_of`.")
