from __future__ import annotations

import json

import pytest
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from inspector.service.model.rows import Json
from tests.support.services.api import Api
from tests.support.telemetry.otlp import START_NS, key_values, span
from tests.support.telemetry.records import incoming, log, span_hex, started, trace_hex

URL = f"/spans/{trace_hex(1)}/{span_hex(1)}"


async def test_a_span_is_answered_whole(api: Api) -> None:
    sent = span("chat", attributes={"session.id": "S", "n": 1, "deep": {"a": [True, None]}})
    sent.links.add(trace_id=b"\x02" * 16, span_id=b"\x03" * 8, trace_state="a=1")
    sent.dropped_events_count = 4
    await api.submit(incoming(sent, "p1"))
    answer = (await api.get(URL)).json()
    assert (answer["name"], answer["session_id"], answer["otlp_kind"]) == ("chat", "S", "internal")
    assert answer["attributes"] == {"session.id": "S", "n": 1, "deep": {"a": [True, None]}}
    assert answer["links"][0]["trace_id"] == "02" * 16
    assert answer["dropped"] == {"attributes": 0, "events": 4, "links": 0}
    assert answer["resource"]["attributes"]["service.instance.id"] == "p1"
    assert answer["scope"] == {"name": "tests", "version": "1", "attributes": {}}
    assert (answer["started_at"], answer["ended_at"]) == (
        "2026-01-01T00:00:00.000000000Z",
        "2026-01-01T00:00:01.000000000Z",
    )


async def test_what_was_sent_as_span_event_and_as_log_is_shown_once(api: Api) -> None:
    def event(name: str, offset_ns: int) -> Span.Event:
        return Span.Event(
            name=name, time_unix_nano=START_NS + offset_ns, attributes=key_values({"k": "v"})
        )

    both = event("inspector.progress", 20)
    logs = [
        log("inspector.progress", trace=1, span_id=1, time_ns=START_NS + 20),
        log("inspector.progress", trace=1, span_id=1, time_ns=START_NS + 30),
        log("other", trace=1, span_id=2, time_ns=START_NS + 5),
    ]
    await api.parts.writer.submit([incoming(span(events=[event("later", 40), both]))], logs)
    events = (await api.get(URL)).json()["events"]
    assert [(e["name"], e["offset_ns"], e["source"]) for e in events] == [
        ("inspector.progress", 20, "span"),
        ("inspector.progress", 30, "log"),
        ("later", 40, "span"),
    ]


async def test_a_running_span_shows_what_is_known(api: Api) -> None:
    await api.submit(started(span("chat", attributes={"a": 1})))
    answer = (await api.get(URL)).json()
    assert (answer["status"], answer["ended_at"], answer["attributes"]) == (
        "running",
        None,
        {"a": 1},
    )
    assert answer["scope"]["name"] == "tests"


@pytest.mark.parametrize(
    ("path", "status", "code"),
    [
        (f"/spans/{trace_hex(9)}/{span_hex(1)}", 404, "span_not_found"),
        (f"/spans/{trace_hex(1)}/{span_hex(9)}", 404, "span_not_found"),
        ("/spans/XYZ/1", 422, "bad_request"),
    ],
)
async def test_an_unknown_span_is_a_problem(api: Api, path: str, status: int, code: str) -> None:
    await api.submit(span())
    answer = await api.get(path)
    assert (answer.status_code, answer.json()["code"]) == (status, code)


async def test_a_span_is_found_in_its_session_only(api: Api) -> None:
    await api.submit(span())
    await api.submit(span(span_id=2, attributes={"session.id": "named"}))
    for path in (URL, f"{URL}/value?pointer=/name", f"{URL}/state?name=x"):
        found = [
            (await api.get(f"{path}{'&' if '?' in path else '?'}session_id={id_}")).text
            for id_ in ("named", trace_hex(1), "other")  # the second was merged into the first
        ]
        assert found[0] == found[1], path
        assert "span_not_found" not in found[0]
        assert "span_not_found" in found[2]


async def test_a_search_finds_sessions_and_spans(api: Api) -> None:
    hidden = span("tool", span_id=2, parent=1, attributes={"path": "/etc/needle"})
    await api.submit(incoming(span("Find the Needle")), incoming(hidden))
    answer = (await api.get("/search", params={"q": "needle"})).json()
    assert [row["title"] for row in answer["sessions"]] == ["Find the Needle"]
    [in_title] = answer["sessions"][0]["excerpts"]
    expected = {"place": "title", "before": "Find the ", "match": "Needle", "after": ""}
    assert in_title == expected
    assert [hit["span"]["name"] for hit in answer["spans"]] == ["tool", "Find the Needle"]
    assert answer["spans"][0]["session_title"] == "Find the Needle"
    [in_attribute], [in_name] = (hit["excerpts"] for hit in answer["spans"])
    assert in_attribute == {"place": "path", "before": "/etc/", "match": "needle", "after": ""}
    assert (in_name["place"], in_name["match"]) == ("name", "Needle")
    assert answer["next_cursor"] is None
    assert (await api.get("/search")).status_code == 422


async def test_a_found_span_says_why_it_failed_and_how_its_session_stands(api: Api) -> None:
    failed = span("fetch_page", span_id=2, parent=1, error="")
    raised = {"exception.type": "TimeoutError", "exception.message": "504 from\nmirror"}
    failed.events.add(name="exception", attributes=key_values(raised))
    await api.submit(incoming(span("root", error="")), incoming(failed))
    answer = (await api.get("/search", params={"q": "name:fetch_page"})).json()
    [hit] = answer["spans"]
    assert hit["error"] == "TimeoutError: 504 from mirror"
    session = (await api.get(f"/sessions/{hit['session_id']}")).json()
    assert hit["session_status"] == session["status"]
    assert hit["session_started_at"] == session["started_at"]


async def test_a_bad_query_is_a_problem_that_points(api: Api) -> None:
    answer = await api.get("/search", params={"q": "kind:llm statsu:failed"})
    problem = answer.json()
    assert (answer.status_code, problem["code"]) == (400, "bad_query")
    assert (problem["position"], problem["length"]) == (9, 6)
    assert problem["suggestion"] in problem["detail"]


async def test_a_search_is_paged(api: Api) -> None:
    spans = [incoming(span(f"s{n}", span_id=n)) for n in range(1, 6)]
    await api.submit(*spans)
    seen: list[str] = []
    cursor: str | None = None
    while cursor or not seen:
        query = {"q": "name:s*", "limit": "2", **({"cursor": cursor} if cursor else {})}
        answer = (await api.get("/search", params=query)).json()
        seen += [hit["span"]["name"] for hit in answer["spans"]]
        cursor = answer["next_cursor"]
    assert sorted(seen) == ["s1", "s2", "s3", "s4", "s5"]


async def test_the_tools_of_a_model_call_are_compared_with_a_call_before_it(api: Api) -> None:
    def call(number: int, **described: str) -> Span:
        tools = [{"name": name, "description": text} for name, text in described.items()]
        attributes: dict[str, Json] = {
            "session.id": "S",
            "gen_ai.operation.name": "chat",
            "gen_ai.tool.definitions": json.dumps(tools),
        }
        return span(span_id=number, start_ns=START_NS + number, attributes=attributes)

    calls = [
        call(1, search="Finds.", fetch="Gets."),
        call(2, of_another_agent="Acts."),
        call(3, search="Finds.", fetch="Gets."),
        call(4, search="Finds all.", delete="Removes."),
        call(5),
    ]
    await api.submit(*map(incoming, calls), incoming(span(span_id=9, start_ns=START_NS)))
    before = {
        number: (await api.get(f"/spans/{trace_hex(1)}/{span_hex(number)}")).json()["tools_before"]
        for number in (1, 3, 4, 5, 9)
    }
    same: dict[str, Json] = {"added": [], "removed": [], "changed": []}
    assert before[3] == {"trace_id": trace_hex(1), "span_id": span_hex(1), **same}
    assert before[4] == {
        **{"trace_id": trace_hex(1), "span_id": span_hex(3)},
        **{"added": ["delete"], "removed": ["fetch"], "changed": ["search"]},
    }
    assert (before[1], before[5], before[9]) == (None, None, None)


async def test_a_tool_call_has_the_schema_that_the_model_was_offered(api: Api) -> None:
    def offers(number: int, *names: str) -> Span:
        schema = {"properties": {"path": {"type": "string"}}, "required": ["path"], "n": number}
        tools = [{"name": name, "description": name, "parameters": schema} for name in names]
        attributes: dict[str, Json] = {
            "session.id": "S",
            "gen_ai.operation.name": "chat",
            "gen_ai.tool.definitions": json.dumps(tools),
        }
        return span(span_id=number, start_ns=START_NS + number, attributes=attributes)

    def call(number: int, name: str) -> Span:
        attributes: dict[str, Json] = {
            "session.id": "S",
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": name,
        }
        return span(span_id=number, start_ns=START_NS + number, attributes=attributes)

    spans = [
        call(1, "read"),
        offers(2, "mcp__files__read", "unread", "write"),
        call(3, "read"),
        offers(4, "read"),
        offers(5, "search"),
        call(6, "read"),
        call(7, "delete"),
    ]
    await api.submit(*map(incoming, spans))
    found = {
        number: (await api.get(f"/spans/{trace_hex(1)}/{span_hex(number)}")).json()
        for number in (1, 3, 6, 7)
    }
    definitions = {number: detail["tool_definition"] for number, detail in found.items()}
    assert (definitions[1], definitions[7]) == (None, None)
    assert definitions[3]["description"] == "mcp__files__read", "a host names the server, too"
    assert '"n": 4' in definitions[6]["parameters"]["text"], "by the last call that offered it"
