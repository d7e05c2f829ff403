"""The rules that keep numbers right and lose nothing, in every convention."""

from __future__ import annotations

import contextlib
import json
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from opentelemetry.exporter.otlp.proto.common.trace_encoder import encode_spans
from opentelemetry.proto.resource.v1.resource_pb2 import Resource
from opentelemetry.proto.trace.v1.trace_pb2 import Span
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import StatusCode

from inspector.service.model.rows import Json, Moment, SpanKind
from inspector.service.normalise import read_span, span_view
from inspector.service.normalise.conventions import CONVENTIONS
from inspector.service.normalise.finish_reasons import finish_reason
from inspector.service.normalise.flattened import MAX_INDEX, expand
from inspector.service.normalise.providers import provider_name
from inspector.service.wire import ErrorView, View
from tests.support.telemetry.otlp import START_NS, key_values, span

LLM: dict[str, Json] = {"gen_ai.operation.name": "chat"}
JSON_VALUES: st.SearchStrategy[Json] = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.floats() | st.text(),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(
                ["role", "content", "parts", "type", "text", "tool_calls", "message", "messages"]
            )
            | st.text(max_size=4),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


def view(attributes: dict[str, Json], **about: Any) -> View:
    return span_view(span(attributes=attributes, **about))


# --- bad input --------------------------------------------------------------------------------


def _concrete(key: str) -> str:
    return key.replace("*", "x.0.role").replace(".N", ".0")


CONVENTION_KEYS = sorted(
    {
        _concrete(key)
        for convention in CONVENTIONS
        for key in convention.keys
        if not key.startswith("event")
    }
)
EVENTS = sorted(
    {
        "First Token Stream Event",
        "exception",
        "gen_ai.assistant.message",
        "gen_ai.choice",
        "gen_ai.client.inference.operation.details",
        "gen_ai.content.prompt",
        "gen_ai.system.message",
        "gen_ai.tool.message",
        "gen_ai.user.message",
    }
)
EVENT_KEYS = sorted(
    {
        "content",
        "finish_reason",
        "gen_ai.event.content",
        "gen_ai.input.messages",
        "gen_ai.prompt",
        "id",
        "message",
        "messages.0.role",
        "role",
        "tool.result",
        "tool_calls",
    }
)


@given(
    st.dictionaries(
        st.sampled_from(CONVENTION_KEYS),
        JSON_VALUES | JSON_VALUES.map(lambda value: json.dumps(value)),
        max_size=5,
    ),
    st.lists(
        st.tuples(
            st.sampled_from(EVENTS),
            st.dictionaries(st.sampled_from(EVENT_KEYS), JSON_VALUES, max_size=4),
            JSON_VALUES,
        ),
        max_size=4,
    ),
    st.sampled_from(["chat", "execute_tool", "embeddings", "invoke_agent", "x"]),
)
def test_nothing_that_a_convention_reads_makes_reading_fail(
    attributes: dict[str, Json],
    events: list[tuple[str, dict[str, Json], Json]],
    operation: str,
) -> None:
    attributes = {**attributes, "gen_ai.operation.name": operation}
    on_span = [
        Span.Event(name=name, time_unix_nano=START_NS, attributes=key_values(fields))
        for name, fields, _ in events
    ]
    in_logs = [Moment("s", "1", "1", START_NS + 1, *event) for event in events]
    sent = span(attributes=attributes, events=on_span)
    span_view(sent, in_logs).model_dump_json()
    read_span(sent, Resource())


@pytest.mark.parametrize(
    "deep",
    [
        '{"message":' * 3000 + "1" + "}" * 3000,
        '{"messages":' * 900 + "[]" + "}" * 900,
        "[" * 900 + "]" * 900,
        '[{"role":"user","content":' * 400 + "1" + "}]" * 400,
    ],
)
@pytest.mark.parametrize(
    "key", ["gen_ai.input.messages", "gen_ai.prompt", "input.value", "ai.prompt.messages"]
)
def test_messages_nested_without_end_are_shown_as_something(deep: str, key: str) -> None:
    sent = span(attributes={**LLM, key: deep})
    assert len(span_view(sent).model_dump_json()) < 10 * len(deep) + 1000
    read_span(sent, Resource())


def test_a_lone_surrogate_a_long_prompt_and_markup_stay() -> None:
    prompt = '[{"role":"user","content":"\\ud83d <b>' + "x" * 2**21 + '"}]'
    [message] = view({**LLM, "gen_ai.input.messages": prompt}).messages
    [part] = message.parts
    assert part.type == "text"
    assert len(part.text) > 2**21


def test_what_was_meant_as_json_and_is_none_is_marked() -> None:
    cut = '[{"role":"user","con'
    for key in ("gen_ai.input.messages", "mcp.llm.prompt_json", "ai.prompt.messages"):
        [message] = view({**LLM, key: cut}).messages
        assert [part.model_dump() for part in message.parts] == [
            {"type": "text", "text": cut, "parse_error": True, "is_refusal": False}
        ]
        assert read_span(span(attributes={**LLM, key: cut}), Resource()).first_user_message is None


def test_a_prompt_that_is_plain_text_is_not_an_error() -> None:
    for key in ("gen_ai.prompt", "ai.prompt", "input.value", "message.content"):
        [message] = view({**LLM, key: "[INST] Hello"}).messages
        assert [part.model_dump(exclude={"is_refusal"}) for part in message.parts] == [
            {"type": "text", "text": "[INST] Hello", "parse_error": False}
        ]


# --- flattened --------------------------------------------------------------------------------


@given(st.sets(st.integers(0, 3000), max_size=12))
@example({0, MAX_INDEX - 1, MAX_INDEX})
def test_holes_between_indexes_close_and_indexes_beyond_the_cap_are_left(
    indexes: set[int],
) -> None:
    attributes: dict[str, Json] = {f"m.{index}.role": str(index) for index in indexes}
    expected = [{"role": str(index)} for index in sorted(indexes) if index < MAX_INDEX]
    assert expand(attributes, "m.") == (expected or None)


@given(st.dictionaries(st.text(".ab01", max_size=12).map("m.".__add__), st.just(1), max_size=12))
def test_keys_that_contradict_each_other_are_expanded_somehow(attributes: dict[str, Json]) -> None:
    json.dumps(expand(attributes, "m."))


def test_ten_thousand_flattened_messages_are_a_thousand() -> None:
    attributes: dict[str, Json] = {
        f"llm.input_messages.{n}.message.content": "x" for n in range(10_000)
    }
    assert len(view({**LLM, **attributes}).messages) == MAX_INDEX


# --- usage ------------------------------------------------------------------------------------


@pytest.mark.parametrize("value", [12, 12.0, "12", "12.0"])
def test_a_count_may_be_written_as_any_kind_of_number(value: Json) -> None:
    usage = view({**LLM, "gen_ai.usage.input_tokens": value}).usage
    assert usage is not None
    assert usage.input_tokens == 12


@pytest.mark.parametrize("value", [-1, "-1", "many", True, "NaN", float("inf"), 2**63])
def test_a_count_that_cannot_be_is_left_out(value: Json) -> None:
    attributes = {**LLM, "gen_ai.usage.input_tokens": value if value != 2**63 else str(value)}
    assert view(attributes).usage is None


def test_the_two_names_of_written_cache_are_one_count() -> None:
    usage = view(
        {
            **LLM,
            "gen_ai.usage.input_tokens": 100,
            "gen_ai.usage.cache_creation.input_tokens": 40,
            "gen_ai.usage.cache_write.input_tokens": 40,
            "gen_ai.usage.details.cache_write_tokens": 40,
        }
    ).usage
    assert usage is not None
    assert usage.cache_write_tokens == 40
    assert not usage.is_suspect


def test_more_cached_than_sent_is_flagged_and_not_mended() -> None:
    usage = view(
        {
            **LLM,
            "gen_ai.usage.input_tokens": 10,
            "gen_ai.usage.cache_read.input_tokens": 900,
            "gen_ai.usage.cache_write.input_tokens": 90,
        }
    ).usage
    assert usage is not None
    assert usage.is_suspect
    assert (usage.input_tokens, usage.cache_read_tokens) == (10, 900)


@pytest.mark.parametrize(
    "details",
    [
        "{'cache_read': 64}",
        '{"cache_read": 64}',
        {"cache_read": 64},
        "__import__('os').system('true')",
        "{" * 5000,
        "{'cache_read': " + "9" * 5000 + "}",
        "{" + "'a':{" * 300 + "}" * 301,
    ],
)
def test_details_in_pythons_own_spelling_are_read_and_never_run(details: Json) -> None:
    usage = view(
        {**LLM, "gen_ai.usage.input_tokens": 100, "gen_ai.usage.input_token_details": details}
    ).usage
    assert usage is not None
    is_sound = isinstance(details, dict) or str(details).endswith("64}")
    assert usage.cache_read_tokens == (64 if is_sound else None)


def test_an_agents_usage_is_marked_as_a_sum() -> None:
    usage = view(
        {
            "gen_ai.operation.name": "invoke_agent",
            "gen_ai.aggregated_usage.input_tokens": 270,
            "gen_ai.aggregated_usage.output_tokens": 30,
        }
    ).usage
    assert usage is not None
    assert (usage.input_tokens, usage.output_tokens, usage.is_aggregate) == (270, 30, True)


# --- names ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ("tool_calls", "tool_call"),
        ("tool-calls", "tool_call"),
        ("tool_use", "tool_call"),
        ("function_call", "tool_call"),
        ("end_turn", "stop"),
        ("stop_sequence", "stop"),
        ("STOP", "stop"),
        ("max_tokens", "length"),
        ("MAX_TOKENS", "length"),
        ("content-filter", "content_filter"),
        ("SAFETY", "content_filter"),
        ("refusal", "content_filter"),
        ("pause_turn", "pause_turn"),
    ],
)
def test_a_finish_reason_has_one_name_and_keeps_its_own(raw: str, expected: str) -> None:
    assert finish_reason(raw) == expected
    llm = view({**LLM, "gen_ai.response.finish_reasons": [raw]}).llm
    assert llm is not None
    assert (llm.finish_reasons, llm.finish_reasons_raw) == ([expected], [raw])


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ("openai", "openai"),
        ("OpenAI", "openai"),
        ("openai.chat", "openai"),
        ("openai.responses", "openai"),
        ("az.ai.inference", "azure.ai.inference"),
        ("azure.ai.openai", "azure.ai.openai"),
        ("vertex_ai", "gcp.vertex_ai"),
        ("gemini", "gcp.gemini"),
        ("xai", "x_ai"),
        ("aws", "aws.bedrock"),
        ("bedrock", "aws.bedrock"),
        ("aws.bedrock", "aws.bedrock"),
        ("mistralai", "mistral_ai"),
        ("anthropic.messages", "anthropic"),
        ("strands-agents", None),
        ("", None),
        (None, None),
    ],
)
def test_a_provider_has_one_name_and_a_framework_is_none(
    raw: str | None, expected: str | None
) -> None:
    assert provider_name(raw) == expected


@pytest.mark.parametrize("key", ["response", "result", "content"])
def test_a_tools_answer_may_be_called_anything(key: str) -> None:
    part = {"type": "tool_call_response", "id": "1", key: {"ok": 1}}
    attributes = {**LLM, "gen_ai.input.messages": [{"role": "tool", "parts": [part]}]}
    [message] = view(attributes).messages
    [shown] = message.parts
    assert shown.type == "tool_result"
    assert shown.result is not None
    assert json.loads(shown.result.text) == {"ok": 1}


# --- status and errors ------------------------------------------------------------------------


def test_a_tool_that_answers_with_an_error_failed_though_its_call_went_well() -> None:
    def is_error(result: Json, **attributes: Json) -> bool:
        tool = view(
            {"mcp.method.name": "tools/call", "gen_ai.tool.call.result": result, **attributes}
        ).tool
        assert tool is not None
        return tool.is_error

    assert is_error('{"content": [], "isError": true}')
    assert is_error({"content": [], "isError": True})
    assert is_error("x", **{"gen_ai.tool.status": "error"})
    assert is_error("x", **{"result.isError": True})
    assert not is_error('{"content": [], "isError": false}')
    assert not is_error('{"resultType": "input_required", "isError": false}')
    assert not is_error('{"resultType": "task"}')
    assert not is_error('the text says "isError": true')


def test_the_callers_fault_is_an_error_on_its_own_end_only() -> None:
    attributes: dict[str, Json] = {
        "mcp.method.name": "tools/call",
        "rpc.response.status_code": "-32602",
    }
    assert view(attributes, kind=Span.SPAN_KIND_SERVER).error is None
    client = view(
        {**attributes, "error.type": "-32602"}, kind=Span.SPAN_KIND_CLIENT, error="bad params"
    )
    assert client.error is not None
    assert (client.error.code, client.error.message) == ("-32602", "bad params")


def test_an_exception_may_come_as_a_log_record() -> None:
    moment = Moment(
        "s",
        "1",
        "1",
        START_NS,
        "exception",
        {"exception.type": "ValueError", "exception.message": "no", "exception.stacktrace": "T"},
    )
    error = span_view(span(error=""), [moment]).error
    assert error is not None
    assert (error.type, error.message, error.stacktrace) == ("ValueError", "no", "T")


def _recorded(raised: Exception, status: str | None = None) -> ErrorView:
    """Return the error of a span that OpenTelemetry's SDK wrote, as it left the process."""
    exporter, provider = InMemorySpanExporter(), TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    with (
        contextlib.suppress(type(raised)),
        provider.get_tracer("shop").start_as_current_span(
            "GET /items", set_status_on_exception=status is None
        ) as current,
    ):
        if status is not None:
            current.set_status(StatusCode.ERROR, status)
        raise raised
    sent = encode_spans(exporter.get_finished_spans()).resource_spans[0].scope_spans[0].spans[0]
    error = span_view(sent).error
    assert error is not None
    return error


def test_an_exception_that_the_sdk_recorded_appears_once() -> None:
    error = _recorded(json.JSONDecodeError("no object", "<html>", 0))
    assert error.type == "json.decoder.JSONDecodeError"
    assert error.message == "no object: line 1 column 1 (char 0)"
    assert error.status_message is None, "the SDK's summary of the exception says no more"
    assert "Traceback" in str(error.stacktrace)


def test_a_status_that_says_more_than_the_exception_stands_beside_it() -> None:
    error = _recorded(KeyError("sku"), "The price list is not complete.")
    assert (error.type, error.message) == ("KeyError", "'sku'")
    assert error.status_message == "The price list is not complete."


@pytest.mark.parametrize(
    ("stated", "code"), [("timeout", "timeout"), ("TimeoutError", None), ("_OTHER", None)]
)
def test_a_stated_type_that_is_not_the_exceptions_is_its_code(
    stated: str, code: str | None
) -> None:
    raised = {"exception.type": "asyncio.TimeoutError", "exception.message": "no answer"}
    event = Span.Event(name="exception", time_unix_nano=START_NS, attributes=key_values({**raised}))
    error = view({"error.type": stated}, error="no answer", events=[event]).error
    assert error is not None
    assert (error.type, error.code) == ("asyncio.TimeoutError", code)


@pytest.mark.parametrize("key", ["jsonrpc.request.id", "mcp.request.id", "mcp.request_id"])
@pytest.mark.parametrize("value", [7, "7"])
def test_a_request_id_has_three_names_and_two_types(key: str, value: Json) -> None:
    mcp = view({"mcp.method.name": "tools/list", key: value}).mcp
    assert mcp is not None
    assert mcp.request_id == "7"


def test_logfires_mcp_requests_are_mcp_with_both_envelopes() -> None:
    attributes: dict[str, Json] = {
        "rpc.system": "jsonrpc",
        "rpc.method": "tools/call",
        "request": '{"method":"tools/call","params":{"name":"add","arguments":{"a":1}}}',
        "response": '{"content":[{"type":"text","text":"1"}],"isError":false}',
        "logfire.span_type": "span",
    }
    shown = view(attributes, name="MCP request: tools/call add")
    assert shown.tool is not None
    assert (shown.tool.name, shown.tool.is_error) == ("add", False)
    assert shown.tool.arguments is not None
    assert json.loads(shown.tool.arguments.text) == {"a": 1}
    assert shown.mcp is not None
    assert shown.mcp.method == "tools/call"
    assert shown.mcp.request is not None
    other = view({**attributes, "rpc.method": "tools/list"})
    assert other.tool is None


# --- sessions, people, metadata ---------------------------------------------------------------


def test_a_conversation_that_pydantic_ai_made_up_is_no_session() -> None:
    made_up: dict[str, Json] = {"gen_ai.conversation.id": "u", "gen_ai.agent.call.id": "c"}
    assert read_span(span(attributes=made_up), Resource()).session_key is None
    named: dict[str, Json] = {**made_up, "session.id": "mine"}
    assert read_span(span(attributes=named), Resource()).session_key == (0, "mine")


@pytest.mark.parametrize(
    ("attributes", "user", "metadata"),
    [
        ({"user.id": "ann"}, "ann", {}),
        ({"metadata": '{"team": "a"}', "user.id": "ann"}, "ann", {"team": "a"}),
        (
            {"traceloop.association.properties.user_id": "ann"},
            "ann",
            {"user_id": "ann"},
        ),
        ({"ai.telemetry.metadata.userId": "ann"}, "ann", {"userId": "ann"}),
        (
            {"langsmith.metadata.team": "a", "langsmith.metadata.LANGSMITH_API_KEY": "x"},
            None,
            {"team": "a"},
        ),
    ],
)
def test_who_it_was_for_and_what_the_application_added_are_read(
    attributes: dict[str, Json], user: str | None, metadata: dict[str, Json]
) -> None:
    shown = view({**LLM, **attributes})
    assert (shown.user_id, shown.metadata) == (user, metadata)


# --- media ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "part",
    [
        {"type": "blob", "modality": "image", "mime_type": "image/png", "content": "aGk="},
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,aGk="}},
        {"type": "input_image", "image_url": "data:image/png;base64,aGk="},
        {
            "type": "image",
            "source": {"type": "base64", "media_type": "image/png", "data": "aGk="},
        },
        {"image": {"format": "png", "source": {"bytes": "aGk="}}},
        {"inlineData": {"mimeType": "image/png", "data": "aGk="}},
        {"type": "file", "mediaType": "image/png", "data": "aGk="},
        {"type": "image", "mediaType": "image/png", "image": "data:image/png;base64,aGk="},
        {"type": "image", "mimeType": "image/png", "data": "aGk="},
    ],
)
def test_an_image_is_an_image_in_every_dialect(part: dict[str, Any]) -> None:
    [message] = view(
        {**LLM, "gen_ai.input.messages": [{"role": "user", "content": [part]}]}
    ).messages
    assert [shown.model_dump() for shown in message.parts] == [
        {
            "type": "blob",
            "modality": "image",
            "mime_type": "image/png",
            "data": "aGk=",
            "size_bytes": None,
            "name": None,
        }
    ]


def test_a_file_keeps_its_name() -> None:
    content = [
        {"type": "file", "filename": "plan.pdf", "mediaType": "application/pdf", "data": "aGk="},
        {"document": {"name": "notes", "format": "pdf", "source": {"bytes": "aGk="}}},
        {"type": "file", "file": {"filename": "a.txt", "file_id": "f1"}},
    ]
    [message] = view(
        {**LLM, "gen_ai.input.messages": [{"role": "user", "content": content}]}
    ).messages
    named = [part.name for part in message.parts if part.type in ("blob", "link")]
    assert named == ["plan.pdf", "notes", "a.txt"]


@pytest.mark.parametrize(
    "answer",
    [
        {"role": "assistant", "content": None, "refusal": "I will not."},
        {"role": "assistant", "content": [{"type": "refusal", "refusal": "I will not."}]},
    ],
)
def test_a_refusal_is_distinguished_from_an_answer(answer: dict[str, Any]) -> None:
    [message] = view({**LLM, "gen_ai.output.messages": [answer]}).messages
    [part] = message.parts
    assert part.type == "text"
    assert (part.text, part.is_refusal) == ("I will not.", True)
    plain = {"role": "assistant", "content": "I will.", "refusal": None}
    [message] = view({**LLM, "gen_ai.output.messages": [plain]}).messages
    assert [part.is_refusal for part in message.parts if part.type == "text"] == [False]


@pytest.mark.parametrize(
    "part",
    [
        {"type": "uri", "modality": "image", "uri": "https://example.org/a.png"},
        {"type": "image_url", "image_url": {"url": "https://example.org/a.png"}},
    ],
)
def test_media_elsewhere_is_a_link(part: dict[str, Any]) -> None:
    [message] = view(
        {**LLM, "gen_ai.input.messages": [{"role": "user", "content": [part]}]}
    ).messages
    [shown] = message.parts
    assert shown.type == "link"
    assert (shown.uri, shown.modality) == ("https://example.org/a.png", "image")


def test_what_openinference_masked_is_a_value() -> None:
    prefix = "llm.input_messages.0.message."
    shown = view(
        {
            "openinference.span.kind": "LLM",
            prefix + "role": "user",
            prefix + "contents.0.message_content.type": "text",
            prefix + "contents.0.message_content.text": "__REDACTED__",
            prefix + "contents.1.message_content.type": "image",
            prefix + "contents.1.message_content.image.image.url": "__REDACTED__",
        }
    )
    assert shown.error is None
    [message] = shown.messages
    assert [part.type for part in message.parts] == ["text", "link"]
    assert "__REDACTED__" in message.parts[1].model_dump_json()


# --- dialects ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "item",
    [
        {"role": "assistant", "parts": [{"type": "text", "content": "Hi"}]},
        {"role": "assistant", "content": "Hi"},
        {"role": "model", "parts": [{"text": "Hi"}]},
        {"type": "ai", "data": {"content": "Hi", "type": "ai"}},
        {"type": "ai", "content": [{"type": "text", "text": "Hi", "index": 0}]},
        {
            "lc": 1,
            "type": "constructor",
            "id": ["x", "AIMessageChunk"],
            "kwargs": {"content": "Hi"},
        },
        {
            "type": "message",
            "role": "assistant",
            "content": [{"type": "output_text", "text": "Hi", "annotations": []}],
        },
        {"index": 0, "message": {"role": "assistant", "content": "Hi"}},
        {"event.name": "gen_ai.choice", "index": 0, "message": {"content": "Hi"}},
        {"event.name": "gen_ai.assistant.message", "content": "Hi"},
        {"role": "assistant", "content": None, "refusal": "Hi"},
    ],
)
def test_an_answer_reads_the_same_in_every_dialect(item: dict[str, Any]) -> None:
    for value in ([item], json.dumps([item]), item):
        [message] = view({**LLM, "gen_ai.output.messages": value}).messages
        assert message.role == "assistant"
        assert [part.model_dump(exclude={"is_refusal"}) for part in message.parts] == [
            {"type": "text", "text": "Hi", "parse_error": False}
        ]


@pytest.mark.parametrize(
    "called",
    [
        "Why?",
        {"question": "Why?"},
        {"args": ["Why?"], "kwargs": {}},
        {"args": [], "kwargs": {"question": "Why?"}},
        {"inputs": {"input": "Why?"}, "tags": [], "metadata": {}},
        {"inputs": {"messages": [{"role": "user", "content": "Why?"}]}},
        {"messages": [{"type": "human", "content": "Why?"}]},
    ],
)
def test_what_a_function_was_called_with_is_the_request(called: Json) -> None:
    for key in ("input.value", "traceloop.entity.input"):
        for value in (called, json.dumps(called) if isinstance(called, dict) else called):
            sent = span(attributes={"traceloop.span.kind": "workflow", key: value})
            texts = [
                part.text
                for message in span_view(sent).messages
                for part in message.parts
                if part.type == "text"
            ]
            assert texts == ["Why?"]
            assert read_span(sent, Resource()).first_user_message == "Why?"


def test_the_items_of_openais_responses_are_messages() -> None:
    items = [
        {"role": "user", "content": [{"type": "input_text", "text": "Weather?"}]},
        {"type": "reasoning", "summary": [{"type": "summary_text", "text": "Ask."}]},
        {"type": "function_call", "call_id": "1", "name": "get", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "1", "output": "21"},
    ]
    messages = view({**LLM, "gen_ai.input.messages": json.dumps(items)}).messages
    assert [(m.role, [part.type for part in m.parts]) for m in messages] == [
        ("user", ["text"]),
        ("assistant", ["reasoning"]),
        ("assistant", ["tool_call"]),
        ("tool", ["tool_result"]),
    ]


# --- kinds ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "attributes", "expected"),
    [
        ("chat", {"gen_ai.operation.name": "execute_event_loop_cycle"}, SpanKind.STEP),
        ("FooAugmentedLLM.finder.generate_str", {}, SpanKind.AGENT),
        ("Agent.finder.call_tool", {}, SpanKind.TOOL),
        ("MCPAggregator.read_resource", {}, SpanKind.RESOURCE),
        ("MCPAgentClientSession.send_request", {}, SpanKind.MCP),
        ("password.generate", {}, SpanKind.OTHER),
        ("x", {"rpc.system": "jsonrpc", "rpc.method": "tools/list"}, SpanKind.MCP),
        ("x", {"rpc.system": "grpc", "rpc.method": "tools/list"}, SpanKind.OTHER),
        ("x", {"langsmith.span.kind": "chain"}, SpanKind.WORKFLOW),
        (
            "x",
            {"logfire.span_type": "log", "gen_ai.operation.name": "chat"},
            SpanKind.OTHER,
        ),
    ],
)
def test_the_kind_of_a_span_is_known(
    name: str, attributes: dict[str, Json], expected: SpanKind
) -> None:
    assert read_span(span(name, attributes=attributes), Resource()).record.kind is expected
