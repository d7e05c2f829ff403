"""OpenAI Agents: operations are reported as they are, and refused ones do not run."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import httpx
import pytest
from agents import (
    Agent,
    GuardrailFunctionOutput,
    InputGuardrail,
    InputGuardrailTripwireTriggered,
    ModelSettings,
    OpenAIChatCompletionsModel,
    RunConfig,
    Runner,
    RunResultStreaming,
    SQLiteSession,
    ToolGuardrailFunctionOutput,
    ToolInputGuardrail,
    function_tool,
    handoff,
    set_trace_processors,
    set_tracing_disabled,
    trace,
)
from agents.exceptions import AgentsException, MaxTurnsExceeded, ModelBehaviorError
from agents.mcp import MCPServerStdio
from agents.testing import ModelStep, ScriptedModel
from openai import AsyncOpenAI
from openai.types.responses import (
    Response,
    ResponseError,
    ResponseFailedEvent,
    ResponseTextDeltaEvent,
)

from inspector import context
from inspector.integrations import mcp
from inspector.integrations.openai_agents import attach
from instrument import Bus, Decision
from tests.integrations.cancellation import cancel_from_browser
from tests.integrations.contract import QUESTION, RUN, AdapterContract
from tests.integrations.hook_log import HookLog
from tests.integrations.openai_agents_model import Breaking, OpenAIAgent, Scripted, calls, says
from tests.integrations.stories import run

ran: list[tuple[int, int]] = []


@function_tool
def add(a: int, b: int) -> int:
    """Add two numbers."""
    ran.append((a, b))
    return a + b


@pytest.fixture(autouse=True)
def attached(bus: Bus) -> Iterator[Callable[[], None]]:
    ran.clear()
    set_tracing_disabled(True)  # the framework's own, which sends to OpenAI
    detach = attach(bus=bus)
    yield detach
    detach()


def calculator(*script: Any, tools: Any = (add,), **kwargs: Any) -> tuple[Agent[Any], Scripted]:
    model = Scripted(*(script or (calls("add", {"a": 1, "b": 2}), says("It is 3."))))
    return Agent("calculator", model=model, tools=list(tools), **kwargs), model


async def streamed(
    agent: Agent[Any], question: Any = QUESTION, **kwargs: Any
) -> RunResultStreaming:
    result = Runner.run_streamed(agent, question, **kwargs)
    async for _ in result.stream_events():
        pass
    return result


async def ran_to_end(agent: Agent[Any], streams: bool, question: Any = QUESTION) -> Any:
    return await streamed(agent, question) if streams else await Runner.run(agent, question)


async def output(agent: Agent[Any], streams: bool) -> Any:
    return (await ran_to_end(agent, streams)).final_output


both_ways = pytest.mark.parametrize("streams", [False, True])


class TestContract(AdapterContract):
    framework = "openai_agents"
    agent = OpenAIAgent
    attach = staticmethod(attach)
    attachments = 2


# --- what is seen ---------------------------------------------------------------------------------


@both_ways
async def test_a_run_is_reported_with_its_messages_and_parameters(
    hooks: HookLog, streams: bool
) -> None:
    agent, _ = calculator(instructions="Be brief.", model_settings=ModelSettings(temperature=0.5))

    answer = await output(agent, streams)

    about = hooks.one("before_agent_call")["agent"]
    assert (about.input, about.model) == (QUESTION, "scripted-1")
    assert hooks.one("after_agent_call")["result"] == answer
    tool = hooks.one("after_tool_call")
    assert (tool["tool_call_id"], tool["result"]) == ("call-add-0", 3)
    requests, answered = hooks.of("before_llm_generate"), hooks.of("after_llm_generate")
    text = {"type": "text", "content": QUESTION}
    assert requests[0]["prompt"] == [{"role": "user", "parts": [text]}]
    assert [one["role"] for one in requests[1]["prompt"]] == ["user", "assistant", "tool"]
    params = requests[0]["request_params"]
    assert (params["system"], params["temperature"]) == ("Be brief.", 0.5)
    assert [tool["name"] for tool in params["tools"]] == ["add"]
    assert answered[0]["response"]["parts"][0]["arguments"] == {"a": 1, "b": 2}
    assert [one["usage"]["output_tokens"] for one in answered] == [5, 5]


@pytest.mark.shows("openai_agents", "agent")
def test_a_sync_run_is_reported_as_an_async_one(hooks: HookLog) -> None:
    loop = asyncio.new_event_loop()  # which `run_sync` would make, and leave open
    asyncio.set_event_loop(loop)
    try:
        assert Runner.run_sync(calculator()[0], QUESTION).final_output == "It is 3."
    finally:
        asyncio.set_event_loop(None)
        loop.close()

    assert hooks.names == RUN


@pytest.mark.shows("openai_agents", "streaming")
async def test_a_streamed_run_is_reported_with_its_pieces(hooks: HookLog) -> None:
    await streamed(calculator()[0])

    streams = [o["stream"] for o in hooks.of("operation_closed") if o["noun"] == "llm_generate"]
    assert all(one.first_chunk_ns > 0 for one in streams)
    assert streams[1].chunk_count == 3  # words, and none of the events around them
    assert "It is 3." in {text.strip() for text in hooks.texts.values()}


@pytest.mark.shows("openai_agents", "streaming")
async def test_a_streamed_run_that_is_cancelled_is_closed_with_what_there_was(
    hooks: HookLog,
) -> None:
    result = Runner.run_streamed(calculator(says("It is 3, or so I think."))[0], QUESTION)

    async for event in result.stream_events():
        if isinstance(getattr(event, "data", None), ResponseTextDeltaEvent):
            result.cancel()

    assert hooks.names[-1].endswith("_agent_call")
    assert len(hooks.of("operation_closed")) == 2


async def test_a_run_that_is_cancelled_in_the_middle_of_a_stream_is_closed(
    hooks: HookLog,
) -> None:
    model = Scripted(says("never"))
    started = asyncio.Event()

    async def forever(*_: Any, **__: Any) -> Any:
        started.set()
        await asyncio.Event().wait()
        yield

    model.stream_response = forever  # type: ignore[method-assign]
    result = Runner.run_streamed(Agent("calculator", model=model), QUESTION)
    await asyncio.wait_for(started.wait(), 10)
    result.cancel()
    async for _ in result.stream_events():
        pass

    assert {one["status"] for one in hooks.of("operation_closed")} == {"cancelled"}


@pytest.mark.shows("openai_agents", "tool_error")
@both_ways
async def test_a_tool_that_raises_is_an_error_though_the_model_reads_it(
    hooks: HookLog, streams: bool
) -> None:
    @function_tool
    def broken() -> str:
        """Break."""
        raise ValueError("no connection")

    agent, model = calculator(calls("broken", {}), says("A pity."), tools=[broken])
    await output(agent, streams)

    error = hooks.one("error_tool_call")
    assert (type(error["exc"]), str(error["exc"])) == (ValueError, "no connection")
    assert "An error occurred" in model.read()


@pytest.mark.shows("openai_agents", "tool_error")
async def test_a_tool_that_raises_into_the_run_is_an_error_of_both(hooks: HookLog) -> None:
    @function_tool(failure_error_function=None)
    def broken() -> str:
        """Break."""
        raise ValueError("no connection")

    with pytest.raises(AgentsException, match="no connection"):
        await output(calculator(calls("broken", {}), tools=[broken])[0], False)

    assert str(hooks.one("error_tool_call")["exc"]) == "no connection"
    assert "no connection" in str(hooks.one("error_agent_call")["exc"])


async def test_a_tool_that_takes_too_long_is_an_error(hooks: HookLog) -> None:
    @function_tool(timeout=0.01)
    async def slow() -> str:
        """Wait."""
        await asyncio.Event().wait()
        return "never"

    agent, model = calculator(calls("slow", {}), says("Later."), tools=[slow])
    await output(agent, False)

    assert "timed out" in str(hooks.one("error_tool_call")["exc"])
    assert "timed out" in model.read()


async def test_arguments_that_do_not_fit_are_an_error(hooks: HookLog) -> None:
    agent, model = calculator(calls("add", {"a": "x"}), says("Sorry."))

    await output(agent, False)

    error = hooks.one("error_tool_call")
    assert (ran, error["args"]) == ([], {"a": "x"})
    assert isinstance(error["exc"], ModelBehaviorError)
    assert "An error occurred" in model.read()


@pytest.mark.shows("openai_agents", "llm_error", "streaming")
async def test_a_stream_that_breaks_is_an_error_with_what_there_was(hooks: HookLog) -> None:
    with pytest.raises(ConnectionError, match="reset"):
        await streamed(Agent("calculator", model=Breaking(ConnectionError("reset"))))

    error = hooks.one("error_llm_generate")
    assert isinstance(error["exc"], ConnectionError)
    assert error["response"]["parts"][0]["content"] == "It is about"


def provider(request: httpx.Request) -> httpx.Response:
    """A provider of chat completions."""
    about = {"id": "c", "created": 1, "model": "gpt-x"}
    usage = {
        "prompt_tokens": 12,
        "completion_tokens": 4,
        "total_tokens": 16,
        "prompt_tokens_details": {"cached_tokens": 8},
        "completion_tokens_details": {"reasoning_tokens": 2},
    }
    if not json.loads(request.content).get("stream"):
        message = {"role": "assistant", "content": "Hello"}
        choices = [{"index": 0, "finish_reason": "stop", "message": message}]
        answer = {**about, "object": "chat.completion", "choices": choices, "usage": usage}
        return httpx.Response(200, json=answer)
    lines: list[dict[str, Any]] = [
        {"choices": [{"index": 0, "delta": {"content": text}, "finish_reason": None}]}
        for text in ("Hel", "lo")
    ]
    lines.append({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})
    lines.append({"choices": [], "usage": usage})
    chunks = [json.dumps({**about, "object": "chat.completion.chunk", **one}) for one in lines]
    text = "".join(f"data: {one}\n\n" for one in [*chunks, "[DONE]"])
    return httpx.Response(200, headers={"content-type": "text/event-stream"}, text=text)


@pytest.mark.shows("openai_agents", "llm", "tokens", "streaming")
@both_ways
async def test_a_model_of_openais_client_is_reported_with_all_kinds_of_tokens(
    hooks: HookLog, streams: bool
) -> None:
    transport: Any = httpx.MockTransport(provider)
    async with httpx.AsyncClient(transport=transport) as http_client:
        question: Any = http_client
        client = AsyncOpenAI(base_url="http://x/v1", api_key="none", http_client=question)
        agent = Agent("greeter", model=OpenAIChatCompletionsModel("gpt-x", client))
        assert await output(agent, streams) == "Hello"

    answered = hooks.one("after_llm_generate")
    assert (answered["model"], answered["provider"]) == ("gpt-x", "openai")
    assert answered["usage"] == {
        "input_tokens": 12,
        "output_tokens": 4,
        "cache_read_tokens": 8,
        "reasoning_tokens": 2,
    }
    text = {"type": "text", "content": "Hello"}
    assert answered["response"] == {"role": "assistant", "parts": [text]}
    closed = hooks.of("operation_closed")[0]
    assert getattr(closed["stream"], "chunk_count", None) == (2 if streams else None)


async def test_an_answer_that_failed_at_the_provider_is_an_error(hooks: HookLog) -> None:
    response = Response(
        id="r",
        object="response",
        created_at=0,
        model="gpt-x",
        output=[],
        tools=[],
        tool_choice="auto",
        parallel_tool_calls=False,
        error=ResponseError(code="server_error", message="overloaded"),
    )
    event = ResponseFailedEvent(type="response.failed", response=response, sequence_number=0)
    agent = Agent("calculator", model=ScriptedModel([ModelStep.stream([event])]))

    with pytest.raises(ModelBehaviorError, match="overloaded"):
        await streamed(agent)

    assert str(hooks.one("error_llm_generate")["exc"]) == "overloaded"


async def test_a_tool_that_ends_with_another_that_failed_is_closed(hooks: HookLog) -> None:
    started = asyncio.Event()

    @function_tool
    async def forever() -> str:
        """Wait."""
        started.set()
        await asyncio.Event().wait()
        return "never"

    @function_tool(failure_error_function=None)
    async def broken() -> str:
        """Break."""
        await started.wait()
        raise ValueError("no connection")

    both = [*calls("forever", {}).output, *calls("broken", {}).output]
    model = ScriptedModel([both])
    with pytest.raises(AgentsException, match="no connection"):
        await output(Agent("calculator", model=model, tools=[forever, broken]), False)

    tools = [one["status"] for one in hooks.of("operation_closed") if one["noun"] == "tool_call"]
    assert sorted(tools) == ["cancelled", "error"]


async def test_a_run_with_too_many_turns_is_an_error(hooks: HookLog) -> None:
    with pytest.raises(MaxTurnsExceeded):
        await Runner.run(calculator()[0], QUESTION, max_turns=1)

    assert isinstance(hooks.one("error_agent_call")["exc"], MaxTurnsExceeded)


async def test_a_tool_that_there_is_not_is_an_error_of_the_run(hooks: HookLog) -> None:
    with pytest.raises(ModelBehaviorError):
        await Runner.run(calculator(calls("multiply", {}))[0], QUESTION)

    assert isinstance(hooks.one("error_agent_call")["exc"], ModelBehaviorError)
    assert hooks.of("before_tool_call") == []


@pytest.mark.shows("openai_agents", "cancel")
async def test_a_streamed_run_that_a_person_cancels_ends_without_an_answer() -> None:
    async def run(running: asyncio.Event) -> None:
        @function_tool
        async def forever() -> str:
            """Wait."""
            running.set()
            await asyncio.Event().wait()
            return "never"

        agent, model = calculator(calls("forever", {}), says("never"), tools=[forever])
        assert (await streamed(agent)).final_output is None
        assert len(model.calls) == 1
        raise asyncio.CancelledError

    spans = await cancel_from_browser(attach, run)
    assert {"invoke_agent calculator", "execute_tool forever"} <= set(spans)


SERVER = """
from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError

server = MCPServer("calculator", log_level="CRITICAL")

@server.tool()
def add_remote(a: int) -> int:
    return a + 1

@server.tool()
def fail() -> int:
    raise ToolError("no connection")

server.run()
"""


@pytest.mark.slow
@pytest.mark.shows("openai_agents", "once", "tool_error")
async def test_a_tool_of_an_mcp_server_is_reported_once_and_its_error_is_one(
    bus: Bus, hooks: HookLog, tmp_path: Path
) -> None:
    script = tmp_path / "server.py"
    script.write_text(SERVER)
    detach = mcp.attach(bus=bus)
    params: Any = {"command": sys.executable, "args": [str(script)]}
    try:
        async with MCPServerStdio(params, client_session_timeout_seconds=30) as server:
            agent, model = calculator(
                calls("add_remote", {"a": 1}),
                calls("fail", {}),
                says("2"),
                tools=[],
                mcp_servers=[server],
            )
            await output(agent, False)
    finally:
        detach()

    assert "2" in str(model.read())
    assert hooks.one("after_tool_call")["tool_name"] == "add_remote"
    error = hooks.one("error_tool_call")
    assert error["tool_name"] == "fail"
    assert "no connection" in str(error["exc"])


@pytest.mark.shows("openai_agents", "sub_agents")
@both_ways
async def test_an_agent_that_is_a_tool_is_below_that_tool(hooks: HookLog, streams: bool) -> None:
    inner, _ = calculator()
    tool = inner.as_tool("ask_calculator", "Ask.")
    outer = Agent(
        "manager",
        model=Scripted(calls("ask_calculator", {"input": "1 + 2?"}), says("3, I am told.")),
        tools=[tool],
    )
    await output(outer, streams)

    by_name = {one["agent"].name: one for one in hooks.of("before_agent_call")}
    assert hooks.parent_noun(by_name["calculator"]) == "tool_call"
    assert hooks.parent_noun(by_name["manager"]) is None
    sums = [one for one in hooks.of("before_tool_call") if one["tool_name"] == "add"]
    assert [one["parent_call_id"] for one in sums] == [by_name["calculator"]["call_id"]]


@pytest.mark.shows("openai_agents", "sub_agents")
@both_ways
async def test_an_agent_that_is_handed_over_to_is_below_the_one_that_did(
    hooks: HookLog, streams: bool
) -> None:
    clerk, _ = calculator()
    reception = Agent(
        "reception", model=Scripted(calls("transfer_to_calculator", {})), handoffs=[clerk]
    )

    result = await ran_to_end(reception, streams)

    assert result.last_agent is clerk
    by_name = {one["agent"].name: one for one in hooks.of("before_agent_call")}
    assert by_name["calculator"]["parent_call_id"] == by_name["reception"]["call_id"]
    requests = [one["parent_call_id"] for one in hooks.of("before_llm_generate")]
    assert requests == [by_name["reception"]["call_id"]] + [by_name["calculator"]["call_id"]] * 2
    assert hooks.one("before_tool_call")["parent_call_id"] == by_name["calculator"]["call_id"]
    assert len(hooks.of("after_agent_call")) == 2
    offered = hooks.of("before_llm_generate")[0]["request_params"]["tools"]
    assert [one["name"] for one in offered] == ["transfer_to_calculator"]


@pytest.mark.shows("openai_agents", "session")
@both_ways
async def test_what_a_program_groups_runs_by_is_the_session(bus: Bus, streams: bool) -> None:
    seen: list[str] = []
    for hook in ("before_agent_call", "before_tool_call"):
        bus.observe(hook, lambda **_: seen.append(context.get()))

    async def run(**kwargs: Any) -> None:
        agent, _ = calculator()
        await (streamed(agent, **kwargs) if streams else Runner.run(agent, QUESTION, **kwargs))

    with closing(SQLiteSession("thread-7")) as session:
        await run(session=session)
    await run(conversation_id="conv-8")
    await run(run_config=RunConfig(group_id="group-9"))
    await run(run_config={"group_id": "group-10"})
    await run()
    context.set("mine")
    with closing(SQLiteSession("thread-7")) as session:
        await run(session=session)

    expected = ["thread-7", "conv-8", "group-9", "group-10", context.UNKNOWN, "mine"]
    assert seen == [name for name in expected for _ in range(2)]


async def test_the_group_of_the_frameworks_trace_is_the_session(bus: Bus) -> None:
    seen: list[str] = []
    bus.observe("before_agent_call", lambda **_: seen.append(context.get()))
    set_trace_processors([])  # none that sends it anywhere
    set_tracing_disabled(False)
    try:
        with trace("support", group_id="chat-1"):
            await output(calculator()[0], False)
    finally:
        set_tracing_disabled(True)

    assert seen == ["chat-1"]
    assert context.get() == context.UNKNOWN


# --- what can be decided --------------------------------------------------------------------------


async def test_the_model_reads_that_edited_arguments_do_not_fit(bus: Bus, hooks: HookLog) -> None:
    bus.intercept("before_tool_call", lambda **_: Decision.modify(args={"a": "twenty"}))
    agent, model = calculator()

    await output(agent, False)

    assert ran == []
    assert "An error occurred" in model.read()
    assert isinstance(hooks.one("error_tool_call")["exc"], ModelBehaviorError)


@pytest.mark.shows("openai_agents", "retry")
@both_ways
async def test_a_model_is_called_again_where_a_hook_wants_it(
    bus: Bus, hooks: HookLog, streams: bool
) -> None:
    bus.intercept("error_llm_generate", lambda **_: Decision.retry("again"))
    agent, model = calculator(ConnectionError("once"), says("Fine."))

    assert (await output(agent, streams)).strip() == "Fine."
    assert len(model.calls) == 2


def needing_approval() -> Any:
    @function_tool(needs_approval=True, name_override="add")
    def careful(a: int, b: int) -> int:
        """Add two numbers."""
        ran.append((a, b))
        return a + b

    return careful


@pytest.mark.parametrize("is_approved", [True, False])
@both_ways
async def test_a_run_that_waits_for_the_frameworks_own_approval_is_closed_and_goes_on(
    hooks: HookLog, is_approved: bool, streams: bool
) -> None:
    agent, model = calculator(tools=[needing_approval()])

    paused = await ran_to_end(agent, streams)

    (approval,) = paused.interruptions
    assert (ran, hooks.of("before_tool_call")) == ([], [])  # nothing was called
    assert hooks.one("after_agent_call")["result"] == {"waits_for_approval": ["add"]}
    state = paused.to_state()
    if is_approved:
        state.approve(approval)
    else:
        state.reject(approval)
    done = await ran_to_end(agent, streams, state)

    assert done.final_output.strip() == "It is 3."
    assert ran == ([(1, 2)] if is_approved else [])
    assert hooks.of("before_agent_call")[1]["agent"].input == QUESTION
    if is_approved:
        assert hooks.one("after_tool_call")["result"] == 3
    else:  # which the framework does not report to its own hooks
        rejected = hooks.one("error_tool_call")
        assert (rejected["tool_name"], rejected["args"]) == ("add", {"a": 1, "b": 2})
        assert str(rejected["exc"]) == model.read() == "Tool execution was not approved."


async def test_an_agent_that_is_a_tool_and_waits_for_approval_is_no_error(
    hooks: HookLog,
) -> None:
    inner, _ = calculator(tools=[needing_approval()])
    outer = Agent(
        "manager",
        model=Scripted(calls("ask", {"input": "1 + 2?"}), says("3, I am told.")),
        tools=[inner.as_tool("ask", "Ask.")],
    )
    paused = await Runner.run(outer, QUESTION)
    state = paused.to_state()
    state.approve(paused.interruptions[0])
    done = await Runner.run(outer, state)

    assert (done.final_output, ran) == ("3, I am told.", [(1, 2)])
    results = [one["result"] for one in hooks.of("after_tool_call")]
    assert results == [{"waits_for_approval": True}, 3, "It is 3."]
    assert {one["status"] for one in hooks.of("operation_closed")} == {"ok"}


@both_ways
async def test_a_tool_that_a_guardrail_rejects_is_reported_and_does_not_run(
    hooks: HookLog, streams: bool
) -> None:
    def reject(_: Any) -> ToolGuardrailFunctionOutput:
        return ToolGuardrailFunctionOutput.reject_content("no secrets")

    @function_tool(tool_input_guardrails=[ToolInputGuardrail(guardrail_function=reject)])
    def send(to: str) -> str:
        """Send."""
        ran.append((0, 0))
        return "sent"

    agent, model = calculator(calls("send", {"to": "all"}), says("No."), tools=[send])
    await output(agent, streams)

    assert (ran, model.read()) == ([], "no secrets")
    rejected = hooks.one("error_tool_call")
    assert (rejected["tool_name"], rejected["args"]) == ("send", {"to": "all"})
    assert (str(rejected["exc"]), rejected["result"]) == ("no secrets", "no secrets")


@both_ways
async def test_a_guardrail_that_ends_the_run_closes_everything(
    hooks: HookLog, streams: bool
) -> None:
    async def trip(*_: Any) -> GuardrailFunctionOutput:
        return GuardrailFunctionOutput(output_info="bad", tripwire_triggered=True)

    agent, _ = calculator(input_guardrails=[InputGuardrail(guardrail_function=trip)])
    with pytest.raises(InputGuardrailTripwireTriggered):
        await output(agent, streams)

    assert hooks.names[-1].endswith("_agent_call")
    assert ran == []


@pytest.mark.shows("openai_agents", "inject")
@both_ways
async def test_what_hooks_add_reaches_the_model_and_not_the_history(
    bus: Bus, hooks: HookLog, streams: bool
) -> None:
    bus.intercept(
        "before_llm_generate", lambda **_: Decision.inject_context("Be brief.", role="system")
    )
    bus.intercept(
        "after_tool_call", lambda **_: Decision.inject_context("Mind the unit.", role="user")
    )
    agent, model = calculator()
    result = await ran_to_end(agent, streams)

    brief = {"role": "system", "content": "Be brief."}
    assert model.sent(0) == [{"role": "user", "content": QUESTION}, brief]
    assert model.sent(1)[-2:] == [{"role": "user", "content": "Mind the unit."}, brief]
    assert "Mind the unit." not in str(result.to_input_list())


async def test_a_denied_hand_off_ends_the_run_with_the_reason(bus: Bus, hooks: HookLog) -> None:
    clerk, model = calculator()
    reception = Agent(
        "reception", model=Scripted(calls("transfer_to_calculator", {})), handoffs=[handoff(clerk)]
    )

    def deny_calculator(agent: Any, **_: Any) -> Decision | None:
        return Decision.deny("stay here") if agent.name == "calculator" else None

    bus.intercept("before_agent_call", deny_calculator)
    with pytest.raises(AgentsException, match="Denied: stay here"):
        await output(reception, False)

    assert model.calls == ()


@both_ways
async def test_an_answer_is_replaced(bus: Bus, hooks: HookLog, streams: bool) -> None:
    bus.intercept("after_llm_generate", lambda **_: Decision.modify(response="I cannot say."))
    agent, model = calculator()

    result = await ran_to_end(agent, streams)

    assert result.final_output == "I cannot say."
    assert len(model.calls) == 1
    assert result.context_wrapper.usage.output_tokens == 5


@both_ways
async def test_edited_messages_and_settings_are_those_that_are_sent(
    bus: Bus, hooks: HookLog, streams: bool
) -> None:
    def edit(prompt: Any, request_params: Any, **_: Any) -> Decision:
        bye = {"role": "user", "parts": [{"type": "text", "content": "Goodbye"}]}
        changed = {"temperature": 0.5, "system": "Be long."}
        return Decision.modify(prompt=[*prompt, bye], request_params={**request_params, **changed})

    bus.intercept("before_llm_generate", edit)
    agent, model = calculator(says("Hello."), instructions="Be brief.")
    await output(agent, streams)

    (call,) = model.calls
    assert [one["content"] for one in call.input] == [QUESTION, "Goodbye"]
    assert (call.model_settings.temperature, call.system_instructions) == (0.5, "Be long.")


@both_ways
async def test_the_output_of_a_run_is_replaced(bus: Bus, hooks: HookLog, streams: bool) -> None:
    bus.intercept("after_agent_call", lambda **_: Decision.modify(result="It is secret."))

    assert await output(calculator()[0], streams) == "It is secret."


# --- attaching ------------------------------------------------------------------------------------


async def test_the_framework_sees_the_models_own_type_and_parts(hooks: HookLog) -> None:
    seen: list[Any] = []

    class Picky(Scripted):
        async def _cleanup_on_run_end(self, owner: Any) -> None:
            seen.append(self)

    model = Picky(calls("add", {"a": 1, "b": 2}), says("It is 3."))
    await output(Agent("calculator", model=model, tools=[add]), False)

    assert seen == [model]  # once for the run, though it was called twice


OWN_PACKAGE = """
import logging
import sys

logging.basicConfig(level="WARNING", stream=sys.stdout, format="%(message)s")
from inspector.agent_side.adapters import attach_all, importable, select_adapters

print("openai_agents" in [one.name for one in importable()])
attach_all(select_adapters("openai_agents"))
import agents
import agents.run

print(sorted(name for name in sys.modules if name.split(".")[0] == "agents"))
print("inspector.integrations.openai_agents" in sys.modules)
from inspector.integrations.openai_agents import attach

attach()()
"""


def test_a_package_of_the_programs_own_that_is_called_agents_is_left_alone(tmp_path: Path) -> None:
    package = tmp_path / "agents"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "run.py").write_text("def start_streaming(): ...\n")
    program = tmp_path / "program.py"
    program.write_text(OWN_PACKAGE)

    assert run(program, folder=tmp_path).splitlines() == [
        "False",
        "['agents', 'agents.run']",
        "False",
        "The package `agents` is not openai-agents: it is not watched.",
    ]
