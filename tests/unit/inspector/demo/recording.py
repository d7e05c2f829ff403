"""A recorder of demo stories, which run at full speed with real MCP servers."""

from __future__ import annotations

import asyncio
import random
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import instrument
from inspector.demo import house_rules
from inspector.demo.openai_model import OpenAIModel
from inspector.demo.pace import Pace
from inspector.demo.servers import servers_for
from inspector.demo.session import StorySession
from inspector.demo.stories import STORIES

SPEED = 200.0


@dataclass
class Recording:
    """The events of the bus, in order, and the final answer."""

    events: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    answer: str = ""

    def add(self, hook: str, /, **kwargs: Any) -> None:
        self.events.append((hook, kwargs))

    def of(self, *hooks: str) -> list[dict[str, Any]]:
        return [kwargs for hook, kwargs in self.events if hook in hooks]

    def closed(self, noun: str) -> list[str]:
        """Return the statuses of the closed operations of that kind."""
        return [event["status"] for event in self.of("operation_closed") if event["noun"] == noun]


class Nobody:
    """An approval provider that never answers."""

    async def ask(self, request: instrument.ApprovalRequest) -> str:
        await asyncio.Event().wait()
        return "deny"


async def record_story(
    name: str,
    *,
    seed: int,
    directory: Path,
    endpoint: OpenAIModel | None = None,
    person: instrument.ApprovalProvider | None = None,
    stop_when: Callable[[Recording], bool] | None = None,
) -> Recording:
    """Run a story and record it; `stop_when` cancels it as soon as it holds.

    `person` answers requests; by default nobody does.
    """
    recording = Recording()
    rng = random.Random(f"{seed}:0")
    story = STORIES[name](rng)
    session = StorySession(story, rng, Pace(SPEED), servers_for(SPEED, directory), endpoint)

    async def run() -> str:
        async with house_rules.in_force(session.pace):
            return await session.run()

    running = asyncio.create_task(run())

    def listen(hook: str, /, **kwargs: Any) -> None:
        recording.add(hook, **kwargs)
        if stop_when is not None and stop_when(recording):
            running.cancel()

    off, leave = (
        instrument.observe_all(listen),
        instrument.set_approval_provider(person or Nobody()),
    )
    try:
        recording.answer = await running
    except asyncio.CancelledError:
        if stop_when is None:
            raise
    finally:
        off()
        leave()
    return recording


@cache
def recorded(name: str) -> Recording:
    """Return the recording of a story with seed 7, which leaves no hook on the bus."""
    before = {hook: list(entries) for hook, entries in instrument._hooks.items()}
    with tempfile.TemporaryDirectory() as folder:
        recording = asyncio.run(record_story(name, seed=7, directory=Path(folder)))
    assert {hook: list(entries) for hook, entries in instrument._hooks.items()} == before
    return recording
