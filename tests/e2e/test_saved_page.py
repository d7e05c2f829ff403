"""A session saved as a web page: opened from a file, it shows itself and asks nobody."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.e2e.conftest import Watch
from tests.e2e.golden_traces import send_golden
from tests.support.services.process import Service, wait_for

ACTING = re.compile("approve|allow|deny|pause|resume|step|stop|cancel|delete|answer|import", re.I)


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    with Service(tmp_path_factory.mktemp("saved")) as running:
        send_golden(running)
        wait_for(lambda: running.get("/sessions/golden")["status"] != "running")
        yield running


def _open(page: Page, file: Path, at: str = "") -> None:
    page.goto("about:blank")  # or only what is behind the # would change
    page.goto(f"{file.as_uri()}#{at}")
    expect(page.get_by_text("Saved trace, read-only")).to_be_visible()


def test_a_session_is_saved_from_its_page_and_read_without_a_service(
    page: Page, context: BrowserContext, service: Service, tmp_path: Path
) -> None:
    page.set_viewport_size({"width": 1440, "height": 1000})
    page.goto(f"{service.url}/ui/?token={service.token}")
    page.goto(f"{service.url}/ui/sessions/golden")
    page.get_by_role("button", name="Share").click()
    with page.expect_download() as download:
        page.get_by_role("menuitem", name="Save as a web page").click()
    file = tmp_path / download.value.suggested_filename
    assert file.name == "golden.html"
    download.value.save_as(file)

    context.set_offline(True)
    alone = context.new_page()
    watch = Watch(alone)
    alone.set_viewport_size({"width": 1440, "height": 1000})
    _open(alone, file, "view=waterfall")
    tree = alone.get_by_role("tree", name="Span tree")
    tree.get_by_role("treeitem").nth(1).click()
    panel = alone.get_by_role("complementary", name="Span")
    for tab in panel.get_by_role("tablist", name="Span tabs").get_by_role("tab").all():
        tab.click()
        expect(panel.get_by_role("alert")).to_have_count(0)
    views = alone.get_by_role("tablist", name="Views of the session").get_by_role("tab")
    names = views.all_inner_texts()
    assert {"Waterfall", "Transcript", "Graph", "Statistics"} <= set(names)
    for name in names:
        views.get_by_text(name, exact=True).click()
        expect(alone).to_have_url(re.compile(f"#.*view={name.lower()}"))
        expect(alone.get_by_role("tabpanel", name=name)).to_be_visible()
        expect(alone.get_by_role("alert")).to_have_count(0)
        pressed = alone.get_by_role("button").all_inner_texts()
        assert [text for text in pressed if ACTING.search(text)] == []
    assert watch.errors == []
    assert watch.elsewhere(file.as_uri()) == []


@pytest.mark.slow
def test_its_transcript_is_searched_and_its_address_opens_the_same_again(
    page: Page, watch: Watch, service: Service, tmp_path: Path
) -> None:
    file = tmp_path / "golden.html"
    file.write_bytes(service.client.get("/sessions/golden/export.html").content)
    page.set_viewport_size({"width": 1440, "height": 1000})
    _open(page, file, "view=transcript")
    page.get_by_role("textbox").fill("Zürich")
    expect(
        page.get_by_role("status").filter(has_text=re.compile("^1 (found|of 1)$"))
    ).to_be_visible()
    page.keyboard.press("Escape")
    page.get_by_role("textbox").blur()
    page.keyboard.press("e")
    page.keyboard.press("Escape")
    page.keyboard.press("Escape")  # leads to the list elsewhere
    expect(page.get_by_role("tabpanel", name="Transcript")).to_be_visible()
    page.keyboard.press("5")
    page.reload()
    expect(page.get_by_role("tabpanel", name="Statistics")).to_be_visible()
    assert watch.errors == []
    assert watch.elsewhere(file.as_uri()) == []


@pytest.mark.slow
def test_a_session_that_is_too_large_for_a_page_says_so(page: Page, service: Service) -> None:
    page.set_viewport_size({"width": 1440, "height": 1000})
    detail = "The session has more than 100000 spans. Export it as OTLP instead."
    problem = {"code": "too_many_spans", "status": 413, "title": "Too many", "detail": detail}
    page.route("**/export.html", lambda route: route.fulfill(status=413, json=problem))
    page.goto(f"{service.url}/ui/?token={service.token}")
    page.goto(f"{service.url}/ui/sessions/golden")
    page.get_by_role("button", name="Share").click()
    page.get_by_role("menuitem", name="Save as a web page").click()
    expect(page.get_by_role("status").filter(has_text=detail)).to_be_visible()
