"""A session is read in its transcript: what was done, where it went wrong, while it runs."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span
from playwright.sync_api import Locator, Page, expect

from inspector.service.model.rows import Json
from tests.e2e.conftest import Watch
from tests.support.agents.connected_agent import ConnectedAgent
from tests.support.services.process import Service, wait_for
from tests.support.telemetry.delegating_run import (
    MS,
    WHY,
    agent,
    answers,
    asks,
    call,
    spans,
    text,
    tool,
)
from tests.support.telemetry.export import trace_request
from tests.support.telemetry.otlp import START_NS, key_values, span
from tests.support.telemetry.records import log, started, trace_hex

LONG = 60_000


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    with Service(tmp_path_factory.mktemp("transcript")) as running:
        running.post("/v1/traces", trace_request(*spans()).SerializeToString())
        # Until then it may go on, and a session that runs does not open at its first cause.
        wait_for(lambda: running.get("/sessions/refunds")["status"] == "failed")
        yield running


def _open(page: Page, service: Service, path: str = "refunds", height: int = 1_000) -> None:
    page.set_viewport_size({"width": 1440, "height": height})
    page.goto(f"{service.url}/ui/?token={service.token}")
    page.goto(f"{service.url}/ui/sessions/{path}")


def _entry(page: Page, name: str | re.Pattern[str]) -> Locator:
    return page.get_by_role("feed").get_by_role("article", name=name, exact=True)


def test_a_failed_run_says_who_did_what_and_where_it_went_wrong(
    page: Page, watch: Watch, service: Service
) -> None:
    _open(page, service)
    expect(page.get_by_role("tab", name="Transcript")).to_have_attribute("aria-selected", "true")
    expect(page.get_by_text("Root cause: run_tests failed in coder")).to_be_visible(timeout=LONG)

    # The agent that failed is open, at the place; the others are cards with task and answer.
    failed = _entry(page, "tool run_tests, error").first
    expect(failed).to_contain_text(WHY)
    expect(failed).to_contain_text("Caused coder, then lead to fail.")
    expect(failed).to_contain_text("Called again, failed again")
    card = _entry(page, "agent researcher")
    expect(card).to_contain_text("1 of 3 in parallel")
    expect(card).to_contain_text("Find out how refunds are to be rounded.")
    expect(card).to_contain_text("Half up, to the cent: policy 4.2.")
    expect(_entry(page, "tool search")).to_have_count(0)

    # Each turn says only what is new; what a tool answered is said by the tool.
    expect(page.get_by_role("feed").get_by_text("Mend the rounding of refunds.")).to_have_count(1)
    # Both calls of the tool failed; the agents that failed with it do not repeat its words.
    expect(page.get_by_role("feed").get_by_text(WHY)).to_have_count(2)
    second = _entry(page, "tool run_tests, error").last
    expect(second).to_contain_text("coder, then lead failed afterwards.")
    assert watch.errors == []
    assert watch.elsewhere(service.url) == []


def test_a_denied_tool_says_who_denied_it(page: Page, service: Service) -> None:
    _open(page, service)
    page.get_by_role("feed").focus()
    page.keyboard.press("End")
    denied = _entry(page, "tool deploy, error")
    expect(denied).to_contain_text("denied")
    expect(denied).to_contain_text("by release gate: tests are red")
    expect(denied).to_contain_text("lead failed afterwards.")
    # What was decided in the agent stands where it was, at the turn that followed.
    turn = page.get_by_role("article").filter(has_text="The fix is not deployed")
    expect(turn).to_contain_text("by honesty: say why it failed")
    end = _entry(page, "End of agent lead, error")
    expect(end).not_to_contain_text("honesty")
    expect(end).not_to_contain_text("The agent continued.")
    expect(_entry(page, "End of agent lead, error")).to_contain_text("run_tests failed")


def test_it_is_read_with_the_keyboard_alone(page: Page, service: Service) -> None:
    _open(page, service, "refunds?view=transcript")
    expect(page.get_by_role("complementary", name="Span")).to_be_visible(timeout=LONG)
    page.keyboard.press("Escape")
    page.get_by_role("feed").focus()
    page.keyboard.press("Home")
    expect(_entry(page, "agent lead, error")).to_be_focused()
    page.keyboard.press("j")
    page.keyboard.press("ArrowDown")
    card = _entry(page, "agent researcher")
    expect(card).to_be_focused()
    page.keyboard.press("ArrowRight")
    narrowed = _entry(page, "tool search")
    expect(narrowed).to_contain_text("changed")
    expect(narrowed).to_contain_text("by limit_search")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowDown")
    expect(narrowed).to_be_focused()
    page.keyboard.press("Enter")
    panel = page.get_by_role("complementary", name="Span")
    expect(panel.get_by_role("heading", name="execute_tool search")).to_be_visible()
    page.keyboard.press("Escape")
    page.keyboard.press("ArrowLeft")
    expect(card).to_be_focused()
    page.keyboard.press("ArrowLeft")
    expect(narrowed).to_have_count(0)


def test_find_looks_into_messages_and_unfolds_what_hides_them(page: Page, service: Service) -> None:
    _open(page, service, "refunds?view=transcript&find=limit_search")
    expect(page.get_by_role("status").filter(has_text="1 found")).to_be_visible(timeout=LONG)
    page.keyboard.press("/")
    page.keyboard.press("Enter")
    expect(_entry(page, "tool search")).to_be_in_viewport()
    marked = "() => CSS.highlights.get('ins-find')?.size ?? 0"
    page.wait_for_function(marked)


SHOP = 50


def _captured(at_ms: int, total: int, *, is_whole: bool) -> Span.Event:
    attributes: dict[str, Json] = {"inspector.state.name": "cart"}
    if is_whole:
        attributes["inspector.state.value"] = json.dumps({"total": total})
    else:
        attributes["inspector.state.patch"] = json.dumps(
            [{"op": "replace", "path": "/total", "value": total}]
        )
    return Span.Event(
        name="inspector.state",
        time_unix_nano=START_NS + at_ms * MS,
        attributes=key_values(attributes),
    )


def _shopping(trace: int = SHOP, session: str = "shopping", error: str = "") -> list[Span]:
    """Return a run of eight turns, whose tool changes a state and answers with JSON.

    With an error, which is that of the last tool, it answers with lines of text.
    """
    lines = {"lines": [{"name": f"part {at}", "price": at} for at in range(9)], "ok": True}
    run = [agent(1, None, "shopper", 0, 9_000)]
    for turn in range(8):
        at_ms, id_ = 100 + turn * 1_000, f"b{turn}"
        add = (id_, "add", {"part": turn})
        sent = [text("user", f"Buy part {turn}.")]
        run.append(call(10 + turn, 1, at_ms, sent, asks(f"I add part {turn}.", add)))
        state = _captured(at_ms + 600, 10 + 60 * turn, is_whole=turn == 0)
        result = "\n".join(f"line {at}" for at in range(10)) if error else json.dumps(lines)
        ends: dict[str, Any] = {"error": error} if error and turn == 7 else {}
        run.append(tool(30 + turn, 1, at_ms + 500, add, result, events=[state], **ends))
    for one in run:
        one.trace_id = trace.to_bytes(16, "big")
        for attribute in one.attributes:
            if attribute.key == "session.id":
                attribute.value.string_value = session
    return run


def test_the_entry_that_it_opens_at_stays_in_view_while_the_others_grow(
    page: Page, service: Service
) -> None:
    run = _shopping(51, "failed", "the shop is closed")
    service.post("/v1/traces", trace_request(*run).SerializeToString())
    wait_for(lambda: service.get("/sessions/failed")["ended_at"] is not None)
    _open(page, service, f"failed?view=transcript&span={51:032x}.{37:016x}", height=900)
    failed = _entry(page, "tool add, error")
    expect(failed).to_contain_text("the shop is closed", timeout=LONG)
    # The values of those above have come: one is read that is rendered for the scrolling only.
    expect(_entry(page, "tool add").last).to_contain_text("line 9")
    expect(failed).to_be_in_viewport(ratio=0.9)
    # The reader may go elsewhere.
    page.get_by_role("feed").hover()
    page.mouse.wheel(0, -5_000)
    expect(failed).not_to_be_in_viewport()
    expect(_entry(page, "agent shopper")).to_be_in_viewport()


@pytest.mark.slow
def test_a_long_run_is_read_by_its_turns_its_changes_and_its_values(
    page: Page, watch: Watch, service: Service
) -> None:
    service.post("/v1/traces", trace_request(*_shopping()).SerializeToString())
    # Until then it may go on, and a session that runs opens at its end.
    wait_for(lambda: service.get("/sessions/shopping")["ended_at"] is not None)
    _open(page, service, "shopping?view=transcript")
    second = _entry(page, "tool add").filter(has_text="part 1")
    expect(second).to_contain_text("state cart total 10 → 70", timeout=LONG)
    first = _entry(page, "tool add").filter(has_text="part 0")
    expect(first).to_contain_text("first captured total 10")

    # The result is a tree, folded while it is long.
    result = second.get_by_role("tree", name="the result")
    expect(result.get_by_role("treeitem")).to_have_count(1)
    result.get_by_text("lines, ok").click()
    expect(result.get_by_role("treeitem", name="ok")).to_contain_text("true")

    # One walks the turns with the keys of every list, and goes to one with Enter.
    turns = page.get_by_role("navigation", name="Turns")
    turns.get_by_role("button", name="Turn 1 add").focus()
    page.keyboard.press("End")
    expect(turns.get_by_role("button", name="Turn 8 add")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_text("I add part 7.")).to_be_in_viewport()
    expect(_entry(page, re.compile("large-1$")).last).to_be_focused()

    # The time of day stays chosen.
    page.get_by_role("button", name="Time of day").click()
    clock = re.compile(r"^\d\d:\d\d:\d\d\.\d{3}")
    expect(_entry(page, "tool add").last.locator(".ins-tx__margin")).to_have_text(clock)
    assert _least_left_px(page) >= 4
    page.set_viewport_size({"width": 390, "height": 800})
    page.reload()
    expect(page.locator(".ins-tx__margin").first).to_have_text(clock, timeout=LONG)
    assert _least_left_px(page) >= 4
    expect(turns).to_be_hidden()
    assert watch.errors == []


def _least_left_px(page: Page) -> float:
    """Return the distance of the leftmost time from the edge of the page."""
    least: float = page.evaluate(
        """() => Math.min(...[...document.querySelectorAll('.ins-tx__margin')].map(margin => {
            const range = document.createRange()
            range.selectNodeContents(margin.firstElementChild ?? margin)
            return range.getBoundingClientRect().left
        }))"""
    )
    return least


TRACE, LIVE = 40, {"session.id": "live"}


def _begin(service: Service, number: int, name: str, **content: str) -> None:
    """Have a span run, in a process that is not missed for a while."""
    attributes = {**LIVE, **{key.replace("__", "."): value for key, value in content.items()}}
    begun = span(
        name,
        trace=TRACE,
        span_id=number,
        parent=None if number == 1 else 1,
        attributes=attributes,
        start_ns=START_NS + (number - 1) * 400 * MS,
    )
    alive = log(
        "inspector.process.heartbeat",
        attributes={"inspector.process.state": "alive", "inspector.process.lost_after_s": 300},
        process="p1",
    )
    request = ExportLogsServiceRequest()
    for record in (started(begun, "p1"), alive):
        group = request.resource_logs.add(resource=record.resource)
        group.scope_logs.add(scope=record.scope).log_records.append(record.record)
    service.post("/v1/logs", request.SerializeToString())


def test_a_run_grows_while_it_is_read_and_is_answered_where_it_waits(
    page: Page, watch: Watch, service: Service
) -> None:
    _begin(service, 1, "invoke_agent keeper", gen_ai__operation__name="invoke_agent")
    order = [text("user", "Tidy up.")]
    delete = ("t1", "delete_file", {"path": "build/old"})
    turn = call(2, 1, 10, order, asks("I delete what is old.", delete))
    _send(service, turn)
    _open(page, service, "live")
    expect(page.get_by_text("I delete what is old.")).to_be_visible(timeout=LONG)

    _begin(
        service,
        3,
        "execute_tool delete_file",
        gen_ai__operation__name="execute_tool",
        gen_ai__tool__name="delete_file",
        gen_ai__tool__call__arguments='{"path":"build/old"}',
    )
    running = _entry(page, "tool delete_file, running")
    expect(running).to_contain_text("path build/old")
    with ConnectedAgent(service) as agent:
        place = {"trace_id": trace_hex(TRACE), "span_id": f"{3:016x}"}
        agent.ask("r1", session_id="live", args_json='{"path":"build/old"}', **place)
        allow = running.get_by_role("button", name="Allow delete_file once")
        expect(allow).to_have_attribute("aria-disabled", "false")
        head = running.locator(".ins-tx__head")
        expect(head).to_contain_text("waiting")
        expect(head).not_to_contain_text("running")
        allow.click()
        assert agent.answer_to("r1")["decision"] == "allow"

    _send(service, tool(3, 1, 900, delete, "deleted nothing"))
    expect(_entry(page, "tool delete_file")).to_contain_text("deleted nothing")
    messages = [*order, asks("I delete what is old.", delete), answers("t1", "deleted nothing")]
    _send(service, call(4, 1, 2_000, messages, text("assistant", "It stays.")))
    expect(page.get_by_text("It stays.")).to_be_visible()
    expect(page.get_by_role("feed").get_by_text("deleted nothing")).to_have_count(1)
    assert watch.errors == []


def test_a_running_session_opens_at_its_live_end_from_the_list(
    page: Page, watch: Watch, tmp_path: Path
) -> None:
    with Service(tmp_path) as service:
        _read_at_its_end(page, service)
    assert watch.errors == []


def _read_at_its_end(page: Page, service: Service) -> None:
    page.set_viewport_size({"width": 1440, "height": 700})
    _begin(service, 1, "invoke_agent keeper", gen_ai__operation__name="invoke_agent")
    for number in range(2, 40):
        words = text("assistant", f"Step {number} is done. " + "More of it. " * 40)
        _send(service, call(number, 1, number * 100, [text("user", f"Step {number}?")], words))
    wait_for(lambda: service.get("/sessions/live")["span_count"] >= 39)
    page.goto(f"{service.url}/ui/?token={service.token}")
    page.get_by_role("link", name=re.compile("Step")).first.click()
    expect(page.get_by_text("Step 39 is done.")).to_be_in_viewport(timeout=LONG)
    expect(page.get_by_role("button", name=re.compile(r"\d+ new"))).to_have_count(0)


def _send(service: Service, ended: Span) -> None:
    ended.trace_id = TRACE.to_bytes(16, "big")
    for attribute in ended.attributes:
        if attribute.key == "session.id":
            attribute.value.string_value = LIVE["session.id"]
    service.post("/v1/traces", trace_request(ended).SerializeToString())
