"""A scripted model of CrewAI, and agents with it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Sequence
from typing import Any, ClassVar

from crewai import Agent
from crewai.events.types.llm_events import LLMCallType
from crewai.hooks import HookAborted
from crewai.llms.base_llm import BaseLLM, llm_call_context
from crewai.tools import tool
from pydantic import PrivateAttr

from tests.integrations.contract import QUESTION, ScriptedAgent

USAGE = {"prompt_tokens": 10, "completion_tokens": 5}


def calls(name: str, *args: dict[str, Any]) -> list[dict[str, Any]]:
    """Return an answer that calls a tool, once for each of `args`."""
    return [
        {
            "id": f"call-{name}-{number}",
            "type": "function",
            "function": {"name": name, "arguments": json.dumps(one)},
        }
        for number, one in enumerate(args)
    ]


class ScriptedModel(BaseLLM):
    """A model with the answers of its script; an exception in it is raised."""

    is_native: bool = True
    """Whether it calls tools by itself; else the framework reads calls in its text."""
    _script: list[Any] = PrivateAttr(default_factory=list)
    _sent: list[list[Any]] = PrivateAttr(default_factory=list)

    @classmethod
    def of(cls, *script: Any, is_native: bool = True, **fields: Any) -> ScriptedModel:
        """Return a model with this script."""
        model = cls(model="scripted-1", is_native=is_native, **fields)
        model._script = list(script)
        return model

    @property
    def sent(self) -> list[list[Any]]:
        """The messages of each call."""
        return self._sent

    def call(self, messages: Any, *args: Any, **kwargs: Any) -> Any:
        """Answer from the script, word by word if it streams."""
        with llm_call_context():
            self._sent.append(list(messages))
            answer = self._script.pop(0)
            if isinstance(answer, Exception):
                raise answer
            if self._effective_stream() and isinstance(answer, str):
                for word in answer.split():
                    if word == "BROKEN":
                        raise ConnectionError("the line is dead")
                    self._emit_stream_chunk_event(word, call_type=LLMCallType.LLM_CALL)
            self._emit_call_completed_event(
                answer, LLMCallType.LLM_CALL, usage=USAGE, finish_reason="stop"
            )
            return answer

    async def acall(self, messages: Any, *args: Any, **kwargs: Any) -> Any:
        """Answer from the script."""
        return self.call(messages, *args, **kwargs)

    def supports_function_calling(self) -> bool:
        """Return whether it calls tools by itself."""
        return self.is_native

    def get_input_tokens_count(self, *_: Any, **__: Any) -> int:
        """Return that everything fits."""
        return 0

    def read(self) -> str:
        """Return the result of the first tool call, as the model read it."""
        return next(str(one["content"]) for one in self._sent[-1] if one["role"] == "tool")


def make_agent(
    *script: Any, tools: Sequence[Any] = (), role: str = "calculator", **more: Any
) -> Agent:
    """Return an agent with a scripted model."""
    return Agent(
        role=role,
        goal="Be exact",
        backstory="You have always counted.",
        llm=ScriptedModel.of(*script),
        tools=[one if hasattr(one, "args_schema") else tool(one) for one in tools],
        **more,
    )


def model_of(agent: Agent) -> ScriptedModel:
    """Return the scripted model of an agent."""
    assert isinstance(agent.llm, ScriptedModel)
    return agent.llm


class CrewAIAgent(ScriptedAgent):
    """An agent of the framework, which runs without a crew."""

    WAYS: ClassVar[tuple[str, ...]] = ("async", "sync")
    REFUSED = HookAborted
    calls = staticmethod(calls)
    says = staticmethod(str)

    def __init__(self, *script: Any, tools: Sequence[Callable[..., Any]]) -> None:
        self.native = make_agent(*script, tools=tools)

    async def run(self, way: str) -> str:
        if way == "async":
            result = await self.native.kickoff_async(QUESTION)
        else:
            result = await asyncio.to_thread(self.native.kickoff, QUESTION)
        return str(result.raw)

    def read(self) -> str:
        return model_of(self.native).read()

    def count_model_calls(self) -> int:
        return len(model_of(self.native).sent)
