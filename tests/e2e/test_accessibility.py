"""Every page and view: no serious finding of axe, in each theme, wide and narrow.

The rules come from `axe-core` in `web/node_modules`, so that nothing is asked of anybody else.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.conftest import Watch
from tests.support.agents.connected_agent import ConnectedAgent
from tests.support.services.process import Service
from tests.support.telemetry.two_runs import FIRST_ID, SECOND_ID, two_runs

AXE = Path(__file__).resolve().parents[2] / "web" / "node_modules" / "axe-core" / "axe.min.js"
WIDE = {"width": 1440, "height": 900}
NARROW = {"width": 390, "height": 844}
FAILED_SPAN = f"{SECOND_ID}.0000000000000004"
PAGES = {
    "sessions": "",
    "nothing found": "?q=title%3Anothing",
    "session": f"sessions/{SECOND_ID}?view=waterfall&span={FAILED_SPAN}",
    "waiting": "waiting",
    "audit": "audit",
    "usage": "usage?by=model&sort=-input",
    "usage of nobody": "usage?q=user%3Anobody",
    "search": "search",
    "found": "search?q=conflict",
    "choose what to compare": "compare",
    "compare": f"compare?left={FIRST_ID}&right={SECOND_ID}",
    "no such page": "nowhere",
    "no such session": "sessions/nobody",
}

_RUN = """async (rules) => {
  // What another width changes is drawn in the frames after it.
  for (let at = 0; at < 3; at += 1) {
    await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
  }
  const only = rules === null ? {} : { runOnly: { type: 'rule', values: rules } };
  const { violations } = await axe.run(document, { resultTypes: ['violations'], ...only });
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, help, nodes }) => ({
      rule: id,
      help,
      where: nodes.slice(0, 4).map(({ target, any }) => `${target}: ${any[0]?.message ?? ''}`),
    }));
}"""


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    running = Service(tmp_path_factory.mktemp("service"))
    running.start()
    running.post("/v1/traces", two_runs())
    with ConnectedAgent(running) as agent:
        agent.ask("r1", args_json='{"path":"build/old"}', expires_in_ms=600_000)
        yield running
    running.stop()


def _open(page: Page, service: Service, path: str) -> None:
    page.set_viewport_size(WIDE)  # type: ignore[arg-type]  # a TypedDict of the same keys
    page.goto(f"{service.url}/ui/?token={service.token}")
    page.goto(f"{service.url}/ui/{path}")
    expect(page.get_by_role("main")).to_be_visible()
    page.wait_for_load_state("networkidle" if path == "nowhere" else "load")
    page.evaluate(AXE.read_text(encoding="utf-8"))


def run_axe(page: Page, rules: list[str] | None = None) -> list[Any]:
    """Return what is wrong with the page as it is."""
    found: list[Any] = page.evaluate(_RUN, rules)
    return found


def _findings(page: Page) -> list[Any]:
    """Return what is wrong: everything in one theme at two widths, colours in each theme."""
    found: list[Any] = []
    for theme, size, rules in (
        ("light", WIDE, None),
        ("light", NARROW, None),
        ("dark", WIDE, ["color-contrast"]),
        ("contrast", WIDE, ["color-contrast"]),
        ("contrast-light", WIDE, ["color-contrast"]),
    ):
        page.set_viewport_size(size)  # type: ignore[arg-type]  # as above
        page.evaluate("theme => { document.documentElement.dataset.theme = theme }", theme)
        where = {"theme": theme, "width": size["width"]}
        found += [{**where, **one} for one in run_axe(page, rules)]
    return found


@pytest.mark.slow
def test_no_page_has_a_serious_finding(page: Page, service: Service) -> None:
    found = {}
    for name, path in PAGES.items():
        _open(page, service, path)
        expect(page.get_by_text("loading", exact=True)).to_have_count(0)
        found[name] = _findings(page)
    assert {name: some for name, some in found.items() if some} == {}


@pytest.mark.slow
def test_no_view_of_a_session_has_a_serious_finding(page: Page, service: Service) -> None:
    _open(page, service, f"sessions/{SECOND_ID}?span={FAILED_SPAN}")
    views = page.get_by_role("tablist", name="Views of the session").get_by_role("tab")
    expect(views.first).to_be_visible()
    found = {}
    for view in views.all():
        page.set_viewport_size(WIDE)  # type: ignore[arg-type]  # as above
        view.click()
        expect(page.get_by_role("tabpanel").first).not_to_be_empty()
        found[view.inner_text()] = _findings(page)
    assert {name: some for name, some in found.items() if some} == {}


@pytest.mark.slow
def test_no_dialog_has_a_serious_finding(page: Page, service: Service) -> None:
    _open(page, service, "")
    for key in ("Control+k", "?"):
        page.keyboard.press(key)
        expect(page.get_by_role("dialog")).to_be_visible()
        assert _findings(page) == []
        page.keyboard.press("Escape")
        expect(page.get_by_role("dialog")).to_have_count(0)


def test_a_page_can_be_walked_past_its_bar(page: Page, service: Service) -> None:
    _open(page, service, "audit")
    page.keyboard.press("Tab")
    skip = page.get_by_role("button", name="Skip to content")
    expect(skip).to_be_focused()
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.closest('main') !== null")


@pytest.mark.slow
def test_no_page_loses_anything_at_twice_its_size_or_asks_anybody_else(
    page: Page, watch: Watch, service: Service
) -> None:
    page.set_viewport_size({"width": 720, "height": 450})
    page.goto(f"{service.url}/ui/?token={service.token}")
    for name, path in PAGES.items():
        page.goto(f"{service.url}/ui/{path}")
        expect(page.get_by_role("main")).to_be_visible()
        assert (name, *page.evaluate(_OUTSIDE)) == (name, 0)
    assert watch.elsewhere(service.url) == []


_OUTSIDE = """() => [
  document.documentElement.scrollWidth - document.documentElement.clientWidth,
  ...[...document.querySelectorAll('header a, header button')]
    .filter((one) => one.getBoundingClientRect().right > innerWidth + 1)
    .map((one) => one.textContent),
]"""


@pytest.mark.slow
def test_who_wants_more_contrast_or_own_colours_has_them(page: Page, service: Service) -> None:
    page.emulate_media(contrast="more")
    _open(page, service, PAGES["session"])
    expect(page.locator("html")).to_have_attribute("data-theme", "contrast-light")
    page.emulate_media(forced_colors="active")
    selected = page.get_by_role("treeitem", selected=True)
    expect(selected).to_be_visible()
    edge = selected.evaluate("one => getComputedStyle(one).outlineStyle")
    assert edge != "none", "what is selected is told by its ground only, which is gone"


@pytest.mark.slow
def test_the_focus_is_seen_on_everything_that_can_have_it(page: Page, service: Service) -> None:
    _open(page, service, "")
    expect(page.locator("[data-session]").first).to_be_visible()
    # The list has the focus: from the beginning of the page on.
    page.get_by_role("link", name="Inspector").focus()
    seen = set()
    for _ in range(12):
        page.keyboard.press("Tab")
        ring, name = page.evaluate(
            """() => {
              const one = document.activeElement;
              const style = getComputedStyle(one);
              const frame = getComputedStyle(one.closest('label') ?? one);
              const around = getComputedStyle(one, '::after');
              const isSeen = style.outlineStyle !== 'none' || around.outlineStyle !== 'none'
                || frame.boxShadow !== 'none';
              return [isSeen, one.getAttribute('aria-label') ?? one.textContent];
            }"""
        )
        assert ring, name
        seen.add(name)
    assert len(seen) >= 8
    assert re.search("All actions", " ".join(seen))
