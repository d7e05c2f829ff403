"""The page says when nothing can be stored, and stops saying it when that is over."""

from __future__ import annotations

from pathlib import Path

import httpx
from playwright.sync_api import Page, expect

from tests.e2e.conftest import Watch
from tests.support.services.process import Service
from tests.support.telemetry.export import trace_request


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
