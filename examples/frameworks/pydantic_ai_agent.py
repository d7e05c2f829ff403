"""An agent of Pydantic AI with one tool, and a model that needs no provider, watched."""

from pydantic_ai import Agent, ModelMessage, ModelResponse, RequestUsage, TextPart, ToolCallPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

import inspector

inspector.attach()

USAGE = RequestUsage(input_tokens=10, output_tokens=5)


def say(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
    """Call the tool, then repeat its result."""
    last = messages[-1].parts[-1]
    if last.part_kind == "tool-return":
        return ModelResponse([TextPart(f"It is {last.content}.")], usage=USAGE)
    return ModelResponse([ToolCallPart("add", {"a": 1, "b": 2})], usage=USAGE)


agent = Agent(FunctionModel(say), name="calculator")


@agent.tool_plain
def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b


print(agent.run_sync("What is 1 + 2?", conversation_id="pydantic-ai-example").output)
