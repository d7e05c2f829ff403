"""Generators around an operation."""

import subprocess
import sys
from collections.abc import AsyncGenerator, Generator
from typing import Any

import pytest

from instrument import Bus, Decision, HookDenied
from instrument.delivery import describe
from instrument.testing import capture_hook


@pytest.mark.parametrize("is_async", [False, True])
async def test_a_wrapper_sees_both_ends_of_each_operation(bus: Bus, is_async: bool) -> None:
    seen: list[Any] = []

    def wrapper(**before: Any) -> Generator[None, Any, None]:
        after = yield
        seen.append((before["args"], after.get("result"), after.get("exc")))

    async def wrapper_later(**before: Any) -> AsyncGenerator[None, Any]:
        after = yield
        seen.append((before["args"], after.get("result"), after.get("exc")))

    bus.around("tool_call", wrapper_later if is_async else wrapper)

    async with bus.operation("tool_call", args=1) as outer:
        assert await bus.call("tool_call", lambda op: op.args + 1, args=2) == 3
        outer.result = "x"
    error = LookupError()
    with pytest.raises(LookupError), bus.operation("tool_call", args=4):
        raise error

    assert seen == [(2, 3, None), (1, "x", None), (4, None, error)]


@pytest.mark.parametrize("is_async", [False, True])
async def test_a_wrapper_decides_before_and_after(bus: Bus, is_async: bool) -> None:
    def wrapper(args: Any, **_: Any) -> Generator[Any, Any, Any]:
        after = yield Decision.modify({"n": args["n"] + 1})
        return Decision.modify(after["result"] * 10)

    async def wrapper_later(args: Any, **_: Any) -> AsyncGenerator[Any, Any]:
        after = yield Decision.modify({"n": args["n"] + 1})
        yield Decision.modify(after["result"] * 10)

    bus.around("tool_call", wrapper_later if is_async else wrapper)

    assert await bus.call("tool_call", lambda op: op.args["n"], args={"n": 1}) == 20
    assert bus.call_sync("tool_call", lambda op: op.args["n"], args={"n": 1}) == 20


@pytest.mark.parametrize("is_async", [False, True])
async def test_what_a_wrapper_yields_afterwards_counts_and_ends_it(
    bus: Bus, is_async: bool
) -> None:
    references: list[Any] = []  # so that it is not closed by the collector
    ends: list[str] = []

    def wrapper(**_: Any) -> Generator[Any, Any, None]:
        try:
            after = yield
            yield Decision.modify(after["result"] * 10)
        finally:
            ends.append("closed")

    async def wrapper_later(**_: Any) -> AsyncGenerator[Any, Any]:
        try:
            after = yield
            yield Decision.modify(after["result"] * 10)
        finally:
            ends.append("closed")

    def begin(**before: Any) -> Any:
        references.append(wrapper_later(**before) if is_async else wrapper(**before))
        return references[-1]

    bus.around("tool_call", begin)

    assert await bus.call("tool_call", lambda _: 4) == 40
    assert ends == ["closed"]


async def test_who_came_first_is_resumed_last(bus: Bus) -> None:
    steps: list[str] = []

    def wrapper(name: str) -> Any:
        def wrap(**_: Any) -> Generator[None, Any, Any]:
            steps.append(f"{name} in")
            yield
            steps.append(f"{name} out")
            yield  # what is left after it does not matter

        return wrap

    bus.around("tool_call", wrapper("a"))
    bus.around("tool_call", wrapper("b"))
    await bus.call("tool_call", lambda _: None)

    assert steps == ["a in", "b in", "b out", "a out"]


async def test_a_wrapper_is_resumed_also_when_another_keeps_the_body_from_running(
    bus: Bus,
) -> None:
    seen: list[Any] = []

    def wrapper(**_: Any) -> Generator[None, Any, None]:
        after = yield
        seen.append(type(after["exc"]))

    bus.around("tool_call", wrapper)
    off = bus.intercept("before_tool_call", lambda **_: Decision.deny("no"), priority=1)
    with pytest.raises(HookDenied):
        await bus.call("tool_call", lambda _: None)
    off()
    bus.intercept("before_tool_call", lambda **_: Decision.deny("no"), priority=-1)
    with pytest.raises(HookDenied):
        await bus.call("tool_call", lambda _: None)

    assert seen == [HookDenied]


async def test_a_wrapper_that_has_not_begun_is_not_resumed(bus: Bus) -> None:
    begun: list[Any] = []

    def wrapper(**_: Any) -> Generator[None, Any, None]:
        begun.append(1)
        yield

    async with bus.operation("tool_call") as op:
        off = bus.around("tool_call", wrapper)
        op.result = "came too late for it"
    assert begun == []
    off()

    bus.intercept("before_tool_call", lambda **_: Decision.deny("first"))
    bus.around("tool_call", wrapper)
    with capture_hook("hook_failed", bus=bus) as failures, pytest.raises(HookDenied):
        await bus.call("tool_call", lambda _: None)
    assert (begun, failures) == ([], [])


async def test_off_removes_both_ends(bus: Bus) -> None:
    def wrapper(**_: Any) -> Generator[Any, Any, None]:
        yield Decision.deny("no")

    off = bus.around("tool_call", wrapper)
    with pytest.raises(HookDenied):
        await bus.call("tool_call", lambda _: None)
    off()
    off()

    assert bus._hooks == {}


async def test_a_wrapper_that_does_not_yield_is_reported(bus: Bus) -> None:
    bus.around("tool_call", lambda **_: None)  # type: ignore[arg-type] # that is the point

    with pytest.raises(TypeError, match="it has no `yield`"):
        await bus.call("tool_call", lambda _: None)
    with pytest.raises(TypeError, match="not callable"):
        bus.around("tool_call", None)  # type: ignore[arg-type] # that is the point


async def test_a_wrapper_of_an_event_that_is_no_operation_is_not_retained(bus: Bus) -> None:
    closed: list[bool] = []

    def wrapper(**_: Any) -> Generator[Any, Any, None]:
        try:
            yield
        finally:
            closed.append(True)

    bus.around("tool_call", wrapper)
    await bus.dispatch("before_tool_call")

    assert closed == [True]


async def test_the_trail_names_the_wrapper_at_both_ends(bus: Bus) -> None:
    def wrapper(**_: Any) -> Generator[Any, Any, None]:
        yield Decision.modify(tag=1)
        yield Decision.modify("v")

    bus.around("tool_call", wrapper)
    with capture_hook("hook_decided", bus=bus) as decided:
        await bus.call("tool_call", lambda _: None)

    assert [kwargs["interceptor"] for _, kwargs in decided] == [describe(wrapper)] * 2


def test_wrapping_an_operation_leaves_the_public_function_alone() -> None:
    # Python sets a module that is imported late on its package, over what has its name.
    program = "import instrument\nfor _ in range(2): instrument.around('tool_call', print)"

    subprocess.run([sys.executable, "-c", program], check=True)
