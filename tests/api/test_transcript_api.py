"""`GET /sessions/{id}/transcript`: the content of spans, from the sender to the answer."""

from __future__ import annotations

from typing import Any

import pytest
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from inspector.service.http import transcript
from inspector.service.model.rows import Json
from tests.support.services.api import Api
from tests.support.telemetry.delegating_run import TRACE, WHY, spans
from tests.support.telemetry.otlp import SECOND_NS, START_NS, span
from tests.support.telemetry.records import incoming, log, span_hex, started, trace_hex

URL = "/sessions/refunds/transcript"


def key(number: int, before: int | None = None) -> str:
    known = f"{trace_hex(TRACE)}.{span_hex(number)}"
    return known if before is None else f"{known}~{trace_hex(TRACE)}.{span_hex(before)}"


@pytest.fixture
async def api(api: Api) -> Api:
    await api.submit(*(incoming(one, "p1") for one in spans()))
    return api


async def readings(api: Api, *keys: str, url: str = URL) -> list[dict[str, Any]]:
    answer = await api.get(url, params=[("span", one) for one in keys])
    assert answer.status_code == 200, answer.text
    found: list[dict[str, Any]] = answer.json()["readings"]
    return found


def words(reading: dict[str, Any]) -> list[tuple[str, str]]:
    return [
        (attributes["role"], piece["clip"]["text"])
        for attributes in reading["said"]
        for piece in attributes["pieces"]
        if piece["type"] in ("text", "tool_result")
    ]


async def test_turns_say_what_is_new_in_the_order_of_the_question(api: Api) -> None:
    last, first = await readings(api, key(28, before=26), key(22))
    assert words(first) == [
        ("system", "You write code."),
        ("user", "Mend the rounding of refunds."),
        ("assistant", "I use floor."),
    ]
    assert words(last) == [("tool", WHY), ("assistant", "I cannot make the tests pass.")]
    assert (last["repeated"], last["rewritten"]) == (7, None)


async def test_a_failed_tool_says_why_and_a_denied_one_who_denied_it(api: Api) -> None:
    failed, denied, narrowed = await readings(api, key(25), key(4), key(13))
    assert failed["error"]["message"]["text"] == WHY
    assert denied["decisions"][0] == {
        "offset_ns": 7_105_000_000,
        "hook": "before_tool_call",
        "interceptor": "release gate",
        "action": "deny",
        "reason": "tests are red",
        "before": None,
        "after": None,
    }
    assert '"limit":50' in narrowed["decisions"][0]["before"]["text"]


async def test_a_span_that_is_not_there_or_of_another_session_is_left_out(api: Api) -> None:
    other = span("other", trace=8, span_id=1, attributes={"session.id": "other"})
    await api.submit(other)
    keys = (key(99), f"{trace_hex(8)}.{span_hex(1)}", key(1))
    assert [one["span_id"] for one in await readings(api, *keys)] == [span_hex(1)]


async def test_a_running_tool_has_its_arguments_and_its_progress(api: Api) -> None:
    attributes = {
        "session.id": "refunds",
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "build",
        "gen_ai.tool.call.arguments": '{"target":"all"}',
    }
    running = started(span("execute_tool build", trace=TRACE, span_id=50, attributes=attributes))
    half = log(
        "inspector.progress",
        trace=TRACE,
        span_id=50,
        attributes={"inspector.progress.percent": 50.0, "inspector.progress.message": "half"},
    )
    await api.submit(running, half)
    [reading] = await readings(api, key(50))
    assert reading["tool"]["arguments"]["text"] == '{"target":"all"}'
    assert reading["tool"]["result"] is None
    assert (reading["progress"]["percent"], reading["progress"]["message"]) == (50.0, "half")


async def test_an_answer_has_only_so_much_room(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transcript, "MAX_BYTES", 1)
    answer = (await api.get(URL, params=[("span", key(22)), ("span", key(24, 22))])).json()
    assert [one["span_id"] for one in answer["readings"]] == [span_hex(22)]
    assert answer["left_out"] == [key(24, 22)]


async def test_a_session_that_moved_is_found_where_it_is(api: Api) -> None:
    first = span("chat", trace=9, span_id=1)
    await api.submit(first)
    later = span("more", trace=9, span_id=2, parent=1, attributes={"session.id": "better"})
    await api.submit(later)
    url = f"/sessions/{trace_hex(9)}/transcript"
    answer = await api.get(url, params={"span": f"{trace_hex(9)}.{span_hex(1)}"})
    assert answer.status_code == 308
    assert answer.headers["location"].startswith("/sessions/better/transcript?span=")


@pytest.mark.parametrize("keys", ["", "x", f"{'0' * 32}", f"{'0' * 32}.{'0' * 16}~x"])
async def test_what_is_no_span_is_refused(api: Api, keys: str) -> None:
    assert (await api.get(URL, params={"span": keys})).status_code == 422


async def test_too_many_spans_are_refused(api: Api) -> None:
    keys = [key(number) for number in range(transcript.MAX_SPANS + 1)]
    assert (await api.get(URL, params={"span": keys})).status_code == 422


async def test_a_missing_session_is_refused(api: Api) -> None:
    answer = await api.get("/sessions/none/transcript", params={"span": key(1)})
    assert (answer.status_code, answer.json()["code"]) == (404, "session_not_found")


async def test_the_last_calls_say_what_led_to_a_span(api: Api) -> None:
    async def last(**query: str | int) -> list[dict[str, Any]]:
        answer = await api.get(f"{URL}/last", params=query)
        assert answer.status_code == 200, answer.text
        found: list[dict[str, Any]] = answer.json()["readings"]
        return found

    def ids(found: list[dict[str, Any]]) -> list[str]:
        return [one["span_id"] for one in found]

    before = await last(before=key(28), limit=5)
    turn = before[ids(before).index(span_hex(26))]
    assert words(turn)[-1][0] == "assistant"
    assert turn["repeated"] > 0, "the call before it said that"
    assert ids(await last(before=key(28))) == ids(before)[-3:], "oldest first"
    assert ids(await last(before=key(999))) == ids(await last()), "nothing is waited for"
    assert {one["status"] for one in before} == {"error", "unset"}
    assert ids(await last(limit=2)) != ids(before)[-2:]
    assert (await api.get(f"{URL}/last", params={"before": "x"})).status_code == 422
    assert (await api.get("/sessions/nobody/transcript/last")).status_code == 404


async def test_what_came_after_a_span_began_did_not_lead_to_it(api: Api) -> None:
    def call(number: int, start_s: int, duration_s: int) -> Span:
        values: dict[str, Json] = {
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.call.arguments": "{}",
            "gen_ai.tool.call.result": f"result {number}",
        }
        return span(
            f"execute_tool t{number}",
            trace=9,
            span_id=number,
            parent=99,
            start_ns=START_NS + start_s * SECOND_NS,
            duration_ns=duration_s * SECOND_NS,
            attributes=values,
        )

    calls = (call(1, 0, 1), call(2, 1, 9), call(3, 2, 1), call(4, 5, 1))
    await api.submit(*(incoming(one, "p1") for one in calls))
    url = f"/sessions/{trace_hex(9)}/transcript/last"
    answer = await api.get(url, params={"before": f"{trace_hex(9)}.{span_hex(4)}"})
    results = [one["tool"]["result"] for one in answer.json()["readings"]]
    assert [one and one["text"] for one in results] == ["result 1", None, "result 3"]
