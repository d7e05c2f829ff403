"""The official GenAI conventions: messages as events, on the span or in log records."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from inspector.service.model.otlp_values import as_float, as_text
from inspector.service.model.rows import Json, Moment
from inspector.service.normalise.conventions.span_source import Convention, SpanSource
from inspector.service.normalise.finish_reasons import finish_reason
from inspector.service.normalise.messages import (
    Origin,
    load,
    load_parts,
    message_of,
    messages_of,
    system_of,
)
from inspector.service.normalise.parts import first, parts_of
from inspector.service.normalise.payload import payload
from inspector.service.normalise.tools import tool_definitions
from inspector.service.wire import Message, Payload, ToolDefinition

DETAILS = frozenset({"gen_ai.client.inference.operation.details", "event_details"})
CHOICE = "gen_ai.choice"
INPUT_EVENTS = frozenset(
    {
        "gen_ai.system.message",
        "gen_ai.user.message",
        "gen_ai.assistant.message",
        "gen_ai.tool.message",
    }
)
_PROMPT, _COMPLETION = "gen_ai.content.prompt", "gen_ai.content.completion"


def _fields(moment: Moment) -> Mapping[str, Any]:
    """Return an event's fields: its attributes, its body, or one attribute that holds them all."""
    body = moment.body if isinstance(moment.body, dict) else {}
    whole = load(moment.attributes.get("gen_ai.event.content"))
    return {**moment.attributes, **body, **(whole if isinstance(whole, dict) else {})}


def _details(source: SpanSource, key: str) -> Iterator[Json]:
    for moment in source.moments:
        if moment.name in DETAILS and (value := _fields(moment).get(key)):
            yield value


def _detailed(source: SpanSource, key: str, origin: Origin) -> list[Message]:
    """Return the messages of all details events: some senders write one for each message."""
    found: list[Message] = []
    for value in _details(source, key):
        messages = messages_of(value, origin)
        # A later event may repeat the whole conversation so far.
        found = messages if messages[: len(found)] == found else [*found, *messages]
    return found


def _details_system(source: SpanSource) -> list[Message]:
    return next((system_of(v) for v in _details(source, "gen_ai.system_instructions")), [])


def _details_tools(source: SpanSource) -> list[ToolDefinition]:
    found = _details(source, "gen_ai.tool.definitions")
    return next((tool_definitions(value) for value in found), [])


def _input(source: SpanSource) -> list[Message]:
    messages = [_input_message(moment) for moment in source.moments if moment.name in INPUT_EVENTS]
    return [message for message in messages if message.parts] or _whole(
        source, _PROMPT, "gen_ai.prompt", "input"
    )


def _input_message(moment: Moment) -> Message:
    fields = _fields(moment)
    content = load_parts(fields.get("content"))
    return message_of({"role": moment.name.split(".")[1], **fields, "content": content}, "input")


def _output(source: SpanSource) -> list[Message]:
    choices = (_choice(moment) for moment in source.moments if moment.name == CHOICE)
    return [message for choice in choices for message in choice if message.parts] or _whole(
        source, _COMPLETION, "gen_ai.completion", "output"
    )


def _choice(moment: Moment) -> list[Message]:
    fields = _fields(moment)
    content = load_parts(first(fields, "message", "content"))
    whole = load(content)
    if isinstance(whole, dict) and {"role", "content", "tool_calls"} & whole.keys():
        message = message_of({"role": "assistant", **whole}, "output")
    else:
        message = message_of(
            {"role": "assistant", **fields, "message": None, "content": content}, "output"
        )
    reason = as_text(fields.get("finish_reason"))
    message.finish_reason = finish_reason(reason) if reason else message.finish_reason
    # Strands says with the choice what the tools then answered.
    results = load_parts(fields.get("tool.result"))
    answered = Message(role="tool", origin="output", parts=parts_of(results))
    return [message, answered]


def _whole(source: SpanSource, event: str, key: str, origin: Origin) -> list[Message]:
    for moment in source.moments:
        if moment.name == event and (value := _fields(moment).get(key)):
            return messages_of(value, origin)
    return []


def _finish_reasons(source: SpanSource) -> list[str]:
    choices = (_fields(moment) for moment in source.moments if moment.name == CHOICE)
    return [reason for fields in choices if (reason := as_text(fields.get("finish_reason")))]


def _first_chunk_ms(source: SpanSource) -> float | None:
    reported_ms = as_float(source.get("gen_ai.server.time_to_first_token"))  # Strands, in ms
    return (
        reported_ms
        if reported_ms is not None
        else source.ms_until("gen_ai.content.completion.chunk")
    )


def _of_tool(source: SpanSource, event: str, key: str) -> Payload | None:
    found = (_fields(moment).get(key) for moment in source.moments if moment.name == event)
    return next((payload(value) for value in found if value is not None), None)


DETAILS_EVENTS = Convention(
    "GenAI details events",
    "OpenTelemetry's own instrumentations (log records), Strands in its latest mode (span events)",
    (
        "event gen_ai.client.inference.operation.details:"
        " gen_ai.system_instructions, gen_ai.input.messages, gen_ai.output.messages,"
        " gen_ai.tool.definitions",
    ),
    system=_details_system,
    input=lambda source: _detailed(source, "gen_ai.input.messages", "input"),
    output=lambda source: _detailed(source, "gen_ai.output.messages", "output"),
    tools=_details_tools,
)
MESSAGE_EVENTS = Convention(
    "GenAI message events",
    "semantic conventions before 1.37, Strands by default, pydantic-ai 1",
    (
        "events gen_ai.system.message, gen_ai.user.message, gen_ai.assistant.message,"
        " gen_ai.tool.message, gen_ai.choice",
        "events gen_ai.content.prompt, gen_ai.content.completion",
        "gen_ai.server.time_to_first_token",
    ),
    input=_input,
    output=_output,
    finish_reasons=_finish_reasons,
    first_chunk_ms=_first_chunk_ms,
    tool_arguments=lambda source: _of_tool(source, "gen_ai.tool.message", "content"),
    tool_result=lambda source: _of_tool(source, CHOICE, "message"),
)
