"""mcp-agent 0.2: attributes and events that are objects written leaf by leaf."""

from __future__ import annotations

from typing import Any

from inspector.service.model.otlp_values import as_text
from inspector.service.model.rows import Json, SpanKind
from inspector.service.normalise.conventions.span_source import Convention, SpanSource
from inspector.service.normalise.finish_reasons import finish_reason
from inspector.service.normalise.flattened import expand
from inspector.service.normalise.messages import message_of, messages_of, system_of
from inspector.service.normalise.payload import payload
from inspector.service.wire import Message, Payload, ToolDefinition

_CALL_ID = "gen_ai.tool.call.id"
_ARGUMENTS = ("mcp.request.argument.", "arguments.", "tool_args.", "request.params.arguments.")


def _requests(source: SpanSource) -> list[list[Any]]:
    """Return the messages of each request in the events."""
    found = (expand(moment.attributes, "messages.") for moment in source.moments)
    return [messages for messages in found if isinstance(messages, list)]


def _input(source: SpanSource) -> list[Message]:
    # The last request has the whole conversation so far.
    if requests := _requests(source):
        return [message_of(_chat(item), "input") for item in requests[-1]]
    return messages_of(source.get("message.content"), "input", is_json=False)


def _output(source: SpanSource) -> list[Message]:
    if source.kind is not SpanKind.AGENT:
        return []
    if (text := as_text(source.get("response"))) is not None:
        return messages_of(text, "output", is_json=False)
    answers = expand(source.attributes, "response.")
    if not isinstance(answers, list):
        return []
    # Earlier answers are part of the last request.
    answers = answers[-1:] if _requests(source) else answers
    found = [message_of(_chat(item), "output") for item in answers]
    reason = as_text(source.get("finish_reason"))
    if found and reason:
        found[-1].finish_reason = finish_reason(reason)
    return found


def _chat(item: Any) -> Any:
    """Return a message with the ids of its calls where OpenAI has them."""
    if not isinstance(item, dict):
        return item
    calls = item.get("tool_calls")
    calls = [_with_id(call) for call in calls] if isinstance(calls, list) else calls
    return {**_with_id(item), "tool_calls": calls}


def _with_id(item: Any) -> Any:
    """`gen_ai.tool.call.id` was written leaf by leaf, too."""
    if not isinstance(item, dict):
        return item
    found: Any = item
    for step in _CALL_ID.split("."):
        found = found.get(step) if isinstance(found, dict) else None
    if found is None:
        return item
    name = "tool_call_id" if item.get("role") == "tool" else "id"
    return {**item, name: found}


def _tools(source: SpanSource) -> list[ToolDefinition]:
    names = source.get("available_tools")
    return [
        ToolDefinition(name=name, description=None, parameters=None)
        for name in (names if isinstance(names, list) else [])
        if isinstance(name, str)
    ]


def _tool_arguments(source: SpanSource) -> Payload | None:
    if (whole := source.get("tool_args")) is not None:
        return payload(whole)
    for prefix in _ARGUMENTS:
        if (found := expand(source.attributes, prefix)) is not None:
            return payload(found)
    return None


def _tool_result(source: SpanSource) -> Payload | None:
    result = expand(source.attributes, "result.")
    if not isinstance(result, dict):
        return None
    return payload(_texts(result.get("content")) or result)


def _texts(content: Json) -> str | None:
    """Return the text that a result is, if it is nothing else."""
    if not isinstance(content, list) or not content:
        return None
    texts = [as_text(item.get("text")) if isinstance(item, dict) else None for item in content]
    return "\n".join(filter(None, texts)) if all(texts) else None


MCP_AGENT = Convention(
    "mcp-agent 0.2",
    "mcp-agent's own spans",
    (
        "message.content",
        "system_prompt",
        "response",
        "response.N.*",
        "available_tools",
        "tool_args",
        "arguments.*",
        "mcp.request.argument.*",
        "result.content.N.text",
        "result.isError",
        "events with messages.N.*",
    ),
    system=lambda source: [] if _requests(source) else system_of(source.get("system_prompt")),
    input=_input,
    output=_output,
    tools=_tools,
    tool_arguments=_tool_arguments,
    tool_result=_tool_result,
)
