"""Handlers, their results, and what they add up to."""

import asyncio
from datetime import datetime, timedelta
from typing import Any

import pytest

from instrument import ApprovalAnswer, Bus, Decision, HookDenied
from instrument.control import HookHandler, HookRegistry, HookResult
from instrument.testing import EventRecorder, TestCoordinator, capture_hook
from tests.unit.instrument.conftest import NEVER, Person


@pytest.fixture
def registry(bus: Bus) -> HookRegistry:
    return HookRegistry(bus)


def saying(result: Any) -> Any:
    async def handler(event: str, data: dict[str, Any]) -> Any:
        return result

    return handler


DENY = HookResult(action="deny", reason="Access denied")
ASK = HookResult(action="ask_user", approval_prompt="Really?", approval_default="deny")
INJECT = HookResult(action="inject_context", context_injection="lint", user_message="Linted")
TOOL = {"tool_name": "write_file", "tool_input": {"file_path": "/etc/passwd"}}


async def test_a_handler_takes_event_and_data(registry: HookRegistry) -> None:
    seen: list[Any] = []

    class Handler:
        async def __call__(self, event: str, data: dict[str, Any]) -> HookResult:
            seen.append((event, data["tool_name"], data["tool_input"]))
            return HookResult()

    assert isinstance(Handler(), HookHandler)
    assert not isinstance(object(), HookHandler)
    registry.register("tool:pre", Handler())

    result = await registry.emit("tool:pre", TOOL)

    assert seen == [("tool:pre", "write_file", {"file_path": "/etc/passwd"})]
    assert result == HookResult(data=TOOL)


async def test_lower_priority_runs_earlier_and_equals_in_order_of_registration(
    registry: HookRegistry,
) -> None:
    order: list[str] = []
    for name, priority in (("late", 90), ("early", 10), ("later", 90), ("first", 0)):

        async def handler(event: str, data: dict[str, Any], name: str = name) -> HookResult:
            order.append(name)
            return HookResult()

        registry.register("tool:pre", handler, priority=priority, name=name)

    await registry.emit("tool:pre", {})

    assert order == ["first", "early", "late", "later"]


async def test_unregister_removes_that_handler(registry: HookRegistry) -> None:
    deny, other = saying(DENY), saying(DENY)
    first = registry.register("tool:post", deny, name="same")
    registry.register("tool:post", other, name="same")

    first()
    first()

    assert registry.handlers["tool:post"] == [other]


async def test_handlers_can_be_looked_at(registry: HookRegistry, bus: Bus) -> None:
    one, two = saying(None), saying(None)
    registry.register("tool:post", two, priority=20)
    registry.register("tool:post", one, priority=10)
    registry.on("my-hook:debug", one)
    HookRegistry(bus).register("tool:post", saying(None))
    bus.intercept("after_tool_call", lambda **_: None)

    assert registry.handlers["tool:post"] == [one, two]
    assert registry.handlers["my-hook:debug"] == [one]
    assert len(registry.handlers["tool:pre"]) == 0


def test_going_on_is_the_default() -> None:
    assert HookResult().action == "continue"


async def test_a_deny_blocks_with_its_reason_and_later_handlers_do_not_run(
    registry: HookRegistry,
) -> None:
    registry.register("tool:pre", saying(DENY))
    registry.register("tool:pre", recorder := EventRecorder())

    result = await registry.emit("tool:pre", TOOL)

    assert (result.action, result.reason, result.data) == ("deny", "Access denied", None)
    assert recorder.get_events() == []


async def test_modifications_chain_and_end_as_continue(
    registry: HookRegistry,
) -> None:
    async def add_one(event: str, data: dict[str, Any]) -> HookResult:
        data["tool_input"]["n"] = data["tool_input"].get("n", 0) + 1
        return HookResult(action="modify", data=data)

    registry.register("tool:pre", add_one)
    registry.register("tool:pre", saying(HookResult(data={"tool_name": "not chained"})))
    registry.register("tool:pre", add_one)

    result = await registry.emit("tool:pre", TOOL)

    assert result.action == "continue"
    assert result.data == {
        "tool_name": "write_file",
        "tool_input": {"file_path": "/etc/passwd", "n": 2},
    }
    assert TOOL["tool_input"] == {"file_path": "/etc/passwd"}


async def test_what_a_handler_writes_without_modify_stays_with_it(registry: HookRegistry) -> None:
    async def scribble(event: str, data: dict[str, Any]) -> HookResult:
        data["tool_input"]["file_path"] = "/tmp"
        data["extra"] = 1
        return HookResult()

    registry.register("tool:pre", scribble)

    assert (await registry.emit("tool:pre", TOOL)).data == TOOL


async def test_injections_are_joined_and_also_separate(
    registry: HookRegistry,
) -> None:
    registry.register("tool:post", saying(INJECT))
    second = HookResult(
        action="inject_context",
        context_injection="types",
        context_injection_role="user",
        ephemeral=True,
        suppress_output=True,
        append_to_last_tool_result=True,
        user_message="Typed",
    )
    registry.register("tool:post", saying(second))

    result = await registry.emit("tool:post", {})

    assert result.action == "inject_context"
    assert result.context_injection == "lint\n\ntypes"
    first_flags = (result.context_injection_role, result.ephemeral, result.suppress_output)
    assert first_flags == ("system", False, False)
    assert result.append_to_last_tool_result
    assert [(entry.text, entry.role) for entry in result.context_injections] == [
        ("lint", "system"),
        ("types", "user"),
    ]
    assert [entry.is_ephemeral for entry in result.context_injections] == [False, True]
    assert result.user_message == "Linted\nTyped"


async def test_joined_injections_have_role_and_flags_of_the_first(
    registry: HookRegistry,
) -> None:
    first = HookResult(
        action="inject_context",
        context_injection="types",
        context_injection_role="user",
        ephemeral=True,
        suppress_output=True,
    )
    registry.register("tool:post", saying(first))
    registry.register("tool:post", saying(INJECT))

    result = await registry.emit("tool:post", {})

    assert result.context_injection == "types\n\nlint"
    assert (result.context_injection_role, result.ephemeral) == ("user", True)
    assert (result.suppress_output, result.append_to_last_tool_result) == (True, False)


async def test_a_question_carries_its_prompt_and_default(registry: HookRegistry) -> None:
    registry.register("tool:pre", saying(ASK))
    registry.register("tool:pre", saying(HookResult(action="ask_user", approval_prompt="second?")))

    result = await registry.emit("tool:pre", TOOL)

    assert (result.action, result.approval_prompt) == ("ask_user", "Really?")
    assert (result.approval_default, result.approval_options) == ("deny", ["Allow", "Deny"])
    assert (result.approval_timeout, result.data) == (300.0, TOOL)


MODIFY = HookResult(action="modify", data={"tool_name": "safe"})
RANKED = [DENY, ASK, INJECT, MODIFY, HookResult()]


@pytest.mark.parametrize("is_reversed", [False, True])
@pytest.mark.parametrize("strongest", range(5))
async def test_the_strongest_action_wins_whoever_ran_first(
    registry: HookRegistry, strongest: int, is_reversed: bool
) -> None:
    results = RANKED[strongest:]
    for result in reversed(results) if is_reversed else results:
        registry.register("tool:pre", saying(result))

    result = await registry.emit("tool:pre", TOOL)

    expected = RANKED[strongest].action
    assert result.action == ("continue" if expected == "modify" else expected)
    if expected != "deny":
        assert result.data is not None
        assert result.data["tool_name"] == ("safe" if strongest < 4 else "write_file")


async def test_a_handler_that_raises_is_passed_over(
    registry: HookRegistry, caplog: pytest.LogCaptureFixture
) -> None:
    async def broken(event: str, data: dict[str, Any]) -> HookResult:
        raise ValueError("a bug")

    registry.register("tool:pre", broken)
    registry.register("tool:pre", recorder := EventRecorder())

    assert (await registry.emit("tool:pre", TOOL)).action == "continue"
    assert len(recorder.get_events("tool:pre")) == 1
    assert "a bug" in caplog.text


@pytest.mark.parametrize(
    "returned",
    [
        "deny",
        object(),
        True,
        {"action": "bogus"},
        {"decision": "deny"},
        HookResult(action="stop"),  # type: ignore[arg-type] # that is the point
        HookResult(action="retry"),  # type: ignore[arg-type] # that is the point
        HookResult(action=["deny"]),  # type: ignore[arg-type] # that is the point
        HookResult(action="modify", data="text"),  # type: ignore[arg-type] # that is the point
        HookResult(action="modify", data={"tool_input": "text"}),
        HookResult(action="inject_context"),
        HookResult(action="ask_user"),
    ],
)
async def test_an_invalid_result_denies(registry: HookRegistry, returned: Any) -> None:
    registry.register("tool:pre", saying(returned))
    registry.register("tool:pre", recorder := EventRecorder())

    result = await registry.emit("tool:pre", TOOL)

    assert (result.action, result.data) == ("deny", None)
    assert result.reason
    assert recorder.get_events() == []


async def test_nothing_is_a_way_of_going_on(registry: HookRegistry) -> None:
    registry.register("tool:pre", saying(None))

    assert (await registry.emit("tool:pre")).action == "continue"


@pytest.mark.parametrize(
    ("event", "noun", "kwargs", "fields"),
    [
        ("execution:start", "agent_call", {"prompt": "hi"}, {"prompt": "hi"}),
        ("execution:end", "agent_call", {}, {"response": "done"}),
        ("tool:pre", "tool_call", {"tool_name": "t", "args": {"a": 1}}, {"tool_input": {"a": 1}}),
        ("tool:post", "tool_call", {"tool_name": "t"}, {"tool_name": "t", "tool_result": "done"}),
        (
            "provider:request",
            "llm_generate",
            {"prompt": ["m"], "provider": "p"},
            {"messages": ["m"], "provider": "p"},
        ),
        (
            "provider:response",
            "llm_generate",
            {"provider": "p"},
            {"response": "done", "usage": None},
        ),
    ],
)
async def test_the_events_come_from_operations_with_their_fields(
    registry: HookRegistry, bus: Bus, event: str, noun: str, kwargs: Any, fields: dict[str, Any]
) -> None:
    registry.register(event, recorder := EventRecorder())

    await bus.call(noun, lambda _: "done", **kwargs)

    ((name, data),) = recorder.get_events()
    assert name == event
    assert data.items() >= fields.items()


class Model:
    provider = "acme"


class Broken:
    @property
    def provider(self) -> str:
        raise RuntimeError


@pytest.mark.parametrize(
    ("llm", "provider"),
    [(Model(), "acme"), ({"provider": "acme"}, "acme"), (None, None), (Broken(), None)],
)
async def test_data_always_has_what_the_event_promises(
    registry: HookRegistry, bus: Bus, llm: Any, provider: str | None
) -> None:
    seen: dict[str, dict[str, Any]] = {}

    async def handler(event: str, data: dict[str, Any]) -> HookResult:
        seen[event] = data
        return HookResult()

    for event in PROMISED:
        registry.register(event, handler)
    for noun in ("agent_call", "tool_call"):
        await bus.call(noun, lambda _: "done")
    with pytest.raises(OSError, match="down"), bus.operation("tool_call"):
        raise OSError("down")
    await bus.call("llm_generate", lambda _: "done", llm=llm)
    await bus.dispatch("prompt_submitted")

    assert {event: set(data) & PROMISED[event] for event, data in seen.items()} == PROMISED
    assert seen["provider:request"]["provider"] == seen["provider:response"]["provider"] == provider


PROMISED = {
    "execution:start": {"prompt"},
    "execution:end": {"response"},
    "prompt:submit": {"prompt"},
    "tool:pre": {"tool_name", "tool_input"},
    "tool:post": {"tool_name", "tool_result"},
    "tool:error": {"tool_name", "error"},
    "provider:request": {"provider", "messages"},
    "provider:response": {"provider", "response", "usage"},
}


async def test_a_failed_tool_has_an_error_and_an_end(registry: HookRegistry, bus: Bus) -> None:
    registry.register("tool:error", errors := EventRecorder())
    registry.register("tool:post", ends := EventRecorder())
    error = OSError("down")

    with pytest.raises(OSError, match="down"), bus.operation("tool_call", tool_name="t"):
        raise error

    assert [data["error"] for _, data in errors.get_events()] == [error]
    assert [data["error"] for _, data in ends.get_events()] == [error]


async def test_an_emitted_event_reaches_its_own_handlers_only(registry: HookRegistry) -> None:
    registry.register("tool:error", errors := EventRecorder())
    registry.register("tool:post", ends := EventRecorder())

    await registry.emit("tool:error", {"tool_name": "t", "error": "down"})
    await registry.emit("tool:post", {"tool_name": "t", "tool_result": 1})
    await registry.emit("tool:post", {"tool_name": "t", "error": "down"})

    assert (len(errors.get_events()), len(ends.get_events())) == (1, 2)


async def test_the_prompt_of_the_user_is_an_event(registry: HookRegistry, bus: Bus) -> None:
    registry.register("prompt:submit", saying(HookResult("modify", data={"prompt": "[redacted]"})))

    outcome = await bus.dispatch("prompt_submitted", prompt="my key is …", context=None)

    assert outcome.data["prompt"] == "[redacted]"


async def test_a_handler_can_emit_an_event_of_its_own(registry: HookRegistry, bus: Bus) -> None:
    async def handler(event: str, data: dict[str, Any]) -> HookResult:
        await data["hooks"].emit("my-hook:debug", {"event": event, "name": "x", "self": 1})
        return HookResult(action="modify", data={**data, "seen": True})

    registry.register("tool:pre", handler)
    registry.register("my-hook:debug", recorder := EventRecorder())

    with capture_hook("before_tool_call", bus=bus) as calls:
        result = await registry.emit("tool:pre", TOOL)

    assert recorder.get_events() == [
        ("my-hook:debug", {"event": "tool:pre", "name": "x", "self": 1})
    ]
    assert result.data == {**TOOL, "seen": True}
    assert "hooks" not in calls[0][1]


async def test_a_handler_that_emits_its_own_event_for_ever_is_stopped(
    registry: HookRegistry,
) -> None:
    depth = 0

    async def again(event: str, data: dict[str, Any]) -> HookResult:
        nonlocal depth
        depth += 1
        await data["hooks"].emit(event, {})
        return HookResult()

    registry.register("my:event", again)

    async with asyncio.timeout(5):
        await registry.emit("my:event", {})
    assert depth == 8


async def test_an_event_that_is_heard_has_a_time_that_its_emitter_cannot_set(
    registry: HookRegistry,
) -> None:
    unheard = await registry.emit("tool:pre", TOOL)
    seen: list[str] = []
    registry.register("tool:pre", lambda event, data: seen.append(data["timestamp"]))

    await registry.emit("tool:pre", {**TOOL, "timestamp": "yesterday"})

    assert unheard.data == TOOL
    assert datetime.fromisoformat(seen[0]).utcoffset() == timedelta(0)


async def test_sync_handlers_and_plain_dicts_are_accepted(registry: HookRegistry) -> None:
    registry.register("tool:pre", lambda event, data: {"action": "deny", "reason": "plain"})

    assert (await registry.emit("tool:pre", TOOL)).reason == "plain"


async def test_a_verdict_of_another_vocabulary_reads_as_a_deny(
    registry: HookRegistry, bus: Bus
) -> None:
    bus.intercept("provider:x", lambda **_: Decision.fail("out of budget"))

    result = await registry.emit("provider:x")

    assert (result.action, result.reason) == ("deny", "out of budget")


async def test_observers_hear_the_final_event(registry: HookRegistry, bus: Bus) -> None:
    registry.register("tool:pre", saying(DENY))

    with capture_hook("before_tool_call", bus=bus) as calls:
        await registry.emit("tool:pre", TOOL)

    assert calls == [((), {"tool_name": "write_file", "args": {"file_path": "/etc/passwd"}})]


async def test_a_handler_decides_on_operations(registry: HookRegistry, bus: Bus) -> None:
    registry.register("tool:pre", saying(DENY))

    with pytest.raises(HookDenied, match="Access denied"):
        await bus.call("tool_call", lambda _: pytest.fail("ran"), tool_name="rm")


@pytest.mark.parametrize(
    ("event", "handler", "message"),
    [("tool:pre", None, "not callable"), ("", print, "such as 'tool:pre'"), (7, print, "not 7")],
)
def test_a_bad_registration_says_what_is_wrong(
    registry: HookRegistry, event: Any, handler: Any, message: str
) -> None:
    with pytest.raises(TypeError, match=message):
        registry.register(event, handler)


@pytest.mark.parametrize(
    ("answer", "default", "action", "reason"),
    [
        ("Allow", "deny", "continue", None),
        ("allow always", "deny", "continue", None),
        ("Yes", "allow", "deny", "User denied: Yes"),
        (ApprovalAnswer("deny", "no"), "allow", "deny", "no"),
        (NEVER, "deny", "deny", "nobody answered within 0.01 s"),
        (NEVER, "allow", "continue", "nobody answered within 0.01 s"),
    ],
)
async def test_a_question_reaches_a_person_and_only_a_yes_grants(
    answer: Any, default: str, action: str, reason: str | None
) -> None:
    coordinator = TestCoordinator()
    coordinator.hooks.bus.set_approval_provider(Person(answer))
    ask = HookResult(
        "ask_user",
        approval_prompt="?",
        approval_timeout=0.01 if answer is NEVER else 5,
        approval_default=default,
    )

    async with asyncio.timeout(5):
        result = await coordinator.process_hook_result(ask, "tool:pre", "gate")

    assert (result.action, result.reason) == (action, reason)


async def test_with_no_approval_system_a_question_is_denied() -> None:
    coordinator = TestCoordinator()

    result = await coordinator.process_hook_result(ASK, "tool:pre", "gate")

    assert (result.action, result.reason) == ("deny", "No approval system available")
    assert await coordinator.process_hook_result(DENY, "tool:pre") is DENY


async def test_what_is_emitted_on_a_registry_reaches_its_own_handlers_only(bus: Bus) -> None:
    one, other = TestCoordinator(bus).hooks, TestCoordinator(bus).hooks
    heard: list[str] = []
    for name, registry in (("one", one), ("other", other)):

        async def handler(event: str, data: dict[str, Any], name: str = name) -> HookResult:
            heard.append(f"{name} {event}")
            return HookResult()

        for event in ("tool:pre", "my:event"):
            registry.register(event, handler, name=name)

    for event in ("tool:pre", "my:event"):
        await one.emit(event, TOOL)

    assert heard == ["one tool:pre", "one my:event"]
    assert one.list_handlers() == {"tool:pre": ["one"], "my:event": ["one"]}
    assert len(one.handlers["tool:pre"]) == len(other.handlers["tool:pre"]) == 1


async def test_every_registry_and_the_bus_itself_decide_on_operations(bus: Bus) -> None:
    emitting, other = TestCoordinator(bus).hooks, TestCoordinator(bus).hooks
    other.register("tool:pre", saying(DENY))

    assert (await emitting.emit("tool:pre", TOOL)).action == "continue"
    with pytest.raises(HookDenied, match="Access denied"):
        await bus.call("tool_call", lambda _: pytest.fail("ran"), tool_name="t", args={})

    bus.intercept("before_tool_call", lambda **_: Decision.deny("of the bus"))
    assert (await emitting.emit("tool:pre", TOOL)).reason == "of the bus"
