"""LlamaIndex: operations are reported as they are, and refused ones do not run."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from llama_index.core.agent.workflow import AgentWorkflow, FunctionAgent, ReActAgent
from llama_index.core.base.llms.types import ChatMessage, ChatResponse
from llama_index.core.llms.callbacks import llm_chat_callback
from llama_index.core.memory import Memory
from llama_index.core.tools import FunctionTool
from llama_index.core.workflow import Context, StartEvent, StopEvent, Workflow, step

from inspector import context
from inspector.integrations.llama_index import attach
from instrument import Bus, Decision
from tests.integrations.contract import AdapterContract
from tests.integrations.hook_log import HookLog
from tests.integrations.llama_index_model import LlamaIndexAgent, ScriptedModel, calls, says

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of how it finds its steps


@pytest.fixture(autouse=True)
def watching(bus: Bus) -> Iterator[None]:
    detach = attach(bus=bus)
    yield
    detach()


class TestContract(AdapterContract):
    framework = "llama_index"
    agent = LlamaIndexAgent
    attach = staticmethod(attach)


def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b


async def test_a_run_is_reported_with_its_messages_and_tools(hooks: HookLog) -> None:
    model = ScriptedModel.of(calls("add", {"a": 6, "b": 7}), says("thirteen"))
    agent = FunctionAgent(name="adder", llm=model, tools=[add], system_prompt="Be exact.")

    assert str(await agent.run(user_msg="6 + 7?")) == "thirteen"

    began, ended = hooks.one("before_agent_call"), hooks.one("after_agent_call")
    assert (began["agent"].agent, began["agent"].input) == (agent, "6 + 7?")
    assert (began["agent"].instructions, ended["result"]) == ("Be exact.", "thirteen")
    (tool,) = hooks.of("before_llm_generate")[0]["request_params"]["tools"]
    assert tool["function"]["name"] == "add"
    first, second = hooks.of("after_llm_generate")
    assert [one["role"] for one in first["prompt"]] == ["system", "user"]
    assert [one["role"] for one in second["prompt"]] == ["system", "user", "assistant", "tool"]
    assert second["prompt"][-1]["parts"][0] == {
        "type": "tool_call_response",
        "id": "call-add-0",
        "response": "13",
    }
    assert second["usage"] == {"input_tokens": 10, "output_tokens": 5}
    tool_call = hooks.one("after_tool_call")
    assert (tool_call["result"], tool_call["tool_call_id"]) == (13, "call-add-0")


@pytest.mark.shows("llama_index", "streaming")
async def test_a_streamed_answer_arrives_in_pieces_and_is_measured(hooks: HookLog) -> None:
    stream = await ScriptedModel.of(says("one two three")).astream_chat([ChatMessage("Count.")])
    deltas = [piece.delta async for piece in stream]

    assert deltas == ["one", " two", " three", None]
    [closed] = hooks.of("operation_closed")
    assert (closed["stream"].chunk_count, closed["status"]) == (4, "ok")
    assert list(hooks.texts.values()) == ["one two three"]
    ended = hooks.one("after_llm_generate")
    assert ended["response"]["parts"] == [{"type": "text", "content": "one two three"}]
    assert ended["usage"] == {"input_tokens": 10, "output_tokens": 5}


def test_models_are_reported_without_an_agent_in_sync_code(hooks: HookLog) -> None:
    model = ScriptedModel.of(says("Hi."), says("one two"), says("bye"))

    assert model.chat(messages=[ChatMessage("Hello")]).message.content == "Hi."
    assert len(list(model.stream_chat([ChatMessage("Count.")]))) == 3
    assert model.complete("Say").text == "bye"

    assert [one["request_params"]["stream"] for one in hooks.of("before_llm_generate")] == [
        False,
        True,
        False,
    ]
    assert hooks.of("before_llm_generate")[2]["prompt"] == "Say"
    assert hooks.of("after_llm_generate")[2]["response"]["parts"][0]["content"] == "bye"


def test_a_model_may_have_a_field_called_as_our_parameters() -> None:
    class Named(ScriptedModel):
        model: str

    assert Named(model="large").model == "large"


@pytest.mark.shows("llama_index", "llm_error")
@pytest.mark.parametrize("is_async", [False, True], ids=["sync", "async"])
async def test_a_stream_that_cannot_begin_raises_where_it_is_made(
    hooks: HookLog, is_async: bool
) -> None:
    model = ScriptedModel.of(ConnectionError("overloaded"))

    async def begin() -> Any:
        if is_async:
            return await model.astream_chat([ChatMessage("Hello")])
        return model.stream_chat([ChatMessage("Hello")])

    with pytest.raises(ConnectionError, match="overloaded"):
        await begin()

    assert "overloaded" in str(hooks.one("error_llm_generate")["exc"])


async def test_a_stream_that_breaks_is_reported_with_its_pieces(hooks: HookLog) -> None:
    class Breaking(ScriptedModel):
        @llm_chat_callback()
        async def astream_chat(self, messages: Any, **kwargs: Any) -> Any:
            """Break in the middle."""

            async def pieces() -> Any:
                yield ChatResponse(message=ChatMessage("It is", role="assistant"), delta="It is")
                raise ConnectionError("gone")

            return pieces()

    stream = await Breaking().astream_chat([ChatMessage("Hello")])
    with pytest.raises(ConnectionError, match="gone"):
        async for _ in stream:
            pass

    failed = hooks.one("error_llm_generate")
    assert failed["response"]["parts"] == [{"type": "text", "content": "It is"}]


async def test_a_stream_that_is_left_early_is_closed(hooks: HookLog) -> None:
    stream = await ScriptedModel.of(says("one two three")).astream_chat([ChatMessage("Count.")])
    await anext(stream)
    await stream.aclose()

    [closed] = hooks.of("operation_closed")
    assert closed["status"] == "cancelled"


@pytest.mark.shows("llama_index", "once")
async def test_a_tool_and_a_model_inside_each_other_are_one_call(hooks: HookLog) -> None:
    tool = FunctionTool.from_defaults(add)  # `acall` of it is inside the agent's own method
    model = ScriptedModel.of(calls("add", {"a": 1, "b": 2}), says("3"))
    await FunctionAgent(name="adder", llm=model, tools=[tool], streaming=False).run(user_msg="?")
    completed = await ScriptedModel.of(says("Hi.")).acomplete("Say")  # by `complete`

    assert completed.text == "Hi."
    assert len(hooks.of("before_tool_call")) == 1
    assert len(hooks.of("before_llm_generate")) == 3


async def test_a_tool_that_the_program_calls_itself_is_reported(bus: Bus, hooks: HookLog) -> None:
    tool = FunctionTool.from_defaults(add)
    assert tool.call(1, b=2).raw_output == 3
    assert (await tool.acall(a=1, b=2)).raw_output == 3

    bus.intercept("before_tool_call", lambda **_: Decision.deny("no sums"))
    output = tool.call(a=1, b=2)

    assert (output.content, output.is_error) == ("Denied: no sums", True)
    assert [one["args"] for one in hooks.of("before_tool_call")] == [{"a": 1, "b": 2}] * 3


# --- decisions ------------------------------------------------------------------------------------


@pytest.mark.shows("llama_index", "inject")
async def test_context_is_added_for_the_model_and_not_to_the_memory(
    bus: Bus, hooks: HookLog
) -> None:
    bus.intercept("before_llm_generate", lambda **_: Decision.inject_context("Be brief."))
    model = ScriptedModel.of(says("yes"))
    memory = Memory.from_defaults()

    await FunctionAgent(name="brief", llm=model).run(user_msg="Hi.", memory=memory)

    assert [(one.role.value, one.content) for one in model.sent[0]] == [
        ("user", "Hi."),
        ("system", "Be brief."),
    ]
    assert [one.content for one in await memory.aget_all()] == ["Hi.", "yes"]


@pytest.mark.shows("llama_index", "inject")
async def test_context_of_a_tool_call_is_added_to_its_result(bus: Bus, hooks: HookLog) -> None:
    bus.intercept("after_tool_call", lambda **_: Decision.inject_context("Mind the units."))
    model = ScriptedModel.of(calls("add", {"a": 1, "b": 2}), says("3"))

    await FunctionAgent(name="adder", llm=model, tools=[add]).run(user_msg="?")

    assert model.read() == "3\nMind the units."


async def test_messages_are_changed_for_one_call(bus: Bus, hooks: HookLog) -> None:
    bus.intercept(
        "before_llm_generate",
        lambda prompt, **_: Decision.modify(
            prompt=[*prompt, {"role": "user", "content": "In French."}]
        ),
    )
    model = ScriptedModel.of(says("Oui."))

    model.chat([ChatMessage("Yes?")])

    assert [one.content for one in model.sent[0]] == ["Yes?", "In French."]


# --- several agents, workflows --------------------------------------------------------------------


@pytest.mark.shows("llama_index", "sub_agents")
async def test_agents_that_hand_off_are_below_their_workflow(hooks: HookLog) -> None:
    handoff = calls("handoff", {"to_agent": "helper", "reason": "busy"})
    host = FunctionAgent(name="host", description="Greets.", llm=ScriptedModel.of(handoff))
    helper = FunctionAgent(
        name="helper", description="Helps.", llm=ScriptedModel.of(says("I am the helper."))
    )

    team = AgentWorkflow(agents=[host, helper], root_agent="host")
    assert str(await team.run(user_msg="Help me.")) == "I am the helper."

    assert hooks.one("before_workflow_run")["args"] == "Help me."
    assert hooks.one("after_workflow_run")["result"] == "I am the helper."
    assert [one["agent"].name for one in hooks.of("before_agent_call")] == ["host", "helper"]
    assert hooks.one("before_tool_call")["tool_name"] == "handoff"
    inner = [*hooks.of("before_agent_call"), hooks.one("before_tool_call")]
    assert {hooks.parent_noun(one) for one in inner} == {"workflow_run"}
    assert {hooks.parent_noun(one) for one in hooks.of("before_llm_generate")} == {"agent_call"}


async def test_an_agent_that_reasons_in_text_is_reported(hooks: HookLog) -> None:
    acts = says('Thought: I add.\nAction: add\nAction Input: {"a": 1, "b": 2}')
    model = ScriptedModel.of(acts, says("Thought: I can answer.\nAnswer: three"))

    answer = await ReActAgent(name="thinker", llm=model, tools=[add]).run(user_msg="1 + 2?")

    assert str(answer) == "three"
    assert hooks.one("after_tool_call")["result"] == 3
    assert len(hooks.of("after_llm_generate")) == 2


async def test_a_workflow_of_the_program_is_reported_with_what_it_calls(hooks: HookLog) -> None:
    class Shout(Workflow):
        @step
        async def say(self, ctx: Context, start: StartEvent) -> StopEvent:
            """Ask the model."""
            answer = await ScriptedModel.of(says("hello")).achat([ChatMessage(start.word)])
            return StopEvent(result=str(answer.message.content).upper())

    assert await Shout().run(word="hi") == "HELLO"

    assert hooks.one("before_workflow_run")["args"] == {"word": "hi"}
    assert hooks.one("after_workflow_run")["result"] == "HELLO"
    assert hooks.parent_noun(hooks.one("before_llm_generate")) == "workflow_run"


@pytest.mark.shows("llama_index", "session")
async def test_the_session_of_a_memory_is_ours(bus: Bus, hooks: HookLog) -> None:
    seen = []
    bus.register("before_llm_generate", lambda **_: seen.append(context.get()))
    agent = FunctionAgent(name="named", llm=ScriptedModel.of(says("Hi."), says("Hi again.")))
    memory = Memory.from_defaults(session_id="holiday")

    await agent.run(user_msg="Hello", memory=memory)
    await agent.run(user_msg="Hello", memory=memory)

    assert seen == ["holiday"] * 2
    assert context.get() == context.UNKNOWN
