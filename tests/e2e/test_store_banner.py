"""The page says when nothing can be stored, or a part of the store is away."""

from __future__ import annotations

from pathlib import Path

import httpx
from playwright.sync_api import Page, expect

from inspector.service.storage import open_store
from tests.e2e.conftest import Watch
from tests.support.services.process import Service, free_port
from tests.support.services.recorder_rig import Rig
from tests.support.telemetry.export import trace_request
from tests.support.telemetry.otlp import span
from tests.support.telemetry.records import trace_hex


def test_a_store_that_went_away_is_a_banner_until_it_is_back(
    page: Page, watch: Watch, service: Service, tmp_path: Path
) -> None:
    page.goto(f"{service.url}/ui/?token={service.token}")
    expect(page.get_by_text("live", exact=True)).to_be_visible()
    page.wait_for_load_state("networkidle")  # what it reads at the beginning has come
    store = tmp_path / "store.sqlite3"
    away = store.rename(tmp_path / "away")

    refused = httpx.post(
        f"{service.url}/v1/traces",
        content=trace_request().SerializeToString(),
        headers={"content-type": "application/x-protobuf"},
    )

    assert refused.status_code == 503
    banner = page.get_by_role("alert")
    expect(banner).to_contain_text("nothing new is stored")
    expect(banner).to_contain_text("the file was deleted or moved")
    away.rename(store)
    expect(banner).to_have_count(0)
    assert watch.errors == []


def test_sessions_in_a_history_that_is_away_are_listed_and_the_page_says_what_is_missing(
    page: Page, tmp_path: Path
) -> None:
    store = open_store(f"sqlite:///{tmp_path}/store.sqlite3")
    rig = Rig(store)
    rig.record(span("merge", trace=1))
    rig.wait(60)
    assert rig.evict() == [trace_hex(1)]
    store.close()
    history = f"clickhouse://127.0.0.1:{free_port()}/inspector"
    with Service(tmp_path, history=history, retention="36500d") as service:
        page.goto(f"{service.url}/ui/?token={service.token}")
        row = page.get_by_role("link", name="merge")
        expect(row).to_be_visible()
        missing = page.get_by_text("disk are not searched: Cannot reach the history")
        expect(missing).to_have_count(0)
        for path in ("?q=merge", "search?q=merge", "usage?q=merge", "causes?q=merge"):
            page.goto(f"{service.url}/ui/{path}")
            expect(missing).to_be_visible()

        page.goto(f"{service.url}/ui/sessions/{trace_hex(1)}")
        expect(page.get_by_role("heading", name="merge")).to_be_visible()
        expect(page.get_by_role("alert")).to_contain_text("Is ClickHouse running there?")
        page.get_by_role("button", name="Retry").click()
        expect(page.get_by_role("alert")).to_contain_text("Is ClickHouse running there?")
