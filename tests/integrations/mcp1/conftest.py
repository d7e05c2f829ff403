"""What mcp-agent's tests need; they run in the environment that has it (`make test`)."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from inspector import context
from instrument import Bus

if TYPE_CHECKING:
    from tests.integrations.told import Told

collect_ignore_glob = [] if find_spec("mcp_agent") else ["test_*.py"]

SERVER = Path(__file__).with_name("server.py")


def pytest_configure(config: pytest.Config) -> None:
    """Let mcp-agent and what it imports be out of date."""
    if find_spec("mcp_agent"):
        for category in ("DeprecationWarning", "PendingDeprecationWarning", "ResourceWarning"):
            config.addinivalue_line("filterwarnings", f"ignore::{category}")


@pytest.fixture
def shim(bus: Bus, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Patches in place, telling `bus`."""
    from inspector.integrations import mcp_agent

    monkeypatch.setenv("INSPECTOR_ENABLE_PATCH", "1")
    detach = mcp_agent.attach(bus=bus)
    yield
    detach()


@pytest.fixture
async def app(shim: None, told: Told) -> AsyncIterator[Any]:
    """A running app with the server `s` and no model."""
    async with make_app().run() as running:
        yield running
    context.set(context.UNKNOWN)


def make_app(**kwargs: Any) -> Any:
    """Return an app that has not begun."""
    from mcp_agent.app import MCPApp
    from mcp_agent.config import LoggerSettings, MCPServerSettings, MCPSettings, Settings

    server = MCPServerSettings(command=sys.executable, args=[str(SERVER)])
    settings = Settings(mcp=MCPSettings(servers={"s": server}), logger=LoggerSettings(type="none"))
    return MCPApp(name="tests", settings=settings, **kwargs)
