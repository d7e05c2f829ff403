from __future__ import annotations

import json

from dirty_equals import IsPartialDict
from inline_snapshot import snapshot
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from inspector.service.model.rows import Json, Moment
from inspector.service.model.times import rfc3339
from inspector.service.normalise import span_view
from inspector.service.wire import View
from tests.support.telemetry.otlp import START_NS, key_values, span

MESSAGES = [
    {"role": "user", "parts": [{"type": "text", "content": "Which files changed?"}]},
    {
        "role": "assistant",
        "parts": [
            {"type": "reasoning", "content": "Look at the log."},
            {
                "type": "tool_call",
                "id": "call_1",
                "name": "git_log",
                "arguments": {"n": 9007199254740993},
            },
        ],
    },
    {
        "role": "tool",
        "parts": [{"type": "tool_call_response", "id": "call_1", "response": {"ok": True}}],
    },
]


def view(attributes: dict[str, Json]) -> View:
    return span_view(span(attributes=attributes))


def test_a_conversation_reads_the_same_as_text_and_as_structure() -> None:
    base: dict[str, Json] = {"gen_ai.operation.name": "chat"}
    as_text = view({**base, "gen_ai.input.messages": json.dumps(MESSAGES)})
    as_structure = view({**base, "gen_ai.input.messages": MESSAGES})
    assert as_text.messages == as_structure.messages
    assert [part.type for message in as_text.messages for part in message.parts] == snapshot(
        ["text", "reasoning", "tool_call", "tool_result"]
    )


def test_a_number_too_large_for_a_browser_keeps_every_digit() -> None:
    messages = view(
        {"gen_ai.operation.name": "chat", "gen_ai.input.messages": json.dumps(MESSAGES)}
    ).messages
    call = messages[1].parts[1]
    assert call.type == "tool_call"
    assert call.arguments is not None
    assert "9007199254740993" in call.arguments.text


def test_system_instructions_come_first_and_the_answer_last() -> None:
    shown = view(
        {
            "gen_ai.operation.name": "chat",
            "gen_ai.system_instructions": '[{"type":"text","content":"Be brief."}]',
            "gen_ai.input.messages": json.dumps(MESSAGES[:1]),
            "gen_ai.output.messages": json.dumps(
                [
                    {
                        "role": "assistant",
                        "parts": [{"type": "text", "content": "Three."}],
                        "finish_reason": "stop",
                    }
                ]
            ),
        }
    )
    assert [(m.origin, m.role, m.finish_reason) for m in shown.messages] == snapshot(
        [("system", "system", None), ("input", "user", None), ("output", "assistant", "stop")]
    )


def test_messages_cut_in_the_middle_are_shown_as_they_came() -> None:
    cut = '[{"role":"user","parts":[{"type":"te'
    shown = view({"mcp.llm.provider": "openai", "mcp.llm.prompt_json": cut})
    assert [part.model_dump() for part in shown.messages[0].parts] == [
        {"type": "text", "text": cut, "parse_error": True, "is_refusal": False}
    ]


def test_what_a_prompt_says_beside_its_messages_is_shown() -> None:
    prompt = {"messages": [{"role": "user", "content": "hi"}], "context": {"a": 1}, "model": "m"}
    shown = view({"gen_ai.operation.name": "chat", "gen_ai.prompt": json.dumps(prompt)}).messages
    assert [part.model_dump() for message in shown for part in message.parts] == [
        IsPartialDict(type="other", value=IsPartialDict(text='{"context": {"a": 1}}')),
        IsPartialDict(type="text", text="hi"),
    ]


def test_a_part_of_an_unknown_type_stays() -> None:
    shown = view(
        {
            "gen_ai.operation.name": "chat",
            "gen_ai.input.messages": '[{"role":"user","parts":[{"type":"hologram","x":1}]}]',
        }
    )
    assert shown.messages[0].parts[0].model_dump() == IsPartialDict(
        type="other", part_type="hologram"
    )


def test_a_failed_tool_shows_arguments_result_and_why() -> None:
    shown = span_view(
        span(
            "execute_tool delete_file",
            attributes={
                "gen_ai.operation.name": "execute_tool",
                "gen_ai.tool.name": "delete_file",
                "gen_ai.tool.call.id": "call_9",
                "gen_ai.tool.call.arguments": '{"path":"build/old"}',
                "error.type": "PermissionError",
            },
            error="not allowed",
            events=[
                Span.Event(
                    name="exception",
                    time_unix_nano=START_NS,
                    attributes=key_values({"exception.stacktrace": "Traceback…"}),
                )
            ],
        )
    )
    assert shown.tool is not None
    assert shown.tool.model_dump() == snapshot(
        {
            "name": "delete_file",
            "call_id": "call_9",
            "description": None,
            "arguments": {
                "text": '{"path":"build/old"}',
                "is_json": True,
                "is_truncated": False,
                "original_bytes": None,
            },
            "result": None,
            "is_error": True,
        }
    )
    assert shown.error is not None
    assert shown.error.model_dump() == snapshot(
        {
            "type": "PermissionError",
            "code": None,
            "message": "not allowed",
            "status_message": None,
            "stacktrace": "Traceback…",
        }
    )


def test_a_value_its_sender_cut_says_so_in_both_vocabularies() -> None:
    shown = view(
        {
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.call.arguments": "{}",
            "inspector.truncated": ["gen_ai.tool.call.arguments"],
        }
    )
    assert shown.tool is not None
    assert shown.tool.arguments is not None
    assert shown.tool.arguments.is_truncated
    legacy = view(
        {
            "mcp.tool.name": "t",
            "mcp.tool.input_json": "{}",
            "mcp.tool.input_json_truncated": True,
        }
    )
    assert legacy.tool is not None
    assert legacy.tool.arguments is not None
    assert legacy.tool.arguments.is_truncated
    assert legacy.truncated == ["mcp.tool.input_json"]


def test_usage_of_an_agent_and_a_mcp_exchange_are_read() -> None:
    shown = view(
        {
            "mcp.method.name": "tools/list",
            "jsonrpc.request.id": "7",
            "inspector.mcp.transport": "stdio",
            "gen_ai.usage.input_tokens": 10,
            "gen_ai.usage.cache_read.input_tokens": 4,
        }
    )
    assert shown.mcp is not None
    assert (shown.mcp.method, shown.mcp.request_id, shown.mcp.transport) == (
        "tools/list",
        "7",
        "stdio",
    )
    assert shown.usage is not None
    assert (shown.usage.input_tokens, shown.usage.cache_read_tokens) == (10, 4)


def test_a_decision_that_is_span_event_and_log_is_read_once() -> None:
    attributes: dict[str, Json] = {
        "inspector.decision.action": "deny",
        "inspector.decision.reason": "outside the workspace",
    }
    moment = Moment("s", "1", "1", START_NS, "inspector.decision", attributes)
    event = Span.Event(
        name="inspector.decision", time_unix_nano=START_NS, attributes=key_values(attributes)
    )
    decisions = span_view(span(events=[event]), [moment]).decisions
    assert [(d.action, d.reason) for d in decisions] == [("deny", "outside the workspace")]


def test_times_no_calendar_has_are_clamped() -> None:
    assert rfc3339(START_NS + 1) == snapshot("2026-01-01T00:00:00.000000001Z")
    assert rfc3339(2**64 - 1) == snapshot("2554-07-21T23:34:33.709551615Z")
    assert rfc3339(2**80).startswith("9999-12-31")
    assert rfc3339(0).startswith("1970-01-01")
