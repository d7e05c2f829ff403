"""The adapter for the Claude Agent SDK: the real command line, and a provider on this machine."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from claude_agent_sdk import (
    AssistantMessage,
    ClaudeSDKError,
    HookMatcher,
    PermissionResultDeny,
    ToolUseBlock,
    query,
)

from inspector.integrations import claude_agent_sdk
from instrument import Bus, Decision, HookDenied
from tests.integrations.claude_agent_sdk_model import ClaudeAgent, calls
from tests.integrations.contract import RUN, AdapterContract, ScriptedAgent
from tests.integrations.hook_log import HookLog
from tests.support.services.model_provider import Answer, ModelProvider, says
from tests.support.services.process import Service, wait_for

ROOT = Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / "examples" / "frameworks" / "claude_agent_sdk_agent.py"


@pytest.fixture(scope="module", autouse=True)
def provider(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ModelProvider]:
    with ModelProvider() as started:
        ClaudeAgent.provider = started
        ClaudeAgent.folder = tmp_path_factory.mktemp("claude")
        yield started


@pytest.fixture(autouse=True)
def attached(bus: Bus, hooks: HookLog) -> Iterator[None]:
    detach = claude_agent_sdk.attach(bus=bus)
    yield
    detach()


@pytest.mark.slow
class TestContract(AdapterContract):
    framework = "claude_agent_sdk"
    agent = ClaudeAgent
    attach = staticmethod(claude_agent_sdk.attach)

    # The framework gives no way to these; its page says so.
    test_a_hook_can_answer_for_a_tool_that_raised: Any = None
    test_a_tool_is_run_again_where_a_hook_wants_it: Any = None
    test_a_hook_answers_for_the_model: Any = None
    test_an_answer_is_replaced: Any = None
    # Ten command lines at once are too much for a small machine.
    test_runs_at_the_same_time_keep_their_own_calls: Any = None

    @pytest.mark.slow
    @pytest.mark.parametrize("hook", ["before_agent_call"])
    async def test_a_denied_call_is_not_made_and_the_run_says_why(
        self,
        bus: Bus,
        hooks: HookLog,
        calculator: ScriptedAgent,
        way: str,
        hook: str,
    ) -> None:
        bus.intercept(hook, lambda **_: Decision.deny("over budget"))

        assert "Denied: over budget" in await calculator.run(way)
        assert calculator.count_model_calls() == 0

    @pytest.mark.slow
    async def test_only_the_targets_are_watched(self, calculator: ScriptedAgent, way: str) -> None:
        bus, hooks = Bus(), HookLog()
        bus.observe_all(hooks)
        detach = claude_agent_sdk.attach(calculator.native, bus=bus)
        await self.agent(self.agent.says("Hi."), tools=[]).run("client")
        assert hooks.names == []
        await calculator.run("client")
        detach()

        assert hooks.operations == RUN
        hooks.check_pairs()


# --- what is reported -----------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.shows("claude_agent_sdk", "concurrency")
async def test_runs_at_the_same_time_keep_their_own_calls(hooks: HookLog) -> None:
    together = asyncio.Barrier(2)

    async def meet(number: int) -> str:
        """Wait for the other."""
        await together.wait()
        return str(number)

    agents = [
        ClaudeAgent(calls("meet", {"number": number}), says(f"run-{number}"), tools=[meet])
        for number in range(2)
    ]
    answers = await asyncio.gather(*(one.run("query") for one in agents))

    assert answers == ["run-0", "run-1"]
    tools = {one["parent_call_id"]: one["args"]["number"] for one in hooks.of("before_tool_call")}
    for one in hooks.of("after_agent_call"):
        assert one["result"] == f"run-{tools[one['call_id']]}"


@pytest.mark.slow
@pytest.mark.shows("claude_agent_sdk", "tool")
async def test_an_answer_is_reported_while_it_comes_if_the_program_requests_its_pieces(
    hooks: HookLog, bus: Bus
) -> None:
    running: list[bool] = []
    bus.observe_chunks(
        lambda call_id, text: running.append(
            not any(one["call_id"] == call_id for one in hooks.of("operation_closed"))
        )
    )

    def add(a: int, b: int) -> int:
        """Add."""
        return a + b

    script = (calls("add", {"a": 1, "b": 2}), says("It is 3, at last."))
    agent = ClaudeAgent(*script, tools=[add], include_partial_messages=True)
    assert await agent.run("query") == "It is 3, at last."

    assert [text for text in hooks.texts.values() if text] == ["It is 3, at last."]
    assert running
    assert all(running)
    assert len(hooks.of("before_llm_generate")) == 2
    hooks.check_pairs()


@pytest.mark.slow
@pytest.mark.shows("claude_agent_sdk", "sub_agents", "tool", "once")
async def test_a_sub_agent_is_below_the_tool_that_starts_it(
    hooks: HookLog, bus: Bus, tmp_path: Path
) -> None:
    (tmp_path / "note").write_text("forty-two")
    start = {"description": "Look", "prompt": "Look.", "subagent_type": "Explore"}
    agent = ClaudeAgent(
        Answer(calls=[("Agent", {**start, "run_in_background": False})]),
        Answer(calls=[("Read", {"file_path": str(tmp_path / "note")})]),
        says("The note says forty-two."),
        says("It is forty-two."),
        tools=[],
        add_dirs=[tmp_path],
    )
    assert await agent.run("query") == "It is forty-two."

    outer, inner = hooks.of("before_agent_call")
    delegate, read = hooks.of("before_tool_call")
    assert (inner["agent"].name, inner["agent"].input) == ("Explore", "Look.")
    assert (delegate["tool_name"], delegate["parent_call_id"]) == ("Agent", outer["call_id"])
    assert inner["parent_call_id"] == delegate["call_id"]
    assert (read["tool_name"], read["parent_call_id"]) == ("Read", inner["call_id"])


@pytest.mark.slow
@pytest.mark.shows("claude_agent_sdk", "tokens", "session")
async def test_runs_of_one_session_have_the_tokens_that_the_framework_counts(
    hooks: HookLog,
) -> None:
    agent = ClaudeAgent(says("One."), says("Two."), tools=[])
    async with agent.native as client:
        for _ in range(2):
            await agent.ask(client)

    usages = [one["usage"] for one in hooks.of("after_llm_generate")]
    results = [one for one in agent.messages if type(one).__name__ == "ResultMessage"]
    for used, result in zip(usages, results, strict=True):
        assert used["input_tokens"] == result.usage["input_tokens"]
        assert used["output_tokens"] == result.usage["output_tokens"] > 0
    cost_usd = sum(one["cost_usd"] for one in usages)
    assert cost_usd == pytest.approx(results[-1].total_cost_usd)
    sessions = {one["agent"].conversation_id for one in hooks.of("before_agent_call")}
    assert sessions == {results[0].session_id}


# --- beside what the program decides --------------------------------------------------------------


@pytest.mark.slow
async def test_what_the_program_forbids_is_an_error_and_its_own_hooks_run(
    hooks: HookLog, tmp_path: Path
) -> None:
    seen = []

    async def hook(event: Any, tool_use_id: str | None, context: Any) -> Any:
        seen.append(event["tool_name"])
        return {}

    async def forbid(name: str, args: Any, context: Any) -> PermissionResultDeny:
        return PermissionResultDeny(message="not in this house")

    agent = ClaudeAgent(
        Answer(calls=[("Write", {"file_path": str(tmp_path / "a"), "content": "b"})]),
        says("I may not."),
        tools=[],
        hooks={"PreToolUse": [HookMatcher(hooks=[hook])]},
        can_use_tool=forbid,
    )
    assert await agent.run("client") == "I may not."

    assert seen == ["Write"]
    assert "not in this house" in str(hooks.one("error_tool_call")["exc"])
    assert not (tmp_path / "a").exists()


@pytest.mark.slow
@pytest.mark.shows("claude_agent_sdk", "deny", "inject")
async def test_a_tool_of_the_command_line_is_denied_and_the_model_gets_what_hooks_add(
    bus: Bus, hooks: HookLog, tmp_path: Path
) -> None:
    bus.intercept("before_tool_call", lambda **_: Decision.deny("read only"))
    bus.intercept("before_agent_call", lambda **_: Decision.inject_context("It is Sunday."))
    agent = ClaudeAgent(
        Answer(calls=[("Bash", {"command": f"touch {tmp_path / 'a'}"})]),
        says("No."),
        tools=[],
        permission_mode="acceptEdits",
    )
    await agent.run("query")

    assert agent.read() == "Denied: read only"
    assert not (tmp_path / "a").exists()
    assert isinstance(hooks.one("error_tool_call")["exc"], HookDenied)
    assert "It is Sunday." in str(agent.provider.requests[-1].body["messages"])


@pytest.mark.slow
async def test_a_run_that_is_left_early_is_closed(bus: Bus, hooks: HookLog) -> None:
    closed = asyncio.Event()

    def see(hook: str, /, **kwargs: Any) -> None:
        if hook == "operation_closed" and kwargs["noun"] == "agent_call":
            assert kwargs["status"] == "cancelled"
            closed.set()

    bus.observe_all(see)
    agent = ClaudeAgent(calls("wait", {}), says("never"), tools=[])
    messages = query(prompt="?", options=agent._options)
    async for message in messages:
        if isinstance(message, AssistantMessage) and isinstance(message.content[0], ToolUseBlock):
            break
    await messages.aclose()  # type: ignore[attr-defined]  # a generator

    await asyncio.wait_for(closed.wait(), 10)  # the loop closes what is inside it


async def test_a_command_line_that_does_not_start_raises_as_without_us(hooks: HookLog) -> None:
    agent = ClaudeAgent(tools=[], cli_path="/no/such/claude")
    with pytest.raises(ClaudeSDKError):
        await agent.run("query")
    assert hooks.names == []


# --- from a real service --------------------------------------------------------------------------


@pytest.mark.shows("claude_agent_sdk", "session", "once")
@pytest.mark.slow
def test_the_example_is_one_session_with_nothing_twice(
    service: Service, provider: ModelProvider, tmp_path: Path
) -> None:
    provider.script[:] = [Answer(calls=[("mcp__calculator__add", {"a": 1, "b": 2})]), says("3")]
    done = subprocess.run(
        [sys.executable, "-m", "inspector", "run", "--", sys.executable, str(EXAMPLE)],
        env={
            **service.environment,
            **{"INSPECTOR_URL": service.url, "INSPECTOR_TOKEN": service.token},
            **{"ANTHROPIC_BASE_URL": provider.url, "ANTHROPIC_API_KEY": "nothing"},
            **{"CLAUDE_CONFIG_DIR": str(tmp_path), "ENABLE_TOOL_SEARCH": "false"},
            **{"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "IS_SANDBOX": "1"},
        },
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert done.stdout == "3\n"

    def sessions() -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = service.get("/sessions")["sessions"]
        return found if all(one["status"] == "completed" for one in found) else []

    wait_for(lambda: len(sessions()) > 0, deadline_s=30)
    (session,) = sessions()
    assert session["title"] == "What is 1 + 2?"
    assert (session["llm_calls"], session["tool_calls"]) == (2, 1)
    assert session["cost_usd"] > 0
