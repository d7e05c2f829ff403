"""A scripted model of OpenAI Agents, and agents with it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

from agents import (
    Agent,
    ModelResponse,
    RunConfig,
    Runner,
    SQLiteSession,
    Usage,
    function_tool,
)
from agents.exceptions import AgentsException
from agents.testing import ScriptedModel, assistant_message, function_call
from openai.types.responses import ResponseTextDeltaEvent

from tests.integrations.contract import QUESTION, ScriptedAgent

ToolError = FileNotFoundError
USAGE = Usage(requests=1, input_tokens=10, output_tokens=5, total_tokens=15)


def calls(name: str, *args: dict[str, Any]) -> ModelResponse:
    """Return an answer that calls a tool, once for each of `args`."""
    output = [function_call(name, one, call_id=f"call-{name}-{n}") for n, one in enumerate(args)]
    return ModelResponse(output=output, usage=USAGE, response_id=None)


def says(text: str) -> ModelResponse:
    """Return an answer that is a text."""
    return ModelResponse(output=[assistant_message(text)], usage=USAGE, response_id=None)


class Scripted(ScriptedModel):
    """A model with the answers of its script; an exception in it is raised."""

    model = "scripted-1"

    def __init__(self, *script: ModelResponse | Exception) -> None:
        super().__init__(script)

    async def stream_response(self, *args: Any, **kwargs: Any) -> AsyncIterator[Any]:
        """Stream words one by one."""
        async for event in super().stream_response(*args, **kwargs):
            if isinstance(event, ResponseTextDeltaEvent):
                for word in event.delta.split():
                    yield event.model_copy(update={"delta": f"{word} "})
            else:
                yield event

    def sent(self, number: int = -1) -> list[Any]:
        """Return the items of a call."""
        items: list[Any] = self.calls[number].input
        return items

    def read(self) -> Any:
        """Return the result of the first tool call, as the model read it."""
        return next(
            one["output"]
            for one in self.sent()
            if isinstance(one, dict) and one.get("type") == "function_call_output"
        )


class Breaking(ScriptedModel):
    """A model that streams the beginning of an answer, and then raises."""

    def __init__(self, error: BaseException) -> None:
        super().__init__()
        self._error = error

    async def stream_response(self, *args: Any, **kwargs: Any) -> AsyncIterator[Any]:
        """Break in the middle."""
        self.enqueue(says("It is about"))
        async for event in super().stream_response(*args, **kwargs):
            yield event
            if isinstance(event, ResponseTextDeltaEvent):
                raise self._error


class OpenAIAgent(ScriptedAgent):
    """An agent of the framework, which can be streamed."""

    WAYS = ("run", "stream")
    REFUSED = AgentsException
    calls = staticmethod(calls)
    says = staticmethod(says)

    def __init__(self, *script: Any, tools: Any) -> None:
        self._model = Scripted(*script)
        own: list[Any] = [function_tool(one) for one in tools]
        self.native = Agent(self.NAME, model=self._model, tools=own)

    async def run(self, way: str) -> str:
        if way == "run":
            return str((await Runner.run(self.native, QUESTION)).final_output)
        result = Runner.run_streamed(self.native, QUESTION)
        async for _ in result.stream_events():
            pass
        return str(result.final_output).strip()

    def read(self) -> str:
        return str(self._model.read())

    def count_model_calls(self) -> int:
        return len(self._model.calls)


def clerk(
    pay: Callable[[int], str], look: Callable[[str], str], *, session_id: str
) -> Iterator[AsyncIterator[Any]]:
    """Run a clerk who pays and then has no model, and a seeker who looks."""
    model = Scripted(calls("pay", {"amount": 5}), OSError("no model"))
    seeking = Scripted(calls("look", {"place": "desk"}))
    look_tool = function_tool(look, failure_error_function=None)
    config = RunConfig(tracing_disabled=True)
    for agent in (
        Agent("clerk", model=model, tools=[function_tool(pay)]),
        Agent("seeker", model=seeking, tools=[look_tool]),
    ):
        session = SQLiteSession(session_id)
        run = Runner.run_streamed(agent, "Pay 5", session=session, run_config=config)
        yield run.stream_events()
        session.close()
