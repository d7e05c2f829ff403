"""One focus for every list and tree: where it begins, how keys move it, and where it comes back to.

What a screen reader is given of them is read here, too.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

import httpx
import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from playwright.sync_api import Page, Route, expect

from inspector.service.model.rows import Json
from tests.e2e.conftest import Watch
from tests.support.agents.connected_agent import ConnectedAgent
from tests.support.agents.http_agent import hash_of, opened
from tests.support.services.process import Service, wait_for
from tests.support.telemetry.otlp import SECOND_NS, START_NS, resource, span
from tests.support.telemetry.two_runs import FIRST_ID, SECOND_ID, two_runs

ARGS = '{"path":"build/old"}'
LONG, COUNT = "long", 60
"""A session, and its number of tool calls, models and messages; and that of other lists' rows."""
LISTS = {
    "sessions": "",
    "spans": f"sessions/{LONG}?view=waterfall",
    "entries": f"sessions/{LONG}?view=transcript",
    "messages": f"sessions/{LONG}?view=mcp",
    "Operations": f"sessions/{LONG}?view=statistics",
    "requests": "waiting",
    "audit": "audit",
    "found": "search?q=tool%3Aread*",
    "aligned": f"compare?left={FIRST_ID}&right={SECOND_ID}",
    "differences": f"compare?left={FIRST_ID}&right={SECOND_ID}&view=importance",
    "Usage by model": "usage?by=model",
}
"""The list of each page by its name, and where it is."""
SHORT = {"aligned", "differences"}
"""Those with less than a page of rows."""
COMMON = {"sessions", "spans", "entries", "requests", "found"}
"""Those that are tried with every run: one of each kind."""


def _add_session(request: ExportTraceServiceRequest, number: int, session: str, calls: int) -> None:
    """Add an agent with calls of as many tools over MCP and models."""
    group = request.resource_spans.add()
    group.resource.CopyFrom(resource(service_name="clerk"))
    spans = group.scope_spans.add().spans

    def add(name: str, span_id: int, parent: int | None, **attributes: Json) -> None:
        named = {key.replace("__", "."): value for key, value in attributes.items()}
        spans.append(
            span(
                name,
                trace=number,
                span_id=span_id,
                parent=parent,
                start_ns=START_NS + span_id * SECOND_NS // 100,
                duration_ns=SECOND_NS if parent else calls * SECOND_NS,
                attributes={"session.id": session, **named},
            )
        )

    add("invoke_agent clerk", 1, None, gen_ai__operation__name="invoke_agent")
    for at in range(calls):
        model = f"model-{at:03d}"
        answer = json.dumps([{"role": "assistant", "parts": [{"type": "text", "content": model}]}])
        tool = f"read-{at:03d}"
        add(
            f"chat {model}",
            10 * at + 11,
            1,
            gen_ai__operation__name="chat",
            gen_ai__request__model=model,
            gen_ai__usage__input_tokens=at,
            gen_ai__output__messages=answer,
        )
        add(
            f"tools/call {tool}",
            10 * at + 12,
            1,
            mcp__method__name="tools/call",
            gen_ai__operation__name="execute_tool",
            gen_ai__tool__name=tool,
            gen_ai__tool__call__result=json.dumps({"of": tool, "found": {"lines": [1, 2]}}),
        )


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    with Service(tmp_path_factory.mktemp("focus")) as running, ConnectedAgent(running) as agent:
        running.post("/v1/traces", two_runs())
        request = ExportTraceServiceRequest()
        _add_session(request, 1, LONG, COUNT)
        for at in range(COUNT):
            _add_session(request, 2 + at, f"one-{at}", 1)
        running.post("/v1/traces", request.SerializeToString())
        requested = [opened(f"r{at}", args_json=ARGS, session_id=LONG) for at in range(COUNT)]
        agent.ask_all(requested)
        wait_for(lambda: len(running.get("/requests")["requests"]) > 1)
        for at in range(15):
            answer = {"decision": "deny", "args_hash": hash_of(ARGS)}
            url = f"{running.url}/requests/r{at}"
            httpx.post(url, json=answer, headers=running.headers).raise_for_status()
        yield running


def _open(page: Page, service: Service, path: str) -> None:
    page.set_viewport_size({"width": 1440, "height": 900})
    page.goto(f"{service.url}/ui/?token={service.token}")
    page.goto(f"{service.url}/ui/{path}")


_FOCUS = """() => {
  const focused = document.activeElement;
  return [focused.closest('[data-list]')?.dataset.list, focused.closest('[data-row]')?.dataset.row];
}"""
_ROWS = """list => [...list.querySelectorAll('[data-row]')]
  .filter(row => row.closest('[data-list]') === list)
  .sort((a, b) => a.getBoundingClientRect().top - b.getBoundingClientRect().top)
  .map(row => row.dataset.row)"""
_STOPS = """list => [list, ...list.querySelectorAll('[data-focus]')]
  .filter(one => one.closest('[data-list]') === list && one.tabIndex === 0).length"""


class _List:
    """A list by its name, with what it tells of its focus."""

    def __init__(self, page: Page, name: str) -> None:
        self.element = page.locator(f'[data-list="{name}"]')
        self._page, self._name = page, name
        expect(self.element.locator("[data-row]").nth(1)).to_be_visible()

    def focused(self) -> str | None:
        """Return the key of the row with the focus; None for the list itself."""
        within, row = self._page.evaluate(_FOCUS)
        assert within == self._name
        return str(row) if row is not None else None

    def press(self, key: str) -> str | None:
        self._page.keyboard.press(key)
        return self.focused()

    def rows(self) -> list[str]:
        """Return the keys of the rows in the document, from the top."""
        found: list[str] = self.element.evaluate(_ROWS)
        return found

    def stops(self) -> int:
        return int(self.element.evaluate(_STOPS))


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[] if name in COMMON else pytest.mark.slow, id=name)
        for name in LISTS
    ],
)
def test_a_list_has_the_focus_is_walked_by_keys_and_gets_it_back(
    page: Page, watch: Watch, service: Service, name: str
) -> None:
    _open(page, service, LISTS[name])
    rows = _List(page, name)
    expect(page.locator(f'[data-list="{name}"]:focus-within')).to_be_visible()
    first, second, third = rows.press("Home"), rows.press("ArrowDown"), rows.press("j")
    assert [first, second, third] == rows.rows()[:3]
    assert rows.press("k") == second
    assert rows.press("ArrowUp") == first
    assert rows.stops() == 1
    last = rows.press("End")
    assert last not in (first, second)
    assert rows.press("ArrowDown") == last
    assert rows.press("PageUp") not in (first, last) or name in SHORT
    # However far one scrolls: it keeps the focus, and keys go on from it.
    rows.press("Home")
    rows.press("ArrowDown")
    rows.element.evaluate("list => list.scrollTo(0, list.scrollHeight)")
    page.evaluate("() => new Promise(done => requestAnimationFrame(() => setTimeout(done)))")
    assert rows.focused() == second
    assert rows.stops() == 1
    assert rows.press("ArrowDown") == third
    expect(rows.element.locator(f'[data-row="{third}"]')).to_be_in_viewport()

    page.keyboard.press("g")
    page.keyboard.press("s" if name == "audit" else "a")
    expect(rows.element).to_have_count(0)
    page.go_back()
    expect(rows.element.locator("[data-row]:focus-within").first).to_be_visible()
    assert rows.focused() == third
    expect(rows.element.locator(f'[data-row="{third}"]')).to_be_in_viewport()
    assert watch.errors == []


@pytest.mark.slow
def test_a_row_that_comes_with_a_later_page_gets_the_focus_back(
    page: Page, service: Service
) -> None:
    """A page of results is short where its time was up."""
    second: list[Route] = []

    def shorten(route: Route) -> None:
        url = route.request.url
        if "cursor=" in url and not second:
            second.append(route)
        else:
            route.continue_(url=url if "cursor=" in url else url.replace("limit=50", "limit=1"))

    found = page.locator('[data-list="found"]')
    drawn = "() => new Promise(done => requestAnimationFrame(() => setTimeout(done)))"

    def read_on() -> _List:
        """Answer the second request once the page has drawn what came with the first."""
        expect(found.locator("[data-row]").first).to_be_visible()
        while not second:
            page.evaluate(drawn)
        page.evaluate(drawn)
        second[0].continue_()
        return _List(page, "found")

    page.route("**/search?*", shorten)
    _open(page, service, LISTS["found"])
    rows = read_on()
    found.locator("[data-row]").nth(6).locator("a").focus()
    key = rows.focused()
    page.keyboard.press("g")
    page.keyboard.press("a")
    expect(found).to_have_count(0)
    second.clear()
    page.go_back()
    read_on()
    expect(found.locator(f'[data-row="{key}"]:focus-within')).to_be_visible()


@pytest.mark.slow
def test_a_field_that_is_typed_into_keeps_the_focus(page: Page, service: Service) -> None:
    _open(page, service, "")
    rows = _List(page, "sessions")
    page.keyboard.press("/")
    page.keyboard.type("service:planner")
    field = page.get_by_role("combobox", name="Filter sessions")
    expect(rows.element.locator("[data-row]")).to_have_count(2)
    expect(field).to_be_focused()
    # A click that gives the focus to a control of a row leaves the keys to the list.
    page.get_by_role("checkbox", name="Select Release, second try").click()
    page.keyboard.press("Home")
    expect(page.get_by_role("link", name="Release, second try")).to_be_focused()


@pytest.mark.parametrize("view", ["waterfall", "transcript"])
def test_the_focus_follows_what_is_selected(page: Page, service: Service, view: str) -> None:
    _open(page, service, f"sessions/{SECOND_ID}?view={view}")
    rows = _List(page, "spans" if view == "waterfall" else "entries")
    expect(page.locator("[data-list]:focus-within")).to_be_visible()
    page.keyboard.press("e")
    key = f"{SECOND_ID}.0000000000000004"
    selected = rows.element.locator(f'[data-row="{key}"]')
    expect(selected).to_be_focused()
    # From elsewhere, it only becomes the row to come back to.
    page.get_by_role("complementary", name="Span").get_by_role("button").first.focus()
    page.keyboard.press("[")
    before = rows.element.locator(f'[data-row="{SECOND_ID}.0000000000000003"]')
    expect(before).to_have_attribute("tabindex", "0")
    expect(before).not_to_be_focused()


def test_escape_leads_from_a_request_back_to_its_line(page: Page, service: Service) -> None:
    _open(page, service, "waiting?request=r50")
    line = page.locator('[data-row="r50"] [data-request-line]')
    expect(line).to_be_focused()
    page.get_by_role("button", name="Allow delete_file once").focus()
    page.keyboard.press("Escape")
    expect(line).to_be_focused()


@pytest.mark.parametrize(
    ("path", "requests"),
    [
        ("?q=service%3Aclerk%20status%3Awaiting", 0),
        (f"sessions/{LONG}?view=waterfall", 0),
        ("waiting", 1),
    ],
    ids=["list", "session", "inbox"],
)
def test_the_key_of_the_answer_unfolds_the_request_that_has_it(
    page: Page, service: Service, path: str, requests: int
) -> None:
    """A request that is open, as one always is in the inbox, only takes the focus."""
    _open(page, service, path)
    expect(page.locator("[data-row]").first).to_be_visible()
    expect(page.get_by_role("article").filter(has_text="Delete it?")).to_have_count(requests)
    answer = page.locator("[data-unfolds-answer], [data-answer-target]").first
    expect(answer).to_be_visible()
    page.keyboard.press("a")
    expect(page.get_by_role("button", name="Allow delete_file once")).to_be_focused()


@pytest.mark.slow
def test_a_screen_reader_reads_lists_trees_and_cards_as_such(page: Page, service: Service) -> None:
    _open(page, service, "?q=service%3Aplanner")
    expect(page.locator("[data-session]")).to_have_count(2)
    expect(page.get_by_role("region", name="All sessions")).to_match_aria_snapshot(
        """
        - region "All sessions":
          - grid "Sessions":
            - rowgroup:
              - row:
                - columnheader "Selected"
                - columnheader "Status"
                - columnheader "Session":
                  - button "Session"
            - rowgroup:
              - row /Release, second try/:
                - cell "Select Release, second try":
                  - checkbox "Select Release, second try"
                - cell /1 error/
                - cell /Release, second try/:
                  - link /Release, second try/
              - row /Release, first try/
        """
    )
    _open(page, service, f"sessions/{LONG}?view=waterfall&tab=io&span={1:032x}.{12:016x}")
    expect(page.get_by_role("tree", name="Span tree")).to_match_aria_snapshot(
        """
        - tree "Span tree":
          - treeitem /agent, invoke_agent clerk/ [expanded] [level=1]
          - treeitem /chat model-000/ [level=2]
          - treeitem /tool, tools.call read-000/ [level=2] [selected]
        """
    )
    expect(page.get_by_role("tree", name="the output")).to_match_aria_snapshot(
        """
        - tree "the output":
          - treeitem /\\{2\\}/ [expanded] [level=1] [selected]
          - treeitem /of.*read-000/ [level=2]
          - treeitem /found/ [expanded] [level=2]
          - treeitem /lines/ [expanded] [level=3]
          - treeitem /0.*1/ [level=4]
          - treeitem /1.*2/ [level=4]
        """
    )
    _open(page, service, "waiting?request=r50")
    expect(page.get_by_role("article")).to_match_aria_snapshot(
        """
        - article "delete_file wants to run":
          - heading "delete_file wants to run" [level=2]
          - region "Arguments":
            - button "Edit"
            - group "the arguments"
          - button "Allow delete_file once"
          - button /Deny/
        """
    )


def test_escape_leads_from_a_session_back_to_the_list_as_it_was_left(
    page: Page, service: Service
) -> None:
    _open(page, service, "?q=service%3Aplanner&sort=-cost")
    page.get_by_role("link", name="Release, second try").click()
    expect(page.get_by_role("heading", name="Release, second try")).to_be_visible()
    page.keyboard.press("Escape")
    page.keyboard.press("Escape")
    expect(page).to_have_url(re.compile(r"\?q=service%3Aplanner&sort=-cost$"))
    expect(_List(page, "sessions").element.locator("[data-row]")).to_have_count(2)


def test_an_answer_by_key_leaves_the_focus_on_the_list(page: Page, service: Service) -> None:
    _open(page, service, "waiting?request=r50")
    button = page.get_by_role("button", name="Allow delete_file once")
    button.focus()
    expect(button).to_have_attribute("aria-disabled", "false")
    page.keyboard.press("Enter")
    expect(button).to_have_count(0)
    expect(page.locator('[data-row="r50"] [data-request-line]')).to_be_focused()


def test_after_a_deletion_the_row_in_its_place_is_the_one_to_go_on_from(
    page: Page, service: Service
) -> None:
    _open(page, service, "?q=service%3Aclerk")
    sessions = _List(page, "sessions")
    _, _, third, fourth = sessions.rows()[:4]
    row = sessions.element.locator(f'[data-row="{third}"]')
    row.get_by_role("link").focus()
    page.keyboard.press("x")
    page.get_by_role("button", name="Delete …").click()
    page.get_by_role("alertdialog").get_by_role("button", name="Delete 1 session").click()
    expect(row).to_have_count(0)
    page.keyboard.press("j")
    page.keyboard.press("k")
    expect(sessions.element.locator(f'[data-row="{fourth}"]').get_by_role("link")).to_be_focused()
