"""The small integers that stand for ids inside one SQLite store."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

import apsw

from inspector.service.model.records import MAX_CACHED_ORIGIN_BYTES
from inspector.service.storage.sqlite_reader import in_chunks

_REMEMBERED = 100_000
_REMEMBERED_ORIGINS = 4_000


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


class Origins:
    """Resources and scopes, each stored once."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection
        self._known: dict[bytes, int] = {}

    def forget(self) -> None:
        """Clear the cache."""
        self._known.clear()

    def of(self, origin: bytes) -> int:
        """Return the number of a resource or scope, which is stored if it is new."""
        if (known := self._known.get(origin)) is not None:
            return known
        digest = hashlib.blake2b(origin, digest_size=16).digest()
        self._connection.execute(
            "INSERT INTO origin (digest, bytes) VALUES (?, ?) ON CONFLICT DO NOTHING",
            (digest, origin),
        )
        rows = self._connection.execute("SELECT no FROM origin WHERE digest = ?", (digest,))
        number: int = next(rows)[0]
        if len(origin) <= MAX_CACHED_ORIGIN_BYTES:
            if len(self._known) >= _REMEMBERED_ORIGINS:
                self._known.clear()
            self._known[origin] = number
        return number
