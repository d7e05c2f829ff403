from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Sequence
from decimal import Decimal
from enum import Enum
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from subscribers.content.messages import (
    MAX_MESSAGES,
    MAX_PARTS,
    finish_reasons,
    input_messages,
    mcp_messages,
    output_messages,
)
from subscribers.content.redaction import Redactor
from subscribers.content.serialise import to_json

PNG = "data:image/png;base64," + "A" * 400
BLOB = {"type": "blob", "modality": "image", "mime_type": "image/png", "bytes": 300}


def one(message: Any) -> dict[str, Any]:
    (converted,) = input_messages([message])
    return converted


@pytest.mark.parametrize(
    ("message", "role", "parts"),
    [
        ("hi", "user", [{"type": "text", "content": "hi"}]),
        ({"role": "developer", "content": "be good"}, "system",
         [{"type": "text", "content": "be good"}]),
        # OpenAI
        ({"role": "user", "content": [{"type": "text", "text": "what is this"},
                                      {"type": "image_url", "image_url": {"url": PNG}}]},
         "user", [{"type": "text", "content": "what is this"}, BLOB]),
        ({"role": "user", "content": [{"type": "image_url",
                                       "image_url": {"url": "https://e.com/a.png"}}]},
         "user", [{"type": "uri", "modality": "image", "uri": "https://e.com/a.png"}]),
        ({"role": "assistant", "content": None, "tool_calls": [
            {"id": "c1", "function": {"name": "add", "arguments": '{"a": 1}'}},
            {"id": "c2", "function": {"name": "add", "arguments": "{broken"}}]},
         "assistant",
         [{"type": "tool_call", "id": "c1", "name": "add", "arguments": {"a": 1}},
          {"type": "tool_call", "id": "c2", "name": "add", "arguments": "{broken"}]),
        ({"role": "tool", "tool_call_id": "c1", "content": "3"}, "tool",
         [{"type": "tool_call_response", "id": "c1", "response": "3"}]),
        # Anthropic
        ({"role": "assistant", "content": [
            {"type": "thinking", "thinking": "hm"}, {"type": "redacted_thinking", "data": "x"},
            {"type": "tool_use", "id": "t", "name": "add", "input": {"a": 1}}]},
         "assistant", [{"type": "reasoning", "content": "hm"},
                       {"type": "tool_call", "id": "t", "name": "add", "arguments": {"a": 1}}]),
        ({"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": "t", "content": "3"},
            {"type": "image", "source": {"type": "base64", "media_type": "image/png",
                                         "data": "A" * 400}}]},
         "user", [{"type": "tool_call_response", "id": "t", "response": "3"}, BLOB]),
        # LangChain
        ({"type": "system", "content": "be good"}, "system",
         [{"type": "text", "content": "be good"}]),
        ({"type": "tool", "tool_call_id": "c1", "content": "3"}, "tool",
         [{"type": "tool_call_response", "id": "c1", "response": "3"}]),
        ({"type": "ai", "content": [{"type": "tool_use", "id": "t", "name": "add",
                                     "input": {"a": 1}}],
          "tool_calls": [{"id": "t", "name": "add", "args": {"a": 1}}]}, "assistant",
         [{"type": "tool_call", "id": "t", "name": "add", "arguments": {"a": 1}}]),
        ({"type": "AIMessageChunk",
          "content": [{"type": "tool_call", "id": "t", "name": "add", "args": {"a": 1}}]},
         "assistant", [{"type": "tool_call", "id": "t", "name": "add", "arguments": {"a": 1}}]),
        # Gemini
        ({"role": "model", "parts": [{"text": "hello"},
                                     {"function_call": {"name": "add", "args": {"a": 1}}},
                                     {"inline_data": {"mime_type": "image/png",
                                                      "data": "A" * 400}}]},
         "assistant", [{"type": "text", "content": "hello"},
                       {"type": "tool_call", "name": "add", "arguments": {"a": 1}}, BLOB]),
        # Bedrock
        ({"role": "assistant", "content": [
            {"text": "so"}, {"toolUse": {"toolUseId": "t", "name": "add", "input": {"a": 1}}},
            {"reasoningContent": {"reasoningText": {"text": "hm"}}}]},
         "assistant", [{"type": "text", "content": "so"},
                       {"type": "tool_call", "id": "t", "name": "add", "arguments": {"a": 1}},
                       {"type": "reasoning", "content": "hm"}]),
        # MCP
        ({"role": "user", "content": {"type": "resource_link", "uri": "file:///a",
                                      "mimeType": "text/plain"}},
         "user", [{"type": "uri", "modality": "document", "mime_type": "text/plain",
                   "uri": "file:///a"}]),
        ({"role": "user", "content": {"type": "image", "mimeType": "image/png",
                                      "data": "A" * 400}}, "user", [BLOB]),
        # GenAI's own, and objects instead of dicts
        ({"role": "user", "parts": [{"type": "text", "content": "own"}]}, "user",
         [{"type": "text", "content": "own"}]),
        (SimpleNamespace(role="user", content="obj"), "user", [{"type": "text", "content": "obj"}]),
        (SimpleNamespace(type="human", content="lc"), "user", [{"type": "text", "content": "lc"}]),
        (object(), "user", [{"type": "object"}]),
    ],
)  # fmt: skip
def test_messages_of_every_provider(message: Any, role: str, parts: list[Any]) -> None:
    converted = one(message)
    assert converted["role"] == role
    assert converted["parts"] == parts


@pytest.mark.parametrize(
    ("response", "texts", "reasons"),
    [
        ("plain", ["plain"], None),
        ({"choices": [{"message": {"role": "assistant", "content": "a"}, "finish_reason": "stop"},
                      {"message": {"role": "assistant", "content": "b"},
                       "finish_reason": "tool_calls"}]}, ["a", "b"], ["stop", "tool_call"]),
        ({"role": "assistant", "content": [{"type": "text", "text": "a"}],
          "stop_reason": "end_turn"}, ["a"], ["stop"]),
        ({"candidates": [{"content": {"role": "model", "parts": [{"text": "a"}]},
                          "finish_reason": "MAX_TOKENS"}]}, ["a"], ["length"]),
        ({"output": {"message": {"role": "assistant", "content": [{"text": "a"}]}},
          "stopReason": "end_turn"}, ["a"], ["stop"]),
        ({"output": [{"type": "message", "content": [{"type": "output_text", "text": "a"}]}]},
         ["a"], ["stop"]),
        ([{"role": "assistant", "content": "a"}, {"role": "assistant", "content": "b"}],
         ["a", "b"], None),
    ],
)  # fmt: skip
def test_responses_of_every_provider(
    response: Any, texts: list[str], reasons: list[str] | None
) -> None:
    messages = output_messages(response)
    assert [message["role"] for message in messages] == ["assistant"] * len(texts)
    assert [message["parts"][0]["content"] for message in messages] == texts
    assert finish_reasons(response) == reasons


def test_a_long_conversation_keeps_its_start_and_its_newest_turns() -> None:
    messages = input_messages([{"role": "user", "content": str(n)} for n in range(1_000)])
    assert messages[0]["parts"][0]["content"] == "0"
    assert messages[1]["parts"] == [{"type": "omitted", "count": 1_000 - MAX_MESSAGES}]
    assert messages[-1]["parts"][0]["content"] == "999"


def test_rendering_for_mcp_keeps_the_parts() -> None:
    prompt = [{"role": "assistant", "content": "so", "tool_calls": [
        {"id": "c", "function": {"name": "add", "arguments": "{}"}}]}]  # fmt: skip
    (rendered,) = mcp_messages(input_messages(prompt))
    assert rendered["content"] == [
        {"type": "text", "text": "so"},
        {"type": "tool_use", "id": "c", "name": "add", "input": {}},
    ]


KEYS = """role content parts type text tool_calls function arguments name id data uri source
image_url url choices message candidates output finish_reason"""
KINDS = ["text", "image", "tool_use", "resource", "message", "tool"]
anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=10) | st.binary(max_size=4),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from(KEYS.split()), inner | st.sampled_from(KINDS), max_size=5)
    ),
    max_leaves=20,
)


@given(anything)
def test_whatever_comes_is_converted_to_messages_with_parts(value: Any) -> None:
    for message in (*input_messages(value), *output_messages(value)):
        assert isinstance(message["role"], str)
        assert all(isinstance(part["type"], str) for part in message["parts"])
    mcp_messages(input_messages(value))
    finish_reasons(value)


class Endless(Sequence[Any]):
    """A sequence too long to be read, which counts its reads."""

    def __init__(self, item: Any) -> None:
        self.item = item
        self.reads = 0

    def __len__(self) -> int:
        return 10**9

    def __getitem__(self, place: Any) -> Any:
        if isinstance(place, slice):
            return [self[one] for one in range(*place.indices(len(self)))]
        self.reads += 1
        return self.item


@pytest.mark.parametrize("convert", [input_messages, output_messages, finish_reasons])
@pytest.mark.parametrize(
    "put", [
        lambda endless: endless,
        lambda endless: [endless],
        lambda endless: {"messages": endless},
        lambda endless: {"choices": endless},
        lambda endless: [{"choices": endless}] * 3,
        lambda endless: {"output": endless},
        lambda endless: [{"role": "user", "content": endless}],
        lambda endless: [{"role": "assistant", "tool_calls": endless}],
        lambda endless: {"output": [{"type": "message", "content": endless}]},
    ],
)  # fmt: skip
def test_of_what_never_ends_only_a_part_is_read(
    convert: Callable[[Any], Any], put: Callable[[Any], Any]
) -> None:
    endless = Endless({"role": "user", "content": "x"})
    convert(put(endless))
    assert endless.reads < 10 * MAX_MESSAGES


class Colour(Enum):
    RED = "red"


@dataclasses.dataclass
class Verdict:
    verdict: int
    password: str = "hunter2"


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ({"verdict": 1}, '{"verdict":1}'),
        ([{"verdict": 1}], '{"verdict":1}'),
        ({"role": "user", "verdict": 1}, '{"verdict":1}'),
        ({"role": "user", "content": {"verdict": 1}}, '{"verdict":1}'),
        ({"role": "user", "content": [{"text": "a", "score": 1}]}, '{"text":"a","score":1}'),
        ({"message": "hi", "score": 1}, '{"message":"hi","score":1}'),
        ({"choices": ["a"], "score": 1}, '{"choices":["a"],"score":1}'),
        (Verdict(1), '{"verdict":1,"password":"[redacted]"}'),
        ([1.5, 2], "[1.5,2]"),
        (True, "true"),
        (Decimal("1.5"), '"1.5"'),
        (Colour.RED, '"red"'),
    ],
)
def test_what_is_no_message_becomes_its_json(value: Any, expected: str) -> None:
    redactor = Redactor()
    for convert in (input_messages, output_messages):
        text = to_json(convert(value), redactor=redactor).text
        [message] = json.loads(text)
        assert message["parts"] == [{"type": "text", "content": expected}]
        assert "name" not in message
    [rendered] = json.loads(to_json(mcp_messages(input_messages(value)), redactor=redactor).text)
    assert rendered["content"] == {"type": "text", "text": expected}


def test_what_a_prompt_says_beside_its_messages_stays() -> None:
    hello = {"role": "user", "content": "hi"}
    prompt = {"messages": [hello], "system": "Be brief.", "context": {"a": 1}, "model": None}
    assert json.loads(to_json(input_messages(prompt)).text) == [
        {"role": "system", "parts": [{"type": "text", "content": "Be brief."}]},
        {"role": "user", "parts": [{"type": "text", "content": '{"context":{"a":1}}'}]},
        {"role": "user", "parts": [{"type": "text", "content": "hi"}]},
    ]
    assert len(input_messages({"messages": [hello]})) == 1


@pytest.mark.parametrize(
    "value",
    [
        [{"role": "user", "content": "x"}] * (MAX_MESSAGES + 1),
        {"choices": [{"message": {"content": "x"}}] * (MAX_MESSAGES + 1)},
        {"role": "user", "content": [{"type": "text", "text": "x"}] * (MAX_PARTS + 1)},
        {"role": "assistant", "tool_calls": [{"id": "1", "name": "x"}] * (MAX_PARTS + 1)},
    ],
)
def test_what_is_left_out_is_a_cut(value: Any) -> None:
    convert = output_messages if "choices" in value else input_messages
    content = to_json(convert(value))
    assert content.is_truncated
    assert '{"type":"omitted","count":' in content.text
