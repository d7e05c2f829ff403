"""Hook providers as people write them, in all their habits, run as they are."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import pytest

from instrument import Bus
from instrument.typed import (
    AfterInvocationEvent,
    AfterModelCallEvent,
    AfterToolCallEvent,
    AgentInitializedEvent,
    BaseHookEvent,
    BeforeInvocationEvent,
    BeforeModelCallEvent,
    BeforeToolCallEvent,
    HookCallback,
    HookEvent,
    HookHost,
    HookOrder,
    HookProvider,
    HookRegistry,
    MessageAddedEvent,
)


class Agent(HookHost):
    """An agent that calls its prepared tools and then answers `done`."""

    def __init__(self, *tools: tuple[str, dict[str, Any]], model: Any = None) -> None:
        self.name = "worker"
        self.system_prompt = "Work."
        self.messages: list[dict[str, Any]] = []
        self.state: dict[str, Any] = {}
        self.tools = list(tools)
        self.model = model or (lambda: {"message": "done", "stop_reason": "end_turn"})

    async def ask(self, prompt: str, **state: Any) -> Any:
        bus = self.hooks.bus
        fields = {"agent": self, "messages": prompt, "invocation_state": state}
        return await bus.call("agent_call", lambda op: self._work(op, state), **fields)

    async def _work(self, op: Any, state: dict[str, Any]) -> str:
        bus = self.hooks.bus
        await self._say("user", op.kwargs["messages"])
        for number, (name, args) in enumerate(self.tools):
            result = await bus.call(
                "tool_call",
                lambda op: text(f"{op.kwargs['tool_name']} {op.args}"),
                agent=self,
                tool_name=name,
                tool_call_id=f"t{number}",
                args=args,
                invocation_state=state,
            )
            await self._say("tool", result)
        answer = await bus.call("llm_generate", lambda _: self.model(), agent=self)
        await self._say("assistant", answer)
        return answer["message"]

    async def _say(self, role: str, content: Any) -> None:
        message = {"role": role, "content": content}
        self.messages.append(message)
        await self.hooks.bus.dispatch("message_added", agent=self, message=message)


def text(words: str) -> dict[str, Any]:
    return {"status": "success", "content": [{"text": words}]}


@pytest.fixture
def make(bus: Bus) -> Callable[..., Any]:
    class Own(Agent):
        hook_bus = bus

    return Own


# --- limits, arguments, retries -----------------------------------------------------------------


class RetryModel(HookProvider):
    def __init__(self, most: int = 2) -> None:
        self.most = most
        self.count = 0
        self.reasons: list[Any] = []

    def register_hooks(self, registry: HookRegistry, **kwargs: Any) -> None:
        registry.add_callback(BeforeInvocationEvent, lambda event: setattr(self, "count", 0))
        registry.add_callback(AfterModelCallEvent, self.retry)

    async def retry(self, event: AfterModelCallEvent) -> None:
        if event.exception is None:
            assert event.stop_response is not None
            self.reasons.append(event.stop_response.stop_reason)
            return
        if "unavailable" in str(event.exception) and self.count < self.most:
            self.count += 1
            await asyncio.sleep(0)
            event.retry = True


async def test_a_model_that_is_unavailable_for_a_while_is_called_again(
    make: Callable[..., Any],
) -> None:
    answers: list[Any] = [OSError("unavailable"), OSError("unavailable")]

    def model() -> Any:
        if answers:
            raise answers.pop()
        return {"message": "done", "stop_reason": "end_turn"}

    retry = RetryModel()
    agent = make(model=model, hooks=[retry])

    assert await agent.ask("go") == "done"
    assert (retry.count, retry.reasons) == (2, ["end_turn"])
    answers += [OSError("unavailable")] * 3
    with pytest.raises(OSError, match="unavailable"):
        await agent.ask("go")


# --- people, memory, results --------------------------------------------------------------------


class Memory(HookProvider):
    """Reads and writes the agent, which is its to read and write."""

    def __init__(self) -> None:
        self.saved: list[tuple[str, str]] = []

    def register_hooks(self, registry: HookRegistry) -> None:
        registry.add_callback(AgentInitializedEvent, self.on_init)
        registry.add_callback(MessageAddedEvent, self.on_message)
        registry.add_callback(AfterInvocationEvent, self.on_end)

    def on_init(self, event: AgentInitializedEvent) -> None:
        event.agent.system_prompt += " You know: " + ", ".join(q for q, _ in self.saved)

    def on_message(self, event: MessageAddedEvent) -> None:
        last = event.agent.messages[-1]
        assert last is event.message
        if last["role"] == "user":
            last["content"] = f"{last['content']} (remembered)"

    def on_end(self, event: AfterInvocationEvent) -> None:
        messages = event.agent.messages
        question = next(m for m in messages if m["role"] == "user")["content"]
        self.saved.append((question, event.result))


async def test_a_memory_reads_and_writes_the_agent(make: Callable[..., Any]) -> None:
    memory = Memory()
    await make(hooks=[memory]).ask("who?")

    assert memory.saved == [("who? (remembered)", "done")]
    assert make(hooks=[memory]).system_prompt == "Work. You know: who? (remembered)"


class Timer(HookProvider):
    """Keeps what it needs from before to after in the state of the request."""

    def __init__(self, clock: Callable[[], int]) -> None:
        self.clock = clock
        self.took: list[int] = []

    def register_hooks(self, registry: HookRegistry, **kwargs: Any) -> None:
        registry.add_callback(BeforeToolCallEvent, self.before)
        registry.add_callback(AfterToolCallEvent, self.after)

    def before(self, event: BeforeToolCallEvent) -> None:
        event.invocation_state[f"began:{event.tool_use['toolUseId']}"] = self.clock()

    def after(self, event: AfterToolCallEvent) -> None:
        began = event.invocation_state.pop(f"began:{event.tool_use['toolUseId']}")
        self.took.append(self.clock() - began)


async def test_the_state_of_a_request_lasts_from_before_to_after(
    make: Callable[..., Any],
) -> None:
    ticks = iter([1, 5, 10, 12])
    timer = Timer(lambda: next(ticks))

    await make(("a", {}), ("b", {}), hooks=[timer]).ask("go")

    assert timer.took == [4, 2]


async def test_a_request_is_cancelled_before_the_agent_works(make: Callable[..., Any]) -> None:
    def closed(event: BeforeInvocationEvent) -> None:
        event.cancel = "closed for today"

    agent = make(hooks=[closed])

    with pytest.raises(Exception, match="closed for today"):
        await agent.ask("go")
    assert agent.messages == []


# --- ways of adding -----------------------------------------------------------------------------


async def test_callbacks_of_every_kind_are_called_and_awaited(
    make: Callable[..., Any],
) -> None:
    heard: list[str] = []

    class Both(HookProvider):
        def register_hooks(self, registry: HookRegistry, **kwargs: Any) -> None:
            registry.add_hook(Inner())
            registry.add_callback(
                callback=partial(self.note, "partial"), event_type=MessageAddedEvent
            )

        def note(self, how: str, event: Any) -> None:
            heard.append(how)

    class Inner:
        async def __call__(self, event: MessageAddedEvent) -> None:
            await asyncio.sleep(0)
            heard.append("object")

        def register_hooks(self, registry: HookRegistry) -> None:
            registry.add_callback(MessageAddedEvent, self)

    agent = make(hooks=[Both()])
    await agent.ask("go")

    assert heard == ["object", "partial", "object", "partial"]


async def test_a_function_is_a_provider_of_what_it_is_annotated_with(
    make: Callable[..., Any],
) -> None:
    heard: list[str] = []

    def log(event: BeforeModelCallEvent | AfterModelCallEvent) -> None:
        heard.append(type(event).__name__)

    class Checker:
        def check(self, event: MessageAddedEvent) -> None:
            heard.append(event.message["role"])

        async def __call__(self, event: "AfterInvocationEvent") -> None:
            heard.append("end")

    agent = make(hooks=[log, Checker()])
    agent.hooks.add_callback(None, Checker().check)
    agent.hooks.add_callback(
        [BeforeToolCallEvent, BeforeToolCallEvent], lambda _: heard.append("t")
    )
    agent.tools = [("a", {})]
    await agent.ask("go")

    assert heard == [
        *("user", "t", "tool"),
        *("BeforeModelCallEvent", "AfterModelCallEvent"),
        *("assistant", "end"),
    ]


@pytest.mark.parametrize(
    ("callback", "error", "message"),
    [
        (lambda: None, ValueError, "no event annotation"),
        (lambda event: None, ValueError, "no event annotation"),
        (lambda *events: None, ValueError, "no event annotation"),
    ],
)
def test_a_callback_that_does_not_say_its_event_is_refused(
    bus: Bus, callback: Any, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        HookRegistry(bus).add_callback(None, callback)


def test_only_events_are_read_from_an_annotation_or_a_list(bus: Bus) -> None:
    def maybe(event: BeforeToolCallEvent | None) -> None: ...
    def other(event: int) -> None: ...

    registry = HookRegistry(bus)
    for callback in (maybe, other):
        with pytest.raises(TypeError, match="it is not an event"):
            registry.add_callback(None, callback)
    with pytest.raises(TypeError, match="it is not an event"):
        registry.add_callback([BeforeToolCallEvent, HookEvent], print)
    with pytest.raises(ValueError, match="list of events is empty"):
        registry.add_callback([], print)
    assert not registry.has_callbacks()


async def test_an_order_puts_callbacks_first_or_last_also_on_after_events(
    make: Callable[..., Any],
) -> None:
    heard: list[str] = []
    agent = make()
    add = agent.hooks.add_callback
    for kind in (BeforeModelCallEvent, AfterModelCallEvent):
        add(kind, lambda _: heard.append("last"), order=HookOrder.SDK_LAST)
        add(kind, lambda _: heard.append("one"))
        add(kind, lambda _: heard.append("two"))
        add(kind, lambda _: heard.append("first"), order=HookOrder.SDK_FIRST)

    await agent.ask("go")

    assert heard == ["first", "one", "two", "last", "first", "two", "one", "last"]


async def test_a_callback_that_writes_what_is_read_only_gets_an_error(
    make: Callable[..., Any],
) -> None:
    def rename(event: BeforeToolCallEvent) -> None:
        event.agent = None

    agent = make(("a", {}), hooks=[rename])

    with pytest.raises(AttributeError, match="Property agent of BeforeToolCallEvent"):
        await agent.ask("go")


# --- events of one's own ------------------------------------------------------------------------


@dataclass
class Deployed(HookEvent):
    target: str
    notes: list[str] = field(default_factory=list)
    approved: bool = False

    def _can_write(self, name: str) -> bool:
        return name == "approved"


@dataclass
class TornDown(BaseHookEvent):
    target: str

    @property
    def should_reverse_callbacks(self) -> bool:
        return True


async def test_an_event_of_ones_own_reaches_its_callbacks_which_write_into_it(
    make: Callable[..., Any],
) -> None:
    agent, other = make(), make()
    order: list[str] = []

    def approve(event: Deployed) -> None:
        event.notes.append(event.agent.name)
        event.approved = True
        with pytest.raises(AttributeError, match="target of Deployed is not writable"):
            event.target = "prod"

    agent.hooks.add_callback(Deployed, approve)
    other.hooks.add_callback(Deployed, lambda event: order.append("other"))
    agent.hooks.add_callback(TornDown, lambda event: order.append("one"))
    agent.hooks.add_callback(TornDown, lambda event: order.append("two"))

    event = await agent.hooks.invoke_callbacks_async(Deployed(agent=agent, target="test"))
    agent.hooks.invoke_callbacks(TornDown("test"))

    assert (event.approved, event.notes) == (True, ["worker"])
    assert event.should_reverse_callbacks is False
    assert order == ["two", "one"]


def test_a_registry_says_who_would_be_called(bus: Bus) -> None:
    registry = HookRegistry(bus)
    one: HookCallback[TornDown] = lambda event: None  # noqa: E731
    two: HookCallback[TornDown] = lambda event: None  # noqa: E731
    registry.add_callback(TornDown, one)
    off = registry.add_callback(TornDown, two)

    assert list(registry.get_callbacks_for(TornDown("x"))) == [two, one]
    off()
    off()
    assert list(registry.get_callbacks_for(TornDown("x"))) == [one]
    assert registry.has_callbacks()
