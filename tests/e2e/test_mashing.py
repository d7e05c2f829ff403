"""A keyboard that is mashed approves nothing, and cancels, pauses and deletes nothing.

What is promised: keys that come less than 500 ms after each other never press a button that
answers or steers, wherever the focus is and whatever they type or choose on their way. Each key
disarms every such button, and what the palette offers only leads to one. A person who waits for
half a second with the focus on *Allow*, and then presses *Enter*, does approve.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.conftest import Watch
from tests.e2e.golden_traces import send_golden
from tests.support.agents.connected_agent import ConnectedAgent
from tests.support.services.process import Service

ARGS = '{"path":"build/old","recursive":true}'
FORM = '{"type":"object","properties":{"version":{"type":"string"}}}'
LONGEST_PAUSE_MS = 120
KEYS = (
    *("Enter", " ", "Tab", "Enter", " ", "Tab", "Shift+Tab", "Escape", "Control+k", "Control+a"),
    *("ArrowDown", "ArrowUp", "ArrowLeft", "ArrowRight", "Home", "End", "PageDown"),
    *("Delete", "Backspace", *"abcdefghijklmnopqrstuvwxyz", *"ADEFW", *"12345", *"./?[]+-"),
)
PLACES = (
    "",
    "waiting?request=r1",
    "waiting?request=q1",
    "sessions/S?view=waterfall",
    "sessions/S?view=transcript",
    "sessions/S?view=mcp",
    "sessions/S?view=graph",
    "sessions/S?view=statistics",
    "audit",
    "usage",
    "search?q=notes",
    "compare?a=S&b=golden",
)
RISKIEST = ("waiting?request=r1", "sessions/S?view=waterfall")


class Watched:
    """A service, and an agent that asks and runs."""

    def __init__(self, service: Service, agent: ConnectedAgent) -> None:
        self.service = service
        self.agent = agent

    def state(self) -> dict[str, Any]:
        """Return all that keys must not change."""
        requests = self.service.get("/requests?limit=100")["requests"]
        sessions = self.service.get("/sessions?limit=100")["sessions"]
        return {
            "requests": {one["id"]: (one["status"], one["answer"]) for one in requests},
            "steered": {one["id"]: one["status"] in ("paused", "cancelled") for one in sessions},
            "audit": [entry["action"] for entry in self.service.get("/audit")["entries"]],
            "commands": [self.agent.commands_of(kind) for kind in ("answer", "cancel", "pause")],
            "others": [self.agent.commands_of(kind) for kind in ("resume", "step", "signal")],
        }


@pytest.fixture(scope="module")
def watched(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Watched]:
    with Service(tmp_path_factory.mktemp("mashing")) as service:
        send_golden(service, session="S")
        send_golden(service)
        with ConnectedAgent(service) as agent:
            agent.ask("r1", args_json=ARGS)
            agent.ask("b1", kind="breakpoint", args_json=ARGS)
            agent.ask("q1", kind="question", args_json=None, form_json=FORM, tool_name=None)
            yield Watched(service, agent)


def mash(page: Page, watched: Watched, place: str, *, ms: int, seed: int) -> None:
    """Press keys without a rest for so long, by the page's clock."""
    page.clock.install()
    page.goto(f"{watched.service.url}/ui/?token={watched.service.token}")
    page.goto(f"{watched.service.url}/ui/{place}")
    expect(page.get_by_role("status").filter(has_text=re.compile("^live$"))).to_be_visible()
    # As long as it says, however long this machine takes for it.
    page.clock.pause_at(datetime.now(UTC) + timedelta(hours=1))
    chance = random.Random(seed)
    left_ms = ms
    while left_ms > 0:
        page.keyboard.press(chance.choice(KEYS))
        pause_ms = chance.randint(5, LONGEST_PAUSE_MS)
        page.clock.run_for(pause_ms)
        left_ms -= pause_ms


@pytest.mark.parametrize("place", [RISKIEST[0], pytest.param(RISKIEST[1], marks=pytest.mark.slow)])
def test_two_seconds_of_any_keys_answer_and_steer_nothing(
    page: Page, watch: Watch, watched: Watched, place: str
) -> None:
    before = watched.state()
    mash(page, watched, place, ms=2_000, seed=7)
    assert watched.state() == before
    assert watch.errors == []


@pytest.mark.slow
@pytest.mark.timeout(300)
@pytest.mark.parametrize("place", PLACES)
def test_ten_seconds_of_any_keys_answer_and_steer_nothing(
    page: Page, watch: Watch, watched: Watched, place: str
) -> None:
    before = watched.state()
    for seed in (1, 2):
        mash(page.context.new_page(), watched, place, ms=10_000, seed=seed)
    assert watched.state() == before
    assert watch.errors == []


@pytest.mark.slow
@pytest.mark.parametrize(
    ("place", "button"),
    [
        ("waiting?request=r1", "Allow delete_file once"),
        ("waiting?request=b1", "Continue"),
        ("sessions/S?view=waterfall", "Pause"),
    ],
)
def test_a_button_that_has_the_focus_is_not_pressed_by_keys_without_a_rest(
    page: Page, watched: Watched, place: str, button: str
) -> None:
    before = watched.state()
    page.clock.install()
    page.goto(f"{watched.service.url}/ui/?token={watched.service.token}")
    page.goto(f"{watched.service.url}/ui/{place}")
    pressed = page.get_by_role("button", name=button).first
    expect(pressed).to_have_attribute("aria-disabled", "false")
    page.clock.pause_at(datetime.now(UTC) + timedelta(hours=1))
    pressed.focus()
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Tab")
    for _ in range(20):
        page.keyboard.press("Enter")
        page.clock.run_for(400)
        pressed.focus()
        page.keyboard.press(" ")
        page.clock.run_for(400)
    assert watched.state() == before
