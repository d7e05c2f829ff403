from __future__ import annotations

import asyncio

import pytest

from inspector.integrations.open_operations import ForgottenError, OpenOperations
from instrument import Bus, Decision, HookDenied
from tests.integrations.hook_log import HookLog


@pytest.fixture
def bus() -> Bus:
    return Bus()


@pytest.fixture
def hooks(bus: Bus) -> HookLog:
    recorder = HookLog()
    bus.observe_all(recorder)
    return recorder


def test_an_operation_is_below_the_one_named_as_its_parent_from_any_task(
    bus: Bus, hooks: HookLog
) -> None:
    open_ = OpenOperations(bus)

    async def elsewhere() -> None:
        open_.begin("tool", "tool_call", parent="agent", tool_name="t", args={})
        open_.end("tool", 7)

    async def run() -> None:
        open_.begin("agent", "agent_call", agent="a")
        await asyncio.create_task(elsewhere())
        open_.end("agent", "done")

    asyncio.run(run())
    hooks.check_pairs()
    assert hooks.parent_noun(hooks.one("before_tool_call")) == "agent_call"
    assert hooks.one("after_tool_call")["result"] == 7


def test_what_the_framework_forgot_ends_with_what_it_belongs_to(bus: Bus, hooks: HookLog) -> None:
    open_ = OpenOperations(bus)
    open_.begin("agent", "agent_call", agent="a")
    open_.begin("llm", "llm_generate", parent="agent", llm=None, prompt="p")
    open_.end("agent")
    hooks.check_pairs()
    assert isinstance(hooks.one("error_llm_generate")["exc"], ForgottenError)
    assert len(open_) == 0


def test_a_denied_operation_is_not_open(bus: Bus, hooks: HookLog) -> None:
    bus.intercept("before_tool_call", lambda **_: Decision.deny("no"))
    open_ = OpenOperations(bus)
    with pytest.raises(HookDenied):
        open_.begin("tool", "tool_call", tool_name="t", args={})
    assert "tool" not in open_
    hooks.check_pairs()


async def test_an_async_beginning_lets_an_interceptor_await(bus: Bus, hooks: HookLog) -> None:
    async def edit(**_: object) -> Decision:
        await asyncio.sleep(0)
        return Decision.modify({"path": "b"})

    bus.intercept("before_tool_call", edit)
    open_ = OpenOperations(bus)
    operation = await open_.begin_async("tool", "tool_call", tool_name="t", args={"path": "a"})
    open_.end("tool", None)
    assert operation.args == {"path": "b"}
    hooks.check_pairs()


def test_the_oldest_is_closed_when_too_many_are_open(bus: Bus, hooks: HookLog) -> None:
    open_ = OpenOperations(bus, limit=2)
    for key in "abc":
        open_.begin(key, "agent_call", agent=key)
    assert "a" not in open_
    assert len(open_) == 2
    open_.end_all()
    hooks.check_pairs()


def test_an_end_that_nobody_began_is_passed_over(bus: Bus) -> None:
    assert OpenOperations(bus).end("unknown", 5) == 5
