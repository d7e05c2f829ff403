"""Search across sessions: asked, narrowed, walked with the keyboard, opened."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.conftest import Watch
from tests.support.services.process import Service
from tests.support.telemetry.two_runs import SECOND_ID, two_runs


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    with Service(tmp_path_factory.mktemp("service")) as running:
        running.post("/v1/traces", two_runs())
        yield running


def _open(page: Page, service: Service, path: str = "search") -> None:
    page.goto(f"{service.url}/ui/?token={service.token}")
    page.goto(f"{service.url}/ui/{path}")
    # Keys pressed before the page is drawn are lost.
    expect(page.get_by_role("main")).to_be_visible()


def test_words_are_found_in_their_context_and_opened_with_the_keyboard_alone(
    page: Page, watch: Watch, service: Service
) -> None:
    _open(page, service, "")
    page.keyboard.press("g")
    page.keyboard.press("f")
    field = page.get_by_role("combobox", name="Search all sessions")
    expect(field).to_be_focused()
    # At once: a part of it is no query, which a pause in typing would send.
    page.keyboard.insert_text('"merge conflict"')
    expect(page.get_by_role("heading", name="Release, second try")).to_be_visible()
    found = page.get_by_role("listitem")
    expect(found).to_have_count(2)  # the session, and the span in it
    expect(found.last.locator("mark")).to_have_text(["merge conflict", "merge conflict"])
    expect(found.last).to_contain_text("in src/app.py, lines 3 to 9")
    expect(page.get_by_text("1 span in 1 session")).to_be_visible()

    page.keyboard.press("ArrowDown")
    expect(page.get_by_role("link", name="Release, second try")).to_be_focused()
    page.keyboard.press("k")  # walks, and does not leave what was found
    expect(page.get_by_role("link", name="Release, second try")).to_be_focused()
    page.keyboard.press("ArrowDown")
    expect(page.get_by_role("link", name=re.compile("execute_tool merge"))).to_be_focused()
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(f"sessions/{SECOND_ID}.*span=.*0004"))
    expect(page.get_by_role("heading", name="Release, second try")).to_be_visible()

    # The way back, and what was looked for before.
    page.go_back()
    expect(field).to_have_value('"merge conflict"')
    expect(found).to_have_count(2)
    field.fill("")
    expect(page.get_by_text("Recent searches")).to_be_visible()
    expect(page.get_by_role("button", name='"merge conflict"').first).to_be_visible()
    assert watch.errors == []
    assert watch.elsewhere(service.url) == []


@pytest.mark.slow
def test_what_is_found_is_narrowed_by_chips_which_write_the_query(
    page: Page, service: Service
) -> None:
    _open(page, service, "search?q=merge")
    field = page.get_by_role("combobox", name="Search all sessions")
    expect(page.get_by_text("2 spans in 2 sessions")).to_be_visible()
    errors = page.get_by_role("button", name="error", exact=True)
    errors.click()
    expect(field).to_have_value("merge status:error")
    expect(errors).to_have_attribute("aria-pressed", "true")
    expect(page.get_by_text("1 span in 1 session")).to_be_visible()
    errors.click()
    expect(field).to_have_value("merge")
    expect(page.get_by_text("2 spans in 2 sessions")).to_be_visible()


@pytest.mark.slow
def test_a_query_that_is_wrong_is_pointed_at_and_one_that_finds_nothing_says_why(
    page: Page, service: Service
) -> None:
    _open(page, service)
    field = page.get_by_role("combobox", name="Search all sessions")
    field.press_sequentially("kin")
    page.keyboard.press("Tab")
    expect(field).to_have_value("kind:")
    field.fill("kind:tool statsu:error")
    expect(page.get_by_text("Did you mean status?")).to_be_visible()
    expect(page.locator(".ins-query mark")).to_have_text("statsu")
    field.fill("confl")
    expect(page.get_by_text("use confl*")).to_be_visible()
    field.fill("confl*")
    expect(page.get_by_text("1 span in 1 session")).to_be_visible()


@pytest.mark.slow
def test_every_example_is_a_query_that_the_service_understands(
    page: Page, service: Service
) -> None:
    _open(page, service)
    examples = page.locator("section").filter(has_text="Example searches").get_by_role("button")
    expect(examples.first).to_be_visible()
    for query in examples.locator("code").all_text_contents():
        found = service.get("/search?q=" + re.sub(r"[^\w]", lambda m: f"%{ord(m[0]):02X}", query))
        assert "spans" in found, query
