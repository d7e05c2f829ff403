"""A session read in the waterfall: by keys alone, and by the whole of its tree."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import ResourceSpans, ScopeSpans, Span
from playwright.sync_api import Locator, Page, Route, expect

from tests.e2e.conftest import Watch
from tests.support.services.process import Service
from tests.support.telemetry.otlp import SECOND_NS, START_NS, resource, span
from tests.support.telemetry.records import trace_hex

CAUSE = "No space left on device: /var/spool/reports"
MS = SECOND_NS // 1000
BATCH, ROW_PX = 4_000, 24
FAILED, CAUGHT, FINE = 1, 2, 3
"""Traces: one whose failure reached its root, one that went on after one, and one without."""


def call(
    trace: int,
    number: int,
    name: str,
    parent: int | None,
    start_s: float,
    took_s: float,
    error: str | None = None,
) -> Span:
    """Return a span; the second trace began after the first one, and the third after that."""
    start_ns = START_NS + int((trace * 100 + start_s) * SECOND_NS)
    return span(
        name,
        trace=trace,
        span_id=number,
        parent=parent,
        start_ns=start_ns,
        duration_ns=int(took_s * SECOND_NS),
        error=error,
    )


def failed_session() -> list[Span]:
    """Return a session whose fourth step failed after a mistake that was caught."""
    return [
        call(FAILED, 1, "nightly sync", None, 0, 60, error="the sync failed"),
        call(FAILED, 2, "invoke_agent writer", 1, 0, 55, error="a tool failed"),
        *(call(FAILED, 10 + n, f"execute_tool step_{n}", 2, n, 0.5) for n in range(40)),
        call(FAILED, 3, "execute_tool write_report", 2, 50, 2, error=CAUSE),
        call(FAILED, 4, "tools/call write_report", 3, 50.5, 1),
    ]


def caught_session() -> list[Span]:
    """Return a session that went on after a failure."""
    return [
        call(CAUGHT, 1, "triage", None, 0, 9),
        call(CAUGHT, 2, "execute_tool fetch", 1, 1, 1, error="connection reset by peer"),
        call(CAUGHT, 3, "execute_tool fetch", 1, 3, 1),
    ]


def fine_session() -> list[Span]:
    """Return a session with three levels."""
    return [
        call(FINE, 1, "summarise", None, 0, 30),
        call(FINE, 2, "invoke_agent reader", 1, 1, 5),
        call(FINE, 3, "execute_tool read", 2, 2, 1),
        call(FINE, 4, "execute_tool list", 2, 3, 1),
        call(FINE, 5, "invoke_agent writer", 1, 25, 4),
    ]


def body(spans: Sequence[Span]) -> bytes:
    scope = ScopeSpans(spans=spans)
    found = ResourceSpans(resource=resource(service_name="reports"), scope_spans=[scope])
    return ExportTraceServiceRequest(resource_spans=[found]).SerializeToString()


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """Run a service with three sessions."""
    with Service(tmp_path_factory.mktemp("waterfall")) as service:
        for spans in (failed_session(), caught_session(), fine_session()):
            service.post("/v1/traces", body(spans))
        yield service


class Keys:
    """The keyboard of a page, and how often it was used."""

    def __init__(self, page: Page) -> None:
        self._page = page
        self.pressed = 0

    def press(self, *keys: str) -> None:
        for key in keys:
            self._page.keyboard.press(key)
            self.pressed += 1


@pytest.fixture
def keys(page: Page) -> Keys:
    return Keys(page)


def open_list(page: Page, service: Service) -> None:
    page.set_viewport_size({"width": 1440, "height": 900})
    page.goto(f"{service.url}/ui/?token={service.token}")
    # Without live records a session has ended some seconds after its root.
    failed = page.get_by_role("link", name=re.compile(r"nightly sync\W+failed"))
    expect(failed).to_be_visible()


def open_session(page: Page, service: Service, trace: int, query: str = "view=waterfall") -> None:
    page.set_viewport_size({"width": 1440, "height": 900})
    page.goto(f"{service.url}/ui/?token={service.token}")
    page.goto(f"{service.url}/ui/sessions/{trace_hex(trace)}?{query}")
    expect(page.get_by_role("treeitem").first).to_be_visible()


def panel(page: Page) -> Locator:
    return page.get_by_role("complementary", name="Span")


def in_view(page: Page, text: str) -> None:
    """Wait until the span panel shows `text`, where one sees it."""
    found = panel(page).get_by_text(text).first
    expect(found).to_be_visible()
    expect(found).to_be_in_viewport(ratio=1)


@pytest.mark.parametrize("height", [900, 600])
def test_the_cause_of_a_failure_is_read_after_three_keys(
    page: Page, watch: Watch, shared: Service, keys: Keys, height: int
) -> None:
    open_list(page, shared)
    page.set_viewport_size({"width": 1440, "height": height})

    keys.press("e")  # the newest session with an error, which went on after it
    expect(page.get_by_role("link", name=re.compile("triage"))).to_be_focused()
    keys.press("e")  # the one that failed
    expect(page.get_by_role("link", name=re.compile("nightly sync"))).to_be_focused()
    keys.press("Enter")

    in_view(page, CAUSE)
    assert keys.pressed <= 4
    assert watch.errors == []


def test_the_error_of_a_session_that_went_on_is_read_after_three_keys(
    page: Page, shared: Service, keys: Keys
) -> None:
    open_list(page, shared)

    keys.press("e", "Enter")
    expect(page.get_by_role("heading", name="triage")).to_be_visible()
    expect(page.get_by_role("button", name="1 error")).to_be_visible()
    keys.press("e")

    in_view(page, "connection reset by peer")
    assert keys.pressed <= 4


@pytest.mark.slow
def test_a_row_that_has_the_focus_opens_at_the_cause_with_one_key(
    page: Page, shared: Service, keys: Keys
) -> None:
    open_list(page, shared)
    page.get_by_role("link", name=re.compile("nightly sync")).focus()

    keys.press("Enter")

    in_view(page, CAUSE)


@pytest.mark.slow
def test_the_shownof_a_session_work_in_each_of_its_views(
    page: Page, watch: Watch, shared: Service, keys: Keys
) -> None:
    open_session(page, shared, FAILED)
    page.get_by_role("tab").first.wait_for()
    views = page.get_by_role("tablist", name="Views of the session").get_by_role("tab").count()
    for view in range(1, views + 1):
        page.goto(f"{shared.url}/ui/sessions/{trace_hex(FAILED)}?span=none.0")
        expect(page.get_by_role("button", name="3 errors")).to_be_visible()
        keys.press(str(view), "Escape")
        expect(panel(page)).to_have_count(0)
        keys.press("e")
        if page.get_by_role("tab", name="MCP", selected=True).count():
            continue  # its own errors are messages: it has an `e` of its own
        in_view(page, CAUSE)
        keys.press("[")
        expect(panel(page).get_by_role("heading", name="step_39")).to_be_visible()
        keys.press("]")
        in_view(page, CAUSE)
        keys.press("f")
        expect(page.get_by_role("button", name="Unfreeze")).to_be_visible()
        keys.press("f", "Escape", "Escape")
        expect(page.get_by_role("link", name=re.compile("nightly sync"))).to_be_visible()
    assert watch.errors == []


def test_the_tree_says_what_each_row_is_and_where(
    page: Page, watch: Watch, shared: Service, keys: Keys
) -> None:
    open_session(page, shared, FINE)
    tree = page.get_by_role("tree", name="Span tree")
    expect(tree).to_match_aria_snapshot(
        """
        - tree "Span tree":
          - treeitem "span, summarise, ok, 30 s" [expanded] [level=1]
          - treeitem "span, invoke_agent reader, ok, 5 s" [expanded] [level=2]
          - treeitem "span, execute_tool read, ok, 1 s" [level=3]
          - treeitem "span, execute_tool list, ok, 1 s" [level=3]
          - treeitem "span, invoke_agent writer, ok, 4 s" [level=2]
        """
    )
    places = tree.get_by_role("treeitem").evaluate_all(
        "rows => rows.map(row => [row.ariaPosInSet, row.ariaSetSize].join(' of '))"
    )
    assert places == ["1 of 1", "1 of 2", "1 of 2", "2 of 2", "2 of 2"]

    keys.press("ArrowDown", "ArrowDown", "ArrowLeft")  # to the reader, and fold it
    expect(tree.get_by_role("treeitem")).to_have_count(3)
    reader = tree.get_by_role("treeitem", name="span, invoke_agent reader, ")
    expect(reader).to_be_focused()
    expect(reader).to_have_attribute("aria-expanded", "false")
    assert watch.errors == []


@pytest.mark.slow
def test_the_frame_of_the_minimap_moves_by_shownand_is_in_the_address(
    page: Page, shared: Service, keys: Keys
) -> None:
    open_session(page, shared, FINE)
    end = page.get_by_role("slider", name="End of visible time")
    expect(end).to_have_attribute("aria-valuetext", re.compile(r" s$"))  # all spans are there
    before = end.get_attribute("aria-valuetext")

    end.focus()
    keys.press("ArrowLeft")
    expect(end).not_to_have_attribute("aria-valuetext", before or "")
    expect(page).to_have_url(re.compile(r"[?&]t=\d+"))
    shown = end.get_attribute("aria-valuetext")
    page.reload()
    expect(end).to_have_attribute("aria-valuetext", shown or "")

    keys.press("0")
    expect(end).to_have_attribute("aria-valuetext", before or "")


def test_the_key_of_gaps_leads_back_to_the_address_that_it_began_with(
    page: Page, shared: Service, keys: Keys
) -> None:
    trace, second = 32, 1_000 * MS
    spans = [
        span(
            f"step {at}",
            trace=trace,
            span_id=at,
            start_ns=START_NS + from_s * second,
            duration_ns=second,
        )
        for at, from_s in ((1, 0), (2, 99))
    ]
    shared.post("/v1/traces", body(spans))
    open_session(page, shared, trace)
    expect(page.get_by_role("button", name="1 gap collapsed")).to_be_visible()
    keys.press("z")
    expect(page).to_have_url(re.compile("gaps=long"))
    keys.press("z")
    expect(page).not_to_have_url(re.compile("gaps="))


@pytest.mark.slow
def test_only_errors_and_what_is_above_them_are_shown_on_request(
    page: Page, shared: Service, keys: Keys
) -> None:
    open_session(page, shared, FAILED)
    rows = page.get_by_role("treeitem")

    keys.press("x")
    expect(rows).to_have_count(3)
    expect(page).to_have_url(re.compile("only=errors"))
    keys.press("x")
    expect(rows.filter(has_text="step_3").first).to_be_visible()


def large_session(count: int, *, trace: int, width: int) -> Iterator[Span]:
    """Yield `count` spans, a tree in which each has `width` children; with 1 they are a chain."""
    for number in range(1, count + 1):
        yield span(
            f"step {number}",
            trace=trace,
            span_id=number,
            parent=(number - 2) // width + 1 or None,
            start_ns=START_NS + number * MS,
            duration_ns=(2 * count - number) * MS,
        )


@pytest.mark.slow
def test_the_focus_stays_on_its_span_while_other_rows_take_over_each_others_elements(
    page: Page, watch: Watch, shared: Service, keys: Keys
) -> None:
    trace, count = 30, 2_000
    shared.post("/v1/traces", body(list(large_session(count, trace=trace, width=count))))
    open_session(page, shared, trace)
    tree = page.get_by_role("tree", name="Span tree")
    row = tree.get_by_role("treeitem", name="span, step 5, ")
    row.click()
    page.keyboard.press("Escape")
    row.focus()
    other = tree.get_by_role("treeitem", name="span, step 9, ").element_handle()
    tree.evaluate("(tree, px) => (tree.scrollTop = px)", 600 * ROW_PX)
    expect(tree.get_by_role("treeitem", name="span, step 601, ")).to_be_in_viewport()
    assert re.match(r"span, step 6\d\d, ", other.get_attribute("aria-label") or "")

    for place in (1_000, 300, 1_700):
        tree.evaluate("(tree, px) => (tree.scrollTop = px)", place * ROW_PX)
        first = tree.get_by_role("treeitem", name=f"span, step {place + 1}, ")
        expect(first).to_be_in_viewport()
        expect(row).to_be_focused()
        expect(row).to_have_attribute("aria-posinset", "4")
    shown = tree.get_by_role("treeitem").evaluate_all("rows => rows.map((row) => row.dataset.row)")
    assert len(shown) == len(set(shown))
    keys.press("ArrowDown")
    expect(tree.get_by_role("treeitem", name="span, step 6, ")).to_be_in_viewport()
    assert watch.errors == []


@pytest.mark.slow
def test_the_first_read_of_a_session_says_how_far_it_is_and_calls_nothing_new(
    page: Page, shared: Service, keys: Keys
) -> None:
    trace, count = 31, 2_000
    shared.post("/v1/traces", body(list(large_session(count, trace=trace, width=count))))
    rest: list[Route] = []
    page.route("**/spans?cursor=*", lambda route: rest.append(route))
    open_session(page, shared, trace)
    expect(page.get_by_role("status").filter(has_text="500 of 2 000 spans loaded")).to_be_visible()
    keys.press("ArrowDown", "ArrowUp", "PageDown")
    tree = page.get_by_role("tree", name="Span tree")
    tree.evaluate("tree => tree.scrollTo(0, 100)")
    rest[0].continue_()
    expect(page.get_by_role("status").filter(has_text="spans loaded")).to_have_count(0)
    expect(page.get_by_role("button", name=re.compile(r"\d new"))).to_have_count(0)


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize(("count", "width"), [(100_000, 20), (10_000, 1)], ids=["wide", "deep"])
def test_a_very_large_session_is_read_whole_with_few_rows_in_the_document(
    page: Page, watch: Watch, shared: Service, count: int, width: int
) -> None:
    trace = 10 + width
    spans = list(large_session(count, trace=trace, width=width))
    for start in range(0, count, BATCH):
        # Parents come last, as exporters send them.
        shared.post("/v1/traces", body(spans[start : start + BATCH][::-1]))
    page.set_viewport_size({"width": 1440, "height": 900})
    page.goto(f"{shared.url}/ui/?token={shared.token}")

    page.goto(f"{shared.url}/ui/sessions/{trace_hex(trace)}?view=waterfall")
    page.wait_for_function(
        "(height) => document.querySelector('[role=tree]')?.scrollHeight >= height",
        arg=count * ROW_PX,
        timeout=300_000,
    )
    tree = page.get_by_role("tree", name="Span tree")
    tree.focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("End")

    focused = tree.locator("[role=treeitem]:focus")
    expect(focused).to_be_in_viewport()
    bottom = "tree => tree.scrollHeight - tree.scrollTop - tree.clientHeight"
    assert tree.evaluate(bottom) < ROW_PX
    page.keyboard.press("Home")
    assert page.get_by_role("treeitem").count() < 150
    browser = page.context.new_cdp_session(page)
    browser.send("HeapProfiler.collectGarbage")
    assert browser.send("Runtime.getHeapUsage")["usedSize"] <= 250_000_000
    assert watch.errors == []
