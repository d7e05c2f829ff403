"""A page whose service is gone, or was upgraded below it: a sentence and a way on, never white."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, Route, expect

from tests.support.services.process import Service
from tests.support.telemetry.two_runs import FIRST_ID, two_runs

LINKS = ("Sessions", "Waiting", "Search", "Compare", "Usage", "Audit")
VIEWS = ("Transcript", "Graph", "Statistics", "Waterfall")
MISSING = re.compile(r"“.+” could not be loaded")


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    with Service(tmp_path_factory.mktemp("service")) as running:
        running.post("/v1/traces", two_runs())
        yield running


def _open(page: Page, service: Service, path: str = "", *, is_idle: bool = False) -> list[str]:
    """Open a page, which loads nothing ahead unless it `is_idle`; return what it throws."""
    thrown: list[str] = []
    page.on("pageerror", lambda error: thrown.append(str(error)))
    if not is_idle:
        page.add_init_script("window.requestIdleCallback = () => 0")
    page.goto(f"{service.url}/ui/?token={service.token}")
    if path:
        page.goto(f"{service.url}/ui/{path}")
    expect(page.get_by_role("main")).to_be_visible()
    return thrown


def test_what_was_missing_is_loaded_once_the_service_is_back(page: Page, service: Service) -> None:
    """Until then, a failed popup is below the bar, `Esc` closes it, and Retry keeps the focus."""
    thrown = _open(page, service, f"sessions/{FIRST_ID}?view=waterfall")
    expect(page.get_by_role("treeitem").first).to_be_visible()
    bar = page.get_by_role("banner")
    box = bar.bounding_box()
    service.kill()
    expect(page.get_by_role("status").filter(has_text="reconnecting")).to_be_visible()
    address = page.url
    opens = page.get_by_role("button", name="Settings")
    opens.focus()
    page.keyboard.press("Enter")
    alert = page.get_by_role("alert").filter(has_text=MISSING)
    expect(alert.get_by_role("button", name="Retry")).to_be_focused()
    assert bar.bounding_box() == box
    page.keyboard.press("Escape")
    expect(alert).to_have_count(0)
    expect(opens).to_be_focused()
    assert page.url == address

    bar.get_by_role("link", name="Usage").click()
    alert.get_by_role("button", name="Retry").click()
    expect(alert.get_by_role("button", name="Retry")).to_be_focused()
    expect(alert).to_contain_text("Check that it is running")
    service.start()
    expect(page.get_by_role("heading", name="Usage")).to_have_count(1)
    expect(alert).to_have_count(0)
    assert thrown == []


def test_the_inbox_does_not_say_that_nothing_waits_when_the_service_is_gone(
    page: Page, service: Service
) -> None:
    _open(page, service, "waiting")
    expect(page.get_by_text("Nothing needs you")).to_be_visible()
    service.kill()
    expect(page.get_by_role("alert")).to_contain_text("Cannot reach")
    expect(page.get_by_text("Nothing needs you")).to_have_count(0)
    expect(page.get_by_role("main").get_by_role("status")).to_be_empty()
    service.start()
    expect(page.get_by_text("Nothing needs you")).to_be_visible()


@pytest.mark.slow
def test_the_audit_log_is_read_once_the_service_is_back(page: Page, service: Service) -> None:
    thrown = _open(page, service, "audit")
    expect(page.get_by_text("No actions yet.")).to_be_visible()
    service.kill()
    page.get_by_role("checkbox", name="Show agents and service").check()
    alert = page.get_by_role("alert").filter(has_text="The service does not answer")
    alert.get_by_role("button", name="Retry").click()
    expect(alert).to_be_visible()
    service.start()
    expect(alert).to_have_count(0)
    assert thrown == []


def test_the_style_of_tooltips_may_be_missing(page: Page, service: Service) -> None:
    page.route(re.compile(r"/assets/popups-.*css"), lambda route: route.abort())
    thrown = _open(page, service, "waiting")
    with page.expect_event("requestfailed"):
        page.get_by_role("button", name="Settings").hover()
    page.get_by_role("button", name="Settings").click()
    expect(page.get_by_role("alert").filter(has_text=MISSING)).to_be_visible()
    assert thrown == []


@pytest.mark.slow
def test_nothing_that_is_clicked_makes_the_page_white_when_the_service_is_gone(
    page: Page, service: Service
) -> None:
    thrown = _open(page, service, f"sessions/{FIRST_ID}?view=waterfall")
    shown = page.get_by_role("main").or_(page.get_by_role("alert").filter(has_text=MISSING)).first
    bar = page.get_by_role("navigation", name="Main")
    expect(page.get_by_role("treeitem").first).to_be_visible()
    service.kill()
    for name in VIEWS:
        page.get_by_role("tab", name=name).click()
        expect(page.get_by_role("tabpanel")).not_to_be_empty()
    expect(page.get_by_role("tree", name="Span tree")).to_be_visible()
    for name in LINKS:
        bar.get_by_role("link", name=name).click()
        expect(shown).to_be_visible()
    bar.get_by_role("link", name="Sessions").click()
    bar.get_by_role("link", name="Search").click()
    expect(page.get_by_role("alert")).to_contain_text("“Search” could not be loaded")
    page.go_back()
    expect(page.get_by_text("Release, second try")).to_be_visible()
    page.keyboard.press("Control+k")
    expect(page.get_by_role("alert").filter(has_text="“All actions” could not")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("alert").filter(has_text="All actions")).to_have_count(0)
    page.get_by_text("Release, second try").click()
    expect(page.get_by_role("main")).not_to_be_empty()
    bar.get_by_role("link", name="Search").click()
    expect(page.get_by_role("alert")).to_contain_text("“Search” could not be loaded")

    service.start()
    page.get_by_role("button", name="Retry").click()
    expect(page.get_by_role("main")).to_be_visible()
    # With its style, of which the bundler asks only once.
    assert page.evaluate("[...document.styleSheets].some((one) => one.href.includes('/search-'))")
    assert thrown == []


def test_a_page_that_was_idle_has_everything_before_the_service_is_gone(
    page: Page, service: Service
) -> None:
    with page.expect_request_finished(lambda request: "/assets/usage-page-" in request.url):
        _open(page, service, is_idle=True)
    page.wait_for_function("""() => performance.getEntriesByType('resource')
      .filter(({ name }) => /usage-page-.*(js|css)$/.test(name)).length === 2""")
    page.context.set_offline(offline=True)
    page.get_by_role("navigation", name="Main").get_by_role("link", name="Usage").click()
    expect(page.get_by_role("main")).to_be_visible()
    expect(page.get_by_role("alert").filter(has_text=MISSING)).to_have_count(0)


@pytest.mark.slow
def test_a_page_of_an_earlier_build_is_loaded_again_once(page: Page, service: Service) -> None:
    def answer(route: Route) -> None:
        if route.request.resource_type == "document":
            route.continue_()
        else:
            route.fulfill(content_type="text/html", body='<script src="./assets/index-B.js">')

    page.route(re.compile(r"/ui/$"), answer)
    page.route(re.compile(r"/assets/search-page-.*"), lambda route: route.fulfill(status=404))
    _open(page, service, f"sessions/{FIRST_ID}")
    loads: list[str] = []
    page.on("load", lambda loaded: loads.append(loaded.url))
    for _ in range(2):
        page.get_by_role("navigation", name="Main").get_by_role("link", name="Search").click()
        expect(page.get_by_role("alert")).to_contain_text("“Search” could not be loaded")
        page.get_by_role("button", name="Retry").click()
        expect(page.get_by_role("alert")).to_contain_text("Another version of Inspector")
        expect(page.get_by_role("alert").get_by_role("button")).to_have_text(
            ["Reload the page", "Retry"]
        )
        page.go_back()
        expect(page.get_by_role("tab").first).to_be_visible()
    assert len(loads) == 1
