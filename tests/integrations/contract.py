"""The tests that the adapter of every agent framework passes.

A framework's module subclasses `AdapterContract`; it attaches the adapter to `bus` in a fixture.
"""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Callable
from contextlib import suppress
from typing import Any, ClassVar

import pytest

from instrument import ApprovalAnswer, ApprovalRequest, Bus, Decision, HookDenied
from tests.integrations.cancellation import cancel_from_browser
from tests.integrations.hook_log import HookLog

QUESTION = "What is 1 + 2?"
RUN = [
    "before_agent_call",
    *("before_llm_generate", "after_llm_generate"),
    *("before_tool_call", "after_tool_call"),
    *("before_llm_generate", "after_llm_generate"),
    "after_agent_call",
]


class ScriptedAgent(ABC):
    """An agent with a scripted model.

    Args:
        *script: Its model's answers, of `calls` and `says`; an exception is raised.
        tools: Functions with docstrings, sync or async.
    """

    WAYS: ClassVar[tuple[str, ...]]
    """The framework's ways to run an agent; in the first, cancelling the task cancels the run."""
    NAME: ClassVar[str] = "calculator"
    REFUSED: ClassVar[type[Exception] | None] = None
    """The exception of a run that hooks refuse; None: the refusal is its answer."""
    CANCELLED: ClassVar[tuple[type[BaseException], ...]] = (asyncio.CancelledError,)
    """The exceptions of a run that a person cancels."""
    calls: ClassVar[staticmethod[..., Any]]
    """Returns an answer that calls a tool, once for each of the arguments that follow its name."""
    says: ClassVar[staticmethod[..., Any]]
    """Returns an answer that is a text."""

    native: Any
    """The framework's own agent, which is a target of its adapter."""

    @abstractmethod
    def __init__(self, *script: Any, tools: Any) -> None: ...

    @abstractmethod
    async def run(self, way: str) -> str:
        """Ask `QUESTION`; return the answer."""

    @abstractmethod
    def read(self) -> str:
        """Return the result of the first tool call, as the model read it."""

    @abstractmethod
    def count_model_calls(self) -> int:
        """Return how often the model was called."""


class AdapterContract:
    """The contract, for one framework."""

    framework: ClassVar[str]
    """Its name in `FRAMEWORKS`."""
    agent: ClassVar[type[ScriptedAgent]]
    attach: ClassVar[staticmethod[..., Callable[[], None]]]
    attachments: ClassVar[int] = 1
    """How often a target can be attached and is reported once."""

    def pytest_generate_tests(self, metafunc: pytest.Metafunc) -> None:
        """Run each test with `way` in each way to run an agent."""
        if "way" in metafunc.fixturenames:
            metafunc.parametrize("way", self.agent.WAYS)
        if "async_way" in metafunc.fixturenames:
            metafunc.parametrize("async_way", [one for one in self.agent.WAYS if one != "sync"])

    @pytest.fixture
    def ran(self) -> list[Any]:
        """The arguments of the calls of `add` that ran."""
        return []

    @pytest.fixture
    def calculator(self, ran: list[Any]) -> ScriptedAgent:
        """An agent that calls `add`, and answers with the sum."""

        def add(a: int, b: int) -> int:
            """Add two numbers."""
            ran.append((a, b))
            return a + b

        script = self.agent.calls("add", {"a": 1, "b": 2}), self.agent.says("three")
        return self.agent(*script, tools=[add])

    @pytest.fixture
    def broken(self) -> ScriptedAgent:
        """An agent whose tool raises at the first call."""
        tries: list[int] = []

        def flaky() -> str:
            """Fail once."""
            tries.append(1)
            if len(tries) == 1:
                raise ValueError("no connection")
            return "fine"

        return self.agent(self.agent.calls("flaky", {}), self.agent.says("Fine."), tools=[flaky])

    def waiting(self, started: asyncio.Event) -> ScriptedAgent:
        """Return an agent whose tool sets `started`, and never returns."""

        async def forever() -> str:
            """Wait."""
            started.set()
            await asyncio.Event().wait()
            return "never"

        script = self.agent.calls("forever", {}), self.agent.says("never")
        return self.agent(*script, tools=[forever])

    # --- what is reported ---------------------------------------------------------------------

    @pytest.mark.shows("agent", "llm", "tool", "tokens")
    async def test_a_run_is_one_agent_with_its_model_and_tool_calls(
        self, hooks: HookLog, calculator: ScriptedAgent, way: str
    ) -> None:
        assert await calculator.run(way) == "three"

        assert hooks.operations == RUN
        agent = hooks.one("before_agent_call")["agent"]
        assert (agent.name, repr(agent)) == (
            calculator.NAME,
            f"AgentFacts(name={calculator.NAME!r})",  # and no payload
        )
        tool = hooks.one("before_tool_call")
        assert (tool["tool_name"], tool["args"]) == ("add", {"a": 1, "b": 2})
        models = hooks.of("after_llm_generate")
        assert [one["model"] for one in models] == ["scripted-1"] * 2
        assert all(one["usage"]["output_tokens"] > 0 for one in models)
        assert {hooks.parent_noun(one) for one in [*models, tool]} == {"agent_call"}

    @pytest.mark.shows("tool_error")
    async def test_a_tool_that_raises_is_an_error(
        self, hooks: HookLog, broken: ScriptedAgent, way: str
    ) -> None:
        with suppress(Exception):  # whether the run goes on is the framework's matter
            await broken.run(way)

        assert "no connection" in str(hooks.one("error_tool_call")["exc"])
        assert hooks.of("after_tool_call") == []

    @pytest.mark.shows("llm_error")
    async def test_a_model_call_that_fails_is_an_error(self, hooks: HookLog, way: str) -> None:
        with pytest.raises(Exception, match="overloaded"):
            await self.agent(ConnectionError("overloaded"), tools=[]).run(way)

        assert hooks.operations == [
            "before_agent_call",
            *("before_llm_generate", "error_llm_generate"),
            "error_agent_call",
        ]
        assert "overloaded" in str(hooks.one("error_llm_generate")["exc"])

    @pytest.mark.shows("concurrency")
    async def test_runs_at_the_same_time_keep_their_own_calls(
        self, hooks: HookLog, async_way: str
    ) -> None:
        together = asyncio.Barrier(10)

        async def meet(number: int) -> str:
            """Wait for the others."""
            await together.wait()
            return str(number)

        def agent(number: int) -> ScriptedAgent:
            script = self.agent.calls("meet", {"number": number}), self.agent.says(f"run-{number}")
            return self.agent(*script, tools=[meet])

        answers = await asyncio.gather(*(agent(number).run(async_way) for number in range(10)))

        assert answers == [f"run-{number}" for number in range(10)]
        numbers = {
            one["parent_call_id"]: one["args"]["number"] for one in hooks.of("before_tool_call")
        }
        assert sorted(numbers.values()) == list(range(10))
        for one in hooks.of("after_agent_call"):
            assert str(numbers[one["call_id"]]) in str(one["result"])
        models = [one["parent_call_id"] for one in hooks.of("after_llm_generate")]
        assert sorted(models) == sorted([*numbers, *numbers])

    @pytest.mark.shows("cancellation")
    async def test_a_cancelled_run_is_closed_as_cancelled(self, hooks: HookLog) -> None:
        started = asyncio.Event()
        run = asyncio.create_task(self.waiting(started).run(self.agent.WAYS[0]))
        await asyncio.wait_for(started.wait(), 10)
        run.cancel()
        with pytest.raises(asyncio.CancelledError):
            await run

        status = {one["noun"]: one["status"] for one in hooks.of("operation_closed")}
        assert (status["tool_call"], status["agent_call"]) == ("cancelled", "cancelled")

    @pytest.mark.shows("cancel")
    async def test_a_run_that_a_person_cancels_ends(self) -> None:
        async def run(running: asyncio.Event) -> str:
            return await self.waiting(running).run(self.agent.WAYS[0])

        spans = await cancel_from_browser(self.attach, run, ends_with=self.agent.CANCELLED)
        assert {f"invoke_agent {self.agent.NAME}", "execute_tool forever"} <= set(spans)

    @pytest.mark.shows("sub_agents")
    async def test_an_agent_that_a_tool_runs_is_below_that_tool(
        self, hooks: HookLog, calculator: ScriptedAgent
    ) -> None:
        way = self.agent.WAYS[0]

        async def delegate(question: str) -> str:
            """Ask the calculator."""
            return await calculator.run(way)

        script = self.agent.calls("delegate", {"question": "1 + 2?"}), self.agent.says("3")
        assert await self.agent(*script, tools=[delegate]).run(way) == "3"

        outer, inner = hooks.of("before_agent_call")
        assert (hooks.parent_noun(outer), hooks.parent_noun(inner)) == (None, "tool_call")
        (add,) = (one for one in hooks.of("before_tool_call") if one["tool_name"] == "add")
        assert add["parent_call_id"] == inner["call_id"]

    # --- what hooks decide --------------------------------------------------------------------

    @pytest.mark.shows("deny")
    async def test_a_denied_tool_does_not_run_and_the_model_reads_why(
        self, bus: Bus, hooks: HookLog, calculator: ScriptedAgent, ran: list[Any], way: str
    ) -> None:
        bus.intercept("before_tool_call", lambda **_: Decision.deny("no sums today"))

        assert await calculator.run(way) == "three"

        assert ran == []
        assert calculator.read() == "Denied: no sums today"
        assert isinstance(hooks.one("error_tool_call")["exc"], HookDenied)

    @pytest.mark.shows("edit")
    async def test_edited_arguments_are_those_that_the_tool_gets(
        self, bus: Bus, hooks: HookLog, calculator: ScriptedAgent, ran: list[Any], way: str
    ) -> None:
        bus.intercept("before_tool_call", lambda **_: Decision.modify(args={"a": 20, "b": 1}))

        await calculator.run(way)

        assert (ran, calculator.read()) == ([(20, 1)], "21")
        assert hooks.one("after_tool_call")["args"] == {"a": 20, "b": 1}

    @pytest.mark.shows("replace")
    async def test_a_replaced_result_is_what_the_model_reads(
        self, bus: Bus, hooks: HookLog, calculator: ScriptedAgent, ran: list[Any], way: str
    ) -> None:
        bus.intercept("after_tool_call", lambda **_: Decision.modify(result="42"))

        await calculator.run(way)

        assert (calculator.read(), ran) == ("42", [(1, 2)])

    @pytest.mark.shows("replace")
    async def test_a_hook_can_answer_for_a_tool_that_raised(
        self, bus: Bus, hooks: HookLog, broken: ScriptedAgent, way: str
    ) -> None:
        bus.intercept("error_tool_call", lambda **_: Decision.modify(result="use the cache"))

        await broken.run(way)

        assert broken.read() == "use the cache"

    @pytest.mark.shows("retry")
    async def test_a_tool_is_run_again_where_a_hook_wants_it(
        self, bus: Bus, hooks: HookLog, broken: ScriptedAgent, way: str
    ) -> None:
        bus.intercept("error_tool_call", lambda **_: Decision.retry("again"))

        await broken.run(way)

        assert broken.read() == "fine"
        assert len(hooks.of("before_tool_call")) == 2

    @pytest.mark.shows("approve")
    @pytest.mark.parametrize(
        ("answer", "expected"),
        [
            (ApprovalAnswer("allow"), [(1, 2)]),
            (ApprovalAnswer("deny", "not now"), []),
            (ApprovalAnswer("allow", changes={"args": {"a": 9, "b": 9}}), [(9, 9)]),
        ],
        ids=["allowed", "denied", "edited"],
    )
    async def test_a_person_allows_denies_or_edits_a_call(
        self,
        bus: Bus,
        hooks: HookLog,
        calculator: ScriptedAgent,
        ran: list[Any],
        way: str,
        answer: ApprovalAnswer,
        expected: list[Any],
    ) -> None:
        prompts = []

        class Person:
            async def ask(self, request: ApprovalRequest) -> ApprovalAnswer:
                prompts.append(request.prompt)
                return answer

        bus.set_approval_provider(Person())
        bus.intercept("before_tool_call", lambda **_: Decision.ask_user("Add?"))
        await calculator.run(way)

        assert (ran, prompts) == (expected, ["Add?"])
        assert calculator.read().startswith("Denied") is (expected == [])

    @pytest.mark.shows("deny_llm")
    async def test_a_hook_answers_for_the_model(
        self, bus: Bus, hooks: HookLog, calculator: ScriptedAgent, way: str
    ) -> None:
        bus.intercept("before_llm_generate", lambda **_: Decision.stop("From the cache."))

        assert await calculator.run(way) == "From the cache."
        assert calculator.count_model_calls() == 0

    @pytest.mark.shows("deny_llm")
    @pytest.mark.parametrize("hook", ["before_llm_generate", "before_agent_call"])
    async def test_a_denied_call_is_not_made_and_the_run_says_why(
        self, bus: Bus, hooks: HookLog, calculator: ScriptedAgent, way: str, hook: str
    ) -> None:
        bus.intercept(hook, lambda **_: Decision.deny("over budget"))

        if calculator.REFUSED is None:
            assert await calculator.run(way) == "Denied: over budget"
        else:
            with pytest.raises(calculator.REFUSED, match="over budget"):
                await asyncio.wait_for(calculator.run(way), 10)

        assert calculator.count_model_calls() == 0

    async def test_an_answer_is_replaced(
        self, bus: Bus, hooks: HookLog, calculator: ScriptedAgent, way: str
    ) -> None:
        bus.intercept("after_llm_generate", lambda **_: Decision.modify(response="I cannot say."))

        assert await calculator.run(way) == "I cannot say."
        assert calculator.count_model_calls() == 1

    # --- attaching ----------------------------------------------------------------------------

    async def test_a_second_attach_does_nothing(
        self, bus: Bus, hooks: HookLog, calculator: ScriptedAgent
    ) -> None:
        detach = self.attach(bus=bus)
        await calculator.run(self.agent.WAYS[0])
        detach()
        await self.agent(self.agent.says("Hi."), tools=[]).run(self.agent.WAYS[0])

        assert len(hooks.of("before_tool_call")) == 1
        assert len(hooks.of("before_agent_call")) == 2

    async def test_only_the_targets_are_watched(self, calculator: ScriptedAgent, way: str) -> None:
        bus, hooks = Bus(), HookLog()
        bus.observe_all(hooks)
        undo = [self.attach(calculator.native, bus=bus) for _ in range(self.attachments)]
        await self.agent(self.agent.says("Hi."), tools=[]).run(way)
        assert hooks.names == []
        await calculator.run(way)
        for detach in undo:
            detach()

        assert hooks.operations == RUN
        hooks.check_pairs()

    async def test_an_observer_that_fails_changes_nothing(
        self, bus: Bus, calculator: ScriptedAgent, way: str
    ) -> None:
        def fail(hook: str, /, **_: Any) -> None:
            raise RuntimeError(hook)

        bus.observe_all(fail)

        assert await calculator.run(way) == "three"
        assert calculator.read() == "3"
