"""Everything by name and by key: the palette, the list of keys, the bar."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Locator, Page, Route, expect

from tests.e2e.conftest import Watch
from tests.support.agents.connected_agent import ConnectedAgent
from tests.support.services.process import Service
from tests.support.telemetry.two_runs import FIRST_ID, SECOND_ID, two_runs

PAGES = ("", f"sessions/{SECOND_ID}", "waiting", "search", "compare", "usage", "audit")
WIDGETS = "Lists, trees and fields"
"""Keys of widgets, each of which counts only while it has the focus."""


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    with Service(tmp_path_factory.mktemp("service")) as running:
        running.post("/v1/traces", two_runs())
        yield running


def _open(page: Page, service: Service, path: str = "") -> None:
    page.goto(f"{service.url}/ui/?token={service.token}")
    if path:
        page.goto(f"{service.url}/ui/{path}")
    expect(page.get_by_role("main")).to_be_visible()


def _palette(page: Page) -> Locator:
    page.keyboard.press("Control+k")
    field = page.get_by_role("combobox", name="Action, page, session or span")
    expect(field).to_be_focused()
    return field


@pytest.mark.slow
def test_what_is_typed_before_the_palette_is_loaded_is_in_its_field(
    page: Page, service: Service
) -> None:
    delayed: list[Route] = []
    page.add_init_script("window.requestIdleCallback = () => 0")
    page.route(re.compile(r"/assets/palette-.*js"), lambda route: delayed.append(route))
    _open(page, service)
    link = page.get_by_role("navigation", name="Main").get_by_role("link", name="Usage")
    for key in ("Control+k", "."):
        link.focus()
        with page.expect_request(re.compile(r"/assets/palette-.*js")):
            page.keyboard.press(key)
        page.keyboard.type("usx")
        page.keyboard.press("Backspace")
        delayed.pop().continue_()
        field = page.get_by_role("combobox", name="Action, page, session or span")
        expect(field).to_be_focused()
        expect(field).to_have_value("us")
        page.keyboard.press("Escape")
        expect(link).to_be_focused()
        page.keyboard.press(key)
        expect(field).to_have_value("")
        page.reload()
        expect(page.get_by_role("main")).to_be_visible()


_ESCAPE_THEN_OPEN = """async () => {
  const dialog = document.querySelector('dialog.ins-palette');
  if (dialog.dispatchEvent(new Event('cancel', { cancelable: true }))) dialog.close();
  // Microtasks: the dialog's event of its end is a task.
  for (let at = 0; at < 20; at += 1) await undefined;
  const key = { key: 'k', ctrlKey: true, bubbles: true };
  document.activeElement.dispatchEvent(new KeyboardEvent('keydown', key));
}"""


@pytest.mark.slow
def test_the_palette_opens_again_before_the_event_of_its_end_has_come(
    page: Page, service: Service
) -> None:
    _open(page, service)
    expect(page.get_by_text("Release, second try")).to_be_visible()
    field = _palette(page)
    field.fill("before")
    page.evaluate(_ESCAPE_THEN_OPEN)
    expect(field).to_have_value("")
    expect(field).to_be_focused()


def test_any_action_page_session_or_span_is_reached_by_typing_a_part_of_its_name(
    page: Page, watch: Watch, service: Service
) -> None:
    _open(page, service)
    expect(page.get_by_text("Release, second try")).to_be_visible()
    _palette(page).press_sequentially("rel sec")
    expect(page.locator(".ins-palette").get_by_role("option", selected=True)).to_contain_text(
        "Release, second try"
    )
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(f"sessions/{SECOND_ID}"))
    expect(page.get_by_role("tab", selected=True).first).to_be_visible()
    expect(page.get_by_text("merge conflict").first).to_be_visible()

    _palette(page).press_sequentially("exabort")
    expect(page.locator(".ins-palette").get_by_role("option", selected=True)).to_contain_text(
        "execute_tool abort"
    )
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile("span=.*0006"))

    # From inside of a field, too; what was there before has the focus again.
    find = page.get_by_role("textbox", name="Find in this session")
    find.focus()
    _palette(page)
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
    expect(find).to_be_focused()

    _palette(page).press_sequentially("theme dark")
    page.keyboard.press("Enter")
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    _palette(page)
    first = page.locator(".ins-palette").get_by_role("group").first
    expect(first).to_have_attribute("aria-label", "Used before")
    expect(first.get_by_role("option").first).to_contain_text("Theme: dark")
    assert watch.errors == []
    assert watch.elsewhere(service.url) == []


@pytest.mark.slow
def test_what_the_list_has_not_loaded_is_found_by_the_service(page: Page, service: Service) -> None:
    _open(page, service, "audit")
    page.route(re.compile(r"/sessions\?limit=200"), lambda route: route.abort())
    page.reload()
    expect(page.get_by_role("main")).to_be_visible()  # before that, nobody hears a key
    _palette(page).press_sequentially("first try")
    expect(
        page.locator(".ins-palette").get_by_role("option", name=re.compile("Release, first try"))
    ).to_be_visible()


def _rows(page: Page) -> dict[str, list[tuple[str, ...]]]:
    """Return what the list of keys says: place → (keys…, what)."""
    expect(page.get_by_role("dialog", name="Keyboard shortcuts")).to_be_visible()
    found: dict[str, list[list[str]]] = page.evaluate("""() => Object.fromEntries(
      [...document.querySelectorAll('dialog[open] section')].map((section) => [
        section.ariaLabel,
        [...section.querySelectorAll('dl > div')].map((row) =>
          [...row.querySelectorAll('kbd, dd')].map(({ textContent }) => textContent))]))""")
    return {where: [tuple(row) for row in rows] for where, rows in found.items()}


@pytest.mark.slow
@pytest.mark.parametrize(
    "path", [PAGES[0], *(pytest.param(path, marks=pytest.mark.slow) for path in PAGES[1:])]
)
def test_the_list_of_keys_is_that_of_the_actions_and_binds_no_key_twice_in_one_place(
    page: Page, service: Service, path: str
) -> None:
    _open(page, service, path)
    if "sessions/" in path:
        expect(page.get_by_role("tab").first).to_be_visible()
    _palette(page)
    with_keys: dict[str, set[str]] = {}
    for group in page.locator(".ins-palette").get_by_role("group").all():
        options = group.get_by_role("option").filter(has=page.locator("kbd")).all()
        names = {option.locator(".ins-palette__name").inner_text() for option in options}
        with_keys[group.get_attribute("aria-label") or ""] = names
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
    page.evaluate("document.activeElement.blur()")  # a page may begin in its field
    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="Keyboard shortcuts")).to_be_visible()
    listed = _rows(page)
    assert {"Search all sessions", "Keyboard shortcuts"} <= with_keys["Everywhere"]
    for where, names in with_keys.items():
        if names:
            assert {row[-1] for row in listed[where]} == names
    pressed = {key for where in with_keys for row in listed.get(where, []) for key in row[:-1]}
    assert [(a, b) for a in pressed for b in pressed if b.startswith(f"{a} ")] == []
    for where in with_keys.keys() & listed.keys():
        keys = [key for row in listed[where] for key in row[:-1]]
        assert len(keys) == len(set(keys)), (where, keys)


@pytest.mark.slow
def test_no_key_of_a_session_is_the_beginning_of_another_that_counts_at_the_same_time(
    page: Page, service: Service
) -> None:
    span = f"{int(SECOND_ID, 16):032x}.{1:016x}"
    _open(page, service, f"sessions/{SECOND_ID}?span={span}&tab=overview")
    for view in ("waterfall", "transcript", "graph", "statistics"):
        page.get_by_role("tab", name=view).click()
        expect(page.get_by_role("tabpanel").first).to_have_attribute(
            "aria-label", re.compile(view, re.IGNORECASE)
        )
        page.keyboard.press("?")
        listed = _rows(page)
        page.keyboard.press("Escape")
        keys = {
            key for where in listed if where != WIDGETS for row in listed[where] for key in row[:-1]
        }
        assert {"P O", "G S", "?"} <= keys
        assert [(a, b) for a in keys for b in keys if b.startswith(f"{a} ")] == [], view


@pytest.mark.slow
def test_escape_out_of_the_panel_of_a_span_keeps_the_focus(page: Page, service: Service) -> None:
    _open(page, service, f"sessions/{SECOND_ID}?view=waterfall")
    page.get_by_role("treeitem").first.click()
    panel = page.get_by_role("complementary", name="Span")
    panel.get_by_role("tab", selected=True).focus()
    page.keyboard.press("Escape")
    expect(panel).to_have_count(0)
    expect(page.get_by_role("tree", name="Span tree").locator(":focus")).to_have_count(1)
    page.keyboard.press("Escape")
    expect(page).not_to_have_url(re.compile("sessions/"))
    expect(page.locator("[data-list]:focus, [data-list] :focus")).to_have_count(1)


@pytest.mark.slow
def test_single_letters_can_be_off_and_everything_is_still_in_the_palette(
    page: Page, service: Service
) -> None:
    _open(page, service)
    page.keyboard.press("?")
    page.get_by_role("checkbox", name="Single-letter keys").uncheck()
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
    page.keyboard.press("g")
    page.keyboard.press("a")
    expect(page).not_to_have_url(re.compile("audit"))
    _palette(page).press_sequentially("audit")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile("audit"))


@pytest.mark.slow
def test_cancelling_from_the_palette_only_leads_to_the_button(page: Page, service: Service) -> None:
    with ConnectedAgent(service) as agent:
        agent.ask("r1", args_json="{}", expires_in_ms=300_000)
        [request] = service.get("/requests")["requests"]
        _open(page, service, f"sessions/{request['session_id']}")
        expect(page.get_by_role("button", name="Stop…")).to_be_visible()
        _palette(page).press_sequentially("stop ses")
        expect(page.locator(".ins-palette").get_by_role("option", selected=True)).to_contain_text(
            "Stop session…"
        )
        page.keyboard.press("Enter")
        button = page.get_by_role("button", name="Stop session")
        expect(button).to_be_focused()
        page.keyboard.press("Enter")  # at once: not armed yet
        expect(button).to_be_focused()
        page.get_by_role("button", name="Keep waiting").click()
        audit = service.get("/audit")["entries"]
        assert [entry for entry in audit if entry["action"] == "cancel"] == []


@pytest.mark.slow
def test_keys_of_the_page_do_nothing_behind_a_dialog(page: Page, service: Service) -> None:
    _open(page, service, f"sessions/{FIRST_ID}")
    page.keyboard.press("?")
    dialog = page.get_by_role("dialog", name="Keyboard shortcuts")
    expect(dialog).to_be_visible()
    page.keyboard.press("g")
    page.keyboard.press("a")
    page.keyboard.press("f")
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    expect(page).to_have_url(re.compile(f"sessions/{FIRST_ID}"))
    expect(page.get_by_role("button", name="Freeze")).to_have_attribute("aria-pressed", "false")


@pytest.mark.parametrize("width", [390, 720])
def test_the_bar_has_every_page_in_reach_where_it_is_narrow(
    page: Page, service: Service, width: int
) -> None:
    page.set_viewport_size({"width": width, "height": 844})
    _open(page, service)
    links = page.get_by_role("navigation", name="Main").get_by_role("link")
    expect(links).to_have_count(6)
    for link in links.all():
        box = link.bounding_box()
        assert box is not None
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= width
    page.get_by_role("button", name="All actions").click()
    expect(page.get_by_role("dialog")).to_be_visible()


@pytest.mark.slow
def test_a_key_right_after_escape_opens_what_it_stands_for(page: Page, service: Service) -> None:
    """The palette's field has the focus until the page is drawn without it."""
    _open(page, service)
    _palette(page)
    page.evaluate("""() => {
      document.querySelector('dialog[open]').close();
      const pressed = new KeyboardEvent('keydown', { key: '?', bubbles: true });
      document.activeElement.dispatchEvent(pressed);
    }""")
    expect(page.get_by_role("dialog", name="Keyboard shortcuts")).to_be_visible()
    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => setTimeout(done)))")
    expect(page.get_by_role("dialog", name="Keyboard shortcuts")).to_be_visible()
