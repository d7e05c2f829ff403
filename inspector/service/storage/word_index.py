"""The index of words: the spans and sessions with each word, beside the store and made from it.

A file of its own (SQLite FTS5, contentless): filling it never blocks the store's writer, and
when it is lost, old or broken it is built again. Documents are numbered by what orders them: spans
by their newest change, so that a search goes through them newest first and stops when it is full.

They are stored in parts, by that number: see `word_reader.PART_BITS`.

The content of documents is decided elsewhere; their words are `inspector.query.words.fold`ed.
"""

from __future__ import annotations

import contextlib
import json
import logging
import threading
import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

import apsw

from inspector.errors import StoreUnavailableError
from inspector.paths import make_database
from inspector.service.storage.word_reader import BROKEN, PART_BITS, WordReader

_SCHEMA = """
CREATE TABLE meta (store_id TEXT NOT NULL, version TEXT NOT NULL, through INTEGER NOT NULL);
CREATE TABLE session (no INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, document TEXT);
CREATE TABLE span (
    change INTEGER PRIMARY KEY,
    created INTEGER NOT NULL,      -- what stays the same when it changes
    session_no INTEGER NOT NULL
);
CREATE UNIQUE INDEX span_by_created ON span (created);
CREATE INDEX span_by_session ON span (session_no);
CREATE TABLE part (no INTEGER PRIMARY KEY);  -- each has its own span_words_N
CREATE VIRTUAL TABLE session_words
    USING fts5(words, content='', contentless_delete=1, tokenize='ascii');
"""
_PART_SCHEMA = """
CREATE VIRTUAL TABLE span_words_{no}
    USING fts5(words, content='', contentless_delete=1, tokenize='ascii');
INSERT INTO span_words_{no} (span_words_{no}, rank) VALUES ('pgsz', 8000);
INSERT INTO span_words_{no} (span_words_{no}, rank) VALUES ('hashsize', 16777216);
INSERT INTO span_words_{no} (span_words_{no}, rank) VALUES ('automerge', 8);
INSERT INTO part VALUES ({no});
"""
_FORMAT = 1
_BUSY_MS = 5_000
_CACHE_KIB = 8 * 1024
_MAX_IDLE_READERS = 4

_log = logging.getLogger("inspector.storage")


class SpanDocument(NamedTuple):
    """A span as the index stores it."""

    change: int
    created: int
    session_id: str
    words: str


@dataclass(slots=True)
class Additions:
    """The index entries of one stretch of the change feed."""

    through: int
    """The newest change of the stretch."""
    spans: list[SpanDocument] = field(default_factory=list)
    sessions: list[tuple[str, str]] = field(default_factory=list)
    """(id, words)"""
    gone_sessions: list[str] = field(default_factory=list)
    """Gone sessions, with all their spans; merged content comes again with its new session."""


class WordIndex:
    """The index of words, filled by one thread and queried by any.

    Args:
        path: Its file; None: in memory.
        store_id: The indexed store.
        version: Version of the documents. An index of another version or store is dropped.

    Raises:
        StoreUnavailableError: It cannot be opened or made.
    """

    def __init__(self, path: Path | None, store_id: str, version: int) -> None:
        self._path = path
        self._store_id = store_id
        self._version = f"{_FORMAT}.{version}"
        self._lock = threading.Lock()
        self._readers: list[apsw.Connection] = []
        self._era = 0
        self._is_closed = False
        self._broken: apsw.Error | None = None
        self._writer = apsw.Connection("")  # until there is one to a file
        self._open()

    def through(self) -> int:
        """Return the newest change up to which everything is indexed; 0 for an empty index.

        Raises:
            StoreUnavailableError: It cannot be read.
        """
        if self._broken is not None:
            self._mend(self._broken)
        with self.read() as reader:
            return reader.through

    @contextmanager
    def read(self) -> Iterator[WordReader]:
        """Open a snapshot. Open it before that of the store: see `WordReader.through`.

        Raises:
            StoreUnavailableError: It cannot be read.
        """
        with self._lock:
            era, name = self._era, self._name
            connection = self._readers.pop() if self._readers else None
        with self._explained("read"):
            if connection is None:
                connection = _connect(name)
                connection.pragma("query_only", 1)
            connection.execute("BEGIN")
            reader = WordReader(connection)
        try:
            yield reader
        finally:
            self._broken = self._broken or reader.broken
            with contextlib.suppress(apsw.Error):
                connection.execute("COMMIT")
            with self._lock:
                is_reusable = era == self._era and not (self._is_closed or reader.broken)
                if is_reusable := is_reusable and len(self._readers) < _MAX_IDLE_READERS:
                    self._readers.append(connection)
            if not is_reusable:
                connection.close()

    def add(self, stretches: Iterable[Additions]) -> None:
        """Index the next stretches of changes, all or none.

        FTS5 merges what it has with what a transaction adds: the more at once, the less in all.

        Raises:
            StoreUnavailableError: It cannot be written.
        """
        writer = _Writer(self._writer)
        with self._explained("write"), self._writer:
            for additions in stretches:
                writer.add(additions)

    def reset(self) -> None:
        """Drop the whole index, to build it anew.

        Raises:
            StoreUnavailableError: It cannot be written.
        """
        self._disconnect()
        with self._explained("write"):
            self._delete_files()
            self._try_open()
        self._broken = None

    def close(self) -> None:
        """Close every connection that is not in use. Idempotent."""
        with self._lock:
            self._is_closed = True
        self._disconnect()

    # --- the file ---------------------------------------------------------------------------

    def _open(self) -> None:
        with self._explained("open"):
            try:
                is_ours = self._try_open()
            except BROKEN as error:
                self._mend(error)
                return
        if not is_ours:
            self.reset()

    def _mend(self, error: apsw.Error) -> None:
        _log.warning("The word index %s is damaged (%s): it is rebuilt.", self._path, error)
        self.reset()

    @contextmanager
    def _explained(self, what: str) -> Iterator[None]:
        try:
            yield
        except (apsw.Error, OSError) as error:
            if isinstance(error, BROKEN):
                self._broken = error
            raise StoreUnavailableError(
                f"Cannot {what} the word index {self._path or ''}: {error}. Free some space or "
                "check the disk. Searches are slower until then."
            ) from error

    def _try_open(self) -> bool:
        """Open the file, made when there is none; return whether it is the index of our store."""
        if self._path is None:
            self._name = f"file:/words-{uuid.uuid4().hex}?vfs=memdb"
        else:
            make_database(self._path)
            self._name = str(self._path)
        writer = self._writer = _connect(self._name)
        if not next(writer.execute("SELECT count(*) FROM sqlite_schema"))[0]:
            writer.pragma("page_size", 8192)
            writer.pragma("journal_mode", "wal")
            with writer:
                writer.execute(_SCHEMA)
                row = (self._store_id, self._version, 0)
                writer.execute("INSERT INTO meta VALUES (?, ?, ?)", row)
        # Losing the last moments is well, they are indexed again; a broken index is not.
        writer.pragma("synchronous", "normal")
        found = list(writer.execute("SELECT store_id, version FROM meta"))
        return found == [(self._store_id, self._version)]

    def _disconnect(self) -> None:
        with self._lock:
            self._era += 1
            idle, self._readers = self._readers, []
        for connection in idle:
            connection.close()
        with contextlib.suppress(apsw.Error):
            self._writer.close()

    def _delete_files(self) -> None:
        if self._path is not None:
            for suffix in ("", "-wal", "-shm"):
                self._path.with_name(self._path.name + suffix).unlink(missing_ok=True)


class _Writer:
    """The one connection that writes."""

    def __init__(self, connection: apsw.Connection) -> None:
        self.connection = connection

    def add(self, additions: Additions) -> None:
        for session_id in additions.gone_sessions:
            self._forget_session(session_id)
        ids = [span.session_id for span in additions.spans] + [id_ for id_, _ in additions.sessions]
        numbers = self._session_numbers(dict.fromkeys(ids))
        self._put_sessions(sorted((numbers[id_], words) for id_, words in additions.sessions))
        self._put_spans(additions.spans, numbers)
        self.connection.execute("UPDATE meta SET through = ?", (additions.through,))

    def _put_sessions(self, sessions: Sequence[tuple[int, str]]) -> None:
        sql = "SELECT no, document FROM session WHERE no IN (SELECT value FROM json_each(?))"
        places = (json.dumps([number for number, _ in sessions]),)
        found: Any = self.connection.execute(sql, places)
        old: dict[int, str | None] = dict(found)
        new = [(number, words) for number, words in sessions if old[number] != words]
        run = self.connection.executemany
        known = [(number,) for number, _ in new if old[number] is not None]
        run("DELETE FROM session_words WHERE rowid = ?", known)
        run("INSERT INTO session_words (rowid, words) VALUES (?, ?)", new)
        run("UPDATE session SET document = ?2 WHERE no = ?1", new)

    def _put_spans(self, spans: Sequence[SpanDocument], numbers: Mapping[str, int]) -> None:
        created = json.dumps([span.created for span in spans])
        self._delete_spans("created IN (SELECT value FROM json_each(?))", created)
        rows = [(span.change, span.created, numbers[span.session_id]) for span in spans]
        self.connection.executemany("INSERT INTO span VALUES (?, ?, ?)", rows)
        for part, group in groupby(spans, key=lambda span: span.change >> PART_BITS):
            if not self.connection.execute("SELECT 1 FROM part WHERE no = ?", (part,)).fetchall():
                self.connection.execute(_PART_SCHEMA.format(no=part))
            sql = f"INSERT INTO span_words_{part} (rowid, words) VALUES (?, ?)"
            self.connection.executemany(sql, [(span.change, span.words) for span in group])

    def _delete_spans(self, where: str, parameter: str | int) -> None:
        sql = f"DELETE FROM span WHERE {where} RETURNING change"
        rows: list[Any] = self.connection.execute(sql, (parameter,)).fetchall()
        for part, group in groupby(sorted(rows), key=lambda row: row[0] >> PART_BITS):
            self.connection.executemany(f"DELETE FROM span_words_{part} WHERE rowid = ?", group)
            self._drop_if_empty(part)

    def _drop_if_empty(self, part: int) -> None:
        """Drop a part if it is empty: until then, deleted content stays in its pages."""
        first, beyond = part << PART_BITS, (part + 1) << PART_BITS
        sql = "SELECT 1 FROM span WHERE change >= ? AND change < ? LIMIT 1"
        if not self.connection.execute(sql, (first, beyond)).fetchall():
            self.connection.execute(f"DROP TABLE span_words_{part}")
            self.connection.execute("DELETE FROM part WHERE no = ?", (part,))

    def _forget_session(self, session_id: str) -> None:
        execute = self.connection.execute
        sql = "SELECT no FROM session WHERE id = ?"
        for row in execute(sql, (session_id,)).fetchall():
            number: Any = row[0]
            self._delete_spans("session_no = ?", number)
            execute("DELETE FROM session_words WHERE rowid = ?", (number,))
            execute("DELETE FROM session WHERE no = ?", (number,))

    def _session_numbers(self, session_ids: Iterable[str]) -> dict[str, int]:
        ids = (json.dumps([*session_ids]),)
        new = "INSERT OR IGNORE INTO session (id) SELECT value FROM json_each(?)"
        self.connection.execute(new, ids)
        sql = "SELECT id, no FROM session WHERE id IN (SELECT value FROM json_each(?))"
        found: Any = self.connection.execute(sql, ids)
        return dict(found)


def _connect(name: str) -> apsw.Connection:
    flags = apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE | apsw.SQLITE_OPEN_URI
    connection = apsw.Connection(name, flags=flags)
    connection.set_busy_timeout(_BUSY_MS)
    connection.pragma("cache_size", -_CACHE_KIB)
    connection.pragma("temp_store", "memory")
    return connection
