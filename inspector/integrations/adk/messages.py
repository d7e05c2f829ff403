"""Conversion between the messages of Gemini, which the framework uses, and GenAI messages."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.genai.types import Content, Part

from inspector.integrations.conversion import (
    ConvertedMessage,
    MessageDict,
    answer_text,
    as_messages,
    find_own,
    text_of,
)
from instrument.parts import Injection

_ROLES = {"assistant": "model"}


def convert(contents: Iterable[Content]) -> list[ConvertedMessage]:
    """Return the messages of a request, each with its own object."""
    return [ConvertedMessage(_message(one), one) for one in contents]


def answer_message(responses: Sequence[LlmResponse]) -> MessageDict:
    """Return the answer of a model as one message."""
    parts: list[MessageDict] = []
    for response in responses:
        for part in (response.content and response.content.parts) or ():
            converted = _part(part)
            if parts and converted["type"] == parts[-1]["type"] and "content" in converted:
                parts[-1]["content"] += converted["content"]
            else:
                parts.append(converted)
    last = responses[-1]
    if not parts and last.error_message:
        parts.append({"type": "text", "content": last.error_message})
    answer: MessageDict = {"role": "assistant", "parts": parts}
    reason = last.finish_reason
    for name, value in (
        ("finish_reason", getattr(reason, "value", reason)),
        ("model", last.model_version),
        ("id", last.interaction_id),
    ):
        if value is not None:
            answer[name] = value
    return answer


def own_contents(prompt: Any, converted: Sequence[ConvertedMessage]) -> list[Content]:
    """Return the messages to send: originals where unchanged, new ones otherwise."""
    return [_own(item, converted) for item in as_messages(prompt)]


def own_content(value: Any, role: str) -> Content:
    """Return an answer or a message of a hook in the framework's type."""
    if isinstance(value, Content):
        return value
    if isinstance(value, LlmResponse) and value.content is not None:
        return value.content
    return Content(role=role, parts=[Part(text=text_of(value))])


def own_response(value: Any) -> LlmResponse:
    """Return the answer of a hook as that of a model."""
    if isinstance(value, LlmResponse):
        return value
    if isinstance(value, Content):
        return LlmResponse(content=value)
    return LlmResponse(content=own_content(answer_text(value), "model"))


def with_injections(request: LlmRequest, injections: Iterable[Injection]) -> LlmRequest:
    """Return the request with the texts that hooks inject, in a copy if there are any."""
    added = list(injections)
    if not added:
        return request
    texts = [one.text for one in added if one.role == "system"]
    contents = [
        *request.contents,
        *(
            own_content(one.text, _ROLES.get(one.role, "user"))
            for one in added
            if one.role != "system"
        ),
    ]
    config = request.config
    if texts:
        system = config.system_instruction
        before = [system_text(system)] if system else []
        changed = {"system_instruction": "\n\n".join([*before, *texts])}
        config = config.model_copy(update=changed)
    return request.model_copy(update={"contents": contents, "config": config})


def system_text(instruction: Any) -> str:
    """Return instructions, a text, a content or several, as one text."""
    if instruction is None or isinstance(instruction, str):
        return instruction or ""
    if isinstance(instruction, Content):
        instruction = instruction.parts or ()
    if isinstance(instruction, Part):
        return instruction.text or ""
    return "\n\n".join(system_text(one) for one in instruction)


def _message(content: Content) -> MessageDict:
    parts = [_part(part) for part in content.parts or ()]
    if any(part["type"] == "tool_call_response" for part in parts):
        return {"role": "tool", "parts": parts}
    return {"role": "assistant" if content.role == "model" else "user", "parts": parts}


def _part(part: Part) -> MessageDict:
    if part.function_call is not None:
        call = part.function_call
        return {"type": "tool_call", "id": call.id, "name": call.name, "arguments": call.args or {}}
    if part.function_response is not None:
        response = part.function_response
        return {"type": "tool_call_response", "id": response.id, "response": response.response}
    if part.text is not None:
        return {"type": "reasoning" if part.thought else "text", "content": part.text}
    if part.inline_data is not None:
        data = part.inline_data
        kind = data.mime_type or "media"
        return {"type": "text", "content": f"[{kind}, {len(data.data or b'')} bytes]"}
    if part.file_data is not None:
        return {
            "type": "uri",
            "uri": part.file_data.file_uri,
            "mime_type": part.file_data.mime_type,
        }
    if part.executable_code is not None:
        return {"type": "text", "content": part.executable_code.code or ""}
    if part.code_execution_result is not None:
        return {"type": "text", "content": part.code_execution_result.output or ""}
    return {"type": "text", "content": ""}


def _own(item: Any, converted: Sequence[ConvertedMessage]) -> Content:
    own = find_own(item, converted)
    if own is not None:
        found: Content = own
        return found
    role = item.get("role") if isinstance(item, Mapping) else "user"
    return own_content(item, "model" if role in ("assistant", "model") else "user")
