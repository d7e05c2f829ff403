"""What LLM calls were sent, over HTTP."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from inspector.service.http import context as route
from inspector.service.model.rows import Json, Moment
from inspector.service.normalise import span_view
from inspector.service.wire import View
from tests.support.services.api import Api
from tests.support.telemetry.otlp import SECOND_NS, span
from tests.support.telemetry.records import started

DOCUMENT = "The mirror answers 504 between nine and ten."


def text(role: str, content: str) -> dict[str, Json]:
    return {"role": role, "parts": [{"type": "text", "content": content}]}


def call(number: int, parent: int | None, *messages: Json, **more: Json) -> Span:
    attributes: dict[str, Json] = {
        "gen_ai.operation.name": "chat",
        "session.id": "S",
        "gen_ai.usage.input_tokens": 100,
        "gen_ai.input.messages": json.dumps(messages),
        **{key.replace("__", "."): value for key, value in more.items()},
    }
    return span("chat", span_id=number, parent=parent, start_ns=number, attributes=attributes)


def agent(number: int, name: str, parent: int | None = None) -> Span:
    attributes: dict[str, Json] = {"gen_ai.operation.name": "invoke_agent", "session.id": "S"}
    attributes["gen_ai.agent.name"] = name
    return span(
        f"invoke_agent {name}", span_id=number, parent=parent, start_ns=number,
        attributes=attributes,
    )  # fmt: skip


async def contexts(api: Api) -> Any:
    answer = await api.get("/sessions/S/context")
    assert answer.status_code == 200
    return answer.json()


async def context_of(api: Api, one: Span) -> Any:
    answer = await api.get(f"/spans/{one.trace_id.hex()}/{one.span_id.hex()}")
    return answer.json()["context"]


def parts_of(one: Any) -> dict[str, int]:
    return {part["part"]: part["tokens"] for part in one["parts"]}


async def test_a_call_is_compared_with_the_one_before_of_its_agent(api: Api) -> None:
    system = text("system", "x" * 50)
    first = call(2, 1, system, text("user", "a" * 50))
    other = call(4, 3, system, text("user", "c" * 50))
    second = call(5, 1, system, text("user", "b" * 50), gen_ai__usage__cache_read__input_tokens=40)
    await api.submit(agent(1, "lead"), first, agent(3, "helper", 1), other, second)
    found = (await contexts(api))["calls"]
    assert [one["agent"] for one in found] == ["lead", "helper", "lead"]
    assert [parts_of(one) for one in found] == 3 * [{"system": 50, "history": 50}]
    assert [one["parts"][1]["dropped_chars"] for one in found] == [0, 0, 50]
    assert [one["cached_tokens"] for one in found] == [None, None, 40]
    detail = await context_of(api, second)
    assert detail["before"] == f"{first.trace_id.hex()}.{first.span_id.hex()}"
    assert [one["beginning"] for one in detail["dropped"]] == ["a" * 50]
    assert {key: detail[key] for key in found[2]} == found[2]


async def test_what_a_retrieval_returned_is_retrieved_in_the_calls_after_it(api: Api) -> None:
    retrieval = span(
        "retrieve", span_id=2, start_ns=2,
        attributes={
            "session.id": "S",
            "openinference.span.kind": "RETRIEVER",
            "retrieval.documents.0.document.content": DOCUMENT,
        },
    )  # fmt: skip
    before, after = (call(n, None, text("user", f"Given {DOCUMENT}")) for n in (1, 3))
    await api.submit(before, retrieval, after)
    parts = [[part["part"] for part in one["parts"]] for one in (await contexts(api))["calls"]]
    assert parts == [["history"], ["history", "retrieved"]]
    pieces = (await context_of(api, after))["pieces"]
    assert [(one["part"], one["pointer"]) for one in pieces] == [
        ("history", "/view/messages/0/parts/0"),
        ("retrieved", "/view/messages/0/parts/0"),
    ]


async def test_a_call_that_ends_is_read_again_and_the_others_are_not(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    done, running = call(1, None, text("user", "Hello")), call(2, None, text("user", "Hello"))
    await api.submit(done, started(running))
    assert len((await contexts(api))["calls"]) == 2
    reads: list[bytes] = []

    def noted(one: Span, logged: Sequence[Moment] = ()) -> View:
        reads.append(one.span_id)
        return span_view(one, logged)

    monkeypatch.setattr(route, "span_view", noted)
    running.end_time_unix_nano = 2 + SECOND_NS
    await api.submit(running)
    assert len((await contexts(api))["calls"]) == 2
    assert sorted(reads) == [done.span_id, running.span_id]  # the first to compare with


async def test_it_says_how_many_calls_it_left_out(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(route, "MAX_CALLS", 2)
    await api.submit(*(call(n, None, text("user", "Hello")) for n in range(1, 6)))
    found = await contexts(api)
    assert (len(found["calls"]), found["left_out"]) == (2, 3)


async def test_a_call_without_content_has_no_context(api: Api) -> None:
    silent = call(1, None)
    await api.submit(silent)
    assert (await contexts(api))["calls"] == []
    assert await context_of(api, silent) is None
