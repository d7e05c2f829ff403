"""A tool that multiplies, and fails without a number."""

from __future__ import annotations

from typing import Any

from amplifier_core import ToolResult

__amplifier_module_type__ = "tool"


class Multiply:
    """The tool; `ran` has the inputs of its calls."""

    name = "multiply"
    description = "Multiply two numbers."

    def __init__(self) -> None:
        self.input_schema = {"type": "object"}
        self.ran: list[Any] = []

    async def execute(self, input: dict[str, Any]) -> ToolResult:
        self.ran.append(input)
        if not isinstance(input["a"], int):
            return ToolResult(success=False, error={"message": "not a number"})
        return ToolResult(output=input["a"] * input["b"])


async def mount(coordinator: Any, config: dict[str, Any] | None = None) -> None:
    await coordinator.mount("tools", Multiply(), name="multiply")
