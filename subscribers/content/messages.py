"""Prompts and responses of any provider as GenAI messages: pure, duck-typed, bounded.

A message is `{"role", "parts": [...], "name"?, "finish_reason"?}`; a part has a `type` of
`text, reasoning, tool_call, tool_call_response, blob, uri, file`. Any other value becomes a text of
its JSON, or the name of its class where it has none (never its `repr`).
Source: GenAI conventions, `gen-ai-*-messages.json`.

Of inline media only type and size remain.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from enum import Enum
from itertools import islice
from typing import Any, TypeAlias

from subscribers.content.paths import member_value, read_path, step
from subscribers.content.serialise import JsonText, LeftOut, is_data

Message: TypeAlias = dict[str, Any]
Part: TypeAlias = dict[str, Any]

MAX_MESSAGES = 200
MAX_PARTS = 200
_LOOKED_AT = MAX_MESSAGES + 1
"""Items read of a list that may be endless: enough to know that some are omitted."""

_ROLES = {"developer": "system", "model": "assistant", "ai": "assistant", "human": "user"}
_TYPES = {**_ROLES, "system": "system", "tool": "tool", "AIMessageChunk": "assistant"}
"""Types of LangChain's messages, which have no role."""
_HEAD = frozenset({"role", "name", "id", "type", "finish_reason", "stop_reason"})
"""Keys of a message that are not content."""
_BESIDE = frozenset({"thought", "thoughtSignature", "thought_signature", "videoMetadata",
                     "video_metadata", "mediaResolution", "partMetadata"})  # fmt: skip
"""Keys of Gemini's parts that are not content."""
_BOXES = ("messages", "contents")
"""Keys of the messages in a prompt that is an object."""
_ROLE_AND_CONTENT = frozenset({"role", "content"})
_SCALARS = (str, int, float)
_OFFICIAL = frozenset(
    {"tool_call", "tool_call_response", "server_tool_call", "server_tool_call_response", "blob",
     "uri", "compaction"}
)  # fmt: skip
_FINISH_REASONS = {
    "tool_calls": "tool_call", "tool-calls": "tool_call", "tool_use": "tool_call",
    "function_call": "tool_call", "end_turn": "stop", "stop_sequence": "stop", "STOP": "stop",
    "max_tokens": "length", "MAX_TOKENS": "length", "content-filter": "content_filter",
    "SAFETY": "content_filter", "refusal": "content_filter",
}  # fmt: skip


def input_messages(prompt: Any) -> list[Message]:
    """Convert the input of a model; a plain string is one user message.

    Of more than `MAX_MESSAGES` the first and the newest remain, with a part that counts the rest.
    """
    if isinstance(prompt, Mapping) and "role" not in prompt:
        box = next((name for name in _BOXES if _is_list(prompt.get(name)) and prompt[name]), None)
        if box is not None:
            return [*_beside(prompt, box), *input_messages(prompt[box])]
    if not _is_list(prompt):
        return [_message(prompt, "user")]
    if _is_data_list(prompt):
        return [{"role": "user", "parts": [_json(prompt)]}]
    count = len(prompt)
    if count <= MAX_MESSAGES:
        return [_message(item, "user") for item in islice(prompt, MAX_MESSAGES)]
    omitted = _left_out(count - MAX_MESSAGES)
    newest = (prompt[place] for place in range(count - MAX_MESSAGES + 1, count))
    head = _message(prompt[0], "user")
    return [head, {"role": "user", "parts": [omitted]}, *(_message(m, "user") for m in newest)]


def _beside(prompt: Mapping[Any, Any], box: str) -> list[Message]:
    """Return the rest of a prompt as messages: its instructions, and other values whole."""
    rest = {key: value for key, value in prompt.items() if key != box and value is not None}
    system = [_message(rest.pop("system"), "system")] if isinstance(rest.get("system"), str) else []
    return [*system, {"role": "user", "parts": [_json(rest)]}] if rest else system


def output_messages(response: Any) -> list[Message]:
    """Convert the output of a model: one message per choice."""
    if response is None:
        return []
    if _is_data_list(response):
        return [{"role": "assistant", "parts": [_json(response)]}]
    choices = _choices(response)
    found = [_output(choice) for choice in choices[:MAX_MESSAGES]]
    if (count := len(choices) - MAX_MESSAGES) > 0:
        found.append({"role": "assistant", "parts": [_left_out(count)]})
    return found


def finish_reasons(response: Any) -> list[str] | None:
    """Return the reason of each choice in GenAI's words; unknown ones as they came."""
    reasons = [reason for choice in _choices(response) if (reason := _finish_reason(choice))]
    return [_FINISH_REASONS.get(reason, reason) for reason in reasons] or None


def raw_finish_reason(response: Any) -> str | None:
    """Return the first reason in the provider's words."""
    return next((r for choice in _choices(response) if (r := _finish_reason(choice))), None)


def mcp_messages(messages: Sequence[Message]) -> list[dict[str, Any]]:
    """Render messages as MCP's (`{"role", "content"}`), the form of mcp-agent's `*_json` keys."""
    rendered = []
    for message in messages:
        blocks = [_mcp_block(part) for part in message["parts"]]
        content = blocks[0] if len(blocks) == 1 else blocks
        rendered.append({"role": message["role"], "content": content})
    return rendered


def looks_like_messages(value: Any) -> bool:
    """Return whether `value` is a list of objects with a role (or one of them)."""
    first = value[0] if _is_list(value) and value else value
    return isinstance(step(first, "role"), str) and (
        step(first, "content") is not None or step(first, "parts") is not None
    )


def _is_list(value: Any) -> bool:
    return type(value) is list or (
        isinstance(value, Sequence) and not isinstance(value, str | bytes | bytearray)
    )


def _get(value: Any, *names: str) -> Any:
    for name in names:
        if (found := step(value, name)) is not None:
            return found
    return None


def _choices(response: Any) -> list[Any]:
    if not _is_list(response):
        return _choices_of(response)
    found = (choice for item in islice(response, _LOOKED_AT) for choice in _choices_of(item))
    return list(islice(found, _LOOKED_AT))


def _choices_of(response: Any) -> list[Any]:
    for path in ("choices", "candidates"):
        choices = step(response, path)
        if _is_list(choices) and not (choices and isinstance(choices[0], _SCALARS)):
            return list(islice(choices, _LOOKED_AT))
    if isinstance(message := read_path(response, "output.message"), Mapping):  # Bedrock
        return [{**message, "stop_reason": _get(response, "stopReason", "stop_reason")}]
    output = step(response, "output")
    if _is_list(output) and all(step(item, "type") for item in output[:1]):  # OpenAI Responses
        content = list(islice(output, MAX_PARTS))
        has_calls = any(step(item, "type") == "function_call" for item in content)
        reason = "tool_calls" if has_calls else "stop"
        return [{"role": "assistant", "content": content, "finish_reason": reason}]
    return [] if response is None else [response]


def _finish_reason(choice: Any) -> str | None:
    reason = _get(
        choice, "finish_reason", "finishReason", "stop_reason", "stopReason", "done_reason"
    ) or read_path(choice, "response_metadata.finish_reason|response_metadata.stop_reason")
    reason = member_value(reason)
    return reason if isinstance(reason, str) else None


def _output(choice: Any) -> Message:
    inner = _get(choice, "message")
    is_message = _get(inner, "role", "content", "parts", "tool_calls") is not None
    message = _message(inner if is_message else choice, "assistant")
    reason = _finish_reason(choice)
    if reason is not None:
        message["finish_reason"] = _FINISH_REASONS.get(reason, reason)
    return message


def _message(item: Any, default_role: str) -> Message:
    if isinstance(item, str):
        return {"role": default_role, "parts": [_text(item)]}
    if type(item) is dict and item.keys() == _ROLE_AND_CONTENT:  # as most are
        role, content = item["role"], item["content"]
        if type(role) is str and type(content) is str:
            return {"role": _ROLES.get(role, role), "parts": [_text(content)]}
    role = member_value(_get(item, "role"))
    if role is None and isinstance(kind := step(item, "type"), str):
        role = _TYPES.get(kind)
    content = _get(item, "content")
    if content is not None and not isinstance(content, str) and not _is_list(content):
        inner = _get(content, "parts")  # Gemini nests the message one level deeper
        role, content = _get(content, "role") or role, inner if inner is not None else [content]
    elif content is None:
        content = _get(item, "parts")
    role = _ROLES.get(role, role) if isinstance(role, str) else default_role
    message: Message = {"role": role, "parts": []}
    message["parts"] = _parts(item, content, message["role"])
    if isinstance(name := _get(item, "name"), str) and not isinstance(item, Enum):
        message["name"] = name
    return message


def _parts(item: Any, content: Any, role: str) -> list[Part]:
    call_id = _get(item, "tool_call_id")
    if role == "tool" and isinstance(call_id, str):
        response = content if isinstance(content, str) else _blocks(content)
        return [{"type": "tool_call_response", "id": call_id, "response": response}]
    parts: list[Part] = []
    if isinstance(reasoning := _get(item, "reasoning_content"), str):
        parts.append({"type": "reasoning", "content": reasoning})
    parts += [_text(content)] if isinstance(content, str) else _blocks(content)
    calls = _get(item, "tool_calls")
    if _is_list(calls):  # LangChain repeats those of Anthropic's content
        known = [part["id"] for part in parts if part["type"] == "tool_call" and "id" in part]
        found = [_function_call(call) for call in calls[:MAX_PARTS]]
        parts += [call for call in found if call.get("id") not in known]
        if len(calls) > MAX_PARTS:
            parts.append(_left_out(len(calls) - MAX_PARTS))
    if not parts and content is None:
        if not isinstance(item, Mapping):
            return [_json(item)] if calls is None else []
        rest = {k: v for k, v in item.items() if k not in _HEAD and v is not None and v != []}
        if rest or "role" not in item:
            parts.append(_json(rest if "role" in item else item))
    return parts


def _blocks(content: Any) -> list[Part]:
    if not _is_list(content):
        return [] if content is None else [_json(content)]
    blocks = (_text(b) if isinstance(b, str) else _block(b) for b in content[:MAX_PARTS])
    parts = [part for part in blocks if part is not None]
    if len(content) > MAX_PARTS:
        parts.append(_left_out(len(content) - MAX_PARTS))
    return parts


def _text(text: Any) -> Part:
    return {"type": "text", "content": text if isinstance(text, str) else ""}


def _json(value: Any) -> Part:
    """Return a part with the JSON of any value."""
    if value is None or not is_data(value):
        return {"type": type(value).__name__}
    return {"type": "text", "content": JsonText(value)}


def _left_out(count: int) -> Part:
    return {"type": "omitted", "count": LeftOut(count)}


def _is_data_list(value: Any) -> bool:
    """Return whether `value` is a list of numbers or lists, which cannot be messages."""
    first = next(iter(value), None) if _is_list(value) else None
    return isinstance(first, int | float | list | tuple)


def _block(block: Any) -> Part | None:
    kind = _get(block, "type")
    kind = member_value(kind)
    if isinstance(kind, str):
        if kind in _OFFICIAL and isinstance(block, Mapping) and "args" not in block:
            return dict(block)
        if (convert := _BLOCKS.get(kind)) is not None:
            return convert(block)
        if isinstance(block, Mapping):
            return {**block, "type": kind}
        return {"type": kind, "content": JsonText(block)} if is_data(block) else {"type": kind}
    for name, convert in _UNTYPED.items():
        if (value := _get(block, name)) is not None and _says_only(block, name):
            return convert(value)
    return _json(block)


def _says_only(block: Any, name: str) -> bool:
    """Return whether `name` is the only content key of a block without a type."""
    if not isinstance(block, Mapping):
        return True
    return all(key == name or key in _BESIDE for key, value in block.items() if value is not None)


def _function_call(call: Any) -> Part:
    function = _get(call, "function") or call
    arguments = _get(function, "arguments", "args")
    part = {"type": "tool_call", "id": _get(call, "id"), "name": _get(function, "name")}
    return _without_none({**part, "arguments": parsed(arguments)})


def parsed(arguments: Any) -> Any:
    """Parse arguments that came as JSON text; text that is no JSON stays text."""
    if not isinstance(arguments, str) or arguments[:1] not in "{[" or len(arguments) > 100_000:
        return arguments
    try:
        return json.loads(arguments)
    except (ValueError, RecursionError):
        return arguments


def _tool_use(block: Any) -> Part:
    call_id = _get(block, "id", "toolUseId", "call_id")
    arguments = _get(block, "input", "args", "arguments")
    part = {"type": "tool_call", "id": call_id, "name": _get(block, "name")}
    return _without_none({**part, "arguments": parsed(arguments)})


def _tool_result(block: Any) -> Part:
    response = _get(block, "content", "response", "output", "structuredContent")
    call_id = _get(block, "tool_use_id", "toolUseId", "id", "call_id")
    return _without_none({"type": "tool_call_response", "id": call_id, "response": response})


def _reasoning(block: Any) -> Part:
    text = read_path(block, "thinking|content|text|reasoningText.text|summary.0.text")
    return {"type": "reasoning", "content": text if isinstance(text, str) else ""}


def _message_item(block: Any) -> Part:
    """Convert an item of OpenAI's Responses API that is itself a message."""
    texts = (read_path(item, "text") for item in islice(_get(block, "content") or (), MAX_PARTS))
    return _text("".join(text for text in texts if isinstance(text, str)))


def _media(modality: str) -> Callable[[Any], Part]:
    def convert(block: Any) -> Part:
        source = _get(block, "source", modality, "input_audio", "image_url") or block
        mime_type = _get(source, "media_type", "mimeType", "mime_type", "format")
        url = source if isinstance(source, str) else _get(source, "url", "fileUri", "file_uri")
        if isinstance(url, str) and url.startswith("data:"):
            head, _, data = url.partition(",")
            mime_type = head[5:].partition(";")[0][:128]
            return _blob(modality, mime_type, data)
        if isinstance(url, str):
            part = {"type": "uri", "modality": modality, "mime_type": mime_type, "uri": url}
            return _without_none(part)
        if isinstance(file_id := _get(source, "file_id"), str):
            return {"type": "file", "modality": modality, "file_id": file_id}
        return _blob(modality, mime_type, read_path(source, "data|bytes|blob|source.bytes"))

    return convert


def _blob(modality: str, mime_type: Any, data: Any) -> Part:
    size = len(data) if isinstance(data, bytes) else len(data) * 3 // 4 if data else 0
    part = {"type": "blob", "modality": modality, "mime_type": mime_type, "bytes": size}
    return _without_none(part)


def _inline_data(data: Any) -> Part:
    mime_type = _get(data, "mime_type", "mimeType")
    modality = mime_type.partition("/")[0] if isinstance(mime_type, str) else "document"
    return _media(modality)(data)


def _resource(block: Any) -> Part:
    resource = _get(block, "resource") or block
    part = {
        "type": "uri",
        "modality": "document",
        "mime_type": _get(resource, "mimeType", "mime_type"),
        "uri": str(_get(resource, "uri") or ""),
    }
    return _without_none(part)


def _without_none(part: Part) -> Part:
    return {key: value for key, value in part.items() if value is not None}


_BLOCKS: dict[str, Callable[[Any], Part | None]] = {
    "text": lambda block: _text(_get(block, "text", "content")),
    "input_text": lambda block: _text(_get(block, "text")),
    "output_text": lambda block: _text(_get(block, "text")),
    "message": _message_item,
    "image_url": _media("image"),
    "input_image": _media("image"),
    "image": _media("image"),
    "input_audio": _media("audio"),
    "audio": _media("audio"),
    "file": _media("file"),
    "document": _media("document"),
    "resource": _resource,
    "resource_link": _resource,
    "tool_call": _tool_use,  # of LangChain, whose arguments are `args`
    "tool_use": _tool_use,
    "function_call": _tool_use,
    "tool_result": _tool_result,
    "function_call_output": _tool_result,
    "thinking": _reasoning,
    "reasoning": _reasoning,
    "redacted_thinking": lambda block: None,
}

# Gemini and Bedrock name the kind of a block by its only key.
_UNTYPED: dict[str, Callable[[Any], Part]] = {
    "text": _text,
    "toolUse": _tool_use,
    "toolResult": _tool_result,
    "function_call": _tool_use,
    "functionCall": _tool_use,
    "function_response": _tool_result,
    "functionResponse": _tool_result,
    "reasoningContent": _reasoning,
    "inline_data": _inline_data,
    "inlineData": _inline_data,
    "file_data": _inline_data,
    "fileData": _inline_data,
    "image": _media("image"),
    "document": _media("document"),
}


def _mcp_block(part: Part) -> dict[str, Any]:
    match part["type"]:
        case "text" | "reasoning":
            return {"type": part["type"], "text": part.get("content", "")}
        case "tool_call":
            return _without_none(
                {"type": "tool_use", "id": part.get("id"), "name": part.get("name"),
                 "input": part.get("arguments")}
            )  # fmt: skip
        case "tool_call_response":
            return _without_none(
                {"type": "tool_result", "toolUseId": part.get("id"),
                 "content": part.get("response")}
            )  # fmt: skip
        case "uri":
            return _without_none(
                {"type": "resource_link", "uri": part.get("uri"), "mimeType": part.get("mime_type")}
            )
        case "blob":
            kind = part.get("modality") if part.get("modality") in {"image", "audio"} else "blob"
            return _without_none(
                {"type": kind, "mimeType": part.get("mime_type"), "bytes": part.get("bytes")}
            )
        case _:
            return dict(part)
