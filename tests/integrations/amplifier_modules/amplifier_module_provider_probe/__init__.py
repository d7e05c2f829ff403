"""A provider whose answers are in the mount plan."""

from __future__ import annotations

from typing import Any

from amplifier_core.message_models import ChatRequest, ChatResponse, TextBlock, ToolCall, Usage

__amplifier_module_type__ = "provider"


class Provider:
    """A scripted provider; `seen` has its requests."""

    name = "probe"
    model = "scripted-1"

    def __init__(self, turns: list[Any]) -> None:
        self.turns = list(turns)
        self.seen: list[ChatRequest] = []

    async def complete(self, request: ChatRequest, **_: Any) -> ChatResponse:
        self.seen.append(request)
        turn = self.turns.pop(0)
        if isinstance(turn, Exception):
            raise turn
        if callable(turn):
            turn = await turn()
        calls = turn if isinstance(turn, list) else []
        return ChatResponse(
            content=[TextBlock(text=turn if isinstance(turn, str) else "")],
            tool_calls=[
                ToolCall(id=f"{name}-{number}", name=name, arguments=arguments)
                for number, (name, arguments) in enumerate(calls)
            ],
            usage=Usage(input_tokens=11, output_tokens=7, total_tokens=18),
            finish_reason="stop",
        )

    def parse_tool_calls(self, response: ChatResponse) -> list[ToolCall]:
        return response.tool_calls or []


async def mount(coordinator: Any, config: dict[str, Any] | None = None) -> None:
    await coordinator.mount("providers", Provider((config or {})["turns"]), name="probe")
