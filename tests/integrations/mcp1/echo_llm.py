"""A model of mcp-agent that echoes its prompt, or calls the tool that the prompt names."""

from __future__ import annotations

from typing import Any

from mcp.types import CallToolRequest, CallToolRequestParams
from mcp_agent.workflows.llm.augmented_llm import AugmentedLLM


class EchoLLM(AugmentedLLM[Any, Any]):
    """`!name key=value` is a tool call; `?` raises."""

    provider = "echo"

    async def generate(self, message: Any, request_params: Any = None) -> list[Any]:
        if message == "?":
            raise RuntimeError("the model is away")
        await self.context.token_counter.record_usage(
            input_tokens=3, output_tokens=2, model_name="echo-1", provider="echo"
        )
        if str(message).startswith("!"):
            name, *pairs = str(message)[1:].split()
            params = CallToolRequestParams(
                name=name, arguments=dict(pair.split("=") for pair in pairs)
            )
            request = CallToolRequest(method="tools/call", params=params)
            result = await self.call_tool(request, tool_call_id="call-1")
            return [part.text for part in result.content]
        return [f"echo: {message}"]

    async def generate_str(self, message: Any, request_params: Any = None) -> str:
        return "\n".join(await self.generate(message, request_params))

    async def generate_structured(
        self, message: Any, response_model: Any, request_params: Any = None
    ) -> Any:
        return response_model.model_validate_json(await self.generate_str(message, request_params))
