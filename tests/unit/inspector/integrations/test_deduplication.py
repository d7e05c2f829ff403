from __future__ import annotations

import asyncio

from inspector.integrations.deduplication import is_reported, reporting
from instrument import Bus


async def test_a_call_inside_its_own_operation_is_reported_already() -> None:
    bus = Bus()
    bus.observe_all(lambda hook, /, **_: None)
    assert not is_reported("search", bus)
    async with bus.operation("tool_call", tool_name="search", args={}):
        assert is_reported("search", bus)
        assert not is_reported("fetch", bus), "a tool that uses another is two calls"
        assert not is_reported("search", Bus()), "another bus tells for itself"
        async with bus.operation("llm_generate", llm=None, prompt=""):
            assert not is_reported("search", bus), "an agent in between calls for itself"
    assert not is_reported("search", bus)


async def test_a_task_started_inside_still_knows() -> None:
    bus = Bus()
    bus.observe_all(lambda hook, /, **_: None)

    async def below() -> bool:
        return is_reported("search", bus)

    async with bus.operation("tool_call", tool_name="search", args={}):
        assert await asyncio.create_task(below())


def test_a_reported_call_ends_with_the_block() -> None:
    with reporting("search"):
        assert is_reported("search")
        with reporting("fetch"):
            assert not is_reported("search")
        assert is_reported("search")
    assert not is_reported("search")
