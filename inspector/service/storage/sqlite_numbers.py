"""The small integers that stand for ids inside one SQLite store."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

import apsw

from inspector.service.model.records import MAX_CACHED_ORIGIN_BYTES
from inspector.service.storage.sqlite_reader import in_chunks

_REMEMBERED = 100_000
_REMEMBERED_BLOBS = 4_000


class Numbers:
    """The integer of each id of a table: its present one, or the next free one.

    Args:
        connection: The writer's.
        table: With the columns `no` and `id`.
        doomed: A table with more numbers (`no`) that are not free.
    """

    def __init__(self, connection: apsw.Connection, table: str, doomed: str = "") -> None:
        self._connection = connection
        self._select = f"SELECT id, no FROM {table} WHERE id IN ({{}})"
        highest = [f"coalesce((SELECT max(no) FROM {name}), 0)" for name in (table, doomed) if name]
        self._highest = f"SELECT max(0, {', '.join(highest)})"
        self.forget()

    def forget(self) -> None:
        """Clear the cache: a commit failed, or rows were deleted."""
        self._known: dict[str | bytes, int] = {}
        self._next: int | None = None

    def assign(self, ids: Iterable[str | bytes]) -> None:
        """Assign the next numbers to ids that the table does not have."""
        new = list(ids)
        self._make_room(len(new))
        for id_ in new:
            self._known[id_] = self._take_next()

    def load(self, ids: Iterable[str | bytes]) -> None:
        """Look up or assign the numbers of many ids at once."""
        missing = {id_: None for id_ in ids if id_ not in self._known}
        if not missing:
            return
        self._make_room(len(missing))
        self._known.update(in_chunks(self._connection, self._select, missing))
        for id_ in missing:
            if id_ not in self._known:
                self._known[id_] = self._take_next()

    def of(self, id_: str | bytes) -> int:
        """Return the number of one id."""
        if (known := self._known.get(id_)) is not None:
            return known
        self.load((id_,))
        return self._known[id_]

    def _make_room(self, count: int) -> None:
        if len(self._known) + count > _REMEMBERED:
            self._known.clear()

    def _take_next(self) -> int:
        if self._next is None:
            rows: list[tuple[int]] = list(self._connection.execute(self._highest))
            self._next = rows[0][0] + 1
        number, self._next = self._next, self._next + 1
        return number


class Blobs:
    """The integer of bytes that many rows have, and that are stored once.

    Args:
        connection: The writer's.
        table: With the columns `no`, `digest` and `bytes`.
    """

    def __init__(self, connection: apsw.Connection, table: str) -> None:
        self._connection = connection
        self._insert = f"INSERT INTO {table} (digest, bytes) VALUES (?, ?) ON CONFLICT DO NOTHING"
        self._select = f"SELECT no FROM {table} WHERE digest = ?"
        self._known: dict[bytes, int] = {}

    def forget(self) -> None:
        """Clear the cache."""
        self._known.clear()

    def of(self, blob: bytes) -> int:
        """Return the number of these bytes, which are stored if they are new."""
        is_long = len(blob) > MAX_CACHED_ORIGIN_BYTES
        key = hashlib.blake2b(blob, digest_size=16).digest() if is_long else blob
        if (known := self._known.get(key)) is not None:
            return known
        digest = key if is_long else hashlib.blake2b(blob, digest_size=16).digest()
        self._connection.execute(self._insert, (digest, blob))
        number: int = next(self._connection.execute(self._select, (digest,)))[0]
        if len(self._known) >= _REMEMBERED_BLOBS:
            self._known.clear()
        self._known[key] = number
        return number
