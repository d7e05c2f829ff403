"""OpenInference: one attribute for each leaf of a message."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from pydantic import JsonValue

from inspector.service.model.otlp_values import as_text
from inspector.service.normalise.conventions.span_source import Convention, SpanSource
from inspector.service.normalise.finish_reasons import finish_reasons
from inspector.service.normalise.flattened import expand
from inspector.service.normalise.messages import load, message_of, messages_of
from inspector.service.normalise.payload import payload
from inspector.service.normalise.tools import tool_definitions
from inspector.service.wire import Message, Payload, ToolDefinition

# Parameters that have a place of their own in the view.
_ELSEWHERE = frozenset({"model", "model_name", "messages", "tools", "functions"})


def _embedded(source: SpanSource) -> list[Message]:
    entries = _items(expand(source.attributes, "embedding.embeddings."))
    return [message_of(text, "input") for e in entries if (text := as_text(e.get("text")))]


def _messages(source: SpanSource, origin: Literal["input", "output"]) -> list[Message]:
    entries = _items(expand(source.attributes, f"llm.{origin}_messages."))
    found = [message_of(_chat(item), origin) for item in entries]
    if all(message.parts for message in found):
        return found
    # LangChain.js: other than plain text, such as calls of tools, is in the whole only.
    whole = messages_of(source.get(f"{origin}.value"), origin, is_json=False)
    return whole if len(whole) == len(found) else found


def _items(tree: Any) -> list[Mapping[str, Any]]:
    """Return the objects of a list whose entries are nested under a name: `0.message.…`."""
    entries = tree if isinstance(tree, list) else []
    inner = (next(iter(e.values()), None) if isinstance(e, dict) else None for e in entries)
    return [item for item in inner if isinstance(item, dict)]


def _chat(message: Mapping[str, Any]) -> dict[str, Any]:
    """Return a message in the form of OpenAI's chat, from which OpenInference took its names."""
    content = message.get("content")
    contents = [_content(item) for item in _items(message.get("contents"))]
    calls: list[Any] = _items(message.get("tool_calls"))
    if name := message.get("function_call_name"):
        calls.append({"name": name, "arguments": message.get("function_call_arguments_json")})
    chat = {**message, "content": contents or content, "contents": None, "tool_calls": calls}
    # Anthropic's results, from `invoke_model` of Bedrock, are in the user's name.
    is_result = message.get("role") == "user" and message.get("tool_call_id")
    return {**chat, "role": "tool"} if is_result else chat


def _content(item: Mapping[str, Any]) -> dict[str, Any]:
    image = item.get("image")
    inner = image.get("image") if isinstance(image, dict) else None
    return {**item, **({"image": inner} if isinstance(inner, dict) else {})}


def _tools(source: SpanSource) -> list[ToolDefinition]:
    entries = _items(expand(source.attributes, "llm.tools."))
    return tool_definitions([entry.get("json_schema") for entry in entries])


def _parameters(source: SpanSource) -> Mapping[str, Any]:
    found = load(source.get("llm.invocation_parameters", "embedding.invocation_parameters"))
    return found if isinstance(found, dict) else {}


def _request_params(source: SpanSource) -> dict[str, JsonValue]:
    return {key: value for key, value in _parameters(source).items() if key not in _ELSEWHERE}


def _tool_arguments(source: SpanSource) -> Payload | None:
    # Not `tool.parameters`: that is the schema.
    return _payload(source, "input.value")


def _payload(source: SpanSource, key: str) -> Payload | None:
    value = source.get(key)
    return None if value is None else payload(value)


def _metadata(source: SpanSource) -> dict[str, JsonValue] | None:
    found = load(source.get("metadata"))
    return dict(found) if isinstance(found, dict) else None


OPENINFERENCE = Convention(
    "OpenInference",
    "Arize's instrumentations, Phoenix",
    (
        "llm.input_messages.N.message.*",
        "llm.output_messages.N.message.*",
        "llm.tools.N.tool.json_schema",
        "llm.invocation_parameters",
        "llm.finish_reason",
        "embedding.embeddings.N.embedding.text",
        "input.value",
        "output.value",
        "metadata",
        "event First Token Stream Event",
    ),
    input=lambda source: _messages(source, "input") or _embedded(source),
    output=lambda source: _messages(source, "output"),
    tools=_tools,
    model_requested=lambda source: as_text(_parameters(source).get("model")),
    request_params=_request_params,
    finish_reasons=lambda source: finish_reasons(source.get("llm.finish_reason")),
    first_chunk_ms=lambda source: source.ms_until("First Token Stream Event"),
    tool_arguments=_tool_arguments,
    tool_result=lambda source: _payload(source, "output.value"),
    metadata=_metadata,
)
