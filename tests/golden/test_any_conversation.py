"""Any conversation, in any of the encodings, is read back unchanged."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from inspector.service.model.rows import Json
from inspector.service.normalise import span_view
from tests.support.telemetry.otlp import START_NS, key_values, span

LLM: dict[str, Json] = {"gen_ai.operation.name": "chat"}


@dataclass
class Call:
    """A tool call."""

    id: str
    name: str
    arguments: dict[str, Json]


@dataclass
class Turn:
    """A user message, an answer with or without calls, or a tool result."""

    role: str
    text: str = ""
    calls: list[Call] = field(default_factory=list)
    answers: str = ""


# Not the beginning of JSON: some encodings allow text or JSON in the same place.
WORDS = st.text(st.characters(codec="utf-8", exclude_characters='{["'), min_size=1, max_size=20)
NAMES = st.from_regex(r"[a-z_]{1,8}", fullmatch=True)
CALLS = st.builds(
    Call,
    id=NAMES,
    name=NAMES,
    arguments=st.dictionaries(
        NAMES, st.integers(-(2**63), 2**63 - 1) | st.booleans() | WORDS, max_size=3
    ),
)


@st.composite
def turns(draw: st.DrawFn) -> list[Turn]:
    """A conversation that begins with a user and goes on as models and tools do."""
    conversation = [Turn("user", draw(WORDS))]
    for _ in range(draw(st.integers(0, 3))):
        calls = draw(st.lists(CALLS, max_size=2, unique_by=lambda call: call.id))
        conversation.append(
            Turn("assistant", draw(WORDS) if not calls else draw(WORDS | st.just("")), calls)
        )
        conversation += [Turn("tool", draw(WORDS), answers=call.id) for call in calls]
        conversation.append(Turn("user", draw(WORDS)))
    return conversation


def dumps(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def semconv_parts(turn: Turn) -> list[Json]:
    if turn.role == "tool":
        return [{"type": "tool_call_response", "id": turn.answers, "response": turn.text}]
    text: list[Json] = [{"type": "text", "content": turn.text}] if turn.text else []
    return text + [
        {"type": "tool_call", "id": call.id, "name": call.name, "arguments": call.arguments}
        for call in turn.calls
    ]


def semconv(conversation: list[Turn]) -> list[Json]:
    return [{"role": turn.role, "parts": semconv_parts(turn)} for turn in conversation]


def openai(turn: Turn) -> dict[str, Json]:
    if turn.role == "tool":
        return {"role": "tool", "tool_call_id": turn.answers, "content": turn.text}
    calls = [
        {
            "id": call.id,
            "type": "function",
            "function": {"name": call.name, "arguments": dumps(call.arguments)},
        }
        for call in turn.calls
    ]
    return {"role": turn.role, "content": turn.text or None, "tool_calls": calls or None}


def bedrock(turn: Turn) -> list[Json]:
    if turn.role == "tool":
        result = {"toolUseId": turn.answers, "content": [{"text": turn.text}]}
        return [{"toolResult": result}]
    text: list[Json] = [{"text": turn.text}] if turn.text else []
    return text + [
        {"toolUse": {"toolUseId": call.id, "name": call.name, "input": call.arguments}}
        for call in turn.calls
    ]


def vercel(turn: Turn) -> dict[str, Json]:
    if turn.role == "tool":
        output = {"type": "text", "value": turn.text}
        result = {"type": "tool-result", "toolCallId": turn.answers, "output": output}
        return {"role": "tool", "content": [result]}
    text: list[Json] = [{"type": "text", "text": turn.text}] if turn.text else []
    calls: list[Json] = [
        {
            "type": "tool-call",
            "toolCallId": call.id,
            "toolName": call.name,
            "input": call.arguments,
        }
        for call in turn.calls
    ]
    return {"role": turn.role, "content": text + calls}


def flattened(
    prefix: str, conversation: list[Turn], infix: str, call_infix: str
) -> dict[str, Json]:
    found: dict[str, Json] = {}
    for n, turn in enumerate(conversation):
        path = f"{prefix}{n}.{infix}"
        found[path + "role"] = turn.role
        found |= {path + "content": turn.text} if turn.text else {}
        found |= {path + "tool_call_id": turn.answers} if turn.role == "tool" else {}
        for m, call in enumerate(turn.calls):
            made = f"{path}tool_calls.{m}.{call_infix}"
            function = "function." if call_infix else ""
            found[made + "id"] = call.id
            found[f"{made}{function}name"] = call.name
            found[f"{made}{function}arguments"] = dumps(call.arguments)
    return found


def events(conversation: list[Turn]) -> list[Span.Event]:
    return [
        Span.Event(
            name=f"gen_ai.{turn.role}.message",
            time_unix_nano=START_NS,
            attributes=key_values({"content": dumps(bedrock(turn))}),
        )
        for turn in conversation
    ]


def details(conversation: list[Turn]) -> list[Span.Event]:
    return [
        Span.Event(
            name="gen_ai.client.inference.operation.details",
            time_unix_nano=START_NS,
            attributes=key_values({"gen_ai.input.messages": semconv(conversation)}),
        )
    ]


def chat(conversation: list[Turn]) -> list[Json]:
    return [openai(turn) for turn in conversation]


ENCODINGS: dict[str, Callable[[list[Turn]], Span]] = {
    "semconv, JSON text": lambda conversation: span(
        attributes={**LLM, "gen_ai.input.messages": dumps(semconv(conversation))}
    ),
    "semconv, structured": lambda conversation: span(
        attributes={**LLM, "gen_ai.input.messages": semconv(conversation)}
    ),
    "details event": lambda conversation: span(attributes=LLM, events=details(conversation)),
    "message events": lambda conversation: span(attributes=LLM, events=events(conversation)),
    "OpenInference": lambda conversation: span(
        attributes={
            **LLM,
            **flattened("llm.input_messages.", conversation, "message.", "tool_call."),
        }
    ),
    "Traceloop": lambda conversation: span(
        attributes={**LLM, **flattened("gen_ai.prompt.", conversation, "", "")}
    ),
    "Vercel": lambda conversation: span(
        attributes={**LLM, "ai.prompt.messages": dumps([vercel(turn) for turn in conversation])}
    ),
    "pydantic-ai run": lambda conversation: span(
        attributes={**LLM, "pydantic_ai.all_messages": dumps(semconv(conversation))}
    ),
    "LangSmith": lambda conversation: span(
        attributes={**LLM, "gen_ai.prompt": dumps({"messages": chat(conversation)})}
    ),
    "whole request": lambda conversation: span(
        attributes={**LLM, "input.value": dumps({"model": "x", "messages": chat(conversation)})}
    ),
}


def read(sent: Span) -> list[Turn]:
    return [_turn(message.model_dump()) for message in span_view(sent).messages]


def _turn(message: dict[str, Any]) -> Turn:
    turn = Turn(message["role"])
    for part in message["parts"]:
        match part["type"]:
            case "text":
                turn.text += part["text"]
            case "tool_call":
                arguments = json.loads(part["arguments"]["text"])
                turn.calls.append(Call(part["id"], part["name"], arguments))
            case "tool_result":
                turn.answers, turn.text = part["id"], part["result"]["text"]
    return turn


@pytest.mark.parametrize("name", ENCODINGS)
@settings(max_examples=25)  # of each encoding
@given(conversation=turns())
def test_any_conversation_is_read_back(name: str, conversation: list[Turn]) -> None:
    assert read(ENCODINGS[name](conversation)) == conversation
