"""Strands Agents: operations are reported as they are, and refused ones do not run."""

from __future__ import annotations

import asyncio
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

pytest.importorskip("strands")

from mcp import StdioServerParameters, stdio_client
from strands import Agent, tool
from strands.hooks import AfterModelCallEvent, BeforeToolCallEvent
from strands.multiagent import GraphBuilder, Swarm
from strands.session.file_session_manager import FileSessionManager
from strands.tools.mcp import MCPClient

from inspector import context
from inspector.integrations import mcp
from inspector.integrations.strands import attach
from instrument import Bus, Decision
from tests.integrations.contract import AdapterContract
from tests.integrations.mcp1.scripted_strands import ScriptedModel, StrandsAgent, call, make_agent

if TYPE_CHECKING:
    from tests.integrations.hook_log import HookLog

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")

SERVER = Path(__file__).with_name("server.py")


@pytest.fixture(autouse=True)
def watching(bus: Bus) -> Iterator[None]:
    detach = attach(bus=bus)
    yield
    detach()


class AddTool:
    """A tool, with the arguments of its calls."""

    def __init__(self) -> None:
        self.calls: list[Any] = []
        ran = self

        @tool
        def multiply(a: int, b: int) -> str:
            """Multiply two numbers."""
            ran.calls.append((a, b))
            return str(a * b)

        self.tool = multiply


@pytest.fixture
def ran() -> AddTool:
    return AddTool()


@tool
def explode() -> str:
    """Always fail."""
    raise ValueError("no powder")


class TestContract(AdapterContract):
    framework = "strands"
    agent = StrandsAgent
    attach = staticmethod(attach)


def test_a_run_is_reported_with_its_messages(hooks: HookLog, ran: AddTool) -> None:
    agent = make_agent(call("multiply", a=6, b=7), "forty-two", tools=[ran.tool])

    result = agent("what is 6 * 7?")

    began, ended = hooks.one("before_agent_call"), hooks.one("after_agent_call")
    assert began["agent"].agent is agent
    assert began["agent"].input == "what is 6 * 7?"
    assert ended["result"] is result
    first, second = hooks.of("after_llm_generate")
    assert first["prompt"][-1]["content"] == [{"text": "what is 6 * 7?"}]
    assert second["prompt"][-1]["content"][0]["toolResult"]["content"] == [{"text": "42"}]
    assert second["response"]["content"] == [{"text": "forty-two"}]
    assert second["usage"] == {"input_tokens": 11, "output_tokens": 7, "total_tokens": 18}
    tool_call = hooks.one("after_tool_call")
    assert tool_call["result"]["content"] == [{"text": "42"}]
    assert tool_call["tool_call_id"] == "multiply-1-0"


def test_a_tool_called_directly_is_reported(hooks: HookLog, ran: AddTool) -> None:
    agent = make_agent(tools=[ran.tool])

    result = agent.tool.multiply(a=2, b=3)

    assert result["content"] == [{"text": "6"}]
    assert hooks.one("after_tool_call")["tool_name"] == "multiply"


@pytest.mark.shows("strands", "tool_error")
def test_a_tool_that_raises_is_an_error_and_the_model_reads_it(hooks: HookLog) -> None:
    agent = make_agent(call("explode"), "it failed", tools=[explode])

    agent("explode")

    failed = hooks.one("error_tool_call")
    assert "no powder" in str(failed["exc"])
    assert failed["result"]["status"] == "error"
    model = agent.model
    assert isinstance(model, ScriptedModel)
    assert model.last_tool_result()["status"] == "error"


def test_a_tool_that_is_not_there_is_an_error(hooks: HookLog) -> None:
    make_agent(call("nothing"), "well")("go")

    assert hooks.one("error_tool_call")["tool_name"] == "nothing"


def test_each_attempt_of_a_hook_that_retries_is_a_call_of_its_own(hooks: HookLog) -> None:
    agent = make_agent(ConnectionError("once"), "there")

    def again(event: AfterModelCallEvent) -> None:
        event.retry = event.exception is not None

    agent.add_hook(again, AfterModelCallEvent)
    agent("hi")

    assert len(hooks.of("error_llm_generate")) == 1
    assert len(hooks.of("after_llm_generate")) == 1


# --- decisions ---------------------------------------------------------------------------------


@pytest.mark.shows("strands", "edit")
def test_arguments_are_changed_before_the_tool_runs(bus: Bus, hooks: HookLog, ran: AddTool) -> None:
    bus.intercept("before_tool_call", lambda **_: Decision.modify({"a": 10, "b": 10}))
    agent = make_agent(call("multiply", a=1, b=2), "fine", tools=[ran.tool])

    agent("go")

    assert ran.calls == [(10, 10)]
    assert hooks.one("after_tool_call")["args"] == {"a": 10, "b": 10}
    own = agent.messages[1]["content"][0]["toolUse"]["input"]
    assert own == {"a": 1, "b": 2}  # the history is unchanged


def test_another_tool_runs_where_a_hook_says_so(bus: Bus, hooks: HookLog, ran: AddTool) -> None:
    bus.intercept(
        "before_tool_call",
        lambda **_: Decision.modify(tool_name="multiply", args={"a": 3, "b": 3}),
    )
    agent = make_agent(call("explode"), "fine", tools=[ran.tool, explode])

    agent("go")

    assert ran.calls == [(3, 3)]


@pytest.mark.shows("strands", "replace")
@pytest.mark.parametrize(
    "result", ["0", {"content": [{"text": "0"}]}], ids=["a text", "a result of Strands"]
)
def test_a_result_is_changed_before_the_model_sees_it(
    bus: Bus, hooks: HookLog, ran: AddTool, result: Any
) -> None:
    bus.intercept("after_tool_call", lambda **_: Decision.modify(result))
    agent = make_agent(call("multiply", a=1, b=2), "fine", tools=[ran.tool])

    agent("go")

    assert isinstance(agent.model, ScriptedModel)
    assert agent.model.last_tool_result() == {
        "toolUseId": "multiply-1-0",
        "status": "success",
        "content": [{"text": "0"}],
    }


@pytest.mark.shows("strands", "retry")
def test_a_tool_runs_again(bus: Bus, hooks: HookLog, ran: AddTool) -> None:
    once = iter([Decision.retry("unlucky")])
    bus.intercept("after_tool_call", lambda **_: next(once, None))
    agent = make_agent(call("multiply", a=1, b=2), "fine", tools=[ran.tool])

    agent("go")

    assert ran.calls == [(1, 2), (1, 2)]
    assert len(hooks.of("after_tool_call")) == 2
    assert len(agent.messages[2]["content"]) == 1  # one result for the model


@pytest.mark.shows("strands", "inject")
def test_context_is_added_for_the_model_and_not_to_the_history(bus: Bus, hooks: HookLog) -> None:
    bus.intercept("before_llm_generate", lambda **_: Decision.inject_context("Be brief."))
    bus.intercept(
        "before_llm_generate", lambda **_: Decision.inject_context("Quickly.", role="user")
    )
    agent = make_agent("yes", system_prompt="You are kind.")

    agent("hi")

    model = agent.model
    assert isinstance(model, ScriptedModel)
    assert model.system == ["You are kind.\nBe brief."]
    assert model.seen[0][-1] == {"role": "user", "content": [{"text": "Quickly."}]}
    assert len(agent.messages) == 2


@pytest.mark.shows("strands", "inject")
def test_context_of_a_tool_call_is_added_to_its_result(
    bus: Bus, hooks: HookLog, ran: AddTool
) -> None:
    bus.intercept("after_tool_call", lambda **_: Decision.inject_context("Mind the units."))
    agent = make_agent(call("multiply", a=1, b=2), "fine", tools=[ran.tool])

    agent("go")

    assert isinstance(agent.model, ScriptedModel)
    texts = [one["text"] for one in agent.model.last_tool_result()["content"]]
    assert texts == ["2", "Mind the units."]


def test_a_run_that_is_refused_returns_why(bus: Bus, hooks: HookLog) -> None:
    bus.intercept("before_agent_call", lambda **_: Decision.deny("closed"))

    result = make_agent()("hi")

    assert result.stop_reason == "cancelled"
    assert str(result).strip() == "Denied: closed"


# --- streams, tasks, cancellation ----------------------------------------------------------------


@pytest.mark.shows("strands", "streaming")
async def test_a_streamed_answer_arrives_in_pieces_and_is_measured(hooks: HookLog) -> None:
    agent = make_agent("one two three")

    pieces = [event["data"] async for event in agent.stream_async("hi") if "data" in event]

    assert pieces == ["one", "two", "three"]
    [closed] = [one for one in hooks.of("operation_closed") if one["noun"] == "llm_generate"]
    assert closed["stream"].first_chunk_ns > 0
    assert hooks.texts[closed["call_id"]] == "onetwothree"


async def test_what_the_consumer_does_between_two_pieces_is_not_below_the_run(
    bus: Bus, hooks: HookLog
) -> None:
    async for event in make_agent("one two").stream_async("hi"):
        if "data" in event:
            async with bus.operation("tool_call", tool_name="mine", args={}, context=None):
                pass

    assert {one["parent_call_id"] for one in hooks.of("before_tool_call")} == {None}


@pytest.mark.shows("strands", "streaming")
async def test_a_stream_that_is_closed_early_closes_everything(hooks: HookLog) -> None:
    events = make_agent("one two three").stream_async("hi")
    async for event in events:
        if "data" in event:
            break
    await events.aclose()

    statuses = {one["noun"]: one["status"] for one in hooks.of("operation_closed")}
    assert statuses == {"llm_generate": "cancelled", "agent_call": "cancelled"}


@pytest.mark.shows("strands", "cancellation")
async def test_a_cancelled_task_closes_everything(hooks: HookLog) -> None:
    waiting = asyncio.Event()
    agent = make_agent("never")
    assert isinstance(agent.model, ScriptedModel)

    def wait() -> Any:
        waiting.set()
        return asyncio.Event().wait()

    agent.model.between = wait
    run = asyncio.create_task(agent.invoke_async("hi"))
    await asyncio.wait_for(waiting.wait(), 10)
    run.cancel()
    with pytest.raises(asyncio.CancelledError):
        await run

    statuses = {one["noun"]: one["status"] for one in hooks.of("operation_closed")}
    assert statuses == {"llm_generate": "cancelled", "agent_call": "cancelled"}


@pytest.mark.slow
@pytest.mark.shows("strands", "once")
def test_a_tool_of_an_mcp_server_is_reported_once(bus: Bus, hooks: HookLog) -> None:
    detach = mcp.attach(bus=bus)
    server = StdioServerParameters(command=sys.executable, args=["-P", str(SERVER)])
    try:
        with MCPClient(lambda: stdio_client(server)) as client:
            tools = client.list_tools_sync()
            agent = make_agent(call("echo", text="hi"), "done", tools=tools)
            assert str(agent("go")).strip() == "done"
    finally:
        detach()
    tool = hooks.one("before_tool_call")
    assert hooks.parent_noun(tool) == "agent_call"
    methods = [one["envelope"]["method"] for one in hooks.of("before_rpc_request")]
    assert methods.count("tools/call") == 1


async def test_a_run_that_the_program_cancels_ends_as_strands_ends_it(
    hooks: HookLog,
) -> None:
    agent = make_agent("one two three")
    assert isinstance(agent.model, ScriptedModel)
    agent.model.between = agent.cancel

    result = await agent.invoke_async("hi")

    assert result.stop_reason == "cancelled"
    assert hooks.one("after_agent_call")["result"].stop_reason == "cancelled"


@pytest.mark.shows("strands", "concurrency")
def test_tools_of_one_answer_run_at_the_same_time_below_their_run(hooks: HookLog) -> None:
    together = threading.Barrier(3)

    @tool
    def meet(number: int) -> str:
        """Wait for the others."""
        together.wait(10)
        return str(number)

    agent = make_agent([call("meet", number=n) for n in range(3)], "done", tools=[meet])
    agent("go")

    tools = hooks.of("after_tool_call")
    assert sorted(one["args"]["number"] for one in tools) == [0, 1, 2]
    run = hooks.one("before_agent_call")["call_id"]
    assert {one["parent_call_id"] for one in tools} == {run}


# --- several agents -------------------------------------------------------------------------------


@pytest.mark.shows("strands", "sub_agents")
def test_an_agent_used_as_a_tool_is_below_that_tool(hooks: HookLog) -> None:
    helper = Agent(
        model=ScriptedModel("helped"), callback_handler=None, name="helper", description="helps"
    )
    agent = make_agent(call("helper", input="help me"), "done", tools=[helper.as_tool()])

    agent("go")

    _, inner = hooks.of("before_agent_call")
    assert inner["agent"].agent is helper
    assert hooks.parent_noun(inner) == "tool_call"


@pytest.mark.shows("strands", "sub_agents")
def test_the_agents_of_a_graph_are_below_it(hooks: HookLog) -> None:
    builder = GraphBuilder()
    for name in ("first", "second"):
        model = ScriptedModel(f"{name} done")
        builder.add_node(Agent(model=model, callback_handler=None, name=name), name)
    builder.add_edge("first", "second")
    builder.set_max_node_executions(5)
    graph = builder.build()

    result = graph("go")

    assert str(result.status.value) == "completed"
    assert hooks.one("after_workflow_run")["result"] is result
    assert hooks.one("before_workflow_run")["args"] == "go"
    assert [one["agent"].name for one in hooks.of("before_agent_call")] == ["first", "second"]
    for one in hooks.of("before_agent_call"):
        assert hooks.parent_noun(one) == "workflow_run"


@pytest.mark.shows("strands", "sub_agents")
def test_a_swarm_is_reported_with_its_hand_off(hooks: HookLog) -> None:
    first = Agent(
        model=ScriptedModel(call("handoff_to_agent", agent_name="second", message="yours"), "bye"),
        callback_handler=None,
        name="first",
    )
    second = Agent(model=ScriptedModel("done"), callback_handler=None, name="second")

    result = Swarm([first, second])("go")

    assert [node.node_id for node in result.node_history] == ["first", "second"]
    assert hooks.one("after_tool_call")["args"]["agent_name"] == "second"
    assert [one["agent"].name for one in hooks.of("before_agent_call")] == ["first", "second"]
    for one in hooks.of("before_agent_call"):
        assert hooks.parent_noun(one) == "workflow_run"


@pytest.mark.shows("strands", "session")
def test_the_session_of_a_session_manager_is_ours(bus: Bus, hooks: HookLog, tmp_path: Any) -> None:
    seen = []
    bus.register("before_llm_generate", lambda **_: seen.append(context.get()))
    manager = FileSessionManager(session_id="holiday", storage_dir=str(tmp_path))

    make_agent("yes", session_manager=manager)("hi")

    assert seen == ["holiday"]
    assert context.get() == context.UNKNOWN


@pytest.mark.shows("strands", "session")
def test_runs_of_one_agent_are_one_session_and_those_inside_a_run_belong_to_it(
    bus: Bus, hooks: HookLog
) -> None:
    seen = []
    bus.register("before_agent_call", lambda **_: seen.append(context.get()))
    helper = Agent(
        model=ScriptedModel("helped"), callback_handler=None, name="helper", description="helps"
    )
    agent = make_agent("hi", call("helper", input="help"), "done", tools=[helper.as_tool()])

    agent("hi")
    agent("help me")

    assert seen == [agent.session_id] * 3


def test_the_session_that_the_program_names_wins(bus: Bus, hooks: HookLog, tmp_path: Any) -> None:
    seen = []
    bus.register("before_llm_generate", lambda **_: seen.append(context.get()))
    manager = FileSessionManager(session_id="holiday", storage_dir=str(tmp_path))
    context.set("mine")
    try:
        make_agent("yes", session_manager=manager)("hi")
    finally:
        context.set(context.UNKNOWN)

    assert seen == ["mine"]


# --- attaching ------------------------------------------------------------------------------------


def _identities() -> list[Any]:
    from strands.multiagent.graph import Graph

    owners = (Agent.__init__, Agent.stream_async, Graph.stream_async, Swarm.stream_async)
    return list(owners)


def test_detaching_puts_back_what_was_there(bus: Bus, hooks: HookLog) -> None:
    other = Bus()
    before = _identities()
    detach = attach(bus=other)
    assert not any(ours is there for ours, there in zip(_identities(), before, strict=True))
    agent = make_agent("one", "two")
    with_ours = {stage: len(found) for stage, found in agent._middleware_registry._handlers.items()}
    detach()
    detach()

    assert _identities() == before
    found = agent._middleware_registry._handlers
    assert {stage: len(one) for stage, one in found.items()} == {
        stage: count - 1 for stage, count in with_ours.items()
    }


def test_an_agent_made_before_is_watched(hooks: HookLog, bus: Bus) -> None:
    other = Bus()
    agent = make_agent("hi")
    seen: list[str] = []
    other.observe_all(lambda name, /, **_: seen.append(name))
    detach = attach(bus=other)
    agent("hi")
    detach()

    assert seen.count("before_agent_call") == seen.count("before_llm_generate") == 1


def test_nobody_listening_leaves_the_run_alone(ran: AddTool) -> None:
    agent = make_agent(call("multiply", a=2, b=2), "four", tools=[ran.tool])

    assert str(agent("go")).strip() == "four"


def test_hooks_of_the_program_still_decide(hooks: HookLog, ran: AddTool) -> None:
    agent = make_agent(call("multiply", a=2, b=2), "fine", tools=[ran.tool])

    def change(event: BeforeToolCallEvent) -> None:
        event.tool_use["input"] = {"a": 5, "b": 5}

    agent.add_hook(change, BeforeToolCallEvent)
    agent("go")

    assert ran.calls == [(5, 5)]
    assert hooks.one("after_tool_call")["args"] == {"a": 5, "b": 5}
