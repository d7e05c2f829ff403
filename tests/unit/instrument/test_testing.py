"""Tests of `capture_hook`."""

import pytest

import instrument
from instrument import Bus
from instrument.testing import capture_hook


async def test_a_capture_records_positional_and_keyword_arguments() -> None:
    async with capture_hook("before_tool_call") as calls:
        await instrument._emit("before_tool_call", "positional", tool_name="x")
        await instrument._emit("after_tool_call", tool_name="x")

    assert calls == [(("positional",), {"tool_name": "x"})]


async def test_a_capture_ends_with_its_block() -> None:
    async with capture_hook("before_tool_call") as calls:
        pass
    await instrument._emit("before_tool_call")

    assert calls == []
    assert not instrument._hooks.get("before_tool_call")


async def test_a_capture_ends_with_an_exception_too() -> None:
    async def work() -> None:
        async with capture_hook("before_tool_call"):
            raise LookupError

    with pytest.raises(LookupError):
        await work()

    assert not instrument._hooks.get("before_tool_call")


def test_a_capture_works_in_sync_code_and_on_a_bus_of_its_own(bus: Bus) -> None:
    with capture_hook("before_tool_call", bus=bus) as calls:
        bus._emit_sync("before_tool_call", tool_name="x")
        instrument._emit_sync("before_tool_call", tool_name="y")

    assert calls == [((), {"tool_name": "x"})]
    assert bus._hooks == {}


async def test_captures_of_one_hook_do_not_end_each_other(bus: Bus) -> None:
    async with capture_hook("a_hook", bus=bus) as outer:
        async with capture_hook("a_hook", bus=bus) as inner:
            await bus._emit("a_hook")
        await bus._emit("a_hook")

    assert (len(outer), len(inner)) == (2, 1)


def test_pytest_does_not_take_it_for_a_test() -> None:
    assert not capture_hook.__test__
