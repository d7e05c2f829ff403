"""mcp-agent: decisions of hooks and people reach it; without them it is unchanged."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from mcp.shared.exceptions import McpError
from mcp.types import ElicitResult, ModelPreferences
from mcp_agent.agents.agent import Agent
from mcp_agent.config import OpenAISettings
from mcp_agent.mcp.gen_client import gen_client
from mcp_agent.workflows.llm.augmented_llm_openai import OpenAIAugmentedLLM
from mcp_agent.workflows.llm.llm_selector import ModelSelector
from mcp_agent.workflows.parallel.parallel_llm import ParallelLLM

from inspector import context
from inspector.agent_side.control.signals import deliver
from inspector.integrations import mcp, mcp_agent
from instrument import ApprovalAnswer, ApprovalRequest, Bus, Decision, HookDenied
from tests.integrations.cancellation import cancel_from_browser
from tests.integrations.hook_log import HookLog
from tests.integrations.mcp1.apps import make_app, until
from tests.integrations.mcp1.echo_llm import EchoLLM

pytestmark = pytest.mark.usefixtures("logging_ends")

ran: list[str] = []


async def cut(text: str) -> str:
    """Cut something."""
    ran.append(text)
    if text == "finger":
        raise ValueError("ouch")
    return f"cut {text}"


@pytest.fixture(autouse=True)
def forget() -> None:
    ran.clear()


class Person:
    def __init__(self, answer: ApprovalAnswer) -> None:
        self.answer = answer
        self.requests: list[ApprovalRequest] = []

    async def ask(self, request: ApprovalRequest) -> ApprovalAnswer:
        self.requests.append(request)
        return self.answer


async def ask_agent(app: Any, message: str, **kwargs: Any) -> str:
    agent = Agent(name="a", functions=[cut], context=app.context, **kwargs)
    llm = await agent.attach_llm(EchoLLM)
    text: str = await llm.generate_str(message)
    return text


@pytest.mark.shows("mcp_agent", "deny")
async def test_a_denied_function_does_not_run_and_the_model_reads_why(
    app: Any, bus: Bus, hooks: HookLog
) -> None:
    bus.intercept("before_tool_call", lambda **_: Decision.deny("no scissors"))
    assert await ask_agent(app, "!cut text=paper") == "Denied: no scissors"
    assert ran == []
    assert isinstance(hooks.one("error_tool_call")["exc"], HookDenied)


@pytest.mark.slow
async def test_the_tools_that_the_agent_knows_are_reported_with_its_model_call(
    app: Any, hooks: HookLog
) -> None:
    named: dict[str, Any] = {"name": "a", "server_names": ["s"], "context": app.context}
    async with Agent(functions=[cut], **named) as agent:
        llm = await agent.attach_llm(EchoLLM)
        await llm.generate_str("hello")
    offered = hooks.one("before_llm_generate")["request_params"]["tools"]
    assert {"name", "description", "parameters"} == set(offered[0])
    descriptions = {one["name"]: one["description"] for one in offered}
    assert descriptions["cut"] == "Cut something."
    assert len(descriptions) > 1, "and those of the server"


@pytest.mark.slow
@pytest.mark.shows("mcp_agent", "deny", "once")
async def test_a_denied_tool_of_a_server_is_not_requested(
    app: Any, bus: Bus, hooks: HookLog
) -> None:
    bus.intercept("before_tool_call", lambda **_: Decision.deny("no"))
    async with Agent(name="a", server_names=["s"]) as agent:
        llm = await agent.attach_llm(EchoLLM)
        assert await llm.generate_str("!s_echo text=hi") == "Denied: no"
    methods = [one["envelope"]["method"] for one in hooks.of("before_rpc_request")]
    assert "tools/list" in methods
    assert "tools/call" not in methods
    assert hooks.one("before_tool_call")["server_name"] == "s"


@pytest.mark.shows("mcp_agent", "edit")
async def test_edited_arguments_are_what_runs(app: Any, bus: Bus) -> None:
    bus.intercept("before_tool_call", lambda **_: Decision.modify(args={"text": "card"}))
    assert await ask_agent(app, "!cut text=paper") == "cut card"
    assert ran == ["card"]


@pytest.mark.shows("mcp_agent", "replace")
async def test_a_replaced_result_is_what_the_model_reads(app: Any, bus: Bus) -> None:
    bus.intercept("after_tool_call", lambda **_: Decision.modify(result="glued"))
    assert await ask_agent(app, "!cut text=paper") == "glued"


@pytest.mark.shows("mcp_agent", "retry")
async def test_a_failed_tool_is_run_again_with_other_arguments(app: Any, bus: Bus) -> None:
    bus.intercept("error_tool_call", lambda **_: Decision.retry("another", args={"text": "paper"}))
    assert await ask_agent(app, "!cut text=finger") == "cut paper"
    assert ran == ["finger", "paper"]


@pytest.mark.shows("mcp_agent", "approve")
@pytest.mark.parametrize(
    ("answer", "text"),
    [
        (ApprovalAnswer("allow"), "cut paper"),
        (ApprovalAnswer("allow", changes={"args": {"text": "card"}}), "cut card"),
        (ApprovalAnswer("deny", reason="not now"), "Denied: not now"),
    ],
)
async def test_a_person_allows_edits_or_denies(
    app: Any, bus: Bus, answer: ApprovalAnswer, text: str
) -> None:
    bus.intercept("before_tool_call", lambda **_: Decision.ask_user("Cut?"))
    person = Person(answer)
    bus.set_approval_provider(person)
    assert await ask_agent(app, "!cut text=paper") == text
    assert len(person.requests) == 1
    assert ran == ([] if answer.decision == "deny" else [text.removeprefix("cut ")])


@pytest.mark.shows("mcp_agent", "deny_llm")
async def test_a_model_call_is_refused_or_answered_by_a_hook(app: Any, bus: Bus) -> None:
    off = bus.intercept("before_llm_generate", lambda **_: Decision.stop("from the cache"))
    assert await ask_agent(app, "hello") == "from the cache"
    off()
    bus.intercept("before_llm_generate", lambda **_: Decision.deny("budget"))
    with pytest.raises(HookDenied, match="budget"):
        await ask_agent(app, "hello")


async def test_without_decisions_and_with_a_failing_observer_all_is_as_before(
    app: Any, bus: Bus
) -> None:
    def failing(*_: Any, **__: Any) -> None:
        raise ValueError("observer")

    bus.observe_all(failing)
    assert await ask_agent(app, "!cut text=paper") == "cut paper"
    assert "ouch" in await ask_agent(app, "!cut text=finger")


@pytest.mark.shows("mcp_agent", "tool_error", "tokens")
async def test_errors_and_tokens_are_reported_once(app: Any, hooks: HookLog) -> None:
    await ask_agent(app, "!cut text=finger")
    assert "ouch" in str(hooks.one("error_tool_call")["exc"])
    usage = hooks.one("after_llm_generate")["usage"]
    assert usage == {"input_tokens": 3, "output_tokens": 2, "model": "echo-1"}
    with pytest.raises(RuntimeError, match="away"):
        await ask_agent(app, "?")
    assert str(hooks.one("error_llm_generate")["exc"]) == "the model is away"
    assert str(hooks.one("error_agent_call")["exc"]) == "the model is away"


class Refusing(BaseHTTPRequestHandler):
    """A model provider that refuses every API key."""

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        body = json.dumps({"error": {"message": "Incorrect API key", "code": "invalid"}}).encode()
        self.send_response(401)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        pass


@pytest.fixture
def refusing_provider() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Refusing) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/v1"
        server.shutdown()


@pytest.mark.slow
@pytest.mark.shows("mcp_agent", "llm_error")
async def test_a_model_call_that_its_provider_refuses_is_an_error_though_nothing_is_raised(
    app: Any, hooks: HookLog, refusing_provider: str
) -> None:
    app.context.config.openai = OpenAISettings(
        api_key="wrong", base_url=refusing_provider, default_model="gpt-5"
    )
    agent = Agent(name="a", context=app.context)
    llm = await agent.attach_llm(OpenAIAugmentedLLM)

    assert await llm.generate_str("Hello") == ""

    error = hooks.one("error_llm_generate")["exc"]
    assert "Incorrect API key" in str(error)
    assert hooks.of("after_llm_generate") == []
    assert hooks.one("after_agent_call")["result"] == ""


@pytest.mark.shows("mcp_agent", "concurrency")
async def test_ten_runs_at_once_keep_their_own_calls(app: Any, hooks: HookLog) -> None:
    await asyncio.gather(*(ask_agent(app, f"!cut text=t{number}") for number in range(10)))
    prompts = {one["call_id"]: one["prompt"] for one in hooks.of("before_llm_generate")}
    tools = hooks.of("before_tool_call")
    assert len(tools) == 10
    for tool in tools:
        assert prompts[tool["parent_call_id"]] == f"!cut text={tool['args']['text']}"


@pytest.mark.shows("mcp_agent", "cancellation")
async def test_a_cancelled_run_is_closed_as_cancelled(app: Any, hooks: HookLog) -> None:
    began = asyncio.Event()

    async def wait() -> None:
        """Wait."""
        began.set()
        await asyncio.Event().wait()

    agent = Agent(name="a", functions=[wait], context=app.context)
    llm = await agent.attach_llm(EchoLLM)
    task = asyncio.create_task(llm.generate_str("!wait"))
    await began.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert {one["status"] for one in hooks.of("operation_closed")} == {"cancelled"}


@pytest.mark.shows("mcp_agent", "cancel")
async def test_a_run_that_a_person_cancels_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("INSPECTOR_ENABLE_PATCH", "1")

    async def run(running: asyncio.Event) -> str:
        async def wait() -> None:
            """Wait."""
            running.set()
            await asyncio.Event().wait()

        async with make_app().run() as app:
            agent = Agent(name="a", functions=[wait], context=app.context)
            llm = await agent.attach_llm(EchoLLM)
            text: str = await llm.generate_str("!wait")
            return text

    spans = await cancel_from_browser(mcp_agent.attach, run)
    assert {"invoke_agent a", "execute_tool wait"} <= set(spans)


@pytest.mark.shows("mcp_agent", "sub_agents")
async def test_agents_of_a_composite_are_below_it_and_it_asks_no_model(
    app: Any, hooks: HookLog
) -> None:
    parallel = ParallelLLM(
        fan_in_agent=Agent(name="in", context=app.context),
        fan_out_agents=[Agent(name=name, context=app.context) for name in ("x", "y")],
        llm_factory=lambda agent: EchoLLM(agent=agent, context=app.context),
        context=app.context,
    )
    await parallel.generate_str("hello")
    agents = {one["agent"].name: one for one in hooks.of("before_agent_call")}
    assert {"in", "x", "y"} < agents.keys()
    (outer,) = (one for name, one in agents.items() if name not in ("in", "x", "y"))
    assert {agents[name]["parent_call_id"] for name in ("in", "x", "y")} == {outer["call_id"]}
    assert len(hooks.of("before_llm_generate")) == 3


@pytest.mark.shows("mcp_agent", "session")
async def test_the_app_is_the_session(shim: None, hooks: HookLog) -> None:
    async with make_app().run() as app:
        session_id = app.session_id
        assert context.get() == session_id
    assert context.get() == context.UNKNOWN
    started, finished = hooks.one("session_started"), hooks.one("session_finished")
    assert started["session_id"] == finished["session_id"] == session_id
    assert finished["status"] == "completed"


async def test_an_app_that_raises_has_failed(shim: None, hooks: HookLog) -> None:
    with pytest.raises(ValueError, match="no"):
        async with make_app().run():
            raise ValueError("no")
    assert hooks.one("session_finished")["status"] == "failed"


async def test_waiting_for_cancel_is_no_pause(app: Any, hooks: HookLog) -> None:
    waiting = asyncio.create_task(app.executor.wait_for_signal("cancel", workflow_id="w"))
    await until(lambda: app.executor.signal_bus._pending_signals.get("cancel"))
    waiting.cancel()
    assert not hooks.of("session_paused")


async def test_what_a_person_answers_reaches_who_waits(app: Any, hooks: HookLog) -> None:
    waiting = asyncio.create_task(app.executor.wait_for_signal("go", workflow_id="w"))
    await until(lambda: app.executor.signal_bus._pending_signals.get("go"))
    delivery = await asyncio.to_thread(deliver, app.session_id, "go", '"yes"')
    assert delivery.applied
    assert await waiting == "yes"
    assert hooks.one("session_resumed")["payload"] == "yes"
    assert not deliver(app.session_id, "go", '"again"').applied


async def test_a_time_out_ends_the_pause(app: Any, hooks: HookLog) -> None:
    with pytest.raises(TimeoutError):
        await app.executor.wait_for_signal("never", workflow_id="w", timeout_seconds=0)
    assert hooks.one("session_resumed")["payload"] is None


async def test_a_person_answers_what_an_agent_asks_a_human(shim: None, hooks: HookLog) -> None:
    async def nobody(_: Any) -> Any:
        await asyncio.Event().wait()

    async with make_app(human_input_callback=nobody).run() as app:
        agent = Agent(name="a", context=app.context, human_input_callback=nobody)
        async with agent:
            call = asyncio.create_task(
                agent.call_tool("__human_input__", {"request": {"prompt": "Name?"}})
            )
            await until(lambda: hooks.of("session_paused"))
            signal_name = hooks.one("session_paused")["signal_name"]
            await asyncio.to_thread(deliver, app.session_id, signal_name, '"Otto"')
            assert "Otto" in (await call).content[0].text


@pytest.mark.slow
@pytest.mark.shows("mcp_agent", "elicitation")
async def test_a_server_asks_the_program_where_it_answers(
    shim: None, bus: Bus, hooks: HookLog
) -> None:
    async def answers(_: Any) -> ElicitResult:
        return ElicitResult(action="accept", content={"name": "program"})

    person = Person(ApprovalAnswer("answer", payload={"name": "person"}))
    bus.set_approval_provider(person)
    async with (
        make_app(elicitation_callback=answers).run() as app,
        gen_client("s", app.server_registry, context=app.context) as session,
    ):
        result = await session.call_tool("ask", {})
    assert "program" in result.content[0].text
    assert hooks.one("session_paused")["prompt"] == "Who are you?"
    assert person.requests == []


@pytest.mark.slow
@pytest.mark.shows("mcp_agent", "elicitation", "progress", "once")
async def test_people_and_models_answer_a_server_that_asks(
    app: Any, bus: Bus, hooks: HookLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    def create_llm(**_: Any) -> Any:
        return EchoLLM(name="sampling", context=app.context)

    monkeypatch.setattr("mcp_agent.workflows.factory.create_llm", create_llm)
    bus.set_approval_provider(Person(ApprovalAnswer("answer", payload={"name": "person"})))
    async with gen_client("s", app.server_registry, context=app.context) as session:
        answered = await session.call_tool("ask", {})
        sampled = await session.call_tool("sample", {})
        seen: list[float] = []

        async def progress(value: float, *_: Any) -> None:
            seen.append(value)

        await session.call_tool("count", {}, progress_callback=progress)
    assert "person" in answered.content[0].text
    assert hooks.one("before_llm_generate")["prompt"] == ["Say hello"]
    assert "echo" in sampled.content[0].text
    assert seen == [1, 2]
    counted = hooks.of("before_tool_call")[-1]
    assert [one["percent"] for one in hooks.of("progress_update")] == [50, 100]
    counting = hooks.of("before_rpc_request")[-1]
    assert counting["parent_call_id"] == counted["call_id"]
    assert {one["call_id"] for one in hooks.of("progress_update")} == {counting["call_id"]}
    assert len(hooks.of("before_tool_call")) == 3
    assert {one["transport"] for one in hooks.of("before_rpc_request")} == {"stdio"}
    assert (counted["server_name"], counting["server_name"]) == ("s", "s")


@pytest.mark.slow
@pytest.mark.shows("mcp_agent", "once")
async def test_beside_the_adapter_of_the_sdk_each_call_is_reported_once(
    shim: None, bus: Bus, hooks: HookLog
) -> None:
    detach = mcp.attach(bus=bus)
    try:
        async with make_app().run() as app, Agent(name="a", server_names=["s"]) as agent:
            llm = await agent.attach_llm(EchoLLM)
            assert await llm.generate_str("!s_echo text=hi") == "echo: hi"
            async with gen_client("s", app.server_registry, context=app.context) as session:
                await session.call_tool("echo", {"text": "hi"})
                await session.read_resource("memo://one")
                await session.get_prompt("greet", {"name": "Otto"})
                await session.call_tool("count", {})
    finally:
        detach()
    assert [one["tool_name"] for one in hooks.of("before_tool_call")] == [
        "s_echo",
        "echo",
        "count",
    ]
    methods = [one["envelope"]["method"] for one in hooks.of("before_rpc_request")]
    assert methods.count("tools/call") == 3
    assert methods.count("resources/read") == methods.count("prompts/get") == 1
    assert len(hooks.of("before_resource_fetch")) == len(hooks.of("before_prompt_apply")) == 1
    assert len(hooks.of("progress_update")) == 2
    assert len(hooks.of("transport_connected")) == methods.count("initialize")
    assert len(hooks.of("transport_disconnected")) == methods.count("initialize")


@pytest.mark.slow
async def test_what_is_refused_on_a_session_is_an_error_of_the_sdk(app: Any, bus: Bus) -> None:
    bus.intercept("before_resource_fetch", lambda **_: Decision.deny("secret"))
    bus.intercept("before_prompt_apply", lambda **_: Decision.deny("secret"))
    async with gen_client("s", app.server_registry, context=app.context) as session:
        with pytest.raises(McpError, match="Denied: secret"):
            await session.read_resource("memo://one")
        with pytest.raises(McpError, match="Denied: secret"):
            await session.get_prompt("greet", {"name": "Otto"})


async def test_a_model_that_is_refused_is_one_that_does_not_fit(app: Any, bus: Bus) -> None:
    bus.intercept("after_model_select", lambda **_: Decision.deny("too dear"))
    with pytest.raises(ValueError, match="Denied: too dear"):
        ModelSelector(context=app.context).select_best_model(ModelPreferences(costPriority=1))


@pytest.mark.slow
@pytest.mark.shows("mcp_agent", "transport")
async def test_a_server_that_dies_is_reported(app: Any, hooks: HookLog) -> None:
    from mcp_agent.mcp.mcp_connection_manager import MCPConnectionManager

    async with MCPConnectionManager(app.server_registry, context=app.context) as manager:
        connection = await manager.get_server("s")
        connection._error = True
        await manager.get_server("s")
    assert hooks.one("transport_reconnecting")["attempt"] == 1
    assert len(hooks.of("transport_connected")) == 2
    assert len(hooks.of("transport_disconnected")) == 2
