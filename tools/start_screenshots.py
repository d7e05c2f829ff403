"""Take the pictures of the start pages: `make screenshots`.

Follows the pages as a reader does, with a model that is a script, and writes
`docs/images/start/*.png`: each is the session of the program that its page shows. What each has to
read goes into `words.json` beside them, by which a test sees that one is out of date.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, NamedTuple

from playwright.sync_api import Browser, ViewportSize, sync_playwright

from tests.support.docs.page import ROOT, DocPage
from tests.support.docs.reader import Reader
from tests.support.docs.scripts import SCRIPTS
from tests.support.services.model_provider import ModelProvider
from tests.support.services.process import Service, free_port, wait_for

IMAGES = ROOT / "docs" / "images" / "start"
WORDS = IMAGES / "words.json"
SDK = ROOT / "sdks" / "typescript"
_WORD = re.compile("[A-Za-z]{3,}")
"""Times, ids and units are different in each picture."""
_SIZE: ViewportSize = {"width": 1200, "height": 480}


class Picture(NamedTuple):
    """A picture: its file, the page whose program it shows, and the view and row that it opens."""

    file: str
    page: str
    view: str = "waterfall"
    row: str = "chat"


PICTURES = [
    Picture("openai.png", "openai"),
    Picture("anthropic.png", "anthropic"),
    Picture("agent.png", "pydantic-ai"),
    Picture("mcp.png", "mcp-server", view="mcp", row="tools/call"),
    Picture("opentelemetry.png", "opentelemetry"),
    Picture("typescript.png", "typescript", row="execute_tool"),
]


def main(*files: str) -> None:
    """Write the pictures, or those of these files."""
    IMAGES.mkdir(parents=True, exist_ok=True)
    recorded = json.loads(WORDS.read_text(encoding="utf-8")) if files else {}
    words = {**recorded, **take(IMAGES, *files)}
    WORDS.write_text(json.dumps(words, indent=1, sort_keys=True) + "\n", encoding="utf-8")


def take(folder: Path, *files: str) -> dict[str, list[str]]:
    """Write the pictures, or those of these files, and return the words that each shows."""
    words = {}
    if not files or "typescript.png" in files:
        subprocess.run(["npm", "run", "--silent", "build"], cwd=SDK, check=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"))
        for picture in PICTURES:
            if not files or picture.file in files:
                words[picture.file] = _take(browser, picture, folder / picture.file)
        browser.close()
    return words


def _take(browser: Browser, picture: Picture, target: Path) -> list[str]:
    with (
        tempfile.TemporaryDirectory() as folder,
        Service(Path(folder), otlp_http_port=free_port()) as service,
        ModelProvider(*SCRIPTS.get(picture.page, [])) as provider,
    ):
        reader = Reader(service, Path(folder), provider.environment)
        packages = Path(folder) / "node_modules" / "@mcp-agent-inspector"
        packages.mkdir(parents=True)
        (packages / "agent").symlink_to(SDK)
        (session,) = reader.follow(DocPage(f"docs/start/{picture.page}.md"))
        return _open(browser, service, session, picture, target)


def _open(
    browser: Browser, service: Service, session: Any, picture: Picture, target: Path
) -> list[str]:
    path = f"/sessions/{session['id']}"
    wait_for(lambda: service.get(path)["status"] == "completed")
    context = browser.new_context(viewport=_SIZE, color_scheme="light", locale="en-GB")
    page = context.new_page()
    page.goto(f"{service.url}/ui/?token={service.token}")
    page.get_by_role("row").nth(1).wait_for()
    page.goto(f"{service.url}/ui{path}?view={picture.view}")
    page.get_by_text(picture.row).filter(visible=True).first.click()
    page.get_by_role("complementary" if picture.view == "waterfall" else "region").last.wait_for()
    page.wait_for_load_state("networkidle")
    page.screenshot(path=target)
    words = {word for word in page.locator("body").inner_text().split() if _WORD.fullmatch(word)}
    context.close()
    return sorted(words)


if __name__ == "__main__":
    main(*sys.argv[1:])
