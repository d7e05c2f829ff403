"""Read messages and lists of them in any dialect; `parts` reads their parts.

Content comes as JSON text or as a structured value, and may be wrong in any way.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from inspector.service.model.nesting import parse
from inspector.service.model.otlp_values import as_text
from inspector.service.model.rows import Json
from inspector.service.normalise.finish_reasons import finish_reason
from inspector.service.normalise.parts import first, part_of, parts_of, tool_call, tool_result
from inspector.service.normalise.payload import payload
from inspector.service.wire import Message, OtherPart, Part, ReasoningPart, TextPart

Origin = Literal["system", "input", "output"]

MAX_MESSAGES = 10_000
"""Limit of the messages of one list that are read."""
_MAX_NESTING = 8
_ROLES = {
    "ai": "assistant",
    "aimessage": "assistant",
    "aimessagechunk": "assistant",
    "human": "user",
    "humanmessage": "user",
    "systemmessage": "system",
    "toolmessage": "tool",
    "model": "assistant",
    "tool-call": "assistant",  # smolagents
    "tool-response": "tool",
}
_EVENT_ROLES = {
    "gen_ai.system.message": "system",
    "gen_ai.user.message": "user",
    "gen_ai.assistant.message": "assistant",
    "gen_ai.tool.message": "tool",
    "gen_ai.choice": "assistant",
}
# Items of a conversation that are one part and no message (OpenAI's responses).
_LONE_PARTS = {
    "function_call": "assistant",
    "reasoning": "assistant",
    "tool_call": "assistant",
    "tool-call": "assistant",
    "function_call_output": "tool",
    "tool_call_response": "tool",
}
# What a message says of itself beside its content, and other names of that, when it is empty.
_HEAD = frozenset(
    {
        *("role", "name", "id", "type", "index", "finish_reason", "stop_reason", "contents"),
        *("tool_calls", "function_call", "refusal", "reasoning", "reasoning_content"),
    }
)
# Names under which a chain takes or gives one text.
_LONE_TEXTS = frozenset({"input", "question", "query", "prompt", "text", "output", "answer"})
# Where a request or an answer, written whole, has its messages.
_BOXES = (
    "messages",
    "input_messages",
    "choices",
    "generations",
    "contents",
    "output",
    "message",
    "inputs",
    "outputs",
    "args",
    "kwargs",
)

_PROMPTS = frozenset({"messages", "input_messages", "contents"})
"""Boxes of the prompt; the keys beside them are input as well, except `_SETTINGS`."""
_SETTINGS = frozenset(
    {
        *("system", "instructions", "model", "tools", "tool_choice", "stream", "stream_options"),
        *("temperature", "top_p", "top_k", "n", "seed", "stop", "stop_sequences", "logprobs"),
        *("max_tokens", "max_completion_tokens", "frequency_penalty", "presence_penalty"),
        *("response_format", "parallel_tool_calls", "reasoning_effort", "metadata", "user"),
        *("generation_config", "generationConfig", "config", "is_stream"),
    }
)
"""Keys that stand beside a prompt and are reported as other facts of its request."""


def messages_of(value: Json, origin: Origin, *, is_json: bool = True) -> list[Message]:
    """Return the messages in `value`.

    Args:
        value: A list, one message, text, or JSON text of either.
        origin: Decides the role of what names none.
        is_json: Text was meant as JSON: what cannot be parsed is marked.
    """
    loaded = load(value)
    found = _list(loaded, origin, 0)
    if is_json and loaded is value and isinstance(loaded, str) and found:
        found[0].parts = [TextPart(text=loaded, parse_error=True)]
    return found


def tool_message(value: Json) -> Mapping[str, Any] | None:
    """Return the fields of LangChain's message with a tool's result, if `value` is one.

    Alone, or under `output`: as a constructor (`lc`), or as its fields.
    """
    loaded = load(value)
    if not isinstance(loaded, dict):
        return None
    inner = loaded.get("output")
    fields = _fields(inner if isinstance(inner, dict) else loaded)
    is_one = str(fields.get("type")).lower() in ("tool", "toolmessage")
    return fields if is_one and {"content", "tool_call_id"} <= fields.keys() else None


def system_of(value: Json) -> list[Message]:
    """Return system instructions: text, a part, or a list of parts."""
    loaded = load(value)
    if isinstance(loaded, list) and any(isinstance(i, dict) and "role" in i for i in loaded):
        return messages_of(value, "system")
    parts = parts_of(loaded)
    return [Message(role="system", origin="system", parts=parts)] if parts else []


def load(value: Json) -> Any:
    """Return `value`, parsed if it is JSON text; other text stays unchanged."""
    if not isinstance(value, str):
        return value
    try:
        parsed = parse(value)
    except ValueError:
        return value
    # A number or a word that happens to be JSON is still text.
    return parsed if isinstance(parsed, (dict, list, str)) else value


def load_parts(content: Json) -> Any:
    """Return content, parsed if it is JSON text of parts; other JSON can be an answer."""
    loaded = load(content)
    return loaded if _is_parts(loaded) else content


def _list(value: Any, origin: Origin, depth: int) -> list[Message]:
    if value is None or value == "":
        return []
    if depth > _MAX_NESTING:
        return [message_of(value, origin)]
    if isinstance(value, list):
        found = []
        for item in value[:MAX_MESSAGES]:
            # LangChain nests a batch: [[message, …]].
            if isinstance(item, list) or _is_box(item):
                found += _list(item, origin, depth + 1)
            else:
                found.append(message_of(item, origin))
        return found
    if _is_box(value):
        return _boxed(value, origin, depth)
    return [message_of(value, origin)]


def _is_box(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and not {"role", "parts", "lc", "event.name"} & value.keys()
        and any(_is_filled(value.get(box)) for box in _BOXES)
        and not isinstance(value.get("type"), str)
    )


def _is_filled(inner: Any) -> bool:
    return isinstance(inner, (list, dict)) and bool(inner)


def _boxed(value: Mapping[str, Any], origin: Origin, depth: int) -> list[Message]:
    box = next(name for name in _BOXES if _is_filled(value.get(name)))
    before = []
    if origin == "input" and (instructions := first(value, "system", "instructions")):
        before = system_of(instructions)
    if origin == "input" and box in _PROMPTS:
        known = _SETTINGS.union(_BOXES)
        beside = {key: one for key, one in value.items() if key not in known and one != {}}
        if parts := _rest(beside):
            before.append(Message(role="user", origin=origin, parts=parts))
    found = _list(value[box], origin, depth + 1)
    if box == "message" and found and (reason := as_text(value.get("finish_reason"))):
        found[-1].finish_reason = finish_reason(reason)
    return [*before, *found]


def message_of(item: Any, origin: Origin) -> Message:
    """Return one message."""
    if not isinstance(item, dict):
        return Message(role=_default_role(origin), origin=origin, parts=parts_of(item))
    if len(item) == 1 and (text := _lone_text(item)) is not None:
        return _plain(text, origin)
    fields = _fields(item)
    role = _role(fields, origin)
    if "parts" in fields:
        parts = parts_of(fields["parts"])
    elif role == "tool" and not _holds_results(fields.get("content")):
        parts = [tool_result({**fields, "name": None})]
    elif _is_lone_part(fields):
        parts = [part_of(item)]
    else:
        parts = _chat_parts(fields) or _rest(fields)
    if role == "user" and parts and all(part.type == "tool_result" for part in parts):
        role = "tool"  # Anthropic, Bedrock and others answer in the user's name
    reason = as_text(first(fields, "finish_reason", "stop_reason"))
    return Message(
        role=role,
        origin=origin,
        name=as_text(fields.get("name")) if role != "tool" else None,
        finish_reason=finish_reason(reason) if reason else None,
        parts=parts,
    )


def _lone_text(item: Mapping[str, Any]) -> str | None:
    [(name, text)] = item.items()
    return text if name in _LONE_TEXTS and isinstance(text, str) else None


def _fields(item: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return where a message's fields are: LangChain and events put them one level down."""
    kwargs = item.get("kwargs")
    if "lc" in item and isinstance(kwargs, dict):
        kind = item.get("id")
        name = kind[-1] if isinstance(kind, list) and kind else ""
        return {"type": str(name), **kwargs}
    data = item.get("data")
    if isinstance(data, dict) and "content" in data and isinstance(item.get("type"), str):
        return {**data, "type": item["type"]}
    inner = item.get("message")
    if isinstance(inner, dict):
        return {"role": "assistant", **{k: v for k, v in item.items() if k != "message"}, **inner}
    return item


def _role(fields: Mapping[str, Any], origin: Origin) -> str:
    role = as_text(fields.get("role"))
    if role is None:
        event = as_text(fields.get("event.name")) or ""
        kind = str(fields.get("type", ""))
        role = _EVENT_ROLES.get(event) or _LONE_PARTS.get(kind) or _ROLES.get(kind.lower())
        role = role or (kind if kind in ("system", "tool", "user", "assistant") else None)
    return _ROLES.get(role.lower(), role) if role else _default_role(origin)


def _default_role(origin: Origin) -> str:
    return {"system": "system", "output": "assistant"}.get(origin, "user")


def _is_lone_part(fields: Mapping[str, Any]) -> bool:
    if "role" in fields:
        return False
    return "content" not in fields or fields.get("type") in (*_LONE_PARTS, "text", "blob", "uri")


def _chat_parts(fields: Mapping[str, Any]) -> list[Part]:
    """Return the parts of a chat message: reasoning, content, then the tools it calls."""
    found: list[Part] = []
    if thought := as_text(first(fields, "reasoning_content", "reasoning")):
        found.append(ReasoningPart(text=thought))
    found += parts_of(fields.get("content"))
    if refusal := as_text(fields.get("refusal")):
        found.append(TextPart(text=refusal, is_refusal=True))
    called = [load(call) for call in _items(fields.get("tool_calls"))]
    called += _items(fields.get("function_call"))
    # LangChain lists Anthropic's calls in the content and once more beside it.
    known = {part.id for part in found if part.type == "tool_call" and part.id is not None}
    for call in called:
        part = tool_call(call) if isinstance(call, dict) else part_of(call)
        if part is not None and not (part.type == "tool_call" and part.id in known):
            found.append(part)
    return found


def _rest(fields: Mapping[str, Any]) -> list[Part]:
    """Return the other fields of a message without content, whole."""
    rest = {
        key: value
        for key, value in fields.items()
        if key not in _HEAD and not key.startswith(("gen_ai.", "event."))
    }
    has_more = "content" not in fields and any(value not in (None, "") for value in rest.values())
    return [OtherPart(part_type="object", value=payload(rest))] if has_more else []


def _items(value: Any) -> list[Any]:
    loaded = load(value)
    if loaded is None or loaded == "":
        return []
    return loaded if isinstance(loaded, list) else [loaded]


def _holds_results(content: Any) -> bool:
    """Return whether a tool message's content is parts that name the calls they answer."""
    return _is_parts(content) and all(
        part_of(item).type == "tool_result" for item in _items(content)
    )


def _is_parts(value: Any) -> bool:
    items = value if isinstance(value, list) else [value]
    return bool(items) and all(
        isinstance(item, dict) and part_of(item).type != "other" for item in items
    )


def _plain(text: str, origin: Origin) -> Message:
    return Message(role=_default_role(origin), origin=origin, parts=[TextPart(text=text)])
