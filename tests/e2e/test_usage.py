"""What sessions used, by user, tag, model and day: in the page, and from there to the sessions."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import pytest
from opentelemetry.proto.trace.v1.trace_pb2 import Span
from playwright.sync_api import Locator, Page, expect

from tests.e2e.conftest import Watch
from tests.support.services.process import Service
from tests.support.telemetry.otlp import SECOND_NS, START_NS, span

DAY_NS = 86_400 * SECOND_NS
ODD = 'Grace "Amazing" *'


def _call(trace: int, model: str, cost: float | None, **owner: Any) -> Span:
    known = {} if cost is None else {"inspector.cost.usd": cost}
    attributes: dict[str, Any] = {
        "gen_ai.operation.name": "chat",
        "gen_ai.request.model": model,
        "gen_ai.usage.input_tokens": 1000 * trace,
        "gen_ai.usage.output_tokens": 10,
        "session.id": f"s-{trace}",
    }
    return span(
        f"chat {model}",
        trace=trace,
        start_ns=START_NS + (trace // 4) * DAY_NS,
        attributes=attributes | known | owner,
    )


def _cells(page: Page, name: str) -> list[str]:
    texts = page.get_by_role("row", name=re.compile(f"^{re.escape(name)}")).locator("td")
    expect(texts.first).to_be_visible()
    return [" ".join(text.split()) for text in texts.all_inner_texts()]


def _names(table: Locator) -> Locator:
    return table.locator("tbody th")


@pytest.mark.slow
def test_what_sessions_used_is_added_up_and_leads_to_them(
    page: Page, watch: Watch, service: Service
) -> None:
    service.send(
        _call(1, "small", 0.25, **{"user.id": "ada", "inspector.tags": ["a", "b"]}),
        _call(2, "large", None, **{"user.id": "ada"}),
        _call(3, "small", 0.5, **{"user.id": ODD}),
        _call(4, "large", None),
    )
    page.set_viewport_size({"width": 1440, "height": 900})
    page.goto(f"{service.url}/ui/?token={service.token}")
    expect(page.locator("[data-session]")).to_have_count(4)
    page.keyboard.press("g")
    page.keyboard.press("u")
    table = page.get_by_role("group", name="Usage by user")
    expect(_names(table)).to_have_text(["All sessions", ODD, "ada", "no user"])
    assert _cells(page, "ada") == ["2", "2", "3 000", "20", "1", "≥ $0.25", "30 %"]
    assert _cells(page, "no user") == ["1", "1", "4 000", "10", "1", "unknown", "40 %"]
    assert _cells(page, "All sessions")[-2] == "≥ $0.75"
    expect(page.get_by_text("excludes 2 calls without a known price")).to_be_visible()
    _picture(page, "by-user")

    # Sorted, in the address, and so after a reload.
    page.get_by_role("button", name="Tokens in").click()
    expect(_names(table)).to_have_text(["All sessions", "no user", ODD, "ada"])
    page.reload()
    expect(_names(table)).to_have_text(["All sessions", "no user", ODD, "ada"])
    page.get_by_role("button", name="Cost", exact=True).click()
    expect(_names(table).last).to_have_text("no user")

    # A name is no pattern, and leads to its sessions and back.
    page.get_by_role("link", name=ODD).click()
    expect(page.locator("[data-session]")).to_have_count(1)
    expect(page.locator("[data-session]")).to_have_attribute("data-session", "s-3")
    page.go_back()
    page.get_by_role("link", name="no user").click()
    expect(page.locator("[data-session]")).to_have_attribute("data-session", "s-4")
    page.go_back()

    # Of a filter and a time: to and fro, each with the same.
    page.get_by_role("combobox", name="Filter sessions").fill("model:small OR model:none")
    expect(_names(table)).to_have_text(["All sessions", ODD, "ada"])
    page.get_by_text("By", exact=True).click()  # digits are the field's before that
    page.keyboard.press("4")
    table = page.get_by_role("group", name="Usage by day")
    expect(_names(table)).to_have_text(["2026-01-01"])
    page.get_by_role("link", name="2026-01-01").click()
    expect(page.locator("[data-session]")).to_have_count(2)
    page.get_by_role("button", name=re.compile("clear the time range")).click()
    page.locator("main").get_by_role("link", name="Usage").click()
    expect(page).to_have_url(re.compile(r"/ui/usage\?q=model%3Asmall\+OR\+model%3Anone$"))
    page.get_by_role("button", name="model", exact=True).click()
    expect(page.get_by_role("group", name="Usage by model")).to_be_visible()
    assert _cells(page, "small") == ["2", "2", "4 000", "20", "$0.75", "100 %"]

    # What comes is added, and what nobody names or finds is explained.
    service.send(_call(8, "small", 0.25))
    expect(page.get_by_role("row", name=re.compile("^small")).locator("td").first).to_have_text("3")
    page.get_by_role("button", name="tag", exact=True).click()
    page.get_by_role("combobox", name="Filter sessions").fill("model:large")
    expect(page.get_by_text("None of these sessions has a tag.")).to_be_visible()
    _picture(page, "none-named")
    page.get_by_role("combobox", name="Filter sessions").fill("modle:large")
    expect(page.get_by_text("Did you mean model?")).to_be_visible()
    page.get_by_role("combobox", name="Filter sessions").fill("user:nobody")
    expect(page.get_by_text("No matching sessions.")).to_be_visible()
    page.get_by_role("button", name="Clear the filter").click()
    table = page.get_by_role("group", name="Usage by tag")
    expect(_names(table)).to_have_text(["All sessions", "no tag", "a", "b"])
    expect(page.get_by_text("Sessions with several tags count for each of them.")).to_be_visible()

    page.set_viewport_size({"width": 390, "height": 844})
    for key in ("3", "1"):
        page.keyboard.press(key)
    expect(page.get_by_role("group", name="Usage by user")).to_be_visible()
    cost = page.get_by_role("row", name=re.compile("^ada")).get_by_text("≥ $0.25")
    expect(cost).to_be_in_viewport()
    sticks_out = "document.documentElement.scrollWidth > document.documentElement.clientWidth"
    assert page.evaluate(sticks_out) is False
    _picture(page, "narrow")
    assert [error for error in watch.errors if "400" not in error] == []
    assert watch.elsewhere(service.url) == []


def _picture(page: Page, name: str) -> None:
    """Keep a picture for whoever wants to look: `INSPECTOR_PICTURES=FOLDER`."""
    if folder := os.environ.get("INSPECTOR_PICTURES"):
        page.screenshot(path=Path(folder) / f"usage-{name}.png")
        page.evaluate("document.documentElement.dataset.theme = 'dark'")
        page.screenshot(path=Path(folder) / f"usage-{name}-dark.png")
        page.evaluate("document.documentElement.dataset.theme = 'light'")
