"""Why sessions failed: in their list, in groups, and from there to a comparison."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.conftest import Watch
from tests.support.services.process import Service
from tests.support.telemetry.otlp import SECOND_NS, START_NS, span


def test_failed_sessions_say_why_alone_and_in_groups(
    page: Page, watch: Watch, service: Service
) -> None:
    errors = ("504 after 1 s", "504 after 20 s", "refused", None)
    for number, error in enumerate(errors, start=1):
        start_ns = START_NS + number * SECOND_NS
        service.send(
            span(
                "run",
                trace=number,
                start_ns=start_ns,
                attributes={"session.id": f"s-{number}"},
                error="a tool failed" if number < 3 else None,
            ),
            span("fetch", trace=number, span_id=2, parent=1, start_ns=start_ns, error=error),
            span(
                "chat",
                trace=number,
                span_id=3,
                parent=1,
                start_ns=start_ns,
                attributes={"gen_ai.operation.name": "chat", "gen_ai.request.model": "m"},
            ),
        )
    page.goto(f"{service.url}/ui/?token={service.token}")
    expect(page.locator('[data-session="s-2"]')).to_contain_text("fetch: 504 after 20 s")
    recovered = page.locator('[data-session="s-3"]')
    expect(recovered).to_contain_text("fetch: refused")
    expect(recovered).to_contain_text("completed with 1 error")
    status = recovered.locator(".ins-list__status")
    expect(status).to_match_aria_snapshot("- cell /^completed with 1 error$/")
    page.get_by_role("link", name="Causes").click()
    causes = page.get_by_role("listitem")
    expect(causes).to_have_count(2)
    expect(causes.first).to_contain_text("fetch: 504 after <n>")
    expect(causes.first).to_contain_text("2 sessions")
    expect(causes.first.get_by_role("img")).to_have_accessible_name(re.compile("at most 1 sess"))
    comparison = causes.first.get_by_role("link", name="Compare with a good run")
    expect(comparison).to_have_attribute("href", "compare?left=s-4&right=s-2")
    page.keyboard.press("End")
    expect(causes.last.get_by_role("link").first).to_be_focused()
    page.keyboard.press("k")
    expect(causes.first.get_by_role("link", name="fetch: 504")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("[data-session]")).to_have_count(2)
    expect(page.get_by_role("paragraph").filter(has_text="504 after 20 s")).to_be_visible()
    page.go_back()
    # A session that recovered opens at its cause from here, too, in every view.
    recovered = causes.filter(has_text="refused").get_by_role("link", name="Newest example")
    recovered.click()
    panel = page.get_by_role("complementary")
    expect(panel.get_by_role("heading", name="fetch")).to_be_visible()
    expect(panel).to_contain_text("refused")


@pytest.mark.slow
def test_a_failed_session_leads_to_its_comparison_with_the_last_good_run(
    page: Page, watch: Watch, service: Service
) -> None:
    for number, error in enumerate((None, None, "refused", None), start=1):
        title = "alone" if number == 4 else "run"
        service.send(
            span(
                title,
                trace=number,
                start_ns=START_NS + number * SECOND_NS,
                attributes={"session.id": f"s-{number}"},
                error=error,
            )
        )
    page.goto(f"{service.url}/ui/?token={service.token}")
    page.locator('[data-session="s-3"]').get_by_role("link").first.click()
    offer = page.get_by_role("link", name="Compare with a good run")
    expect(offer).to_have_attribute("href", re.compile("compare.left=s-2&right=s-3$"))
    page.keyboard.press("Control+k")
    page.get_by_role("combobox").press_sequentially("last good")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile("compare.left=s-2&right=s-3$"))
    page.goto(f"{service.url}/ui/sessions/s-2")
    expect(page.get_by_role("heading", name="run")).to_be_visible()
    expect(offer).to_have_count(0)
