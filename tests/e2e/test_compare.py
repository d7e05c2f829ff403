"""Two sessions beside each other: chosen, compared, walked, opened."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from opentelemetry.proto.trace.v1.trace_pb2 import Status
from playwright.sync_api import Page, expect

from tests.e2e.conftest import Watch
from tests.support.services.process import Service
from tests.support.telemetry.export import span, span_id
from tests.support.telemetry.two_runs import FIRST_ID, SECOND_ID, two_runs

THIRD = bytes([4] * 16)
BOTH = f"compare?left={FIRST_ID}&right={SECOND_ID}"


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    with Service(tmp_path_factory.mktemp("service")) as running:
        running.post("/v1/traces", two_runs())
        yield running


def _open(page: Page, service: Service, path: str) -> None:
    page.goto(f"{service.url}/ui/?token={service.token}")
    page.goto(f"{service.url}/ui/{path}")


@pytest.mark.slow
def test_two_sessions_are_chosen_from_the_keyboard_and_their_differences_walked(
    page: Page, watch: Watch, service: Service
) -> None:
    _open(page, service, f"sessions/{FIRST_ID}")
    expect(page.get_by_role("heading", name="Release, first try")).to_be_visible()
    page.keyboard.press("Control+k")
    page.get_by_role("combobox").press_sequentially("compare with")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(f"compare.left={FIRST_ID}"))
    after = page.get_by_role("combobox", name="Session after")
    expect(after).to_be_focused()
    page.keyboard.type("second")
    expect(page.get_by_role("option", name=re.compile("Release, second try"))).to_be_visible()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")

    # What both took, and where they went apart.
    table = page.get_by_role("group", name="Side by side")
    expect(table.get_by_role("row").nth(2)).to_contain_text("1")
    expect(table.get_by_role("row", name=re.compile("^difference"))).to_contain_text("+1")
    expect(page.get_by_text("First difference:")).to_contain_text("execute_tool read")

    page.get_by_role("button", name="By importance").click()
    rows = page.get_by_role("listbox", name="Differences").get_by_role("option")
    expect(rows).to_have_count(6)
    expect(rows.first).to_contain_text("failed")
    expect(rows.first).to_contain_text("execute_tool merge")
    rows.first.focus()
    page.keyboard.press("Enter")
    panel = page.get_by_role("region", name="Difference", exact=True)
    expect(panel).to_contain_text("different output")
    expect(panel.locator("mark").last).to_contain_text("merge conflict in src/app.py")
    expect(panel.get_by_role("group", name="Error")).to_contain_text("merge conflict")
    page.keyboard.press("ArrowDown")
    expect(rows.nth(1)).to_be_focused()
    expect(rows.nth(1)).to_have_attribute("aria-selected", "true")
    # The next difference is the next in this order.
    page.keyboard.press("n")
    expect(rows.nth(2)).to_have_attribute("aria-selected", "true")
    expect(panel).to_contain_text("execute_tool tag")
    page.keyboard.press("p")
    expect(rows.nth(1)).to_have_attribute("aria-selected", "true")
    page.keyboard.press("Escape")
    expect(panel).to_have_count(0)

    rows.first.click()
    panel.get_by_role("link", name="Open in session after").click()
    expect(page).to_have_url(re.compile(f"sessions/{SECOND_ID}.*span=.*0004"))
    assert watch.errors == []
    assert watch.elsewhere(service.url) == []


@pytest.mark.slow
def test_differences_are_narrowed_to_a_kind_and_the_sides_swapped(
    page: Page, service: Service
) -> None:
    _open(page, service, f"{BOTH}&view=importance")
    rows = page.get_by_role("listbox", name="Differences").get_by_role("option")
    expect(rows).to_have_count(6)
    added = page.get_by_role("button", name=re.compile("^added"))
    added.click()
    expect(rows).to_have_count(1)
    expect(rows.first).to_contain_text("execute_tool abort")
    expect(page).to_have_url(re.compile("change=added"))
    page.get_by_role("button", name="Swap").click()
    # What one has more, the other has less.
    expect(rows).to_have_count(1)
    expect(rows.first).to_contain_text("execute_tool tag")
    expect(page.get_by_role("region", name="Session before")).to_contain_text("second try")
    added.click()
    expect(rows).to_have_count(6)
    expect(page.get_by_role("button", name=re.compile("recovered 1"))).to_be_visible()


@pytest.mark.slow
def test_an_address_that_is_pasted_names_its_session(page: Page, service: Service) -> None:
    _open(page, service, f"compare?left={FIRST_ID}")
    after = page.get_by_role("combobox", name="Session after")
    after.fill(f"{service.url}/ui/sessions/{SECOND_ID}?span=x")
    after.press("Enter")
    expect(page).to_have_url(re.compile(f"right={SECOND_ID}"))
    expect(page.get_by_text("First difference:")).to_be_visible()


def test_the_page_says_when_a_session_is_compared_with_itself_or_is_gone(
    page: Page, service: Service
) -> None:
    _open(page, service, f"compare?left={FIRST_ID}&right={FIRST_ID}")
    expect(page.get_by_role("alert")).to_contain_text("the same session")
    page.goto(f"{service.url}/ui/compare?left={FIRST_ID}&right=nobody")
    expect(page.get_by_role("alert")).to_contain_text("Session not found: 'nobody'")
    expect(page.get_by_role("alert")).to_contain_text("Choose another one")


def test_both_sessions_stand_beside_each_other_and_the_first_difference_is_open(
    page: Page, watch: Watch, service: Service
) -> None:
    _open(page, service, BOTH)
    tree = page.get_by_role("tree", name="Aligned steps")
    steps = tree.get_by_role("treeitem")
    panel = page.get_by_role("region", name="Difference", exact=True)
    expect(panel).to_contain_text("execute_tool read")
    expect(panel.locator("mark").last).to_have_text("B")
    first = tree.get_by_role("treeitem", selected=True)
    expect(first).to_have_accessible_name(re.compile("different output, First difference"))
    expect(steps.last).to_have_text("3 later differences may follow from this: show")

    # What follows is folded until one goes on; each side shows what it has.
    page.keyboard.press("n")
    expect(panel).to_contain_text("execute_tool merge")
    expect(panel).to_contain_text("Starts after the first difference")
    expect(steps).to_have_count(7)
    removed = tree.get_by_role("treeitem", name=re.compile("tag, removed"))
    expect(removed).to_have_accessible_name(re.compile("Before 100 ms, After not in this run"))
    page.keyboard.press("ArrowDown")
    expect(tree.get_by_role("treeitem", selected=True)).to_be_focused()
    page.keyboard.press("p")
    page.keyboard.press("p")
    expect(panel).to_contain_text("execute_tool read")

    # The root has nothing of its own to show; folded, it counts what differs below it.
    page.keyboard.press("Home")
    page.keyboard.press("ArrowLeft")
    expect(steps).to_have_count(1)
    expect(steps).to_have_accessible_name(re.compile("5 differences below"))
    page.keyboard.press("ArrowRight")
    expect(steps).to_have_count(7)

    page.get_by_role("button", name=re.compile("^added")).click()
    expect(steps).to_have_count(4)
    expect(steps.nth(1)).to_have_text("3 other steps")
    steps.nth(1).click()
    expect(steps).to_have_count(6)
    assert watch.errors == []


def test_a_span_that_arrives_leaves_the_rows_that_were_read_and_offers_to_compare_again(
    page: Page, service: Service
) -> None:
    before, after = bytes([6] * 16), bytes([7] * 16)
    for trace_id in (before, after):
        steps = (span(n, trace_id=trace_id, name=f"step {n}") for n in range(1, 6))
        service.send(*steps, span(6, trace_id=trace_id, name=f"step of {trace_id.hex()}"))
    _open(page, service, f"compare?session={before.hex()}&session={after.hex()}")
    rows = page.get_by_role("treegrid", name="Steps of all runs").get_by_role("row")
    same = rows.filter(has_text="steps the same")
    expect(same).to_have_count(1)
    count = rows.count()
    service.send(span(7, trace_id=before, name="late"))
    same.click()
    expect(page.get_by_role("alert")).to_contain_text("New spans arrived")
    expect(rows).to_have_count(count)
    page.get_by_role("alert").get_by_role("button", name="Compare again").click()
    expect(page.locator("[data-row]").filter(has_text="late")).to_have_count(1)
    expect(page.get_by_role("alert")).to_have_count(0)


def test_steps_below_one_that_a_run_lacks_are_not_called_the_same(
    page: Page, service: Service
) -> None:
    """Of what a run lacks, the topmost step alone is marked."""
    runs = [bytes([0x40 + run]) * 16 for run in range(3)]
    for run, trace_id in enumerate(runs):
        service.send(span(1, trace_id=trace_id, name="agent"))
        below = [(2, 1, "research"), (3, 2, "read a"), (4, 2, "read b"), (5, 2, "sum up")]
        for number, parent, name in below if run < 2 else []:
            one = span(number, trace_id=trace_id, name=name)
            one.parent_span_id = span_id(parent)
            if run == 1 and name == "sum up":
                one.status.code = Status.STATUS_CODE_ERROR
            service.send(one)
    _open(page, service, "compare?" + "&".join(f"session={one.hex()}" for one in runs))
    table = page.get_by_role("treegrid", name="Steps of all runs")
    row = table.get_by_role("row")
    expect(row.filter(has_text="research").get_by_text("not in this run")).to_have_count(1)
    folded = row.filter(has_text="2 other steps")
    expect(folded).to_have_count(1)
    expect(row.filter(has_text="the same")).to_have_count(0)
    last = row.filter(has_text="sum up").get_by_role("gridcell")
    expect(last.nth(1)).to_contain_text("failed")
    expect(last.nth(2)).to_have_attribute("title", "")


@pytest.mark.slow
def test_several_selected_sessions_are_compared_step_by_step(
    page: Page, watch: Watch, service: Service
) -> None:
    third = (
        two_runs().replace(bytes.fromhex(SECOND_ID), THIRD).replace(b"second try", b"again, try")
    )
    service.post("/v1/traces", third.replace(bytes.fromhex(FIRST_ID), bytes([5] * 16)))
    _open(page, service, "")
    boxes = page.get_by_role("checkbox", name=re.compile("^Select Release, (first|second|again)"))
    expect(boxes).to_have_count(4)
    for key in ("Home", "x", "ArrowDown", "x", "g", "c"):
        page.keyboard.press(key)
    expect(page).to_have_url(re.compile("compare.left=.*right="))
    page.go_back()
    page.get_by_role("button", name="Select none").click()
    expect(boxes.first).not_to_be_checked()
    for at in range(4):
        boxes.nth(at).check()
    page.get_by_role("region", name="Selected sessions").get_by_role(
        "button", name="Compare"
    ).click()
    table = page.get_by_role("treegrid", name="Steps of all runs")
    expect(table.get_by_role("columnheader")).to_have_count(5)
    expect(page.get_by_text("6 of 6 steps differ between the runs")).to_be_visible()
    marked = table.get_by_role("row", name=re.compile("First difference"))
    expect(marked).to_contain_text("execute_tool read")
    cell = marked.get_by_role("gridcell", name=re.compile("different output")).first
    cell.get_by_role("link").click()
    expect(page).to_have_url(re.compile("compare.left=.*right=.*span="))
    expect(page.get_by_role("region", name="Difference", exact=True)).to_contain_text(
        "execute_tool read"
    )

    # Back in the table, a run less, and one more.
    page.get_by_role("link", name="Back to all 4 runs").click()
    heads = table.get_by_role("columnheader")
    expect(heads.filter(has_text="second try")).to_contain_text("1 error")
    expect(heads.filter(has_text="second try")).to_contain_text("900 tokens")
    heads.filter(has_text="second try").get_by_role("button", name=re.compile("^Remove")).click()
    expect(heads).to_have_count(4)
    page.get_by_role("combobox", name="Add a run").press_sequentially("second try")
    page.get_by_role("option", name=re.compile("Release, second try")).click()
    expect(heads).to_have_count(5)
    expect(heads.last).to_contain_text("second try")
    page.go_back()
    expect(heads).to_have_count(4)
    page.goto(f"{page.url}&session=it%27s%20gone")  # quoted otherwise in a text
    page.get_by_role("link", name="Compare the others").click()
    expect(heads).to_have_count(4)

    # Two runs get a third.
    heads.last.get_by_role("button", name=re.compile("^Remove")).click()
    expect(page).to_have_url(re.compile("compare.left=.*right="))
    page.get_by_role("combobox", name="Add a run").press_sequentially("second try")
    page.get_by_role("option", name=re.compile("Release, second try")).click()
    expect(heads).to_have_count(4)
    watch.errors.remove(next(one for one in watch.errors if "404" in one))
    assert watch.errors == []
