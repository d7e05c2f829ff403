"""Which browser the browser tests drive; `python -m tests.e2e.browser` makes sure there is one.

One that is there already, else Playwright's own, else the system's package manager (only as root
and with `CI` set: a test run does not change a developer's machine). A headless shell is
preferred: it takes two thirds of the processor time of a whole Chromium.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

_NAMES = (
    "chromium-headless-shell",
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
)
_APT = "apt-get install -y --no-install-recommends"


def installed_browser() -> str | None:
    """Return the path of a Chromium: `INSPECTOR_CHROMIUM`, or the first found on PATH."""
    named = os.environ.get("INSPECTOR_CHROMIUM")
    return named or next(filter(None, map(shutil.which, _NAMES)), None)


def whole_browser() -> str | None:
    """Return the path of a Chromium that has windows, which a headless shell has not."""
    return next(filter(None, map(shutil.which, _NAMES[1:])), None)


def _has_playwrights_own() -> bool:
    with sync_playwright() as playwright:
        return Path(playwright.chromium.executable_path).exists()


def _run(command: str) -> bool:
    sys.stderr.write(f"{command}\n")
    return subprocess.run(command.split(), check=False).returncode == 0


def main() -> int:
    """Get a browser if there is none; say how, if that is not for us to do."""
    if installed_browser() or _has_playwrights_own():
        return 0
    if _run(f"{sys.executable} -m playwright install chromium"):
        return 0
    may_install = bool(os.environ.get("CI")) and hasattr(os, "geteuid") and os.geteuid() == 0
    apt = may_install and shutil.which("apt-get") and _run("apt-get update -q")
    if apt and any(_run(f"{_APT} {name}") for name in ("chromium-headless-shell", "chromium")):
        return 0
    sys.stderr.write(f"The browser tests need a Chromium. On Debian: sudo {_APT} chromium\n")
    return 1


if __name__ == "__main__":
    sys.exit(main())
