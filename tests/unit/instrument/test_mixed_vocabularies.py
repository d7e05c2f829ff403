"""Several vocabularies on one event; and a deny of each, on every path that a tool can take."""

import asyncio
from collections.abc import AsyncIterator, Callable
from itertools import permutations
from typing import Any

import pytest

from instrument import Bus, Decision, HookContractError, HookDenied, HookFailed, Operation
from instrument.control import HookRegistry, HookResult
from instrument.flow import AgentEvent, AssistantMessage, HookDecision, HookPoint, ToolCall
from instrument.guidance import SessionStateTracker, attach_gate
from instrument.testing import capture_hook
from instrument.typed import (
    AfterModelCallEvent,
    BeforeToolCallEvent,
)
from instrument.typed import (
    HookRegistry as TypedRegistry,
)


def gate_tools(bus: Bus, tracker: SessionStateTracker) -> None:
    """Let the session's state decide which tools may be called."""

    def gate(tool_name: str, **_: Any) -> Decision | None:
        reason = tracker.check_tool_allowed(tool_name)
        return None if reason is None else Decision.deny(reason)

    bus.intercept("before_tool_call", gate, name="session gate")


def tracker() -> SessionStateTracker:
    return SessionStateTracker()


# --- one event --------------------------------------------------------------------------------


async def test_a_rewrite_of_each_vocabulary_reaches_the_tool_in_order(bus: Bus) -> None:
    async def control(event: str, data: dict[str, Any]) -> HookResult:
        data["tool_input"]["by"].append("control")
        return HookResult("modify", data=data)

    def typed(event: BeforeToolCallEvent) -> None:
        event.tool_use["input"]["by"].append("typed")

    def flow(status: Any, current: ToolCall) -> ToolCall:
        current.arguments["by"].append("flow")
        return current

    def native(args: Any, **_: Any) -> Decision:
        return Decision.modify({"by": [*args["by"], "native"]})

    HookPoint(bus=bus).on(AgentEvent.BEFORE_TOOL_EXECUTION).handle(value=flow)
    HookRegistry(bus).register("tool:pre", control, priority=10)
    TypedRegistry(bus).add_callback(BeforeToolCallEvent, typed)
    bus.intercept("before_tool_call", native, priority=-10)
    input_: dict[str, Any] = {"by": []}

    with capture_hook("before_tool_call", bus=bus) as calls:
        ran = await bus.call("tool_call", lambda op: op.args, tool_name="t", args=input_)

    assert ran == {"by": ["native", "flow", "typed", "control"]}
    assert calls[0][1]["args"] == ran
    assert input_ == {"by": []}


async def test_a_gate_a_write_a_retry_and_a_deny_on_one_run(bus: Bus) -> None:
    session = tracker()
    gate_tools(bus, session)
    TypedRegistry(bus).add_callback(BeforeToolCallEvent, _make_safe)
    HookRegistry(bus).register("tool:pre", _deny_root, priority=20)
    point = HookPoint(bus=bus)
    point.on(AgentEvent.AFTER_LLM_CALL).when(_is_empty).handle(decision=HookDecision.RETRY)
    ran: list[Any] = []

    async def tool(name: str, path: str) -> Any:
        def body(op: Operation) -> str:
            ran.append((op.kwargs["tool_name"], op.args))
            session.record_tool_call(name)
            return "done"

        return await bus.call("tool_call", body, tool_name=name, args={"path": path})

    with pytest.raises(HookDenied, match="session_init"):
        await tool("rm", "/tmp")
    await tool("session_init", "/tmp")
    await tool("rm", "/tmp")
    with pytest.raises(HookDenied, match="not the root"):
        await tool("rm", "/")
    answers = ["", "", "an answer"]
    answer = await bus.call("llm_generate", lambda _: answers.pop(0), prompt=[])

    assert ran == [("session_init", {"path": "/tmp"}), ("trash", {"path": "/tmp"})]
    assert answer == "an answer"


def _make_safe(event: BeforeToolCallEvent) -> None:
    if event.tool_use.name == "rm":
        event.tool_use["name"] = "trash"


async def _deny_root(event: str, data: dict[str, Any]) -> HookResult:
    if data["tool_name"] == "trash" and data["tool_input"]["path"] == "/":
        return HookResult("deny", reason="not the root")
    return HookResult()


def _is_empty(status: Any) -> bool:
    return not status.assistant_message.content


async def test_a_retry_of_a_rule_ends_the_chain_for_later_handlers(bus: Bus) -> None:
    heard: list[str] = []
    typed = TypedRegistry(bus)
    typed.add_callback(AfterModelCallEvent, lambda event: heard.append(event.response))
    HookPoint(bus=bus).on(AgentEvent.AFTER_LLM_CALL).when(_is_empty).handle(
        decision=HookDecision.RETRY
    )

    async def handler(event: str, data: dict[str, Any]) -> HookResult:
        heard.append(f"control {data['response']}")
        return HookResult("modify", data={**data, "response": "polished"})

    HookRegistry(bus).register("provider:response", handler, priority=50)
    answers = ["", "an answer"]

    assert await bus.call("llm_generate", lambda _: answers.pop(0)) == "polished"
    assert heard == ["", "an answer", "control an answer"]


async def test_a_deny_of_one_vocabulary_keeps_a_stop_of_another_from_counting(bus: Bus) -> None:
    async def deny(event: str, data: dict[str, Any]) -> HookResult:
        return HookResult("deny", reason="budget")

    HookRegistry(bus).register("provider:request", deny, priority=-1)
    HookPoint(bus=bus).on(AgentEvent.BEFORE_LLM_CALL).handle(
        decision=HookDecision.STOP, value=AssistantMessage("cached")
    )

    with pytest.raises(HookDenied, match="budget"):
        await bus.call("llm_generate", lambda _: pytest.fail("was called"))


def _control_denies(bus: Bus) -> None:
    async def deny(event: str, data: dict[str, Any]) -> HookResult:
        return HookResult("deny", reason="of control")

    HookRegistry(bus).register("tool:pre", deny, name="deny")


def _typed_writes(bus: Bus) -> None:
    def write(event: BeforeToolCallEvent) -> None:
        event.tool_use["input"] = {"written": True}

    TypedRegistry(bus).add_callback(BeforeToolCallEvent, write)


def _flow_retries(bus: Bus) -> None:
    HookPoint(bus=bus).on(AgentEvent.BEFORE_TOOL_EXECUTION).handle(decision=HookDecision.RETRY)


def _guidance_gates(bus: Bus) -> None:
    attach_gate(bus, tracker())


_ENDS: dict[Callable[[Bus], None], tuple[type[Exception], str]] = {
    _control_denies: (HookDenied, "of control"),
    _flow_retries: (HookContractError, "RETRY, which that event does not allow"),
    _guidance_gates: (HookDenied, "MUST call session_init"),
}


_ORDERS = list(permutations([_control_denies, _typed_writes, _flow_retries, _guidance_gates]))


def _spelled(order: tuple[Callable[[Bus], None], ...]) -> str:
    return " ".join(one.__name__.split("_")[1] for one in order)


@pytest.mark.parametrize("is_async", [True, False])
@pytest.mark.parametrize("registered", _ORDERS, ids=_spelled)
async def test_of_a_deny_a_write_a_retry_and_a_gate_the_first_to_end_it_says_how(
    bus: Bus, registered: tuple[Callable[[Bus], None], ...], is_async: bool
) -> None:
    for register in registered:
        register(bus)
    error, message = next(_ENDS[one] for one in registered if one in _ENDS)
    tool = Tool()
    path = plain if is_async else sync_on_a_thread

    with (
        capture_hook("before_tool_call", bus=bus) as before,
        capture_hook("error_tool_call", bus=bus) as closed,
        pytest.raises(error, match=message),
    ):
        await path(bus, tool)

    assert tool.effects == []
    is_written = registered[0] is _typed_writes
    assert before[0][1]["args"] == ({"written": True} if is_written else {})
    assert len(before) == len(closed) == 1


@pytest.mark.parametrize("registered", _ORDERS, ids=_spelled)
async def test_a_deny_that_comes_first_by_priority_wins_in_any_order_of_registration(
    bus: Bus, registered: tuple[Callable[[Bus], None], ...]
) -> None:
    async def deny(event: str, data: dict[str, Any]) -> HookResult:
        return HookResult("deny", reason="first of all")

    for register in registered[:2]:
        register(bus)
    HookRegistry(bus).register("tool:pre", deny, priority=-1)
    for register in registered[2:]:
        register(bus)
    tool = Tool()

    with pytest.raises(HookDenied, match="first of all"):
        await plain(bus, tool)

    assert tool.effects == []


# --- a denied tool never runs -----------------------------------------------------------------


def deny_control(bus: Bus) -> None:
    async def deny(event: str, data: dict[str, Any]) -> HookResult:
        return HookResult(action="deny", reason="no")

    HookRegistry(bus).register("tool:pre", deny)


def deny_typed(bus: Bus) -> None:
    def deny(event: BeforeToolCallEvent) -> None:
        event.cancel_tool = "no"

    TypedRegistry(bus).add_callback(BeforeToolCallEvent, deny)


def deny_guidance(bus: Bus) -> None:
    gate_tools(bus, tracker())


def deny_flow(bus: Bus) -> None:
    HookPoint(bus=bus).on(AgentEvent.BEFORE_TOOL_EXECUTION).when(lambda status: True).handle(
        decision=HookDecision.FAIL, value="no"
    )


def deny_natively(bus: Bus) -> None:
    bus.intercept("before_tool_call", lambda **_: Decision.deny("no"))


class Tool:
    """Something with a side effect of its own."""

    def __init__(self) -> None:
        self.effects: list[str] = []

    def run(self, op: Operation) -> str:
        self.effects.append(op.kwargs["tool_name"])
        return "done"


async def plain(bus: Bus, tool: Tool) -> None:
    await bus.call("tool_call", tool.run, tool_name="rm", args={})


async def plain_block(bus: Bus, tool: Tool) -> None:
    async with bus.operation("tool_call", tool_name="rm", args={}) as op:
        op.result = tool.run(op)


async def concurrent(bus: Bus, tool: Tool) -> None:
    calls = (bus.call("tool_call", tool.run, tool_name=f"rm {n}", args={}) for n in range(5))
    results = await asyncio.gather(*calls, return_exceptions=True)
    assert all(isinstance(result, HookDenied | HookFailed) for result in results)
    raise results[0]  # type: ignore[misc] # they are, as asserted


async def streaming(bus: Bus, tool: Tool) -> None:
    async def pieces() -> AsyncIterator[str]:
        async with bus.operation("tool_call", tool_name="rm", args={}) as op:
            async for piece in op.stream(_source(tool, op)):
                yield piece

    async for _ in pieces():
        pass


async def _source(tool: Tool, op: Operation) -> AsyncIterator[str]:
    yield tool.run(op)


async def sub_agent(bus: Bus, tool: Tool) -> None:
    async def inner(op: Operation) -> None:
        await asyncio.create_task(plain(bus, tool))

    async def outer(op: Operation) -> None:
        await bus.call("agent_call", inner, agent="inner")

    await bus.call("agent_call", outer, agent="outer")


async def sync_on_a_thread(bus: Bus, tool: Tool) -> None:
    await asyncio.to_thread(bus.call_sync, "tool_call", tool.run, tool_name="rm", args={})


async def sync_on_the_loop(bus: Bus, tool: Tool) -> None:
    with bus.operation("tool_call", tool_name="rm", args={}) as op:
        tool.run(op)


DENIES = [deny_control, deny_typed, deny_guidance, deny_flow, deny_natively]
PATHS = [plain, plain_block, concurrent, streaming, sub_agent, sync_on_a_thread, sync_on_the_loop]


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.__name__)
@pytest.mark.parametrize("deny", DENIES, ids=lambda deny: deny.__name__)
async def test_a_denied_tool_never_runs(
    bus: Bus, events: Any, deny: Callable[[Bus], None], path: Callable[[Bus, Tool], Any]
) -> None:
    tool = Tool()
    deny(bus)

    async with asyncio.timeout(10):
        with pytest.raises((HookDenied, HookFailed)):
            await path(bus, tool)

    assert tool.effects == []
    names = [name for name, _ in events]
    count = 5 if path is concurrent else 1
    assert names.count("before_tool_call") == names.count("error_tool_call") == count
    assert names.count("after_tool_call") == 0


@pytest.mark.parametrize("path", [path for path in PATHS if path is not concurrent])
async def test_without_a_deny_each_path_runs_the_tool(
    bus: Bus, path: Callable[[Bus, Tool], Any]
) -> None:
    tool = Tool()

    await path(bus, tool)

    assert tool.effects == ["rm"]
