"""Typed events: what may be written, and in which order."""

import asyncio
import contextlib
import gc
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest

from instrument import ApprovalAnswer, Bus, Decision, HookContractError, HookDenied, Operation
from instrument.testing import capture_hook
from instrument.typed import (
    AfterInvocationEvent,
    AfterModelCallEvent,
    AfterModelInvocationEvent,
    AfterToolCallEvent,
    AfterToolInvocationEvent,
    AgentInitializedEvent,
    BeforeInvocationEvent,
    BeforeModelCallEvent,
    BeforeModelInvocationEvent,
    BeforeToolCallEvent,
    BeforeToolInvocationEvent,
    HookEvent,
    HookHost,
    HookProvider,
    HookRegistry,
    MessageAddedEvent,
    ToolUse,
)
from tests.unit.instrument.conftest import Person


@pytest.fixture
def hooks(bus: Bus) -> HookRegistry:
    return HookRegistry(bus)


class Agent(HookHost):
    """An agent, as an author writes one."""

    def __init__(self, name: str = "agent") -> None:
        self.name = name
        self.messages: list[Any] = []

    def __call__(self, prompt: str) -> Any:
        return self.hooks.bus.call_sync("agent_call", self._work, agent=self, messages=prompt)

    def _work(self, op: Operation) -> str:
        bus = self.hooks.bus
        self._add(op.kwargs["messages"])
        answer = bus.call_sync("llm_generate", lambda _: "use a tool", agent=self)
        self._add(answer)
        found = bus.call_sync(
            "tool_call", lambda _: "found", agent=self, tool_name="search", args={"q": 1}
        )
        self._add(found)
        if op.kwargs["messages"] == "fail":
            raise LookupError("nothing")
        return "done"

    def _add(self, message: Any) -> None:
        self.messages.append(message)
        self.hooks.bus.dispatch_sync("message_added", agent=self, message=message)


@pytest.fixture
def agent_class(bus: Bus) -> type[Agent]:
    class Own(Agent):
        hook_bus = bus

    return Own


KINDS = [
    BeforeInvocationEvent,
    AfterInvocationEvent,
    MessageAddedEvent,
    BeforeModelCallEvent,
    AfterModelCallEvent,
    BeforeToolCallEvent,
    AfterToolCallEvent,
]


class Log(HookProvider):
    """Hears everything."""

    def __init__(self) -> None:
        self.events: list[HookEvent] = []

    def register_hooks(self, registry: HookRegistry) -> None:
        for kind in (AgentInitializedEvent, *KINDS):
            registry.add_callback(kind, self.events.append)

    def names(self) -> list[str]:
        return [type(event).__name__ for event in self.events]


def test_several_callbacks_hear_one_type(hooks: HookRegistry, bus: Bus) -> None:
    heard: list[str] = []
    hooks.add_callback(BeforeInvocationEvent, lambda event: heard.append("one"))
    hooks.add_callback(BeforeInvocationEvent, lambda event: heard.append("two"))

    bus.call_sync("agent_call", lambda _: None)

    assert heard == ["one", "two"]


def test_a_provider_is_added_at_once_or_later(agent_class: type[Agent]) -> None:
    at_once, later = Log(), Log()

    agent = agent_class(hooks=[at_once])  # type: ignore[call-arg] # the host takes it
    agent.hooks.add_hook(later)
    agent("hi")

    assert at_once.names() == ["AgentInitializedEvent", *later.names()]
    assert isinstance(later, HookProvider)
    with pytest.raises(TypeError, match="no `register_hooks"):
        agent.hooks.add_hook(object())  # type: ignore[arg-type] # that is the point
    with pytest.raises(TypeError, match="Cannot add the class Log: add an instance"):
        agent.hooks.add_hook(Log)


def test_an_agent_is_initialised_when_its_init_has_ended(bus: Bus) -> None:
    seen: list[Any] = []

    class Provider:
        def register_hooks(self, registry: HookRegistry) -> None:
            registry.add_callback(
                AgentInitializedEvent, lambda event: seen.append(dict(vars(event.agent)))
            )

    class Base(HookHost):
        hook_bus = bus

        def __init__(self) -> None:
            self.a = 1

    class Derived(Base):
        def __init__(self) -> None:
            super().__init__()
            self.b = 2

    @dataclass
    class Data(HookHost):
        hook_bus = bus
        c: int = 3
        d: list[int] = field(default_factory=list)

    Derived(hooks=[Provider()])  # type: ignore[call-arg] # the host takes it
    Data(c=4, hooks=[Provider()])  # type: ignore[call-arg] # the host takes it

    assert [{k: v for k, v in data.items() if k != "hooks"} for data in seen] == [
        {"a": 1, "b": 2},
        {"c": 4, "d": []},
    ]


def test_the_old_names_are_the_same_classes() -> None:
    assert BeforeModelInvocationEvent is BeforeModelCallEvent
    assert AfterModelInvocationEvent is AfterModelCallEvent
    assert BeforeToolInvocationEvent is BeforeToolCallEvent
    assert AfterToolInvocationEvent is AfterToolCallEvent


def test_a_request_reports_its_life_in_order(agent_class: type[Agent]) -> None:
    agent = agent_class()
    agent.hooks.add_hook(log := Log())

    agent("hi")

    assert log.names() == [
        "BeforeInvocationEvent",
        "MessageAddedEvent",
        "BeforeModelCallEvent",
        "AfterModelCallEvent",
        "MessageAddedEvent",
        "BeforeToolCallEvent",
        "AfterToolCallEvent",
        "MessageAddedEvent",
        "AfterInvocationEvent",
    ]


async def test_every_way_of_asking_an_agent_begins_an_invocation(
    hooks: HookRegistry, bus: Bus
) -> None:
    hooks.add_hook(log := Log())

    async def stream() -> Any:
        async with bus.operation("agent_call"):
            yield 1

    bus.call_sync("agent_call", lambda _: "__call__")
    assert [piece async for piece in stream()] == [1]
    await bus.call("agent_call", lambda _: "structured_output")

    assert log.names() == ["BeforeInvocationEvent", "AfterInvocationEvent"] * 3


def test_an_invocation_ends_on_success_and_on_failure(agent_class: type[Agent]) -> None:
    agent = agent_class()
    ends: list[AfterInvocationEvent] = []
    agent.hooks.add_callback(AfterInvocationEvent, ends.append)

    agent("hi")
    with pytest.raises(LookupError):
        agent("fail")

    assert (ends[0].result, ends[0].exception) == ("done", None)
    assert isinstance(ends[1].exception, LookupError)


@pytest.mark.parametrize(
    ("kind", "is_reversed"), [(kind, kind.__name__.startswith("After")) for kind in KINDS]
)
@pytest.mark.parametrize("prompt", ["hi", "fail"])
def test_after_events_reach_callbacks_in_reverse(
    agent_class: type[Agent], kind: type[HookEvent], is_reversed: bool, prompt: str
) -> None:
    agent = agent_class()
    order: list[str] = []
    for name in "abc":
        agent.hooks.add_callback(kind, _appending(order, name))

    with contextlib.suppress(LookupError):
        agent(prompt)

    assert order[:3] == (["c", "b", "a"] if is_reversed else ["a", "b", "c"])


def _appending(order: list[str], name: str) -> Callable[[HookEvent], None]:
    return lambda event: order.append(name)


def test_reversal_keeps_to_its_own_priority_and_places(hooks: HookRegistry, bus: Bus) -> None:
    order: list[str] = []

    def native(name: str) -> Any:
        return lambda **_: order.append(name)

    hooks.add_callback(AfterToolCallEvent, lambda event: order.append("x"))
    bus.intercept("after_tool_call", native("prio-5"), priority=-5)
    hooks.add_callback(AfterToolCallEvent, lambda event: order.append("y"))
    bus.intercept("after_tool_call", native("native"))
    hooks.add_callback(AfterToolCallEvent, lambda event: order.append("z"))
    bus.intercept("after_tool_call", native("prio10"), priority=10)
    bus.register("after_tool_call", native("observer"))

    bus.call_sync("tool_call", lambda _: None)

    assert order == ["prio-5", "z", "y", "native", "x", "prio10", "observer"]


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        (BeforeToolCallEvent, "agent"),
        (BeforeToolCallEvent, "invocation_state"),
        (AfterToolCallEvent, "tool_use"),
        (AfterToolCallEvent, "something_else"),
        (MessageAddedEvent, "message"),
        (AgentInitializedEvent, "agent"),
    ],
)
def test_properties_are_read_only(kind: type[Any], name: str) -> None:
    event = kind()

    with pytest.raises(AttributeError, match=f"Property {name} of .* is not writable"):
        setattr(event, name, 1)


def test_what_may_be_written_takes_effect(hooks: HookRegistry, bus: Bus) -> None:
    def safer(event: BeforeToolCallEvent) -> None:
        event.selected_tool = "the safe tool"
        event.tool_use["name"] = "safe"
        event.tool_use.input["path"] = "/tmp"

    def polish(event: AfterToolCallEvent) -> None:
        event.result["content"][0]["text"] = f"Result: {event.result['content'][0]['text']}"

    hooks.add_callback(BeforeToolCallEvent, safer)
    hooks.add_callback(AfterToolCallEvent, polish)
    arguments = {"path": "/"}
    ran: list[Any] = []

    def tool(op: Operation) -> Any:
        ran.append((op.kwargs["selected_tool"], op.kwargs["tool_name"], op.args))
        return {"content": [{"text": "4"}]}

    with capture_hook("hook_decided", bus=bus) as decided:
        result = bus.call_sync(
            "tool_call", tool, tool_name="risky", args=arguments, selected_tool="the tool"
        )

    assert ran == [("the safe tool", "safe", {"path": "/tmp"})]
    assert result == {"content": [{"text": "Result: 4"}]}
    assert arguments == {"path": "/"}
    assert [kwargs["action"] for _, kwargs in decided] == ["modify", "modify"]
    assert decided[0][1]["before"] == {
        "selected_tool": "the tool",
        "tool_name": "risky",
        "args": {"path": "/"},
    }


def test_a_tool_use_reads_as_items_and_as_attributes() -> None:
    tool_use = ToolUse(name="calculator", toolUseId="1", input={})

    tool_use.name = "other"

    assert (tool_use["name"], tool_use.toolUseId) == ("other", "1")
    with pytest.raises(AttributeError, match="no missing; known: name, toolUseId, input"):
        _ = tool_use.missing


def test_callbacks_run_inline(hooks: HookRegistry, bus: Bus) -> None:
    steps: list[str] = []
    hooks.add_callback(BeforeToolCallEvent, lambda event: steps.append("before"))
    hooks.add_callback(AfterToolCallEvent, lambda event: steps.append("after"))

    bus.call_sync("tool_call", lambda _: steps.append("tool"))

    assert steps == ["before", "tool", "after"]


def test_every_event_has_its_agent(agent_class: type[Agent]) -> None:
    agent = agent_class("otter")
    agent.hooks.add_hook(log := Log())

    agent("hi")
    agent.hooks.bus.call_sync("tool_call", lambda _: None)  # without one from the emitter

    assert {(event.agent.name, len(event.agent.messages)) for event in log.events} == {("otter", 3)}


def test_agents_do_not_hear_each_other(agent_class: type[Agent]) -> None:
    one, two = agent_class("one"), agent_class("two")
    one.hooks.add_hook(log := Log())

    two("hi")
    assert log.events == []


def test_the_callbacks_of_an_agent_go_with_it(agent_class: type[Agent], bus: Bus) -> None:
    agent = agent_class()
    agent.hooks.add_hook(Log())
    assert bus._hooks

    del agent
    gc.collect()

    assert bus._hooks == {}


def test_a_callback_can_be_removed(hooks: HookRegistry, bus: Bus) -> None:
    off = hooks.add_callback(AfterToolCallEvent, lambda event: None)
    hooks.add_callback(BeforeToolCallEvent, lambda event: None)

    off()
    off()
    assert list(bus._hooks) == ["before_tool_call"]
    hooks.clear()
    assert bus._hooks == {}


# --- beyond the text of the contract ----------------------------------------------------------


def test_exceptions_of_callbacks_propagate(hooks: HookRegistry, bus: Bus) -> None:
    def broken(event: BeforeToolCallEvent) -> None:
        raise LookupError("a bug")

    hooks.add_callback(BeforeToolCallEvent, broken)
    ends: list[AfterToolCallEvent] = []
    hooks.add_callback(AfterToolCallEvent, ends.append)

    with pytest.raises(LookupError, match="a bug"):
        bus.call_sync("tool_call", lambda _: pytest.fail("ran"))

    assert isinstance(ends[0].exception, LookupError)


async def test_async_callbacks_are_awaited(hooks: HookRegistry, bus: Bus) -> None:
    async def gate(event: BeforeToolCallEvent) -> None:
        await asyncio.sleep(0)
        event.cancel_tool = "no"

    hooks.add_callback(BeforeToolCallEvent, gate)

    with pytest.raises(HookDenied, match="no"):
        await bus.call("tool_call", lambda _: pytest.fail("ran"))
    event = await hooks.invoke_callbacks_async(BeforeToolCallEvent(agent=None))
    assert event.cancel_tool == "no"
    with pytest.raises(RuntimeError, match="invoke_callbacks_async"):
        hooks.invoke_callbacks(BeforeToolCallEvent(agent=None))


def test_an_async_callback_cannot_hear_of_an_initialisation(hooks: HookRegistry) -> None:
    async def callback(event: AgentInitializedEvent) -> None:
        """Wait."""

    class Callback:
        async def __call__(self, event: AgentInitializedEvent) -> None:
            """Wait."""

    for wrong in (callback, Callback()):
        with pytest.raises(ValueError, match="Use a plain function"):
            hooks.add_callback(AgentInitializedEvent, wrong)


def test_a_host_brings_its_own_events(hooks: HookRegistry) -> None:
    def change(event: BeforeToolCallEvent) -> None:
        event.tool_use["input"] = {"b": 2}

    def fix(event: AfterToolCallEvent) -> None:
        event.result = f"{event.result} and {event.exception}"
        event.retry = event.exception is not None

    hooks.add_callback(BeforeToolCallEvent, change)
    hooks.add_callback(AfterToolCallEvent, fix)
    hooks.add_callback(AfterInvocationEvent, lambda event: setattr(event, "resume", "go on"))

    before = hooks.invoke_callbacks(
        BeforeToolCallEvent(tool_use=ToolUse(name="t", toolUseId="1", input={"a": 1}))
    )
    after = hooks.invoke_callbacks(AfterToolCallEvent(result="r"))
    failed = hooks.invoke_callbacks(AfterToolCallEvent(exception=OSError("e")))
    ended = hooks.invoke_callbacks(AfterInvocationEvent(result="r"))

    assert before.tool_use == {"name": "t", "toolUseId": "1", "input": {"b": 2}}
    assert after.result == "r and None"
    assert failed.retry
    assert ended.resume == "go on"


@pytest.mark.parametrize(("cancel", "reason"), [("too risky", "too risky"), (True, "cancelled")])
def test_a_tool_and_a_model_can_be_cancelled(
    hooks: HookRegistry, bus: Bus, cancel: Any, reason: str
) -> None:
    hooks.add_callback(BeforeToolCallEvent, lambda event: setattr(event, "cancel_tool", cancel))
    hooks.add_callback(BeforeModelCallEvent, lambda event: setattr(event, "cancel", cancel))
    ends: list[AfterToolCallEvent] = []
    hooks.add_callback(AfterToolCallEvent, ends.append)

    for noun in ("tool_call", "llm_generate"):
        with pytest.raises(HookDenied, match=reason):
            bus.call_sync(noun, lambda _: pytest.fail("ran"))
    assert reason in str(ends[0].cancel_message)


@pytest.mark.parametrize(
    ("noun", "kind"), [("tool_call", AfterToolCallEvent), ("llm_generate", AfterModelCallEvent)]
)
def test_a_retry_discards_and_calls_again(
    hooks: HookRegistry, bus: Bus, noun: str, kind: Any
) -> None:
    results: list[Any] = [OSError("down"), "bad", "good"]

    def retry(event: Any) -> None:
        value = event.result if kind is AfterToolCallEvent else event.response
        event.retry = event.exception is not None or value == "bad"

    def work(op: Operation) -> Any:
        result = results.pop(0)
        if isinstance(result, Exception):
            raise result
        return result

    hooks.add_callback(kind, retry)

    assert bus.call_sync(noun, work) == "good"


def test_an_invocation_can_be_resumed_and_its_messages_replaced(
    hooks: HookRegistry, bus: Bus
) -> None:
    def redact(event: BeforeInvocationEvent) -> None:
        event.messages = [message.upper() for message in event.messages]

    def resume(event: AfterInvocationEvent) -> None:
        if event.result is None:
            event.resume = ["the rest"]

    hooks.add_callback(BeforeInvocationEvent, redact)
    hooks.add_callback(AfterInvocationEvent, resume)
    inputs: list[Any] = []

    def agent(op: Operation) -> Any:
        inputs.append((op.kwargs["messages"], op.kwargs.get("resume")))
        return op.kwargs.get("resume")

    assert bus.call_sync("agent_call", agent, messages=["hi"]) == ["the rest"]
    assert inputs == [(["HI"], None), (["THE REST"], ["the rest"])]


@pytest.mark.parametrize("is_async", [False, True])
async def test_a_callback_can_wait_for_a_person(
    hooks: HookRegistry, bus: Bus, is_async: bool
) -> None:
    answers: list[Any] = []

    def gate(event: BeforeToolCallEvent) -> None:
        first = event.interrupt("confirm", reason="Delete all?")
        second = event.interrupt("how many")
        third = event.interrupt("known", response="already")
        answers.append((first, second, third))
        event.tool_use["input"] = {"n": second}

    async def gate_later(event: BeforeToolCallEvent) -> None:
        gate(event)

    hooks.add_callback(BeforeToolCallEvent, gate_later if is_async else gate)
    bus.set_approval_provider(person := Person("allow", ApprovalAnswer("answer", payload=7)))

    assert await bus.call("tool_call", lambda op: op.args, args={}) == {"n": 7}
    assert answers == [("allow", 7, "already")]
    assert person.prompts == ["Delete all?", "how many"]


async def test_a_person_who_declines_denies(hooks: HookRegistry, bus: Bus) -> None:
    def gate(event: BeforeToolCallEvent) -> None:
        event.interrupt("confirm")

    hooks.add_callback(BeforeToolCallEvent, gate)
    with pytest.raises(HookDenied, match="no approval provider"):
        await bus.call("tool_call", lambda _: pytest.fail("ran"))
    bus.set_approval_provider(Person(ApprovalAnswer("decline", "busy")))
    with pytest.raises(HookDenied, match="busy"):
        await bus.call("tool_call", lambda _: pytest.fail("ran"))


def test_the_name_of_an_interrupt_is_used_once(hooks: HookRegistry, bus: Bus) -> None:
    def gate(event: BeforeToolCallEvent) -> None:
        event.interrupt("same", response=1)
        event.interrupt("same", response=2)

    hooks.add_callback(BeforeToolCallEvent, gate)

    with pytest.raises(ValueError, match="already interrupted as 'same'"):
        bus.call_sync("tool_call", lambda _: pytest.fail("ran"))


@pytest.mark.parametrize(
    ("kind", "callback", "message"),
    [
        (str, print, "it is not an event. Events: AfterInvocationEvent, "),
        (HookEvent, print, "it is not an event"),
        (BeforeToolCallEvent, 7, "not callable"),
    ],
)
def test_a_bad_callback_says_what_is_wrong(
    hooks: HookRegistry, kind: Any, callback: Any, message: str
) -> None:
    with pytest.raises(TypeError, match=message):
        hooks.add_callback(kind, callback)


def test_a_write_of_the_wrong_type_is_refused(hooks: HookRegistry, bus: Bus) -> None:
    def wrong(event: BeforeToolCallEvent) -> None:
        event.tool_use["input"] = "text"

    hooks.add_callback(BeforeToolCallEvent, wrong)

    with pytest.raises(HookContractError, match="wrong args"):
        bus.call_sync("tool_call", lambda _: pytest.fail("ran"), args={})


def test_a_native_decision_is_seen_by_callbacks(hooks: HookRegistry, bus: Bus) -> None:
    bus.intercept("before_tool_call", lambda **_: Decision.modify({"a": 2}), priority=-1)
    seen: list[BeforeToolCallEvent] = []
    hooks.add_callback(BeforeToolCallEvent, seen.append)

    bus.call_sync("tool_call", lambda _: None, args={"a": 1})

    assert seen[0].tool_use.input == {"a": 2}


@pytest.mark.parametrize("is_async", [True, False])
async def test_what_a_host_brings_to_its_registry_reaches_that_registry_only(
    bus: Bus, is_async: bool
) -> None:
    one, other = HookRegistry(bus), HookRegistry(bus)
    heard: list[str] = []
    one.add_callback(MessageAddedEvent, lambda _: heard.append("one"))
    other.add_callback(MessageAddedEvent, lambda _: heard.append("other"))
    event = MessageAddedEvent(agent=None, message={})

    if is_async:
        await one.invoke_callbacks_async(event)
    else:
        one.invoke_callbacks(event)

    assert heard == ["one"]
    await bus.dispatch("message_added", message={})
    assert heard == ["one", "one", "other"]
