"""Amplifier: operations of its modules are reported as they are, and refused ones do not run."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterator
from importlib.metadata import entry_points
from inspect import isawaitable
from pathlib import Path
from typing import Any

import pytest
from amplifier_core import AmplifierSession, HookResult, ToolResult, _session_exec, _session_init
from amplifier_core import session as session_in_python

from inspector import context
from inspector.integrations import amplifier
from inspector.integrations.amplifier import attach
from instrument import Bus, Decision
from instrument.control import ModuleCoordinator, mount_plan
from tests.integrations.contract import QUESTION, AdapterContract, ScriptedAgent
from tests.integrations.hook_log import HookLog

MODULES = Path(__file__).parent / "amplifier_modules"
CALL = [("multiply", {"a": 6, "b": 7})]


@pytest.fixture(autouse=True)
def modules(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(MODULES))


@pytest.fixture
def watching(bus: Bus) -> Iterator[None]:
    detach = attach(bus=bus)
    yield
    detach()


class Session:
    """A session with a scripted model, and its modules."""

    def __init__(self, *turns: Any, of: Any = AmplifierSession, **kwargs: Any) -> None:
        self.real = of(
            {
                "session": {"orchestrator": "loop-probe", "context": "context-probe"},
                "providers": [{"module": "provider-probe", "config": {"turns": []}}],
                "tools": [{"module": "tool-probe"}],
            },
            **kwargs,
        )
        self._turns = turns

    async def __aenter__(self) -> Session:
        await self.real.initialize()
        self.model = self.real.coordinator.get("providers")["probe"]
        self.tool = self.real.coordinator.get("tools")["multiply"]
        self.model.turns.extend(self._turns)
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.real.cleanup()

    async def run(self, prompt: str = "go") -> str:
        return str(await self.real.execute(prompt))

    def read(self) -> str:
        """Return the last message that the model read."""
        return str(self.model.seen[-1].messages[-1].content)


class FunctionTool:
    """A function as a tool of the kernel; what it raises is an error."""

    def __init__(self, function: Any) -> None:
        self.name, self.description = function.__name__, function.__doc__
        self._function = function

    async def execute(self, input: dict[str, Any]) -> ToolResult:
        try:
            output = self._function(**input)
            return ToolResult(output=await output if isawaitable(output) else output)
        except ValueError as error:
            return ToolResult(success=False, error={"message": str(error)})


class SessionAgent(ScriptedAgent):
    """A session that ends with its run."""

    WAYS = ("session",)
    NAME = "loop-probe"
    CANCELLED = (asyncio.CancelledError, RuntimeError)  # the kernel raises that the run failed
    calls = staticmethod(lambda name, args: [(name, args)])
    says = staticmethod(str)

    def __init__(self, *script: Any, tools: Any) -> None:
        self._session, self._tools = Session(*script), [FunctionTool(one) for one in tools]

    async def run(self, way: str) -> str:
        async with self._session as session:
            for tool in self._tools:
                await session.real.coordinator.mount("tools", tool, name=tool.name)
            return await session.run(QUESTION)

    def read(self) -> str:
        return self._session.read()

    def count_model_calls(self) -> int:
        return len(self._session.model.seen)


class TestContract(AdapterContract):
    framework = "amplifier"
    agent = SessionAgent
    attach = staticmethod(attach)

    @pytest.fixture(autouse=True)
    def watched(self, watching: None) -> None:
        """Attach to the bus of the test."""

    async def test_only_the_targets_are_watched(self, calculator: ScriptedAgent, way: str) -> None:
        bus, hooks = Bus(), HookLog()
        bus.observe_all(hooks)
        async with Session("a") as wanted, Session("b") as unwanted:
            detach = attach(wanted.real, bus=bus)
            await wanted.run("mine")
            await unwanted.run("other")
            detach()

        assert hooks.one("before_agent_call")["agent"].input == "mine"

    @pytest.mark.shows("cancellation")
    async def test_a_cancelled_run_is_closed_as_cancelled(self, hooks: HookLog) -> None:
        """The kernel runs it in a task of its own, which is what is cancelled."""
        running: asyncio.Future[Any] = asyncio.get_running_loop().create_future()

        async def wait() -> str:
            running.set_result(asyncio.current_task())
            await asyncio.Event().wait()
            return "never"

        async with Session(wait) as session:
            run = asyncio.ensure_future(session.run())
            (await asyncio.wait_for(running, 10)).cancel()
            with pytest.raises((asyncio.CancelledError, RuntimeError)):
                await run

        statuses = {one["noun"]: one["status"] for one in hooks.of("operation_closed")}
        assert statuses == {"llm_generate": "cancelled", "agent_call": "cancelled"}


@pytest.mark.shows("amplifier", "agent", "llm", "tokens", "tool")
async def test_a_run_is_reported_with_its_model_calls_and_tools(
    watching: None, hooks: HookLog
) -> None:
    async with Session(CALL, "forty-two") as session:
        assert await session.run("6 * 7?") == "forty-two"

    assert hooks.names == [
        "session_started",
        "before_agent_call",
        "prompt_submitted",
        *("before_llm_generate", "after_llm_generate"),
        *("before_tool_call", "after_tool_call"),
        *("before_llm_generate", "after_llm_generate"),
        "after_agent_call",
        "session_finished",
    ]
    agent = hooks.one("before_agent_call")["agent"]
    assert (agent.name, agent.input) == ("loop-probe", "6 * 7?")
    assert hooks.one("after_agent_call")["result"] == "forty-two"
    first, second = hooks.of("after_llm_generate")
    assert first["prompt"] == [{"role": "user", "content": "6 * 7?"}]
    assert (second["model"], second["provider"]) == ("scripted-1", "probe")
    assert second["usage"] == {"input_tokens": 11, "output_tokens": 7, "total_tokens": 18}
    tool = hooks.one("after_tool_call")
    assert (tool["tool_name"], tool["args"]) == ("multiply", {"a": 6, "b": 7})
    assert tool["result"].output == 42


async def test_a_tool_that_another_module_denies_is_reported_with_its_decision(
    watching: None, hooks: HookLog
) -> None:
    async def gate(event: str, data: dict[str, Any]) -> HookResult:
        is_refused = data["tool_input"]["a"] == 6
        return HookResult(action="deny" if is_refused else "continue", reason="not six")

    async with Session([*CALL, ("multiply", {"a": 2, "b": 2})], "fine") as session:
        session.real.coordinator.hooks.register("tool:pre", gate, priority=10, name="gate")
        assert await session.run() == "fine"
        assert session.tool.ran == [{"a": 2, "b": 2}]

    closed = [one["status"] for one in hooks.of("operation_closed") if one["noun"] == "tool_call"]
    assert sorted(closed) == ["denied", "ok"]
    [decided] = hooks.of("hook_decided")
    assert (decided["action"], decided["reason"]) == ("deny", "not six")
    refused = next(one for one in hooks.of("before_tool_call") if one["args"] == {"a": 6, "b": 7})
    assert hooks.parent_noun(refused) == "agent_call"
    hooks.check_pairs()


@pytest.mark.shows("amplifier", "inject")
async def test_context_is_added_for_the_model_and_not_to_the_history(
    watching: None, bus: Bus, hooks: HookLog
) -> None:
    bus.intercept("before_llm_generate", lambda **_: Decision.inject_context("Be brief."))
    async with Session("yes") as session:
        await session.run("hi")
        added = session.model.seen[0].messages[-1]
        assert (added.role, added.content) == ("system", "Be brief.")
        assert len(session.real.coordinator.get("context").messages) == 2


@pytest.mark.parametrize("is_attached_late", [False, True])
async def test_a_session_of_the_former_kernel_is_watched_too(
    is_attached_late: bool, bus: Bus, hooks: HookLog
) -> None:
    detach = None if is_attached_late else attach(bus=bus)
    session = Session(CALL, "forty-two", of=session_in_python.AmplifierSession)
    async with session:
        detach = detach or attach(bus=bus)
        try:
            assert await session.run() == "forty-two"
        finally:
            detach()

    assert [one for one in hooks.names if one.startswith("before")] == [
        "before_agent_call",
        "before_llm_generate",
        "before_tool_call",
        "before_llm_generate",
    ]


@pytest.mark.shows("amplifier", "cancellation")
async def test_a_cancellation_of_the_kernel_is_reported(watching: None, hooks: HookLog) -> None:
    async with Session("yes", session_id="holiday") as session:
        await session.run()
        await session.real.coordinator.hooks.emit("cancel:requested", {"level": "graceful"})

    assert hooks.one("operation_cancelled")["operation_id"] == "holiday"


@pytest.mark.shows("amplifier", "session")
async def test_the_session_of_the_kernel_is_ours(watching: None, bus: Bus, hooks: HookLog) -> None:
    seen = []
    bus.register("before_llm_generate", lambda **_: seen.append(context.get()))
    async with Session("yes", session_id="holiday") as session:
        await session.run()

    assert seen == ["holiday"]
    assert hooks.one("session_started")["session_id"] == "holiday"
    assert hooks.one("session_finished")["session_id"] == "holiday"
    assert context.get() == context.UNKNOWN


async def test_detaching_puts_back_what_was_there(bus: Bus) -> None:
    before = (_session_exec.run_orchestrator, _session_init.initialize_session)
    detach = attach(bus=bus)
    async with Session(CALL, "fine") as session:
        await session.run()
        hooks = session.real.coordinator.hooks
        wrapped = "execute" in vars(session.tool)
        detach()
        detach()

        assert wrapped
        assert "execute" not in vars(session.tool)
        assert "complete" not in vars(session.model)
        assert "execute" not in vars(session.real.coordinator.get("orchestrator"))
        names = [name for found in hooks.list_handlers().values() for name in found]
        assert not [name for name in names if name.startswith("inspector")]
    assert (_session_exec.run_orchestrator, _session_init.initialize_session) == before


async def test_nothing_of_an_ended_session_stays_in_memory(bus: Bus) -> None:
    adapter = amplifier._Adapter(bus)
    async with Session("a") as session:
        adapter.watch(session.real.coordinator)
        assert len(adapter._sessions) == 1
    assert adapter._sessions == {}


async def test_the_entry_point_is_a_hook_module_of_the_mount_plan(
    bus: Bus, hooks: HookLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    [entry] = entry_points(group="amplifier.modules", name="hooks-inspector")
    assert entry.load() is amplifier.mount
    monkeypatch.setattr("instrument.default.bus", bus)
    plan = {
        "session": {"orchestrator": "loop-probe", "context": "context-probe"},
        "providers": [{"module": "provider-probe", "config": {"turns": ["hello"]}}],
        "hooks": [{"module": "hooks-inspector", "config": {"attach": False}}],
    }
    async with AmplifierSession(plan) as session:
        assert await session.execute("hi") == "hello"

    assert hooks.one("after_agent_call")["result"] == "hello"
    assert hooks.one("session_finished")


HOOK_MODULE = """
from amplifier_core.models import HookResult

async def mount(coordinator, config=None):
    async def gate(event, data):
        return HookResult(**config["says"])

    return coordinator.hooks.register("tool:pre", gate, priority=10, name="gate")
"""


@pytest.mark.parametrize(
    ("says", "expected"),
    [
        ({"action": "continue"}, {"action": "continue"}),
        ({"action": "deny", "reason": "no"}, {"action": "deny", "reason": "no"}),
        (
            {"action": "modify", "data": {"tool_input": {"a": 1}}},
            {"action": "continue", "data": {"tool_name": "multiply", "tool_input": {"a": 1}}},
        ),
        (
            {"action": "inject_context", "context_injection": "be kind", "ephemeral": True},
            {"action": "inject_context", "context_injection": "be kind", "ephemeral": True},
        ),
        (
            {"action": "ask_user", "approval_prompt": "Sure?", "approval_timeout": 5.0},
            {"action": "ask_user", "approval_prompt": "Sure?", "approval_timeout": 5.0},
        ),
    ],
)
async def test_a_module_written_for_amplifier_decides_unchanged_where_a_plan_mounts_it(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    bus: Bus,
    says: dict[str, Any],
    expected: dict[str, Any],
) -> None:
    (tmp_path / "their_hook.py").write_text(HOOK_MODULE)
    metadata = tmp_path / "their_hook-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: their-hook\nVersion: 1.0\n")
    entry_point = "[amplifier.modules]\ntheir-hook = their_hook:mount\n"
    (metadata / "entry_points.txt").write_text(entry_point)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "their_hook", raising=False)

    coordinator = ModuleCoordinator(bus)
    await mount_plan(coordinator, {"hooks": [{"module": "their-hook", "config": {"says": says}}]})
    data = {"tool_name": "multiply", "tool_input": {"a": 6}}
    result = await coordinator.hooks.emit("tool:pre", data)
    found = {name: getattr(result, name) for name in expected}
    found |= {"data": {**found["data"]}} if "data" in found else {}
    for ours in ("hooks", "timestamp"):
        found.get("data", {}).pop(ours, None)
    assert found == expected
