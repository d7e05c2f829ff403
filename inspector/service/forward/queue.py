"""Disk queue of requests to forward: it survives restarts of the service and of its targets."""

from __future__ import annotations

import secrets
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import apsw

from inspector.errors import StoreError
from inspector.paths import make_database

_SCHEMA = """
CREATE TABLE IF NOT EXISTS item (
    id INTEGER PRIMARY KEY AUTOINCREMENT, signal TEXT NOT NULL, hops TEXT NOT NULL,
    body BLOB NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS target (url TEXT PRIMARY KEY, done_id INTEGER NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS own (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
"""


@dataclass(frozen=True, slots=True)
class QueuedRequest:
    """One protobuf export request, and the services that it has come through."""

    id: int
    signal: str
    hops: str
    body: bytes


class ForwardQueue:
    """A bounded queue with one position for each target. Not thread-safe.

    Args:
        path: Path of the file; None: in memory.
        targets: Each gets every request once. A new one begins with what comes next.
        max_bytes: Limit of the bodies; above it the oldest are dropped.

    Raises:
        StoreError: The file cannot be used.
    """

    def __init__(self, path: Path | None, targets: Iterable[str], *, max_bytes: int) -> None:
        self._max_bytes = max_bytes
        try:
            if path:
                make_database(path)
            self._db = apsw.Connection(str(path) if path else ":memory:")
            self._db.set_busy_timeout(5_000)
            self._db.pragma("journal_mode", "wal")
            # A crash of the service loses nothing; loss of power at most the last moment.
            self._db.pragma("synchronous", "normal")
            self._open(list(targets))
        except (apsw.Error, OSError) as error:
            raise StoreError(f"Cannot open the forwarding queue {path}: {error}.") from error

    def _open(self, targets: list[str]) -> None:
        with self._db:
            self._db.execute(_SCHEMA)
            self._db.execute(
                "INSERT OR IGNORE INTO own VALUES ('service_id', ?)", (secrets.token_hex(8),)
            )
            marks = ",".join("?" * len(targets))
            self._db.execute(f"DELETE FROM target WHERE url NOT IN ({marks})", targets)
            self._db.executemany(
                "INSERT OR IGNORE INTO target "
                "SELECT ?, coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'item'), 0)",
                [(url,) for url in targets],
            )
        self._size_bytes = int(
            self._db.execute("SELECT coalesce(sum(length(body)), 0) FROM item").get
        )
        self._forget()

    @property
    def service_id(self) -> str:
        """This service's id in the hop header."""
        return str(self._db.execute("SELECT value FROM own WHERE name = 'service_id'").get)

    def push(self, signal: str, hops: str, body: bytes) -> int:
        """Append a request; return how many of the oldest were dropped to make room."""
        dropped = 0
        with self._db:
            self._db.execute(
                "INSERT INTO item (signal, hops, body) VALUES (?, ?, ?)", (signal, hops, body)
            )
            self._size_bytes += len(body)
            while self._size_bytes > self._max_bytes and self._drop_oldest():
                dropped += 1
        return dropped

    def peek(self, target: str) -> QueuedRequest | None:
        """Return the oldest request not yet sent to `target`; None if there is none."""
        row = self._db.execute(
            "SELECT id, signal, hops, body FROM item "
            "WHERE id > (SELECT done_id FROM target WHERE url = ?) ORDER BY id LIMIT 1",
            (target,),
        ).fetchone()
        return QueuedRequest(*row) if row else None

    def done(self, target: str, request_id: int) -> None:
        """Record that `target` needs nothing up to `request_id` again."""
        with self._db:
            self._db.execute("UPDATE target SET done_id = ? WHERE url = ?", (request_id, target))
            self._forget()

    def close(self) -> None:
        """Close the file."""
        self._db.close()

    def _forget(self) -> None:
        """Delete requests that every target has had."""
        rows = self._db.execute(
            "DELETE FROM item WHERE id <= (SELECT min(done_id) FROM target) RETURNING length(body)"
        )
        self._size_bytes -= sum(size for (size,) in rows)

    def _drop_oldest(self) -> bool:
        size = self._db.execute(
            "DELETE FROM item WHERE id = (SELECT min(id) FROM item) RETURNING length(body)"
        ).get
        self._size_bytes -= size or 0
        return size is not None
