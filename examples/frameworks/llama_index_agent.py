"""An agent of LlamaIndex with one tool, and a model that needs no provider, watched."""

import asyncio
from collections.abc import Sequence
from typing import Any

from llama_index.core.agent.workflow import FunctionAgent
from llama_index.core.base.llms.types import ChatMessage, ToolCallBlock
from llama_index.core.llms.mock import MockFunctionCallingLLM
from llama_index.core.memory import Memory

import inspector

inspector.attach()


def say(messages: Sequence[ChatMessage], **_: Any) -> ChatMessage:
    """Call the tool, then repeat its result."""
    last = messages[-1]
    if last.role == "tool":
        return ChatMessage(f"It is {last.content}.", role="assistant")
    call = ToolCallBlock(tool_call_id="call-1", tool_name="add", tool_kwargs={"a": 1, "b": 2})
    return ChatMessage(role="assistant", blocks=[call])


def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b


async def main() -> None:
    """Ask the agent, with a memory that has a name."""
    model = MockFunctionCallingLLM(response_generator=say)
    agent = FunctionAgent(name="calculator", llm=model, tools=[add])
    memory = Memory.from_defaults(session_id="llama-index-example")
    print(await agent.run(user_msg="What is 1 + 2?", memory=memory))


asyncio.run(main())
