"""A read-only view of a SQLite store: no lock, no migration, no writes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TypeAlias

import apsw
import orjson

from inspector.service.model.records import SessionRecord
from inspector.service.model.rows import SessionRow
from inspector.service.storage.base import Reader, SingleStore
from inspector.service.storage.sqlite_errors import UNAVAILABLE, errno_of, unavailable
from inspector.service.storage.sqlite_open import SESSION_NUMBERS, open_read_only
from inspector.service.storage.sqlite_reader import SqliteReader, former_stores

Passed: TypeAlias = Callable[[SessionRecord], SessionRow | None]
"""Returns the state of a session after the time alone; None: unchanged."""


class ReadOnlySqliteStore(SingleStore):
    """A `Store` without commits. A service may have the file open, or open it meanwhile.

    Args:
        path: The file.
        passed: Returns the state of a session after the time alone; None: it is shown as stored.

    Raises:
        StoreNewerError: A newer version wrote it.
        StoreError: It cannot be read, or is not a store of ours.
    """

    def __init__(self, path: Path, passed: Passed | None = None) -> None:
        self._path = path
        self._passed = passed
        connection = open_read_only(path)
        self.id: str = next(connection.execute("SELECT store_id FROM meta"))[0]
        self.former: Mapping[str, int] = former_stores(connection)
        connection.close()

    @contextmanager
    def read(self) -> Iterator[Reader]:
        """Open a snapshot on a connection of its own."""
        connection = open_read_only(self._path)
        try:
            connection.execute("BEGIN")
            reader = SqliteReader(connection)
            if self._passed is not None:
                _let_time_pass(connection, reader, self._passed)
            yield reader
        except UNAVAILABLE as error:
            raise unavailable("read", self._path, error, errno_of(connection)) from error
        finally:
            connection.close()

    def close(self) -> None:
        """Do nothing: each snapshot closes its connection."""


def _let_time_pass(connection: apsw.Connection, reader: SqliteReader, passed: Passed) -> None:
    """Update sessions to the present time, in this connection only."""
    now = [(record, row) for record in reader.unsettled() if (row := passed(record)) is not None]
    is_stand_in = "SELECT 1 FROM temp.sqlite_schema WHERE name = 'session'"  # of an old store
    if not now or connection.execute(is_stand_in).fetchall():
        return
    connection.execute("CREATE TEMP TABLE passed AS SELECT * FROM session WHERE settled = 0")
    numbers = ", ".join(f"{name} = ?" for name in SESSION_NUMBERS)
    connection.executemany(
        f"UPDATE passed SET status = ?, settled = change, body = ?, {numbers} WHERE id = ?",
        [
            (
                row.status.value,
                orjson.dumps(row),
                *(getattr(row, name) for name in SESSION_NUMBERS),
                row.id,
            )
            for _, row in now
        ],
    )
    connection.execute(
        "CREATE TEMP VIEW session AS SELECT * FROM main.session WHERE settled != 0"
        " UNION ALL SELECT * FROM passed"
    )
