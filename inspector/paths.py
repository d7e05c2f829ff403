"""The user's directories: where the store and the configuration are when nothing else is said."""

from __future__ import annotations

import os
import sys
from pathlib import Path

NAME = "mcp-agent-inspector"


def data_dir() -> Path:
    """Return where data is kept (XDG_DATA_HOME, Application Support or LOCALAPPDATA)."""
    return _user_dir("XDG_DATA_HOME", ".local/share") / NAME


def config_dir() -> Path:
    """Return where configuration is looked for (XDG_CONFIG_HOME and its like)."""
    return _user_dir("XDG_CONFIG_HOME", ".config") / NAME


def _user_dir(variable: str, fallback: str) -> Path:
    if given := os.environ.get(variable):
        return Path(given)
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support"
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    return Path.home() / fallback
