"""Apps of mcp-agent to be watched, and a wait for their progress."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from mcp_agent.app import MCPApp
from mcp_agent.config import LoggerSettings, MCPServerSettings, MCPSettings, Settings
from mcp_agent.logging.transport import AsyncEventBus

SERVER = Path(__file__).with_name("server.py")


def make_app(*, inspector: Any = None, **kwargs: Any) -> Any:
    """Return an app with the server `s`, before its run."""
    server = MCPServerSettings(command=sys.executable, args=[str(SERVER)])
    settings = Settings(
        mcp=MCPSettings(servers={"s": server}),
        logger=LoggerSettings(type="none"),
        **({} if inspector is None else {"inspector": inspector}),
    )
    return MCPApp(name="tests", settings=settings, **kwargs)


async def end_logging() -> None:
    """End the task of mcp-agent's log."""
    await AsyncEventBus.get().stop()
    AsyncEventBus.reset()


async def until(condition: Callable[[], Any]) -> None:
    """Let other tasks run until the condition holds."""
    async with asyncio.timeout(30):
        while not condition():  # noqa: ASYNC110 - mcp-agent has no event for it
            await asyncio.sleep(0)
