"""Settings in the bar: theme, time zone and form of times; tooltips, by mouse and by keyboard."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.conftest import Watch
from tests.support.services.process import Service
from tests.support.telemetry.otlp import span

STARTED = "time[datetime]"


def _open(page: Page, service: Service) -> None:
    service.send(span("invoke_agent planner"))
    page.goto(f"{service.url}/ui/?token={service.token}")
    expect(page.locator("[data-session]")).to_have_count(1)


@pytest.mark.slow
def test_theme_zone_and_form_of_times_are_chosen_in_the_bar_and_stay(
    page: Page, watch: Watch, service: Service
) -> None:
    _open(page, service)
    started = page.locator("[data-session]").locator(STARTED)
    page.get_by_role("button", name="Settings").click()
    panel = page.get_by_role("dialog", name="Settings")
    panel.get_by_label("Theme").select_option("high contrast, light")
    expect(page.locator("html")).to_have_attribute("data-theme", "contrast-light")
    panel.get_by_label("Time zone").select_option("UTC")
    expect(started).to_have_attribute("title", re.compile(r"\d\d:\d\d:\d\d\.\d{3} UTC$"))
    exactly = started.get_attribute("title") or ""
    assert (started.get_attribute("datetime") or "")[:10] == exactly[:10]
    panel.get_by_label("Dates").select_option("age")
    page.keyboard.press("Escape")
    expect(panel).to_have_count(0)
    expect(page.get_by_role("button", name="Settings")).to_be_focused()
    page.reload()
    expect(page.locator("html")).to_have_attribute("data-theme", "contrast-light")
    expect(started).to_have_attribute("title", exactly)
    assert watch.errors == []
    assert watch.elsewhere(service.url) == []


@pytest.mark.slow
def test_a_tooltip_comes_by_mouse_and_by_keyboard_stays_below_the_mouse_and_is_dismissed(
    page: Page, watch: Watch, service: Service
) -> None:
    page.clock.install()
    _open(page, service)
    tip = page.get_by_role("tooltip")
    keys = page.get_by_role("button", name="Keyboard shortcuts")
    # The first one that the mouse or the focus comes to loads them.
    page.get_by_role("link", name="Usage", exact=True).first.hover()
    page.wait_for_load_state("networkidle")
    keys.hover()
    expect(tip).to_have_text("Keyboard shortcuts (?)")
    assert keys.get_attribute("title") is None, "there would be two"
    tip.hover()
    page.clock.run_for(300)
    expect(tip).to_be_visible()
    page.keyboard.press("Escape")
    expect(tip).to_have_count(0)

    page.mouse.move(600, 600)
    expect(keys).to_have_attribute("title", "Keyboard shortcuts (?)")
    page.get_by_role("button", name="Settings").focus()
    page.keyboard.press("Tab")
    expect(keys).to_be_focused()
    expect(tip).to_have_text("Keyboard shortcuts (?)")
    expect(keys).to_have_accessible_name("Keyboard shortcuts")
    page.keyboard.press("Shift+Tab")
    expect(tip).to_have_text("Settings")
    expect(keys).to_have_attribute("title", "Keyboard shortcuts (?)")
    assert watch.errors == []


def test_a_title_that_can_be_read_has_no_tooltip(page: Page, service: Service) -> None:
    _open(page, service)
    page.keyboard.press("j")
    page.wait_for_load_state("networkidle")
    tip = page.get_by_role("tooltip")
    page.get_by_role("button", name="Settings").focus()
    expect(tip).to_have_text("Settings")
    page.locator("[data-session] a").first.focus()
    expect(tip).to_have_count(0)


@pytest.mark.slow
def test_tab_stays_in_a_panel_and_one_escape_closes_it(page: Page, service: Service) -> None:
    """Its button has the focus then; no tooltip of what is in it takes the `Esc`."""
    _open(page, service)
    page.locator("[data-session]").click()
    for name, count in (("Settings", 4), ("About this session", 1)):
        button = page.get_by_role("button", name=name)
        panel = page.get_by_role("dialog", name=name)
        stops = panel.locator("button, select")
        for presses in (0, 1, count + 1):
            button.focus()
            page.keyboard.press("Enter")
            expect(panel).to_be_focused()
            for _ in range(presses):
                page.keyboard.press("Tab")
            if presses:
                expect(stops.first).to_be_focused()
            if presses > 1:
                page.keyboard.press("Shift+Tab")
                expect(stops.last).to_be_focused()
            if presses and name == "About this session":
                expect(page.get_by_role("tooltip")).to_be_visible()
                page.keyboard.press("Escape")  # the tooltip of what Tab went to
            page.keyboard.press("Escape")
            expect(panel).to_have_count(0)
            expect(button).to_be_focused()
