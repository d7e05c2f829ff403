"""An orchestrator like Amplifier's own: it calls the model until that calls no tool."""

from __future__ import annotations

import asyncio
from typing import Any

from amplifier_core import ToolResult
from amplifier_core.message_models import ChatRequest, Message

__amplifier_module_type__ = "orchestrator"


async def run(call: Any, tools: Any, hooks: Any) -> ToolResult:
    """Run a tool, unless a module denies it."""
    data = {"tool_name": call.name, "tool_call_id": call.id, "tool_input": call.arguments}
    before = await hooks.emit("tool:pre", data)
    if before.action == "deny":
        return ToolResult(success=False, output=f"Denied by hook: {before.reason}")
    result: ToolResult = await tools[call.name].execute(call.arguments)
    return result


class Loop:
    async def execute(
        self, prompt: str, context: Any, providers: Any, tools: Any, hooks: Any, **_: Any
    ) -> str:
        await hooks.emit("prompt:submit", {"prompt": prompt})
        await context.add_message({"role": "user", "content": prompt})
        [provider] = providers.values()
        while True:
            messages = await context.get_messages_for_request()
            request = ChatRequest(messages=[Message(**one) for one in messages])
            response = await provider.complete(request)
            calls = provider.parse_tool_calls(response)
            text = "".join(getattr(block, "text", "") for block in response.content)
            await context.add_message({"role": "assistant", "content": text})
            if not calls:
                return text
            results = await asyncio.gather(*(run(call, tools, hooks) for call in calls))
            for call, result in zip(calls, results, strict=True):
                output = str(result.output)
                await context.add_message(
                    {"role": "tool", "content": output, "tool_call_id": call.id}
                )


async def mount(coordinator: Any, config: dict[str, Any] | None = None) -> None:
    await coordinator.mount("orchestrator", Loop())
