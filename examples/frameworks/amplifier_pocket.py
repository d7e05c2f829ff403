"""Modules of Amplifier for the example: an orchestrator, a context, a model and a tool.

Real ones are packages of their own, which Amplifier finds by their names.
"""

import sys
from types import ModuleType

from amplifier_core import ToolResult
from amplifier_core.message_models import (
    ChatRequest,
    ChatResponse,
    Message,
    TextBlock,
    ToolCall,
    Usage,
)
from amplifier_core.testing import MockContextManager


class Loop:
    async def execute(self, prompt, context, providers, tools, hooks, **_):
        messages = [Message(role="user", content=prompt)]
        while True:
            response = await providers["pocket"].complete(ChatRequest(messages=messages))
            for call in response.tool_calls or []:
                result = await tools[call.name].execute(call.arguments)
                messages.append(
                    Message(role="tool", content=str(result.output), tool_call_id=call.id)
                )
            if not response.tool_calls:
                return response.content[0].text


class Pocket:
    """A model that needs no network: it counts a letter of the last word of its prompt."""

    name, model = "pocket", "pocket-1"

    async def complete(self, request, **_):
        last, usage = request.messages[-1], Usage(input_tokens=12, output_tokens=3, total_tokens=15)
        if last.role == "tool":
            return ChatResponse(content=[TextBlock(text=last.content)], usage=usage)
        letter, word = last.content.split(" in ")
        call = ToolCall(id=letter, name="letter_count", arguments={"word": word, "letter": letter})
        return ChatResponse(content=[], tool_calls=[call], usage=usage)

    def parse_tool_calls(self, response):
        return response.tool_calls or []


class LetterCount:
    name, description = "letter_count", "Count a letter in a word."

    async def execute(self, input):
        if len(input["letter"]) != 1:
            return ToolResult(success=False, error={"message": "not one letter"})
        return ToolResult(output=input["word"].count(input["letter"]))


def module(kind, short, point, made, **named):
    """Amplifier finds its modules by name: here they are made in place."""
    found = ModuleType(f"amplifier_module_{short}_pocket")
    found.__amplifier_module_type__ = kind

    async def mount(coordinator, config=None):
        await coordinator.mount(point, made, **named)

    found.mount = mount
    sys.modules[found.__name__] = found


def install():
    """Put the modules where Amplifier finds them."""
    module("orchestrator", "loop", "orchestrator", Loop())
    module("context", "context", "context", MockContextManager())
    module("provider", "provider", "providers", Pocket(), name="pocket")
    module("tool", "tool", "tools", LetterCount(), name="letter_count")
