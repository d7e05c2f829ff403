"""Google's ADK: operations are reported as they are, and refused ones do not run."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Iterator
from contextlib import aclosing
from typing import Any

import pytest
from google.adk.agents import Agent, ParallelAgent, SequentialAgent
from google.adk.agents._streaming_mode import StreamingMode
from google.adk.agents.run_config import RunConfig
from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.adk.runners import InMemoryRunner
from google.adk.tools.agent_tool import AgentTool
from google.genai.types import Content, Part
from opentelemetry.sdk.trace import TracerProvider

from inspector import context
from inspector.integrations.adk import attach
from instrument import Bus, Decision
from subscribers import Capture, Options
from subscribers.wiring import wire
from tests.integrations.adk_model import AdkAgent, ScriptedModel, ask, calls, says
from tests.integrations.contract import AdapterContract
from tests.integrations.hook_log import HookLog
from tests.support.services.otlp_receiver import Receiver


@pytest.fixture(autouse=True)
def watching(bus: Bus) -> Iterator[None]:
    detach = attach(bus=bus)
    yield
    detach()


class TestContract(AdapterContract):
    framework = "adk"
    agent = AdkAgent
    attach = staticmethod(attach)


def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b


async def test_a_run_is_reported_with_its_messages_and_tools(hooks: HookLog) -> None:
    model = ScriptedModel.of(calls("add", {"a": 6, "b": 7}), says("thirteen"))
    agent = Agent(name="adder", model=model, instruction="Be exact.", tools=[add])

    assert await ask(agent, "6 + 7?") == "thirteen"

    began, ended = hooks.one("before_agent_call"), hooks.one("after_agent_call")
    assert (began["agent"].input, began["agent"].model) == ("6 + 7?", "scripted-1")
    assert (began["agent"].instructions, ended["result"]) == ("Be exact.", "thirteen")
    first, second = hooks.of("after_llm_generate")
    assert first["prompt"] == [{"role": "user", "parts": [{"type": "text", "content": "6 + 7?"}]}]
    params = hooks.of("before_llm_generate")[0]["request_params"]
    assert params["system"].startswith("Be exact.")
    (tool,) = params["tools"]
    assert (tool["name"], tool["description"]) == ("add", "Add two numbers.")
    assert {"a", "b"} <= set(tool["parameters"]["properties"])
    assert [one["role"] for one in second["prompt"]] == ["user", "assistant", "tool"]
    assert second["prompt"][2]["parts"][0]["response"] == {"result": 13}
    assert second["response"]["parts"] == [{"type": "text", "content": "thirteen"}]
    assert second["usage"] == {"input_tokens": 10, "output_tokens": 5}
    assert hooks.one("after_tool_call")["tool_call_id"] == "call-add-0"


@pytest.mark.shows("adk", "tool_error")
@pytest.mark.parametrize(
    "result",
    [{"status": "error", "error_message": "no such city"}, {"error": "no such city"}],
    ids=["status", "error"],
)
async def test_an_answer_that_says_it_is_an_error_is_one(
    hooks: HookLog, result: dict[str, str]
) -> None:
    def weather(city: str) -> dict[str, str]:
        """Look outside."""
        return result

    model = ScriptedModel.of(calls("weather", {"city": "Atlantis"}), says("I do not know."))
    await ask(Agent(name="forecaster", model=model, tools=[weather]))

    failed = hooks.one("error_tool_call")
    assert (str(failed["exc"]), failed["result"]) == ("no such city", result)
    assert model.read().response == result


@pytest.mark.parametrize("capture", [Capture.OFF, Capture.REDACTED])
async def test_an_error_in_a_result_leaves_the_process_as_results_do(
    bus: Bus, capture: Capture
) -> None:
    def weather(city: str) -> dict[str, str]:
        """Look outside."""
        return {"status": "error", "error_message": f"no such city: {city}"}

    model = ScriptedModel.of(calls("weather", {"city": "Atlantis"}), says("I do not know."))
    receiver = Receiver()
    wiring = wire(
        receiver.url,
        None,
        options=Options(capture=capture),
        set_global=False,
        bus=bus,
        tracer_provider=TracerProvider(shutdown_on_exit=False),
    )
    try:
        await ask(Agent(name="forecaster", model=model, tools=[weather]))
        receiver.wait_for(lambda r: any("invoke_agent" in span.name for span in r.spans))
    finally:
        wiring.undo()
        receiver.close()

    (tool,) = (span for span in receiver.spans if span.name == "execute_tool weather")
    assert tool.status.code == tool.status.STATUS_CODE_ERROR
    sent = b"".join(body for bodies in receiver.bodies.values() for body in bodies)
    assert (b"Atlantis" in sent) == (capture is not Capture.OFF)
    assert (tool.status.message == "no such city: Atlantis") == (capture is not Capture.OFF)


async def test_what_callbacks_of_the_program_answer_is_no_call(hooks: HookLog) -> None:
    model = ScriptedModel.of(calls("add", {"a": 1, "b": 2}))

    def cached(callback_context: Any, llm_request: Any) -> Any:
        return says("From the cache.") if model.sent else None

    def refuse(tool: Any, args: Any, tool_context: Any) -> dict[str, str]:
        return {"error": "not now"}

    agent = Agent(
        name="cached",
        model=model,
        tools=[add],
        before_model_callback=cached,
        before_tool_callback=refuse,
    )

    assert await ask(agent) == "From the cache."
    assert hooks.operations == [
        "before_agent_call",
        *("before_llm_generate", "after_llm_generate"),
        "after_agent_call",
    ]


# --- decisions ------------------------------------------------------------------------------------


@pytest.mark.shows("adk", "inject")
async def test_context_is_added_for_the_model_and_not_to_the_session(
    bus: Bus, hooks: HookLog
) -> None:
    bus.intercept("before_llm_generate", lambda **_: Decision.inject_context("Be brief."))
    bus.intercept(
        "before_llm_generate", lambda **_: Decision.inject_context("Quickly.", role="user")
    )
    model = ScriptedModel.of(calls("add", {"a": 1, "b": 2}), says("3"))

    await ask(Agent(name="brief", model=model, instruction="Be kind.", tools=[add]))

    first, second = model.sent
    assert str(first.config.system_instruction).startswith("Be kind.")
    assert str(first.config.system_instruction).endswith("\n\nBe brief.")
    texts = [part.text for one in second.contents for part in one.parts or () if part.text]
    assert texts.count("Quickly.") == 1


@pytest.mark.shows("adk", "inject")
async def test_context_of_a_tool_call_is_added_to_its_result(bus: Bus, hooks: HookLog) -> None:
    bus.intercept("after_tool_call", lambda **_: Decision.inject_context("Mind the units."))
    model = ScriptedModel.of(calls("add", {"a": 1, "b": 2}), says("3"))

    await ask(Agent(name="adder", model=model, tools=[add]))

    assert model.read().response == {"result": 3, "context": "Mind the units."}


async def test_messages_and_settings_are_changed_for_one_call(bus: Bus, hooks: HookLog) -> None:
    def shorten(prompt: list[Any], request_params: dict[str, Any], **_: Any) -> Decision:
        return Decision.modify(
            prompt=[*prompt, {"role": "user", "content": "In French."}],
            request_params={**request_params, "temperature": 0.5, "system": "Be rude."},
        )

    bus.intercept("before_llm_generate", shorten)
    model = ScriptedModel.of(says("Oui."))

    await ask(Agent(name="polyglot", model=model, instruction="Be kind."), "Yes?")

    (sent,) = model.sent
    assert [one.parts[0].text for one in sent.contents if one.parts] == ["Yes?", "In French."]
    assert (sent.config.temperature, sent.config.system_instruction) == (0.5, "Be rude.")


# --- streams, tasks, cancellation -----------------------------------------------------------------


@pytest.mark.shows("adk", "streaming")
async def test_a_streamed_answer_arrives_in_pieces_and_is_measured(hooks: HookLog) -> None:
    model = ScriptedModel.of(says("one two three"))

    await ask(Agent(name="streamer", model=model), mode=StreamingMode.SSE)

    [closed] = [one for one in hooks.of("operation_closed") if one["noun"] == "llm_generate"]
    assert closed["stream"].chunk_count == 3
    assert closed["stream"].first_chunk_ns > 0
    assert "one two three" in {text.strip() for text in hooks.texts.values()}
    ended = hooks.one("after_llm_generate")
    assert ended["response"]["parts"] == [{"type": "text", "content": "one two three"}]
    assert hooks.one("before_llm_generate")["request_params"]["stream"] is True


async def test_a_stream_that_breaks_is_reported_with_its_pieces(hooks: HookLog) -> None:
    class Breaking(ScriptedModel):
        async def generate_content_async(
            self, llm_request: LlmRequest, stream: bool = False
        ) -> AsyncGenerator[LlmResponse, None]:
            """Break in the middle."""
            content = Content(role="model", parts=[Part(text="It is")])
            yield LlmResponse(content=content, partial=True)
            raise ConnectionError("gone")

    with pytest.raises(ConnectionError, match="gone"):
        await ask(Agent(name="breaking", model=Breaking()), mode=StreamingMode.SSE)

    failed = hooks.one("error_llm_generate")
    assert failed["response"]["parts"] == [{"type": "text", "content": "It is"}]


async def test_a_run_that_is_left_early_is_closed(hooks: HookLog) -> None:
    runner = InMemoryRunner(
        Agent(name="left", model=ScriptedModel.of(says("one two three"))), app_name="tests"
    )
    await runner.session_service.create_session(app_name="tests", user_id="ada", session_id="s")
    message = Content(role="user", parts=[Part(text="Go")])
    events = runner.run_async(
        user_id="ada",
        session_id="s",
        new_message=message,
        run_config=RunConfig(streaming_mode=StreamingMode.SSE),
    )
    async with aclosing(events):
        await anext(events)

    assert {one["noun"] for one in hooks.of("operation_closed")} >= {"agent_call"}


async def test_a_run_that_is_left_with_its_answer_is_not_cancelled(hooks: HookLog) -> None:
    runner = InMemoryRunner(Agent(name="done", model=ScriptedModel.of(says("one"))), app_name="t")
    await runner.session_service.create_session(app_name="t", user_id="ada", session_id="s")
    message = Content(role="user", parts=[Part(text="Go")])
    events = runner.run_async(user_id="ada", session_id="s", new_message=message)
    async for event in events:  # as ADK's tutorials do
        if event.is_final_response():
            break
    await events.aclose()

    assert hooks.one("after_agent_call")["result"] == "one"


# --- several agents -------------------------------------------------------------------------------


@pytest.mark.shows("adk", "sub_agents")
async def test_an_agent_that_another_transfers_to_is_below_the_same_run(hooks: HookLog) -> None:
    helper = Agent(
        name="helper", description="Helps.", model=ScriptedModel.of(says("I am the helper."))
    )
    transfer = calls("transfer_to_agent", {"agent_name": "helper"})
    host = Agent(name="host", model=ScriptedModel.of(transfer), sub_agents=[helper])

    assert await ask(host) == "I am the helper."

    first, second = hooks.of("before_agent_call")
    assert [first["agent"].name, second["agent"].name] == ["host", "helper"]
    assert hooks.one("after_tool_call")["tool_name"] == "transfer_to_agent"
    assert len(hooks.of("after_agent_call")) == 2  # and not one that was cancelled
    assert second["agent"].conversation_id == first["agent"].conversation_id


@pytest.mark.shows("adk", "sub_agents", "concurrency")
@pytest.mark.parametrize("kind", [SequentialAgent, ParallelAgent])
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
async def test_the_agents_of_a_workflow_agent_are_below_it(hooks: HookLog, kind: Any) -> None:
    members = [
        Agent(name=name, model=ScriptedModel.of(says(f"{name} done")))
        for name in ("first", "second")
    ]

    await ask(kind(name="team", sub_agents=members))

    team, *others = hooks.of("before_agent_call")
    assert (team["agent"].name, hooks.parent_noun(team)) == ("team", None)
    assert [one["agent"].name for one in others] == ["first", "second"]
    assert {one["parent_call_id"] for one in others} == {team["call_id"]}
    models = {one["parent_call_id"] for one in hooks.of("after_llm_generate")}
    assert models == {one["call_id"] for one in others}
    assert context.get() == context.UNKNOWN  # the next run has a session of its own


@pytest.mark.shows("adk", "sub_agents", "session")
async def test_an_agent_used_as_a_tool_is_below_that_tool_and_in_its_session(
    bus: Bus, hooks: HookLog
) -> None:
    seen = []
    bus.register("before_llm_generate", lambda **_: seen.append(context.get()))
    helper = Agent(name="helper", description="Helps.", model=ScriptedModel.of(says("helped")))
    model = ScriptedModel.of(calls("helper", {"request": "help me"}), says("done"))

    await ask(Agent(name="host", model=model, tools=[AgentTool(helper)]), session_id="holiday")

    _, inner = hooks.of("before_agent_call")
    assert (inner["agent"].name, hooks.parent_noun(inner)) == ("helper", "tool_call")
    assert seen == ["holiday"] * 3
    assert context.get() == context.UNKNOWN
    assert hooks.one("after_tool_call")["result"] == "helped"


async def test_the_session_that_the_program_names_wins(bus: Bus, hooks: HookLog) -> None:
    seen = []
    bus.register("before_agent_call", lambda **_: seen.append(context.get()))
    context.set("mine")
    try:
        model = ScriptedModel.of(says("Hi."))
        await ask(Agent(name="named", model=model), session_id="theirs")
    finally:
        context.set(context.UNKNOWN)

    assert seen == ["mine"]
