"""Storage of sessions, spans and moments."""

from __future__ import annotations

from pathlib import Path

from inspector.errors import StoreError
from inspector.service.storage.base import Store
from inspector.service.storage.sqlite import SqliteStore
from inspector.service.storage.sqlite_open import check_file
from inspector.service.storage.sqlite_readonly import Passed, ReadOnlySqliteStore

__all__ = ["Store", "check_store", "open_store", "open_to_read"]

_SQLITE = "sqlite:///"


def open_store(url: str) -> SqliteStore:
    """Open the store at `url`.

    Args:
        url: `memory:`, or `sqlite:///PATH`: four slashes make an absolute path.

    Raises:
        StoreInUseError: Another service has it open.
        StoreNewerError: A newer version wrote it.
        StoreError: It cannot be opened, or the URL names no store.
    """
    return SqliteStore(None if url == "memory:" else _path_of(url))


def check_store(url: str) -> None:
    """Refuse a URL that names no store, or another file, before anything is made beside it.

    Raises:
        StoreError: It does.
    """
    if url != "memory:":
        check_file(_path_of(url))


def open_to_read(url: str, passed: Passed | None = None) -> ReadOnlySqliteStore:
    """Open the store at `url` in its present state, even if it is in use; change nothing.

    Args:
        url: `sqlite:///PATH`.
        passed: Returns the state of a session after the time alone.

    Raises:
        StoreNewerError: A newer version wrote it.
        StoreError: It cannot be opened, or the URL names no file.
    """
    return ReadOnlySqliteStore(_path_of(url), passed)


def _path_of(url: str) -> Path:
    if url.startswith(_SQLITE) and len(url) > len(_SQLITE):
        return Path(url.removeprefix(_SQLITE)).expanduser()
    raise StoreError(
        f"Cannot open the store {url!r}: the address must be `sqlite:///PATH` or `memory:`."
    )
