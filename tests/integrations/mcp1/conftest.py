"""Fixtures of the tests with mcp 1.x, which run in an environment of their own (`make test`)."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from inspector import context
from instrument import Bus
from tests.support.services.process import Service

if TYPE_CHECKING:
    from tests.integrations.hook_log import HookLog

ROOT = Path(__file__).parents[3]
SERVING = ROOT / ".venv/bin/python"
"""The Python of the environment that has the service; this one has not."""

collect_ignore_glob = [] if find_spec("mcp_agent") else ["test_*.py"]


def pytest_configure(config: pytest.Config) -> None:
    """Ignore warnings that mcp-agent and its dependencies are out of date."""
    if find_spec("mcp_agent"):
        for category in ("DeprecationWarning", "PendingDeprecationWarning", "ResourceWarning"):
            config.addinivalue_line("filterwarnings", f"ignore::{category}")


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """A service for all tests of a module."""
    if not SERVING.exists():
        pytest.skip("needs the environment that `make test` makes")
    started = Service(tmp_path_factory.mktemp("service"), python=str(SERVING))
    started.environment["PYTHONPATH"] = str(ROOT)
    started.start()
    yield started
    started.stop()


@pytest.fixture
async def logging_ends() -> AsyncIterator[None]:
    """End mcp-agent's log, whose task cannot be cancelled: the loop would not close."""
    from tests.integrations.mcp1.apps import end_logging

    yield
    await end_logging()


@pytest.fixture
def shim(bus: Bus, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The patches of mcp-agent, reporting on `bus`."""
    from inspector.integrations import mcp_agent

    monkeypatch.setenv("INSPECTOR_ENABLE_PATCH", "1")
    detach = mcp_agent.attach(bus=bus)
    yield
    detach()


@pytest.fixture
async def app(shim: None, hooks: HookLog) -> AsyncIterator[Any]:
    """A running app with the server `s` and no model."""
    from tests.integrations.mcp1.apps import make_app

    async with make_app().run() as running:
        yield running
    context.set(context.UNKNOWN)
