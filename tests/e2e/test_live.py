"""From hook to screen: a real agent, the real service, a real browser."""

from __future__ import annotations

import re
from collections import Counter

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.e2e.conftest import Demo, Watch
from tests.support.services.process import Service

TITLE = re.compile("Release notes for Lantern")
LONG_MS = 60_000


def _open(page: Page, service: Service) -> None:
    page.goto(f"{service.url}/ui/?token={service.token}")
    # Gone after any reload: proves that what follows happened on one page.
    page.evaluate("window.isFirstPage = true")


def _is_first_page(page: Page) -> bool:
    answer: bool = page.evaluate("window.isFirstPage === true")
    return answer


def _spans(page: Page, name: str | re.Pattern[str]) -> Locator:
    return page.get_by_role("tree", name="Span tree").get_by_role("treeitem", name=name)


def _session_id(page: Page) -> str:
    found = re.search(r"/sessions/([^/?#]+)", page.url)
    assert found, page.url
    return found[1]


def _finish(page: Page) -> None:
    done = page.get_by_role("main").get_by_text("completed", exact=True)
    expect(done).to_be_visible(timeout=LONG_MS)


def test_a_session_appears_and_is_read_while_it_runs(
    page: Page, watch: Watch, service: Service, demo: Demo
) -> None:
    _open(page, service)
    demo.start("release", speed=4)

    page.get_by_role("link", name=TITLE).click(timeout=LONG_MS)
    page.get_by_role("tab", name="Waterfall").click()
    running = _spans(page, re.compile("scripted-large.*running", re.DOTALL)).first
    running.click()
    question = re.compile("Write the release notes of Lantern|List what changed on the way")
    expect(page.get_by_text(question).first).to_be_visible()

    expect(page.get_by_text("waiting").first).to_be_visible(timeout=LONG_MS)
    assert demo.wait() == 0
    _finish(page)
    expect(_spans(page, re.compile("running"))).to_have_count(0)
    assert _is_first_page(page)
    assert watch.errors == []
    assert watch.elsewhere(service.url) == []


@pytest.mark.slow
def test_an_open_page_survives_the_death_of_the_service(
    page: Page, service: Service, demo: Demo
) -> None:
    _open(page, service)
    demo.start("release", speed=4)
    page.get_by_role("link", name=TITLE).click()
    page.get_by_role("tab", name="Waterfall").click()
    expect(_spans(page, "planner").first).to_be_visible()

    service.kill()
    expect(page.get_by_text(re.compile("reconnecting", re.IGNORECASE)).first).to_be_visible()
    service.start()

    assert demo.wait() == 0
    _finish(page)
    skeleton = service.get(f"/sessions/{_session_id(page)}/spans")
    assert skeleton["next_cursor"] is None
    assert {span["status"] for span in skeleton["spans"]}.isdisjoint({"running", "lost"})
    shown = [span["name"] for span in skeleton["spans"]]
    page.get_by_role("button", name="Unfold all").click()  # branches folded when they ended
    expect(page.get_by_role("treeitem")).to_have_count(len(shown))
    assert Counter(_without_mark(text) for text in _titles(page)) == Counter(shown)
    assert _is_first_page(page)


def _titles(page: Page) -> list[str]:
    titles: list[str] = page.get_by_role("treeitem").evaluate_all(
        "rows => rows.map(row => row.querySelector('.ins-row__text').title)"
    )
    return titles


def _without_mark(title: str) -> str:
    """Drop the kind from `kind: name`."""
    return title.split(": ", 1)[1]


@pytest.mark.slow
def test_a_list_that_is_open_shows_a_session_that_begins(
    page: Page, watch: Watch, service: Service, demo: Demo
) -> None:
    _open(page, service)
    expect(page.get_by_role("heading", name="No sessions yet")).to_be_visible()

    demo.start("triage", speed=20)

    expect(page.get_by_role("link", name=re.compile("Triage . open issues"))).to_be_visible()
    expect(page.get_by_role("link", name=re.compile("completed"))).to_be_visible(timeout=LONG_MS)
    assert _is_first_page(page)
    assert watch.errors == []
