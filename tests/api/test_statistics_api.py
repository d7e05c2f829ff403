from __future__ import annotations

from typing import Any

import pytest
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from inspector.service.analysis import model_calls
from inspector.service.model.rows import Json
from tests.support.services.api import Api
from tests.support.telemetry.otlp import SECOND_NS, START_NS, key_values, span
from tests.support.telemetry.records import span_hex, started

MS = 1_000_000


def agent(number: int, name: str, parent: int | None = None) -> Span:
    attributes: dict[str, Json] = {"gen_ai.operation.name": "invoke_agent", "session.id": "S"}
    return span(f"invoke_agent {name}", span_id=number, parent=parent, attributes=attributes)


def call(number: int, parent: int, **more: Any) -> Span:
    attributes: dict[str, Json] = {
        "gen_ai.operation.name": "chat",
        "gen_ai.request.model": "small",
        "gen_ai.usage.input_tokens": 100,
        "gen_ai.usage.output_tokens": 10,
        **{key.replace("__", "."): value for key, value in more.items()},
    }
    return span("chat small", span_id=number, parent=parent, attributes=attributes)


async def statistics(api: Api, session_id: str = "S") -> Any:
    answer = await api.get(f"/sessions/{session_id}/statistics")
    assert answer.status_code == 200
    return answer.json()


async def test_tokens_are_counted_once_for_the_agent_that_used_them(api: Api) -> None:
    spans = [agent(1, "lead"), call(2, 1), agent(3, "helper", 1), call(4, 3), call(5, 3)]
    running = span("chat small", span_id=6, parent=3, duration_ns=None)
    await api.submit(*spans, started(running))
    found = await statistics(api)
    assert found["span_count"] == 6
    by_agent = {one["name"]: one for one in found["agents"]}
    assert by_agent["lead"]["used"]["input_tokens"] == 100
    assert by_agent["lead"]["used_in_all"]["input_tokens"] == 300
    assert by_agent["helper"]["used_in_all"]["output_tokens"] == 20
    chat = next(one for one in found["operations"] if one["kind"] == "llm")
    assert (chat["count"], chat["times"]["median_ns"]) == (3, SECOND_NS)
    session = (await api.get("/sessions/S")).json()
    assert (
        sum(one["used"]["input_tokens"] for one in found["operations"]) == session["input_tokens"]
    )


async def test_runs_are_of_the_agent_that_they_name_whatever_their_spans_are_called(
    api: Api,
) -> None:
    runs = [agent(1, "gpt-4o-mini"), agent(2, "gpt-4o-mini"), agent(3, "gpt-4o-mini", 2)]
    for run, name in zip(runs, ("weather", "lead", "weather"), strict=True):
        run.attributes.extend(key_values({"gen_ai.agent.name": name}))
    same = agent(4, "critic")
    same.attributes.extend(key_values({"gen_ai.agent.name": "critic"}))
    await api.submit(*(*runs, call(5, 3), same))
    found = await statistics(api)
    by_agent = {one["name"]: one for one in found["agents"]}
    assert {name: one["count"] for name, one in by_agent.items()} == {
        "weather": 2,
        "lead": 1,
        "critic": 1,
    }
    assert by_agent["weather"]["used"]["input_tokens"] == 100
    assert by_agent["lead"]["used_in_all"]["input_tokens"] == 100
    runs = (await api.get("/sessions/S/statistics?totals=false")).json()["agent_runs"]
    names = [(one["span_id"], one["agent"]) for one in runs]
    assert names == [(span_hex(1), "weather"), (span_hex(2), "lead"), (span_hex(3), "weather")]


async def test_streams_are_read_in_any_convention(api: Api) -> None:
    first_token = Span.Event(name="First Token Stream Event", time_unix_nano=START_NS + 300 * MS)
    by_event = call(4, 1, openinference__span__kind="LLM")
    by_event.events.append(first_token)
    by_hooks = {
        "gen_ai.response.time_to_first_chunk": 0.25,
        "inspector.stream.longest_stall_s": 2.5,
        "inspector.stream.chunk_count": 40,
    }
    spans = [
        agent(1, "lead"),
        call(2, 1, **by_hooks),
        call(3, 1, **{"ai.response.msToFirstChunk": 7_000}),
        by_event,
        call(5, 1),
    ]
    await api.submit(*spans)
    streams = (await statistics(api))["streams"]
    first = streams["first_chunk"]
    assert (first["count"], first["median_ns"], first["longest_ns"]) == (3, 300 * MS, 7_000 * MS)
    assert dict(zip(first["bucket_ns"], first["buckets"], strict=False))[500 * MS] == 2
    assert sum(first["buckets"]) == 3
    latest = streams["latest_first_chunks"]
    assert [one["span"]["span_id"] for one in latest] == [span_hex(3), span_hex(4), span_hex(2)]
    [stalled] = streams["longest_stalls"]
    assert (stalled["longest_stall_ns"], stalled["chunk_count"]) == (2_500 * MS, 40)


async def test_what_was_cached_and_thought_is_summed_by_operation(api: Api) -> None:
    cached = {"gen_ai.usage.cache_read.input_tokens": 60}
    thought = {"gen_ai.usage.reasoning.output_tokens": 4}
    spans = [agent(1, "lead"), call(2, 1, **cached), call(3, 1, **cached, **thought)]
    await api.submit(*spans)
    [use] = (await statistics(api))["cache"]
    assert (use["model"], use["cache_read_tokens"], use["reasoning_tokens"]) == ("small", 120, 4)
    assert use["cache_write_tokens"] is None, "nobody said"


async def test_a_hand_off_is_read_from_its_attributes(api: Api) -> None:
    attributes: dict[str, Json] = {
        "gen_ai.handoff.from_agent": "triage",
        "gen_ai.handoff.to_agent": "billing",
    }
    spans = [agent(1, "triage"), span("handoff", span_id=2, parent=1, attributes=attributes)]
    await api.submit(*spans)
    [handoff] = (await statistics(api))["handoffs"]
    assert (handoff["from_agent"], handoff["to_agent"]) == ("triage", "billing")


async def test_spans_beyond_the_limit_are_counted(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(model_calls, "MAX_SPANS", 2)
    spans = [agent(1, "lead"), *(call(n, 1) for n in (2, 3, 4))]
    await api.submit(*spans)
    found = await statistics(api)
    assert found["not_read"] == 2
    assert found["operations"][0]["count"] + found["operations"][1]["count"] == 4


async def test_without_totals_only_what_rows_do_not_tell_is_answered(api: Api) -> None:
    first = {"gen_ai.response.time_to_first_chunk": 0.25}
    spans = [agent(1, "lead"), call(2, 1, **first)]
    await api.submit(*spans)
    found = (await api.get("/sessions/S/statistics?totals=false")).json()
    assert (found["operations"], found["agents"], found["span_count"]) == ([], [], 2)
    assert found["streams"]["first_chunk"]["count"] == 1


async def test_a_missing_session_is_refused_and_one_that_moved_is_redirected(api: Api) -> None:
    answer = await api.get("/sessions/nobody/statistics")
    assert (answer.status_code, answer.json()["code"]) == (404, "session_not_found")
    first = span("work", span_id=2, parent=1)
    await api.submit(first)
    await api.submit(agent(1, "lead"))
    moved = await api.get(f"/sessions/{first.trace_id.hex()}/statistics")
    assert (moved.status_code, moved.headers["location"]) == (308, "/sessions/S/statistics")


async def test_at_an_instant_what_had_not_ended_runs_and_what_had_not_begun_is_not_counted(
    api: Api,
) -> None:
    cached = {"gen_ai.usage.cache_read.input_tokens": 60}
    first, second, third = (call(n, 1, **cached) for n in (2, 3, 4))
    lead = agent(1, "lead")
    lead.end_time_unix_nano = START_NS + 10 * SECOND_NS
    for number, one in enumerate((first, second, third)):
        one.start_time_unix_nano = START_NS + number * 3 * SECOND_NS
        one.end_time_unix_nano = one.start_time_unix_nano + 2 * SECOND_NS
    await api.submit(lead, first, second, third)
    path = "/sessions/S/statistics?at_ns="
    found = (await api.get(f"{path}{4 * SECOND_NS}")).json()
    chat = next(one for one in found["operations"] if one["kind"] == "llm")
    assert (chat["count"], chat["running"], chat["used"]["input_tokens"]) == (2, 1, 100)
    assert [one["cache_read_tokens"] for one in found["cache"]] == [60]
    assert (found["span_count"], found["agents"][0]["running"]) == (3, 1)
    whole, end = await statistics(api), (await api.get(f"{path}{10 * SECOND_NS}")).json()
    assert {**whole, "as_of": ""} == {**end, "as_of": ""}
    assert (await api.get(f"{path}-1")).json()["span_count"] == 0
