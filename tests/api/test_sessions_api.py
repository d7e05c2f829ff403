from __future__ import annotations

import base64
import gzip
import json
from typing import Any, get_args
from urllib.parse import quote

import pytest

from inspector.service import wire
from inspector.service.files import export
from inspector.service.http import exports
from inspector.service.model.rows import Json
from inspector.service.otlp.decode_json import decode_json
from inspector.service.otlp.rejections import Rejections
from inspector.service.otlp.signals import TRACES
from inspector.service.search import search
from inspector.service.storage import sqlite_reader
from inspector.service.storage.orders import Order, SortKey
from tests.support.services.api import Api
from tests.support.telemetry.otlp import SECOND_NS, START_NS, span
from tests.support.telemetry.records import heartbeat, log, span_hex, started, trace_hex


async def test_a_received_span_is_in_the_list_at_once(api: Api) -> None:
    await api.submit(span("root", attributes={"session.id": "S"}))
    answer = (await api.get("/sessions")).json()
    (row,) = answer["sessions"]
    assert (row["id"], row["title"], row["status"]) == ("S", "root", "running")
    assert (row["started_at"], row["ended_at"]) == ("2026-01-01T00:00:00.000000000Z", None)
    assert answer["as_of"].endswith(".2")


async def test_the_list_is_paged_by_a_cursor_newest_first(api: Api) -> None:
    await api.submit(*(span(trace=n, start_ns=START_NS + n) for n in range(1, 6)))
    seen: list[str] = []
    cursor: str | None = None
    while True:
        query = {"limit": "2"} | ({"cursor": cursor} if cursor else {})
        page = (await api.get("/sessions", params=query)).json()
        seen += [row["id"] for row in page["sessions"]]
        cursor = page["next_cursor"]
        if cursor is None:
            break
    assert seen == [trace_hex(n) for n in (5, 4, 3, 2, 1)]


async def test_a_list_that_takes_too_long_to_sort_is_refused_with_what_to_do(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    await api.submit(*(span(trace=n) for n in range(1, 6)))
    monkeypatch.setattr(sqlite_reader, "_STEPS", 1)
    monkeypatch.setattr(search, "SORT_S", 0.0)
    answer = await api.get("/sessions?sort=-duration")
    assert answer.status_code == 422
    assert answer.json()["code"] == "too_many_sessions"
    assert "started>-7d" in answer.json()["detail"]
    monkeypatch.setattr(search, "SORT_S", 10.0)
    assert (await api.get("/sessions?sort=-duration&q=started%3E-7d")).status_code == 200


async def test_the_list_is_filtered_by_status_and_text(api: Api) -> None:
    await api.submit(span("Alpha", trace=1))
    await api.pass_time(6)
    await api.submit(span("beta", trace=2))

    async def titles(query: str) -> list[str]:
        return [row["title"] for row in (await api.get(f"/sessions?{query}")).json()["sessions"]]

    assert await titles("status=completed") == ["Alpha"]
    assert await titles("status=completed&status=running") == ["beta", "Alpha"]
    assert await titles("q=ALPHA") == ["Alpha"]


@pytest.mark.slow
@pytest.mark.parametrize(
    "cursor", ["x", "====", "bnVsbA", "WzFd", "WyJhIiwgMV0", "WzEsIngiXQ", "é", "W10=" * 200]
)
@pytest.mark.parametrize("path", ["/sessions", "/sessions/S/spans"])
async def test_a_cursor_that_is_not_ours_is_refused(api: Api, path: str, cursor: str) -> None:
    await api.submit(span(attributes={"session.id": "S"}))
    answer = await api.get(path, params={"cursor": cursor})
    if path == "/sessions" and cursor == "WzEsIngiXQ":
        assert answer.status_code == 200  # [1, "x"] is a place in the list
        return
    assert (answer.status_code, answer.json()["code"]) == (400, "bad_cursor")
    assert answer.headers["content-type"] == "application/problem+json"


async def test_two_runs_of_a_thread_take_as_long_as_both_in_list_order_and_query(api: Api) -> None:
    thread: dict[str, Json] = {"gen_ai.conversation.id": "thread"}
    later_ns = START_NS + 3600 * SECOND_NS
    await api.submit(span("run", duration_ns=2 * SECOND_NS, attributes=thread))
    again = span("run", trace=2, start_ns=later_ns, duration_ns=3 * SECOND_NS, attributes=thread)
    await api.submit(again, span("long", trace=3, duration_ns=60 * SECOND_NS))
    await api.pass_time(10)
    row = (await api.get("/sessions/thread")).json()
    assert row["status"] == "completed"
    assert (row["duration_ms"], row["idle_ms"], row["idle_since"]) == (5_000, 3_598_000, None)
    assert row["ended_at"] == "2026-01-01T01:00:03.000000000Z"
    longest = (await api.get("/sessions?sort=-duration")).json()["sessions"]
    assert [one["title"] for one in longest] == ["long", "run"]
    for query, found in (("duration<6s", ["run"]), ("active:5s", ["run"]), ("duration>1m", [])):
        answer = (await api.get("/sessions", params={"q": query})).json()
        assert [one["title"] for one in answer["sessions"]] == found


async def test_the_whole_store_is_sorted_page_by_page(api: Api) -> None:
    usage = {1: 30, 2: 10, 3: 40, 4: 10, 5: 20}
    for n, tokens in usage.items():
        about: dict[str, Json] = {
            "gen_ai.operation.name": "chat",
            "gen_ai.usage.input_tokens": tokens,
        }
        await api.submit(span(f"chat {n}", trace=n, start_ns=START_NS + n, attributes=about))

    async def listed(**query: str | int) -> list[str]:
        seen: list[str] = []
        cursor: str | None = None
        while True:
            header = {"limit": 2, **query} | ({"cursor": cursor} if cursor else {})
            page = (await api.get("/sessions", params=header)).json()
            seen += [row["title"] for row in page["sessions"]]
            if (cursor := page["next_cursor"]) is None:
                return seen

    assert await listed(sort="tokens") == ["chat 2", "chat 4", "chat 5", "chat 1", "chat 3"]
    assert await listed(sort="-tokens") == ["chat 3", "chat 1", "chat 5", "chat 4", "chat 2"]
    assert await listed(sort="-tokens", q="tokens<40") == ["chat 1", "chat 5", "chat 4", "chat 2"]
    assert await listed(sort="-title", q='"chat" -tokens:10') == ["chat 5", "chat 3", "chat 1"]
    start_ms = START_NS // 1_000_000
    assert await listed(since_ms=start_ms + 1) == []
    assert len(await listed(since_ms=start_ms, until_ms=start_ms + 1)) == 5


async def test_a_cursor_of_another_order_is_refused(api: Api) -> None:
    await api.submit(*(span(trace=n) for n in range(1, 4)))
    page = (await api.get("/sessions?sort=cost&limit=1")).json()
    for sort in ("-cost", "title", "-started"):
        header = {"sort": sort, "cursor": page["next_cursor"]}
        answer = await api.get("/sessions", params=header)
        assert (answer.status_code, answer.json()["code"]) == (400, "bad_cursor")
    made_up = [["title", 1, 5, "x"], ["cost", 1, "a", "x"], ["cost", 1, 1e999, "x"]]
    made_up += [["spans", 1, 1.5, "x"], ["spans", -1, 1, "x"], ["title", 1, "\ud800", "x"]]
    for parts in made_up:
        cursor = base64.urlsafe_b64encode(json.dumps(parts).encode()).decode().rstrip("=")
        header = {"sort": str(parts[0]), "cursor": cursor}
        answer = await api.get("/sessions", params=header)
        assert (answer.status_code, answer.json()["code"]) == (400, "bad_cursor"), parts


def test_every_order_is_served() -> None:
    names = {Order(key, way, 0).name for key in SortKey for way in (False, True)}
    assert set(get_args(wire.SessionSort)) == names


async def test_one_session_is_answered_and_an_unknown_one_is_a_problem(api: Api) -> None:
    await api.submit(span(attributes={"session.id": "équipe: a b"}))
    assert (await api.get("/sessions/%C3%A9quipe:%20a%20b")).json()["id"] == "équipe: a b"
    answer = await api.get("/sessions/nobody")
    assert (answer.status_code, answer.json()["code"]) == (404, "session_not_found")


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    ["x/spans", "..", ".", "/", "a,b", "team/a b?", "50%25", "a#b", "line\nbreak", "n" * 201],
)
async def test_a_session_that_its_sender_calls_anything_can_be_opened_and_deleted(
    api: Api, name: str
) -> None:
    about: dict[str, Json] = {"session.id": name}
    await api.submit(
        span(attributes=about),
        log("inspector.session.started", attributes=about),
        log("inspector.session.finished", trace=1, attributes=about),
    )
    (row,) = (await api.get("/sessions")).json()["sessions"]
    path = "/sessions/" + quote(row["id"], safe="")
    assert "," not in row["id"]
    assert (await api.get(path)).json()["id"] == row["id"]
    spans = (await api.get(f"{path}/spans")).json()["spans"]
    (detail,) = [
        (await api.get(f"/spans/{one['trace_id']}/{one['span_id']}")).json() for one in spans
    ]
    assert name in detail["attributes"].values()
    assert (await api.get(path.replace("/sessions/", "/trace/"))).status_code == 200
    assert (await api.delete(path)).status_code == 204
    assert (await api.get("/sessions")).json()["sessions"] == []


async def test_a_merged_session_answers_with_where_it_went(api: Api) -> None:
    await api.submit(span(span_id=2, parent=1))
    await api.submit(span(attributes={"session.id": "S 1"}))
    for path in ("/sessions/{id}", "/sessions/{id}/spans?limit=5", "/trace/{id}"):
        answer = await api.get(path.format(id=trace_hex(1)))
        assert answer.status_code == 308
        followed = await api.get(answer.headers["location"])
        assert followed.status_code == 200
    assert (
        "limit=5" in (await api.get(f"/sessions/{trace_hex(1)}/spans?limit=5")).headers["location"]
    )
    gone = await api.delete(f"/sessions/{trace_hex(1)}")
    assert gone.status_code == 308


async def test_spans_come_as_rows_and_as_columns_page_by_page(api: Api) -> None:
    session = {"session.id": "S"}
    await api.submit(
        *(span(f"s{n}", span_id=n, start_ns=START_NS + n, attributes=session) for n in range(1, 6)),
    )
    rows: list[dict[str, Any]] = []
    columns: list[dict[str, Any]] = []
    for format_, found in (("rows", rows), ("columns", columns)):
        cursor: str | None = ""
        while cursor is not None:
            query = {"limit": "2", "format": format_} | ({"cursor": cursor} if cursor else {})
            answer = await api.get("/sessions/S/spans", params=query)
            page = answer.json()
            cursor = page["next_cursor"]
            assert answer.headers.get("inspector-next-cursor") == cursor
            assert page["epoch_ns"] == str(START_NS + 1)
            if format_ == "rows":
                found += page["spans"]
            else:
                names, values = zip(*page["columns"].items(), strict=True)
                found += [dict(zip(names, row, strict=True)) for row in zip(*values, strict=True)]
    assert rows == columns
    assert [row["name"] for row in rows] == ["s1", "s2", "s3", "s4", "s5"]
    assert [row["offset_ns"] for row in rows] == [0, 1, 2, 3, 4]


async def test_all_pages_of_spans_come_as_lines_from_a_cursor_on(api: Api) -> None:
    session = {"session.id": "S"}
    await api.submit(
        *(span(f"s{n}", span_id=n, start_ns=START_NS + n, attributes=session) for n in range(1, 7)),
    )
    query = {"limit": "2", "format": "columns"}
    pages = [(await api.get("/sessions/S/spans", params=query)).json()]
    while (cursor := pages[-1]["next_cursor"]) is not None:
        pages.append(
            (await api.get("/sessions/S/spans", params={**query, "cursor": cursor})).json()
        )
    query["format"] = "pages"
    whole = await api.get("/sessions/S/spans", params=query)
    rest = await api.get("/sessions/S/spans", params={**query, "cursor": pages[0]["next_cursor"]})
    assert whole.headers["content-type"] == "application/x-ndjson"
    assert [json.loads(line) for line in whole.text.splitlines()] == pages
    assert [json.loads(line) for line in rest.text.splitlines()] == pages[1:]


async def test_a_deleted_session_is_gone_and_deleting_it_again_is_a_problem(api: Api) -> None:
    await api.submit(span(attributes={"session.id": "S"}))
    assert (await api.delete("/sessions/S")).status_code == 204
    assert (await api.get("/sessions/S")).status_code == 404
    assert (await api.get(f"/spans/{trace_hex(1)}/{span_hex(1)}")).status_code == 404
    assert (await api.delete("/sessions/S")).status_code == 404


async def test_an_export_holds_what_was_received_as_otlp_json_lines(api: Api) -> None:
    sent = [
        span(
            f"s{n}", span_id=n, parent=n - 1 or None, attributes={"session.id": "S", "n": 2**60 + n}
        )
        for n in range(1, 5)
    ]
    await api.submit(*sent, log("note", trace=1, span_id=1, attributes={"k": "v"}))
    answer = await api.get("/trace/S")
    lines = gzip.decompress(answer.content).decode().splitlines()
    spans = [
        one
        for line in lines
        if "resourceSpans" in line
        for _, scope in TRACES.walk(decode_json(TRACES, line.encode(), Rejections()))
        for one in scope.spans
    ]
    assert spans == sent
    logs = [json.loads(line) for line in lines if "resourceLogs" in line]
    (record,) = logs[0]["resourceLogs"][0]["scopeLogs"][0]["logRecords"]
    assert (record["eventName"], record["traceId"]) == ("note", trace_hex(1))


async def test_large_spans_and_logs_are_exported_in_lines_that_an_import_takes(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(export, "_LINE_BYTES", 1_000)
    text: dict[str, Json] = {"session.id": "large", "note": "x" * 400}
    await api.submit(*(span(trace=1, span_id=number, attributes=text) for number in range(1, 6)))
    note: dict[str, Json] = {"note": "x" * 400}
    notes = (log("note", trace=1, time_ns=START_NS + n, attributes=note) for n in range(5))
    await api.submit(*notes)
    packed = (await api.get("/trace/large")).content
    lines = [json.loads(line) for line in gzip.decompress(packed).splitlines()]
    spans = [line["resourceSpans"][0]["scopeSpans"][0]["spans"] for line in lines[:3]]
    logs = [line["resourceLogs"][0]["scopeLogs"][0]["logRecords"] for line in lines[3:]]
    assert [[len(one) for one in found] for found in (spans, logs)] == [[2, 2, 1], [2, 2, 1]]


async def test_an_export_of_a_finished_session_is_not_sent_twice(api: Api) -> None:
    await api.submit(span(attributes={"session.id": "S"}))
    assert "etag" not in (await api.get("/trace/S")).headers
    await api.pass_time(6)
    tag = (await api.get("/trace/S")).headers["etag"]
    again = await api.get("/trace/S", headers={"If-None-Match": tag})
    assert again.status_code == 304
    await api.submit(span(span_id=2, parent=1))
    assert (await api.get("/trace/S", headers={"If-None-Match": tag})).status_code == 200


async def finished(api: Api, count: int = 300) -> None:
    await api.submit(
        *(span(f"s{n}", span_id=n, attributes={"session.id": "S"}) for n in range(1, count))
    )
    await api.pass_time(6)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("header", "first", "end"),
    [
        ("bytes=0-", 0, None),
        ("bytes=0-0", 0, 1),
        ("bytes=10-99", 10, 100),
        ("bytes=100-", 100, None),
        ("bytes=-7", -7, None),
        ("bytes=-99999999", 0, None),
        ("bytes=5-99999999", 5, None),
    ],
)
async def test_a_range_of_a_finished_export_is_served(
    api: Api, header: str, first: int, end: int
) -> None:
    await finished(api)
    whole = await api.get("/trace/S")
    assert (whole.status_code, whole.headers["accept-ranges"]) == (200, "bytes")
    part = await api.get("/trace/S", headers={"Range": header})
    assert part.status_code == 206
    assert part.content == whole.content[first:end]
    start, _, total = part.headers["content-range"].partition("/")
    assert start == f"bytes {whole.content.index(part.content)}-" + str(
        whole.content.index(part.content) + len(part.content) - 1
    )
    assert int(total) == len(whole.content)
    assert part.headers["content-length"] == str(len(part.content))
    assert part.headers["etag"] == whole.headers["etag"]


async def test_an_export_that_broke_off_is_continued(api: Api) -> None:
    await finished(api)
    whole = await api.get("/trace/S")
    rest = await api.get(
        "/trace/S", headers={"Range": "bytes=500-", "If-Range": whole.headers["etag"]}
    )
    assert whole.content[:500] + rest.content == whole.content
    await api.submit(span("late", span_id=999, parent=1))
    await api.pass_time(6)
    other = await api.get(
        "/trace/S", headers={"Range": "bytes=500-", "If-Range": whole.headers["etag"]}
    )
    assert other.status_code == 200, "it is another file now: from the beginning"
    assert b"late" in gzip.decompress(other.content)


@pytest.mark.parametrize("is_downloaded", [True, False])
async def test_the_end_of_an_export_that_was_made_is_not_made_again(
    api: Api,
    monkeypatch: pytest.MonkeyPatch,
    is_downloaded: bool,
) -> None:
    await finished(api)
    first = {} if is_downloaded else {"Range": "bytes=-9"}
    made = (await api.get("/trace/S", headers=first)).content
    with monkeypatch.context() as patch:
        patch.setattr(exports, "packed_session", lambda *_: iter([b"made again"]))
        end = await api.get("/trace/S", headers={"Range": "bytes=-7"})
        assert (end.status_code, end.content) == (206, made[-7:])
    await api.submit(span("late", span_id=999, parent=1))
    await api.pass_time(6)
    whole = await api.get("/trace/S")
    end = await api.get("/trace/S", headers={"Range": "bytes=-7"})
    assert end.content == whole.content[-7:]


@pytest.mark.parametrize("header", ["bytes=99999999-", "bytes=-0"])
async def test_a_part_that_is_not_there_is_416(api: Api, header: str) -> None:
    await finished(api)
    answer = await api.get("/trace/S", headers={"Range": header})
    assert answer.status_code == 416
    assert answer.headers["content-range"].startswith("bytes */")


@pytest.mark.parametrize("header", ["", "bytes", "lines=0-1", "bytes=0-1,5-6", "bytes=9-3"])
async def test_what_is_no_single_range_is_answered_by_the_whole(api: Api, header: str) -> None:
    await finished(api, 3)
    answer = await api.get("/trace/S", headers={"Range": header})
    assert answer.status_code == 200
    assert gzip.decompress(answer.content)


async def test_a_running_session_has_no_parts(api: Api) -> None:
    await api.submit(span(attributes={"session.id": "S"}))
    answer = await api.get("/trace/S", headers={"Range": "bytes=0-1"})
    assert (answer.status_code, answer.headers.get("etag")) == (200, None)


async def test_a_late_record_makes_another_file(api: Api) -> None:
    await finished(api, 3)
    tag = (await api.get("/trace/S")).headers["etag"]
    await api.submit(log("inspector.decision", trace=1, span_id=1, attributes={"k": "v"}))
    answer = await api.get("/trace/S", headers={"If-None-Match": tag})
    assert answer.status_code == 200
    assert b"inspector.decision" in gzip.decompress(answer.content)


async def test_running_spans_are_listed_without_a_duration(api: Api) -> None:
    await api.submit(heartbeat(), started(span(attributes={"session.id": "S"})))
    (row,) = (await api.get("/sessions/S/spans")).json()["spans"]
    assert (row["status"], row["duration_ns"]) == ("running", None)


async def test_usage_is_added_up_by_user_tag_model_and_day(api: Api) -> None:
    def call(trace: int, model: str | None, cost: float | None, **owner: Any) -> Any:
        usage = {"gen_ai.usage.input_tokens": 10 * trace, "gen_ai.usage.output_tokens": 1}
        named = {"gen_ai.request.model": model, "inspector.cost.usd": cost, **owner}
        about: dict[str, Any] = {"gen_ai.operation.name": "chat", "session.id": f"s-{trace}"}
        known = {key: value for key, value in named.items() if value is not None}
        start_ns = START_NS + (trace // 3) * 86_400 * SECOND_NS
        return span(trace=trace, start_ns=start_ns, attributes=about | usage | known)

    await api.submit(
        call(1, "small", 0.25, **{"user.id": "ada", "inspector.tags": ["a", "b"]}),
        call(2, "large", 0.5, **{"user.id": "ada"}),
        call(3, "small", None, **{"enduser.id": "bo", "inspector.tags": ["b"]}),
        call(4, None, None),
    )

    async def groups(by: str, q: str = "") -> dict[str, tuple[Any, ...]]:
        answer = (await api.get("/sessions/usage", params={"by": by, "q": q})).json()
        assert answer["counted_from"] is None
        assert answer["group_count"] == len(answer["groups"])
        return {
            one["name"]: (
                one["session_count"], one["llm_calls"], one["input_tokens"], one["output_tokens"],
                one["cost_usd"], one["uncosted_calls"],
            )
            for one in answer["groups"]
        }  # fmt: skip

    by_user = await groups("user")
    assert list(by_user) == ["ada", "", "bo"]
    assert by_user == {
        "ada": (2, 2, 30, 2, 0.75, 0), "": (1, 1, 40, 1, None, 1), "bo": (1, 1, 30, 1, None, 1)
    }  # fmt: skip
    assert await groups("tag", "user:*") == {
        "a": (1, 1, 10, 1, 0.25, 0), "b": (2, 2, 40, 2, 0.25, 1), "": (1, 1, 20, 1, 0.5, 0)
    }  # fmt: skip
    assert await groups("model") == {
        "small": (2, 2, 40, 2, 0.25, 1), "large": (1, 1, 20, 1, 0.5, 0), "": (1, 1, 40, 1, None, 1)
    }  # fmt: skip
    by_day = await groups("day")
    assert list(by_day) == ["2026-01-02", "2026-01-01"]
    assert by_day["2026-01-01"] == (2, 2, 30, 2, 0.75, 0)
    total = (await api.get("/sessions/usage?by=tag")).json()["total"]
    assert total == {
        "session_count": 4, "llm_calls": 4, "tool_calls": 0, "input_tokens": 100,
        "output_tokens": 4, "cost_usd": 0.75, "uncosted_calls": 2,
    }  # fmt: skip
    assert (await api.get("/sessions/usage", params={"by": "moon"})).status_code == 422


async def test_the_total_is_that_of_the_whole_filter_not_of_a_page(api: Api) -> None:
    await api.submit(*(span(trace=n, start_ns=START_NS + n * SECOND_NS) for n in range(1, 6)))

    async def total(**parameters: Any) -> Any:
        return (await api.get("/sessions/count", params=parameters)).json()

    assert await total() == {"count": 5, "next_cursor": None, "partial": []}
    assert await total(q="status:failed") == {"count": 0, "next_cursor": None, "partial": []}
    since_ms = (START_NS + 3 * SECOND_NS) // 10**6
    assert (await total(since_ms=since_ms))["count"] == 3
    assert (await total(until_ms=since_ms))["count"] == 2
    refused = await api.get("/sessions/count", params={"q": "statsu:failed"})
    assert (refused.status_code, refused.json()["code"]) == (400, "bad_query")


async def test_the_histogram_counts_sessions_by_when_they_began(api: Api) -> None:
    minute_ns = 60 * SECOND_NS
    await api.submit(*(span(trace=n, start_ns=START_NS + n * minute_ns) for n in (1, 1, 2, 4)))
    header = {"until_ms": (START_NS + 4 * minute_ns) // 10**6, "bucket_ms": 60_000, "buckets": 4}
    answer = (await api.get("/sessions/histogram", params=header)).json()
    assert answer["bucket_ms"] == 60_000
    assert answer["counted_from"] is None
    assert [bucket["counts"] for bucket in answer["buckets"]] == [
        {"running": 1}, {"running": 1}, {}, {"running": 1},
    ]  # fmt: skip
    assert answer["buckets"][0]["started_at"] == "2026-01-01T00:01:00.000000000Z"
    narrowed = await api.get("/sessions/histogram", params=header | {"q": "status:failed"})
    assert [bucket["counts"] for bucket in narrowed.json()["buckets"]] == [{}] * 4
    refused = await api.get("/sessions/histogram", params={"q": "statsu:failed"})
    assert refused.status_code == 400
    assert (await api.get("/sessions/histogram", params={"buckets": 201})).status_code == 422
