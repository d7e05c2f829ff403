"""Views of sessions that have left the store answer as before, on real telemetry."""

from __future__ import annotations

import asyncio
import os
import re
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, closing
from itertools import pairwise
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from fastapi.routing import APIRoute

from inspector.errors import HistoryError
from inspector.service.app import ROUTERS
from inspector.service.history import searching
from inspector.service.history.clickhouse import ClickHouse, Stores
from inspector.service.history.copier import Copier
from inspector.service.history.schema import migrate
from inspector.service.history.searching import HistoryIndex
from inspector.service.history.tiers import TieredStore
from inspector.service.history.unpacking import unpack
from inspector.service.model.rows import Json
from inspector.service.storage import open_store
from inspector.service.storage.base import Store
from inspector.service.storage.health import HistoryProgress
from tests.support.services.api import Api, open_api
from tests.support.services.clickhouse import ClickHouseServer
from tests.support.services.process import command
from tests.support.services.recorder_rig import Rig, sweep_all
from tests.support.telemetry.otlp import START_NS, span
from tests.support.telemetry.records import trace_hex

TESTS = Path(__file__).parents[1]
FILES = [
    *sorted((TESTS / "golden").glob("*.otlp.jsonl")),
    *sorted((TESTS / "emitters" / "captured").glob("*.otlp.jsonl"))[::3],
]
QUERIES = [
    *("status:failed", "errors>0", "kind:tool", "model:gpt*", "tool:*", "tokens>100", "cost>0"),
    *("weather", "release", "span(kind:llm duration>1ms)", "-kind:llm", "kind:llm -error"),
    *("@gen_ai.request.model:*", "parent(kind:agent)", "child(kind:tool)", "ancestor(kind:agent)"),
]
NOT_READ = {
    *("/health", "/events", "/requests", "/requests/{request_id:path}", "/prices", "/audit"),
    *("/audit/export", "/processes/{process_id:path}/commands", "/", "/ui", "/ui/{path:path}"),
    "/sessions/{session_id:path}/control",
}
"""Routes that read nothing of the content of sessions."""


class Crawler:
    """Reads all that can be read; remembers which routes that were."""

    def __init__(self, api: Api) -> None:
        self._api = api
        self.answers: dict[str, Any] = {}
        self.routes = set[str]()

    async def crawl(self) -> None:
        sessions = [one["id"] for one in (await self.read("/sessions?limit=200"))["sessions"]]
        for one in sessions:
            await self._session(quote(one, safe=""))
        for left, right in pairwise(sessions[:12]):
            pair = f"left={quote(left)}&right={quote(right)}"
            await self.read(f"/compare?{pair}")
            await self.read(f"/compare/rows?{pair}&every=true")
        named = "&".join(f"session={quote(one)}" for one in sessions[:4])
        await self.read(f"/compare/runs?{named}&every=true")
        for by in ("user", "tag", "model", "day"):
            await self.read(f"/sessions/usage?by={by}")
        for path in (
            "/causes",
            "/sessions/histogram?until_ms=2000000000000",
            "/sessions/count",
        ):
            await self.read(path)
        for field in ("model", "tool", "agent"):
            await self.read(f"/query/values?field={field}")
        for q in map(quote, QUERIES):
            await self._pages(f"/sessions?q={q}", "sessions")
            await self._pages(f"/search?q={q}", "spans")
            await self._pages(f"/sessions/count?q={q}", "count")

    async def _session(self, session_id: str) -> None:
        base = f"/sessions/{session_id}"
        found = await self.read(f"{base}/spans?limit=1000")
        await self.read(f"{base}/spans?format=columns")
        for part in ("", "/statistics", "/statistics?totals=false", "/context", "/last-good"):
            await self.read(base + part)
        await self.read(f"{base}/transcript/last?limit=10")
        await self.read(f"{base}/export.html")
        await self.read(f"/trace/{session_id}")
        log = await self.read(f"{base}/mcp?limit=2000")
        for one in log["entries"][:5]:
            await self.read(f"{base}/mcp/frame?key={quote(one['key'])}")
        spans = [*found["spans"][:3], *found["spans"][3:][-3:]]
        keys = [f"{one['trace_id']}.{one['span_id']}" for one in spans]
        await self.read(f"{base}/transcript?" + "&".join(f"span={key}" for key in keys[:20]))
        for key in keys:
            place = "/spans/" + key.replace(".", "/")
            detail = await self.read(place)
            await self.read(f"{place}/state")
            for pointer in re.findall(r'"pointer": ?"([^"]+)"', str(detail))[:2]:
                await self.read(f"{place}/value?pointer={quote(pointer)}")
            await self.read(f"{place}/value?pointer=/attributes")

    async def _pages(self, path: str, rows: str) -> None:
        """Read all pages as one: how they are cut depends on the time that each takes."""
        found, cursor = list[Any](), ""
        while True:
            page = await self._get(f"{path}{cursor}")
            found += [page[rows]] if rows == "count" else map(_stable, page[rows])
            if not page.get("next_cursor"):
                break
            cursor = f"&cursor={quote(page['next_cursor'])}"
        self.answers[path] = sum(found) if rows == "count" else found

    async def read(self, path: str) -> Any:
        found = await self._get(path)
        self.answers[path] = _stable(found)
        return found

    async def _get(self, path: str) -> Any:
        answer = await self._api.get(path)
        assert answer.status_code in (200, 404, 422), (path, answer.status_code, answer.text)
        is_json = "json" in answer.headers["content-type"] and "lines" not in path
        if is_json and answer.status_code == 200:
            return answer.json()
        # A saved page has the time at which it was saved.
        body = None if path.endswith(".html") else answer.content
        return {"status": answer.status_code, "body": body}


def _stable(value: Any) -> Any:
    """Leave out what depends on the time of asking, or on how search is done."""
    if isinstance(value, float):
        return round(value, 9)  # sums of costs, in any order
    if isinstance(value, dict):
        return {k: _stable(v) for k, v in value.items() if k not in ("index", "price_list")}
    return [_stable(one) for one in value] if isinstance(value, list) else value


@pytest.fixture(scope="module")
def history(clickhouse: ClickHouseServer) -> Iterator[ClickHouse]:
    client = clickhouse.client()
    migrate(client)
    yield client
    client.close()


def copied(store: Store, history: ClickHouse) -> int:
    copier = Copier(store, history, behind_ns=0)
    while copier.step():
        pass
    return copier.through


def tiered(
    store: Store, clickhouse: ClickHouseServer, through: int, folder: Path
) -> tuple[TieredStore, HistoryIndex]:
    """Return the parts of a service with a history, without a companion process."""

    def unpacked(path: Path, session_ids: Any) -> None:
        with store.read() as reader, closing(clickhouse.client()) as client:
            unpack(reader, client, Stores(store.id, store.former), session_ids, path)

    health = HistoryProgress("ok", through=through, here=through)
    views = TieredStore(store, folder / "unpacked", unpacked)
    return views, HistoryIndex(Stores(store.id, store.former), clickhouse.client, lambda: health)


@pytest.mark.slow
async def test_every_view_answers_as_before(
    clickhouse: ClickHouseServer, history: ClickHouse, tmp_path: Path
) -> None:
    store = open_store(f"sqlite:///{tmp_path}/store.sqlite3")
    async with open_api(store) as api:
        for file in FILES:
            answer = await api.post("/import", content=file.read_bytes())
            assert answer.status_code == 200, answer.text
        before = Crawler(api)
        await before.crawl()
        through = copied(store, history)
    with store.read() as reader:
        ids = [one.row.id for one in reader.oldest_here(1000)]
        changes = {one: reader.last_change(one) for one in ids}
    store.evict(changes)
    sweep_all(store)
    with store.read() as reader:
        assert not any(reader.spans_of(one) for one in ids)
    views, words = tiered(store, clickhouse, through, tmp_path)
    async with open_api(store, views=views, words=words) as api:
        after = Crawler(api)
        await after.crawl()
    assert len(ids) > 20
    assert [path for path in before.answers if after.answers[path] != before.answers[path]] == []
    routes = {
        route.path
        for router in ROUTERS
        for route in router.routes
        if isinstance(route, APIRoute) and "GET" in (route.methods or ())
    }
    unread = {
        route
        for route in routes - NOT_READ
        if not any(_fits(route, path) for path in before.answers)
    }
    assert not unread
    words.close()
    views.close()
    store.close()


def _fits(route: str, path: str) -> bool:
    pattern = re.sub(r"\{[^}]+\}", "[^/]+", route)
    return re.fullmatch(pattern, path.partition("?")[0]) is not None


async def test_without_the_history_lists_are_whole_searches_say_what_they_left_out(
    tmp_path: Path,
) -> None:
    store = open_store(f"sqlite:///{tmp_path}/store.sqlite3")
    rig = Rig(store)
    rig.record(span("first", trace=1))
    rig.wait(60)
    rig.evict()
    rig.record(span("second", trace=2))
    why = "Cannot reach the history. Is ClickHouse running there?"

    def unpacked(path: Path, session_ids: Any) -> None:
        raise HistoryError(why, is_passing=True)

    views = TieredStore(store, tmp_path / "unpacked", unpacked)
    health = HistoryProgress("away", why, since_ns=START_NS, through=3)
    words = HistoryIndex(
        Stores(store.id, store.former), lambda: pytest.fail("asked"), lambda: health
    )
    async with open_api(store, views=views, words=words) as api:
        listed = (await api.get("/sessions")).json()
        assert [one["title"] for one in listed["sessions"]] == ["second", "first"]
        assert listed["partial"] == []
        found = (await api.get("/search?q=second")).json()
        assert [one["span"]["name"] for one in found["spans"]] == ["second"]
        assert found["partial"] == [
            {"part": "history", "why": why, "since": "2026-01-01T00:00:00.000000000Z"}
        ]
        counted = (await api.get("/sessions/count?q=kind:other")).json()
        assert (counted["count"], len(counted["partial"])) == (1, 1)
        answer = await api.get(f"/sessions/{trace_hex(1)}/spans")
        assert (answer.status_code, answer.json()["code"]) == (503, "history_unavailable")
        assert answer.json()["detail"] == why
        assert (await api.get(f"/sessions/{trace_hex(2)}/spans")).status_code == 200
    with store.read() as reader:  # a replica that is behind
        health = HistoryProgress("ok", through=reader.evicted, here=reader.evicted - 1)
    async with open_api(store, views=views, words=words) as api:
        (missing,) = (await api.get("/search?q=second")).json()["partial"]
        assert missing["why"] == "The history lacks some of what has left the disk."
    async with open_api(store) as api:  # the setting was taken away
        answer = await api.get(f"/sessions/{trace_hex(1)}/statistics")
        assert (answer.status_code, answer.json()["code"]) == (503, "in_history")
        for path in ("/search?q=first", "/sessions?q=kind:other", "/sessions/usage?by=model"):
            (missing,) = (await api.get(path)).json()["partial"]
            assert "INSPECTOR_HISTORY" in missing["why"]
        assert (await api.get("/sessions?q=status:completed")).json()["partial"] == []
    environment = {**os.environ, "INSPECTOR_STORE": f"sqlite:///{tmp_path}/store.sqlite3"}
    environment["INSPECTOR_RUNTIME_DIR"] = str(tmp_path / "run")
    searched = await asyncio.to_thread(
        subprocess.run,
        command("search", "first"),
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert "are not searched: " in searched.stderr
    store.close()


@pytest.mark.slow
async def test_what_a_deleted_session_had_is_not_counted_where_its_trace_began_again(
    clickhouse: ClickHouseServer, history: ClickHouse, tmp_path: Path
) -> None:
    store = open_store(f"sqlite:///{tmp_path}/store.sqlite3")
    rig = Rig(store)
    call: dict[str, Json] = {
        "gen_ai.operation.name": "chat",
        "gen_ai.request.model": "m",
        "gen_ai.usage.input_tokens": 100,
    }
    rig.record(*(span(trace=1, span_id=n, attributes=call) for n in range(2, 400)))
    copied(store, history)
    rig.delete(trace_hex(1))
    rig.record(span(trace=1, attributes=call))
    rig.wait(60)
    through = copied(store, history)
    rig.evict()
    rig.record(span(trace=2, attributes={**call, "session.id": "other"}))
    views, words = tiered(store, clickhouse, through, tmp_path)
    async with open_api(store, views=views, words=words) as api:
        used = (await api.get("/sessions/usage?by=model")).json()
        (group,) = used["groups"]
        assert (group["session_count"], group["input_tokens"], group["uncosted_calls"]) == (
            2,
            200,
            2,
        )
        assert used["total"]["uncosted_calls"] == 2
        found = (await api.get("/sessions?q=-kind:llm")).json()
        assert (found["sessions"], found["partial"]) == ([], [])
    words.close()
    views.close()
    store.close()


def test_few_searches_at_a_time_wait_for_the_history(tmp_path: Path) -> None:
    health = HistoryProgress("ok", through=1)
    index = HistoryIndex(Stores("s", {}), lambda: pytest.fail("not needed"), lambda: health)
    with ExitStack() as stack:
        for _ in range(searching._AT_ONCE):
            stack.enter_context(index.read())
        with index.read() as words:
            assert words.rows("SELECT 1") is None
            assert words.missing is not None
            assert "busy" in words.missing.why
    with index.read() as words:
        assert words.missing is None
