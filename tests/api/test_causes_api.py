"""`GET /causes`: what sessions failed from, in groups."""

from __future__ import annotations

from typing import Any

from tests.support.services.api import Api
from tests.support.telemetry.otlp import SECOND_NS, START_NS, span
from tests.support.telemetry.records import trace_hex

HOUR_NS = 3600 * SECOND_NS


async def _fill(api: Api) -> None:
    """Three sessions with causes that are alike, two with others, one that went well."""
    errors = (
        "504 after 1 s",
        "504 after 20 s",
        "504 after 3.5 s",
        "503 after 1 s",
        "refused",
        None,
    )
    for number, error in enumerate(errors, start=1):
        start_ns = START_NS + number * HOUR_NS
        await api.submit(
            span("run", trace=number, start_ns=start_ns, error="it failed" if number < 4 else None),
            span("fetch", trace=number, span_id=2, parent=1, start_ns=start_ns, error=error),
        )
    await api.pass_time(6)


async def _groups(api: Api, query: str = "") -> dict[str, Any]:
    answer = await api.get(f"/causes?{query}")
    assert answer.status_code == 200, answer.text
    return dict(answer.json())


async def test_causes_that_are_alike_are_one_group_the_most_frequent_first(api: Api) -> None:
    await _fill(api)
    found = await _groups(api, "buckets=5")
    assert (found["group_count"], found["session_count"], found["counted_from"]) == (3, 5, None)
    first, *others = found["groups"]
    assert first["cause"] == "fetch: 504 after <n>"
    assert (first["session_count"], first["failed_count"]) == (3, 3)
    assert (first["first_seen"][11:16], first["last_seen"][11:16]) == ("01:00", "03:00")
    assert first["example"]["id"] == trace_hex(3)
    assert first["good_session_id"] == trace_hex(6)
    assert (first["counts"], sum(map(sum, (one["counts"] for one in others)))) == (
        [1, 1, 1, 0, 0],
        2,
    )
    assert {one["cause"]: one["failed_count"] for one in others} == {
        "fetch: 503 after <n>": 0,
        "fetch: refused": 0,
    }
    of_group = await api.get("/sessions", params={"q": f"cause_key:{first['key']}"})
    assert [one["id"] for one in of_group.json()["sessions"]] == [trace_hex(n) for n in (3, 2, 1)]


async def test_causes_are_those_of_a_time_and_of_a_query(api: Api) -> None:
    await _fill(api)
    since_ms = (START_NS + 3 * HOUR_NS) // 1_000_000
    found = await _groups(api, f"since_ms={since_ms}&until_ms={since_ms + 3_600_000}")
    assert [one["session_count"] for one in found["groups"]] == [1]
    assert [one["failed_count"] for one in (await _groups(api, "q=status:failed"))["groups"]] == [3]
    assert len((await _groups(api, "limit=1"))["groups"]) == 1


async def test_a_query_that_reads_sessions_one_by_one_finds_the_same_groups(api: Api) -> None:
    await _fill(api)
    by_index, by_row = await _groups(api, "q=spans:2"), await _groups(api, "q=name:fetch")
    assert by_index == by_row
    assert by_row["session_count"] == 5


async def test_where_nothing_failed_there_are_no_causes(api: Api) -> None:
    assert (await _groups(api))["groups"] == []


async def _last_good(api: Api, session_id: str) -> str | None:
    answer = await api.get(f"/sessions/{session_id}/last-good")
    assert answer.status_code == 200, answer.text
    found: str | None = answer.json()["session_id"]
    return found


async def test_a_failed_session_has_the_newest_good_run_of_its_title_to_compare_with(
    api: Api,
) -> None:
    await _fill(api)
    for number, title in ((7, "run"), (8, "other"), (9, "alone")):
        start_ns = START_NS + number * HOUR_NS
        error = "it failed" if title == "alone" else None
        await api.submit(span(title, trace=number, start_ns=start_ns, error=error))
    await api.pass_time(6)
    assert await _last_good(api, trace_hex(1)) == trace_hex(7)
    assert await _last_good(api, trace_hex(9)) is None
    missing = await api.get("/sessions/nobody/last-good")
    assert (missing.status_code, missing.json()["code"]) == (404, "session_not_found")
