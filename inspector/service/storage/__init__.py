"""Where sessions, spans and moments are kept."""

from __future__ import annotations

from pathlib import Path

from inspector.errors import StoreError
from inspector.service.storage.base import Store
from inspector.service.storage.memory import MemoryStore
from inspector.service.storage.sqlite import SqliteStore
from inspector.service.storage.sqlite_readonly import Passed, ReadOnlySqliteStore

__all__ = ["Store", "open_store", "open_to_read"]

_SQLITE = "sqlite:///"


def open_to_read(url: str, passed: Passed) -> Store:
    """Open the store that `url` names as it is by now, whoever has it open; change nothing.

    Args:
        url: As for `open_store`.
        passed: What became of a session by the time alone.

    Raises:
        StoreError: It cannot be opened, or the URL names no store.
    """
    store = open_store(url, is_read_only=True)
    if isinstance(store, ReadOnlySqliteStore):
        store.passed = passed
    return store


def open_store(url: str, *, is_read_only: bool = False) -> Store:
    """Open the store that `url` names.

    Args:
        url: `memory:`, or `sqlite:///PATH`: four slashes make an absolute path.
        is_read_only: Only look at it, whoever has it open. Nothing is locked or migrated.

    Raises:
        StoreInUseError: Another service has it open.
        StoreNewerError: A newer version wrote it.
        StoreError: It cannot be opened, or the URL names no store.
    """
    if url == "memory:":
        return MemoryStore()
    if url.startswith(_SQLITE) and len(url) > len(_SQLITE):
        path = Path(url.removeprefix(_SQLITE)).expanduser()
        return ReadOnlySqliteStore(path) if is_read_only else SqliteStore(path)
    raise StoreError(
        f"Cannot open the store {url!r}: the address must be `sqlite:///PATH` or `memory:`."
    )
