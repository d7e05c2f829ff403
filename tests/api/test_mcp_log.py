"""`GET /sessions/{id}/mcp`: spans of every convention and records of the wire, as one log."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from inspector.service.model.incoming import IncomingLog
from inspector.service.model.rows import Json
from tests.support.services.api import Api
from tests.support.telemetry.otlp import SECOND_NS, START_NS, any_value, key_values, span
from tests.support.telemetry.records import incoming, log, span_hex, started, trace_hex

KEY = f"{trace_hex(1)}.{span_hex(2)}"
CALL: dict[str, Json] = {
    "mcp.method.name": "tools/call",
    "gen_ai.tool.name": "search",
    "inspector.mcp.server.name": "files",
    "inspector.mcp.transport": "stdio",
    "mcp.protocol.version": "2026-07-28",
}


def agent() -> Span:
    return span("agent", attributes={"session.id": "S", "gen_ai.operation.name": "invoke_agent"})


def call(span_id: int = 2, *, attributes: Mapping[str, Json] | None = None, **more: Any) -> Span:
    attributes = {**CALL, **(attributes or {})}
    kind = more.pop("kind", Span.SPAN_KIND_CLIENT)
    return span("tools/call", span_id=span_id, parent=1, attributes=attributes, kind=kind, **more)


def frame(body: str, time_ns: int, **attributes: Json) -> IncomingLog:
    named = {f"inspector.mcp.{key.replace('_', '.')}": value for key, value in attributes.items()}
    sent = log("inspector.mcp.frame", trace=1, time_ns=time_ns, attributes=named)
    sent.record.body.CopyFrom(any_value(body))
    return sent


async def read(api: Api, **sent: Any) -> dict[str, Any]:
    answer = await api.get("/sessions/S/mcp", params=sent)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


async def entries(api: Api, **sent: Any) -> list[dict[str, Any]]:
    """Read all pages; by time."""
    found: dict[str, dict[str, Any]] = {}
    page = await read(api, **sent)
    while True:
        found |= {entry["key"]: entry for entry in page["entries"]}
        if page["next_cursor"] is None:
            return sorted(found.values(), key=lambda entry: entry["offset_ns"])
        page = await read(api, **{**sent, "cursor": page["next_cursor"]})


async def test_a_span_gives_both_halves_of_its_exchange(api: Api) -> None:
    sent = '{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"search"}}'
    answered = '{"jsonrpc":"2.0","id":7,"result":{"content":[],"n":9007199254740993}}'
    attributes = {"inspector.rpc.request": sent, "inspector.rpc.response": answered}
    await api.submit(agent(), call(attributes=attributes))
    request, response = await entries(api)
    assert (request["type"], request["direction"], request["rpc_id"]) == (
        "request",
        "to_server",
        "7",
    )
    assert (request["method"], request["target"], request["server"]) == (
        "tools/call",
        "search",
        "files",
    )
    assert (response["type"], response["direction"]) == ("response", "to_client")
    assert (request["text"], response["text"]) == (sent, answered)
    assert response["offset_ns"] - request["offset_ns"] == SECOND_NS
    assert request["exchange"] == response["exchange"] == KEY


async def test_without_envelopes_the_arguments_and_the_result_are_shown_as_such(api: Api) -> None:
    attributes: dict[str, Json] = {
        "gen_ai.tool.call.arguments": '{"q":1}',
        "gen_ai.tool.call.result": '{"r":2}',
    }
    await api.submit(agent(), call(attributes=attributes))
    assert [(one["form"], one["text"]) for one in await entries(api)] == [
        ("content", '{"q":1}'),
        ("content", '{"r":2}'),
    ]


@pytest.mark.parametrize(
    ("attributes", "status", "expected"),
    [
        (
            {"inspector.rpc.response": '{"jsonrpc":"2.0","error":{"code":-32601,"message":"no"}}'},
            "no",
            {"kind": "rpc", "code": "-32601", "message": "no"},
        ),
        (
            {"rpc.response.status_code": "-32602", "error.type": "-32602"},
            None,
            {"kind": "rpc", "code": "-32602", "message": None},
        ),
        (
            {"inspector.rpc.response": '{"jsonrpc":"2.0","result":{"isError":true}}'},
            None,
            {"kind": "tool", "code": None, "message": None},
        ),
        ({"error.type": "tool_error"}, "x", {"kind": "tool", "code": None, "message": "x"}),
        (
            {"rpc.response.status_code": "-32000", "error.type": "-32000"},
            "Connection closed",
            {"kind": "failed", "code": "-32000", "message": "Connection closed"},
        ),
        ({"error.type": "cancelled"}, "x", {"kind": "cancelled", "code": None, "message": "x"}),
        (
            {"error.type": "ConnectionError"},
            "gone",
            {"kind": "failed", "code": "ConnectionError", "message": "gone"},
        ),
    ],
)
async def test_a_failure_says_whose_it_is(
    api: Api,
    attributes: dict[str, Json],
    status: str | None,
    expected: dict[str, Json],
) -> None:
    await api.submit(agent(), call(attributes=attributes, error=status))
    response = (await entries(api))[-1]
    assert (response["type"], response["fault"]) == ("response", expected)


async def test_an_input_required_result_says_what_it_asks_and_never_its_state(api: Api) -> None:
    sent = {
        "resultType": "input_required",
        "requestState": "opaque-and-maybe-secret",
        "inputRequests": {
            "which": {"method": "elicitation/create", "params": {"message": "Where to?"}}
        },
    }
    again = {
        "name": "search",
        "requestState": "opaque-and-maybe-secret",
        "inputResponses": {"which": {"action": "accept", "content": {}}},
    }
    first = {"inspector.rpc.response": json.dumps({"jsonrpc": "2.0", "result": sent})}
    second = {
        "inspector.rpc.request": json.dumps(
            {"jsonrpc": "2.0", "method": "tools/call", "params": again}
        )
    }
    later = START_NS + 2 * SECOND_NS
    await api.submit(agent(), call(attributes=first), call(3, attributes=second, start_ns=later))
    _, response, request, _ = await entries(api)
    assert response["result_type"] == "input_required"
    assert response["asks"] == [
        {"key": "which", "method": "elicitation/create", "text": "Where to?"}
    ]
    assert request["answers"] == [{"key": "which", "method": None, "text": "accept"}]
    assert response["state_hash"] == request["state_hash"] != "opaque-and-maybe-secret"


async def test_a_call_that_runs_has_no_response_until_since_brings_it(api: Api) -> None:
    running = call(duration_ns=None)
    await api.parts.writer.submit([incoming(agent())], [started(running)])
    before = await read(api)
    assert [(one["type"], one["state"]) for one in before["entries"]] == [("request", "running")]
    assert (await read(api, since=before["change"]))["entries"] == []
    await api.submit(call())
    after = await read(api, since=before["change"])
    assert [(one["key"], one["type"]) for one in after["entries"]] == [
        (f"{KEY}:request", "request"),
        (f"{KEY}:response", "response"),
    ]
    assert (await read(api, since=after["change"]))["entries"] == []


async def test_since_brings_records_of_the_wire_too(api: Api) -> None:
    await api.submit(agent())
    before = (await read(api))["change"]
    ping = frame('{"jsonrpc":"2.0","id":1,"method":"ping"}', START_NS + 1)
    await api.submit(ping)
    (entry,) = (await read(api, since=before))["entries"]
    assert (entry["method"], entry["rpc_id"], entry["source"]) == ("ping", "1", "record")


async def test_frames_of_the_wire_are_read_both_ways(api: Api) -> None:
    place: dict[str, Json] = {"server_name": "files", "connection_id": "c1"}
    sampling = '{"jsonrpc":"2.0","id":"s-1","method":"sampling/createMessage","params":{}}'
    logs = (
        frame(
            '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"search",'
            '"_meta":{"progressToken":9}}}',
            START_NS + 1,
            direction="to_server",
            **place,
        ),
        frame(sampling, START_NS + 2, direction="to_client", **place),
        frame('{"jsonrpc":"2.0","id":"s-1","result":{}}', START_NS + 3, direction="to_server"),
        frame(
            '{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":9,'
            '"progress":1,"total":4,"message":"a"}}',
            START_NS + 4,
            **place,
        ),
        frame(
            '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}',
            START_NS + 5,
            direction="to_server",
            **place,
        ),
    )
    await api.submit(agent(), *logs)
    found = await entries(api)
    assert [(one["type"], one["direction"], one["method"], one["rpc_id"]) for one in found] == [
        ("request", "to_server", "tools/call", "1"),
        ("request", "to_client", "sampling/createMessage", '"s-1"'),
        ("response", "to_server", None, '"s-1"'),
        ("notification", "to_client", "notifications/progress", None),
        ("notification", "to_server", "notifications/cancelled", None),
    ]
    assert found[0]["progress_token"] == found[3]["progress_token"] == "9"
    assert found[3]["progress"] == {"value": 1, "total": 4, "percent": 25, "message": "a"}
    assert (found[0]["connection"], found[0]["server"]) == ("c1", "files")
    assert found[4]["about_id"] == "1"


async def test_what_a_connection_did_and_what_a_server_wrote_are_lines(api: Api) -> None:
    attributes: dict[str, Json] = {
        "inspector.mcp.server.name": "files",
        "inspector.transport.status": "failed",
        "inspector.transport.step": "spawn",
        "inspector.transport.reason": "no such file",
    }
    failed = log("inspector.transport.failed", trace=1, attributes=attributes)
    line = log("inspector.mcp.stderr", trace=1, time_ns=START_NS + 1)
    line.record.body.CopyFrom(any_value("Traceback …"))
    await api.submit(agent(), failed, line)
    transport, stderr = await entries(api)
    assert (transport["type"], transport["state"], transport["step"], transport["text"]) == (
        "transport",
        "failed",
        "spawn",
        "no such file",
    )
    assert (stderr["type"], stderr["text"]) == ("stderr", "Traceback …")


async def test_a_record_without_a_trace_belongs_to_the_session_that_it_names(api: Api) -> None:
    lines = [
        log("inspector.mcp.stderr", attributes={"session.id": "S"}),
        log("inspector.transport.connected", attributes={"session.id": "S"}, time_ns=START_NS + 1),
    ]
    await api.submit(agent(), *lines)
    assert [one["type"] for one in await entries(api)] == ["stderr", "transport"]


async def test_progress_is_listed_once_as_record_and_as_event_of_a_span(api: Api) -> None:
    at_ns = START_NS + 5
    attributes: dict[str, Json] = {"inspector.progress.percent": 40.0}
    event = Span.Event(
        name="inspector.progress", time_unix_nano=at_ns, attributes=key_values(attributes)
    )
    record = log("inspector.progress", trace=1, span_id=2, time_ns=at_ns, attributes=attributes)
    await api.submit(agent(), call(events=[event]), record)
    found = [one for one in await entries(api) if one["progress"]]
    assert [(one["method"], one["progress"]["percent"]) for one in found] == [
        ("notifications/progress", 40)
    ]


async def test_a_long_message_is_clamped_and_whole_in_its_frame(api: Api) -> None:
    whole = '{"jsonrpc":"2.0","id":1,"result":{"text":"' + "x" * 1_000_000 + '"}}'
    await api.submit(agent(), frame(whole, START_NS + 1))
    (entry,) = await entries(api)
    assert (len(entry["text"]), entry["is_whole"], entry["size_bytes"]) == (400, False, len(whole))
    answer = await api.get("/sessions/S/mcp/frame", params={"key": entry["key"]})
    assert answer.json()["body"]["text"] == whole


@pytest.mark.parametrize("size", [1_000_000, 3_000_000])
async def test_a_long_message_keeps_its_id_and_with_others_makes_short_pages(
    api: Api, size: int
) -> None:
    whole = '{"jsonrpc":"2.0","id":"big","result":{"id":7,"text":"' + "x" * size + '"}}'
    logs = tuple(frame(whole, START_NS + at) for at in range(9_000_000 // size + 1))
    await api.submit(agent(), *logs)
    assert len((await read(api, cursor="WzBd"))["entries"]) < len(logs)
    found = await entries(api)
    assert len(found) == len(logs)
    assert {(one["type"], one["rpc_id"]) for one in found} == {("response", '"big"')}


async def test_a_span_s_halves_come_whole_with_http_headers(api: Api) -> None:
    attributes: dict[str, Json] = {
        "inspector.rpc.request": '{"method":"tools/call"}',
        "http.request.header.mcp-method": ["tools/call"],
    }
    await api.submit(agent(), call(attributes=attributes))
    answer = await api.get("/sessions/S/mcp/frame", params={"key": f"{KEY}:request"})
    assert answer.json()["body"]["text"] == '{"method":"tools/call"}'
    headers = json.loads(answer.json()["headers"]["text"])
    assert headers == {"request.header.mcp-method": ["tools/call"]}


@pytest.mark.parametrize(
    "key", ["", "m1", "m999999999999999999", f"{KEY}:request", f"{KEY}:other", "🙂", "m-1", "../x"]
)
async def test_a_message_that_is_not_there_is_not_found(api: Api, key: str) -> None:
    await api.submit(agent(), log("other", trace=1))
    answer = await api.get("/sessions/S/mcp/frame", params={"key": key})
    assert (answer.status_code, answer.json()["code"]) == (404, "frame_not_found")


async def test_a_message_of_another_session_is_not_found(api: Api) -> None:
    other = span("tools/call", trace=2, attributes={**CALL, "session.id": "T"})
    await api.submit(agent(), other)
    key = f"{trace_hex(2)}.{span_hex(1)}:request"
    assert (await api.get("/sessions/S/mcp/frame", params={"key": key})).status_code == 404
    assert (await api.get("/sessions/T/mcp/frame", params={"key": key})).status_code == 200


async def test_unknown_sessions_and_cursors_are_refused(api: Api) -> None:
    await api.submit(agent())
    assert (await api.get("/sessions/X/mcp")).json()["code"] == "session_not_found"
    answer = await api.get("/sessions/S/mcp", params={"cursor": "none"})
    assert answer.json()["code"] == "bad_cursor"


async def test_pages_together_are_the_log_and_each_is_short(api: Api) -> None:
    await api.submit(
        agent(), *(call(number, start_ns=START_NS + number) for number in range(2, 62))
    )
    page = await read(api, limit=10)
    assert 0 < len(page["entries"]) <= 20
    assert len(await entries(api, limit=10)) == 120


async def test_hostile_messages_are_lines_like_all_others(api: Api) -> None:
    bodies = [
        '{"jsonrpc":"2.0","id":{"a":1},"method":"__proto__","params":{"__proto__":{"x":1}}}',
        '{"jsonrpc":"2.0","id":1e999,"method":"\\u202egnihtemos","params":[1,2]}',
        '{"jsonrpc":"2.0","id":"\\ud800","result":"no object"}',
        '{"jsonrpc":"2.0","method":"notifications/progress","params":{"progress":1e400}}',
        "[" * 100_000,
        "not json \x00 at all",
        "",
    ]
    logs = tuple(frame(body, START_NS + at) for at, body in enumerate(bodies))
    await api.submit(agent(), *logs)
    found = await entries(api)
    assert len(found) == len(bodies)
    assert [one["method"] for one in found[:2]] == ["__proto__", "\u202egnihtemos"]


@pytest.mark.slow
async def test_thousands_of_messages_in_one_batch_are_stored_each_once(api: Api) -> None:
    logs = tuple(frame(f'{{"id":{at},"method":"ping"}}', START_NS + at) for at in range(4_500))
    await api.submit(agent(), *logs, *logs[:50])
    pages, cursor = 0, "WzBd"
    found: set[str] = set()
    while cursor:
        page = await read(api, cursor=cursor)
        found |= {entry["key"] for entry in page["entries"]}
        pages, cursor = pages + 1, page["next_cursor"]
    assert (len(found), pages) == (4_500, 3)


async def test_a_merged_session_says_where_its_log_is(api: Api) -> None:
    await api.submit(span("x", span_id=9, attributes={"mcp.method.name": "ping"}))
    await api.submit(agent())
    answer = await api.get(f"/sessions/{trace_hex(1)}/mcp", params={"limit": 5})
    assert (answer.status_code, answer.headers["location"]) == (308, "/sessions/S/mcp?limit=5")


async def test_a_message_that_its_sender_cut_keeps_its_id_and_its_method(api: Api) -> None:
    sent = '{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"cut","arg'
    answered = '{"jsonrpc":"2.0","id":7,"result":{"content":[{"type":"text","text":"yyy'
    logs = (frame(sent, START_NS + 1), frame(answered, START_NS + 2))
    await api.submit(agent(), *logs)
    found = [(one["type"], one["method"], one["rpc_id"]) for one in await entries(api)]
    assert found == [("request", "tools/call", "7"), ("response", None, "7")]


async def test_a_session_says_whether_any_of_it_may_be_about_mcp(api: Api) -> None:
    async def has_mcp() -> bool:
        found: bool = (await api.get("/sessions/S")).json()["has_mcp"]
        return found

    web = {"http.request.method": "GET", "session.id": "S"}
    await api.submit(span("GET /items", attributes=web))
    assert not await has_mcp()
    await api.submit(frame("{}", START_NS, direction="sent"))
    assert await has_mcp()


async def test_a_request_of_any_instrumentation_is_about_mcp(api: Api) -> None:
    await api.submit(span("agent", attributes={"session.id": "S"}))
    await api.submit(span("tools/list.mcp", span_id=2, parent=1))
    assert (await api.get("/sessions/S")).json()["has_mcp"]
