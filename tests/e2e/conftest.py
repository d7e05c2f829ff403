from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, ConsoleMessage, Page, Request, expect

from tests.e2e.browser import installed_browser
from tests.support.services.process import Service

# Two cores are shared with the service, the agent and its servers.
expect.set_options(timeout=20_000)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker("browser")


class Demo:
    """`inspector demo` as a process of its own."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self._process: subprocess.Popen[bytes] | None = None

    def start(self, story: str, *, speed: float) -> None:
        """Begin to tell one story."""
        arguments = ["--story", story, "--speed", str(speed), "--seed", "7"]
        self._process = subprocess.Popen(
            [sys.executable, "-m", "inspector.demo", *arguments],
            env=self._service.environment,
            cwd=self._service.folder,
            stdout=subprocess.DEVNULL,
        )

    def wait(self) -> int:
        """Return its exit code."""
        assert self._process is not None
        return self._process.wait(60)

    def stop(self) -> None:
        if self._process is not None and self._process.poll() is None:
            self._process.send_signal(signal.SIGINT)
            try:
                self._process.wait(10)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()


class Watch:
    """What a page said and asked for."""

    def __init__(self, page: Page) -> None:
        self.errors: list[str] = []
        self.requested: list[str] = []
        page.on("console", self._on_console)
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("request", self._on_request)

    def _on_console(self, message: ConsoleMessage) -> None:
        if message.type in {"error", "warning"}:
            self.errors.append(message.text)

    def _on_request(self, request: Request) -> None:
        self.requested.append(request.url)

    def elsewhere(self, origin: str) -> list[str]:
        """Return what was asked of anybody but the service."""
        own = (origin, "data:", "blob:")
        return [url for url in self.requested if not url.startswith(own)]


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Service]:
    with Service(tmp_path) as running:
        yield running


@pytest.fixture
def demo(service: Service) -> Iterator[Demo]:
    agent = Demo(service)
    yield agent
    agent.stop()


@pytest.fixture
def watch(page: Page) -> Watch:
    return Watch(page)


@pytest.fixture(scope="session")
def base_url() -> None:
    """Stand in for the plugin's, which is written in a way that pytest warns of."""


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args: dict[str, Any]) -> dict[str, Any]:
    quiet = ["--disable-quic", "--no-first-run", "--disable-sync", "--disable-component-update"]
    found = installed_browser()
    here = {"executable_path": found} if found else {}
    return {**browser_type_launch_args, "args": quiet, **here}


@pytest.fixture(scope="session")
def browser_context_args(browser_context_args: dict[str, Any]) -> dict[str, Any]:
    return {
        **browser_context_args,
        "viewport": {"width": 1440, "height": 2600},
        "locale": "en-GB",
        "timezone_id": "UTC",
        "reduced_motion": "reduce",
    }


@pytest.fixture
def context(context: BrowserContext) -> BrowserContext:
    context.set_default_timeout(20_000)
    return context
