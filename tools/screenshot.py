"""Take the pictures of the README from the real product: `python -m tools.screenshot`.

Starts the service and the demo, waits until there is something to see, and writes
`docs/images/*.png`. Needs the built web UI and a Chromium (`make run` and `make test` get both).
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, Page, ViewportSize, expect, sync_playwright

from inspector.demo.service import Service, running_service

IMAGES = Path(__file__).resolve().parent.parent / "docs" / "images"
_SPEED = "1.5"
_SIZE: ViewportSize = {"width": 1440, "height": 900}
_PATIENCE_MS = 120_000


def main() -> None:
    """Write the pictures."""
    IMAGES.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"))
        for scheme in ("light", "dark"):
            with _demo() as service:  # told anew, so that both show the same moment
                _take(browser, service, scheme)
        browser.close()


@contextmanager
def _demo() -> Generator[Service]:
    with tempfile.TemporaryDirectory() as folder:
        os.environ |= {
            "INSPECTOR_PORT": "0",
            "INSPECTOR_OTLP_HTTP_PORT": "0",
            "INSPECTOR_OTLP_GRPC_PORT": "0",
            "INSPECTOR_STORE": f"sqlite:///{folder}/store.sqlite3",
            "INSPECTOR_RUNTIME_DIR": folder,
        }
        command = [sys.executable, "-m", "inspector.demo", "--loop", "--speed", _SPEED]
        with running_service() as service, subprocess.Popen(command) as agent:
            try:
                yield service
            finally:
                agent.terminate()


def _take(browser: Browser, service: Service, scheme: str) -> None:
    suffix = "" if scheme == "light" else f"-{scheme}"
    context = browser.new_context(
        viewport=_SIZE, color_scheme="dark" if scheme == "dark" else "light", locale="en-GB"
    )
    page = context.new_page()
    page.set_default_timeout(_PATIENCE_MS)
    page.goto(f"{service.url}/ui/?token={service.token}")
    # Enough to look at: three stories told, a fourth under way.
    expect(page.get_by_role("listitem").nth(3)).to_be_visible(timeout=_PATIENCE_MS)
    page.screenshot(path=IMAGES / f"sessions{suffix}.png")
    _open_running_session(page)
    page.screenshot(path=IMAGES / f"session{suffix}.png")
    context.close()


def _open_running_session(page: Page) -> None:
    """Open a running session, and when it waits for a person, the model call before that."""
    page.get_by_role("link", name=re.compile("Release notes.*running$")).first.click()
    page.get_by_role("button", name="waiting").click()
    page.get_by_role("treeitem").filter(has_text="chat").last.click()
    page.get_by_text("assistant").first.wait_for()


if __name__ == "__main__":
    main()
