"""An agent of the Claude Agent SDK with a tool of this process, watched.

The SDK starts the command line `claude`, which needs `ANTHROPIC_API_KEY`.
"""

import asyncio
from typing import Any

from claude_agent_sdk import (
    ClaudeAgentOptions,
    ResultMessage,
    create_sdk_mcp_server,
    query,
    tool,
)

import inspector


@tool("add", "Add two numbers", {"a": int, "b": int})
async def add(args: dict[str, Any]) -> dict[str, Any]:
    """Add two numbers."""
    return {"content": [{"type": "text", "text": str(args["a"] + args["b"])}]}


OPTIONS = ClaudeAgentOptions(
    mcp_servers={"calculator": create_sdk_mcp_server("calculator", tools=[add])},
    allowed_tools=["mcp__calculator__add"],
)


async def main() -> None:
    """Ask for a sum."""
    async for message in query(prompt="What is 1 + 2?", options=OPTIONS):
        if isinstance(message, ResultMessage):
            print(message.result)


if __name__ == "__main__":
    handle = inspector.attach()
    asyncio.run(main())
    handle.detach()
