"""A real agent asks before it acts; what was edited in a real browser is what runs."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.conftest import Watch
from tests.support.agents.agent_process import AgentProcess
from tests.support.services.process import Service

AGENT = """
import asyncio, json
import inspector
from instrument import Decision, ask, call, intercept

inspector.attach()

def ask_before_deletion(tool_name, args, **event):
    return Decision.ask_user("Delete " + args["path"] + "?") if tool_name == "delete_file" else None

intercept("before_tool_call", ask_before_deletion, on_error="deny", name="ask-delete")

async def delete(op):
    print("ran", json.dumps(op.args, sort_keys=True))

async def main():
    args = {"path": "build/old", "id": 9007199254740993, "content": "x" * 200_000}
    await call("tool_call", delete, tool_name="delete_file", args=args)
    form = {"type": "object", "properties": {"build": {"type": "integer"}}, "required": ["build"]}
    answer = await ask("Which build?", form=form)
    print("told", json.dumps(answer.payload))

asyncio.run(main())
"""


@pytest.fixture
def agent(service: Service, tmp_path: Path) -> Iterator[AgentProcess]:
    script = tmp_path / "my_agent.py"
    script.write_text(AGENT, encoding="utf-8")
    environ = {"INSPECTOR_URL": service.url, "INSPECTOR_TOKEN": service.token}
    with AgentProcess(script, environ) as running:
        yield running


def test_what_is_edited_in_the_browser_is_what_runs(
    page: Page, watch: Watch, service: Service, agent: AgentProcess
) -> None:
    page.goto(f"{service.url}/ui/?token={service.token}")
    page.goto(f"{service.url}/ui/waiting")
    page.get_by_role("button", name="Edit").click()
    page.get_by_label("Find in the arguments").fill("build/old")
    page.keyboard.press("Enter")
    page.keyboard.insert_text("build/new")
    allow = page.get_by_role("button", name="Allow with 1 edit")
    expect(allow).to_have_attribute("aria-disabled", "false")
    allow.click()

    ran = json.loads(agent.read_line("ran"))
    assert ran == {"path": "build/new", "id": 9007199254740993, "content": "x" * 200_000}
    expect(page.get_by_text("received by the agent")).to_be_visible()

    page.get_by_role("button", name=re.compile(r"^Which build\?")).click()
    page.get_by_label("build").fill("9007199254740993")
    send = page.get_by_role("button", name="Send answer")
    expect(send).to_have_attribute("aria-disabled", "false")
    send.click()
    assert json.loads(agent.read_line("told")) == {"build": 9007199254740993}
    assert agent.wait() == 0
    assert watch.errors == []


@pytest.mark.slow
def test_what_waits_for_a_person_can_be_paused_and_resumed_besides(
    page: Page, watch: Watch, service: Service, agent: AgentProcess
) -> None:
    page.goto(f"{service.url}/ui/?token={service.token}")
    page.get_by_role("link", name=re.compile("delete_file")).first.click()
    verbs = page.get_by_role("group", name="Session controls")
    for verb, other in (("Pause", "Resume"), ("Resume", "Pause")):
        button = verbs.get_by_role("button", name=verb)
        expect(button).to_have_attribute("aria-disabled", "false")
        button.click()
        expect(verbs.get_by_role("button", name=other)).to_be_visible()
    assert watch.errors == []
