"""A loop written by hand around the `openai` client, with one tool, watched."""

import json

from openai import OpenAI
from openai.types.chat import ChatCompletionMessageParam, ChatCompletionToolParam

import inspector

inspector.attach()

TOOLS: list[ChatCompletionToolParam] = [
    {
        "type": "function",
        "function": {
            "name": "add",
            "description": "Add two numbers.",
            "parameters": {
                "type": "object",
                "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}},
                "required": ["a", "b"],
            },
        },
    }
]


@inspector.tool
def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b


@inspector.agent
def calculator(question: str) -> str:
    """Ask the model until it calls no tool."""
    client = OpenAI()  # finds its provider by OPENAI_BASE_URL and OPENAI_API_KEY
    messages: list[ChatCompletionMessageParam] = [{"role": "user", "content": question}]
    while True:
        answer = client.chat.completions.create(model="gpt-5.5", messages=messages, tools=TOOLS)
        message = answer.choices[0].message
        if not message.tool_calls:
            return message.content or ""
        messages.append(message.to_dict())  # type: ignore[arg-type]  # as the client's own pages do
        for call in message.tool_calls:
            if call.type == "function":
                result = add(**json.loads(call.function.arguments))
                messages.append({"role": "tool", "tool_call_id": call.id, "content": str(result)})


with inspector.session("openai-example"):
    print(calculator("What is 1 + 2?"))
