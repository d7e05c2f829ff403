"""A SQLite store that is only looked at: no lock, no migration, nothing written."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from inspector.errors import StoreUnavailableError
from inspector.storage.base import Changes, Reader
from inspector.storage.sqlite_errors import UNAVAILABLE, errno_of, unavailable
from inspector.storage.sqlite_open import open_read_only
from inspector.storage.sqlite_reader import SqliteReader


class ReadOnlySqliteStore:
    """Follows `Store`, but for commits. A service may have the file open, or open it meanwhile.

    Args:
        path: The file.

    Raises:
        StoreNewerError: A newer version wrote it.
        StoreError: It cannot be read, or is not a store of ours.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        connection = open_read_only(path)
        self.id: str = next(connection.execute("SELECT store_id FROM meta"))[0]
        connection.close()

    @contextmanager
    def read(self) -> Iterator[Reader]:
        """Open a snapshot on a connection of its own."""
        connection = open_read_only(self._path)
        try:
            connection.execute("BEGIN")
            yield SqliteReader(connection)
        except UNAVAILABLE as error:
            raise unavailable("read", self._path, error, errno_of(connection)) from error
        finally:
            connection.close()

    def commit(self, changes: Changes) -> None:
        """Refuse `changes`."""
        raise StoreUnavailableError(
            f"Cannot write to the store {self._path}: it is open for reading only."
        )

    def sweep(self) -> bool:
        """Leave what there is."""
        return False

    def forget_departures(self, through: int, before_ns: int, most: int) -> bool:
        """Leave what there is."""
        return False

    def probe(self, room_bytes: int = 0) -> None:
        """Say that nothing can be written."""
        self.commit(Changes())

    def close(self) -> None:
        """Do nothing: each snapshot closes its connection."""
