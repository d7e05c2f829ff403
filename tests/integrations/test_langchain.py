"""LangChain and LangGraph: operations are reported as they are, and refused ones do not run."""

from __future__ import annotations

import asyncio
import gc
import sys
from collections.abc import Callable, Iterator
from contextlib import aclosing, suppress
from typing import Any

import pytest
from langchain.agents import create_agent
from langchain.tools import ToolRuntime
from langchain_core.messages import AIMessageChunk, HumanMessage, ToolMessage
from langchain_core.outputs import ChatGenerationChunk
from langchain_core.tools import ToolException, tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.prebuilt import create_react_agent
from langgraph.types import Command, interrupt
from mcp import Client
from mcp.server.mcpserver import MCPServer

from inspector import context
from inspector.integrations import mcp
from inspector.integrations.langchain import attach
from instrument import Bus, Decision, HookDenied
from tests.integrations.contract import RUN, AdapterContract
from tests.integrations.hook_log import HookLog
from tests.integrations.langchain_model import LangChainAgent, ScriptedModel, calls, read, says

QUESTION: Any = {"messages": [{"role": "user", "content": "What is 1 + 2?"}]}
ran: list[tuple[int, int]] = []


@tool
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


def calculator(*script: Any, tools: Any = (add,), **kwargs: Any) -> tuple[Any, ScriptedModel]:
    model = ScriptedModel(*(script or (calls("add", {"a": 1, "b": 2}), says("It is 3."))))
    return create_agent(model, list(tools), name="calculator", **kwargs), model


class TestContract(AdapterContract):
    framework = "langchain"
    agent = LangChainAgent
    attach = staticmethod(attach)


# --- what is seen ---------------------------------------------------------------------------------


def test_a_run_is_reported_with_its_messages(hooks: HookLog) -> None:
    agent, _ = calculator()

    agent.invoke(QUESTION)

    assert hooks.one("after_agent_call")["result"].content == "It is 3."
    tool = hooks.one("after_tool_call")
    assert (tool["tool_call_id"], tool["result"]) == ("call-add-0", "3")
    request, answered = hooks.of("before_llm_generate")[0], hooks.of("after_llm_generate")
    assert [one.content for one in request["prompt"]] == ["What is 1 + 2?"]
    assert answered[0]["response"].tool_calls[0]["name"] == "add"
    assert [one["usage"]["output_tokens"] for one in answered] == [5, 5]


@pytest.mark.filterwarnings("ignore:create_react_agent has been moved")
@pytest.mark.shows("langchain", "agent")
def test_an_agent_of_langgraphs_prebuilt_is_reported_too(hooks: HookLog) -> None:
    model = ScriptedModel(calls("add", {"a": 1, "b": 2}), says("It is 3."))
    create_react_agent(model, [add]).invoke(QUESTION)

    assert hooks.names == RUN


@pytest.mark.shows("langchain", "streaming")
@pytest.mark.parametrize("mode", ["values", "updates", "messages", ["updates", "messages"]])
def test_a_streamed_run_ends_with_the_same_answer(hooks: HookLog, mode: Any) -> None:
    agent, _ = calculator()

    pieces = list(agent.stream(QUESTION, stream_mode=mode))

    assert pieces
    assert hooks.names == RUN
    assert hooks.one("after_agent_call")["result"].content.strip() == "It is 3."


@pytest.mark.shows("langchain", "streaming")
async def test_pieces_of_a_model_are_counted_where_the_graph_streams_messages(
    hooks: HookLog,
) -> None:
    agent, _ = calculator()

    async for _ in agent.astream(QUESTION, stream_mode="messages"):
        pass

    streams = [o["stream"] for o in hooks.of("operation_closed") if o["noun"] == "llm_generate"]
    assert [one.chunk_count for one in streams] == [3, 5]
    assert "It is 3. " in hooks.texts.values()
    assert all(one.first_chunk_ns > 0 for one in streams)
    assert [one["usage"]["input_tokens"] for one in hooks.of("after_llm_generate")] == [10, 10]


@pytest.mark.filterwarnings("ignore:The v3 streaming protocol")
@pytest.mark.shows("langchain", "streaming")
@pytest.mark.parametrize("version", ["v2", "v3"])
async def test_a_run_whose_events_are_streamed_is_reported_as_any(
    hooks: HookLog, version: Any
) -> None:
    agent, _ = calculator()

    if version == "v2":
        async for _ in agent.astream_events(QUESTION, version="v2"):
            pass
    else:
        await (await agent.astream_events(QUESTION, version="v3")).output()

    assert hooks.names == RUN
    streams = [o["stream"] for o in hooks.of("operation_closed") if o["noun"] == "llm_generate"]
    assert all(one.first_chunk_ns > 0 for one in streams)
    assert "It is 3. " in hooks.texts.values()


@pytest.mark.shows("langchain", "streaming", "tokens")
def test_a_streamed_model_call_is_one_answer_with_its_usage(hooks: HookLog) -> None:
    model = ScriptedModel(says("It is 3."))

    text = "".join(str(piece.content) for piece in model.stream("What is 1 + 2?"))

    assert text == "It is 3. "
    ended = hooks.one("after_llm_generate")
    assert ended["response"].content == "It is 3. "
    assert ended["usage"]["input_tokens"] == 10
    assert hooks.of("operation_closed")[0]["stream"].first_chunk_ns > 0
    assert list(hooks.texts.values()) == ["It is 3. "]


@pytest.mark.shows("langchain", "streaming")
async def test_a_stream_that_is_left_early_is_closed_with_what_there_was(
    hooks: HookLog,
) -> None:
    stream: Any = ScriptedModel(says("It is 3.")).astream("What is 1 + 2?")
    await anext(stream)
    await stream.aclose()
    runs = calculator()[0].stream(QUESTION)
    next(runs)
    runs.close()

    closed = hooks.of("operation_closed")
    assert closed[0]["status"] == "cancelled"
    assert hooks.of("error_llm_generate")[0]["response"].content == "It "
    assert closed[-1]["noun"] == "agent_call"
    assert closed[-1]["status"] == "cancelled"


def test_what_the_consumer_of_a_stream_does_is_not_below_the_agent(hooks: HookLog) -> None:
    agent, _ = calculator()

    for _ in agent.stream(QUESTION):
        add.invoke({"a": 5, "b": 5})
        assert context.get() == context.UNKNOWN

    own = [one for one in hooks.of("before_tool_call") if one["args"] == {"a": 5, "b": 5}]
    assert own
    assert {hooks.parent_noun(one) for one in own} == {None}


@pytest.mark.shows("langchain", "tool_error")
async def test_a_tool_whose_answer_is_an_error_is_one(hooks: HookLog) -> None:
    @tool
    def careful() -> str:
        """Break politely."""
        raise ToolException("try later")

    careful.handle_tool_error = True
    agent, model = calculator(calls("careful", {}), says("Later, then."), tools=[careful])
    await agent.ainvoke(QUESTION)

    assert hooks.one("error_tool_call")["result"] == "try later"
    assert read(model).content == "try later"
    assert hooks.of("after_tool_call") == []


@pytest.mark.shows("langchain", "tool_error")
@pytest.mark.parametrize("is_async", [False, True])
async def test_a_tool_that_there_is_not_is_an_error(hooks: HookLog, is_async: bool) -> None:
    agent, model = calculator(calls("subtract", {"a": 1}), says("I cannot."))

    await (agent.ainvoke(QUESTION) if is_async else asyncio.to_thread(agent.invoke, QUESTION))

    error = hooks.one("error_tool_call")
    assert (error["tool_name"], error["args"]) == ("subtract", {"a": 1})
    assert error["result"] == read(model).content
    assert "not a valid tool" in str(read(model).content)


@pytest.mark.shows("langchain", "concurrency")
def test_a_batch_is_one_run_each(hooks: HookLog) -> None:
    model = ScriptedModel(*(says("yes") for _ in range(5)))
    agent = create_agent(model, [])

    agent.batch([QUESTION] * 5)

    assert len(hooks.of("after_agent_call")) == 5
    assert len({one["parent_call_id"] for one in hooks.of("before_llm_generate")}) == 5


@pytest.mark.shows("langchain", "once")
async def test_a_tool_that_an_mcp_client_carries_out_is_reported_once(
    bus: Bus, hooks: HookLog
) -> None:
    server = MCPServer("calculator", log_level="ERROR")

    @server.tool(name="add_remote")
    async def _(a: int) -> int:
        return a + 1

    @tool
    async def add_remote(a: int) -> str:
        """Add one."""
        async with Client(server) as client:
            return str((await client.call_tool("add_remote", {"a": a})).structured_content)

    detach = mcp.attach(bus=bus)
    try:
        agent, model = calculator(calls("add_remote", {"a": 1}), says("2"), tools=[add_remote])
        await agent.ainvoke(QUESTION)
    finally:
        detach()

    assert "2" in str(read(model).content)
    assert hooks.one("after_tool_call")["tool_name"] == "add_remote"


@pytest.mark.shows("langchain", "sub_agents")
@pytest.mark.parametrize("is_async", [False, True])
async def test_an_agent_that_is_a_tool_is_below_that_tool(hooks: HookLog, is_async: bool) -> None:
    inner, _ = calculator()

    @tool
    def ask_calculator(question: str) -> str:
        """Ask."""
        messages = inner.invoke({"messages": [("user", question)]})["messages"]
        return str(messages[-1].content)

    outer: Any = create_agent(
        ScriptedModel(calls("ask_calculator", {"question": "1 + 2?"}), says("3, I am told.")),
        [ask_calculator],
        name="manager",
    )
    if is_async:
        await outer.ainvoke(QUESTION)
    else:
        await asyncio.to_thread(outer.invoke, QUESTION)

    by_name = {one["agent"].name: one for one in hooks.of("before_agent_call")}
    assert hooks.parent_noun(by_name["calculator"]) == "tool_call"
    assert hooks.parent_noun(by_name["manager"]) is None
    sums = [one for one in hooks.of("before_tool_call") if one["tool_name"] == "add"]
    assert [one["parent_call_id"] for one in sums] == [by_name["calculator"]["call_id"]]


@pytest.mark.shows("langchain", "sub_agents")
def test_a_graph_that_is_a_node_is_below_its_graph(hooks: HookLog) -> None:
    inner, _ = calculator()
    builder = StateGraph(MessagesState)
    builder.add_node("calculate", inner)
    builder.add_edge(START, "calculate")
    builder.add_edge("calculate", END)
    builder.compile(name="office").invoke(QUESTION)

    outer, below = hooks.of("before_agent_call")
    assert (outer["agent"].name, below["agent"].name) == ("office", "calculator")
    assert below["parent_call_id"] == outer["call_id"]


@pytest.mark.shows("langchain", "session")
async def test_a_thread_is_the_session_unless_the_program_names_one(
    bus: Bus, hooks: HookLog
) -> None:
    seen: list[str] = []
    bus.observe("before_tool_call", lambda **_: seen.append(context.get()))
    bus.observe("before_agent_call", lambda **_: seen.append(context.get()))
    config = {"configurable": {"thread_id": "thread-7"}}

    await calculator()[0].ainvoke(QUESTION, config)
    assert context.get() == context.UNKNOWN
    await asyncio.to_thread(calculator()[0].invoke, QUESTION, config)
    context.set("mine")
    await calculator()[0].ainvoke(QUESTION, config)

    assert seen == ["thread-7"] * 4 + ["mine"] * 2


@pytest.mark.shows("langchain", "sub_agents")
@pytest.mark.parametrize("is_async", [False, True])
async def test_a_hand_over_to_another_agent_is_no_error(hooks: HookLog, is_async: bool) -> None:
    @tool
    def to_clerk() -> Command[Any]:
        """Hand over."""
        message = ToolMessage("over to the clerk", tool_call_id="call-to_clerk-0")
        return Command(goto="clerk", graph=Command.PARENT, update={"messages": [message]})

    manager: Any = create_agent(ScriptedModel(calls("to_clerk", {})), [to_clerk], name="manager")
    clerk: Any = create_agent(ScriptedModel(says("Here I am.")), [], name="clerk")
    builder = StateGraph(MessagesState)
    builder.add_node("manager", manager, destinations=("clerk",))
    builder.add_node("clerk", clerk)
    builder.add_edge(START, "manager")
    office: Any = builder.compile(name="office")

    if is_async:
        state = await office.ainvoke(QUESTION)
    else:
        state = await asyncio.to_thread(office.invoke, QUESTION)

    assert state["messages"][-1].content == "Here I am."
    ended = {one["agent"].name: one for one in hooks.of("after_agent_call")}
    assert ended["manager"]["result"]["command"].goto == "clerk"
    assert ended["clerk"]["parent_call_id"] == ended["office"]["call_id"]
    assert {one["status"] for one in hooks.of("operation_closed")} == {"ok"}


# --- what can be decided --------------------------------------------------------------------------


def test_a_tool_that_the_program_calls_itself_is_denied_in_langchains_words(bus: Bus) -> None:
    bus.intercept("before_tool_call", lambda **_: Decision.deny("no sums today"))

    with pytest.raises(ToolException, match="no sums today"):
        add.invoke({"a": 1, "b": 2})

    assert ran == []


@pytest.mark.shows("langchain", "edit")
async def test_injected_arguments_are_not_reported_and_survive_an_edit(
    bus: Bus, hooks: HookLog
) -> None:
    ids: list[str] = []

    @tool
    async def remember(text: str, runtime: ToolRuntime) -> str:
        """Note."""
        ids.append(str(runtime.tool_call_id))
        return text

    bus.intercept("before_tool_call", lambda **_: Decision.modify(args={"text": "b"}))
    agent, model = calculator(calls("remember", {"text": "a"}), says("Noted."), tools=[remember])
    await agent.ainvoke(QUESTION)

    assert hooks.of("operation_opened")[2]["kwargs"]["args"] == {"text": "a"}
    assert (ids, read(model).content) == (["call-remember-0"], "b")


@pytest.mark.shows("langchain", "inject")
def test_what_hooks_add_reaches_the_model(bus: Bus, hooks: HookLog) -> None:
    bus.intercept(
        "before_llm_generate",
        lambda **_: Decision.inject_context("Be brief.", role="system"),
    )
    bus.intercept(
        "after_tool_call", lambda **_: Decision.inject_context("Mind the unit.", role="user")
    )
    agent, model = calculator()
    agent.invoke(QUESTION)

    assert [one.type for one in model.sent[0]] == ["system", "human"]
    assert model.sent[0][0].content == "Be brief."
    assert read(model).content == "3\n\nMind the unit."


@pytest.mark.parametrize("is_async", [False, True])
async def test_a_streamed_answer_is_reported_as_the_program_got_it(
    bus: Bus, hooks: HookLog, is_async: bool
) -> None:
    bus.intercept("after_llm_generate", lambda **_: Decision.modify("edited"))
    model = ScriptedModel(says("It is 3."))

    if is_async:
        pieces = [piece async for piece in model.astream("Hello")]
    else:
        pieces = list(model.stream("Hello"))

    got = "".join(str(piece.content) for piece in pieces)
    assert got.strip() == "It is 3."
    assert hooks.one("after_llm_generate")["response"].content == got
    assert hooks.of("hook_decided")[-1]["reason"].startswith("not applied: ")


@pytest.mark.shows("langchain", "deny_llm")
@pytest.mark.parametrize("streams", [False, True])
async def test_a_hook_answers_for_the_model(bus: Bus, hooks: HookLog, streams: bool) -> None:
    bus.intercept("before_llm_generate", lambda **_: Decision.stop("From the cache."))
    model = ScriptedModel()

    if streams:
        answers = "".join([str(piece.content) async for piece in model.astream("Hello")])
    else:
        answers = str((await model.ainvoke("Hello")).content)

    assert (answers, model.sent) == ("From the cache.", [])


@pytest.mark.shows("langchain", "deny_llm")
def test_a_denied_model_call_is_not_made(bus: Bus, hooks: HookLog) -> None:
    bus.intercept("before_llm_generate", lambda **_: Decision.deny("over budget"))
    model = ScriptedModel(says("never"))

    with pytest.raises(HookDenied, match="over budget"):
        model.invoke("Hello")
    with pytest.raises(HookDenied, match="over budget"):
        list(model.stream("Hello"))

    assert model.sent == []


def test_an_answer_is_replaced_or_requested_again(bus: Bus, hooks: HookLog) -> None:
    decisions = [Decision.retry("again"), Decision.modify(response="I cannot say.")]
    bus.intercept("after_llm_generate", lambda **_: decisions.pop(0))
    model = ScriptedModel(says("one"), says("two"))

    assert model.invoke("Hello").content == "I cannot say."
    assert len(model.sent) == 2


def test_edited_messages_are_those_that_are_sent(bus: Bus, hooks: HookLog) -> None:
    bus.intercept(
        "before_llm_generate", lambda **_: Decision.modify(prompt=[HumanMessage("Goodbye")])
    )
    model = ScriptedModel(says("one"), says("two"))

    model.invoke("Hello")
    list(model.stream("Hello"))

    assert [sent[0].content for sent in model.sent] == ["Goodbye", "Goodbye"]


# --- interrupts -----------------------------------------------------------------------------------


@pytest.mark.shows("langchain", "approve")
async def test_an_interrupt_of_the_graph_passes_and_is_no_error(hooks: HookLog) -> None:
    @tool
    def pay(amount: int) -> str:
        """Pay."""
        return f"paid: {interrupt({'pay': amount})}"

    agent, model = calculator(
        calls("pay", {"amount": 5}), says("Paid."), tools=[pay], checkpointer=InMemorySaver()
    )
    config = {"configurable": {"thread_id": "thread-8"}}

    paused = await agent.ainvoke(QUESTION, config)
    done = await agent.ainvoke(Command(resume="yes"), config)

    assert paused["__interrupt__"][0].value == {"pay": 5}
    assert (done["messages"][-1].content, read(model).content) == ("Paid.", "paid: yes")
    assert hooks.one("session_paused")["prompt"] == {"pay": 5}
    assert hooks.one("session_resumed")["payload"] == "yes"
    assert {one["status"] for one in hooks.of("operation_closed")} == {"ok"}
    assert hooks.of("after_tool_call")[0]["result"] == {"interrupted": [{"pay": 5}]}


# --- attaching ------------------------------------------------------------------------------------


def test_pieces_that_do_not_fit_together_still_reach_the_program(bus: Bus, hooks: HookLog) -> None:
    class Odd(ScriptedModel):
        def _stream(self, *args: Any, **kwargs: Any) -> Iterator[ChatGenerationChunk]:
            yield ChatGenerationChunk(message=AIMessageChunk(content="a", id="x"))
            for number in (1, 2):
                about = {"odd": {} if number == 1 else "text"}
                yield ChatGenerationChunk(
                    message=AIMessageChunk(content="b", response_metadata=about)
                )

    odd: Any = Odd
    pieces: list[Any] = []
    with suppress(TypeError):  # LangChain itself cannot merge them either, at the end
        pieces.extend(piece.content for piece in odd().stream("Hello"))

    assert pieces[:3] == ["a", "b", "b"]
    assert hooks.one("operation_closed")["noun"] == "llm_generate"
    assert hooks.one("error_llm_generate")["response"] is not None  # the last piece, at least


@pytest.mark.parametrize("streamed", ["graph", "messages", "model"])
def test_a_stream_that_is_left_ends_as_where_nobody_watches(
    bus: Bus, hooks: HookLog, monkeypatch: pytest.MonkeyPatch, streamed: str
) -> None:
    complaints: list[Any] = []
    monkeypatch.setattr(sys, "unraisablehook", complaints.append)

    async def leave() -> None:
        agent, model = calculator()
        source: Any = model.astream("hi") if streamed == "model" else agent.astream(QUESTION)
        if streamed == "messages":
            source = agent.astream(QUESTION, stream_mode="messages")
        async for _ in source:
            break

    asyncio.run(leave())
    gc.collect()

    assert complaints == []
    noun = "llm_generate" if streamed == "model" else "agent_call"
    assert isinstance(hooks.one(f"error_{noun}")["exc"], GeneratorExit)


async def test_a_stream_that_is_closed_has_closed_what_it_streams(bus: Bus, hooks: HookLog) -> None:
    agent, _ = calculator()
    async with aclosing(agent.astream(QUESTION)) as pieces:
        await anext(pieces)

    assert isinstance(hooks.one("error_agent_call")["exc"], GeneratorExit)
