"""The gallery as a page of its own: built once, served under the service's own headers."""

from __future__ import annotations

import os
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlencode

from playwright.sync_api import Locator, Page

from inspector.service.http.guard import SECURITY_HEADERS

ROOT = Path(__file__).resolve().parents[2]
NOW = "2026-01-01T10:02:00Z"
"""When the pictures are taken: shortly after the recorded session."""

EXAMINE = (Path(__file__).parent / "examine.js").read_text(encoding="utf-8")


class Look(NamedTuple):
    """How a picture is taken."""

    theme: str
    width_px: int


class _Handler(SimpleHTTPRequestHandler):
    def translate_path(self, path: str) -> str:
        return super().translate_path(path.removeprefix("/ui"))

    def end_headers(self) -> None:
        for name, value in SECURITY_HEADERS.items():
            self.send_header(name, value)
        super().end_headers()

    def log_message(self, format: str, *args: object) -> None:
        pass


@contextmanager
def served_gallery(folder: Path) -> Iterator[str]:
    """Build the gallery into `folder` and serve it; gives its address."""
    own_node = ROOT / ".make" / "node" / "bin"
    subprocess.run(
        ["npm", "run", "--silent", "gallery:build", "--", "--outDir", str(folder)],
        cwd=ROOT / "web",
        env={**os.environ, "PATH": f"{own_node}{os.pathsep}{os.environ['PATH']}"},
        check=True,
        stdout=subprocess.DEVNULL,
    )
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Handler, directory=str(folder)))
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/ui/gallery.html"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def open_gallery(page: Page, url: str, look: Look, case: str | None = None) -> None:
    """Show all cases, or one alone, and return when nothing more appears."""
    page.set_viewport_size({"width": look.width_px, "height": 900})
    page.clock.set_fixed_time(NOW)
    parameters = {"theme": look.theme} | ({} if case is None else {"case": case})
    page.goto(f"{url}?{urlencode(parameters)}")
    # All of them are mounted in one go, which takes a while where others work, too.
    page.locator("[data-case]").first.wait_for(timeout=60_000)
    page.evaluate(f"({EXAMINE}).settled()")


def cases(page: Page) -> list[str]:
    """Return the names of all cases."""
    found: list[str] = page.evaluate("JSON.parse(document.getElementById('root').dataset.cases)")
    return found


def complaints(page: Page) -> list[dict[str, Any]]:
    """Return what does not fit: `{case, what, text}`; see `examine.js`."""
    found: list[dict[str, Any]] = page.evaluate(f"({EXAMINE}).complaints()")
    return found


def not_shown(page: Page) -> list[str]:
    """Return what the gallery says that a case shows, and it does not: `FILE NAME: CASE`."""
    shown: dict[str, str] = page.evaluate(
        "JSON.parse(document.getElementById('root').dataset.shownIn)"
    )
    found: dict[str, list[str]] = page.evaluate(f"({EXAMINE}).components()")
    return [
        f"{component}: {case}"
        for component, case in shown.items()
        if component.split(" ")[1] not in found.get(case, [])
    ]


def case_of(page: Page, name: str) -> Locator:
    """Return the frame of a case that is shown."""
    return page.locator(f'[data-case="{name}"]')


def write_sheets(page: Page, folder: Path, columns: int) -> None:
    """Put the pictures of a folder side by side, each under its name: `FOLDER-1.png`, …."""
    pictures = sorted(folder.glob("*.png"))
    size = 3 * columns
    for at in range(0, len(pictures), size):
        file = folder.with_name(f"{folder.name}-{at // size + 1}.png")
        _write_sheet(page, pictures[at : at + size], file, columns)


def _write_sheet(page: Page, pictures: list[Path], file: Path, columns: int) -> None:
    shown = "".join(
        f'<figure><figcaption>{one.stem}</figcaption><img src="{one.resolve().as_uri()}"></figure>'
        for one in pictures
    )
    sheet = file.with_suffix(".html")
    sheet.write_text(
        "<meta charset=utf-8><style>body{margin:8px;display:grid;gap:8px;align-items:start;"
        f"grid-template-columns:repeat({columns},minmax(0,1fr));font:11px sans-serif}}"
        f"figure{{margin:0}}img{{max-width:100%;border:1px solid #999}}</style>{shown}",
        encoding="utf-8",
    )
    page.set_viewport_size({"width": 1800, "height": 900})
    page.goto(sheet.resolve().as_uri())
    page.screenshot(path=file, full_page=True)
    sheet.unlink()
