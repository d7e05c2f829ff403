"""The list of sessions: sorted, narrowed in time, acted on in bulk, fed by files; always live."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Iterator
from pathlib import Path
from time import time_ns
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest
from playwright.sync_api import FloatRect, Locator, Page, expect

from tests.e2e.conftest import Watch
from tests.support.services.process import Service
from tests.support.telemetry.otlp import SECOND_NS

COUNT = 250
"""More than a page of the list."""
HOUR_NS = 3_600 * SECOND_NS


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """A service with sessions of five hours; the oldest ones took the most tokens."""
    with Service(tmp_path_factory.mktemp("list")) as service:
        now_ns = time_ns()
        lines = [
            _session(
                n, now_ns - n * 5 * HOUR_NS // COUNT - SECOND_NS, tokens=n * 10, failed=n % 10 == 0
            )
            for n in range(COUNT)
        ]
        _import(service, "\n".join(lines))
        yield service


def _session(
    number: int, start_ns: int, *, tokens: int = 10, failed: bool = False, tool: str = "git_log"
) -> str:
    """Return a session with a call of a model and of a tool, as a line of a file."""

    def span(at: int, name: str, **attributes: str | int) -> dict[str, Any]:
        return {
            "traceId": f"{number + 1:032x}",
            "spanId": f"{number * 8 + at + 1:016x}",
            "parentSpanId": f"{number * 8 + 1:016x}" if at else "",
            "name": name,
            "startTimeUnixNano": str(start_ns + at),
            "endTimeUnixNano": str(start_ns + SECOND_NS),
            "status": {"code": 2} if failed else {},
            "attributes": [
                {
                    "key": key.replace("__", "."),
                    "value": {"stringValue": value}
                    if isinstance(value, str)
                    else {"intValue": value},
                }
                for key, value in attributes.items()
            ],
        }

    title = f"Session {number:03d}"
    spans = [
        span(0, "run", inspector__session__title=title),
        span(1, "chat", gen_ai__operation__name="chat", gen_ai__usage__input_tokens=tokens),
        span(2, f"execute_tool {tool}", gen_ai__operation__name="execute_tool"),
    ]
    return json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": spans}]}]})


def _import(service: Service, text: str) -> None:
    answer = httpx.post(f"{service.url}/import", content=text.encode(), headers=service.headers)
    assert answer.raise_for_status().json()["mistakes"] == []


def _send_running(service: Service, number: int) -> None:
    """Begin a session that does not end: its agent is heard of no more."""
    line = json.loads(_session(number, time_ns(), tokens=5))
    for span in line["resourceSpans"][0]["scopeSpans"][0]["spans"]:
        span["parentSpanId"] = f"{1:016x}"  # never seen: no root has ended
    headers = {**service.headers, "Content-Type": "application/json"}
    httpx.post(f"{service.url}/v1/traces", json=line, headers=headers).raise_for_status()


def _open(page: Page, service: Service, search: str = "") -> Locator:
    page.set_viewport_size({"width": 1440, "height": 900})
    page.goto(f"{service.url}/ui/?token={service.token}")
    page.goto(f"{service.url}/ui/{search}")
    rows = page.locator("[data-session]")
    expect(rows.first).to_be_visible()
    return rows


def _titles(page: Page) -> list[str]:
    """Return the titles of the rows in the document, from the top."""
    found: list[str] = page.locator("[data-session]").evaluate_all(
        """rows => rows
            .sort((a, b) => a.dataset.top - b.dataset.top)
            .map(row => row.querySelector('a').firstChild.textContent)"""
    )
    return found


@pytest.mark.slow
def test_a_head_sorts_all_there_is_by_keys_too_and_the_address_says_it(
    page: Page, watch: Watch, shared: Service
) -> None:
    _open(page, shared)
    head = page.get_by_role("columnheader", name="Tokens")
    assert head.get_attribute("aria-sort") == "none"
    head.get_by_role("button").focus()
    page.keyboard.press("Enter")
    expect(page).to_have_url(f"{shared.url}/ui/?sort=-tokens")
    expect(head).to_have_attribute("aria-sort", "descending")
    # It was not among those that had been read.
    expect(page.locator("[data-session]").first).to_contain_text("Session 249")
    page.keyboard.press("Enter")
    expect(head).to_have_attribute("aria-sort", "ascending")
    expect(page.get_by_role("link", name="Session 000")).to_be_visible()
    assert _titles(page)[0] == "Session 000"
    # The same address shows the same list.
    page.reload()
    expect(page.get_by_role("link", name="Session 000")).to_be_visible()
    assert _titles(page)[:3] == ["Session 000", "Session 001", "Session 002"]
    assert page.get_by_role("grid").get_attribute("aria-rowcount") == "-1"
    assert watch.errors == []


@pytest.mark.slow
def test_a_live_row_enters_where_it_belongs_and_the_row_under_the_pointer_stays(
    page: Page, shared: Service
) -> None:
    _open(page, shared, "?sort=-tokens")
    page.locator("[data-session]").nth(6).hover()
    pointed = page.locator("[data-session]:hover")
    title, y = pointed.locator("a").inner_text(), pointed.bounding_box()
    _import(shared, _session(900, time_ns() - HOUR_NS, tokens=1_000_000))
    expect(page.get_by_text("1 new")).to_be_visible()
    assert pointed.locator("a").inner_text() == title
    assert pointed.bounding_box() == y
    page.get_by_role("button", name="1 new").click()
    expect(page.get_by_role("link", name="Session 900")).to_be_visible()
    assert _titles(page)[0] == "Session 900"


@pytest.mark.slow
def test_the_number_of_sessions_is_that_of_all_that_are_found(page: Page, shared: Service) -> None:
    answer = httpx.get(f"{shared.url}/sessions/count", headers=shared.headers).raise_for_status()
    total = answer.json()["count"]
    assert total > 200  # more than a page of the list
    _open(page, shared)
    count = page.get_by_role("status").filter(has_text=re.compile(r"^\d+\+? sessions"))
    expect(count).to_have_text(f"{total} sessions")
    _open(page, shared, "?q=status%3Afailed")
    failed = httpx.get(
        f"{shared.url}/sessions/count", params={"q": "status:failed"}, headers=shared.headers
    ).json()["count"]
    expect(count).to_have_text(f"{failed} sessions found")


@pytest.mark.slow
def test_columns_are_resized_and_pinned_and_rows_have_a_height_of_choice(
    page: Page, shared: Service
) -> None:
    rows = _open(page, shared, "?cols=agents,models,services,tags,started,duration,spans,cost")
    handle = page.get_by_role("separator", name="Width of Models")
    head = page.get_by_role("columnheader").filter(has_text="Models")
    before = _box(head)["width"]
    handle.focus()
    page.keyboard.press("ArrowRight")
    assert _box(head)["width"] == pytest.approx(before + 12, abs=1)
    at = _box(handle)
    page.mouse.move(at["x"] + at["width"] / 2, at["y"] + 5)
    page.mouse.down()
    page.mouse.move(at["x"] + 1200, at["y"] + 5, steps=3)
    page.mouse.up()
    width = _box(head)["width"]
    assert width > before + 600

    page.get_by_role("button", name="View").click()
    menu = page.get_by_role("dialog", name="Columns and sorting")
    menu.get_by_role("button", name="Pin Cost").click()
    menu.get_by_label("Comfortable").check()
    page.keyboard.press("Escape")
    page.reload()
    assert _box(head)["width"] == width
    assert _box(rows.first)["height"] == 44
    cost = page.get_by_role("columnheader").filter(has_text="Cost")
    title = rows.first.get_by_role("link")
    places = [_box(one)["x"] for one in (title, cost)]
    agents = page.get_by_role("columnheader").filter(has_text="Agents")
    scrolls_from = _box(agents)["x"]
    page.locator(".ins-list__scroller").evaluate("list => list.scrollBy(200, 0)")
    assert _box(agents)["x"] == scrolls_from - 200
    assert [_box(one)["x"] for one in (title, cost)] == places
    # A row is a link in all its width, also where it is pinned.
    at = _box(rows.first)
    page.mouse.click(_box(cost)["x"] + 10, at["y"] + at["height"] / 2)
    expect(page).to_have_url(re.compile("/sessions/"))


def _box(element: Locator) -> FloatRect:
    box = element.bounding_box()
    assert box is not None
    return box


@pytest.mark.slow
def test_columns_are_chosen_stored_and_shared(page: Page, shared: Service) -> None:
    _open(page, shared)
    page.get_by_role("button", name="View").click()
    menu = page.get_by_role("dialog", name="Columns and sorting")
    menu.get_by_role("checkbox", name="Tool calls").check()
    menu.get_by_role("checkbox", name="Models").uncheck()
    # A click beside it closes it, and does not open the row that it is on.
    here = page.url
    at = _box(page.locator("[data-session]").nth(1))
    page.mouse.click(at["x"] + 300, at["y"] + at["height"] / 2)
    expect(menu).to_be_hidden()
    assert page.url == here
    heads = page.get_by_role("columnheader")
    expect(heads.filter(has_text="Tool calls")).to_be_visible()
    expect(heads.filter(has_text="Models")).to_have_count(0)
    address = page.url
    page.goto(f"{shared.url}/ui/")
    expect(heads.filter(has_text="Tool calls")).to_be_visible()
    page.evaluate("localStorage.clear()")
    page.goto(address)
    expect(heads.filter(has_text="Tool calls")).to_be_visible()
    page.goto(f"{shared.url}/ui/")
    expect(heads.filter(has_text="Models")).to_be_visible()
    expect(heads.filter(has_text="Tool calls")).to_have_count(0)


@pytest.mark.slow
def test_a_time_is_chosen_on_the_chart_by_pointer_and_by_keys_and_is_cleared(
    page: Page, shared: Service
) -> None:
    # Its end is the one that its number of bars was made for: by the answer another may have begun.
    with page.expect_request(re.compile(r"/histogram\?.*until_ms=")):
        _open(page, shared)
    chart = page.get_by_role("slider", name="Sessions over time")
    expect(page.get_by_text("5 minutes per bar")).to_be_visible()
    box = chart.bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + box["width"] * 0.2, box["y"] + 9)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] * 0.6, box["y"] + 9, steps=4)
    page.mouse.up()
    chip = page.get_by_role("button", name="clear the time range")
    expect(chip).to_be_visible()
    expect(page).to_have_url(re.compile("time="))
    dragged = page.get_by_text(re.compile(r"^\d+ sessions found$"))
    expect(dragged).to_be_visible()
    count = int(dragged.inner_text().split()[0])
    assert 60 < count < 140
    chip.click()
    expect(chip).to_have_count(0)

    chart.focus()
    for key in ("Home", "Shift+ArrowRight", "Shift+ArrowRight"):
        page.keyboard.press(key)
    expect(chart).to_have_attribute("aria-valuetext", re.compile(r"15 minutes.* sessions"))
    page.keyboard.press("Enter")
    expect(chip).to_be_visible()
    expect(page.get_by_role("link", name="Session 249")).to_be_visible()
    page.keyboard.press("Escape")
    expect(chip).to_have_count(0)
    page.get_by_role("button", name="1h").click()
    expect(page.get_by_text("sessions found")).to_be_visible()
    assert int(page.get_by_text("sessions found").inner_text().split()[0]) < 60


@pytest.mark.slow
def test_values_that_were_seen_are_offered_and_filters_are_remembered_and_saved(
    page: Page, shared: Service
) -> None:
    rows = _open(page, shared)
    field = page.get_by_role("combobox", name="Filter sessions")
    field.press_sequentially("tool:gi")
    expect(page.get_by_role("option", name="git_log")).to_be_visible()
    field.press("ArrowDown")
    field.press("Enter")
    expect(field).to_have_value("tool:git_log")
    field.press_sequentially(" tokens:70")
    expect(rows).to_have_count(1)
    field.press("Enter")
    page.get_by_role("button", name="Saved filter").click()
    field.fill("status:failed tokens:500")
    expect(page.get_by_text("1 session found")).to_be_visible()
    field.press("Enter")
    field.fill("")
    options = page.get_by_role("listbox", name="Suggestions").get_by_role("option")
    expect(options.nth(2)).to_contain_text("status:")
    assert [one.split() for one in options.all_inner_texts()][:2] == [
        ["tool:git_log", "tokens:70", "saved"],
        ["status:failed", "tokens:500", "recent"],
    ]
    field.press("Enter")
    expect(options).to_have_count(0)
    field.click()
    expect(options.first).to_contain_text("saved")
    field.press("ArrowDown")
    field.press("Enter")
    expect(field).to_have_value("tool:git_log tokens:70")


@pytest.mark.slow
def test_terms_about_spans_are_narrowed_to_one_span_in_one_click(
    page: Page, shared: Service
) -> None:
    rows = _open(page, shared)
    field = page.get_by_role("combobox", name="Filter sessions")
    field.fill("tool:git_log")
    expect(page.get_by_text("found")).to_be_visible()
    expect(page.get_by_role("button", name=re.compile("In one span"))).to_have_count(0)
    field.fill("tool:git_log kind:agent")
    field.press("Enter")  # closes the suggestions, which may cover the offer
    offer = page.get_by_role("button", name=re.compile(r"In one span: span\(.*\) *0 sessions"))
    expect(offer).to_be_visible()
    offer.click()
    expect(field).to_have_value("span(tool:git_log kind:agent)")
    expect(rows).to_have_count(0)
    expect(offer).to_have_count(0)


@pytest.mark.slow
def test_what_is_selected_is_exported_deleted_and_imported_again(
    page: Page, shared: Service, tmp_path: Path, watch: Watch
) -> None:
    now_ns = time_ns()
    for n in range(5):
        _import(shared, _session(300 + n, now_ns - n * SECOND_NS, tool="bulk"))
    _send_running(shared, 310)
    rows = _open(page, shared, "?q=tool:bulk+OR+id:" + f"{311:032x}")
    expect(rows).to_have_count(6)
    boxes = page.get_by_role("grid").get_by_role("checkbox")
    page.get_by_role("link", name="Session 300").focus()
    page.keyboard.press("x")
    bar = page.get_by_role("region", name="Selected sessions")
    expect(bar.get_by_text("1 selected")).to_be_visible()
    page.get_by_role("checkbox", name="Select Session 303").click(modifiers=["Shift"])
    expect(bar.get_by_text("4 selected")).to_be_visible()
    assert boxes.evaluate_all("all => all.filter(one => one.checked).length") == 4
    page.get_by_role("link", name="Session 300").click()
    expect(page.get_by_role("heading", name="Session 300")).to_be_visible()
    page.go_back()
    expect(bar.get_by_text("4 selected")).to_be_visible()

    with page.expect_download() as download:
        bar.get_by_role("button", name="Export").click()
    file = tmp_path / download.value.suggested_filename
    download.value.save_as(file)
    assert file.name.endswith("-4.otlp.jsonl.gz")
    assert gzip.decompress(file.read_bytes()).decode().count("inspector.session.title") == 4
    expect(page.get_by_text("4 sessions in sessions-")).to_be_visible()
    for action in ("Compare", "Export", "Delete …"):  # what was done leaves what can be done
        expect(bar.get_by_role("button", name=action)).to_be_enabled()
    page.get_by_role("button", name="Close").click()
    expect(page.get_by_text("4 sessions in sessions-")).to_have_count(0)
    expect(bar.get_by_text("4 selected")).to_be_visible()

    bar.get_by_role("button", name="Select all 6").click()
    expect(bar.get_by_text("6 selected")).to_be_visible()
    bar.get_by_role("button", name="Delete …").click()
    question = page.get_by_role("alertdialog", name="Delete 5 sessions permanently?")
    expect(question.get_by_text("Also delete 1 session still running or waiting")).to_be_visible()
    button = question.get_by_role("button", name="Delete 5 sessions")
    expect(button).to_have_attribute("aria-disabled", "false")
    button.click()
    expect(page.get_by_text("5 sessions deleted")).to_be_visible()
    expect(page.get_by_text("Skipped: running.")).to_be_visible()
    expect(rows).to_have_count(1)
    expect(page.locator("[data-list]:focus, [data-list] :focus")).to_have_count(1)
    page.get_by_role("button", name="Close").click()
    expect(page.locator("[data-list]:focus, [data-list] :focus")).to_have_count(1)

    page.get_by_label("Files to import").set_input_files(file)
    imported = page.get_by_role("region", name="Imported files")
    expect(imported.get_by_text("4 sessions, 12 spans")).to_be_visible()
    expect(rows).to_have_count(5)
    links = imported.get_by_role("link")
    expect(links).to_have_count(4)
    link = links.filter(has_text=f"{302:032x}")
    link.click()
    expect(page).to_have_url(f"{shared.url}/ui/sessions/{302:032x}")
    expect(page.get_by_role("heading", name="Session 301")).to_be_visible()
    page.go_back()
    expect(imported.get_by_text("4 sessions, 12 spans")).to_be_visible()
    assert watch.errors == []


@pytest.mark.slow
def test_two_selected_sessions_are_compared_the_older_one_first(
    page: Page, shared: Service, watch: Watch
) -> None:
    now_ns = time_ns()
    for n in range(2):
        _import(shared, _session(330 + n, now_ns - n * SECOND_NS, tool="pair"))
    _open(page, shared, "?q=tool:pair")
    bar = page.get_by_role("region", name="Selected sessions")
    page.get_by_role("checkbox", name="Select Session 330").click()
    expect(bar.get_by_text("1 selected")).to_be_visible()
    expect(bar.get_by_role("button", name="Compare")).to_have_count(0)
    page.get_by_role("checkbox", name="Select Session 331").click()
    bar.get_by_role("button", name="Compare").click()
    before = page.get_by_role("region", name="Session before")
    expect(before.get_by_role("link", name="Session 331")).to_be_visible()
    assert watch.errors == []


DROP = """([name, text]) => {
    const transfer = new DataTransfer();
    transfer.items.add(new File([text], name));
    for (const type of ['dragenter', 'dragover', 'drop'])
        document.body.dispatchEvent(
            new DragEvent(type, { dataTransfer: transfer, bubbles: true, cancelable: true }));
}"""


@pytest.mark.slow
def test_a_dropped_file_leads_to_its_session_and_a_bad_one_says_its_lines(
    page: Page, shared: Service, watch: Watch
) -> None:
    _open(page, shared)
    bad = _session(400, time_ns()) + "\n{]\n" + _session(401, time_ns())
    page.evaluate(DROP, ["bad.jsonl", bad])
    panel = page.get_by_role("region", name="Imported files")
    expect(panel.get_by_text("line 2:")).to_be_visible()
    expect(panel.get_by_text("2 sessions")).to_be_visible()
    panel.get_by_role("button", name="Close").click()
    page.evaluate(DROP, ["good.jsonl", _session(402, time_ns())])
    expect(page).to_have_url(f"{shared.url}/ui/sessions/{403:032x}")
    expect(page.get_by_text("Session 402").first).to_be_visible()
    # On any page; what became of it is said in the list.
    page.evaluate(DROP, ["bad.jsonl", "{]"])
    expect(panel.get_by_text("line 1:")).to_be_visible()
    assert watch.errors == []
    assert watch.elsewhere(shared.url) == []


def test_a_narrow_page_has_rows_of_three_lines_and_no_sideways_scrolling(
    page: Page, shared: Service
) -> None:
    rows = _open(page, shared, "?cols=agents,models,engine,tags,spans,errors,tokens,cost")
    wide = page.get_by_role("columnheader").filter(has_text="Engine")
    expect(wide).to_be_visible()
    page.set_viewport_size({"width": 390, "height": 844})
    expect(wide).to_be_hidden()
    box = rows.first.bounding_box()
    assert box is not None
    assert box["height"] == 76
    for overflowing in (
        "document.documentElement",
        "document.querySelector('.ins-list__scroller')",
    ):
        assert page.evaluate(f"{overflowing}.scrollWidth <= {overflowing}.clientWidth")


@pytest.mark.slow
@pytest.mark.parametrize(("search", "query"), [("", ""), ("?q=errors%3E0", "errors>0")])
def test_where_more_changes_than_is_sent_the_page_follows_a_part_and_its_list_has_all(
    page: Page, watch: Watch, service: Service, search: str, query: str
) -> None:
    def begin(first: int, count: int) -> None:
        # The first of the list are stored first, so they are what is left out.
        numbers = reversed(range(first, first + count))
        now_ns = time_ns()
        _import(service, "\n".join(_session(n, now_ns + n, failed=n % 2 == 0) for n in numbers))

    def followed() -> dict[str, list[str]]:
        events = [url for url in watch.requested if "/events?" in url]
        return parse_qs(urlsplit(events[-1]).query, keep_blank_values=True)

    begin(0, 10)
    _open(page, service, search)
    with page.expect_request("**/events?*"):
        page.reload()
    assert "q" not in followed()
    with page.expect_request(lambda request: "/events?" in request.url and "q=" in request.url):
        begin(500, 400)
    assert followed()["q"] == [query]
    assert len(followed()["rows"]) >= 5
    begin(1000, 401)
    expect(page.get_by_role("link", name="Session 1400")).to_be_visible()
    _import(service, _session(2000, time_ns() + 10_000, failed=True))
    expect(page.get_by_role("link", name="Session 2000")).to_be_visible()
    assert watch.errors == []
