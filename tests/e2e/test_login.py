"""A browser that comes without the token: asked for it, by keyboard, in both themes, no script."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.e2e.conftest import Watch
from tests.e2e.test_accessibility import AXE, run_axe
from tests.support.services.process import Service


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    context = browser.new_context(java_script_enabled=False)
    context.set_default_timeout(20_000)
    yield context.new_page()
    context.close()


def test_the_token_is_typed_and_the_page_opens(page: Page, service: Service) -> None:
    wanted = f"{service.url}/ui/sessions/nobody?view=waterfall"
    page.goto(wanted)
    field = page.get_by_label("Access token")
    expect(field).to_be_focused()
    page.keyboard.type("wrong")
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert")).to_have_text("Wrong token for this service.")
    expect(field).to_be_focused()
    expect(field).to_have_value("")
    page.keyboard.type(service.token)
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.locator("base")).to_have_attribute("href", "/ui/")
    assert page.url == wanted, "no token in it"
    page.goto(service.url)
    assert page.url == f"{service.url}/ui/"


def test_it_is_read_by_everybody_in_light_and_dark(browser: Browser, service: Service) -> None:
    grounds = set()
    for scheme in ("light", "dark"):
        context = browser.new_context(color_scheme=scheme, viewport={"width": 320, "height": 480})
        page = context.new_page()
        watch = Watch(page)
        page.goto(f"{service.url}/?token=wrong")
        assert watch.elsewhere(service.url) == []
        assert [one for one in watch.errors if "401" not in one] == []
        grounds.add(page.evaluate("getComputedStyle(document.body).backgroundColor"))
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        page.evaluate(AXE.read_text(encoding="utf-8"))
        assert run_axe(page) == []
        context.close()
    assert len(grounds) == 2
