"""A session as it was at an instant, by keys alone: in each of its views, and by a link."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from opentelemetry.proto.trace.v1.trace_pb2 import Span
from playwright.sync_api import Locator, Page, expect

from tests.e2e.conftest import Watch
from tests.support.services.process import Service, wait_for
from tests.support.telemetry.delegating_run import MS, agent, answers, asks, call, text, tool
from tests.support.telemetry.export import trace_request

QUESTION, RESULT, ANSWER = "Where is the spare key?", "Below the third pot.", "It is below a pot."


def run() -> list[Span]:
    """Return 20 s of work: a turn, a tool, and a helper with a turn of its own."""
    find = ("f1", "find_key", {"where": "garden"})
    sent = [text("user", QUESTION)]
    return [
        agent(1, None, "lead", 0, 20_000),
        call(2, 1, 0, sent, asks("I look for it.", find), ms=4_000),
        tool(3, 1, 5_000, find, RESULT, ms=4_000),
        agent(4, 1, "helper", 10_000, 6_000),
        call(5, 4, 11_000, [*sent, answers("f1", RESULT)], text("assistant", ANSWER), ms=4_000),
    ]


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    with Service(tmp_path_factory.mktemp("time")) as running:
        running.post("/v1/traces", trace_request(*run()).SerializeToString())
        wait_for(lambda: running.get("/sessions/refunds")["status"] == "completed")
        yield running


def open_session(page: Page, service: Service, query: str) -> None:
    page.set_viewport_size({"width": 1440, "height": 900})
    page.goto(f"{service.url}/ui/?token={service.token}")
    page.goto(f"{service.url}/ui/sessions/refunds?{query}")


def time_line(page: Page) -> Locator:
    return page.get_by_role("slider", name="Point in time")


def go_to(page: Page, *keys: str) -> None:
    """Take the timeline by its key, and go along it."""
    page.keyboard.press("h")
    expect(time_line(page)).to_be_focused()
    for key in keys:
        page.keyboard.press(key)


@pytest.mark.slow
def test_the_waterfall_shows_what_had_begun_and_what_still_ran(
    page: Page, watch: Watch, service: Service
) -> None:
    open_session(page, service, "view=waterfall")
    rows = page.get_by_role("tree", name="Span tree").get_by_role("treeitem")
    expect(rows).to_have_count(5)
    expect(time_line(page)).to_have_attribute("aria-valuetext", "The end")

    # From the end of lead to those of helper and of its call.
    go_to(page, "PageUp", "PageUp")
    expect(time_line(page)).to_have_attribute("aria-valuetext", "+15 s of 20 s")
    go_to(page, "PageUp", "PageUp", "PageUp", "PageUp", "PageUp")
    expect(time_line(page)).to_have_attribute("aria-valuetext", "+4 s of 20 s")
    expect(rows).to_have_count(2)
    expect(rows.nth(1)).to_have_accessible_name(re.compile("ok, 4 s"))
    go_to(page, "PageDown")
    expect(rows).to_have_count(3)
    expect(rows.nth(2)).to_have_accessible_name(re.compile("execute_tool find_key, running"))
    go_to(page, "Home")
    expect(rows).to_have_count(2)
    expect(rows.nth(1)).to_have_accessible_name(re.compile(r"chat large-1, running$"))

    page.keyboard.press("Escape")
    expect(rows).to_have_count(5)
    expect(time_line(page)).to_have_attribute("aria-valuetext", "The end")
    assert watch.errors == []


def test_a_link_opens_the_instant_in_transcript_panel_graph_and_statistics(
    page: Page, watch: Watch, service: Service
) -> None:
    open_session(page, service, f"view=transcript&at={7_000 * MS}")
    feed = page.get_by_role("feed")
    expect(feed.get_by_text(QUESTION)).to_be_visible()
    expect(feed.get_by_role("article", name="tool find_key, running")).to_contain_text("garden")
    expect(feed.get_by_text("I look for it.")).to_be_visible()
    expect(feed.get_by_text(RESULT)).to_have_count(0)
    expect(feed.get_by_role("article", name=re.compile("helper"))).to_have_count(0)

    go_to(page, "PageDown")
    expect(feed.get_by_text(RESULT)).to_be_visible()
    expect(page).to_have_url(re.compile(rf"at={9_000 * MS}\b"))
    go_to(page, "PageUp", "PageUp")

    page.goto(f"{service.url}/ui/sessions/refunds?view=graph&at={7_000 * MS}&span=")
    graph = page.get_by_role("tabpanel", name="Graph")
    expect(graph.get_by_text("lead")).to_be_visible()
    expect(graph.get_by_text("helper")).to_have_count(0)
    go_to(page, "PageDown", "PageDown")
    expect(graph.get_by_text("helper")).to_be_visible()

    page.keyboard.press("5")
    operations = page.get_by_role("region", name="Operations").first
    expect(operations).to_contain_text("4 spans (2 still running)")
    page.keyboard.press("h")
    page.keyboard.press("End")
    expect(operations).to_contain_text("5 spans")
    expect(operations).not_to_contain_text("running")
    assert watch.errors == []


@pytest.mark.slow
def test_the_panel_hides_what_was_not_there_yet(page: Page, service: Service) -> None:
    tool_key = f"{7:032x}.{3:016x}"
    open_session(page, service, f"view=waterfall&at={7_000 * MS}&span={tool_key}")
    panel = page.get_by_role("complementary", name="Span")
    expect(panel.get_by_text("garden")).to_be_visible()
    expect(panel.get_by_text("running", exact=True)).to_be_visible()
    expect(panel.get_by_text(RESULT)).to_have_count(0)
    panel.get_by_role("tab", name="Attributes").click()
    expect(panel.get_by_text("gen_ai.tool.call.arguments")).to_be_visible()
    expect(panel.get_by_text("gen_ai.tool.call.result")).to_have_count(0)
    panel.get_by_role("tab", name="Overview").click()
    go_to(page, "PageDown")
    expect(panel.get_by_text(RESULT)).to_be_visible()
    go_to(page, "Home")
    expect(panel.get_by_role("heading", name="has not started")).to_be_visible()


@pytest.mark.slow
def test_it_plays_to_the_end_and_nothing_is_read_again(
    page: Page, watch: Watch, service: Service
) -> None:
    open_session(page, service, "view=waterfall")
    rows = page.get_by_role("tree", name="Span tree").get_by_role("treeitem")
    expect(rows).to_have_count(5)
    requested = len([url for url in watch.requested if "/spans" in url])
    go_to(page, "Home")
    page.get_by_role("button", name="Play").click()  # for twenty seconds
    expect(page.get_by_role("button", name="Pause")).to_be_visible()
    go_to(page, " ")
    expect(page.get_by_role("button", name="Play")).to_be_visible()
    page.get_by_role("button", name=re.compile("^16")).click()
    go_to(page, " ")
    expect(time_line(page)).to_have_attribute("aria-valuetext", "The end")
    expect(rows).to_have_count(5)
    assert len([url for url in watch.requested if "/spans" in url]) == requested
