"""A scripted chat model of LangChain, whole or in pieces, and agents with it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

from langchain.agents import create_agent
from langchain_core.callbacks import CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage, ToolMessage
from langchain_core.messages.tool import tool_call, tool_call_chunk
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langchain_core.tools import StructuredTool, ToolException
from pydantic import Field

from instrument import HookDenied
from tests.integrations.contract import QUESTION, ScriptedAgent

ToolError = ToolException
USAGE = {"input_tokens": 10, "output_tokens": 5, "total_tokens": 15}


def calls(name: str, *arguments: dict[str, Any], text: str = "") -> AIMessage:
    """Return an answer that calls a tool, once for each of `arguments`."""
    made = [
        tool_call(name=name, args=args, id=f"call-{name}-{n}") for n, args in enumerate(arguments)
    ]
    return AIMessage(text, tool_calls=made, usage_metadata=USAGE)


def says(text: str) -> AIMessage:
    """Return an answer that is a text."""
    return AIMessage(text, usage_metadata=USAGE, response_metadata={"finish_reason": "stop"})


class ScriptedModel(BaseChatModel):
    """A model with the answers of its script; an exception in it is raised."""

    script: list[Any]
    sent: list[list[BaseMessage]] = Field(default_factory=list)
    model_name: str = "scripted-1"

    def __init__(self, *script: Any) -> None:
        fields: Any = {"script": list(script)}
        super().__init__(**fields)

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def bind_tools(self, tools: Any, **kwargs: Any) -> Any:
        return self.bind(tools=[{"name": tool.name} for tool in tools])

    def _next(self, messages: list[BaseMessage]) -> AIMessage:
        self.sent.append(messages)
        answer = self.script[len(self.sent) - 1]
        if isinstance(answer, BaseException):
            raise answer
        assert isinstance(answer, AIMessage)
        return answer

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        return ChatResult(generations=[ChatGeneration(message=self._next(messages))])

    def _stream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> Iterator[ChatGenerationChunk]:
        answer = self._next(messages)
        for word in str(answer.content).split(" "):
            yield ChatGenerationChunk(message=AIMessageChunk(content=word + " "))
        made = [
            tool_call_chunk(
                name=c["name"], args=str(c["args"]).replace("'", '"'), id=c["id"], index=n
            )
            for n, c in enumerate(answer.tool_calls)
        ]
        last = AIMessageChunk(
            content="", tool_call_chunks=made, usage_metadata=answer.usage_metadata
        )
        yield ChatGenerationChunk(message=last, generation_info={"finish_reason": "stop"})


class LangChainAgent(ScriptedAgent):
    """An agent of `create_agent`, which can be invoked and streamed."""

    WAYS = ("async", "sync", "stream")
    REFUSED = HookDenied
    calls = staticmethod(calls)
    says = staticmethod(says)

    def __init__(self, *script: Any, tools: Any) -> None:
        self._model = ScriptedModel(*script)
        self.native: Any = create_agent(self._model, list(tools), name=self.NAME)

    async def run(self, way: str) -> str:
        question = {"messages": [("user", QUESTION)]}
        if way == "async":
            state = await self.native.ainvoke(question)
        elif way == "sync":
            state = await asyncio.to_thread(self.native.invoke, question)
        else:
            *_, state = [one async for one in self.native.astream(question, stream_mode="values")]
        return str(state["messages"][-1].content)

    def read(self) -> str:
        return str(read(self._model).content)

    def count_model_calls(self) -> int:
        return len(self._model.sent)


def read(model: ScriptedModel) -> ToolMessage:
    """Return the message of the first tool that the model called."""
    return next(one for one in model.sent[-1] if isinstance(one, ToolMessage))


def clerk(
    pay: Callable[[int], str], look: Callable[[str], str], *, session_id: str
) -> Iterator[AsyncIterator[Any]]:
    """Run a clerk who pays, looks, and then has no model."""
    looks = calls("look", {"place": "desk"})
    model = ScriptedModel(calls("pay", {"amount": 5}), looks, OSError("no model"))
    look_tool = StructuredTool.from_function(look, handle_tool_error=True)
    agent = create_agent(model, [pay, look_tool], name="clerk")
    config: Any = {"configurable": {"thread_id": session_id}}
    question: Any = {"messages": [("user", "Pay 5")]}
    yield agent.astream(question, config, stream_mode="messages")
