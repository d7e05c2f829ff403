"""Take the screenshots of README and guides from the real product: `make screenshots`.

Starts the service and the demo, waits until there is something to see, and writes
`docs/images/*.png`. Needs the built web UI and a Chromium (`make run` and `make test` get both).
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic, sleep
from typing import Any

import httpx
from playwright.sync_api import Browser, Page, TimeoutError, ViewportSize, expect, sync_playwright

from inspector.demo.service import DemoService, running_service
from tests.e2e.editor import open_editor, replace

IMAGES = Path(__file__).resolve().parent.parent / "docs" / "images"
_SPEED = "1.5"
_SIZE: ViewportSize = {"width": 1440, "height": 900}
_PATIENCE_MS = 300_000
_MOMENT_MS = 5_000
_SESSIONS = 5
_SOMEBODY_WAITS = re.compile("Waiting.*[1-9]")


def main() -> None:
    """Write the pictures."""
    IMAGES.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"))
        for scheme in ("light", "dark"):
            with _demo() as service:  # a new demo, so that both show the same moment
                _take(browser, service, scheme)
        browser.close()


@contextmanager
def _demo() -> Generator[DemoService]:
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


def _take(browser: Browser, service: DemoService, scheme: str) -> None:
    suffix = "" if scheme == "light" else f"-{scheme}"
    context = browser.new_context(
        viewport=_SIZE, color_scheme="dark" if scheme == "dark" else "light", locale="en-GB"
    )
    page = context.new_page()
    page.set_default_timeout(_PATIENCE_MS)
    page.goto(f"{service.url}/ui/?token={service.token}")
    # Enough to look at: stories that ended and that run, and one that waits.
    expect(page.get_by_role("row").nth(_SESSIONS)).to_be_visible(timeout=_PATIENCE_MS)
    expect(page.get_by_role("link", name=_SOMEBODY_WAITS)).to_be_visible()
    if scheme == "light":  # Pages of guides have one picture for both.
        page.screenshot(path=IMAGES / "sessions.png")
    _open_waiting_session(page, service)
    page.screenshot(path=IMAGES / f"session{suffix}.png")
    if scheme == "light":
        _ask(service, _DELETION, _QUESTION)
        _edit_arguments(page, service)
        page.screenshot(path=IMAGES / "waiting.png")
    context.close()


def _open_waiting_session(page: Page, service: DemoService) -> None:
    """Open a session that waits for a person, at its waiting span and the request."""
    deadline = monotonic() + _PATIENCE_MS / 1000
    while True:
        try:
            _open_waiting_span(page, service, _waiting_session(service))
            return
        except TimeoutError:  # it continued without a person: try the next one
            if monotonic() > deadline:
                raise


def _open_waiting_span(page: Page, service: DemoService, session_id: str) -> None:
    page.goto(f"{service.url}/ui/sessions/{session_id}?view=waterfall")
    strip = page.get_by_role("region", name="Waiting for you in this session")
    strip.wait_for(timeout=_MOMENT_MS)
    page.get_by_role("treeitem").first.wait_for(timeout=_MOMENT_MS)
    page.keyboard.press("w")
    page.get_by_role("complementary", name="Span").wait_for(timeout=_MOMENT_MS)
    # The buttons take no click in their first moment, and look like it.
    allow = page.get_by_role("button", name=re.compile("^Allow"))
    expect(allow.first).to_have_attribute("aria-disabled", "false", timeout=_MOMENT_MS)


def _waiting_session(service: DemoService) -> str:
    """Return the session of the newest approval that waits, once there is one."""
    deadline = monotonic() + _PATIENCE_MS / 1000
    with _client(service) as agent:
        while monotonic() < deadline:
            found = agent.get("/requests", params={"status": "pending"}).raise_for_status().json()
            for request in found["requests"]:
                if request["kind"] == "approval":
                    session_id: str = request["session_id"]
                    return session_id
            sleep(0.1)
    raise RuntimeError("No session waited for a person.")


def _ask(service: DemoService, *requests: dict[str, Any]) -> None:
    """Open requests, in the newest session, as an agent's channel does."""
    with _client(service) as agent:
        newest = agent.get("/sessions").raise_for_status().json()["sessions"][0]["id"]
        hello = {"name": "planner", "pid": 1, "host": "here"}
        agent.put("/processes/pictures", json=hello).raise_for_status()
        messages = [
            {"type": "request_opened", "id": one["id"], "request": {**one, "session_id": newest}}
            for one in requests
        ]
        agent.post("/processes/pictures/messages", json={"messages": messages}).raise_for_status()


def _client(service: DemoService) -> httpx.Client:
    headers = {"Authorization": f"Bearer {service.token}"}
    return httpx.Client(base_url=service.url, headers=headers)


_ARGS = '{"path":"build/notes-draft.md\u200b","recursive":true,"inode":9007199254740993}'
_REQUEST: dict[str, Any] = {
    **{"trace_id": None, "span_id": None, "options": [], "args_text": None, "form_json": None},
    **{"signal_name": None, "default": "deny", "age_ms": 34_000, "expires_in_ms": 266_000},
    "keeps_args": False,
}
_DELETION = {
    **_REQUEST,
    "id": "pictures-1",
    "kind": "approval",
    "hook": "tool_before_execute",
    "interceptor": "policy ask-delete",
    "tool_name": "delete_file",
    "prompt": "Files outside of build/tmp are deleted only when a person says so.",
    "args_json": _ARGS,
    "args_hash": hashlib.sha256(_ARGS.encode()).hexdigest(),
    "can_always": True,
}
_QUESTION = {
    **_REQUEST,
    "id": "pictures-2",
    "kind": "question",
    "hook": "elicitation",
    "interceptor": None,
    "tool_name": None,
    "prompt": "Publish the release notes of Lantern 1.4?",
    "args_json": None,
    "args_hash": None,
    "can_always": False,
    "default": "decline",
}


def _edit_arguments(page: Page, service: DemoService) -> None:
    page.goto(f"{service.url}/ui/waiting?request=pictures-1")
    page.get_by_role("button", name="Edit").click()
    replace(open_editor(page), "build/notes", "build/tmp/notes")
    button = page.get_by_role("button", name="Allow with 1 edit")
    expect(button).to_have_attribute("aria-disabled", "false")


if __name__ == "__main__":
    main()
