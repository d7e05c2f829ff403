"""An agent with hooks asks, somebody answers in a browser, the tool runs with what they typed."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.conftest import Watch
from tests.support.agents.agent_process import watched_agent
from tests.support.services.otlp_receiver import Receiver, attributes
from tests.support.services.process import Service

AGENT = Path(__file__).resolve().parents[1] / "support" / "agents" / "cleaner_agent.py"
ARGS: dict[str, Any] = {
    "path": "/tmp/report.txt",
    "id": 9007199254740993,
    "ratio": 1.0,
    "note": "x" * 200_000,
    "password": "hunter2hunter2",
}


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    receiver = Receiver()
    yield receiver
    receiver.close()


@pytest.mark.slow
def test_a_tool_runs_with_the_arguments_that_were_edited_in_the_browser_and_no_others(
    page: Page, watch: Watch, service: Service, receiver: Receiver
) -> None:
    page.goto(f"{service.url}/ui/?token={service.token}")
    page.goto(f"{service.url}/ui/waiting")
    environment = {
        "OTEL_EXPORTER_OTLP_ENDPOINT": receiver.url,
        "OTEL_EXPORTER_OTLP_PROTOCOL": "http/protobuf",
    }
    with watched_agent(service, AGENT, ARGS, **environment) as agent:
        card = page.get_by_role("article", name="delete_file want")
        card.get_by_role("button", name="Edit").click()
        page.get_by_label("Find in the arguments").fill(ARGS["path"])  # it is in a later part
        page.get_by_role("button", name="Find").click()
        editor = page.get_by_label("Arguments as JSON")
        expect(editor).to_have_value(re.compile("/tmp/report"))
        editor.fill(editor.input_value().replace("/tmp/report.txt", "/tmp/unit.txt"))
        allow = page.get_by_role("button", name="Allow with 1 edit")
        expect(allow).to_have_attribute("aria-disabled", "false")
        allow.click()
        (reported,) = map(json.loads, agent.output_lines())
    expect(card.get_by_text(re.compile("received by the agent"))).to_be_visible()

    assert reported == {"ran": [{**ARGS, "path": "/tmp/unit.txt"}], "outcome": "deleted"}
    receiver.wait_for(lambda got: any(s.name == "execute_tool delete_file" for s in got.spans))
    (span,) = [span for span in receiver.spans if span.name == "execute_tool delete_file"]
    decisions = [attributes(e.attributes) for e in span.events if e.name == "inspector.decision"]
    (person,) = [d for d in decisions if d["inspector.decision.interceptor"] == "approval"]
    assert person["inspector.decision.action"] == "modify"
    assert person["inspector.decision.origin"] == "browser"
    assert "/tmp/report.txt" in person["inspector.decision.before"]
    assert "/tmp/unit.txt" in person["inspector.decision.after"]
    assert "hunter2" not in str(person)
    assert watch.errors == []
