"""Read one part of a message, in any dialect, as a wire part.

The dialects differ in names, not in ideas: GenAI semantic conventions, OpenAI (chat and
responses), Anthropic, Bedrock, Gemini, LangChain, the Vercel AI SDK. What cannot be read is shown
as it came, never dropped and never an error.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from inspector.service.model.otlp_values import as_text
from inspector.service.normalise.payload import payload
from inspector.service.wire import (
    BlobPart,
    LinkPart,
    OtherPart,
    Part,
    Payload,
    ReasoningPart,
    TextPart,
    ToolCallPart,
    ToolResultPart,
)

Fields = Mapping[str, Any]

_DATA_URL = re.compile(
    r"data:(?P<mime>[\w.+-]+/[\w.+-]+)?(?:;[\w=.+-]+)*;base64,(?P<data>.*)", re.S
)
_FILE_NAMES = ("filename", "file_name", "fileName", "title", "name")
# The type of a part that has none, by the one key that it has (Bedrock, Gemini).
_TYPE_OF_KEY = {
    "toolUse": "tool_use",
    "toolResult": "tool_result",
    "functionCall": "tool_use",
    "toolRequest": "tool_use",
    "toolResponse": "tool_result",
    "functionResponse": "tool_result",
    "reasoningContent": "reasoning",
    "image": "image",
    "document": "document",
    "video": "video",
    "audio": "audio",
    "inlineData": "blob",
    "fileData": "uri",
    "text": "text",
}
# Genkit's, which an answer's own fields may be called, too: alone, or beside its metadata.
_TYPE_OF_ONLY_KEY = {"reasoning": "reasoning", "media": "media"}


def parts_of(content: Any) -> list[Part]:
    """Return the parts of `content`: text, one part, a list of either, or nothing."""
    if content is None or content == "":
        return []
    items = content if isinstance(content, list) else [content]
    parts = [part_of(item) for item in items]
    # Streams leave empty text beside the call that they are about.
    return [part for part in parts if not (isinstance(part, TextPart) and not part.text)]


def part_of(item: Any) -> Part:
    """Return one part; a part of unknown type stays whole."""
    if isinstance(item, str):
        return TextPart(text=item)
    if not isinstance(item, dict):
        return OtherPart(part_type=type(item).__name__, value=payload(item))
    part_type, fields = _typed(item)
    read = _READERS.get(part_type)
    found = read(fields) if read is not None else None
    return found or OtherPart(part_type=str(item.get("type", "object")), value=payload(item))


def tool_call(fields: Fields) -> Part | None:
    """Return a tool call; None when `fields` name no tool."""
    function = fields.get("function")
    function = function if isinstance(function, dict) else {}
    name = first(fields, "name", "toolName", "tool_name") or function.get("name")
    arguments = first(fields, "arguments", "input", "args")
    if arguments is None:
        arguments = function.get("arguments")
    if name is None and arguments is None:
        return None
    return ToolCallPart(
        id=as_text(
            first(fields, "call_id", "id", "toolCallId", "toolUseId", "tool_call_id", "ref")
        ),
        name=_string(name),
        arguments=_payload(arguments),
    )


def tool_result(fields: Fields) -> ToolResultPart:
    """Return the result of a tool."""
    found = first(fields, "response", "result", "output", "content")
    return ToolResultPart(
        id=as_text(
            first(
                fields,
                "tool_call_id",
                "tool_use_id",
                "toolCallId",
                "toolUseId",
                "call_id",
                "id",
                "ref",
            )
        ),
        result=_payload(_unwrapped(found)),
    )


def first(fields: Fields, *names: str) -> Any:
    """Return the first of `names` that has a value."""
    return next((fields[name] for name in names if fields.get(name) is not None), None)


def _typed(item: Fields) -> tuple[str, Fields]:
    """Return the type of a part in one spelling, and where its fields are."""
    part_type = item.get("type")
    if isinstance(part_type, str):
        return part_type.replace("-", "_").lower(), item
    for key, known in _TYPE_OF_KEY.items():
        if key in item:
            inner = item[key]
            return known, inner if isinstance(inner, dict) else item
    for key, known in _TYPE_OF_ONLY_KEY.items():
        if key in item and item.keys() <= {key, "metadata"}:
            inner = item[key]
            return known, inner if isinstance(inner, dict) else item
    return "", item


def _text(fields: Fields) -> Part | None:
    found = first(fields, "content", "text", "refusal")
    if found is None:
        return None
    is_refusal = fields.get("type") == "refusal" or found is fields.get("refusal")
    return TextPart(text=_string(found), is_refusal=is_refusal)


def _reasoning(fields: Fields) -> Part:
    found = first(fields, "content", "thinking", "text", "reasoningText", "reasoning", "summary")
    pieces = found if isinstance(found, list) else [found]
    texts = [piece.get("text") if isinstance(piece, dict) else piece for piece in pieces]
    return ReasoningPart(text="\n\n".join(_string(text) for text in texts))


def _unwrapped(result: Any) -> Any:
    """Return a result without the box it is in: `{"type": "json", "value": …}`, `[{"text": …}]`."""
    if isinstance(result, dict) and set(result) == {"type", "value"}:
        return result["value"]
    if isinstance(result, list) and len(result) == 1 and isinstance(result[0], dict):
        only = result[0]
        if set(only) <= {"text", "type"} and isinstance(only.get("text"), str):
            return only["text"]
        if set(only) == {"json"}:
            return only["json"]
    return result


def _media(fields: Fields) -> Part | None:
    source = first(fields, "source", "image_url", "input_audio", "image", "file")
    inner = source if isinstance(source, dict) else {}
    mime = as_text(
        _find(fields, inner, "mime_type", "mimeType", "media_type", "mediaType", "contentType")
    )
    mime = mime or _mime_of_format(fields, inner)
    modality = as_text(fields.get("modality")) or _modality(mime, str(fields.get("type", "")))
    name = as_text(_find(fields, inner, *_FILE_NAMES))
    uri = as_text(source) or as_text(_find(fields, inner, "url", "uri", "fileUri", "file_id"))
    data = as_text(_find(fields, inner, "content", "data", "bytes"))
    if found := _DATA_URL.fullmatch(uri or data or ""):
        mime = mime or found["mime"]
        return _blob(modality or _modality(mime, ""), mime, found["data"], None, name)
    size = fields.get("bytes")
    size = size if isinstance(size, int) and size >= 0 else None
    if data is None and size is None:
        if uri is None:
            return None
        return LinkPart(modality=modality, mime_type=mime, uri=uri, name=name)
    return _blob(modality, mime, data, size, name)


def _blob(
    modality: str | None, mime: str | None, data: str | None, size: int | None, name: str | None
) -> Part:
    modality = modality or _modality(mime, "")
    return BlobPart(modality=modality, mime_type=mime, data=data, size_bytes=size, name=name)


def _find(fields: Fields, inner: Fields, *names: str) -> Any:
    return first(fields, *names) if first(inner, *names) is None else first(inner, *names)


def _mime_of_format(fields: Fields, inner: Fields) -> str | None:
    """Bedrock and OpenAI audio say `{"format": "png"}`."""
    media_format = as_text(_find(fields, inner, "format"))
    if media_format is None:
        return None
    kind = "audio" if media_format in ("mp3", "wav", "flac", "opus") else "image"
    return f"{kind}/{media_format}" if media_format.isalnum() else None


def _modality(mime: str | None, part_type: str) -> str | None:
    kind = (mime or part_type).replace("input_", "").partition("/")[0].partition("_")[0].lower()
    return kind if kind in ("image", "audio", "video") else None


def _link(fields: Fields) -> Part | None:
    if (found := _media(fields)) is not None:
        return found
    mime = as_text(first(fields, "mime_type", "mimeType"))
    return LinkPart(
        modality=as_text(fields.get("modality")) or _modality(mime, ""),
        mime_type=mime,
        uri=_string(first(fields, "uri", "url", "file_id", "fileUri")),
        name=as_text(first(fields, *_FILE_NAMES)),
    )


def _payload(value: Any) -> Payload | None:
    return None if value is None else payload(value)


def _string(value: Any) -> str:
    if isinstance(value, str):
        return value
    return "" if value is None else payload(value).text


_READERS: dict[str, Callable[[Fields], Part | None]] = {
    **dict.fromkeys(("text", "input_text", "output_text", "refusal"), _text),
    **dict.fromkeys(("reasoning", "thinking", "reasoning_text", "summary_text"), _reasoning),
    **dict.fromkeys(
        ("tool_call", "tool_use", "function", "function_call", "server_tool_call"), tool_call
    ),
    **dict.fromkeys(
        (
            "tool_call_response",
            "tool_result",
            "function_call_output",
            "server_tool_call_response",
            "tool_return",
        ),
        tool_result,
    ),
    **dict.fromkeys(
        ("blob", "image", "audio", "video", "media", "image_url", "input_image", "input_audio"),
        _media,
    ),
    **dict.fromkeys(("document", "binary", "binary_content"), _media),
    **dict.fromkeys(("uri", "file", "file_data", "resource_link"), _link),
}
