"""A policy applies in every vocabulary of hooks."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from instrument import Bus
from instrument.control import HookRegistry
from instrument.typed import BeforeToolCallEvent
from instrument.typed import HookRegistry as TypedRegistry
from tests.unit.inspector.agent_side.policies.conftest import Enforce

RULES = """
[[policies]]
name = "production"
tools = ["delete_*"]
where = { path = "/prod/*" }
action = "deny"
"""


async def denied_by_control(bus: Bus, tool: str, path: str) -> bool:
    result = await HookRegistry(bus).emit(
        "tool:pre", {"tool_name": tool, "tool_input": {"path": path}}
    )
    assert result.reason in (None, "denied by policy 'production'")
    return result.action == "deny"


async def denied_by_typed(bus: Bus, tool: str, path: str) -> bool:
    tool_use: Any = {"name": tool, "input": {"path": path}, "toolUseId": "1"}
    event = BeforeToolCallEvent(
        agent=None, selected_tool=None, tool_use=tool_use, invocation_state={}
    )
    await TypedRegistry(bus).invoke_callbacks_async(event)
    assert event.cancel_tool in (False, "denied by policy 'production'")
    return bool(event.cancel_tool)


async def denied_by_dispatch(bus: Bus, tool: str, path: str) -> bool:
    return (
        await bus.dispatch("before_tool_call", tool_name=tool, args={"path": path})
    ).action == "deny"


async def denied_by_dispatch_sync(bus: Bus, tool: str, path: str) -> bool:
    return (
        bus.dispatch_sync("before_tool_call", tool_name=tool, args={"path": path}).action == "deny"
    )


@pytest.mark.parametrize(
    "is_denied", [denied_by_control, denied_by_typed, denied_by_dispatch, denied_by_dispatch_sync]
)
async def test_a_policy_applies_in_every_vocabulary(
    bus: Bus, enforce: Enforce, is_denied: Callable[[Bus, str, str], Awaitable[bool]]
) -> None:
    enforce(RULES)
    assert await is_denied(bus, "delete_file", "/prod/a")
    assert not await is_denied(bus, "delete_file", "/dev/a")
    assert not await is_denied(bus, "x", "/prod")


async def test_an_emitter_that_ignores_a_deny_is_logged(
    bus: Bus, enforce: Enforce, caplog: pytest.LogCaptureFixture
) -> None:
    enforce(RULES)
    failed: list[Any] = []
    bus.register("hook_failed", lambda **kwargs: failed.append(kwargs["handler"]))
    await bus._emit("before_tool_call", tool_name="delete_x", args={}, context=None)
    assert failed == ["policies"]
    assert "which ignores decisions" in caplog.text
