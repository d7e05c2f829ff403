"""Views of sessions that have left the store answer as before, on real telemetry."""

from __future__ import annotations

import asyncio
import os
import subprocess
from contextlib import ExitStack, closing
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from inspector.errors import HistoryError
from inspector.service.history import searching
from inspector.service.history.clickhouse import ClickHouse, Stores
from inspector.service.history.copier import Copier
from inspector.service.history.searching import HistoryIndex
from inspector.service.history.tiers import TieredStore
from inspector.service.history.unpacking import unpack
from inspector.service.model.rows import Json
from inspector.service.storage import open_store
from inspector.service.storage.base import Store
from inspector.service.storage.health import HistoryProgress
from tests.support.services.api import open_api
from tests.support.services.clickhouse import ClickHouseServer
from tests.support.services.crawler import FILES, Crawler, unread_routes
from tests.support.services.process import command
from tests.support.services.recorder_rig import Rig, sweep_all
from tests.support.telemetry.otlp import START_NS, span
from tests.support.telemetry.records import trace_hex


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
@pytest.mark.timeout(300)
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
    assert not unread_routes(before.answers)
    words.close()
    views.close()
    store.close()


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
            {
                "part": "history",
                "writer": None,
                "why": why,
                "since": "2026-01-01T00:00:00.000000000Z",
            }
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


def test_few_searches_at_a_time_wait_for_the_history(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(searching, "_ROOM_S", 0.0)
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


def test_a_search_stops_asking_a_history_that_takes_seconds_for_each_answer(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now_s = 100.0
    monkeypatch.setattr(searching, "time", SimpleNamespace(monotonic=lambda: now_s))

    class Slow:
        def rows(self, query: str, *, most_s: int) -> list[dict[str, Any]]:
            nonlocal now_s
            now_s += 4
            return []

        def close(self) -> None:
            pass

    index = HistoryIndex(
        Stores("s", {}),
        lambda: cast(ClickHouse, Slow()),
        lambda: HistoryProgress("ok", through=1),
    )
    with index.read() as words:
        answers = 0
        while words.rows("SELECT 1") is not None and answers < 9:
            answers += 1
        assert answers == 3
        assert words.missing is not None
        assert "too slowly" in words.missing.why
    with index.read() as words:
        assert words.rows("SELECT 1") is None, "the next one need not find out again"
