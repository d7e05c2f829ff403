"""Firebase Genkit and Spring AI by their documented attributes; failures that say little."""

from __future__ import annotations

import json
from typing import Any

import pytest
from opentelemetry.proto.resource.v1.resource_pb2 import Resource
from opentelemetry.proto.trace.v1.trace_pb2 import Span, Status

from inspector.service.model.rows import Json, SpanKind
from inspector.service.normalise import span_view
from inspector.service.normalise.facts import read_span
from tests.support.telemetry.otlp import key_values, span

GENKIT_MODEL = {
    "genkit:type": "action",
    "genkit:metadata:subtype": "model",
    "genkit:name": "googleai/gemini",
    "genkit:input": json.dumps(
        {
            "messages": [
                {"role": "user", "content": [{"text": "hello"}]},
                {
                    "role": "model",
                    "content": [{"toolRequest": {"name": "t", "ref": "1", "input": {"a": 1}}}],
                },
                {
                    "role": "tool",
                    "content": [{"toolResponse": {"name": "t", "ref": "1", "output": 5}}],
                },
            ],
            "config": {"temperature": 1},
            "tools": [{"name": "t", "inputSchema": {}}],
        }
    ),
    "genkit:output": json.dumps(
        {"message": {"role": "model", "content": [{"text": "five"}]}, "finishReason": "stop"}
    ),
}


def test_a_model_call_of_genkit_is_read() -> None:
    one = span(attributes=GENKIT_MODEL)
    view = span_view(one)
    assert [message.role for message in view.messages] == ["user", "assistant", "tool", "assistant"]
    assert [message.parts[0].type for message in view.messages] == [
        "text", "tool_call", "tool_result", "text"
    ]  # fmt: skip
    assert view.llm is not None
    assert (view.llm.model_requested, view.llm.finish_reasons) == ("googleai/gemini", ["stop"])
    assert view.llm.request_params == {"temperature": 1}
    assert [tool.name for tool in view.llm.tools_offered] == ["t"]
    assert read_span(one, Resource()).first_user_message == "hello"


@pytest.mark.parametrize(
    ("attributes", "kind"),
    [
        ({"genkit:type": "action", "genkit:metadata:subtype": "tool"}, SpanKind.TOOL),
        ({"genkit:type": "action", "genkit:metadata:subtype": "flow"}, SpanKind.WORKFLOW),
        ({"genkit:type": "util"}, SpanKind.STEP),
        ({"gen_ai.operation.name": "framework", "spring.ai.kind": "chat_client"}, SpanKind.AGENT),
        ({"gen_ai.operation.name": "framework", "spring.ai.kind": "advisor"}, SpanKind.STEP),
    ],
)
def test_kinds_of_genkit_and_spring_ai(attributes: dict[str, Any], kind: SpanKind) -> None:
    assert read_span(span(attributes=attributes), Resource()).record.kind is kind


@pytest.mark.parametrize(
    "answer",
    [
        {
            "output": {
                "lc": 1,
                "type": "constructor",
                "id": ["langchain_core", "messages", "ToolMessage"],
                "kwargs": {"content": "no such city", "tool_call_id": "c1", "status": "error"},
            }
        },
        {
            "output": {
                "type": "tool",
                "content": "no such city",
                "tool_call_id": "c1",
                "status": "error",
            },
            "kwargs": {},
        },
        {
            "lc": 1,
            "type": "constructor",
            "id": ["langchain_core", "messages", "ToolMessage"],
            "kwargs": {
                "content": [{"type": "text", "text": "no such city"}],
                "tool_call_id": "c1",
                "status": "error",
            },
        },
    ],
)
@pytest.mark.parametrize(
    ("kind", "key"),
    [
        ({"openinference.span.kind": "TOOL"}, "output.value"),
        ({"langsmith.span.kind": "tool"}, "gen_ai.completion"),
        ({"traceloop.span.kind": "tool"}, "traceloop.entity.output"),
        ({"gen_ai.operation.name": "execute_tool"}, "gen_ai.tool.call.result"),
    ],
)
def test_a_tools_result_is_read_from_langchains_message(
    kind: dict[str, Json], key: str, answer: dict[str, Any]
) -> None:
    tool = span_view(span(attributes={**kind, key: json.dumps(answer)})).tool
    assert tool is not None
    assert tool.result is not None
    assert (tool.result.text, tool.call_id, tool.is_error) == ("no such city", "c1", True)


def test_what_a_tool_says_of_calls_of_tools_is_its_own() -> None:
    output = json.dumps({"tool_call_id": "c1", "content": "x"})
    tool = span_view(
        span(
            attributes={
                "tool.name": "t",
                "openinference.span.kind": "TOOL",
                "output.value": output,
            }
        )
    ).tool
    assert tool is not None
    assert tool.result is not None
    assert tool.result.text == output


def test_a_message_without_content_keeps_what_it_has() -> None:
    prompt = [{"role": "user", "verdict": 1, "why": None}, {"role": "user", "name": "ann"}]
    attributes = {"gen_ai.operation.name": "chat", "gen_ai.input.messages": json.dumps(prompt)}
    verdict, nothing = span_view(span(attributes={**attributes})).messages
    [part] = verdict.parts
    assert part.type == "other"
    assert json.loads(part.value.text) == {"verdict": 1, "why": None}
    assert (nothing.name, nothing.parts) == ("ann", [])


def test_an_answer_with_reasons_is_no_reasoning() -> None:
    answer = {"reasoning": "because", "verdict": 1}
    attributes = {
        "genkit:metadata:subtype": "model",
        "genkit:output": json.dumps({"message": {"role": "model", "content": [answer]}}),
    }
    [message] = span_view(span(attributes={**attributes})).messages
    assert message.parts[0].type == "other"


def test_a_tool_of_spring_ai_is_read() -> None:
    attributes = {
        "gen_ai.operation.name": "framework",
        "spring.ai.kind": "tool_call",
        "spring.ai.tool.definition.name": "weather",
        "spring.ai.tool.call.arguments": "{}",
        "spring.ai.tool.call.result": "sunny",
    }
    tool = span_view(span(attributes=attributes)).tool
    assert tool is not None
    assert tool.arguments is not None
    assert tool.result is not None
    assert (tool.name, tool.arguments.text, tool.result.text) == ("weather", "{}", "sunny")


def test_a_model_that_micrometer_does_not_know_is_none() -> None:
    attributes: dict[str, Json] = {
        "gen_ai.operation.name": "chat",
        "gen_ai.response.model": "none",
        "gen_ai.client.operation.time_to_first_chunk": 0.5,
    }
    one = span(attributes=attributes)
    llm = span_view(one).llm
    assert llm is not None
    assert (llm.model_responded, llm.time_to_first_chunk_ms) == (None, 500)
    assert read_span(one, Resource()).record.model is None


@pytest.mark.parametrize(
    ("attributes", "event", "expected"),
    [
        ({"http.status_code": 503}, None, ("code", "503")),
        ({"http.response.status_code": 404}, None, ("code", "404")),
        ({}, {"message": "it broke"}, ("message", "it broke")),
        ({}, {"reason": 1}, ("message", '{"reason": 1}')),
        ({}, None, ("message", "The sender reports a failure without a reason.")),
    ],
)
def test_the_error_of_a_failed_span_says_something(
    attributes: dict[str, Any], event: dict[str, Any] | None, expected: tuple[str, str]
) -> None:
    events = [] if event is None else [Span.Event(name="error", attributes=key_values(event))]
    one = span(attributes=attributes, events=events)
    one.status.code = Status.STATUS_CODE_ERROR
    error = span_view(one).error
    assert error is not None
    assert getattr(error, expected[0]) == expected[1]
