"""`inspector demo`: a real agent with a scripted model, made to be watched.

A planner and two sub-agents, real MCP servers over stdio, a scripted model (or any
OpenAI-compatible endpoint). The agent announces everything on the hook bus; `attach()` is all that
it knows of the inspector.
"""

from __future__ import annotations

import asyncio
import itertools
import random
import signal
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from mcp import MCPError

import inspector
from inspector.demo import house_rules
from inspector.demo.openai_model import ModelEndpointError, OpenAIModel, model_from_environment
from inspector.demo.pace import Pace
from inspector.demo.servers import ServerSpec, servers_for
from inspector.demo.session import StorySession
from inspector.demo.stories import STORIES

_LANES = 2
"""Sessions at once with `loop`, so that the list shows some running and some waiting."""
_PAUSE_S = 4.0

_FAILED = 1
_NO_SERVICE = 3
_INTERRUPTED = 130


def run(
    *,
    seed: int,
    loop: bool,
    speed: float,
    url: str | None,
    token: str | None = None,
    story: str | None = None,
) -> int:
    """Run the stories and return the exit code.

    Args:
        seed: Same seed, same stories: only ids and times differ.
        loop: Begin again until interrupted; otherwise run each story once.
        speed: 1 takes as long as real models do; 10 is ten times faster.
        url: The service; None: found as `inspector.attach()` finds it.
        token: Token of the service; None: found with the address.
        story: Name of the only story to run; None: all of them.

    Returns:
        0, or 1 when a story failed, 3 when no service runs, 130 when interrupted.
    """
    # The demo announces its own exchanges: an adapter would report each of them again.
    handle = inspector.attach(url, token=token, service_name="inspector-demo", integrations="off")
    if not handle.is_attached:
        sys.stderr.write("No Inspector service is running. Start one: inspector serve\n")
        return _NO_SERVICE
    endpoint = model_from_environment()
    _print(
        "It asks before it publishes and pushes: answer on the page (Waiting), or with `inspector "
        f"requests`. After {house_rules.PERSON_S / speed:.2g} s it continues by itself."
    )
    names = [story] if story else list(STORIES)
    runner = _StoryRunner(seed, Pace(speed), endpoint, names, servers_for(speed, Path.cwd()))
    try:
        failed = asyncio.run(runner.loop() if loop else runner.once())
    except (KeyboardInterrupt, asyncio.CancelledError):
        return _INTERRUPTED
    finally:
        handle.detach()
    return _FAILED if failed else 0


@dataclass(frozen=True, slots=True)
class _StoryRunner:
    """A runner of stories by number; number n of a seed is always the same story."""

    seed: int
    pace: Pace
    endpoint: OpenAIModel | None
    names: Sequence[str]
    servers: Sequence[ServerSpec]

    async def once(self) -> int:
        """Run each story once, one after the other; return how many failed."""
        _cancel_on_signals()
        async with house_rules.in_force(self.pace):
            outcomes = [await self._run(number) for number in range(len(self.names))]
        return outcomes.count(False)

    async def loop(self) -> int:
        """Run stories until cancelled."""
        _cancel_on_signals()
        numbers = itertools.count()
        async with house_rules.in_force(self.pace), asyncio.TaskGroup() as group:
            for lane in range(_LANES):
                group.create_task(self._lane(numbers, lane))
        return 0

    async def _lane(self, numbers: Iterator[int], lane: int) -> None:
        await self.pace.wait(lane * 3 * _PAUSE_S)
        for number in numbers:
            await self._run(number)
            await self.pace.wait(_PAUSE_S)

    async def _run(self, number: int) -> bool:
        rng = random.Random(f"{self.seed}:{number}")
        story = STORIES[self.names[number % len(self.names)]](rng)
        session = StorySession(story, rng, self.pace, self.servers, self.endpoint)
        _print(f"{session.id}  {story.title}")
        try:
            # A task of its own: the session id and the open operations end with it.
            await asyncio.create_task(session.run())
        except (ModelEndpointError, MCPError, OSError) as error:
            _print(f"{session.id}  failed: {error}")
            return False
        return True


def _cancel_on_signals() -> None:
    """Handle SIGTERM and SIGHUP like Ctrl-C: stories end as cancelled."""
    task = asyncio.current_task()
    if task is not None and sys.platform != "win32":
        for number in (signal.SIGTERM, signal.SIGHUP):
            asyncio.get_running_loop().add_signal_handler(number, task.cancel)


def _print(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()
