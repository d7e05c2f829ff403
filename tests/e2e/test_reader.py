"""The page over two services: it shows both, answers through them, and says which one is away."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from opentelemetry.proto.trace.v1.trace_pb2 import Span
from playwright.sync_api import Page, expect

from inspector.service.files.otlp_json import plain
from tests.support.agents.connected_agent import ConnectedAgent
from tests.support.services.process import Service
from tests.support.telemetry.export import span, trace_request

TOKEN = "a-token-of-all-services-0123456789"
Fleet = dict[str, Service]


@pytest.fixture
def fleet(tmp_path: Path) -> Iterator[Fleet]:
    with ExitStack() as stack:
        found: Fleet = {}
        for name in ("eu", "us"):
            (tmp_path / name).mkdir()
            found[name] = Service(tmp_path / name, token=TOKEN, retention="off")
            found[name].start()
            stack.callback(found[name].stop)
            found[name].send(_of(f"run-{name}"))
        writers = ",".join(f"{name}={one.url}" for name, one in found.items())
        reader = Service(tmp_path, store=None, token=TOKEN, writers=writers)
        found["reader"] = stack.enter_context(reader)
        yield found


def _of(session: str) -> Span:
    """Return a span whose ids are the same in every service."""
    made = span(1, name=f"work of {session}")
    made.attributes.add(key="session.id").value.string_value = session
    return made


def test_two_services_are_one_list_until_one_is_away_and_again_when_it_is_back(
    page: Page, fleet: Fleet
) -> None:
    thrown: list[str] = []
    page.on("pageerror", lambda error: thrown.append(str(error)))
    reader = fleet["reader"]
    page.goto(f"{reader.url}/ui/?token={reader.token}")
    rows = {name: page.get_by_role("link", name=f"work of run-{name}") for name in ("eu", "us")}
    for name, row in rows.items():
        expect(row.get_by_text(name, exact=True)).to_be_visible()
    rows["us"].click()
    facts = page.get_by_label("Session totals")
    expect(facts).to_contain_text(re.compile("us service"))
    expect(page.get_by_text("work of run-us").first).to_be_visible()

    with ConnectedAgent(fleet["us"]) as agent:
        on_span = {"trace_id": span(1).trace_id.hex(), "span_id": span(1).span_id.hex()}
        agent.ask("r1", session_id="run-us", **on_span)
        page.get_by_role("link", name=re.compile("^Waiting")).click()
        allow = page.get_by_role("button", name="Allow delete_file once")
        expect(allow).to_have_attribute("aria-disabled", "false")
        allow.click()
        assert agent.answer_to("r1")["decision"] == "allow"

    fleet["us"].kill()
    banner = page.get_by_role("alert").filter(has_text="A service is unreachable")
    expect(banner).to_contain_text("The service 'us'")
    expect(banner).not_to_contain_text("agents")
    missing = page.get_by_text("Without the service “us”")
    for path in ("", "search?q=work", "causes", "usage", "waiting", "audit"):
        page.goto(f"{reader.url}/ui/{path}")
        expect(missing).to_be_visible()
    expect(page.get_by_text("No actions yet")).to_have_count(0)

    page.goto(f"{reader.url}/ui/search?q=work")
    expect(missing).to_be_visible()
    expect(rows["eu"].first).to_be_visible()
    expect(rows["us"]).to_have_count(0)
    fleet["us"].start()
    expect(banner).to_have_count(0)
    expect(missing).to_have_count(0)
    expect(rows["us"].first).to_be_visible()
    page.get_by_role("link", name="Sessions", exact=True).click()
    expect(rows["us"]).to_be_visible()
    assert thrown == []


def test_sessions_of_two_services_are_compared_under_the_names_of_these(
    page: Page, fleet: Fleet
) -> None:
    lost = span(2, trace_id=bytes(15) + b"\2", name="unfinished")
    lost.end_time_unix_nano = 0
    file = {"resourceSpans": [plain(one) for one in trace_request(lost).resource_spans]}
    fleet["us"].client.post("/import", json=file).raise_for_status()
    reader = fleet["reader"]
    page.goto(f"{reader.url}/ui/?token={reader.token}")
    page.goto(f"{reader.url}/ui/compare?session=eu:run-eu&session=us:{lost.trace_id.hex()}")
    heads = page.get_by_role("columnheader")
    for name, title in (("eu", "work of run-eu"), ("us", "unfinished")):
        expect(heads.filter(has_text=title).get_by_text(name, exact=True)).to_be_visible()
    page.get_by_text("1 step the same").click()
    expect(page.get_by_text("lost", exact=True).first).to_be_visible()


def test_a_file_that_is_dropped_on_a_reader_is_refused_in_its_words(
    page: Page, fleet: Fleet, tmp_path: Path
) -> None:
    reader = fleet["reader"]
    page.goto(f"{reader.url}/ui/?token={reader.token}")
    file = tmp_path / "run.otlp.jsonl"
    file.write_text("{}\n")
    with page.expect_file_chooser() as chooser:
        page.get_by_role("button", name="Import").click()
    chooser.value.set_files(file)
    expect(page.get_by_role("alert")).to_contain_text("This is a reader: it stores nothing.")
