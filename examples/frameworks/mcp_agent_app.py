"""mcp-agent 0.2, watched. It has no hooks, so we ask for patches; `inspector serve` runs beside."""

import asyncio
import os

os.environ["INSPECTOR_ENABLE_PATCH"] = "1"

import inspector

inspector.attach()

from mcp_agent.agents.agent import Agent
from mcp_agent.app import MCPApp
from mcp_agent.config import LoggerSettings, Settings
from mcp_agent.logging.logger import LoggingConfig
from mcp_agent.workflows.llm.augmented_llm import AugmentedLLM


async def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b


class Pocket(AugmentedLLM):
    """A model that needs no network: it calls `add` with the numbers of its prompt."""

    async def generate(self, message, request_params=None):
        await self.context.token_counter.record_usage(
            input_tokens=len(message), output_tokens=1, model_name="pocket-1"
        )
        a, b = message.split("+")
        result = await self.agent.call_tool("add", {"a": a, "b": b})
        return [result.content[0].text]

    async def generate_str(self, message, request_params=None):
        return (await self.generate(message, request_params))[0]

    async def generate_structured(self, message, response_model, request_params=None):
        return response_model.model_validate_json(await self.generate_str(message))


async def main():
    settings = Settings(logger=LoggerSettings(type="none"))
    async with MCPApp(name="sums", settings=settings).run():
        agent = Agent(name="clerk", functions=[add])
        llm = await agent.attach_llm(Pocket)
        for sum_ in ("1+2", "7+6", "1+x"):
            try:
                print(sum_, "=", await llm.generate_str(sum_))
            except Exception as error:
                print(sum_, "failed:", type(error).__name__)
    await LoggingConfig.shutdown()


asyncio.run(main())
