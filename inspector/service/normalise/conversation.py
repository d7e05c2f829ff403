"""The content of a span, field by field, each from the first convention that has it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

import orjson
from opentelemetry.proto.logs.v1.logs_pb2 import LogRecord
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from inspector.service.model.nesting import parse
from inspector.service.model.otlp_values import flat_attributes, json_value
from inspector.service.model.rows import Json, Moment, SpanKind
from inspector.service.normalise.conventions import Convention, SpanSource, first_found
from inspector.service.normalise.conventions.genai_events import DETAILS, INPUT_EVENTS
from inspector.service.normalise.finish_reasons import finish_reason
from inspector.service.normalise.messages import messages_of
from inspector.service.wire import Message, TextPart

# Values that are a conversation, or text that begins one, in order of precedence.
_WHOLE = (
    "gen_ai.input.messages",
    "mcp.llm.prompt_json",
    "ai.prompt.messages",
    "ai.prompt",
    "pydantic_ai.all_messages",
    "all_messages_events",
    "events",
    "message.content",
    "gen_ai.prompt",
    "genkit:input",
)
_ARGUMENTS = ("input.value", "traceloop.entity.input")
"""Arguments of a function, which may hold messages that others have written out."""
_FLATTENED = (
    "llm.input_messages.{}.message.role",
    "llm.input_messages.{}.message.content",
    "llm.input_messages.{}.message.contents.0.message_content.text",
    "llm.input_messages.{}.message.contents.0.message_content.type",
    "gen_ai.prompt.{}.role",
    "gen_ai.prompt.{}.content",
)
_TITLE_MESSAGES = 8
_FLATTENED_KEYS = frozenset(key.format(n) for key in _FLATTENED for n in range(_TITLE_MESSAGES))
INPUT_KEYS = frozenset({*_WHOLE, *_ARGUMENTS, *_FLATTENED_KEYS})
"""Keys of the text of a title; of messages written leaf by leaf only the first few are read."""
_TITLE_EVENTS = 8
_TITLE_BYTES = 64 * 1024
_INSTRUCTING = ("system", "developer")


def conversation(source: SpanSource) -> list[Message]:
    """Return the messages of a span: system, then input, then output.

    A tool has none: its arguments and result are in its own part of the view.
    """
    if source.kind is SpanKind.TOOL:
        return []
    system = first_found(source, lambda convention: convention.system) or []
    sent = first_found(source, lambda convention: convention.input) or []
    answered = answers(source)
    sent = _hoist(system, sent)
    reasons = stopped_because(source)
    if len(reasons) == len(answered):
        for message, reason in zip(answered, reasons, strict=True):
            message.finish_reason = message.finish_reason or finish_reason(reason)
    return [*system, *sent, *answered]


def answers(source: SpanSource) -> list[Message]:
    """Return the messages that a model answered with."""
    # LiteLLM's proxy writes an empty message, and the calls of tools leaf by leaf.
    return first_found(source, _output_with_parts) or first_found(source, _output) or []


def _output(convention: Convention) -> Callable[[SpanSource], list[Message] | None]:
    return convention.output


def _output_with_parts(convention: Convention) -> Callable[[SpanSource], list[Message]]:
    def read(source: SpanSource) -> list[Message]:
        found = convention.output(source)
        return found if found and any(message.parts for message in found) else []

    return read


def stopped_because(source: SpanSource) -> list[str]:
    """Return the finish reason of an LLM call, as the sender wrote it."""
    reasons = first_found(source, lambda convention: convention.finish_reasons)
    if reasons is not None:
        return reasons
    answered = first_found(source, _output) or []
    return [message.finish_reason for message in answered if message.finish_reason]


def first_user_text(
    attributes: Mapping[str, Json], events: Sequence[Span.Event] = ()
) -> str | None:
    """Return the first text a user wrote, for a session's title.

    Cheap: this runs on ingest. `attributes` need no more than `INPUT_KEYS`; of a conversation and
    of `events` only the beginning is looked at.
    """
    if not INPUT_KEYS.isdisjoint(attributes):
        if found := _first_text(attributes, _WHOLE):
            return found
        if not _FLATTENED_KEYS.isdisjoint(attributes):
            return _first_user_text(SpanSource(attributes))
        if found := _first_text(attributes, _ARGUMENTS):
            return found
    if events and (moments := _asking(events)):
        return _first_user_text(SpanSource({}, moments=moments))
    return None


def _first_text(attributes: Mapping[str, Json], names: Iterable[str]) -> str | None:
    for name in names:
        if (value := attributes.get(name)) and (found := _user_text(_begun(value))):
            return found
    return None


def is_about_messages(name: str) -> bool:
    """Return whether events or log records of this name hold messages to a model."""
    return name in INPUT_EVENTS or name in DETAILS


def first_user_text_in_log(name: str, record: LogRecord) -> str | None:
    """Return the first text of a user among the messages of a log record."""
    if record.ByteSize() > _TITLE_BYTES:
        return None
    fields, body = flat_attributes(record.attributes), json_value(record.body)
    return _first_user_text(SpanSource({}, moments=[Moment("", "", None, 0, name, fields, body)]))


def _begun(value: Json) -> Iterator[Message]:
    """Yield the first messages of a conversation; none of JSON that is none."""
    if isinstance(value, str) and value[:1] in ("[", "{", '"'):
        is_quoted = value[:1] == '"'  # as somebody may begin to write
        try:
            value = parse(value, orjson.loads)
        except ValueError:
            if not is_quoted:
                return
    items = value if isinstance(value, list) else [value]
    for item in items[:_TITLE_MESSAGES]:
        yield from messages_of([item], "input", is_json=False)


def _first_user_text(source: SpanSource) -> str | None:
    return _user_text(first_found(source, lambda convention: convention.input) or [])


def _user_text(messages: Iterable[Message]) -> str | None:
    for message in messages:
        if message.role == "user":
            for part in message.parts:
                if isinstance(part, TextPart) and part.text.strip():
                    return part.text
    return None


def _asking(events: Sequence[Span.Event]) -> list[Moment]:
    return [
        Moment("", "", None, event.time_unix_nano, event.name, flat_attributes(event.attributes))
        for event in events[:_TITLE_EVENTS]
        if is_about_messages(event.name) and event.ByteSize() <= _TITLE_BYTES
    ]


def _hoist(system: list[Message], sent: list[Message]) -> list[Message]:
    """Move instructions at the beginning of the conversation to `system`; once."""
    count = next((n for n, m in enumerate(sent) if m.role not in _INSTRUCTING), len(sent))
    for message in sent[:count]:
        message.origin = "system"
        if all(message.parts != known.parts for known in system):
            system.append(message)
    return sent[count:]
