"""Take the pictures of the README from the real product: `python -m tools.screenshot`.

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
from typing import Any

import httpx
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
    _ask(service)
    _edit_what_is_asked(page, service)
    page.screenshot(path=IMAGES / f"waiting{suffix}.png")
    context.close()


def _open_running_session(page: Page) -> None:
    """Open a running session, and when it waits for a person, the model call before that."""
    page.get_by_role("link", name=re.compile("Release notes.*running$")).first.click()
    page.get_by_role("button", name="waiting").click()
    page.get_by_role("treeitem").filter(has_text="chat").last.click()
    page.get_by_text("assistant").first.wait_for()


def _ask(service: Service) -> None:
    """Open two requests in the newest session, as an agent's end of the channel does."""
    headers = {"Authorization": f"Bearer {service.token}"}
    with httpx.Client(base_url=service.url, headers=headers) as agent:
        session = agent.get("/sessions").raise_for_status().json()["sessions"][0]["id"]
        hello = {"name": "planner", "pid": 1, "host": "here"}
        agent.put("/processes/pictures", json=hello).raise_for_status()
        messages = [
            {"type": "request_opened", "id": one["id"], "request": {**one, "session_id": session}}
            for one in (_DELETION, _QUESTION)
        ]
        agent.post("/processes/pictures/messages", json={"messages": messages}).raise_for_status()


_ARGS = '{"path":"build/notes-draft.md\u200b","recursive":true,"inode":9007199254740993}'
_ASKED: dict[str, Any] = {
    **{"trace_id": None, "span_id": None, "options": [], "args_text": None, "form_json": None},
    **{"signal_name": None, "default": "deny", "age_ms": 34_000, "expires_in_ms": 266_000},
    "keeps_args": False,
}
_DELETION = {
    **_ASKED,
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
    **_ASKED,
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


def _edit_what_is_asked(page: Page, service: Service) -> None:
    page.goto(f"{service.url}/ui/waiting?request=pictures-1")
    page.get_by_role("button", name="Edit").click()
    editor = page.get_by_label("Arguments as JSON")
    editor.fill(editor.input_value().replace("build/notes", "build/tmp/notes"))
    button = page.get_by_role("button", name="Allow with 1 edit")
    expect(button).to_have_attribute("aria-disabled", "false")


if __name__ == "__main__":
    main()
