"""An agent of LangChain with one tool, and a model that needs no provider, watched."""

from typing import Any

from langchain.agents import create_agent
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage

import inspector

inspector.attach()


class Model(GenericFakeChatModel):
    """Repeats its instructions."""

    def bind_tools(self, tools: Any, **_: Any) -> Any:
        """Know the tools already."""
        return self


def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b


USAGE = {"input_tokens": 10, "output_tokens": 5, "total_tokens": 15}
CALL = {"name": "add", "args": {"a": 1, "b": 2}, "id": "call-1"}
answers = [
    AIMessage("", tool_calls=[CALL], usage_metadata=USAGE),
    AIMessage("It is 3.", usage_metadata=USAGE),
]
agent = create_agent(Model(messages=iter(answers)), [add], name="calculator")
state = agent.invoke(
    {"messages": [{"role": "user", "content": "What is 1 + 2?"}]},
    {"configurable": {"thread_id": "langchain-example"}},
)
print(state["messages"][-1].content)
