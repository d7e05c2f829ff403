"""Named conversions of the telemetry spec (`via = "…"`), from kwarg to attribute value.

Each takes the value at a row's path (never None) and returns an attribute value, or None for no
attribute. An exception means the same: a row never breaks its span.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from heapq import nlargest
from itertools import chain, islice
from typing import Any
from urllib.parse import SplitResult, urlsplit

from subscribers.content.messages import (
    finish_reasons,
    input_messages,
    looks_like_messages,
    mcp_messages,
    output_messages,
    parsed,
    raw_finish_reason,
)
from subscribers.content.paths import member_value, read_path, step
from subscribers.content.serialise import LeftOut

MAX_LIST_ITEMS = 32
MAX_URI_CHARS = 4_096
MAX_TOOLS = 256
_TOOL_BYTES = 128
"""About what a tool takes without its schema, and as much of its description as must stay."""
MAX_COUNTED = 4_194_304
"""Longest text, in characters, whose bytes are counted."""

_SCHEMAS = (
    "parameters|inputSchema|input_schema|parameters_json_schema"
    "|params_json_schema|parametersJsonSchema"
)

_PROVIDERS = {
    "azure": "azure.ai.openai", "az.ai.openai": "azure.ai.openai",
    "az.ai.inference": "azure.ai.inference", "google": "gcp.gen_ai", "gemini": "gcp.gemini",
    "vertex_ai": "gcp.vertex_ai", "vertexai": "gcp.vertex_ai", "bedrock": "aws.bedrock",
    "aws": "aws.bedrock", "xai": "x_ai", "mistral": "mistral_ai", "mistralai": "mistral_ai",
    "watsonx": "ibm.watsonx.ai",
}  # fmt: skip
_OPENINFERENCE_KINDS = {
    "embedding": "EMBEDDING", "guardrail": "GUARDRAIL", "prompt": "PROMPT",
    "retrieval": "RETRIEVER",
}  # fmt: skip


def text(value: Any) -> str | None:
    """A string, or a number as one; objects have no text."""
    if type(value) is str:
        return value
    value = member_value(value)
    if isinstance(value, str):
        return value
    if isinstance(value, int) and value.bit_length() > 64:  # Python refuses to write what is huge
        return None
    return str(value) if isinstance(value, int | float) else None


def integer(value: Any) -> int | None:
    """An integer that fits OTLP's 64 bits."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return None
    number = int(value)
    return number if -(2**63) <= number < 2**63 else None


def number(value: Any) -> float | None:
    """A finite number."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return None
    return float(value)


def boolean(value: Any) -> bool | None:
    """A boolean."""
    return value if isinstance(value, bool) else None


def names(value: Any) -> list[str] | None:
    """The names in a sequence of strings or of objects with a `name` (or `id`)."""
    if isinstance(value, str):
        return [value]
    if not isinstance(value, Sequence):
        return None
    found = (
        item if isinstance(item, str) else read_path(item, "name|id")
        for item in islice(value, MAX_LIST_ITEMS)
    )
    return [name for name in found if isinstance(name, str)] or None


def name(value: Any) -> str | None:
    """Take a string, or the name of a thing that has one."""
    return value if isinstance(value, str) else text(read_path(value, "name|model|id"))


def class_name(value: Any) -> str:
    """Name the class; of an adapter's description of an object, the class that it names."""
    described = getattr(value, "class_name", None)
    return described if isinstance(described, str) else type(value).__qualname__


def stringified(value: Any) -> str | None:
    """Turn an id, which may be a number, into a string."""
    return str(value) if isinstance(value, str | int) and not isinstance(value, bool) else None


def other_jsonrpc_version(value: Any) -> str | None:
    """Take the JSON-RPC version when it is not 2.0 (the convention's rule)."""
    return None if value == "2.0" else text(value)


def is_tools_call(value: Any) -> str | None:
    """`execute_tool` for `tools/call`, never otherwise (MCP convention)."""
    return "execute_tool" if value == "tools/call" else None


def provider(value: Any) -> str | None:
    """A provider's name in the convention's enum; unknown names in lower case."""
    key = value.lower() if isinstance(value, str) else None
    return _PROVIDERS.get(key, key) if key else None


def transport(value: Any) -> str | None:
    """A transport; mcp-agent's names for streamable HTTP become `http`."""
    word = text(value)
    return "http" if word in {"streamable_http", "streamable-http"} else word


def network_transport(value: Any) -> str | None:
    """`pipe` for stdio, `tcp` for the rest."""
    word = transport(value)
    return None if word is None else "pipe" if word == "stdio" else "tcp"


def network_protocol(value: Any) -> str | None:
    """`http` or `websocket`; stdio has none."""
    return {"sse": "http", "http": "http", "websocket": "websocket"}.get(transport(value) or "")


def server_address(value: Any) -> str | None:
    """The host of a URI."""
    return _split_uri(value).hostname if _is_uri(value) else None


def server_port(value: Any) -> int | None:
    """The port of a URI."""
    return _split_uri(value).port if _is_uri(value) else None


def server_command(value: Any) -> str | None:
    """The base name of a stdio server's command (its arguments may contain secrets)."""
    if _is_uri(value) or not isinstance(value, str):
        return None
    words = value[:MAX_URI_CHARS].split()
    return words[0].replace("\\", "/").rpartition("/")[2] if words else None


def uri(value: Any) -> str | None:
    """A URI without its user, password, query values and fragment."""
    if not isinstance(value, str) and not hasattr(value, "unicode_string"):
        return None
    parts = _split_uri(value)
    host = parts.netloc.rpartition("@")[2]
    keys = "&".join(f"{pair.partition('=')[0]}=…" for pair in parts.query.split("&") if pair)
    return parts._replace(netloc=host, query=keys, fragment="").geturl()


def system_instructions(value: Any) -> Any:
    """Instructions as a list of text parts."""
    if isinstance(value, str):
        return [{"type": "text", "content": value}]
    return [part for message in input_messages(value) for part in message["parts"]]


def tool_definitions(value: Any) -> Any:
    """Name, description and JSON schema of each tool, from any provider's spelling."""
    if isinstance(value, Mapping):
        value = list(islice(value.values(), MAX_TOOLS))
    if not isinstance(value, Sequence) or isinstance(value, str):
        return None
    declared = chain.from_iterable(map(_declared, value[:MAX_TOOLS]))
    return [tool for one in declared if (tool := _tool_definition(one)) is not None] or None


def fitting_tools(tools: Sequence[dict[str, Any]], max_bytes: int) -> list[dict[str, Any]]:
    """Return what `tool_definitions` returned, without schemas where there is no room for all.

    So each tool keeps its name, by which one sees that it was offered.
    """
    room_bytes: float = max_bytes - sum(
        _TOOL_BYTES + len(tool["name"]) + min(len(tool.get("description", "")), _TOOL_BYTES)
        for tool in tools
    )
    fitting = []
    for tool in tools:
        if "parameters" in tool:
            size_bytes = _json_bytes(tool["parameters"])
            if size_bytes > room_bytes:
                tool = {**tool, "parameters": {"type": "omitted", "count": LeftOut(1)}}
            else:
                room_bytes -= size_bytes
        fitting.append(tool)
    return fitting


def _json_bytes(value: Any) -> float:
    try:
        return len(json.dumps(value, default=lambda _: None))
    except (TypeError, ValueError, RecursionError):  # it has itself within, or keys that are none
        return math.inf


def _declared(item: Any) -> Sequence[Any]:
    """Return the functions of one of Google's tools, which holds several; else the item."""
    functions = read_path(item, "function_declarations|functionDeclarations")
    return functions if isinstance(functions, list | tuple) else (item,)


def _tool_definition(item: Any) -> dict[str, Any] | None:
    if isinstance(item, str):
        return {"type": "function", "name": item}
    fields = read_path(item, "function|toolSpec")
    if not isinstance(fields, Mapping) and read_path(fields, "name") is None:
        fields = item
    name, kind = read_path(fields, "name|__name__"), read_path(item, "type")
    if not isinstance(name, str):  # a tool of the provider's own, such as a search
        return {"type": kind, "name": kind} if isinstance(kind, str) else None
    tool: dict[str, Any] = {"type": "function", "name": name}
    if isinstance(description := read_path(fields, "description"), str):
        tool["description"] = description
    schema = read_path(fields, _SCHEMAS)
    if isinstance(schema, Mapping) and set(schema) == {"json"}:  # Bedrock's
        schema = schema["json"]
    if schema is not None and not isinstance(schema, str | type) and not callable(schema):
        tool["parameters"] = schema
    return tool


def mcp_input(value: Any) -> Any:
    """A prompt as MCP messages."""
    return mcp_messages(input_messages(value))


def mcp_output(value: Any) -> Any:
    """A response as MCP messages."""
    return mcp_messages(output_messages(value))


def messages_or_none(value: Any) -> Any:
    """Output messages, if the value is message-like."""
    return output_messages(value) if looks_like_messages(value) else None


def unless_messages(value: Any) -> Any:
    """The value, unless it is message-like."""
    return None if looks_like_messages(value) else value


def input_messages_or_none(value: Any) -> Any:
    """Input messages, if the value is message-like."""
    return input_messages(value) if looks_like_messages(value) else None


def openinference_kind(value: Any) -> str:
    """The kind of a step in OpenInference's words; `CHAIN` for what it has no word for."""
    return _OPENINFERENCE_KINDS.get(value, "CHAIN") if isinstance(value, str) else "CHAIN"


def only_true(value: Any) -> bool | None:
    """A flag that is recorded only when set (the convention's rule)."""
    return True if value is True else None


def unless_one(value: Any) -> int | None:
    """A count that is not 1 (the convention's rule)."""
    found = integer(value)
    return None if found == 1 else found


def output_type(value: Any) -> str | None:
    """The requested kind of output: `json` for a schema, else the format's own name."""
    if value is None or isinstance(value, type):
        return None if value is None else "json"
    kind = text(step(value, "type") if not isinstance(value, str) else value)
    if kind in {"text", "json", "image", "speech"}:
        return kind
    return "speech" if kind == "audio" else "json"


def transport_status(exc: Any) -> str:
    """The transport status of a failed request: `disconnected`, else `error`."""
    is_closed = isinstance(exc, ConnectionError | EOFError) or "Resource" in type(exc).__name__
    return "disconnected" if is_closed else "error"


def tool_result(value: Any) -> Any:
    """A tool's result: its structured content, else its content, else a scalar in an object."""
    structured = read_path(value, "structured_content|structuredContent")
    if structured is not None:
        return structured
    content = step(value, "content")
    if isinstance(content, Sequence) and not isinstance(content, str):
        return {"content": content}
    if isinstance(value, str | int | float | bool):
        return {"result": value}
    return value


def rpc_tool_result(envelope: Any) -> Any:
    """The result of a `tools/call` response envelope."""
    result = step(envelope, "result")
    has_content = read_path(result, "content|structured_content|structuredContent") is not None
    return tool_result(result) if has_content else None


def input_tokens(usage: Any) -> int | None:
    """All tokens sent; Anthropic's raw count leaves the cached ones out."""
    count = integer(read_path(usage, "input_tokens|prompt_tokens|inputTokens|promptTokenCount"))
    if count is None:
        return None
    raw_cache = (step(usage, "cache_read_input_tokens"), step(usage, "cache_creation_input_tokens"))
    return count + sum(integer(part) or 0 for part in raw_cache)


def byte_count(content: Any) -> int | None:
    """Size of a resource in bytes; of a base64 blob the decoded size, without decoding."""
    if isinstance(content, str):
        if content.isascii():  # known without reading it
            return len(content)
        return len(content.encode("utf-8", "replace")) if len(content) <= MAX_COUNTED else None
    if isinstance(content, bytes | bytearray):
        return len(content)
    if isinstance(blob := step(content, "blob"), str):
        return len(blob) * 3 // 4
    if isinstance(inner := read_path(content, "text|contents"), str):
        return byte_count(inner)
    if isinstance(items := inner if inner is not None else content, Sequence):
        return sum(byte_count(item) or 0 for item in islice(items, 10_000))
    return None


def count(value: Any) -> int | None:
    """The number of items."""
    return (
        len(value) if isinstance(value, Sequence | Mapping) and not isinstance(value, str) else None
    )


def percent(value: Any) -> float | None:
    """A percentage, clamped to 0 to 100."""
    found = number(value)
    return None if found is None else min(max(found, 0.0), 100.0)


def top_scores(value: Any) -> Any:
    """The ten best scores."""
    if not isinstance(value, Mapping):
        return value
    scores = islice(value.items(), 10_000)
    return dict(nlargest(10, scores, key=lambda pair: number(pair[1]) or 0.0))


def seconds_from_ns(value: Any) -> float | None:
    """Nanoseconds as seconds."""
    found = number(value)
    return None if found is None else found / 1e9


def anything(value: Any) -> Any:
    """The value as it is; JSON rows are serialised afterwards."""
    return value


CONVERSIONS: dict[str, Callable[[Any], Any]] = {
    function.__name__: function
    for function in (
        anything, boolean, byte_count, class_name, count, finish_reasons, input_messages,
        input_messages_or_none, input_tokens, integer, is_tools_call, mcp_input, mcp_output,
        messages_or_none, name, names, network_protocol, network_transport, number, only_true,
        openinference_kind, other_jsonrpc_version, output_messages, output_type, parsed, percent,
        provider, raw_finish_reason, rpc_tool_result, seconds_from_ns, server_address,
        server_command, server_port, stringified, system_instructions, text, tool_definitions,
        tool_result, top_scores, transport, transport_status, unless_messages, unless_one, uri,
    )
}  # fmt: skip


def _split_uri(value: Any) -> SplitResult:
    """Split a URI.

    Raises:
        ValueError: It is not a URI, or too long to separate its user from its host.
    """
    address = str(value)
    parts = urlsplit(address[:MAX_URI_CHARS])
    if len(address) > MAX_URI_CHARS and not (parts.path or parts.query):
        raise ValueError("the host does not end")
    return parts


def _is_uri(value: Any) -> bool:
    return "://" in str(value)[:64] if isinstance(value, str) or hasattr(value, "host") else False
