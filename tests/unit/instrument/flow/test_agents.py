"""Agents with rules, as their authors write them."""

import asyncio
from dataclasses import dataclass, field
from typing import Any, ClassVar

from instrument import Bus, Operation
from instrument.flow import (
    AgentEvent,
    AgentStatus,
    AssistantMessage,
    AssistantResponse,
    Hook,
    HookDecision,
    HookPoint,
    ToolCall,
)


class BaseAgent(HookPoint):
    """An agent with prepared answers of its model, and optionally a tool call first."""

    def __init__(self, bus: Bus, *answers: str, tool: ToolCall | None = None) -> None:
        super().__init__(bus=bus)
        self.bus = bus
        self.answers = list(answers)
        self.tool = tool
        self.round = 0
        self.ran: list[Any] = []
        self.conversation_history: list[str] = ["system"]

    async def execute(self, query: str) -> AssistantResponse:
        self.conversation_history.append(query)
        return await self.bus.call("agent_call", self._work, agent=self)

    async def _work(self, op: Operation) -> AssistantResponse:
        if self.tool is not None:
            call = self.tool
            await self.bus.call(
                "tool_call",
                self._run,
                agent=self,
                tool_name=call.name,
                args=call.arguments,
                tool_call_id=call.id,
            )
        while True:
            message = await self.bus.call(
                "llm_generate", self._ask, agent=self, iteration=self.round
            )
            final = await self.bus.dispatch("before_final_response", agent=self, response=message)
            if final.action != "retry":
                final.raise_if_ended()
                return AssistantResponse(final.data["response"].content)

    def _ask(self, op: Operation) -> AssistantMessage:
        self.round += 1
        return AssistantMessage(self.answers.pop(0))

    def _run(self, op: Operation) -> str:
        self.ran.append((op.kwargs["tool_name"], op.args))
        if op.args.get("fail"):
            raise LookupError("Database table is missing")
        return "42"


class ValidatingAgent(BaseAgent):
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.on(AgentEvent.BEFORE_FINAL_RESPONSE).when(self._missing_tag).handle(
            decision=HookDecision.RETRY,
            effects=[self._inject_guidance, self._inject_guidance_later],
        )

    def _missing_tag(self, status: AgentStatus) -> bool:
        return "<answer>" not in (status.assistant_message.content or "")

    def _inject_guidance(self, status: AgentStatus) -> None:
        status.agent.conversation_history.append("wrap it")

    async def _inject_guidance_later(self, status: AgentStatus) -> str:
        await asyncio.sleep(0)
        status.conversation_history.append("in <answer>")
        return "ignored"


async def test_a_final_answer_is_requested_again_until_it_has_its_tag(bus: Bus) -> None:
    agent = ValidatingAgent(bus, "42", "<answer>42</answer>")

    assert (await agent.execute("?")).content == "<answer>42</answer>"
    assert agent.conversation_history == ["system", "?", "wrap it", "in <answer>"]


async def test_a_round_without_a_number_is_round_0(bus: Bus) -> None:
    agent = BaseAgent(bus, "done", tool=ToolCall("1", "sql", {}))
    rounds: list[int] = []
    for event in (AgentEvent.BEFORE_LLM_CALL, AgentEvent.BEFORE_TOOL_EXECUTION):
        agent.on(event).when(lambda s: s.iteration < 3).handle(
            HookDecision.CONTINUE, effects=[lambda s: rounds.append(s.iteration)]
        )

    await agent.execute("?")

    assert rounds == [0, 0]


class CachingAgent(BaseAgent):
    cache: ClassVar[dict[str, str]] = {"?": "from the cache"}

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.rule: Hook = self.on("before_llm_call").when(self._hit)
        self.rule.handle(decision=HookDecision.STOP, value=self._cached)

    async def _hit(self, status: AgentStatus) -> bool:
        return status.conversation_history[-1] in self.cache

    async def _cached(self, status: AgentStatus, current: None) -> AssistantMessage:
        assert current is None
        return AssistantMessage(self.cache[status.conversation_history[-1]])


async def test_a_cached_answer_spares_the_model_and_still_goes_through_later_rules(
    bus: Bus,
) -> None:
    agent = CachingAgent(bus, "from the model")
    agent.on(AgentEvent.BEFORE_FINAL_RESPONSE).handle(
        value=lambda s, message: AssistantMessage(message.content + "!")
    )

    assert (await agent.execute("?")).content == "from the cache!"
    assert agent.round == 0
    agent.rule.remove()
    assert (await agent.execute("?")).content == "from the model!"


@dataclass
class Memory:
    notes: list[str] = field(default_factory=list)


def register_memory(agent: Any) -> None:
    """Rules from a function, with conditions on what the agent may or may not have."""
    agent.on(AgentEvent.BEFORE_LLM_CALL).when(_has_memory).handle(
        decision=HookDecision.CONTINUE, effects=[_remember]
    )
    agent.on(AgentEvent.QUERY_END).when(_has_memory).handle(effects=[_publish])


def _has_memory(status: AgentStatus) -> bool:
    return bool(getattr(status.agent, "memory", None) is not None)


async def _remember(status: AgentStatus) -> None:
    status.agent.conversation_history[1:1] = status.agent.memory.notes


async def _publish(status: AgentStatus) -> None:
    status.agent.memory.notes.append(status.agent.conversation_history[-1])


async def test_rules_of_a_function_are_for_the_agent_that_they_were_put_on(bus: Bus) -> None:
    one, two = BaseAgent(bus, "a", "b"), BaseAgent(bus, "c")
    memory = Memory()
    one.memory = memory  # type: ignore[attr-defined] # an attribute of the host
    register_memory(one)

    await one.execute("first")
    await two.execute("other")
    await one.execute("second")

    assert memory.notes == ["first", "second"]
    assert one.conversation_history == ["system", "first", "first", "second"]
    assert two.conversation_history == ["system", "other"]
