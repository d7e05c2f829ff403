"""A scripted model of Pydantic AI, and agents with it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

from pydantic_ai import Agent, AgentRunError
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import AgentInfo, DeltaToolCall, FunctionModel
from pydantic_ai.usage import RequestUsage

from tests.integrations.contract import QUESTION, ScriptedAgent

ToolError = FileNotFoundError


def calls(name: str, *args: dict[str, Any]) -> ModelResponse:
    """Return an answer that calls a tool, once for each of `args`."""
    parts = [ToolCallPart(name, one, tool_call_id=f"call-{name}-{n}") for n, one in enumerate(args)]
    return ModelResponse(parts=parts, usage=RequestUsage(input_tokens=10, output_tokens=5))


def says(text: str) -> ModelResponse:
    """Return an answer that is a text."""
    return ModelResponse(
        parts=[TextPart(text)], usage=RequestUsage(input_tokens=10, output_tokens=5)
    )


class Scripted(FunctionModel):
    """A model with the answers of its script; an exception in it is raised.

    Attributes:
        sent: The messages of each call.
    """

    def __init__(self, *script: ModelResponse | Exception) -> None:
        self._script = list(script)
        self.sent: list[list[ModelMessage]] = []
        super().__init__(self._answer, stream_function=self._stream, model_name="scripted-1")

    def _next(self, messages: list[ModelMessage]) -> ModelResponse:
        self.sent.append(list(messages))
        answer = self._script.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer

    async def _answer(self, messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        return self._next(messages)

    async def _stream(
        self, messages: list[ModelMessage], info: AgentInfo
    ) -> AsyncIterator[str | dict[int, DeltaToolCall]]:
        for part in self._next(messages).parts:
            if isinstance(part, ToolCallPart):
                call = DeltaToolCall(
                    part.tool_name, part.args_as_json_str(), tool_call_id=part.tool_call_id
                )
                yield {0: call}
            elif isinstance(part, TextPart):
                for word in part.content.split():
                    yield f"{word} "

    def read(self) -> Any:
        """Return the result of the first tool call, as the model read it."""
        return next(
            part
            for message in self.sent[-1]
            for part in message.parts
            if part.part_kind == "tool-return"
        )


class PydanticAgent(ScriptedAgent):
    """An agent of the framework, which can be streamed."""

    WAYS = ("run", "stream")
    REFUSED = AgentRunError
    CANCELLED = (asyncio.CancelledError, AgentRunError)
    calls = staticmethod(calls)
    says = staticmethod(says)

    def __init__(self, *script: Any, tools: Any) -> None:
        self._model = Scripted(*script)
        self.native: Agent = Agent(self._model, name=self.NAME, tools=tools)

    async def run(self, way: str) -> str:
        if way == "run":
            return str((await self.native.run(QUESTION)).output)
        async with self.native.run_stream(QUESTION) as stream:
            return str(await stream.get_output()).strip()

    def read(self) -> str:
        return str(self._model.read().content)

    def count_model_calls(self) -> int:
        return len(self._model.sent)


def clerk(
    pay: Callable[[int], str], look: Callable[[str], str], *, session_id: str
) -> Iterator[AsyncIterator[Any]]:
    """Run a clerk who pays and then has no model, and a seeker who looks."""
    model = Scripted(calls("pay", {"amount": 5}), OSError("no model"))
    seeking = Scripted(calls("look", {"place": "desk"}))
    for agent in (
        Agent(model, name="clerk", tools=[pay]),
        Agent(seeking, name="seeker", tools=[look]),
    ):
        yield _stream(agent, session_id)


async def _stream(agent: Agent, session_id: str) -> AsyncIterator[Any]:
    async with agent.run_stream("Pay 5", conversation_id=session_id) as stream:
        yield await stream.get_output()
