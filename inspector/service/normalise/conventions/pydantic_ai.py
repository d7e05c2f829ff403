"""pydantic-ai's own attributes: whole runs, and its formats before version 2."""

from __future__ import annotations

from inspector.service.normalise.conventions.span_source import Convention, SpanSource
from inspector.service.normalise.messages import load, messages_of
from inspector.service.normalise.payload import payload
from inspector.service.normalise.tools import tool_definitions
from inspector.service.wire import Message, TextPart, ToolDefinition

_RUN = ("pydantic_ai.all_messages", "all_messages_events", "events")


def _run(source: SpanSource) -> tuple[list[Message], list[Message]]:
    """Return a run's messages in two: the answer, if it ends with one, is the output."""
    value = source.get(*_RUN)
    messages = messages_of(value, "input") if isinstance(load(value), list) else []
    if messages and messages[-1].role == "assistant":
        answer = messages[-1].model_copy(update={"origin": "output"})
        return messages[:-1], [answer]
    return messages, []


def _output(source: SpanSource) -> list[Message]:
    if answer := _run(source)[1]:
        return answer
    result = source.get("final_result")
    if result is None:
        return []
    text = result if isinstance(result, str) else payload(result).text
    return [Message(role="assistant", origin="output", parts=[TextPart(text=text)])]


def _tools(source: SpanSource) -> list[ToolDefinition]:
    parameters = load(source.get("model_request_parameters"))
    return tool_definitions(parameters.get("function_tools")) if _is_map(parameters) else []


def _is_map(value: object) -> bool:
    return isinstance(value, dict)


PYDANTIC_AI = Convention(
    "pydantic-ai",
    "agent runs of pydantic-ai; its instrumentation format 1",
    (*_RUN, "final_result", "model_request_parameters"),
    input=lambda source: _run(source)[0],
    output=_output,
    tools=_tools,
)
