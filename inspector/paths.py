"""The user's directories, and how what is kept there is made: what agents say is private."""

from __future__ import annotations

import contextlib
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


def make_dir(path: Path) -> None:
    """Make a directory, and those above it, that only its owner may look into.

    One that exists stays as it is. The XDG specification asks for this mode too.

    Raises:
        OSError: It cannot be made.
    """
    if not path.is_dir():
        make_dir(path.parent)
        path.mkdir(mode=0o700, exist_ok=True)
        _flush_entry(path)


def make_file(path: Path) -> None:
    """Make an empty file that only its owner may read, in a directory made so too.

    One that exists stays as it is, and is not even opened: to close it would give up the locks
    that this process has on it (POSIX).

    Raises:
        OSError: It cannot be made.
    """
    make_dir(path.parent)
    with contextlib.suppress(FileExistsError):
        os.close(os.open(path, os.O_RDONLY | os.O_CREAT | os.O_EXCL, 0o600))
        _flush_entry(path)


def _flush_entry(path: Path) -> None:
    """See the name of a new file reach the disk: what is flushed into it would be lost without."""
    if sys.platform == "win32":
        return  # a directory cannot be opened there, and need not be
    try:
        directory = os.open(path.parent, os.O_RDONLY)
    except PermissionError:
        return  # one may write into it, and not look
    try:
        os.fsync(directory)
    finally:
        os.close(directory)


def _user_dir(variable: str, fallback: str) -> Path:
    if given := os.environ.get(variable):
        return Path(given)
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support"
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    return Path.home() / fallback
