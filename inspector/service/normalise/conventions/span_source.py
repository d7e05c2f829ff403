"""The protocol of a convention: the span that it reads, and the fields that it may find."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import JsonValue

from inspector.service.model.rows import Json, Moment, SpanKind
from inspector.service.wire import Message, Payload, ToolDefinition


@dataclass(frozen=True, slots=True)
class SpanSource:
    """One span, as its sender wrote it."""

    attributes: Mapping[str, Json]
    name: str = ""
    kind: SpanKind = SpanKind.OTHER
    start_ns: int = 0
    moments: Sequence[Moment] = ()
    """Its events, and the log records that came with it, by time."""

    def get(self, *keys: str) -> Json:
        """Return the first of `keys` that has a value; 0 and False are values."""
        for key in keys:
            value = self.attributes.get(key)
            if value is not None and value != "" and value != []:
                return value
        return None

    def ms_until(self, name: str) -> float | None:
        """Return the time from the start to the first event of this name."""
        for moment in self.moments:
            if moment.name == name:
                return max(0, moment.time_ns - self.start_ns) / 1e6
        return None


def _nothing(source: SpanSource) -> Any:
    return None


@dataclass(frozen=True, slots=True)
class Convention:
    """The readers of one vocabulary. Fields that it does not have are left out."""

    name: str
    about: str
    """Its senders, for the documentation."""
    keys: tuple[str, ...]
    """The keys that it reads, for the documentation; `*` stands for any rest."""
    system: Callable[[SpanSource], list[Message] | None] = _nothing
    input: Callable[[SpanSource], list[Message] | None] = _nothing
    output: Callable[[SpanSource], list[Message] | None] = _nothing
    tools: Callable[[SpanSource], list[ToolDefinition] | None] = _nothing
    model_requested: Callable[[SpanSource], str | None] = _nothing
    request_params: Callable[[SpanSource], dict[str, JsonValue] | None] = _nothing
    finish_reasons: Callable[[SpanSource], list[str] | None] = _nothing
    first_chunk_ms: Callable[[SpanSource], float | None] = _nothing
    tool_arguments: Callable[[SpanSource], Payload | None] = _nothing
    tool_result: Callable[[SpanSource], Payload | None] = _nothing
    metadata: Callable[[SpanSource], dict[str, JsonValue] | None] = _nothing
