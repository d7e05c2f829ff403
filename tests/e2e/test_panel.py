"""The span panel in a real browser: all that a span can say, and values of any length."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from playwright.sync_api import Locator, Page, expect

from tests.e2e.conftest import Watch
from tests.support.services.process import Service
from tests.support.telemetry.rich_session import (
    AGENT,
    LONG_TRACE,
    LONG_VALUES,
    MODEL,
    TOOL,
    TRACE,
    long_value,
    rich_session,
)

LONG_MS = 60_000


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    with Service(tmp_path_factory.mktemp("panel")) as running:
        _send(running, rich_session())
        yield running


def _send(service: Service, spans: ExportTraceServiceRequest) -> None:
    answer = httpx.post(
        f"{service.url}/v1/traces",
        content=spans.SerializeToString(),
        headers={
            "content-type": "application/x-protobuf",
            "authorization": f"Bearer {service.token}",
        },
        timeout=120,
    )
    assert answer.status_code == 200


def _open(page: Page, service: Service, span: int, tab: str, session: str = "rich") -> Locator:
    page.goto(f"{service.url}/ui/?token={service.token}")
    key = f"{TRACE if session == 'rich' else LONG_TRACE:032x}.{span:016x}"
    page.goto(f"{service.url}/ui/sessions/{session}?view=waterfall&span={key}&tab={tab}")
    return page.get_by_role("complementary", name="Span")


@pytest.mark.slow
def test_a_model_call_is_read_with_all_that_it_was_sent(
    page: Page, watch: Watch, filled: Service
) -> None:
    panel = _open(page, filled, MODEL, "messages")
    panel.get_by_role("button", name="Tools offered, 2").click()
    panel.get_by_role("button", name="delete_file called Use it to").click()
    expect(panel.get_by_role("tree", name="the schema of delete_file")).to_be_visible()
    expect(panel.get_by_text("You tidy up folders.")).to_have_count(0)
    panel.get_by_role("button", name="System prompt").click()
    expect(panel.get_by_text("You tidy up folders.")).to_be_visible()
    picture = panel.get_by_role("img", name="image/png")
    expect(picture).to_have_js_property("naturalWidth", 64)
    assert str(picture.get_attribute("src")).startswith("blob:")
    expect(panel.locator("audio")).to_have_js_property("error", None)
    expect(panel.get_by_text("image/svg+xml")).to_be_visible()
    expect(panel.get_by_text("plan.pdf")).to_be_visible()
    expect(panel.get_by_text("2 parallel calls")).to_be_visible()
    expect(panel.get_by_text("refused by the model")).to_be_visible()
    expect(panel.locator("strong", has_text="build/old")).to_be_visible()
    page.keyboard.press("r")
    expect(panel.get_by_text("I delete **build/old**.")).to_be_visible()
    assert watch.errors == []
    assert watch.elsewhere(filled.url) == [], "the picture elsewhere was not fetched"


def test_an_error_says_why_and_where_it_went(page: Page, filled: Service) -> None:
    panel = _open(page, filled, TOOL, "overview")
    panel.get_by_text("Stack trace").click()
    expect(panel.get_by_text("/app/tools.py")).to_be_visible()
    expect(panel.get_by_text("5 library frames")).to_be_visible()
    expect(panel.get_by_text("nightly, cleanup")).to_be_visible()
    panel.get_by_role("button", name="Schema").click()
    schema = panel.get_by_role("region", name="Schema")
    expect(schema.get_by_text("path", exact=True)).to_be_visible()
    panel.get_by_role("button", name="invoke_agent planner").click()
    expect(panel.get_by_role("heading", level=2)).to_have_text("invoke_agent planner")


def test_a_state_is_walked_through_step_by_step(page: Page, filled: Service) -> None:
    panel = _open(page, filled, AGENT, "state")
    expect(panel.get_by_text("3 of 3")).to_be_visible()
    expect(panel.get_by_text("/why")).to_be_visible()
    page.keyboard.press(",")
    expect(panel.get_by_text("2 of 3")).to_be_visible()
    expect(panel.get_by_text("/left/0")).to_be_visible()
    panel.get_by_role("button", name="on another span").click()
    expect(panel.get_by_role("heading", level=2)).to_have_text("execute_tool delete_file")
    expect(panel.get_by_text("2 of 3")).to_be_visible()
    page.keyboard.press(",")
    expect(panel.get_by_text("First capture.")).to_be_visible()
    expect(panel.get_by_text("9007199254740993")).to_be_visible()


@pytest.mark.slow
def test_links_lead_on_and_the_tabs_have_keys(page: Page, filled: Service) -> None:
    panel = _open(page, filled, TOOL, "overview")
    expect(panel.get_by_role("tab", name=re.compile(r"^Links \d+$"))).to_be_visible()
    page.keyboard.press("p")
    page.keyboard.press("l")
    expect(page).to_have_url(re.compile("tab=links"))
    expect(panel.get_by_text("Same operation, reported by")).to_be_visible()
    panel.get_by_role("button", name="in another session").click()
    expect(panel.get_by_text("not in this store")).to_be_visible()
    panel.get_by_role("button", name="chat gpt-5").click()
    expect(panel.get_by_role("heading", level=2)).to_have_text("chat gpt-5")


@pytest.mark.slow
def test_a_copy_has_the_address_and_never_the_token(page: Page, filled: Service) -> None:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    panel = _open(page, filled, TOOL, "attributes")
    copied: list[str] = []
    for what in ("a curl command", "Python", "the span as JSON"):
        panel.get_by_role("button", name=f"Copy {what}").click()
        expect(panel.locator(".ins-copy--copied")).to_be_visible()
        copied.append(page.evaluate("navigator.clipboard.readText()"))
        expect(panel.locator(".ins-copy--copied")).to_have_count(0)
    address = f"{filled.url}/spans/{TRACE:032x}/{TOOL:016x}?session_id=rich"
    assert copied[0] == f"curl -fsS -H \"Authorization: Bearer $INSPECTOR_TOKEN\" '{address}'"
    assert address in copied[1]
    assert "build/old is read-only" in copied[2]
    assert filled.token not in "".join(copied)


@pytest.mark.slow
def test_a_tree_is_walked_after_a_click_and_searched_by_keys(page: Page, filled: Service) -> None:
    _send(filled, long_value(LONG_VALUES["nested"](400_000)))
    panel = _open(page, filled, 1, "overview", session="long")
    tree = panel.get_by_role("tree", name="the output")
    expect(tree).to_be_visible()
    expect(tree.get_by_role("treeitem", level=3)).to_have_count(0)
    tree.get_by_role("treeitem", level=2).first.click()
    inner = tree.get_by_role("treeitem", level=3)
    expect(inner.first).to_be_visible()
    page.keyboard.press("ArrowDown")
    expect(inner.first).to_be_focused()
    # However far one scrolls: it keeps the focus, and the keys go on from it.
    tree.evaluate("tree => tree.scrollTo(0, tree.scrollHeight)")
    expect(inner.first).not_to_be_in_viewport()
    expect(inner.first).to_be_focused()
    for _ in range(3):  # fold it, to its group, and fold that
        page.keyboard.press("ArrowLeft")
    expect(inner).to_have_count(0)
    panel.get_by_label("Search this value").fill("item 2345")
    expect(panel.get_by_text("1 found")).to_be_visible()
    page.keyboard.press("Enter")
    found = tree.get_by_role("treeitem", selected=True)
    expect(found).to_contain_text("item 2345")
    expect(found).to_be_in_viewport()


# --- values of 20 MB --------------------------------------------------------------------------

_WATCH = """
window.tasks = [];
new PerformanceObserver((list) => {
  for (const task of list.getEntries()) window.tasks.push(task.duration);
}).observe({type: 'longtask'});
"""


@pytest.mark.slow
@pytest.mark.parametrize("shape", LONG_VALUES)
def test_a_value_of_20_mb_is_opened_to_its_end(
    page: Page, service: Service, shape: str, record_property: Any
) -> None:
    value = LONG_VALUES[shape](20_000_000)
    _send(service, long_value(value))
    panel = _open(page, service, 1, "overview", session="long")
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.evaluate(_WATCH)
    panel.get_by_role("button", name="Load all").click()
    expect(panel.locator(".ins-held, .ins-slow")).to_have_count(0, timeout=LONG_MS)
    if shape in ("string", "text", "line"):
        panel.get_by_role("button", name="Show all").click()
    box = panel.locator(".ins-json__tree, .ins-long").first
    expect(box).to_be_visible(timeout=LONG_MS)
    record_property("long_tasks_ms", page.evaluate("window.tasks"))
    box.focus()
    page.keyboard.press("End")
    if shape == "escaped":
        panel.get_by_role("button", name="as JSON").click()
        box = panel.locator(".ins-json__tree").first
        expect(box).to_be_visible(timeout=LONG_MS)
        value = value[len('{"content": "') : -len('"}')].replace('\\"', '"')
    box.focus()
    page.keyboard.press("ControlOrMeta+a")
    page.keyboard.press("ControlOrMeta+c")
    length = "navigator.clipboard.readText().then((text) => text.length)"
    expect(box).to_have_class(re.compile("--all"))
    if shape == "string":
        assert value.startswith('"')
    assert page.evaluate(length) == len(value)
