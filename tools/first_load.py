"""Size of the page's first load in a browser: `python -m tools.first_load`."""

from __future__ import annotations

import gzip
import re
from pathlib import Path

STATIC = Path(__file__).resolve().parent.parent / "inspector" / "static"
LIMIT_BYTES = 220_000
_VIEW = re.compile(r"-(?:view|page)-")
_NAMED = re.compile(r'(?:src|href)="\./(assets/[^"]+)"')
_IMPORTED = re.compile(r"""(?:from|import)\s*["'`]\./([^"'`]+\.js)["'`]""")


def first_load() -> dict[str, int]:
    """Return the gzipped size in bytes of every file that `index.html` makes a browser load.

    Icons apart, these are the scripts and styles that it names and what those scripts import.

    Raises:
        FileNotFoundError: The web UI is not built.
    """
    page = STATIC / "index.html"
    sizes = {"index.html": _gzipped_bytes(page)}
    wanted = _NAMED.findall(page.read_text(encoding="utf-8"))
    while wanted:
        name = wanted.pop()
        if name in sizes:
            continue
        sizes[name] = _gzipped_bytes(STATIC / name)
        if name.endswith(".js"):
            text = (STATIC / name).read_text(encoding="utf-8")
            wanted += [f"assets/{found}" for found in _IMPORTED.findall(text)]
    return sizes


def largest_view_bytes() -> int:
    """Return the gzipped size of the largest script of a view, which is loaded when it is shown.

    Popups, the editor of arguments and the colours of code come later than a view's first paint.
    """
    views = (one for one in (STATIC / "assets").glob("*.js") if _VIEW.search(one.name))
    return max(map(_gzipped_bytes, views))


def first_load_bytes() -> int:
    """Return the sum."""
    return sum(first_load().values())


def _gzipped_bytes(file: Path) -> int:
    return len(gzip.compress(file.read_bytes(), 9, mtime=0))


if __name__ == "__main__":
    for shown, size_bytes in sorted(first_load().items(), key=lambda item: -item[1]):
        print(f"{size_bytes / 1000:8.1f} kB  {shown}")  # noqa: T201 - it is a command
    print(f"{first_load_bytes() / 1000:8.1f} kB  in all, of {LIMIT_BYTES / 1000:.0f}")  # noqa: T201
