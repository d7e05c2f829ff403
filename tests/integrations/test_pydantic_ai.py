"""Pydantic AI: operations are reported as they are, and refused ones do not run."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

import pytest
from mcp import Client
from mcp.server.mcpserver import MCPServer
from pydantic import BaseModel
from pydantic_ai import (
    Agent,
    ApprovalRequired,
    BinaryContent,
    DeferredToolRequests,
    DeferredToolResults,
    ModelRetry,
    RunContext,
)
from pydantic_ai.capabilities import Hooks
from pydantic_ai.exceptions import SkipToolExecution
from pydantic_ai.models.function import FunctionModel
from pydantic_ai.models.instrumented import InstrumentationSettings
from pydantic_ai.models.test import TestModel

from inspector import context
from inspector.integrations import mcp
from inspector.integrations.pydantic_ai import attach
from instrument import Bus, Decision
from tests.integrations.contract import QUESTION, RUN, AdapterContract
from tests.integrations.hook_log import HookLog
from tests.integrations.pydantic_ai_model import PydanticAgent, Scripted, calls, says
from tests.support.agents.wired_bus import WiredBus

ran: list[tuple[int, int]] = []


def add(a: int, b: int) -> int:
    """Add two numbers."""
    ran.append((a, b))
    return a + b


@pytest.fixture(autouse=True)
def attached(bus: Bus) -> Iterator[Callable[[], None]]:
    ran.clear()
    detach = attach(bus=bus)
    yield detach
    detach()


def calculator(
    *script: Any, tools: Any = (add,), **kwargs: Any
) -> tuple[Agent[Any, Any], Scripted]:
    model = Scripted(*(script or (calls("add", {"a": 1, "b": 2}), says("It is 3."))))
    return Agent(model, name="calculator", tools=tools, **kwargs), model


class Point(BaseModel):
    x: int


class TestContract(AdapterContract):
    framework = "pydantic_ai"
    agent = PydanticAgent
    attach = staticmethod(attach)
    attachments = 2


# --- what is seen ---------------------------------------------------------------------------------


async def test_a_run_is_reported_with_its_messages_and_parameters(hooks: HookLog) -> None:
    agent, _ = calculator(instructions="Be brief.")

    answer = await agent.run(QUESTION)

    about = hooks.one("before_agent_call")["agent"]
    assert (about.input, about.model) == (QUESTION, "scripted-1")
    assert hooks.one("after_agent_call")["result"] == answer.output == "It is 3."
    tool = hooks.one("after_tool_call")
    assert (tool["tool_call_id"], tool["result"]) == ("call-add-0", 3)
    requests, answered = hooks.of("before_llm_generate"), hooks.of("after_llm_generate")
    text = {"type": "text", "content": QUESTION}
    assert requests[0]["prompt"] == [{"role": "user", "parts": [text]}]
    assert [one["role"] for one in requests[1]["prompt"]] == ["user", "assistant", "tool"]
    assert requests[0]["request_params"]["system"] == "Be brief."
    assert [tool["name"] for tool in requests[0]["request_params"]["tools"]] == ["add"]
    assert answered[0]["response"]["parts"][0]["arguments"] == {"a": 1, "b": 2}
    assert [one["usage"]["output_tokens"] for one in answered] == [5, 5]


@pytest.mark.shows("pydantic_ai", "agent")
def test_a_sync_run_is_reported_as_an_async_one(hooks: HookLog) -> None:
    loop = asyncio.new_event_loop()  # which `run_sync` would make, and leave open
    asyncio.set_event_loop(loop)
    try:
        calculator()[0].run_sync(QUESTION)
    finally:
        asyncio.set_event_loop(None)
        loop.close()

    assert hooks.names == RUN


async def test_the_frameworks_own_test_model_is_reported(hooks: HookLog) -> None:
    await Agent(TestModel(), tools=[add]).run(QUESTION)

    assert hooks.names == RUN
    assert hooks.one("before_tool_call")["args"] == {"a": 0, "b": 0}


async def test_typed_output_and_media_are_reported(hooks: HookLog) -> None:
    class Sum(BaseModel):
        total: int

    agent = Agent(Scripted(calls("final_result", {"total": 3})), output_type=Sum)
    picture = BinaryContent(b"\x89PNG", media_type="image/png")

    answer = await agent.run(["What is it?", picture])

    assert answer.output == Sum(total=3)
    assert hooks.one("after_agent_call")["result"] == Sum(total=3)
    (part,) = hooks.one("before_llm_generate")["prompt"][0]["parts"]
    assert part["content"] == "What is it?\n[image/png]"
    assert hooks.one("before_agent_call")["agent"].input[0]["parts"] == [part]
    assert hooks.of("before_tool_call") == []


@pytest.mark.shows("pydantic_ai", "streaming")
async def test_a_streamed_run_is_reported_with_its_pieces(hooks: HookLog) -> None:
    agent, _ = calculator()

    async with agent.run_stream(QUESTION) as stream:
        assert await stream.get_output() == "It is 3. "

    assert hooks.names == RUN
    streams = [o["stream"] for o in hooks.of("operation_closed") if o["noun"] == "llm_generate"]
    assert all(one.first_chunk_ns > 0 for one in streams)
    assert streams[1].chunk_count > 2
    assert "It is 3. " in hooks.texts.values()
    response = hooks.of("after_llm_generate")[1]["response"]
    assert response["parts"][0]["content"] == "It is 3. "
    assert hooks.one("after_agent_call")["result"] == "It is 3. "


@pytest.mark.shows("pydantic_ai", "streaming")
async def test_a_run_whose_events_are_streamed_is_reported_as_any(hooks: HookLog) -> None:
    agent, _ = calculator()

    async with agent.run_stream_events(QUESTION) as events:
        assert [event async for event in events]

    assert hooks.names == RUN


async def test_a_run_that_the_program_iterates_is_reported_as_any(hooks: HookLog) -> None:
    agent, _ = calculator()

    async with agent.iter(QUESTION) as run:
        assert [node async for node in run]
        assert hooks.names == RUN[:-1]

    assert hooks.names == RUN
    assert context.get() == context.UNKNOWN


@pytest.mark.shows("pydantic_ai", "streaming")
async def test_a_stream_that_is_left_early_is_closed_with_what_there_was(
    hooks: HookLog,
) -> None:
    agent, _ = calculator(says("It is 3, or so I think."))

    async def leave_early() -> None:
        async with agent.run_stream(QUESTION) as stream:
            async for _ in stream.stream_text(debounce_by=None):
                raise LookupError("enough")

    with pytest.raises(LookupError):
        await leave_early()

    error = hooks.one("error_llm_generate")
    assert error["response"]["parts"][0]["content"].startswith("It ")
    assert {one["status"] for one in hooks.of("operation_closed")} == {"cancelled", "error"}


async def test_a_run_that_is_left_early_is_closed(hooks: HookLog) -> None:
    async with calculator()[0].iter(QUESTION) as run:
        async for _ in run:
            break

    assert hooks.one("operation_closed")["status"] == "cancelled"


@pytest.mark.shows("pydantic_ai", "tool_error")
async def test_a_tool_that_sends_the_model_back_is_an_error(hooks: HookLog) -> None:
    def careful() -> str:
        """Break politely."""
        raise ModelRetry("try later")

    agent, model = calculator(calls("careful", {}), says("Later, then."), tools=[careful])
    await agent.run(QUESTION)

    assert "try later" in str(hooks.one("error_tool_call")["exc"])
    assert model.read().content == "try later"


@pytest.mark.shows("pydantic_ai", "llm_error", "streaming")
async def test_a_stream_that_breaks_is_an_error_with_what_there_was(hooks: HookLog) -> None:
    async def broken(messages: Any, info: Any) -> AsyncIterator[str]:
        yield "It is"
        yield " about"
        raise ConnectionError("reset")

    with pytest.raises(ConnectionError, match="reset"):
        async with Agent(FunctionModel(stream_function=broken)).run_stream(QUESTION) as stream:
            await stream.get_output()

    error = hooks.one("error_llm_generate")
    assert isinstance(error["exc"], ConnectionError)
    assert error["response"]["parts"][0]["content"] == "It is about"


@pytest.mark.shows("pydantic_ai", "once")
@pytest.mark.parametrize("version", [5, 6])
async def test_calls_that_pydantic_ai_reports_too_count_once(version: Any) -> None:
    """Even where the model takes no time, as here."""
    wired = WiredBus()
    settings = InstrumentationSettings(tracer_provider=wired.provider, version=version)
    Agent.instrument_all(settings)
    detach = attach(bus=wired.bus)
    try:
        agent = Agent(Scripted(calls("add", {"a": 1, "b": 2}), says("3")), tools=[add], name="sum")
        await agent.run(QUESTION)
        async with Agent(Scripted(says("a b")), name="sum").run_stream(QUESTION) as streamed:
            await streamed.get_output()
    finally:
        detach()
        Agent.instrument_all(False)
        wired.wiring.undo()
    spans = wired.exporter.get_finished_spans()
    counted = [one for one in spans if "inspector.duplicate_of" not in (one.attributes or {})]
    assert len(spans) == 2 * len(counted)
    assert sorted(one.name.split()[0] for one in counted) == [
        *("chat", "chat", "chat"),
        "execute_tool",
        *("invoke_agent", "invoke_agent"),
    ]
    assert {one.instrumentation_scope.name for one in counted if one.instrumentation_scope} == {
        "mcp-agent-inspector.bridge"
    }


@pytest.mark.shows("pydantic_ai", "once")
async def test_a_tool_that_an_mcp_client_carries_out_is_reported_once(
    bus: Bus, hooks: HookLog
) -> None:
    server = MCPServer("calculator", log_level="ERROR")

    @server.tool(name="add_remote")
    async def _(a: int) -> int:
        return a + 1

    async def add_remote(a: int) -> str:
        """Add one."""
        async with Client(server) as client:
            return str((await client.call_tool("add_remote", {"a": a})).structured_content)

    detach = mcp.attach(bus=bus)
    try:
        agent, model = calculator(calls("add_remote", {"a": 1}), says("2"), tools=[add_remote])
        await agent.run(QUESTION)
    finally:
        detach()

    assert "2" in str(model.read().content)
    assert hooks.one("after_tool_call")["tool_name"] == "add_remote"


@pytest.mark.shows("pydantic_ai", "session")
async def test_a_named_conversation_is_the_session_and_a_made_up_one_is_none(bus: Bus) -> None:
    seen: list[str] = []
    for hook in ("before_agent_call", "before_tool_call"):
        bus.observe(hook, lambda **_: seen.append(context.get()))

    first = await calculator()[0].run(QUESTION, conversation_id="thread-7")
    await calculator()[0].run(QUESTION, message_history=first.all_messages())
    assert context.get() == context.UNKNOWN
    made_up = await calculator()[0].run(QUESTION)
    await calculator()[0].run(QUESTION, conversation=made_up.conversation)
    context.set("mine")
    await calculator()[0].run(QUESTION, conversation_id="thread-7")

    assert seen == ["thread-7"] * 4 + [context.UNKNOWN] * 4 + ["mine"] * 2


# --- what can be decided --------------------------------------------------------------------------


async def test_the_model_reads_that_edited_arguments_do_not_fit(bus: Bus, hooks: HookLog) -> None:
    bus.intercept("before_tool_call", lambda **_: Decision.modify(args={"a": "twenty"}))
    agent, model = calculator()

    await agent.run(QUESTION)

    assert ran == []
    assert "Input should be a valid integer" in str(model.read().content)
    assert hooks.one("error_tool_call")


async def test_a_tool_that_takes_objects_gets_objects(bus: Bus, hooks: HookLog) -> None:
    got: list[Point] = []

    async def plot(point: Point) -> str:
        """Plot."""
        got.append(point)
        return "done"

    edits = [None, Decision.modify(args={"point": {"x": 2}})]
    bus.intercept("before_tool_call", lambda **_: edits.pop(0))
    for _ in range(2):
        await calculator(calls("plot", {"point": {"x": 1}}), says("ok"), tools=[plot])[0].run("go")

    assert got == [Point(x=1), Point(x=2)]
    assert [one["args"] for one in hooks.of("before_tool_call")] == [
        {"point": {"x": 1}},
        {"point": {"x": 2}},
    ]


@pytest.mark.parametrize("is_approved", [True, False])
async def test_the_frameworks_own_approval_passes_untouched(
    hooks: HookLog, is_approved: bool
) -> None:
    agent, _model = calculator(tools=[], output_type=[str, DeferredToolRequests])
    agent.tool_plain(requires_approval=True)(add)

    paused = await agent.run(QUESTION)

    assert isinstance(paused.output, DeferredToolRequests)
    assert (ran, hooks.of("before_tool_call")) == ([], [])  # nothing was called
    call_id = paused.output.approvals[0].tool_call_id
    done = await agent.run(
        message_history=paused.all_messages(),
        deferred_tool_results=DeferredToolResults(approvals={call_id: is_approved}),
    )

    assert done.output == "It is 3."
    assert ran == ([(1, 2)] if is_approved else [])
    assert len(hooks.of("after_tool_call")) == len(ran)
    assert {one["status"] for one in hooks.of("operation_closed")} == {"ok"}


async def test_a_tool_that_asks_for_approval_itself_is_no_error(hooks: HookLog) -> None:

    def pay(ctx: RunContext[None], amount: int) -> str:
        """Pay."""
        if not ctx.tool_call_approved:
            raise ApprovalRequired
        return f"paid {amount}"

    agent, model = calculator(
        calls("pay", {"amount": 5}),
        says("Paid."),
        tools=[pay],
        output_type=[str, DeferredToolRequests],
    )
    paused = await agent.run(QUESTION)
    await agent.run(
        message_history=paused.all_messages(),
        deferred_tool_results=DeferredToolResults(approvals={"call-pay-0": True}),
    )

    results = [one["result"] for one in hooks.of("after_tool_call")]
    assert results == [{"deferred": "ApprovalRequired"}, "paid 5"]
    assert model.read().content == "paid 5"
    assert {one["status"] for one in hooks.of("operation_closed")} == {"ok"}


async def test_a_result_of_the_programs_own_hook_is_reported_and_replaced(
    bus: Bus, hooks: HookLog
) -> None:
    own_hooks: Hooks[Any] = Hooks()

    @own_hooks.on.before_tool_execute
    async def skip(ctx: RunContext[Any], **_: Any) -> Any:
        raise SkipToolExecution("from the cache")

    changes = [None, Decision.modify(result="42")]
    bus.intercept("after_tool_call", lambda **_: changes.pop(0))
    read = []
    for _ in range(2):
        agent, model = calculator(capabilities=[own_hooks])
        await agent.run(QUESTION)
        read.append(model.read().content)

    assert (ran, read) == ([], ["from the cache", "42"])
    assert [one["result"] for one in hooks.of("after_tool_call")] == read


async def test_a_hook_can_answer_where_another_denied(bus: Bus, hooks: HookLog) -> None:
    bus.intercept("before_tool_call", lambda **_: Decision.deny("no sums today"))
    bus.intercept("error_tool_call", lambda **_: Decision.modify(result="about 3"))
    agent, model = calculator()

    await agent.run(QUESTION)

    assert ran == []
    assert "no sums today" in model.read().content  # a denial stands


@pytest.mark.shows("pydantic_ai", "inject")
async def test_what_hooks_add_reaches_the_model_and_not_the_history(
    bus: Bus, hooks: HookLog
) -> None:
    bus.intercept(
        "before_llm_generate", lambda **_: Decision.inject_context("Be brief.", role="system")
    )
    bus.intercept(
        "after_tool_call", lambda **_: Decision.inject_context("Mind the unit.", role="user")
    )
    agent, model = calculator()
    answer = await agent.run(QUESTION)

    assert "Be brief." in str(model.sent[0][-1].parts[-1])
    assert [part.part_kind for part in model.sent[1][-1].parts][:2] == [
        "tool-return",
        "user-prompt",
    ]
    assert "Mind the unit." in str(model.sent[1][-1].parts[1])
    assert "Mind the unit." not in str(answer.all_messages())


async def test_edited_messages_and_settings_are_those_that_are_sent(
    bus: Bus, hooks: HookLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    def edit(prompt: Any, request_params: Any, **_: Any) -> Decision:
        bye = {"role": "user", "parts": [{"type": "text", "content": "Goodbye"}]}
        return Decision.modify(
            prompt=[*prompt, bye], request_params={**request_params, "temperature": 0.5}
        )

    bus.intercept("before_llm_generate", edit)
    model = TestModel()
    seen: list[Any] = []
    request = model.request

    async def spy(messages: Any, settings: Any, parameters: Any) -> Any:
        seen.append((messages, settings))
        return await request(messages, settings, parameters)

    monkeypatch.setattr(model, "request", spy)
    await Agent(model, name="calculator").run("Hello")

    ((messages, settings),) = seen
    texts = [str(part.content) for message in messages for part in message.parts]
    assert (texts, settings) == (["Hello", "Goodbye"], {"temperature": 0.5})


async def test_the_output_of_a_run_is_replaced(bus: Bus, hooks: HookLog) -> None:
    bus.intercept("after_agent_call", lambda **_: Decision.modify(result="It is secret."))

    assert (await calculator()[0].run(QUESTION)).output == "It is secret."


# --- attaching ------------------------------------------------------------------------------------
