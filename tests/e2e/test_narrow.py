"""A page of 390 px: nothing scrolls sideways, and a span is read in a sheet above its row."""

from __future__ import annotations

from collections.abc import Iterator

import httpx
import pytest
from playwright.sync_api import Locator, Page, ViewportSize, expect

from tests.e2e.conftest import Watch
from tests.support.services.process import Service, wait_for
from tests.support.telemetry.rich_session import rich_session
from tests.support.telemetry.two_runs import FIRST_ID, SECOND_ID, two_runs

PHONE: ViewportSize = {"width": 390, "height": 844}
COMPARE = f"compare?left={FIRST_ID}&right={SECOND_ID}"
_PAGES = {
    "list": "",
    "waterfall": "sessions/rich?view=waterfall",
    "transcript": "sessions/rich?view=transcript",
    "mcp": "sessions/rich?view=mcp",
    "graph": "sessions/rich?view=graph",
    "statistics": "sessions/rich?view=statistics",
    "inbox": "waiting",
    "audit": "audit",
    "search": "search?q=a*",
    "causes": "causes",
    "compare": COMPARE,
    "usage": "usage",
}
_BEYOND = """() => {
  const wide = (one) => one.scrollWidth > one.clientWidth + 1;
  // These are lines of short things, each of which fades where it goes on.
  const lines = '.ins-tabs, .ins-session-head__facts, .ins-chips, .ins-mcp-servers, pre';
  const scrolls = (one) => /auto|scroll/.test(getComputedStyle(one).overflowX);
  return [document.documentElement, ...document.querySelectorAll('main *')]
    .filter((one) => wide(one) && (one === document.documentElement || scrolls(one)))
    .filter((one) => !one.matches(lines))
    .map((one) => one.className || one.tagName);
}"""


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    with Service(tmp_path_factory.mktemp("narrow")) as running:
        answer = httpx.post(
            f"{running.url}/v1/traces",
            content=rich_session().SerializeToString(),
            headers={
                "content-type": "application/x-protobuf",
                "authorization": f"Bearer {running.token}",
            },
            timeout=120,
        )
        assert answer.status_code == 200
        running.post("/v1/traces", two_runs())
        # It is over, and opens at its error, once nothing came for a while.
        wait_for(lambda: running.get("/sessions/rich")["status"] == "failed")
        yield running


def _open(page: Page, service: Service, path: str) -> None:
    page.set_viewport_size(PHONE)
    page.goto(f"{service.url}/ui/?token={service.token}")
    page.goto(f"{service.url}/ui/{path}")


@pytest.mark.slow
def test_no_page_or_view_scrolls_sideways(page: Page, watch: Watch, filled: Service) -> None:
    beyond = {}
    for name, path in _PAGES.items():
        _open(page, filled, path)
        expect(page.get_by_role("main")).to_be_visible()
        expect(page.get_by_role("status").filter(has_text="loading")).to_have_count(0)
        beyond[name] = page.evaluate(_BEYOND)
    assert {name: found for name, found in beyond.items() if found} == {}
    assert watch.errors == []


@pytest.mark.slow
def test_the_times_of_two_runs_stand_below_each_other(page: Page, filled: Service) -> None:
    _open(page, filled, COMPARE)
    times = page.locator(".ins-aligned__time")
    expect(times.nth(3)).to_be_visible()
    above, below = times.nth(0).bounding_box(), times.nth(1).bounding_box()
    assert above is not None
    assert below is not None
    assert above["y"] + above["height"] <= below["y"]


@pytest.mark.slow
def test_a_span_opens_as_a_sheet_on_a_tap_below_its_row_which_has_the_focus_afterwards(
    page: Page, filled: Service
) -> None:
    _open(page, filled, "sessions/rich?view=waterfall")
    # What the page chose by itself shows its head alone.
    panel = page.get_by_role("complementary", name="Span")
    expect(page.get_by_role("button", name="Open the panel")).to_be_visible()
    tabs = panel.get_by_role("tablist")
    expect(tabs).not_to_be_in_viewport()
    last = page.get_by_role("treeitem").last
    last.click()
    expect(tabs).to_be_in_viewport()
    _expect_above(last, panel)
    page.get_by_role("button", name="Enlarge the panel").click()
    expect(last).not_to_be_in_viewport()
    page.get_by_role("button", name="Shrink the panel").click()
    _expect_above(last, panel)
    page.get_by_role("button", name="Close the span").click()
    expect(panel).to_have_count(0)
    expect(last).to_be_focused()
    page.keyboard.press("Enter")
    expect(panel).to_be_visible()
    page.keyboard.press("Escape")
    expect(panel).to_have_count(0)
    expect(last).to_be_focused()


def test_a_sheet_is_dragged_to_all_of_the_room_and_back(page: Page, filled: Service) -> None:
    _open(page, filled, "sessions/rich?view=waterfall")
    page.get_by_role("treeitem").last.click()
    panel = page.get_by_role("complementary", name="Span")
    half = _top(panel)
    _drag(page, page.get_by_role("button", name="Enlarge the panel"), -half)
    expect(page.get_by_role("button", name="Shrink the panel")).to_be_visible()
    assert _top(panel) < half - 100
    _drag(page, page.get_by_role("button", name="Shrink the panel"), 300)
    expect(page.get_by_role("button", name="Enlarge the panel")).to_be_visible()
    assert _top(panel) == half


def _drag(page: Page, handle: Locator, by_px: float) -> None:
    box = handle.bounding_box()
    assert box is not None
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x, y + by_px / 2)
    page.mouse.move(x, y + by_px)
    page.mouse.up()


def _top(element: Locator) -> float:
    box = element.bounding_box()
    assert box is not None
    return box["y"]


def _expect_above(row: Locator, panel: Locator) -> None:
    """The row comes into view above the sheet, once the view has its new height."""

    def is_above() -> bool:
        box = row.bounding_box()
        return box is not None and box["y"] + box["height"] <= _top(panel)

    wait_for(is_above)
    expect(row).to_be_in_viewport(ratio=0.9)
