"""Guidance and the gate on the bus."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from instrument import Bus, HookDenied
from instrument.guidance import (
    GuidanceValueError,
    HookDefinition,
    HookRegistry,
    SessionStateTracker,
    attach,
    attach_gate,
    create_composer,
    create_content_loader,
)
from instrument.guidance.joining import scope_of
from tests.unit.instrument.conftest import Person

Make = Callable[..., HookDefinition]
Texts = Callable[..., Path]
Join = Callable[..., Callable[[], None]]


@pytest.fixture
def bus() -> Bus:
    return Bus()


@pytest.fixture
def reported() -> list[str]:
    """Messages to `log=` and `notify=`."""
    return []


@pytest.fixture
def join(bus: Bus, registry: HookRegistry, texts: Texts, reported: list[str]) -> Join:
    """Attach the registry to the bus, with some texts."""

    def attached(**options: Any) -> Callable[[], None]:
        loader = create_content_loader(
            base_path=texts(welcome="Hello.", tips="Be brief."),
            log=lambda level, message: reported.append(message),
        )
        composer = create_composer(notify=reported.append, include_rfc2119_reference=False)
        return attach(bus, registry, loader, composer, **options)

    return attached


MOMENTS = [
    ("session", "start", "session_started", {"session_id": "s-1", "metadata": {}}),
    ("session", "end", "session_finished", {"session_id": "s-1", "status": "completed"}),
    ("action", "start", "before_tool_call", {"tool_name": "add", "args": {}}),
    ("action", "end", "after_tool_call", {"tool_name": "add", "args": {}, "result": 3}),
    ("action", "progress", "progress_update", {"operation_id": "o-1", "percent": 50.0}),
    ("action", "cancel", "operation_cancelled", {"operation_id": "o-1"}),
    ("action", "running", "action:running", {"request_id": "r-1"}),
    ("config", "start", "config:start", {}),
]


@pytest.mark.parametrize(("hook_type", "lifecycle", "event", "kwargs"), MOMENTS)
async def test_the_guidance_of_a_moment_is_injected_into_its_event(
    hook_type: str,
    lifecycle: str,
    event: str,
    kwargs: dict[str, Any],
    bus: Bus,
    registry: HookRegistry,
    make: Make,
    join: Join,
) -> None:
    registry.register(make(type=hook_type, lifecycle=lifecycle))
    join()

    for outcome in (await bus.dispatch(event, **kwargs), bus.dispatch_sync(event, **kwargs)):
        assert outcome.is_allowed
        [injection] = outcome.injections
        assert injection.role == "assistant"
        assert injection.text.endswith("### Welcome\n\nHello.")
        assert injection.source == f"guidance {hook_type}:{lifecycle}"
        assert outcome.trail[0].reason == f"my-server:{hook_type}:{lifecycle}:welcome"


async def test_an_operation_gives_its_emitter_the_guidance(
    bus: Bus, registry: HookRegistry, make: Make, join: Join
) -> None:
    registry.register_all(
        [make(type="action"), make(type="action", lifecycle="end", tag="tips", name="Tips")]
    )
    join()

    async with bus.operation("tool_call", tool_name="add", args={}) as op:
        before = [injection.text for injection in op.injections]
        op.result = 3
    after = [injection.text for injection in op.injections]

    assert len(before) == 1
    assert "Hello." in before[0]
    assert "Be brief." in after[1]


async def test_a_moment_without_guidance_decides_nothing(
    bus: Bus, registry: HookRegistry, make: Make, join: Join
) -> None:
    registry.register(make(type="action", request_id="other"))
    join()

    outcome = await bus.dispatch("before_tool_call", tool_name="add", args={})

    assert outcome.injections == []


async def test_guidance_of_one_request_and_session_reaches_those_events_alone(
    bus: Bus, registry: HookRegistry, make: Make, join: Join
) -> None:
    registry.register(
        make(type="action", lifecycle="progress", request_id="abc-123", session_id="s-1")
    )
    join()

    async def guided(operation_id: str, session_id: str) -> bool:
        context = SimpleNamespace(session_id=session_id)
        outcome = await bus.dispatch(
            "progress_update", operation_id=operation_id, percent=1.0, context=context
        )
        return bool(outcome.injections)

    assert await guided("abc-123", "s-1")
    assert not await guided("abc-123", "s-2")
    assert not await guided("def-456", "s-1")


async def test_the_situation_says_which_conditions_are_met(
    bus: Bus, registry: HookRegistry, make: Make, join: Join, reported: list[str]
) -> None:
    registry.register(make(type="action", conditions={"requires_storage": ["memory"]}))
    join(situation=lambda event: {"storage": event["args"]["storage"]})

    for storage, count in (("memory", 1), ("file", 0), ("file", 0)):
        outcome = await bus.dispatch("before_tool_call", tool_name="add", args={"storage": storage})
        assert len(outcome.injections) == count
    assert [notice.partition(":")[0] for notice in reported] == [
        "1 hook was skipped (conditions not met)"
    ]


async def test_a_text_that_stays_missing_is_reported_once_and_used_as_soon_as_it_is_there(
    bus: Bus, registry: HookRegistry, make: Make, join: Join, texts: Texts, reported: list[str]
) -> None:
    registry.register(make(type="action", tag="late"))
    join()

    for _ in range(3):
        assert (await bus.dispatch("before_tool_call", tool_name="add")).injections == []
    texts(late="Better.")
    outcome = await bus.dispatch("before_tool_call", tool_name="add")

    assert len(reported) == 2
    assert reported[0].startswith("Cannot load hook")
    assert reported[1].startswith("1 hook(s) failed to load")
    assert "Better." in outcome.injections[0].text


async def test_guidance_that_fails_does_not_stop_the_agent(
    bus: Bus, registry: HookRegistry, make: Make, join: Join
) -> None:
    registry.register(make(type="action"))
    failed: list[str] = []
    bus.observe("hook_failed", lambda **kwargs: failed.append(kwargs["handler"]))
    join(situation=lambda event: {"storage": 7})

    async with bus.operation("tool_call", tool_name="add", args={}) as op:
        op.result = 3

    assert failed == ["guidance action:start"]


async def test_only_moments_that_have_hooks_are_listened_to_so_that_telling_is_no_mistake(
    bus: Bus, registry: HookRegistry, make: Make, join: Join, caplog: pytest.LogCaptureFixture
) -> None:
    registry.register(make(type="action"))
    join()

    await bus._emit("progress_update", operation_id="o-1", percent=1.0)

    assert caplog.records == []


async def test_moments_can_be_named_for_hooks_that_come_later(
    bus: Bus, registry: HookRegistry, make: Make, join: Join
) -> None:
    join(moments=["action:start"])
    registry.register(make(type="action"))

    assert (await bus.dispatch("before_tool_call", tool_name="add")).injections


@pytest.mark.parametrize("moment", ["action", "action:begin", "tool:start", ""])
def test_a_moment_that_no_hook_can_have_is_refused_and_nothing_is_attached(
    moment: str, bus: Bus, join: Join
) -> None:
    with pytest.raises(GuidanceValueError, match=f"Cannot attach guidance to '{moment}': "):
        join(moments=["action:start", moment])
    assert not bus._hooks


async def test_what_was_detached_injects_no_more(
    bus: Bus, registry: HookRegistry, make: Make, join: Join
) -> None:
    registry.register(make(type="action"))
    off = join()
    off()
    off()

    assert (await bus.dispatch("before_tool_call", tool_name="add")).injections == []
    assert not bus._hooks


async def run_tool(bus: Bus, tool_name: str, **kwargs: Any) -> list[str]:
    """Call a tool as an agent does; return what it did."""
    ran: list[str] = []
    async with bus.operation("tool_call", tool_name=tool_name, args={}, **kwargs) as op:
        ran.append(tool_name)
        op.result = "done"
    return ran


async def test_the_gate_denies_with_the_directive_until_the_session_is_initialised(
    bus: Bus,
) -> None:
    reported: list[str] = []
    attach_gate(bus, SessionStateTracker(), notify=reported.append)

    with pytest.raises(HookDenied, match="You MUST call session_init first") as denied:
        await run_tool(bus, "search")
    await run_tool(bus, "session_init")

    assert denied.value.hook == "before_tool_call"
    assert denied.value.interceptor == "session gate"
    assert reported == ["Session initialized. Ready to work."]
    assert await run_tool(bus, "search") == ["search"]


def test_the_gate_holds_on_the_sync_path(bus: Bus) -> None:
    ran: list[str] = []
    attach_gate(bus, SessionStateTracker())

    with pytest.raises(HookDenied):
        bus.call_sync("tool_call", lambda op: ran.append("search"), tool_name="search", args={})
    bus.call_sync("tool_call", lambda op: None, tool_name="session_init", args={})
    bus.call_sync("tool_call", lambda op: ran.append("search"), tool_name="search", args={})

    assert ran == ["search"]


async def test_a_call_that_failed_or_was_denied_is_not_recorded(bus: Bus) -> None:
    tracker = SessionStateTracker()
    attach_gate(bus, tracker)

    with pytest.raises(ConnectionError):
        async with bus.operation("tool_call", tool_name="session_init", args={}):
            raise ConnectionError
    with pytest.raises(HookDenied):
        await run_tool(bus, "search")

    assert tracker.state == "uninitialized"


async def test_a_gate_of_one_session_leaves_the_others_alone(bus: Bus) -> None:
    attach_gate(bus, SessionStateTracker(session_id="s-1"))
    mine, other = SimpleNamespace(session_id="s-1"), SimpleNamespace(session_id="s-2")

    await run_tool(bus, "session_init", context=other)
    assert await run_tool(bus, "search", context=other) == ["search"]
    with pytest.raises(HookDenied):
        await run_tool(bus, "search", context=mine)
    with pytest.raises(HookDenied):
        await run_tool(bus, "search")  # without a session
    await run_tool(bus, "session_init", context=mine)
    assert await run_tool(bus, "search", context=mine) == ["search"]


async def test_a_gate_that_fails_denies(bus: Bus) -> None:
    class Broken(SessionStateTracker):
        def check_tool_allowed(
            self, tool_name: str, request_id: str | int | None = None
        ) -> str | None:
            raise ConnectionError

    attach_gate(bus, Broken())

    with pytest.raises(HookDenied):
        await run_tool(bus, "session_init")


async def test_a_gate_that_was_detached_denies_no_more(bus: Bus) -> None:
    off = attach_gate(bus, SessionStateTracker())
    off()
    off()

    assert await run_tool(bus, "search") == ["search"]
    assert not bus._hooks


async def test_gate_and_guidance_both_apply_to_one_event(
    bus: Bus, registry: HookRegistry, make: Make, join: Join
) -> None:
    registry.register(make(type="action"))
    join()
    tracker = SessionStateTracker()
    attach_gate(bus, tracker)

    denied = await bus.dispatch("before_tool_call", tool_name="search", args={})
    tracker.record_tool_call("session_init")
    allowed = await bus.dispatch("before_tool_call", tool_name="search", args={})

    assert denied.action == "deny"
    assert allowed.is_allowed
    assert len(allowed.injections) == 1


def test_request_and_session_are_found_on_the_event_or_its_context() -> None:
    class Refusing:
        @property
        def request_id(self) -> str:
            raise ValueError("outside of a request")

    assert scope_of({}) == {}
    assert scope_of({"call_id": "c"}) == {"request_id": "c"}
    assert scope_of({"call_id": "c", "context": {"request_id": 7, "session_id": "s"}}) == {
        "request_id": "7",
        "session_id": "s",
    }
    assert scope_of({"operation_id": "o", "call_id": "c", "session_id": "s"}) == {
        "request_id": "o",
        "session_id": "s",
    }
    assert scope_of({"context": Refusing(), "session_id": object()}) == {}


@pytest.mark.parametrize(("decision", "is_allowed"), [("allow", True), ("deny", False)])
async def test_a_gate_may_ask_a_person_instead(bus: Bus, decision: str, is_allowed: bool) -> None:
    attach_gate(bus, SessionStateTracker(), asks=True)
    bus.set_approval_provider(person := Person(decision))

    outcome = await bus.dispatch("before_tool_call", tool_name="search", args={})

    assert outcome.is_allowed is is_allowed
    (prompt,) = person.prompts
    assert "search" in prompt
    assert "session_init" in prompt
