"""Requests of a real agent, answered in a real browser."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from opentelemetry.proto.trace.v1.trace_pb2 import Span
from playwright.sync_api import BrowserContext, Locator, Page, Playwright, expect

from inspector.service.model.rows import Json
from tests.e2e.browser import whole_browser
from tests.e2e.conftest import Watch
from tests.e2e.editor import open_editor, replace, text_of
from tests.support.agents.connected_agent import ConnectedAgent
from tests.support.agents.http_agent import hash_of, opened
from tests.support.services.process import Service
from tests.support.telemetry.export import trace_request
from tests.support.telemetry.otlp import SECOND_NS, START_NS, span

ARGS = '{"big":9007199254740993,"path":"build/old","recursive":true}'


@pytest.fixture
def agent(service: Service) -> Iterator[ConnectedAgent]:
    with ConnectedAgent(service) as asking:
        yield asking


def _sign_in(page: Page, service: Service, path: str = "") -> None:
    page.goto(f"{service.url}/ui/?token={service.token}")
    if path:
        page.goto(f"{service.url}/ui/{path}")


_DELETION = re.compile("^delete_file want(s|ed) to run")
_DELETION_LINE = re.compile("^delete_file wants to run")


def _card(page: Page, name: str | re.Pattern[str] = _DELETION) -> Locator:
    return page.get_by_role("article", name=name)


def _armed(button: Locator) -> Locator:
    """Return the button once it can be pressed."""
    expect(button).to_have_attribute("aria-disabled", "false")
    return button


def _open_card(page: Page) -> Locator:
    card = _card(page)
    card.get_by_role("button", expanded=False).click()
    return card


def _press_until_focused(page: Page, key: str, name: str) -> None:
    for _ in range(12):
        if page.evaluate("document.activeElement.textContent") == name:
            return
        page.keyboard.press(key)
    raise AssertionError(f"{key} does not lead to {name}")


def test_arguments_are_edited_and_allowed_with_the_keyboard_alone(
    page: Page, watch: Watch, service: Service, agent: ConnectedAgent
) -> None:
    agent.ask("r1", args_json=ARGS, expires_in_ms=300_000)
    _sign_in(page, service)
    expect(page).to_have_title(re.compile(r"^\(1\) "))

    page.keyboard.press("g")
    page.keyboard.press("w")
    expect(_card(page)).to_be_visible()
    page.keyboard.press("ArrowDown")
    expect(page.get_by_role("button", name=_DELETION)).to_be_focused()
    expect(_card(page).get_by_text(re.compile("left, then denied"))).to_be_visible()
    _press_until_focused(page, "Tab", "Edit")
    page.keyboard.press("Enter")

    expect(open_editor(page)).to_be_focused()
    page.keyboard.press("Control+Home")
    for _ in range(2):
        page.keyboard.press("ArrowDown")
    page.keyboard.press("End")
    for _ in range(5):
        page.keyboard.press("Backspace")
    page.keyboard.insert_text('new"')
    expect(page.get_by_text("Not JSON")).to_be_visible()
    page.keyboard.type(",")
    # What was there before stands above the line, and nothing else is marked.
    expect(page.locator(".cm-deletedChunk")).to_contain_text("build/old")
    expect(page.locator(".cm-changedLine")).to_have_text(re.compile("build/new"))
    page.keyboard.press("Escape")
    page.keyboard.press("a")
    allow = page.get_by_role("button", name="Allow with 1 edit")
    expect(allow).to_be_focused()
    _armed(allow)
    page.keyboard.press("Enter")

    answer = agent.answer_to("r1")
    assert answer["args_json"].replace("\n", "").replace(" ", "") == ARGS.replace("old", "new")
    assert answer["args_hash"] == hash_of(ARGS)
    expect(_card(page).get_by_text("received by the agent")).to_be_visible()
    edit = page.get_by_role("region", name="Your edit")
    expect(edit).to_contain_text("build/new")
    expect(page).to_have_title(re.compile("^Waiting"))
    assert watch.errors == []
    assert watch.elsewhere(service.url) == []


def test_a_button_is_armed_only_after_the_row_stood_still(
    page: Page, service: Service, agent: ConnectedAgent
) -> None:
    agent.ask("r1", args_json=ARGS)
    _sign_in(page, service, "waiting?request=r1")
    allow = page.get_by_role("button", name="Allow delete_file once")
    _armed(allow)

    page.keyboard.press("a")
    page.keyboard.press("Enter")
    expect(allow).to_have_attribute("aria-disabled", "true")
    assert service.get("/requests/r1")["status"] == "pending"

    _armed(allow)
    page.keyboard.press("Enter")
    assert agent.answer_to("r1")["args_json"] is None


HOSTILE = json.dumps(
    {
        "__proto__": {"polluted": True},
        "html": "<img src=x onerror=\"document.title='owned'\"><script>alert(1)</script>",
        "name": "report\u202egnp.exe",
        "zero": "rm\u200b\u200b\u200b -rf",
        "long": "x" * 1_000_000,
    },
    ensure_ascii=False,
    separators=(",", ":"),
)


def test_hostile_content_is_text_in_a_frame_that_it_cannot_leave(
    page: Page, watch: Watch, service: Service, agent: ConnectedAgent
) -> None:
    agent.ask(
        "r1",
        args_json=HOSTILE,
        tool_name="read\u202e_file\u200b<b>",
        prompt="<h1>Approved</h1> \u2066[click](javascript:alert(1))",
    )
    _sign_in(page, service, "waiting?request=r1")
    card = page.get_by_role("article")
    data = card.get_by_role("group", name="the arguments")
    expect(data).to_contain_text("reportU+202Egnp.exe")
    expect(data).to_contain_text("rmU+200B \u00d7 3 -rf")
    expect(data).to_contain_text("<script>alert(1)</script>")
    expect(card.get_by_text(re.compile("<h1>Approved</h1>"))).to_be_visible()
    assert card.locator("h1, img, script, b").count() == 0
    assert page.evaluate("({}).polluted") is None
    frame, inside = data.bounding_box(), card.bounding_box()
    assert frame is not None
    assert inside is not None
    assert frame["x"] + frame["width"] <= inside["x"] + inside["width"]

    # Nobody allows what they could not have seen: by the keys of the page, too.
    allow = card.get_by_role("button", name="Allow read[U+202E]_file[U+200B]<b> once")
    expect(card.get_by_text("Only the start of the arguments is shown.")).to_be_visible()
    page.keyboard.press("a")
    expect(card.get_by_role("button", name=re.compile("^Show all 1"))).to_be_focused()
    expect(allow).to_have_attribute("aria-disabled", "true")
    page.keyboard.press("Enter")
    data.evaluate("it => it.scrollTo(0, it.scrollHeight)")
    expect(data.get_by_text(re.compile('x"\\s*}$'))).to_be_visible()
    page.keyboard.press("a")
    expect(allow).to_be_focused()
    _armed(allow)
    page.keyboard.press("Enter")
    assert agent.answer_to("r1")["decision"] == "allow"
    assert watch.errors == []


@pytest.mark.slow
def test_a_hidden_character_can_be_seen_and_removed_in_the_editor(
    page: Page, service: Service, agent: ConnectedAgent
) -> None:
    agent.ask("r1", args_json='{"name":"report\u202egnp.exe","zero":"a\u200bb"}')
    _sign_in(page, service, "waiting?request=r1")
    page.get_by_role("button", name="Edit").click()
    editor = open_editor(page)
    assert "\u202e" not in text_of(editor)
    expect(page.get_by_text("U+202E right-to-left override")).to_be_visible()
    sign = re.search("report(.)gnp", text_of(editor))
    assert sign
    replace(editor, sign[1], "")
    _armed(page.get_by_role("button", name="Allow with 1 edit")).click()
    sent = agent.answer_to("r1")["args_json"]
    assert json.loads(sent) == {"name": "reportgnp.exe", "zero": "a\u200bb"}


def _offered(schema: dict[str, Any]) -> list[Span]:
    """Return an LLM call that was offered the tool, and the call that waits."""
    tools = [{"name": "delete_file", "description": "Deletes.", "parameters": schema}]
    chat: dict[str, Json] = {
        "session.id": "S",
        "gen_ai.operation.name": "chat",
        "gen_ai.tool.definitions": json.dumps(tools),
    }
    call: dict[str, Json] = {
        "session.id": "S",
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "delete_file",
    }
    return [
        span("chat", span_id=1, attributes=chat),
        span("execute_tool", span_id=2, attributes=call, start_ns=START_NS + SECOND_NS),
    ]


@pytest.mark.slow
def test_the_editor_completes_keys_folds_and_undoes_a_change(
    page: Page, watch: Watch, service: Service, agent: ConnectedAgent
) -> None:
    inside = {"type": "object", "properties": {"keep_days": {"type": "integer"}}}
    schema = {
        "type": "object",
        "required": ["path"],
        "properties": {"path": {"type": "string"}, "trash": inside},
    }
    spans = _offered(schema)
    service.post("/v1/traces", trace_request(*spans).SerializeToString())
    trace_id, span_id = spans[1].trace_id.hex(), spans[1].span_id.hex()
    place = {"trace_id": trace_id, "span_id": span_id}
    agent.ask("r1", args_json='{"path":"build/old","trash":{}}', **place)
    _sign_in(page, service, "waiting?request=r1")
    page.get_by_role("button", name="Edit").click()
    editor = open_editor(page)
    replace(editor, "{}", '{\n    "deep": [\n      1\n    ]\n  }')
    page.get_by_title("Fold", exact=True).nth(2).click()
    expect(page.locator(".cm-foldPlaceholder")).to_have_count(1)
    page.locator(".cm-foldPlaceholder").click()

    # In the inner object, of which the schema knows one key; Escape closes only what is open.
    page.get_by_role("button", name="Undo", exact=True).click()
    expect(page.get_by_text("No edits")).to_be_visible()
    page.keyboard.press("Control+End")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("End")
    page.keyboard.press("ArrowLeft")
    page.keyboard.type("ke")
    choice = page.get_by_role("option", name="keep_days")
    expect(choice).to_be_visible()
    expect(page.get_by_role("option")).to_have_count(1)
    page.keyboard.press("Escape")
    expect(choice).to_have_count(0)
    expect(editor).to_be_focused()
    page.keyboard.press("Control+Space")
    choice.click()  # by key it is taken a moment later, so that nobody takes it by mistake
    page.keyboard.type("7")
    expect(page.locator(".cm-changedLine")).to_have_text('  "trash": {"keep_days": 7}')

    page.keyboard.press("Tab")
    expect(editor).not_to_be_focused()
    _armed(page.get_by_role("button", name="Allow with 1 edit")).click()
    sent = agent.answer_to("r1")["args_json"]
    assert json.loads(sent) == {"path": "build/old", "trash": {"keep_days": 7}}
    assert watch.errors == []  # nor has the content security policy anything against it


@pytest.mark.slow
def test_arguments_are_edited_in_a_text_area_where_the_editor_cannot_be_loaded(
    page: Page, service: Service, agent: ConnectedAgent
) -> None:
    page.route("**/code-editor-*.js", lambda route: route.abort())
    agent.ask("r1", args_json=ARGS)
    _sign_in(page, service, "waiting?request=r1")
    page.get_by_role("button", name="Edit").click()
    area = page.locator("textarea.ins-editor__area")
    area.fill(area.input_value().replace("old", "new"))
    expect(page.get_by_role("region", name="Changes")).to_contain_text("build/new")
    _armed(page.get_by_role("button", name="Allow with 1 edit")).click()
    assert "build/new" in agent.answer_to("r1")["args_json"]


# The real class, watched: what a page made of it is the notification that the desktop got.
_WATCHED_NOTICES = """
window.notices = [];
window.Notification = class extends Notification {
  constructor(title, options) {
    super(title, options);
    window.notices.push(this);
    window.onnotice?.();
  }
};
"""


@pytest.fixture
def desktop(
    playwright: Playwright,
    browser_type_launch_args: dict[str, Any],
    browser_context_args: dict[str, Any],
) -> Iterator[BrowserContext]:
    """Yield a browser with windows, which lose the focus, and notifications."""
    whole = whole_browser()
    if whole is None:
        pytest.skip("a headless shell has no desktop; install chromium")
    launched = playwright.chromium.launch(**{**browser_type_launch_args, "executable_path": whole})
    yield launched.new_context(**browser_context_args)
    launched.close()


@pytest.mark.slow
def test_the_desktop_says_what_waits_while_the_page_is_not_looked_at_and_leads_there(
    desktop: BrowserContext, service: Service, agent: ConnectedAgent
) -> None:
    page = desktop.new_page()
    watch = Watch(page)
    desktop.grant_permissions(["notifications"], origin=service.url)
    page.add_init_script(_WATCHED_NOTICES)
    _sign_in(page, service, "waiting")
    page.get_by_role("button", name="Desktop notifications: off").click()
    expect(page.get_by_role("button", name="Desktop notifications: on")).to_be_visible()
    agent.ask("r1", args_json=ARGS, prompt="Who looks at the page is not told twice.")
    expect(_card(page)).to_be_visible()
    assert page.evaluate("notices.length") == 0

    desktop.new_cdp_session(page).send("Emulation.setFocusEmulationEnabled", {"enabled": False})
    desktop.new_page().bring_to_front()
    page.evaluate(
        "new Promise((left) => document.hasFocus() ? addEventListener('blur', left) : left())"
    )
    agent.ask("r2", args_json=ARGS, tool_name="drop_table")
    page.evaluate("new Promise((shown) => notices.length ? shown() : (window.onnotice = shown))")
    notice = "(({ title, body, silent }) => ({ title, body, silent }))(notices[0])"
    expected = {"title": "drop_table wants to run", "body": "S", "silent": True}
    assert page.evaluate(notice) == expected, "no argument, no prompt"
    page.evaluate("notices[0].dispatchEvent(new Event('click'))")
    expect(page).to_have_url(re.compile(r"/ui/waiting\?request=r2$"))
    assert watch.errors == []


@pytest.mark.slow
def test_who_is_second_learns_who_was_first(
    page: Page, context: BrowserContext, service: Service, agent: ConnectedAgent
) -> None:
    agent.ask("r1", args_json=ARGS)
    _sign_in(page, service, "audit")
    page.get_by_label("Your name").fill("Ana Łęcka")
    page.goto(f"{service.url}/ui/waiting?request=r1")
    other = context.new_page()
    other.goto(f"{service.url}/ui/waiting?request=r1")
    # The other page does not hear of the first answer before it sends its own.
    other.get_by_role("button", name="Edit").click()
    replace(open_editor(other), "old", "other")
    late = _armed(other.get_by_role("button", name="Allow with 1 edit"))
    other.route("**/requests/r1", lambda route: _first(route, page))
    late.click()

    expect(other.get_by_text(re.compile("Ana Łęcka.* already answered"))).to_be_visible()
    expect(_card(other).get_by_text("allowed by Ana Łęcka").first).to_be_visible()
    expect(other.get_by_role("button", name="Copy your edit")).to_be_visible()
    assert agent.answer_to("r1")["args_json"] is None
    assert len(agent.commands_of("answer")) == 1


def _first(route: Any, page: Page) -> None:
    if route.request.method == "POST":
        _armed(page.get_by_role("button", name="Allow delete_file once")).click()
        expect(_card(page).get_by_text("allowed by Ana Łęcka").first).to_be_visible()
    route.continue_()


FORM = {
    "type": "object",
    "required": ["id", "channel"],
    "properties": {
        "id": {"type": "integer", "title": "Build", "minimum": 1},
        "channel": {"type": "string", "enum": ["stable", "beta"]},
        "platforms": {"type": "array", "items": {"enum": ["linux", "mac"]}},
        "note": {"type": "string", "default": "as planned"},
    },
}


def test_a_question_is_answered_by_its_form(
    page: Page, service: Service, agent: ConnectedAgent
) -> None:
    agent.ask("q1", kind="question", tool_name=None, form_json=json.dumps(FORM), prompt="Which?")
    _sign_in(page, service, "waiting?request=q1")
    send = page.get_by_role("button", name="Send answer")
    page.get_by_label("Build").fill("0")
    expect(page.get_by_text("At least 1.")).to_be_visible()
    expect(send).to_have_attribute("aria-disabled", "true")
    page.get_by_label("Build").fill("9007199254740993")
    page.get_by_label("channel").select_option(label="beta")
    page.get_by_label("mac").check()
    _armed(send).click()
    payload = agent.answer_to("q1")["payload_json"]
    assert json.loads(payload) == {
        "id": 9007199254740993,
        "channel": "beta",
        "platforms": ["mac"],
        "note": "as planned",
    }


def test_a_request_is_denied_with_a_reason_where_it_is_seen_in_the_list(
    page: Page, service: Service, agent: ConnectedAgent
) -> None:
    agent.ask("r1", args_json=ARGS)
    _sign_in(page, service)
    page.get_by_role("button", name="Answer").click()
    page.get_by_role("button", name="Deny…").click()
    page.get_by_label("Reason").fill("not on a Friday")
    _armed(page.get_by_role("button", name="Deny delete_file")).click()
    assert agent.answer_to("r1")["decision"] == "deny"
    assert agent.command("answer")["reason"] == "not on a Friday"
    expect(page).to_have_url(re.compile("/ui/$"))
    expect(_card(page).get_by_text(re.compile("^denied by")).first).to_be_visible()


@pytest.mark.slow
def test_the_first_request_is_open_and_stays_so_whatever_comes_before_it(
    page: Page, service: Service, agent: ConnectedAgent
) -> None:
    _sign_in(page, service, "waiting")
    expect(page.get_by_text("Nothing needs you")).to_be_visible()
    agent.ask("r1", args_json=ARGS)
    expect(_card(page)).to_be_visible()
    agent.ask("r2", tool_name="send_mail", default="allow", expires_in_ms=300_000)
    lines = page.get_by_label("Requests", exact=True).get_by_role("button")
    expect(lines).to_have_text([re.compile("^send_mail.*allowed in"), _DELETION_LINE])
    expect(lines.nth(1)).to_have_attribute("aria-current", "true")
    expect(_card(page)).to_be_visible()
    expect(page).to_have_title("⚠ (2) Waiting · Inspector")
    lines.nth(1).focus()
    page.keyboard.press("ArrowUp")
    expect(_card(page, "send_mail wants to run")).to_be_visible()
    expect(lines.first).to_be_focused()


def _message(role: str, text: str) -> str:
    return json.dumps([{"role": role, "parts": [{"type": "text", "content": text}]}])


@pytest.mark.slow
def test_a_line_of_the_inbox_that_is_pointed_at_or_has_the_focus_keeps_its_place(
    page: Page, watch: Watch, service: Service, agent: ConnectedAgent
) -> None:
    def ask(tool: str, minutes: int) -> None:
        agent.ask(tool, tool_name=tool, args_json=ARGS, expires_in_ms=minutes * 60_000)

    ask("third", 30)
    ask("fourth", 40)
    _sign_in(page, service, "waiting")
    lines = page.get_by_role("region", name="Requests", exact=True).locator("[data-request-line]")

    def expect_order(*tools: str) -> None:
        expect(lines).to_have_text([re.compile(f"^{tool} wants") for tool in tools])

    expect_order("third", "fourth")
    lines.first.hover()
    ask("second", 20)
    expect_order("third", "second", "fourth")
    page.mouse.move(1200, 700)
    expect_order("second", "third", "fourth")

    lines.first.focus()
    page.keyboard.press("ArrowDown")
    expect(lines.filter(has_text="third")).to_be_focused()
    ask("first", 10)
    expect_order("first", "third", "second", "fourth")
    page.get_by_role("link", name="Audit log").focus()
    expect_order("first", "second", "third", "fourth")
    assert watch.errors == []


@pytest.mark.slow
def test_all_of_a_session_is_denied_one_by_one_with_what_led_there_in_view(
    page: Page, watch: Watch, service: Service, agent: ConnectedAgent
) -> None:
    spans = [
        span(
            "chat",
            span_id=2,
            attributes={
                "gen_ai.operation.name": "chat",
                "gen_ai.input.messages": _message("user", "Clean up."),
                "gen_ai.output.messages": _message("assistant", "I delete the build."),
            },
        ),
        span("execute_tool", span_id=3, start_ns=START_NS + 2 * SECOND_NS, duration_ns=None),
    ]
    service.post("/v1/traces", trace_request(*spans).SerializeToString())
    trace_id, span_id = spans[1].trace_id.hex(), spans[1].span_id.hex()
    for number in (1, 2):
        agent.ask(
            f"r{number}", session_id=trace_id, trace_id=trace_id, span_id=span_id, args_json=ARGS
        )
    agent.ask("other", session_id="elsewhere", args_json=ARGS)
    _sign_in(page, service, "waiting?request=r1")
    before = page.get_by_role("region", name="Before this")
    expect(before.get_by_role("listitem")).to_have_text(
        [re.compile("^userClean up"), re.compile("I delete the build")]
    )
    page.get_by_role("button", name="Deny all in this session").click()
    page.get_by_label("Reason").fill("not on a Friday")
    _armed(page.get_by_role("button", name="Deny 2 requests"))
    page.get_by_label("Reason").press("Enter")
    assert {agent.answer_to(one)["decision"] for one in ("r1", "r2")} == {"deny"}
    expect(page.get_by_text("2 denied.")).to_be_visible()
    assert service.get("/requests/other")["status"] == "pending"
    audited = service.get("/audit?by=people&result=accepted&q=Friday")["entries"]
    assert {(one["request_id"], one["decision"]) for one in audited} == {
        ("r1", "deny"),
        ("r2", "deny"),
    }
    assert watch.errors == []


@pytest.mark.slow
def test_the_card_says_that_an_agent_is_busy(
    page: Page, service: Service, agent: ConnectedAgent
) -> None:
    agent.reply = None
    agent.ask("r1", args_json=ARGS)
    _sign_in(page, service, "sessions/S")
    card = _open_card(page)
    _armed(card.get_by_role("button", name=re.compile("^Always allow for"))).click()
    notice = card.get_by_text("sent, not yet acknowledged by the agent")
    expect(notice).to_be_visible()
    seq = agent.command("answer")["seq"]
    agent.acknowledge(seq)
    expect(card.get_by_text("received by the agent")).to_be_visible()


def test_a_session_is_paused_and_cancelled_from_its_header(
    page: Page, service: Service, agent: ConnectedAgent
) -> None:
    agent.ask("r1", args_json=ARGS)
    _sign_in(page, service, "sessions/S")
    page.get_by_role("button", name="Pause").click()
    assert agent.command("pause")["session_id"] == "S"
    head = page.locator(".ins-session-head")
    before = head.bounding_box()
    stop = page.get_by_role("button", name="Stop…")
    stop.click()
    question = page.get_by_role("alertdialog", name="Stop this session?")
    expect(question).to_be_visible()
    assert head.bounding_box() == before
    for key in ("g", "s", "Control+k", "Escape"):  # none leaves the session
        page.keyboard.press(key)
    expect(question).to_have_count(0)
    expect(stop).to_be_focused()
    assert agent.commands_of("cancel") == []
    stop.click()
    _armed(question.get_by_role("button", name="Stop session")).click()
    agent.command("cancel")


@pytest.mark.slow
def test_escape_closes_what_is_open_before_it_leaves_the_session(
    page: Page, service: Service, agent: ConnectedAgent
) -> None:
    agent.ask("r1", args_json=ARGS)
    _sign_in(page, service, "sessions/S")
    card = _open_card(page)
    card.get_by_role("button", name="Edit").click()
    open_editor(page).press("Escape")
    expect(card).to_be_focused()
    page.keyboard.press("Escape")
    expect(card.get_by_role("button", name="Edit")).to_be_visible()
    page.locator("h1").click()  # wherever the focus is
    page.keyboard.press("Escape")
    toggle = card.locator("[data-unfolds-answer]")
    expect(toggle).to_have_attribute("aria-expanded", "false")
    share = page.get_by_role("menu", name="Share")
    about = page.get_by_role("dialog", name="About this session")
    for name, popup in (("Share", share), ("About this session", about)):
        page.get_by_role("button", name=name).click()
        expect(popup).to_be_visible()
        page.keyboard.press("Escape")
        expect(popup).to_have_count(0)
        expect(page.get_by_role("button", name=name)).to_be_focused()
    find = page.get_by_role("textbox", name="Find in this session")
    page.keyboard.press("/")
    expect(find).to_be_focused()
    page.keyboard.type("x")
    page.keyboard.press("Escape")
    page.keyboard.press("Escape")
    expect(page.get_by_role("button", name="About this session")).to_be_focused()
    expect(page).to_have_url(re.compile("sessions/S"))
    page.keyboard.press("Escape")
    expect(page).not_to_have_url(re.compile("sessions/S"))


@pytest.mark.slow
def test_a_thousand_requests_stay_usable(
    page: Page, service: Service, agent: ConnectedAgent
) -> None:
    with ConnectedAgent(service, "another-agent") as other:
        for one, numbers in ((agent, range(500)), (other, range(500, 1000))):
            one.ask_all(
                [opened(f"r{at:04}", args_json=ARGS, tool_name=f"tool_{at}") for at in numbers]
            )
        _sign_in(page, service, "waiting")
        _answer_one_of_many(page, agent, other)


def _answer_one_of_many(page: Page, agent: ConnectedAgent, other: ConnectedAgent) -> None:
    expect(page.get_by_text("1\u202f000 requests")).to_be_visible()
    assert page.locator("[data-request-line]").count() < 80

    lines = page.get_by_label("Requests", exact=True)
    lines.evaluate("list => list.scrollTo(0, 25_000)")
    lines.get_by_role("button").last.click()
    name = page.get_by_role("article").get_attribute("aria-label")
    assert name
    before = _card(page, name).bounding_box()
    agent.ask_all([opened(f"s{at:04}", args_json=ARGS) for at in range(40)])
    for at in range(20):
        agent.close(f"r{at:04}", "withdrawn")
    expect(page.get_by_text("1\u202f020 requests")).to_be_visible()
    assert _card(page, name).bounding_box() == before
    _armed(page.get_by_role("button", name=f"Allow {name.split()[0]} once")).click()
    number = int(name.split()[0].removeprefix("tool_"))
    asker = agent if number < 500 else other
    assert asker.answer_to(f"r{number:04}")["decision"] == "allow"


@pytest.mark.slow
def test_what_waited_before_the_service_died_is_answered_after(
    page: Page, service: Service, agent: ConnectedAgent
) -> None:
    agent.ask("r1", args_json=ARGS)
    _sign_in(page, service, "waiting?request=r1")
    expect(_card(page)).to_be_visible()
    service.kill()
    expect(page.get_by_text(re.compile("reconnecting")).first).to_be_visible()
    service.start()
    agent.register()
    expect(page.get_by_text("live", exact=True)).to_be_visible()
    _armed(page.get_by_role("button", name="Allow delete_file once")).click()
    assert agent.answer_to("r1")["decision"] == "allow"


@pytest.mark.slow
def test_the_key_for_waiting_leads_to_the_span_that_waits_and_it_is_answered_there(
    page: Page, watch: Watch, service: Service, agent: ConnectedAgent
) -> None:
    spans = [
        span("invoke_agent", span_id=1, duration_ns=None),
        span("execute_tool", span_id=2, parent=1, duration_ns=None),
        span("chat", span_id=3, parent=1),
    ]
    service.post("/v1/traces", trace_request(*spans).SerializeToString())
    trace_id, span_id = spans[1].trace_id.hex(), spans[1].span_id.hex()
    agent.ask("r1", session_id=trace_id, trace_id=trace_id, span_id=span_id, args_json=ARGS)
    _sign_in(page, service)
    expect(page.get_by_role("button", name="Answer")).to_be_visible()
    page.keyboard.press("w")
    expect(page.get_by_role("button", name="Answer")).to_be_focused()

    page.goto(f"{service.url}/ui/sessions/{trace_id}?view=waterfall")
    expect(page.get_by_role("treeitem").filter(has_text="execute_tool")).to_be_visible()
    strip = page.get_by_role("region", name="Waiting for you in this session")
    expect(strip).to_be_visible()
    page.keyboard.press("w")
    panel = page.get_by_role("complementary", name="Span")
    allow = _armed(panel.get_by_role("button", name="Allow delete_file once"))
    page.keyboard.press("a")
    expect(allow).to_be_focused()
    _armed(allow)
    page.keyboard.press("Enter")
    assert agent.answer_to("r1")["decision"] == "allow"
    expect(panel.get_by_text("received by the agent")).to_be_visible()
    expect(strip).to_have_count(0)
    assert watch.errors == []
