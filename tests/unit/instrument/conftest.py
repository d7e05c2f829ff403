import asyncio
from collections.abc import Coroutine, Generator
from typing import Any, TypeAlias

import pytest

from instrument import ApprovalRequest, Bus

Story: TypeAlias = list[tuple[str, dict[str, Any]]]
NEVER: Any = object()
"""The answer of a person who gives none."""


class Person:
    """A provider that gives one answer after the other, and the last one from then on."""

    def __init__(self, *answers: Any) -> None:
        self._answers = list(answers)
        self.requests: list[ApprovalRequest] = []

    @property
    def prompts(self) -> list[str]:
        return [request.prompt for request in self.requests]

    async def ask(self, request: ApprovalRequest) -> Any:
        self.requests.append(request)
        answer = self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]
        if answer is NEVER:
            await asyncio.Event().wait()
        if isinstance(answer, BaseException):
            raise answer
        return answer


class Pause:
    """An awaitable that suspends once, without an event loop."""

    def __await__(self) -> Generator[None, None, None]:
        yield


async def cancel_after(event: asyncio.Event, work: Coroutine[Any, Any, Any]) -> None:
    """Run `work` in a task until `event` is set, then cancel it."""
    async with asyncio.timeout(5):
        task = asyncio.create_task(work)
        await event.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task


def names(events: Story) -> list[str]:
    """Return the names of events, without those about decisions and failures."""
    return [name for name, _ in events if not name.startswith("hook_")]


def only(events: Story, hook: str) -> dict[str, Any]:
    """Return the kwargs of the only event of this name."""
    (kwargs,) = (kwargs for name, kwargs in events if name == hook)
    return kwargs


@pytest.fixture
def bus() -> Bus:
    return Bus()


@pytest.fixture
def events(bus: Bus) -> Story:
    """Every event of the bus, from now on."""
    events: Story = []
    bus.observe_all(lambda name, /, **kwargs: events.append((name, kwargs)))
    return events
