"""A small MCP server over stdio, by mcp 1.x: run as a script."""

from __future__ import annotations

import os
from typing import Any

from mcp.server.fastmcp import Context, FastMCP
from mcp.types import ModelPreferences, SamplingMessage, TextContent
from pydantic import BaseModel

server: Any = FastMCP("s")


class Answer(BaseModel):
    name: str


@server.tool()
def echo(text: str) -> str:
    return f"echo: {text}"


@server.tool()
def fail() -> str:
    raise ValueError("it broke")


@server.tool()
def leave() -> str:
    os._exit(3)


@server.tool()
async def count(ctx: Context) -> str:  # type: ignore[type-arg]  # generic in mcp 1.x, not in 2.x
    for step in (1, 2):
        await ctx.report_progress(step, 2, f"step {step}")
    return "counted"


@server.tool()
async def ask(ctx: Context) -> str:  # type: ignore[type-arg]  # see above
    answer: Any = await ctx.elicit("Who are you?", Answer)
    return f"{answer.action} {getattr(answer, 'data', None)}"


@server.tool()
async def sample(ctx: Context) -> str:  # type: ignore[type-arg]  # see above
    message = SamplingMessage(role="user", content=TextContent(type="text", text="Say hello"))
    session: Any = ctx.session
    result = await session.create_message(
        [message], max_tokens=10, model_preferences=ModelPreferences(costPriority=1)
    )
    return str(result.content.text)


@server.resource("memo://one")
def memo() -> str:
    return "a memo"


@server.resource("memo://broken")
def broken() -> str:
    raise ValueError("no memo")


@server.prompt()
def greet(name: str) -> str:
    return f"Greet {name}."


if __name__ == "__main__":
    server.run()
