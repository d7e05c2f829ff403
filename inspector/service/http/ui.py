"""`GET /ui/…`: the built web UI, from a fixed set of files."""

from __future__ import annotations

import mimetypes
import re
from functools import cache
from html import escape
from pathlib import Path, PurePosixPath

from fastapi import APIRouter, Request
from starlette.responses import FileResponse, HTMLResponse, RedirectResponse, Response

from inspector.service.http.problems import ProblemError

STATIC = Path(__file__).resolve().parents[2] / "static"

# The system's table may have other types, or none; a browser insists on these.
_TYPES = {
    ".css": "text/css",
    ".html": "text/html",
    ".ico": "image/x-icon",
    ".js": "text/javascript",
    ".json": "application/json",
    ".map": "application/json",
    ".svg": "image/svg+xml",
    ".webmanifest": "application/manifest+json",
    ".woff2": "font/woff2",
}
_HASHED = re.compile(r"[.-][A-Za-z0-9_-]{8,}\.\w+$")
_BASE = re.compile(r"<base\b[^>]*>", re.IGNORECASE)
_HEAD = re.compile(r"<head\b[^>]*>", re.IGNORECASE)
_NOT_BUILT = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Inspector</title></head>
<body><h1>The web UI is not built</h1>
<p>The service runs, but its pages are missing. In a source checkout, build them and reload:</p>
<pre>cd web &amp;&amp; npm ci &amp;&amp; npm run build</pre>
<p>An installed wheel includes them: <code>pip install 'mcp-agent-inspector[serve]'</code></p>
</body></html>
"""

router = APIRouter(tags=["ui"], include_in_schema=False)


@router.get("/")
async def to_ui(request: Request) -> Response:
    """Go to the UI."""
    return RedirectResponse(f"{_root(request)}/ui/", status_code=307)


@router.get("/ui")
async def to_ui_slash(request: Request) -> Response:
    """Go to the UI."""
    return RedirectResponse(f"{_root(request)}/ui/", status_code=307)


@router.get("/ui/{path:path}")
async def page(request: Request, path: str) -> Response:
    """Return a file of the UI; any other path below `/ui/` returns the application's page."""
    if path != "index.html" and (file := _file(path)):
        is_hashed = path.startswith("assets/") and _HASHED.search(path)
        caching = "private, max-age=31536000, immutable" if is_hashed else "no-cache"
        return FileResponse(file, media_type=_media_type(file), headers={"Cache-Control": caching})
    if path.startswith("assets/"):
        raise ProblemError(404, "not_found", "Not found", "The UI has no such file.")
    return HTMLResponse(_index(f"{_root(request)}/ui/"), headers={"Cache-Control": "no-cache"})


def _index(base: str) -> str:
    """Return the page with `base` in it: its links are relative to that."""
    file = _file("index.html")
    if file is None:
        return _NOT_BUILT
    html = file.read_text(encoding="utf-8")
    tag = f'<base href="{escape(base)}">'
    if _BASE.search(html):
        return _BASE.sub(tag, html, count=1)
    return _HEAD.sub(lambda head: head.group() + tag, html, count=1)


def _file(path: str) -> Path | None:
    """Look `path` up among the known files: it never reaches the file system."""
    index = STATIC / "index.html"
    built_ns = index.stat().st_mtime_ns if index.exists() else 0
    return _files(STATIC, built_ns).get(path)


@cache
def _files(static: Path, built_ns: int) -> dict[str, Path]:
    if not built_ns:
        return {}
    return {
        PurePosixPath(file.relative_to(static)).as_posix(): file
        for file in static.rglob("*")
        if file.is_file()
    }


def _media_type(file: Path) -> str:
    return _TYPES.get(file.suffix) or mimetypes.guess_type(file.name)[0] or "text/plain"


def _root(request: Request) -> str:
    root: str = request.scope.get("root_path", "")
    return root
