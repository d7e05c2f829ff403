"""The user's directories, and the creation of private files in them."""

from __future__ import annotations

import contextlib
import os
import stat
import sys
from pathlib import Path

from inspector.errors import UntrustedFileError

NAME = "mcp-agent-inspector"


def data_dir() -> Path:
    """Return the directory for data (XDG_DATA_HOME, Application Support or LOCALAPPDATA)."""
    return _user_dir("XDG_DATA_HOME", ".local/share") / NAME


def config_dir() -> Path:
    """Return the directory for configuration (XDG_CONFIG_HOME and its like)."""
    return _user_dir("XDG_CONFIG_HOME", ".config") / NAME


def make_dir(path: Path) -> None:
    """Make a directory and its parents with mode 0700, as the XDG specification asks.

    An existing one stays as it is.

    Raises:
        OSError: It cannot be made.
    """
    if not path.is_dir():
        make_dir(path.parent)
        path.mkdir(mode=0o700, exist_ok=True)
        _flush_entry(path)


def make_database(path: Path) -> None:
    """Make an empty file that only its owner may read, and its directory likewise.

    An existing file is not even opened: closing it would release the locks that this process has
    on it (POSIX). SQLite gives its journals the mode of the file.

    Raises:
        OSError: It cannot be made.
        UntrustedFileError: Another user may have written it, or a journal of SQLite.
    """
    make_dir(path.parent)
    with contextlib.suppress(FileExistsError):
        os.close(os.open(path, os.O_RDONLY | os.O_CREAT | os.O_EXCL, 0o600))
        _flush_entry(path)
    for end in ("", "-wal", "-shm", "-journal"):
        check_trusted(path.with_name(path.name + end))


def write_private(path: Path, text: str) -> None:
    """Write a file that only its owner may read, atomically; replace an existing one.

    Raises:
        OSError: It cannot be written.
    """
    import tempfile  # noqa: PLC0415 - `inspector run` starts sooner without

    # A random name: nobody can create the file beforehand.
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")  # mode 0600
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
        Path(temporary).replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            Path(temporary).unlink()
        raise


def check_trusted(path: Path) -> None:
    """Refuse a file that another user of this machine could have written.

    It may belong to this user or to root, who can do everything anyway. A missing or unreadable
    file passes: opening it will fail with a better message.

    Raises:
        UntrustedFileError: Another user owns it or may write it, or it is no file.
    """
    if not hasattr(os, "getuid"):
        return
    try:
        _check_owner(path, path.lstat())  # the owner of a link decides where it leads
        file = path.stat()
    except OSError:
        return
    _check_owner(path, file)
    if not stat.S_ISREG(file.st_mode):
        raise UntrustedFileError(
            f"Cannot use {path}: it is not a regular file. Move it, or set INSPECTOR_STORE to a "
            "folder that you own."
        )
    if file.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        raise UntrustedFileError(
            f"Cannot use {path}: other users can write to it. If you trust its content, run "
            f"`chmod go-w {path}`; otherwise move it."
        )


def _check_owner(path: Path, found: os.stat_result) -> None:
    if found.st_uid not in (os.geteuid(), 0):
        raise UntrustedFileError(
            f"Cannot use {path}: it belongs to another user (uid {found.st_uid}). Move it, or set "
            "INSPECTOR_STORE to a folder that you own."
        )


def _flush_entry(path: Path) -> None:
    """Flush the directory entry of a new file: without it a crash loses the file."""
    if sys.platform == "win32":
        return  # a directory cannot be opened there, and needs no flush
    try:
        directory = os.open(path.parent, os.O_RDONLY)
    except PermissionError:
        return  # a directory may be writable and not readable
    try:
        os.fsync(directory)
    finally:
        os.close(directory)


def _user_dir(variable: str, fallback: str) -> Path:
    if directory := os.environ.get(variable):
        return Path(directory)
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support"
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    return Path.home() / fallback


SECTIONS = frozenset({"policies", "breakpoints", "budgets", "step"})
"""Policy sections of `inspector.toml`; its other keys are settings of the service."""
