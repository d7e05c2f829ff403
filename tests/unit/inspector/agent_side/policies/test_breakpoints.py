"""Breakpoints and step mode."""

from __future__ import annotations

import pytest

from instrument import Bus, HookDenied
from tests.unit.inspector.agent_side.policies.conftest import Enforce, Person
from tests.unit.inspector.agent_side.policies.test_budgets import think, use


async def test_a_breakpoint_stops_before_what_it_names(bus: Bus, enforce: Enforce) -> None:
    enforce('[[breakpoints]]\nname = "dangerous"\ntools = ["delete_*"]')
    bus.set_approval_provider(person := Person("allow", "deny"))
    await use(bus, "read")
    await use(bus, "delete_file")
    with pytest.raises(HookDenied):
        await use(bus, "delete_file")
    assert [(one.kind, one.interceptor) for one in person.requests] == [
        ("breakpoint", "breakpoint:dangerous")
    ] * 2
    assert person.prompts[0] == "Stopped before delete_file (dangerous). Continue?"
    assert person.requests[0].timeout_s == 3600


async def test_step_mode_stops_before_tools_and_models(bus: Bus, enforce: Enforce) -> None:
    off = enforce("step = true")
    bus.set_approval_provider(person := Person("allow"))
    async with bus.operation("agent_call", agent="a"):
        await think(bus)
        await use(bus, "read")
    assert [(one.kind, one.hook) for one in person.requests] == [
        ("breakpoint", "before_llm_generate"),
        ("breakpoint", "before_tool_call"),
    ]
    off()
    await think(bus)
    assert len(person.requests) == 2


async def test_step_mode_stops_at_the_configured_events(bus: Bus, enforce: Enforce) -> None:
    enforce('step = ["before_agent_call"]')
    bus.set_approval_provider(person := Person("allow"))
    async with bus.operation("agent_call", agent="a"):
        await use(bus, "read")
    assert [one.hook for one in person.requests] == ["before_agent_call"]


async def test_an_approval_at_a_breakpoint_is_an_approval(bus: Bus, enforce: Enforce) -> None:
    enforce('step = true\n[[policies]]\nname = "p"\naction = "ask"\nprompt = "May it?"')
    bus.set_approval_provider(person := Person("allow"))
    await use(bus, "read")
    (request,) = person.requests
    assert (request.kind, request.interceptor) == ("approval", "policy:p + breakpoint:step")
    assert request.prompt == "May it?\nStep: continue?"
    assert request.timeout_s == 300


async def test_a_denied_call_does_not_stop_first(bus: Bus, enforce: Enforce) -> None:
    enforce('step = true\n[[policies]]\naction = "deny"')
    bus.set_approval_provider(person := Person("allow"))
    with pytest.raises(HookDenied, match="denied by policy"):
        await use(bus, "read")
    assert person.requests == []
