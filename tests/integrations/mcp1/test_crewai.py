"""CrewAI: operations are reported as they are, and refused ones do not run."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("crewai")

os.environ["CREWAI_DISABLE_TELEMETRY"] = "true"  # it waits for its host when a process ends a run

import crewai_cli
from crewai import LLM, Agent, Crew, Process, Task
from crewai.flow.async_feedback.types import HumanFeedbackPending
from crewai.flow.flow import Flow, listen, start
from crewai.flow.human_feedback import human_feedback
from crewai.flow.persistence import SQLiteFlowPersistence
from crewai.hooks import HookAborted
from crewai.lite_agent import LiteAgent
from crewai.mcp import MCPServerStdio
from crewai.tools import BaseTool, tool
from crewai.utilities.string_utils import sanitize_tool_name
from pydantic import BaseModel

from inspector import context
from inspector.integrations import mcp, openai
from inspector.integrations.crewai import attach
from instrument import Bus, Decision
from tests.integrations.cancellation import cancel_from_browser
from tests.integrations.contract import AdapterContract, ScriptedAgent
from tests.integrations.hook_log import HookLog
from tests.integrations.mcp1.scripted_crewai import (
    CrewAIAgent,
    ScriptedModel,
    calls,
    make_agent,
    model_of,
)
from tests.support.services.model_provider import (
    RECEIVED,
    SENT,
    ModelProvider,
    overloaded,
    says,
)
from tests.support.services.model_provider import calls as provider_calls
from tests.support.services.process import Service, wait_for

ROOT = Path(__file__).parents[3]

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")


@pytest.fixture(autouse=True)
def watching(bus: Bus) -> Iterator[None]:
    detach = attach(bus=bus)
    yield
    detach()


class TestContract(AdapterContract):
    framework = "crewai"
    agent = CrewAIAgent
    attach = staticmethod(attach)

    # The framework runs each tool on a thread, on an event loop of its own.

    @pytest.mark.shows("concurrency")
    async def test_runs_at_the_same_time_keep_their_own_calls(
        self, hooks: HookLog, async_way: str
    ) -> None:
        together = threading.Barrier(3)

        def meet(number: int) -> str:
            """Wait for the others."""
            together.wait(10)
            return str(number)

        def agent(number: int) -> ScriptedAgent:
            script = calls("meet", {"number": number}), f"run-{number}"
            return CrewAIAgent(*script, tools=[meet])

        answers = await asyncio.gather(*(agent(number).run(async_way) for number in range(3)))

        assert answers == ["run-0", "run-1", "run-2"]
        numbers = {
            one["parent_call_id"]: one["args"]["number"] for one in hooks.of("before_tool_call")
        }
        assert sorted(numbers.values()) == [0, 1, 2]
        for one in hooks.of("after_agent_call"):
            assert str(numbers[one["call_id"]]) in str(one["result"])
        models = [one["parent_call_id"] for one in hooks.of("after_llm_generate")]
        assert sorted(models) == sorted([*numbers, *numbers])

    @pytest.mark.shows("cancellation")
    async def test_a_cancelled_run_is_closed_as_cancelled(self, hooks: HookLog) -> None:
        tool = BlockingTool()
        run = asyncio.create_task(tool.agent().run("async"))
        await tool.has_started()
        run.cancel()
        with pytest.raises(asyncio.CancelledError):
            await run
        closed = {one["noun"]: one["status"] for one in hooks.of("operation_closed")}
        assert (closed["agent_call"], "tool_call" in closed) == ("cancelled", False)

        await tool.end()

        await asyncio.to_thread(wait_for, lambda: hooks.of("after_tool_call"))
        assert len(hooks.of("before_llm_generate")) == 1

    @pytest.mark.shows("cancel")
    async def test_a_run_that_a_person_cancels_ends(self) -> None:
        tool = BlockingTool()

        async def run(running: asyncio.Event) -> str:
            task = asyncio.ensure_future(tool.agent().run("async"))
            await tool.has_started()
            running.set()
            try:
                return await task
            finally:
                await tool.end()

        spans = await cancel_from_browser(attach, run)

        assert "invoke_agent calculator" in spans


class BlockingTool:
    """A tool that returns when the test wants it to."""

    def __init__(self) -> None:
        self._started, self._ending = threading.Event(), threading.Event()

    def agent(self) -> CrewAIAgent:
        """Return an agent that calls it."""

        def block() -> str:
            """Wait."""
            self._started.set()
            self._ending.wait(30)
            return "done"

        return CrewAIAgent(calls("block", {}), "never", tools=[block])

    async def has_started(self) -> None:
        """Wait until it runs."""
        assert await asyncio.to_thread(self._started.wait, 30)

    async def end(self) -> None:
        """Let it return."""
        self._ending.set()


def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b


def make_task(agent: Agent | None, description: str = "Add 1 and 2.", **more: Any) -> Task:
    return Task(description=description, expected_output="A number.", agent=agent, **more)


# --- crews, tasks, flows -------------------------------------------------------------------------


def test_a_crew_is_reported_with_its_tasks_agents_and_calls(hooks: HookLog) -> None:
    adder = make_agent(calls("add", {"a": 1, "b": 2}), "3", tools=[add], role="adder")
    writer = make_agent("It is three.", role="{style} writer")
    first, second = make_task(adder), make_task(writer, "Write {topic} down.", name="write")

    crew = Crew(name="sums", agents=[adder, writer], tasks=[first, second])
    result = crew.kickoff(inputs={"topic": "it", "style": "plain"})

    assert result.raw == "It is three."
    began, ended = hooks.one("before_workflow_run"), hooks.one("after_workflow_run")
    assert (began["workflow"].name, ended["result"]) == ("sums", "It is three.")
    assert began["args"] == {"topic": "it", "style": "plain"}
    steps = hooks.of("before_step_run")
    assert [one["step"] for one in steps] == ["Add 1 and 2.", "write"]
    assert steps[1]["args"] == {
        "description": "Write it down.",
        "expected_output": "A number.",
        "context": "3",
    }
    assert [one["result"] for one in hooks.of("after_step_run")] == ["3", "It is three."]
    agents = hooks.of("before_agent_call")
    assert [one["agent"].name for one in agents] == ["adder", "plain writer"]
    assert agents[1]["agent"].input == "Write it down.\n\n3"
    assert (agents[0]["agent"].model, agents[0]["agent"].description) == ("scripted-1", "Be exact")
    assert {hooks.parent_noun(one) for one in steps} == {"workflow_run"}
    assert {hooks.parent_noun(one) for one in agents} == {"step_run"}
    tool = hooks.one("after_tool_call")
    assert (tool["result"], tool["tool_call_id"]) == (3, "call-add-0")
    (offered,) = hooks.of("before_llm_generate")[0]["request_params"]["tools"]
    assert offered["function"]["description"] == "Add two numbers."
    assert offered["function"]["parameters"]["required"] == ["a", "b"]
    model = hooks.of("after_llm_generate")[1]
    assert [one["role"] for one in model["prompt"]][-2:] == ["assistant", "tool"]
    assert model["response"] == {
        "role": "assistant",
        "parts": [{"type": "text", "content": "3"}],
        "finish_reason": "stop",
    }
    assert model["usage"] == {"input_tokens": 10, "output_tokens": 5}
    hooks.check_pairs()


@pytest.mark.parametrize("way", ["kickoff_async", "akickoff"])
async def test_a_crew_runs_async(hooks: HookLog, way: str) -> None:
    agent = make_agent("3")
    result = await getattr(Crew(agents=[agent], tasks=[make_task(agent)]), way)()

    assert result.raw == "3"
    assert hooks.names == [
        *("before_workflow_run", "before_step_run", "before_agent_call"),
        *("before_llm_generate", "after_llm_generate"),
        *("after_agent_call", "after_step_run", "after_workflow_run"),
    ]
    hooks.check_pairs()


@pytest.mark.parametrize("way", ["kickoff_for_each", "akickoff_for_each"])
async def test_each_run_of_a_crew_is_reported_with_its_inputs(bus: Bus, way: str) -> None:
    agent = make_agent("one", "two")
    crew = Crew(agents=[agent], tasks=[make_task(agent, "Say {word}.")])
    mine, hooks = Bus(), HookLog()
    mine.observe_all(hooks)
    detach = attach(crew, bus=mine)
    inputs: Any = [{"word": "one"}, {"word": "two"}]
    try:
        if way.startswith("a"):
            results: Any = await crew.akickoff_for_each(inputs)
        else:
            results = await asyncio.to_thread(crew.kickoff_for_each, inputs)
    finally:
        detach()

    assert sorted(one.raw for one in results) == ["one", "two"]
    words = sorted(one["args"]["word"] for one in hooks.of("before_workflow_run"))
    assert words == ["one", "two"]
    inputs_of_agents = sorted(one["agent"].input for one in hooks.of("before_agent_call"))
    assert inputs_of_agents == ["Say one.", "Say two."]
    hooks.check_pairs()


def test_a_crew_that_streams_is_reported_once(hooks: HookLog) -> None:
    agent = make_agent("one two three")
    output = Crew(agents=[agent], tasks=[make_task(agent)], stream=True).kickoff()

    pieces = [chunk.content for chunk in output if chunk.content]

    assert pieces == ["one", "two", "three"]
    assert hooks.one("after_workflow_run")["result"] == "one two three"
    (closed,) = (one for one in hooks.of("operation_closed") if one["noun"] == "llm_generate")
    assert closed["stream"].chunk_count == 3


def test_async_tasks_are_below_their_crew(hooks: HookLog) -> None:
    agents = [make_agent(text, role=text) for text in ("one", "two")]
    first = make_task(agents[0], async_execution=True)
    last = make_task(agents[1], context=[first])

    Crew(agents=agents, tasks=[first, last]).kickoff()

    assert {hooks.parent_noun(one) for one in hooks.of("before_step_run")} == {"workflow_run"}
    hooks.check_pairs()


@pytest.mark.shows("crewai", "sub_agents")
def test_an_agent_that_is_delegated_to_is_below_that_tool(hooks: HookLog) -> None:
    helper = make_agent("helped", role="helper")
    work = {"task": "Help.", "context": "All of it.", "coworker": "helper"}
    boss = make_agent(calls("delegate_work_to_coworker", work), "done", role="boss")
    boss.allow_delegation = True

    Crew(agents=[boss, helper], tasks=[make_task(boss)]).kickoff()

    outer, inner = hooks.of("before_agent_call")
    assert (outer["agent"].name, inner["agent"].name) == ("boss", "helper")
    assert (inner["agent"].input, hooks.parent_noun(inner)) == ("Help.\n\nAll of it.", "tool_call")
    assert hooks.one("after_tool_call")["result"] == "helped"


@pytest.mark.shows("crewai", "sub_agents")
def test_the_manager_of_a_hierarchical_crew_is_reported(hooks: HookLog) -> None:
    helper = make_agent("helped", role="helper")
    work = {"task": "Help.", "context": "", "coworker": "helper"}
    manager = ScriptedModel.of(calls("delegate_work_to_coworker", work), "done")

    Crew(
        agents=[helper],
        tasks=[make_task(None)],
        process=Process.hierarchical,
        manager_llm=manager,
    ).kickoff()

    names = [one["agent"].name for one in hooks.of("before_agent_call")]
    assert names == ["Crew Manager", "helper"]


def test_an_agent_that_tries_again_by_itself_is_one_run(hooks: HookLog) -> None:
    agent = make_agent(ConnectionError("once"), "there")

    Crew(agents=[agent], tasks=[make_task(agent)]).kickoff()

    assert len(hooks.of("before_agent_call")) == 1
    assert len(hooks.of("error_llm_generate")) == 1
    assert hooks.one("after_agent_call")["result"] == "there"


@pytest.mark.slow
def test_a_flow_is_reported_with_its_steps_and_what_they_run(hooks: HookLog) -> None:
    agent = make_agent("3")

    class Sums(Flow[dict[str, Any]]):
        @start()
        def ask(self) -> str:
            return "1 + 2"

        @listen(ask)
        def answer(self, question: str) -> str:
            return str(Crew(agents=[agent], tasks=[make_task(agent, question)]).kickoff().raw)

    assert Sums().kickoff(inputs={"who": "Ada"}) == "3"

    flow, crew = hooks.of("before_workflow_run")
    assert (type(flow["workflow"]), flow["args"]) == (Sums, {"who": "Ada"})
    ask, answer, task = hooks.of("before_step_run")
    assert [ask["step"], answer["step"], task["step"]] == ["ask", "answer", "1 + 2"]
    assert answer["args"] == {"0": "1 + 2"}
    assert crew["parent_call_id"] == answer["call_id"]
    assert [hooks.parent_noun(one) for one in (ask, answer, task)] == ["workflow_run"] * 3
    hooks.check_pairs()


@pytest.mark.slow
@pytest.mark.shows("crewai", "session")
def test_the_id_of_a_flow_is_the_session(bus: Bus, hooks: HookLog) -> None:
    seen = []
    bus.register("before_step_run", lambda **_: seen.append(context.get()))

    class Talk(Flow[dict[str, Any]]):
        @start()
        def greet(self) -> str:
            return "hello"

    Talk().kickoff(inputs={"id": "holiday"})
    Talk().kickoff()

    assert seen == ["holiday", context.UNKNOWN]
    assert context.get() == context.UNKNOWN


@pytest.mark.shows("crewai", "replace")
@pytest.mark.parametrize("hook", ["after_step_run", "error_step_run"])
def test_a_result_that_a_hook_gives_a_step_is_the_result_of_the_flow(bus: Bus, hook: str) -> None:
    bus.intercept(hook, lambda **_: Decision.modify("good-bye"))

    class Talk(Flow[dict[str, Any]]):
        @start()
        def greet(self) -> str:
            if hook == "error_step_run":
                raise ValueError("no words")
            return "hello"

    assert Talk().kickoff() == "good-bye"


class AskLater:
    """A way to ask a person who answers when the flow has stopped."""

    def request_feedback(self, context: Any, flow: Any) -> str:
        """Stop the flow."""
        raise HumanFeedbackPending(context=context)


@pytest.mark.shows("crewai", "session")
def test_a_flow_that_waits_for_a_person_is_no_error_and_goes_on(
    bus: Bus, hooks: HookLog, tmp_path: Path
) -> None:
    sessions = []
    bus.observe("before_step_run", lambda **_: sessions.append(context.get()))
    bus.intercept("after_step_run", lambda result, **_: Decision.modify(f"{result}!"))

    class Letters(Flow[dict[str, Any]]):
        @start()
        @human_feedback(message="Send it?", provider=AskLater())
        def draft(self) -> str:
            return "Dear Ada"

        @listen(draft)
        def send(self, answer: Any) -> str:
            return f"{answer.output}: {answer.feedback}"

    stored = SQLiteFlowPersistence(str(tmp_path / "flows.db"))
    pending = Letters(persistence=stored).kickoff(inputs={"id": "letter-1"})

    assert isinstance(pending, HumanFeedbackPending)
    waits = {"waits_for_feedback": "Send it?"}
    assert hooks.one("after_workflow_run")["result"] == waits
    closed = [(one["noun"], one["status"]) for one in hooks.of("operation_closed")]
    assert closed == [("step_run", "ok"), ("workflow_run", "ok")]

    answer = Letters.from_pending("letter-1", stored).resume("Yes")

    assert answer == "Dear Ada: Yes!"
    rest = hooks.of("before_workflow_run")[-1]
    assert (rest["args"], hooks.of("after_workflow_run")[-1]["result"]) == ("Yes", answer)
    assert [one["step"] for one in hooks.of("before_step_run")] == ["draft", "send"]
    assert sessions == ["letter-1"] * 2
    hooks.check_pairs()


@pytest.mark.filterwarnings("ignore:LiteAgent is deprecated:FutureWarning")
@pytest.mark.parametrize("way", ["thread", "loop", "async"])
def test_a_lite_agent_is_reported_and_decided_however_it_is_run(
    bus: Bus, hooks: HookLog, way: str
) -> None:
    ran = []
    bus.intercept("before_tool_call", lambda **_: Decision.deny("no sums today"))

    def add(a: int, b: int) -> int:
        """Add two numbers."""
        ran.append((a, b))
        return a + b

    model = ScriptedModel.of(ACTION, FINAL, is_native=False)
    about = {"role": "adder", "goal": "Be exact", "backstory": "You count."}
    agent = LiteAgent(**about, llm=model, tools=[tool(add)])

    async def run() -> Any:
        return agent.kickoff("1 + 2?") if way == "loop" else await agent.kickoff_async("1 + 2?")

    result = agent.kickoff("1 + 2?") if way == "thread" else asyncio.run(run())

    assert (result.raw, ran) == ("three", [])
    assert "Denied: no sums today" in str(model.sent[-1])
    assert hooks.one("before_agent_call")["agent"].name == "adder"
    assert hooks.one("after_agent_call")["result"] == "three"
    assert hooks.parent_noun(hooks.one("error_tool_call")) == "agent_call"
    hooks.check_pairs()


@pytest.mark.parametrize("hook", ["before_workflow_run", "before_step_run", "before_llm_generate"])
def test_a_refused_part_of_a_crew_ends_it_with_the_reason(
    bus: Bus, hooks: HookLog, hook: str
) -> None:
    bus.intercept(hook, lambda **_: Decision.deny("closed"))
    agent = make_agent("3")

    with pytest.raises(HookAborted, match="Denied: closed"):
        Crew(agents=[agent], tasks=[make_task(agent)]).kickoff()

    assert model_of(agent).sent == []


def test_a_hook_gives_the_results_of_runs(bus: Bus, hooks: HookLog) -> None:
    agent = make_agent("3")
    bus.intercept("after_agent_call", lambda **_: Decision.modify("four"))
    bus.intercept("after_step_run", lambda result, **_: Decision.modify(f"{result} of a task"))
    bus.intercept("after_workflow_run", lambda result, **_: Decision.modify(f"{result} of a crew"))

    result = Crew(agents=[agent], tasks=[make_task(agent)]).kickoff()

    assert result.raw == "four of a task of a crew"


# --- models --------------------------------------------------------------------------------------


@pytest.mark.shows("crewai", "streaming")
def test_a_streamed_answer_is_measured(hooks: HookLog) -> None:
    assert ScriptedModel.of("one two three", stream=True).call("Count.") == "one two three"

    (closed,) = hooks.of("operation_closed")
    assert (closed["stream"].chunk_count, closed["stream"].first_chunk_ns > 0) == (3, True)
    assert list(hooks.texts.values()) == ["onetwothree"]
    assert hooks.one("before_llm_generate")["request_params"]["stream"] is True


def test_the_pieces_of_a_stream_that_broke_are_reported(hooks: HookLog) -> None:
    with pytest.raises(ConnectionError):
        ScriptedModel.of("one two BROKEN", stream=True).call("Count.")

    failed = hooks.one("error_llm_generate")
    assert failed["response"]["parts"] == [{"type": "text", "content": "onetwo"}]


@pytest.mark.shows("crewai", "inject")
def test_context_is_added_for_one_model_call_only(bus: Bus, hooks: HookLog) -> None:
    bus.intercept("before_llm_generate", lambda **_: Decision.inject_context("Be brief."))
    agent = make_agent(calls("add", {"a": 1, "b": 2}), "3", tools=[add])

    agent.kickoff("1 + 2?")

    first, second = model_of(agent).sent
    assert first[-1] == second[-1] == {"role": "system", "content": "Be brief."}
    assert len([one for one in second if one["content"] == "Be brief."]) == 1


@pytest.mark.shows("crewai", "inject")
def test_context_of_a_tool_call_is_added_to_its_result(bus: Bus, hooks: HookLog) -> None:
    bus.intercept("after_tool_call", lambda **_: Decision.inject_context("Mind the units."))
    agent = make_agent(calls("add", {"a": 1, "b": 2}), "3", tools=[add])

    agent.kickoff("1 + 2?")

    assert model_of(agent).read() == "3\n\nMind the units."


def test_a_hook_changes_the_messages_and_keeps_the_others(bus: Bus, hooks: HookLog) -> None:
    bus.intercept(
        "before_llm_generate",
        lambda prompt, **_: Decision.modify([*prompt[:-1], {"role": "user", "content": "2 + 2?"}]),
    )
    agent = make_agent("4")

    agent.kickoff("1 + 2?")

    (sent,) = model_of(agent).sent
    assert [one["role"] for one in sent] == ["system", "user"]
    assert sent[-1]["content"] == "2 + 2?"


class Sum(BaseModel):
    """An answer with a schema."""

    total: int


def test_an_answer_with_a_schema_is_reported_and_returned_as_it_is(hooks: HookLog) -> None:
    answer = ScriptedModel.of(Sum(total=3)).call("1 + 2?", response_model=Sum)

    assert answer == Sum(total=3)
    parts = hooks.one("after_llm_generate")["response"]["parts"]
    assert parts == [{"type": "text", "content": '{"total":3}'}]


@pytest.fixture
def provider(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModelProvider]:
    with ModelProvider() as started:
        for name, value in started.environment.items():
            monkeypatch.setenv(name, value)
        yield started


@pytest.mark.slow
@pytest.mark.shows("crewai", "once")
@pytest.mark.parametrize("stream", [False, True], ids=["whole", "streamed"])
def test_a_call_through_a_watched_client_is_reported_once(
    bus: Bus, hooks: HookLog, provider: ModelProvider, stream: bool
) -> None:
    detach = openai.attach(bus=bus)
    provider.script += [provider_calls("add", {"a": 1, "b": 2}), says("It is 3.")]
    agent = make_agent(tools=[add])
    agent.llm = LLM(model="openai/gpt-4o-mini", stream=stream)

    assert agent.kickoff("1 + 2?").raw == "It is 3."
    detach()

    first, second = hooks.of("after_llm_generate")
    assert (first["provider"], first["model"]) == ("openai", "gpt-4o-mini")
    assert first["response"]["parts"][0]["name"] == "add"
    assert second["response"]["parts"] == [{"type": "text", "content": "It is 3."}]
    for one in (first, second):
        assert (one["usage"]["input_tokens"], one["usage"]["output_tokens"]) == (10, 5)
    closed = [one for one in hooks.of("operation_closed") if one["noun"] == "llm_generate"]
    assert [one["stream"] is not None for one in closed] == [stream, stream]


def test_the_frameworks_own_retries_are_reported(
    hooks: HookLog, provider: ModelProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    provider.script += [overloaded(429), says("there")]
    llm = LLM(model="openai/gpt-4o-mini", max_retries=0)

    assert llm.call("Hi.") == "there"

    retry = hooks.one("llm_retrying")
    assert (retry["status_code"], retry["attempt"]) == (429, 1)
    assert retry["call_id"] == hooks.one("after_llm_generate")["call_id"]


def test_a_function_that_a_model_call_runs_itself_is_reported_and_decided(
    bus: Bus, hooks: HookLog, provider: ModelProvider
) -> None:
    ran = []
    provider.script += [provider_calls("pay", {"amount": 5})]
    bus.intercept("before_tool_call", lambda **_: Decision.modify({"amount": 1}))

    def pay(amount: int) -> str:
        """Pay."""
        ran.append(amount)
        return "paid"

    parameters = {"type": "object", "properties": {"amount": {"type": "integer"}}}
    function = {"name": "pay", "description": "Pay.", "parameters": parameters}
    answer = LLM(model="openai/gpt-4o-mini").call(
        "Pay 5.",
        tools=[{"type": "function", "function": function}],
        available_functions={"pay": pay},
    )

    assert (answer, ran) == ("paid", [1])
    assert hooks.parent_noun(hooks.one("after_tool_call")) == "llm_generate"


# --- tools ---------------------------------------------------------------------------------------


ACTION = """Thought: I need a sum
Action: add
Action Input: {"a": 1, "b": 2}"""
FINAL = """Thought: I now know
Final Answer: three"""


def test_a_model_that_calls_tools_in_its_text_is_decided_too(bus: Bus, hooks: HookLog) -> None:
    bus.intercept("before_tool_call", lambda **_: Decision.deny("no sums today"))
    agent = make_agent(tools=[add])
    agent.llm = ScriptedModel.of(ACTION, FINAL, is_native=False)

    assert agent.kickoff("1 + 2?").raw == "three"

    assert hooks.one("error_tool_call")["args"] == {"a": 1, "b": 2}
    assert "Denied: no sums today" in str(model_of(agent).sent[-1])


def test_a_denied_call_is_not_cached_for_the_next_time(bus: Bus, hooks: HookLog) -> None:
    once = iter([Decision.deny("not yet")])
    bus.intercept("before_tool_call", lambda **_: next(once, None))
    again = calls("add", {"a": 1, "b": 2})
    agent = make_agent(again, again, "3", tools=[add])

    Crew(agents=[agent], tasks=[make_task(agent)]).kickoff()

    assert hooks.one("after_tool_call")["result"] == 3


class Shout(BaseTool):
    """A tool that is a class."""

    name: str = "Shout it"
    description: str = "Shout a word."

    def _run(self, word: str) -> str:
        return word.upper()


@pytest.mark.shows("crewai", "edit")
def test_a_tool_called_directly_is_reported_and_decided(bus: Bus, hooks: HookLog) -> None:
    bus.intercept("before_tool_call", lambda **_: Decision.modify({"word": "you"}))

    assert Shout().run("me") == "YOU"

    tool = hooks.one("after_tool_call")
    assert (tool["tool_name"], tool["args"]) == ("shout_it", {"word": "you"})


@pytest.mark.slow
@pytest.mark.shows("crewai", "once")
def test_a_tool_of_an_mcp_server_is_reported_once(bus: Bus, hooks: HookLog) -> None:
    detach = mcp.attach(bus=bus)
    server = str(Path(__file__).with_name("server.py"))
    agent = make_agent()
    found = agent.get_mcp_tools([MCPServerStdio(command=sys.executable, args=["-P", server])])
    (echo,) = (one for one in found if getattr(one, "original_tool_name", "") == "echo")
    agent.tools = [echo]  # the framework names it by the server's command
    agent.llm = ScriptedModel.of(calls(echo.name, {"text": "hi"}), "done")
    try:
        assert agent.kickoff("Echo hi.").raw == "done"
    finally:
        detach()

    assert hooks.one("before_tool_call")["tool_name"] == sanitize_tool_name(echo.name)
    assert hooks.one("after_tool_call")["result"] == "echo: hi"
    methods = [one["envelope"]["method"] for one in hooks.of("before_rpc_request")]
    assert methods.count("tools/call") == 1


# --- memory and knowledge ------------------------------------------------------------------------


@pytest.mark.slow
def test_what_is_recalled_is_reported(hooks: HookLog, tmp_path: Path) -> None:
    from crewai.memory.unified_memory import Memory

    memory = Memory(
        storage=str(tmp_path / "memory"),
        llm=ScriptedModel.of(),
        embedder=lambda texts: [[1.0, 0.0] for _ in texts],
    )
    memory.remember("Ada likes tea.", scope="/", categories=["taste"], importance=0.5)
    memory.recall("What does Ada like?", depth="shallow")

    step = hooks.one("after_step_run")
    assert (step["step"], step["kind"]) == ("memory", "memory")
    assert step["result"][0].record.content == "Ada likes tea."


def test_a_search_in_knowledge_is_reported_and_edited(
    bus: Bus, hooks: HookLog, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from crewai.knowledge.knowledge import Knowledge
    from crewai.knowledge.source.string_knowledge_source import StringKnowledgeSource
    from crewai.rag.embeddings.providers.custom.custom_provider import CustomProvider
    from crewai.rag.embeddings.providers.custom.embedding_callable import CustomEmbeddingFunction

    class Embedder(CustomEmbeddingFunction):
        """Embeds by what is liked."""

        def __init__(self) -> None:
            pass

        @staticmethod
        def name() -> str:
            return "likes"

        def get_config(self) -> dict[str, Any]:
            return {}

        def __call__(self, input: Any) -> Any:
            return [[1.0, 0.0] if "tea" in text else [0.0, 1.0] for text in input]

    monkeypatch.setenv("CREWAI_STORAGE_DIR", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    bus.intercept("before_step_run", lambda **_: Decision.modify({"query": ["Who likes tea?"]}))
    sources = [StringKnowledgeSource(content="Ada likes tea.")]
    knowledge = Knowledge("likes", sources, CustomProvider(embedding_callable=Embedder))
    knowledge.add_sources()

    found = knowledge.query(["Who likes coffee?"])

    assert [one["content"] for one in found] == ["Ada likes tea."]
    step = hooks.one("after_step_run")
    assert (step["step"], step["kind"], step["result"]) == ("knowledge", "retrieval", found)


# --- a program -----------------------------------------------------------------------------------


def write_quick_start(folder: Path) -> None:
    """Write what `crewai create crew latest` writes."""
    templates = Path(crewai_cli.__file__).with_name("templates") / "crew"
    for file in ("crew.py", "main.py", "config/agents.yaml", "config/tasks.yaml"):
        target = folder / "latest" / file
        target.parent.mkdir(parents=True, exist_ok=True)
        text = (templates / file).read_text()
        for name, value in (("folder_name", "latest"), ("crew_name", "Latest")):
            text = text.replace("{{" + name + "}}", value)
        target.write_text(text)
    (folder / "start.py").write_text("from latest.main import run\n\nrun()\n")


@pytest.mark.slow
@pytest.mark.parametrize(
    "telemetry",
    ["true", "false"],
    ids=["telemetry off", "telemetry on"],
)
def test_the_frameworks_quick_start_is_watched_unchanged(
    service: Service, provider: ModelProvider, tmp_path: Path, telemetry: str
) -> None:
    write_quick_start(tmp_path)
    provider.script += [says("Models think."), overloaded(400), says("# Models think")]
    before = {one["id"] for one in service.get("/sessions")["sessions"]}
    own = {name: value for name, value in os.environ.items() if "INSPECTOR" not in name}
    done = subprocess.run(
        [sys.executable, "-m", "inspector", "run", "start.py"],
        env={
            **own,
            "CREWAI_DISABLE_TELEMETRY": telemetry,
            "CREWAI_TRACING_ENABLED": "false",
            "PYTHONPATH": str(ROOT),
            "INSPECTOR_URL": service.url,
            "INSPECTOR_TOKEN": service.token,
            # What CrewAI sends to its own host goes nowhere.
            "HTTPS_PROXY": "http://127.0.0.1:1",
            "NO_PROXY": "127.0.0.1",
        },
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "report.md").read_text() == "# Models think"

    (session,) = (one for one in service.get("/sessions")["sessions"] if one["id"] not in before)
    rows = service.get(f"/sessions/{session['id']}/spans")["spans"]
    names = [row["name"] for row in rows if row["duplicate_of"] is None]
    assert names[0] == "invoke_workflow Latest"
    assert names.count("invoke_agent AI LLMs Senior Data Researcher") == 1
    assert [row["status"] for row in rows if row["kind"] == "llm"] == ["unset", "error", "unset"]
    assert "Conduct a thorough research about AI LLMs" in session["title"]
    assert (session["input_tokens"], session["output_tokens"]) == (2 * SENT, 2 * RECEIVED)
    assert "Crew Created" not in names  # CrewAI's telemetry has a way of its own
