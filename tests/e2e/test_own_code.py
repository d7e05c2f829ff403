"""A loop written by hand asks before it deletes, and somebody answers in a browser."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.conftest import Watch
from tests.e2e.editor import open_editor, replace
from tests.support.agents.agent_process import watched_agent
from tests.support.services.process import Service

LOOP = Path(__file__).resolve().parents[2] / "examples" / "hand_written_loop.py"


@pytest.mark.slow
def test_a_decorated_tool_of_a_loop_runs_with_what_a_person_made_of_its_arguments(
    page: Page, watch: Watch, service: Service
) -> None:
    page.goto(f"{service.url}/ui/?token={service.token}")
    page.goto(f"{service.url}/ui/waiting")
    with watched_agent(service, LOOP) as agent:
        card = page.get_by_role("article", name="delete_file want")
        card.get_by_role("button", name="Edit").click()
        replace(open_editor(page), "draft.txt", "report.txt")
        allow = page.get_by_role("button", name="Allow with 1 edit")
        expect(allow).to_have_attribute("aria-disabled", "false")
        allow.click()
        lines = agent.output_lines()
    assert lines[-2:] == ["delete_file: report.txt is gone", "left: draft.txt"]
    assert watch.errors == []
