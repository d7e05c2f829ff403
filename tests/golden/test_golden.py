"""The golden trace through decoder, store and API: OTLP in, a session out.

`release_notes.otlp.jsonl` has what is ordinary (an agent with a sub-agent, LLM calls, tools over
MCP) and what is not: a failing tool, a concurrent pair, a span without its parent, one that still
runs, text outside of ASCII, hostile markup, children before their parents.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from dirty_equals import IsPartialDict
from inline_snapshot import snapshot

from tests.support.services.app import service_client

TRACE_ID = "0af7651916cd43dd8448eb211c80319c"
GOLDEN = Path(__file__).with_name("release_notes.otlp.jsonl")
JSON = {"Content-Type": "application/json"}


@pytest.fixture(params=["memory", "sqlite"])
async def api(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[httpx.AsyncClient]:
    store = "memory:" if request.param == "memory" else f"sqlite:///{tmp_path}/store.sqlite3"
    async with service_client(store=store) as client:
        for line in GOLDEN.read_text(encoding="utf-8").splitlines():
            answer = await client.post("/v1/traces", content=line.encode(), headers=JSON)
            assert (answer.status_code, answer.json()) == (200, {})
        yield client


async def get(api: httpx.AsyncClient, path: str) -> Any:
    answer = await api.get(path)
    assert answer.status_code == 200, answer.text
    return answer.json()


async def test_the_session_is_listed_with_its_sums(api: httpx.AsyncClient) -> None:
    sessions = (await get(api, "/sessions"))["sessions"]
    assert len(sessions) == 1
    assert sessions[0] == snapshot(
        IsPartialDict(
            id="golden",
            title="Release notes for v1.4",
            status="running",
            started_at="2026-01-01T00:00:00.000000000Z",
            ended_at=None,
            span_count=10,
            error_count=1,
            llm_calls=2,
            tool_calls=4,
            input_tokens=2012,
            output_tokens=474,
            models=["gpt-4o"],
            services=["release-bot"],
        )
    )
    assert sorted(sessions[0]["agents"]) == ["planner", "writer"]


async def test_the_waterfall_has_every_span_once_in_order_of_start(api: httpx.AsyncClient) -> None:
    skeleton = await get(api, "/sessions/golden/spans")
    spans = [
        (
            row["span_id"][-1],
            (row["parent_span_id"] or "-")[-2:],
            row["kind"],
            row["status"],
            (row["offset_ns"] - skeleton["spans"][0]["offset_ns"]) // 1_000_000,
            row["duration_ns"] and row["duration_ns"] // 1_000_000,
        )
        for row in skeleton["spans"]
    ]
    assert spans == snapshot(
        [
            ("1", "-", "agent", "unset", 0, 900),
            ("2", "01", "llm", "unset", 10, 110),
            ("3", "01", "tool", "unset", 130, 180),
            ("4", "01", "tool", "unset", 135, 125),
            ("5", "01", "agent", "unset", 320, 440),
            ("6", "05", "llm", "unset", 330, 310),
            ("7", "05", "tool", "error", 650, 50),
            ("8", "01", "resource", "unset", 770, 20),
            ("9", "63", "other", "unset", 795, 5),
            ("a", "01", "tool", "running", 810, None),
        ]
    )


async def test_a_model_call_reads_as_a_conversation(api: httpx.AsyncClient) -> None:
    detail = await get(api, f"/spans/{TRACE_ID}/{2:016x}")
    parts = [
        (message["role"], part["type"], part.get("text") or part.get("arguments", {}).get("text"))
        for message in detail["view"]["messages"]
        for part in message["parts"]
    ]
    assert parts == snapshot(
        [
            ("system", "text", "You plan releases."),
            ("user", "text", "Write the release notes for v1.4 — «Zürich» 🚀"),
            ("assistant", "reasoning", "The log first."),
            ("assistant", "tool_call", '{"max_count": 9007199254740993}'),
        ]
    )


async def test_a_failed_tool_says_why(api: httpx.AsyncClient) -> None:
    detail = await get(api, f"/spans/{TRACE_ID}/{7:016x}")
    assert detail["view"]["error"] == snapshot(
        {
            "type": "PermissionError",
            "code": None,
            "message": "publish: not allowed",
            "status_message": None,
            "stacktrace": None,
        }
    )
    assert [event["name"] for event in detail["events"]] == ["exception"]


async def test_what_was_stored_is_what_was_sent(api: httpx.AsyncClient) -> None:
    again = [await get(api, f"/spans/{TRACE_ID}/{number:016x}") for number in range(1, 11)]
    for line in GOLDEN.read_text(encoding="utf-8").splitlines():
        await api.post("/v1/traces", content=line.encode(), headers=JSON)
    assert again == [await get(api, f"/spans/{TRACE_ID}/{n:016x}") for n in range(1, 11)]
    assert {detail["resource"]["attributes"]["service.name"] for detail in again} == {"release-bot"}


async def test_the_transcript_says_what_each_turn_adds(api: httpx.AsyncClient) -> None:
    spans = [f"{TRACE_ID}.{number:016x}" for number in (2, 3, 7)]
    found = await get(api, f"/sessions/golden/transcript?span={'&span='.join(spans)}")
    turn, log, failed = found["readings"]
    parts = [(one["role"], [piece["type"] for piece in one["pieces"]]) for one in turn["said"]]
    assert parts == snapshot(
        [("system", ["text"]), ("user", ["text"]), ("assistant", ["reasoning", "tool_call"])]
    )
    assert (log["tool"]["call_id"], log["tool"]["arguments"]["text"]) == snapshot(
        ("call_git_log", '{"max_count": 9007199254740993}')
    )
    assert failed["error"] == snapshot(
        {
            "type": "PermissionError",
            "code": None,
            "message": {
                "text": "publish: not allowed",
                "chars": 20,
                "is_json": False,
                "is_truncated": False,
            },
        }
    )
