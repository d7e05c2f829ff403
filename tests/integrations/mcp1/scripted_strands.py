"""A scripted model of Strands, and agents with it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Callable, Sequence
from typing import Any

from strands import Agent, tool
from strands.models.model import Model

from tests.integrations.contract import QUESTION, ScriptedAgent

Turn = str | dict[str, Any] | list[dict[str, Any]] | Exception
"""Text, the call of a tool as name and input, several of those, or what it raises."""


class ScriptedModel(Model):
    """A model that answers with its turns, word by word; `seen` has the messages of each call."""

    def __init__(self, *turns: Turn, model_id: str = "scripted-1") -> None:
        self._turns = list(turns)
        self._model_id = model_id
        self.seen: list[list[Any]] = []
        self.system: list[str | None] = []
        self.between: Callable[[], Any] = lambda: None
        """Called, and awaited where it can be, before each piece."""

    async def stream(
        self, messages: Any, tool_specs: Any = None, system_prompt: Any = None, **_: Any
    ) -> AsyncGenerator[dict[str, Any], None]:
        self.seen.append(json.loads(json.dumps(messages)))
        self.system.append(system_prompt)
        turn = self._turns.pop(0)
        if isinstance(turn, Exception):
            raise turn
        yield {"messageStart": {"role": "assistant"}}
        calls = [turn] if isinstance(turn, dict) else turn
        if isinstance(calls, str):
            yield {"contentBlockStart": {"start": {}}}
            for word in calls.split(" "):  # the pieces have no spaces
                waiting = self.between()
                if waiting is not None:
                    await waiting
                yield {"contentBlockDelta": {"delta": {"text": word}}}
            yield {"contentBlockStop": {}}
        else:
            for number, call in enumerate(calls):
                start = {
                    "name": call["name"],
                    "toolUseId": f"{call['name']}-{len(self.seen)}-{number}",
                }
                yield {"contentBlockStart": {"start": {"toolUse": start}}}
                text = json.dumps(call["input"])
                yield {"contentBlockDelta": {"delta": {"toolUse": {"input": text}}}}
                yield {"contentBlockStop": {}}
        yield {"messageStop": {"stopReason": "end_turn" if isinstance(turn, str) else "tool_use"}}
        usage = {"inputTokens": 11, "outputTokens": 7, "totalTokens": 18}
        yield {"metadata": {"usage": usage, "metrics": {"latencyMs": 1}}}

    async def structured_output(self, *_: Any, **__: Any) -> AsyncGenerator[Any, None]:
        raise NotImplementedError
        yield

    def get_config(self) -> dict[str, Any]:
        return {"model_id": self._model_id}

    def update_config(self, **_: Any) -> None:
        """There is nothing to configure."""

    def last_tool_result(self) -> dict[str, Any]:
        """Return the result of the last tool call, as the model read it."""
        for block in reversed(self.seen[-1][-1]["content"]):
            if "toolResult" in block:
                return dict(block["toolResult"])
        raise AssertionError(f"no tool result in {self.seen[-1]}")


def make_agent(*turns: Turn, tools: Sequence[Any] = (), **kwargs: Any) -> Agent:
    """Return an agent that prints nothing."""
    return Agent(
        model=ScriptedModel(*turns),
        tools=list(tools),
        callback_handler=None,
        name="tester",
        **kwargs,
    )


def call(name: str, **args: Any) -> dict[str, Any]:
    return {"name": name, "input": args}


class StrandsAgent(ScriptedAgent):
    """An agent of the framework, which can be called, invoked and streamed."""

    WAYS = ("async", "sync", "stream")
    NAME = "tester"

    calls = staticmethod(lambda name, args: call(name, **args))
    says = staticmethod(str)

    def __init__(self, *script: Any, tools: Any) -> None:
        self.native = make_agent(*script, tools=[tool(one) for one in tools])

    async def run(self, way: str) -> str:
        if way == "stream":
            async for event in self.native.stream_async(QUESTION):
                result = event.get("result")
        elif way == "async":
            result = await self.native.invoke_async(QUESTION)
        else:
            result = await asyncio.to_thread(self.native, QUESTION)
        return str(result).strip()

    def read(self) -> str:
        return str(_model(self.native).last_tool_result()["content"][0]["text"])

    def count_model_calls(self) -> int:
        return len(_model(self.native).seen)


def _model(agent: Agent) -> ScriptedModel:
    assert isinstance(agent.model, ScriptedModel)
    return agent.model
