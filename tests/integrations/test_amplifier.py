"""Amplifier's kernel with modules of ours, watched and decided upon."""

from __future__ import annotations

import asyncio
import logging
import sys
from collections.abc import Iterator
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

import pytest
from amplifier_core import AmplifierSession, HookResult, _session_exec, _session_init
from amplifier_core import session as session_in_python

from inspector import context
from inspector.integrations import amplifier
from inspector.integrations.amplifier import attach
from instrument import Bus, Decision
from instrument.approvals import ApprovalAnswer, ApprovalRequest
from instrument.control import ModuleCoordinator, mount_plan
from tests.integrations.cancellation import cancel_from_browser
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
    """A session whose model says `turns`; its modules are at hand."""

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
        """What the model was last given to read."""
        return str(self.model.seen[-1].messages[-1].content)


class Person:
    """Answers what is asked of a person."""

    def __init__(self, decision: str) -> None:
        self._answer = ApprovalAnswer(decision)
        self.requests: list[ApprovalRequest] = []

    async def ask(self, request: ApprovalRequest) -> ApprovalAnswer:
        self.requests.append(request)
        return self._answer


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
    assert (second["model"], second["provider"]) == ("probe-1", "probe")
    assert second["usage"] == {"input_tokens": 11, "output_tokens": 7, "total_tokens": 18}
    tool = hooks.one("after_tool_call")
    assert (tool["tool_name"], tool["args"]) == ("multiply", {"a": 6, "b": 7})
    assert tool["result"].output == 42
    for one in (*hooks.of("before_llm_generate"), *hooks.of("before_tool_call")):
        assert hooks.parent_noun(one) == "agent_call"


@pytest.mark.shows("amplifier", "tool_error")
async def test_a_result_without_success_is_an_error(watching: None, hooks: HookLog) -> None:
    async with Session([("multiply", {"a": "six", "b": 7})], "sorry") as session:
        await session.run()
        assert session.read() == "not a number"

    assert str(hooks.one("error_tool_call")["exc"]) == "not a number"


@pytest.mark.shows("amplifier", "llm_error")
async def test_a_model_that_raises_closes_everything_and_raises_as_before(
    watching: None, hooks: HookLog
) -> None:
    async with Session(ConnectionError("model down")) as session:
        with pytest.raises(RuntimeError, match="ConnectionError: model down"):
            await session.run()

    assert hooks.one("error_llm_generate")
    assert hooks.one("error_agent_call")


@pytest.mark.shows("amplifier", "deny")
async def test_a_denied_tool_does_not_run_and_the_model_reads_why(
    watching: None, bus: Bus, hooks: HookLog
) -> None:
    bus.intercept("before_tool_call", lambda **_: Decision.deny("not on Sundays"))
    async with Session(CALL, "fine") as session:
        assert await session.run() == "fine"
        assert session.tool.ran == []
        assert session.read() == "Denied: not on Sundays"

    [closed] = [one for one in hooks.of("operation_closed") if one["noun"] == "tool_call"]
    assert closed["status"] == "denied"


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


@pytest.mark.shows("amplifier", "edit")
async def test_arguments_are_changed_before_the_tool_runs(
    watching: None, bus: Bus, hooks: HookLog
) -> None:
    bus.intercept("before_tool_call", lambda **_: Decision.modify({"a": 2, "b": 2}))
    async with Session(CALL, "fine") as session:
        await session.run()
        assert session.tool.ran == [{"a": 2, "b": 2}]
        assert session.read() == "4"


@pytest.mark.shows("amplifier", "replace")
async def test_a_result_is_changed_before_the_model_sees_it(
    watching: None, bus: Bus, hooks: HookLog
) -> None:
    bus.intercept("after_tool_call", lambda **_: Decision.modify("a secret"))
    async with Session(CALL, "fine") as session:
        await session.run()
        assert session.read() == "a secret"


@pytest.mark.shows("amplifier", "retry")
async def test_a_tool_runs_again(watching: None, bus: Bus, hooks: HookLog) -> None:
    once = iter([Decision.retry("unlucky")])
    bus.intercept("after_tool_call", lambda **_: next(once, None))
    async with Session(CALL, "fine") as session:
        await session.run()
        assert len(session.tool.ran) == 2

    assert len(hooks.of("after_tool_call")) == 2


@pytest.mark.shows("amplifier", "approve")
@pytest.mark.parametrize(("answer", "count"), [("allow", 1), ("deny", 0)])
async def test_a_person_decides_before_the_tool_runs(
    watching: None, bus: Bus, hooks: HookLog, answer: str, count: int
) -> None:
    person = Person(answer)
    bus.set_approval_provider(person)
    bus.intercept("before_tool_call", lambda **_: Decision.ask_user("Multiply?"))
    async with Session(CALL, "fine") as session:
        await session.run()
        assert len(session.tool.ran) == count

    assert [request.prompt for request in person.requests] == ["Multiply?"]


@pytest.mark.shows("amplifier", "deny_llm")
@pytest.mark.parametrize(
    ("decision", "answer"),
    [(Decision.deny("no budget"), "Denied: no budget"), (Decision.stop("cached"), "cached")],
    ids=["refused", "answered"],
)
async def test_a_model_call_is_refused_or_answered_by_a_hook(
    watching: None, bus: Bus, hooks: HookLog, decision: Decision, answer: str
) -> None:
    bus.intercept("before_llm_generate", lambda **_: decision)
    async with Session() as session:
        assert await session.run() == answer
        assert session.model.seen == []


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


@pytest.mark.shows("amplifier", "cancellation")
async def test_a_run_whose_task_is_cancelled_closes_everything(
    watching: None, hooks: HookLog
) -> None:
    running: asyncio.Future[Any] = asyncio.get_running_loop().create_future()

    async def wait() -> str:
        running.set_result(asyncio.current_task())
        await asyncio.Event().wait()
        return "never"

    async with Session(wait) as session:
        run = asyncio.ensure_future(session.run())
        task = await asyncio.wait_for(running, 10)
        task.cancel()
        with pytest.raises((asyncio.CancelledError, RuntimeError)):
            await run

    statuses = {one["noun"]: one["status"] for one in hooks.of("operation_closed")}
    assert statuses == {"llm_generate": "cancelled", "agent_call": "cancelled"}


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


@pytest.mark.shows("amplifier", "cancel")
async def test_a_run_that_a_person_cancels_ends() -> None:
    async def run(running: asyncio.Event) -> str:
        async def wait() -> str:
            running.set()
            await asyncio.Event().wait()
            return "never"

        async with Session(wait) as session:
            return await session.run()

    either = (asyncio.CancelledError, RuntimeError)  # the kernel says that the run failed
    spans = await cancel_from_browser(attach, run, ends_with=either)
    assert {"invoke_agent loop-probe", "chat probe-1"} <= set(spans)


@pytest.mark.shows("amplifier", "cancellation")
async def test_a_cancellation_of_the_kernel_is_reported(watching: None, hooks: HookLog) -> None:
    async with Session("yes", session_id="holiday") as session:
        await session.run()
        await session.real.coordinator.hooks.emit("cancel:requested", {"level": "graceful"})

    assert hooks.one("operation_cancelled")["operation_id"] == "holiday"


@pytest.mark.shows("amplifier", "concurrency")
async def test_sessions_at_the_same_time_have_their_own_calls(
    watching: None, hooks: HookLog
) -> None:
    together = asyncio.Barrier(10)

    async def run(number: int) -> str:
        async def meet() -> Any:
            await together.wait()
            return [("multiply", {"a": number, "b": 1})]

        async with Session(meet, f"run-{number}") as session:
            return await session.run(str(number))

    answers = await asyncio.gather(*map(run, range(10)))

    assert answers == [f"run-{number}" for number in range(10)]
    runs = {one["call_id"]: one["agent"].input for one in hooks.of("before_agent_call")}
    assert len(runs) == 10
    for one in hooks.of("after_tool_call"):
        assert runs[one["parent_call_id"]] == str(one["args"]["a"])


@pytest.mark.shows("amplifier", "sub_agents")
async def test_a_session_of_a_tool_is_below_it(watching: None, hooks: HookLog) -> None:
    async with Session("inner answer", parent_id="parent") as inner:

        class Delegate:
            name = "delegate"
            description = "Ask another session."

            async def execute(self, input: dict[str, Any]) -> Any:
                return await inner.run(input["task"])

        async with Session([("delegate", {"task": "think"})], "done") as session:
            await session.real.coordinator.mount("tools", Delegate(), name="delegate")
            await session.run()

    outer, below = hooks.of("before_agent_call")
    assert below["agent"].input == "think"
    assert hooks.parent_noun(below) == "tool_call"
    assert outer["parent_call_id"] is None


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


async def test_a_second_attach_does_nothing(watching: None, bus: Bus, hooks: HookLog) -> None:
    detach = attach(bus=bus)
    async with Session(CALL, "fine") as session:
        await session.run()
        detach()

    assert len(hooks.of("before_tool_call")) == 1


async def test_only_targets_are_watched(bus: Bus, hooks: HookLog) -> None:
    async with Session("a") as wanted, Session("b") as unwanted:
        detach = attach(wanted.real, bus=bus)
        await wanted.run("mine")
        await unwanted.run("other")
        detach()

    assert hooks.one("before_agent_call")["agent"].input == "mine"


async def test_a_failing_observer_changes_nothing(
    watching: None, bus: Bus, hooks: HookLog, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(**_: Any) -> None:
        raise RuntimeError("observer")

    with caplog.at_level(logging.CRITICAL):
        for hook in ("before_tool_call", "after_llm_generate", "session_started"):
            bus.register(hook, fail)
        async with Session(CALL, "fine") as session:
            assert await session.run() == "fine"


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
