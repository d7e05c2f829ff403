"""One conversation, encoded by each convention, gives one view.

It has a system prompt, a user with an image, reasoning, a tool call and its result, an answer, and
usage with cache.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from opentelemetry.proto.resource.v1.resource_pb2 import Resource
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from inspector.service.model.rows import Json, Moment
from inspector.service.normalise import read_span, span_view
from tests.support.telemetry.otlp import START_NS, key_values, span

SYSTEM = "Answer in one sentence."
QUESTION = "What is the weather here?"
IMAGE = "iVBORw0KGgo="
THOUGHT = "Ask the tool."
CITY = {"city": "Zürich"}
WEATHER = {"temperature_c": 21}
ANSWER = "It is 21 °C."
SCHEMA = {"type": "object", "properties": {"city": {"type": "string"}}}

COMMON: dict[str, Json] = {
    "gen_ai.provider.name": "openai",
    "gen_ai.operation.name": "chat",
    "gen_ai.request.model": "gpt-4o",
    "gen_ai.response.model": "gpt-4o-2024-11-20",
}
USAGE: dict[str, Json] = {
    "gen_ai.usage.input_tokens": 120,
    "gen_ai.usage.output_tokens": 18,
    "gen_ai.usage.cache_read.input_tokens": 64,
    "gen_ai.usage.cache_write.input_tokens": 16,
    "gen_ai.usage.reasoning.output_tokens": 8,
}

SEMCONV_SYSTEM = [{"type": "text", "content": SYSTEM}]
SEMCONV_INPUT = [
    {
        "role": "user",
        "parts": [
            {"type": "text", "content": QUESTION},
            {"type": "blob", "modality": "image", "mime_type": "image/png", "content": IMAGE},
        ],
    },
    {
        "role": "assistant",
        "parts": [
            {"type": "reasoning", "content": THOUGHT},
            {"type": "tool_call", "id": "call_1", "name": "get_weather", "arguments": CITY},
        ],
    },
    {
        "role": "tool",
        "parts": [{"type": "tool_call_response", "id": "call_1", "response": WEATHER}],
    },
]
SEMCONV_OUTPUT = [
    {
        "role": "assistant",
        "parts": [{"type": "text", "content": ANSWER}],
        "finish_reason": "stop",
    }
]
SEMCONV_TOOLS = [{"type": "function", "name": "get_weather", "parameters": SCHEMA}]
SEMCONV: dict[str, Any] = {
    "gen_ai.system_instructions": SEMCONV_SYSTEM,
    "gen_ai.input.messages": SEMCONV_INPUT,
    "gen_ai.output.messages": SEMCONV_OUTPUT,
    "gen_ai.tool.definitions": SEMCONV_TOOLS,
}
SEMCONV_END: dict[str, Json] = {"gen_ai.response.finish_reasons": ["stop"]}

EncodedSpan = tuple[Span, list[Moment]]

# OpenAI's chat, in which several conventions write.
DATA_URL = f"data:image/png;base64,{IMAGE}"
OPENAI_CONTENT = [
    {"type": "text", "text": QUESTION},
    {"type": "image_url", "image_url": {"url": DATA_URL}},
]
OPENAI_CALL = {
    "id": "call_1",
    "type": "function",
    "function": {"name": "get_weather", "arguments": json.dumps(CITY, ensure_ascii=False)},
}
OPENAI_CHAT = [
    {"role": "system", "content": SYSTEM},
    {"role": "user", "content": OPENAI_CONTENT},
    {
        "role": "assistant",
        "content": None,
        "reasoning_content": THOUGHT,
        "tool_calls": [OPENAI_CALL],
    },
    {"role": "tool", "tool_call_id": "call_1", "content": json.dumps(WEATHER)},
]
OPENAI_TOOLS = [{"type": "function", "function": {"name": "get_weather", "parameters": SCHEMA}}]
OPENAI_CHOICE = {
    "index": 0,
    "finish_reason": "stop",
    "message": {"role": "assistant", "content": ANSWER},
}

# Bedrock's content blocks, in which Strands writes.
BEDROCK_USER = [
    {"text": QUESTION},
    {"image": {"format": "png", "source": {"bytes": IMAGE}}},
]
BEDROCK_CALL = [
    {"reasoningContent": {"reasoningText": {"text": THOUGHT}}},
    {"toolUse": {"toolUseId": "call_1", "name": "get_weather", "input": CITY}},
]
BEDROCK_RESULT = [{"toolResult": {"toolUseId": "call_1", "content": [{"json": WEATHER}]}}]


def dumps(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def event(name: str, **attributes: Json) -> Span.Event:
    named = {key.replace("__", "."): value for key, value in attributes.items()}
    return Span.Event(name=name, time_unix_nano=START_NS, attributes=key_values(named))


def moment(name: str, attributes: dict[str, Json], body: Json = None) -> Moment:
    return Moment("s", "1", "1", START_NS, name, attributes, body)


def semconv_text() -> EncodedSpan:
    texts = {key: dumps(value) for key, value in SEMCONV.items()}
    return encoded({**COMMON, **USAGE, **SEMCONV_END, **texts})


def semconv_structured() -> EncodedSpan:
    return encoded({**COMMON, **USAGE, **SEMCONV_END, **SEMCONV})


def details_event_on_the_span() -> EncodedSpan:
    partial = [
        Span.Event(
            name="gen_ai.client.inference.operation.details",
            time_unix_nano=START_NS,
            attributes=key_values({key: dumps(value)}),
        )
        for key, value in SEMCONV.items()
    ]
    return encoded({**COMMON, **USAGE, **SEMCONV_END}, events=partial)


def details_event_in_a_log() -> EncodedSpan:
    log = moment("gen_ai.client.inference.operation.details", dict(SEMCONV))
    return encoded({**COMMON, **USAGE, **SEMCONV_END}, moments=[log])


def details_event_for_each_message() -> EncodedSpan:
    name = "gen_ai.client.inference.operation.details"
    logs = [moment(name, {"gen_ai.input.messages": [message]}) for message in SEMCONV_INPUT]
    rest = {key: value for key, value in SEMCONV.items() if key != "gen_ai.input.messages"}
    return encoded({**COMMON, **USAGE, **SEMCONV_END}, moments=[*logs, moment(name, rest)])


def message_events_of_strands() -> EncodedSpan:
    events = [
        event("gen_ai.system.message", content=dumps([{"text": SYSTEM}])),
        event("gen_ai.user.message", content=dumps(BEDROCK_USER)),
        event("gen_ai.assistant.message", content=dumps(BEDROCK_CALL)),
        event("gen_ai.tool.message", content=dumps(BEDROCK_RESULT)),
        event("gen_ai.choice", message=dumps([{"text": ANSWER}]), finish_reason="end_turn"),
    ]
    tools = {"gen_ai.tool.definitions": dumps(SEMCONV_TOOLS)}
    return encoded({**COMMON, **USAGE, **tools}, events=events)


def message_events_in_logs() -> EncodedSpan:
    logs = [
        moment("gen_ai.system.message", {}, {"content": SYSTEM}),
        moment("gen_ai.user.message", {}, {"content": OPENAI_CONTENT}),
        moment(
            "gen_ai.assistant.message",
            {},
            {"reasoning_content": THOUGHT, "tool_calls": [OPENAI_CALL]},
        ),
        moment("gen_ai.tool.message", {}, {"id": "call_1", "content": dumps(WEATHER)}),
        moment("gen_ai.choice", {}, OPENAI_CHOICE),
    ]
    tools = {"gen_ai.tool.definitions": SEMCONV_TOOLS}
    return encoded({**COMMON, **USAGE, **SEMCONV_END, **tools}, moments=logs)


def openinference() -> EncodedSpan:
    message = "llm.input_messages.{}.message.{}"
    attributes: dict[str, Json] = {
        "openinference.span.kind": "LLM",
        "llm.provider": "openai",
        "llm.model_name": "gpt-4o-2024-11-20",
        "llm.invocation_parameters": dumps({"model": "gpt-4o"}),
        message.format(0, "role"): "system",
        message.format(0, "content"): SYSTEM,
        message.format(1, "role"): "user",
        message.format(1, "contents.0.message_content.type"): "text",
        message.format(1, "contents.0.message_content.text"): QUESTION,
        message.format(1, "contents.1.message_content.type"): "image",
        message.format(1, "contents.1.message_content.image.image.url"): DATA_URL,
        message.format(2, "role"): "assistant",
        message.format(2, "contents.0.message_content.type"): "reasoning",
        message.format(2, "contents.0.message_content.text"): THOUGHT,
        message.format(2, "tool_calls.0.tool_call.id"): "call_1",
        message.format(2, "tool_calls.0.tool_call.function.name"): "get_weather",
        message.format(2, "tool_calls.0.tool_call.function.arguments"): dumps(CITY),
        message.format(3, "role"): "tool",
        message.format(3, "tool_call_id"): "call_1",
        message.format(3, "content"): dumps(WEATHER),
        "llm.output_messages.0.message.role": "assistant",
        "llm.output_messages.0.message.content": ANSWER,
        "llm.tools.0.tool.json_schema": dumps(OPENAI_TOOLS[0]),
        "llm.finish_reason": "stop",
        "llm.token_count.prompt": 120,
        "llm.token_count.completion": 18,
        "llm.token_count.prompt_details.cache_read": 64,
        "llm.token_count.prompt_details.cache_write": 16,
        "llm.token_count.completion_details.reasoning": 8,
    }
    return encoded(attributes)


def traceloop() -> EncodedSpan:
    attributes: dict[str, Json] = {
        "llm.request.type": "chat",
        "gen_ai.system": "OpenAI",
        "gen_ai.request.model": "gpt-4o",
        "gen_ai.response.model": "gpt-4o-2024-11-20",
        "gen_ai.prompt.0.role": "system",
        "gen_ai.prompt.0.content": SYSTEM,
        "gen_ai.prompt.1.role": "user",
        "gen_ai.prompt.1.content": dumps(OPENAI_CONTENT),
        "gen_ai.prompt.2.role": "assistant",
        "gen_ai.prompt.2.reasoning_content": THOUGHT,
        "gen_ai.prompt.2.tool_calls.0.id": "call_1",
        "gen_ai.prompt.2.tool_calls.0.name": "get_weather",
        "gen_ai.prompt.2.tool_calls.0.arguments": dumps(CITY),
        "gen_ai.prompt.3.role": "tool",
        "gen_ai.prompt.3.tool_call_id": "call_1",
        "gen_ai.prompt.3.content": dumps(WEATHER),
        "gen_ai.completion.0.role": "assistant",
        "gen_ai.completion.0.content": ANSWER,
        "gen_ai.completion.0.finish_reason": "stop",
        "llm.request.functions.0.name": "get_weather",
        "llm.request.functions.0.parameters": dumps(SCHEMA),
        "gen_ai.usage.prompt_tokens": "120",
        "gen_ai.usage.completion_tokens": 18.0,
        "llm.usage.total_tokens": 138,
        "gen_ai.usage.cache_read_input_tokens": 64,
        "gen_ai.usage.cache_creation_input_tokens": 16,
        "gen_ai.usage.reasoning_tokens": 8,
    }
    return encoded(attributes)


def vercel() -> EncodedSpan:
    messages = [
        {"role": "system", "content": SYSTEM},
        {
            "role": "user",
            "content": [
                {"type": "text", "text": QUESTION},
                {"type": "file", "mediaType": "image/png", "data": IMAGE},
            ],
        },
        {
            "role": "assistant",
            "content": [
                {"type": "reasoning", "text": THOUGHT},
                {
                    "type": "tool-call",
                    "toolCallId": "call_1",
                    "toolName": "get_weather",
                    "input": CITY,
                },
            ],
        },
        {
            "role": "tool",
            "content": [
                {
                    "type": "tool-result",
                    "toolCallId": "call_1",
                    "toolName": "get_weather",
                    "output": {"type": "json", "value": WEATHER},
                }
            ],
        },
    ]
    tool = {"type": "function", "name": "get_weather", "inputSchema": SCHEMA}
    attributes: dict[str, Json] = {
        "ai.operationId": "ai.generateText.doGenerate",
        "ai.model.provider": "openai.chat",
        "ai.model.id": "gpt-4o",
        "ai.response.model": "gpt-4o-2024-11-20",
        "ai.prompt.messages": dumps(messages),
        "ai.prompt.tools": [dumps(tool)],
        "ai.response.text": ANSWER,
        "ai.response.finishReason": "stop",
        "ai.usage.inputTokens": 120,
        "ai.usage.outputTokens": 18,
        "ai.usage.cachedInputTokens": 64,
        "ai.usage.inputTokenDetails.cacheReadTokens": 64,
        "ai.usage.inputTokenDetails.cacheWriteTokens": 16,
        "ai.usage.reasoningTokens": 8,
    }
    return encoded(attributes)


def pydantic_ai() -> EncodedSpan:
    messages = [
        {"role": "system", "parts": SEMCONV_SYSTEM},
        SEMCONV_INPUT[0],
        {
            "role": "assistant",
            "parts": [
                {"type": "thinking", "content": THOUGHT},
                {"type": "tool_call", "id": "call_1", "name": "get_weather", "arguments": CITY},
            ],
        },
        {
            "role": "user",
            "parts": [{"type": "tool_call_response", "id": "call_1", "result": WEATHER}],
        },
    ]
    usage = {
        **{key: value for key, value in USAGE.items() if "cache_write" not in key},
        "gen_ai.usage.cache_creation.input_tokens": 16,
        "gen_ai.usage.details.cache_write_tokens": 16,
    }
    parameters = {"function_tools": [{"name": "get_weather", "parameters_json_schema": SCHEMA}]}
    return encoded(
        {
            **COMMON,
            **usage,
            **SEMCONV_END,
            "gen_ai.input.messages": dumps(messages),
            "gen_ai.output.messages": dumps(SEMCONV_OUTPUT),
            "model_request_parameters": dumps(parameters),
        }
    )


def pydantic_ai_1() -> EncodedSpan:
    user = {"event.name": "gen_ai.user.message", "role": "user", "content": OPENAI_CONTENT}
    events = [
        {"event.name": "gen_ai.system.message", "role": "system", "content": SYSTEM},
        user,
        {
            "event.name": "gen_ai.assistant.message",
            "role": "assistant",
            "content": [{"kind": "thinking", "type": "thinking", "text": THOUGHT}],
            "tool_calls": [OPENAI_CALL],
        },
        {
            "event.name": "gen_ai.tool.message",
            "role": "tool",
            "content": WEATHER,
            "id": "call_1",
            "name": "get_weather",
        },
        {"event.name": "gen_ai.choice", "index": 0, "message": OPENAI_CHOICE["message"]},
    ]
    tools = {"gen_ai.tool.definitions": dumps(SEMCONV_TOOLS)}
    return encoded({**COMMON, **USAGE, **SEMCONV_END, **tools, "events": dumps(events)})


def langsmith() -> EncodedSpan:
    attributes: dict[str, Json] = {
        "langsmith.span.kind": "llm",
        "langsmith.metadata.ls_provider": "openai",
        "gen_ai.system": "langchain",
        "gen_ai.request.model": "gpt-4o",
        "gen_ai.response.model": "gpt-4o-2024-11-20",
        "gen_ai.prompt": dumps({"messages": OPENAI_CHAT, "model": "gpt-4o", "tools": OPENAI_TOOLS}),
        "gen_ai.completion": dumps({"id": "x", "choices": [OPENAI_CHOICE], "model": "gpt-4o"}),
        "gen_ai.response.finish_reasons": ["stop"],
        "gen_ai.usage.input_tokens": 120,
        "gen_ai.usage.output_tokens": 18,
        "gen_ai.usage.input_token_details": "{'cache_read': 64, 'cache_creation': 16}",
        "gen_ai.usage.output_token_details": "{'reasoning': 8}",
    }
    return encoded(attributes)


def langchain_messages() -> EncodedSpan:
    def made(name: str, **kwargs: Json) -> Json:
        return {
            "lc": 1,
            "type": "constructor",
            "id": ["langchain", "schema", "messages", name],
            "kwargs": kwargs,
        }

    call = {"type": "tool_call", "id": "call_1", "name": "get_weather", "args": CITY}
    messages = [
        made("SystemMessage", content=SYSTEM),
        made("HumanMessage", content=OPENAI_CONTENT),
        made(
            "AIMessage",
            content=[{"type": "thinking", "thinking": THOUGHT}],
            tool_calls=[call],
        ),
        made("ToolMessage", content=dumps(WEATHER), tool_call_id="call_1"),
    ]
    generated = {"generations": [[{"text": ANSWER, "message": made("AIMessage", content=ANSWER)}]]}
    attributes: dict[str, Json] = {
        **COMMON,
        **USAGE,
        **SEMCONV_END,
        "langsmith.span.kind": "llm",
        "gen_ai.tool.definitions": dumps(SEMCONV_TOOLS),
        "gen_ai.prompt": dumps({"messages": [messages]}),
        "gen_ai.completion": dumps(generated),
    }
    return encoded(attributes)


def anthropic_messages() -> EncodedSpan:
    """A whole request to Anthropic, as programs without a convention write it."""
    source = {"type": "base64", "media_type": "image/png", "data": IMAGE}
    call = {"type": "tool_use", "id": "call_1", "name": "get_weather", "input": CITY}
    result = {"type": "tool_result", "tool_use_id": "call_1", "content": dumps(WEATHER)}
    messages = [
        {
            "role": "user",
            "content": [{"type": "text", "text": QUESTION}, {"type": "image", "source": source}],
        },
        {"role": "assistant", "content": [{"type": "thinking", "thinking": THOUGHT}, call]},
        {"role": "user", "content": [result]},
    ]
    answer = {
        "role": "assistant",
        "type": "message",
        "content": [{"type": "text", "text": ANSWER}],
        "stop_reason": "end_turn",
    }
    attributes: dict[str, Json] = {
        **COMMON,
        **USAGE,
        "gen_ai.tool.definitions": dumps([{"name": "get_weather", "input_schema": SCHEMA}]),
        "input.value": dumps({"system": SYSTEM, "messages": messages}),
        "output.value": dumps(answer),
        "gen_ai.response.finish_reasons": ["end_turn"],
    }
    return encoded(attributes)


def encoded(
    attributes: dict[str, Json],
    *,
    events: list[Span.Event] | None = None,
    moments: list[Moment] | None = None,
) -> EncodedSpan:
    return span("chat", attributes=attributes, events=events or []), moments or []


ENCODINGS: list[Callable[[], EncodedSpan]] = [
    semconv_structured,
    details_event_on_the_span,
    details_event_in_a_log,
    details_event_for_each_message,
    message_events_of_strands,
    message_events_in_logs,
    openinference,
    traceloop,
    vercel,
    pydantic_ai,
    pydantic_ai_1,
    langsmith,
    langchain_messages,
    anthropic_messages,
]


def comparable(sent: Span, moments: list[Moment]) -> dict[str, Any]:
    """Return a view as data, without raw finish reasons, and with JSON parsed."""
    plain = span_view(sent, moments).model_dump(exclude={"truncated", "metadata"})
    plain["llm"]["finish_reasons_raw"] = None
    return _with_json_parsed(plain)  # type: ignore[no-any-return]  # of a dict


def _with_json_parsed(node: Any) -> Any:
    if isinstance(node, list):
        return [_with_json_parsed(item) for item in node]
    if isinstance(node, dict):
        if node.keys() >= {"text", "is_json"}:
            return json.loads(node["text"]) if node["is_json"] else node["text"]
        return {key: _with_json_parsed(value) for key, value in node.items()}
    return node


@pytest.mark.parametrize("encoding", ENCODINGS, ids=lambda encoding: encoding.__name__)
def test_every_encoding_of_the_conversation_gives_the_same_view(
    encoding: Callable[[], EncodedSpan],
) -> None:
    assert comparable(*encoding()) == comparable(*semconv_text())


@pytest.mark.parametrize("encoding", ENCODINGS, ids=lambda encoding: encoding.__name__)
def test_the_question_becomes_the_title_where_the_span_has_it(
    encoding: Callable[[], EncodedSpan],
) -> None:
    sent, moments = encoding()
    expected = None if moments else QUESTION
    assert read_span(sent, Resource()).first_user_message == expected


def test_the_view_is_the_conversation() -> None:
    shown = span_view(*semconv_text())
    assert [
        (message.origin, message.role, [part.type for part in message.parts])
        for message in shown.messages
    ] == [
        ("system", "system", ["text"]),
        ("input", "user", ["text", "blob"]),
        ("input", "assistant", ["reasoning", "tool_call"]),
        ("input", "tool", ["tool_result"]),
        ("output", "assistant", ["text"]),
    ]
    assert shown.usage is not None
    assert shown.usage.model_dump() == {
        "input_tokens": 120,
        "output_tokens": 18,
        "cache_read_tokens": 64,
        "cache_write_tokens": 16,
        "reasoning_tokens": 8,
        "cost_usd": None,
        "cost_source": None,
        "is_aggregate": False,
        "is_suspect": False,
    }
    assert shown.llm is not None
    assert (shown.llm.provider, shown.llm.finish_reasons) == ("openai", ["stop"])
    assert [tool.name for tool in shown.llm.tools_offered] == ["get_weather"]
