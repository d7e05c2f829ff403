"""A policy applies in every vocabulary of hooks."""

from __future__ import annotations

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
CALLS = [("delete_file", "/prod/a", True), ("delete_file", "/dev/a", False), ("x", "/prod", False)]


@pytest.mark.parametrize(("tool", "path", "is_denied"), CALLS)
async def test_a_control_agent_is_denied(
    bus: Bus, enforce: Enforce, tool: str, path: str, is_denied: bool
) -> None:
    enforce(RULES)
    event = {"tool_name": tool, "tool_input": {"path": path}}
    result = await HookRegistry(bus).emit("tool:pre", event)
    assert (result.action == "deny") == is_denied
    assert result.reason == ("denied by policy production" if is_denied else None)


@pytest.mark.parametrize(("tool", "path", "is_denied"), CALLS)
async def test_a_typed_agent_is_denied(
    bus: Bus, enforce: Enforce, tool: str, path: str, is_denied: bool
) -> None:
    enforce(RULES)
    tool_use: Any = {"name": tool, "input": {"path": path}, "toolUseId": "1"}
    event = BeforeToolCallEvent(
        agent=None, selected_tool=None, tool_use=tool_use, invocation_state={}
    )
    await TypedRegistry(bus).invoke_callbacks_async(event)
    assert event.cancel_tool == ("denied by policy production" if is_denied else False)


@pytest.mark.parametrize(("tool", "path", "is_denied"), CALLS)
async def test_a_single_event_is_denied(
    bus: Bus, enforce: Enforce, tool: str, path: str, is_denied: bool
) -> None:
    enforce(RULES)
    for outcome in (
        await bus.dispatch("before_tool_call", tool_name=tool, args={"path": path}),
        bus.dispatch_sync("before_tool_call", tool_name=tool, args={"path": path}),
    ):
        assert (outcome.action == "deny") == is_denied


async def test_an_emitter_that_ignores_a_deny_is_logged(
    bus: Bus, enforce: Enforce, caplog: pytest.LogCaptureFixture
) -> None:
    enforce(RULES)
    failed: list[Any] = []
    bus.register("hook_failed", lambda **kwargs: failed.append(kwargs["handler"]))
    await bus._emit("before_tool_call", tool_name="delete_x", args={}, context=None)
    assert failed == ["policies"]
    assert "a deny would not be heeded" in caplog.text
