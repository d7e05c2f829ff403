"""The SQLite store: one writer connection and a pool of readers, in a file or in memory.

In a file neither ever blocks the other. WAL with `synchronous=FULL`: a commit is on the disk when
`commit` returns. Checkpoints are rare, because each one writes the pages of the indexes back in
place.
"""

from __future__ import annotations

import contextlib
import itertools
import shutil
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache, partial
from operator import attrgetter
from pathlib import Path
from typing import Any, TypeAlias

import apsw
import orjson

from inspector.errors import StoreError, StoreTrouble, StoreUnavailableError
from inspector.service.model.records import (
    Changes,
    SessionRecord,
    SpanRecord,
    Tombstone,
    trace_process,
)
from inspector.service.model.rows import SpanKind
from inspector.service.storage.base import SingleStore
from inspector.service.storage.sqlite_control import (
    apply_control,
    delete_control,
    removes_arguments,
)
from inspector.service.storage.sqlite_errors import (
    UNAVAILABLE,
    discard,
    errno_of,
    is_passing,
    unavailable,
)
from inspector.service.storage.sqlite_numbers import Blobs, Numbers
from inspector.service.storage.sqlite_open import (
    BUSY_MS,
    LEAP,
    SESSION_NUMBERS,
    Lock,
    file_of,
    lock_path,
    lock_store,
    memory_name,
    open_memory,
    open_reader,
    open_writer,
)
from inspector.service.storage.sqlite_reader import SqliteReader, former_stores
from inspector.service.storage.sqlite_shared import split
from inspector.service.storage.sqlite_span_rows import INTO_SPAN, SPAN_WIDTH, extend_row
from inspector.service.storage.sqlite_sweep import doom, evict, sweep

# A burst of requests opens more: they are closed when it is over.
_MAX_IDLE_READERS = 8
_Row: TypeAlias = "tuple[apsw.SQLiteValue, ...]"  # a name for type checkers only
# One step inserts so many rows: SQLite lets other threads run during each, and to go on after it
# means to wait for them.
_ROWS_A_STEP = (64, 8, 1)
_ERASE_BUSY_MS = 50
_OFFERED_TOOLS = frozenset({SpanKind.LLM, SpanKind.AGENT})
"""Kinds of spans with the tools that a model is offered."""
_numbers_of = attrgetter(*SESSION_NUMBERS)
_SESSION = f"""INTO session (no, id, change, created, settled, changed_ns, status, title, epoch_ns,
                    started_ns, body, state, {", ".join(SESSION_NUMBERS)})"""
_SESSION_KNOWN = f"""ON CONFLICT (no) DO UPDATE SET
    change = excluded.change, settled = excluded.settled, changed_ns = excluded.changed_ns,
    status = excluded.status, title = excluded.title, started_ns = excluded.started_ns,
    body = excluded.body, state = excluded.state,
    {", ".join(f"{name} = excluded.{name}" for name in SESSION_NUMBERS)}"""
_TRACE_KNOWN = """ON CONFLICT (no) DO UPDATE SET
    session_no = excluded.session_no, state = excluded.state"""
# A span that is known loses its row and gets a new one: its key is its newest change.
_SPAN_DELETE = "DELETE FROM span WHERE trace_no = ? AND span_id = ? RETURNING content"


class SqliteStore(SingleStore):
    """The `Store` in SQLite.

    Args:
        path: The file; made when it does not exist, its folder too. None: in memory.

    Raises:
        StoreInUseError: Another service has it open.
        StoreNewerError: A newer version wrote it.
        StoreError: It cannot be opened, or is something else.
    """

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._lock: Lock | None = None
        if path is None:
            self._open_writer = self._open_reader = partial(open_memory, memory_name())
        else:
            self._lock = lock_store(path)
            self._open_writer = partial(open_writer, path)
            self._open_reader = partial(open_reader, path)
        try:
            self._connect()
        except BaseException:
            self._release()
            raise
        self.id: str = self._read_id()
        self.former: Mapping[str, int] = former_stores(self._writer)
        self._readers: list[apsw.Connection] = []
        self._readers_lock = threading.Lock()
        self._is_sound = True
        self._has_to_erase = True  # a service that was killed may have left some
        self._trouble: StoreTrouble = "unavailable"
        self._is_closed = False

    def _connect(self) -> None:
        self._writer = self._open_writer()
        self._file = self._path and file_of(self._path)
        self._sessions = Numbers(self._writer, "session", "doomed_session")
        self._traces = Numbers(self._writer, "trace", "doomed_trace")
        self._processes = Numbers(self._writer, "process")
        self._origins = Blobs(self._writer, "origin")
        self._shared = Blobs(self._writer, "shared")

    def _read_id(self) -> str:
        return str(next(self._writer.execute("SELECT store_id FROM meta"))[0])

    # --- reading ----------------------------------------------------------------------------

    @contextmanager
    def read(self) -> Iterator[SqliteReader]:
        """Open a snapshot on a connection of its own."""
        connection: apsw.Connection | None = None
        is_sound = True
        try:
            connection = self._take_reader()
            connection.execute("BEGIN")
            yield SqliteReader(connection)
        except UNAVAILABLE as error:
            is_sound = False
            raise unavailable("read", self._path, error, errno_of(connection)) from error
        finally:
            if connection is not None:
                self._give_back(connection, is_sound=is_sound)

    def _take_reader(self) -> apsw.Connection:
        with self._readers_lock:
            connection = self._readers.pop() if self._readers else None
        if connection is not None:
            return connection
        if self._path is not None and file_of(self._path) is None:
            raise _gone(self._path)  # says more than SQLite, which only cannot open it
        return self._open_reader()

    def _give_back(self, connection: apsw.Connection, *, is_sound: bool) -> None:
        try:
            connection.execute("COMMIT")
        except apsw.Error:
            is_sound = False
        with self._readers_lock:
            # One that was opened on a file that is no longer the store's is not used again.
            is_reusable = is_sound and self._is_sound and not self._is_closed
            is_reusable = is_reusable and len(self._readers) < _MAX_IDLE_READERS
            if is_reusable:
                self._readers.append(connection)
        if not is_reusable:
            discard(connection)

    # --- writing ----------------------------------------------------------------------------

    def commit(self, changes: Changes) -> None:
        with self._transaction():
            self._apply(changes)
        if changes.departures or removes_arguments(changes):
            self._has_to_erase = True

    def erase(self) -> bool:
        if not self._has_to_erase or self._path is None:
            return True
        # Not for long: senders wait meanwhile, and readers are soon done.
        self._writer.set_busy_timeout(_ERASE_BUSY_MS)
        try:
            self._writer.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
        except apsw.BusyError:
            return False
        except UNAVAILABLE as error:
            raise unavailable("write to", self._path, error, errno_of(self._writer)) from error
        finally:
            self._writer.set_busy_timeout(BUSY_MS)
        self._has_to_erase = False
        return True

    def sweep(self) -> bool:
        with self._transaction():
            is_any = sweep(self._writer)
        if is_any:
            for numbers in (self._origins, self._shared, self._processes):
                numbers.forget()
        return is_any

    def evict(self, changes: Mapping[str, int], spans: Mapping[str, int] | None = None) -> None:
        with self._transaction():
            for session_id, change in changes.items():
                number = self._sessions.of(session_id)
                evict(self._writer, number, change)
                if spans is not None:  # it has never had them
                    sql = "UPDATE session SET evicted_spans = ? WHERE no = ?"
                    self._writer.execute(sql, (spans[session_id], number))

    def succeed(self, stores: Mapping[str, int]) -> None:
        """Take the place of other stores: what had left them by then is read under their ids.

        Args:
            stores: Id of each → the newest change of it that is known here.
        """
        with self._transaction():
            self._writer.executemany("INSERT INTO former_store VALUES (?, ?)", stores.items())
            head = max(stores.values(), default=0)
            self._writer.execute("UPDATE meta SET head = max(head, ?) + ?", (head, LEAP))

    def forget_departures(self, through: int, before_ns: int, most: int) -> bool:
        with self.read() as reader:
            idle = reader.idle_departures(through, before_ns, most)
        if idle:
            with self._transaction():
                self._writer.executemany(
                    "DELETE FROM departure WHERE change = ?", [(change,) for change in idle]
                )
        return len(idle) == most

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        """Run a transaction: durable at its end, or undone.

        Raises:
            StoreUnavailableError: It was undone, because of the disk.
        """
        self._check_file()
        try:
            self._writer.execute("BEGIN IMMEDIATE")
            yield
            self._writer.execute("COMMIT")
        except UNAVAILABLE as error:
            system_errno = errno_of(self._writer)
            self._undo()
            failure = unavailable("write to", self._path, error, system_errno)
            self._trouble = failure.trouble
            self._is_sound = self._is_sound and (failure.trouble == "full" or is_passing(error))
            raise failure from error
        except BaseException:
            self._undo()
            raise

    def _undo(self) -> None:
        # A full disk or an I/O error ends the transaction by itself.
        with contextlib.suppress(apsw.Error):
            if self._writer.in_transaction:
                self._writer.execute("ROLLBACK")
        for numbers in (self._sessions, self._traces, self._processes):
            numbers.forget()
        for blobs in (self._origins, self._shared):
            blobs.forget()

    def _check_file(self) -> None:
        """Refuse to write to a file that was deleted or replaced.

        Raises:
            StoreUnavailableError: It was deleted or moved, or another is in its place.
        """
        if self._path is None:
            return
        found = file_of(self._path)
        if found is None:
            raise _gone(self._path)
        if found != self._file:
            self._is_sound = False
            raise StoreUnavailableError(
                f"Cannot write to the store {self._path}: the file was replaced."
            )

    def probe(self, room_bytes: int = 0) -> None:
        if self._path is not None:
            self._find_room(self._path, room_bytes)
        with self._transaction():
            # SQLite skips a write that changes nothing, and would never touch the disk.
            self._writer.execute("UPDATE meta SET head = head + 1; UPDATE meta SET head = head - 1")

    def _find_room(self, path: Path, room_bytes: int) -> None:
        if not self._is_sound or file_of(path) not in (None, self._file):
            self._reopen(path)
        try:
            free_bytes = shutil.disk_usage(path.parent).free
        except OSError as error:
            raise StoreUnavailableError(
                f"Cannot write to the store {path}: {error.strerror}. Check the disk."
            ) from error
        if free_bytes < room_bytes:
            raise StoreUnavailableError(
                f"Cannot write to the store {path}: the disk is full ({free_bytes} bytes free). "
                "Free some space; senders retry.",
                trouble="full",
            )

    def _reopen(self, path: Path) -> None:
        """Drop connections to a lost file, and open the present one: the same store."""
        if file_of(path) is None:
            raise _gone(path)
        with self._readers_lock:
            self._is_sound = False
            idle, self._readers = self._readers, []
        for connection in (*idle, self._writer):
            discard(connection)
        try:
            self._lock = self._lock and self._lock.renewed()
            self._connect()
        except StoreError as error:
            raise StoreUnavailableError(str(error), trouble=self._trouble) from error
        if (found := self._read_id()) != self.id:
            discard(self._writer)
            raise StoreUnavailableError(
                f"Cannot write to the store {path}: the file was replaced by another store "
                f"({found}). Restore the original ({self.id}), or restart the service."
            )
        self._is_sound = True

    def close(self) -> None:
        """Close every connection that is not in use; a running snapshot closes its own."""
        with self._readers_lock:
            if self._is_closed:
                return
            self._is_closed = True
            idle, self._readers = self._readers, []
        for connection in (*idle, self._writer):
            discard(connection)
        self._release()

    def seal(self) -> None:
        """Close the store for good, and leave one file that may be moved or removed while read."""
        with self._readers_lock:
            idle, self._readers = self._readers, []
        for connection in idle:
            discard(connection)
        self._writer.pragma("journal_mode", "delete")
        self.close()
        if self._path is not None:
            lock_path(self._path).unlink(missing_ok=True)

    def _release(self) -> None:
        if self._lock is not None:
            self._lock.release()

    def _apply(self, changes: Changes) -> None:
        writer = self._writer
        # To look for what is new costs a random page each in a large store.
        sessions, traces, first = changes.sessions, changes.traces, changes.first
        self._sessions.load(one.row.id for one in sessions if one.created < first)
        self._sessions.assign(one.row.id for one in sessions if one.created >= first)
        self._traces.load(bytes.fromhex(one.trace_id) for one in traces if not one.is_new)
        self._traces.assign(bytes.fromhex(one.trace_id) for one in traces if one.is_new)
        self._insert(_SESSION, self._session_rows(changes.sessions), _SESSION_KNOWN)
        self._insert(
            "INTO trace (no, id, session_no, state)",
            [
                (
                    self._traces.of(bytes.fromhex(trace.trace_id)),
                    bytes.fromhex(trace.trace_id),
                    None if trace.session_id is None else self._sessions.of(trace.session_id),
                    trace.state,
                )
                for trace in changes.traces
            ],
            _TRACE_KNOWN,
        )
        self._insert(
            "OR IGNORE INTO usage_ancestor",
            [
                (self._traces.of(bytes.fromhex(trace_id)), bytes.fromhex(span_id))
                for trace_id, span_id in changes.usage_ancestors
            ],
        )
        self._replace_spans(changes)
        self._add_moments(changes)
        apply_control(writer, changes)
        for departure in changes.departures:
            self._depart(departure)
        writer.execute("UPDATE meta SET head = ?", (changes.head,))

    def _session_rows(self, records: Iterable[SessionRecord]) -> list[_Row]:
        return [
            (
                self._sessions.of(record.row.id),
                record.row.id,
                record.change,
                record.created,
                record.settled,
                record.changed_ns,
                record.row.status.value,
                record.row.title,
                record.row.epoch_ns,
                record.row.started_ns,
                orjson.dumps(record.row),
                record.state,
                *_numbers_of(record.row),
            )
            for record in records
        ]

    def _replace_spans(self, changes: Changes) -> None:
        self._delete_versions(changes)
        spans, contents = changes.spans, changes.contents
        traces = self._trace_names(spans)
        named = {s.process_id for s in spans if s.process_id != traces[s.trace_id][1]}
        self._processes.load(named)
        self._writer.executemany(
            "INSERT OR IGNORE INTO process VALUES (?, ?)",
            [(self._processes.of(process_id), process_id) for process_id in named],
        )
        origins, processes = set[tuple[int, int]](), set[tuple[int, int]]()
        of_spans, of_contents = list[Any](), list[Any]()
        for span in spans:
            (trace_no, stand_in), process_id = traces[span.trace_id], span.process_id
            process_no = -trace_no
            if process_id != stand_in:
                process_no = self._processes.of(process_id)
                processes.add((trace_no, process_no))
            extend_row(of_spans, span, trace_no, self._sessions.of(span.session_id), process_no)
            if (content := contents.get(span.content)) is not None:
                origin_no = self._origins.of(content.origin)
                origins.add((trace_no, origin_no))
                payload, pieces = content.payload, None
                if span.kind in _OFFERED_TOOLS:
                    payload, pieces = self._without_shared(payload, trace_no)
                of_contents += (span.content, origin_no, payload, pieces)
        self._insert_values(INTO_SPAN, SPAN_WIDTH, of_spans)
        self._insert_values("INTO content (no, origin_no, payload, pieces)", 4, of_contents)
        self._insert("OR IGNORE INTO trace_origin", list(origins))
        self._insert("OR IGNORE INTO trace_process", list(processes))

    def _without_shared(self, payload: bytes, trace_no: int | None) -> tuple[bytes, bytes | None]:
        """Return a payload without what it shares with others, and where that belongs."""
        if trace_no is None or (found := split(payload)) is None:
            return payload, None
        places = [(at, self._shared.of(value)) for at, value in found.shared]
        self._insert("OR IGNORE INTO trace_shared", [(trace_no, number) for _, number in places])
        return found.payload, orjson.dumps(places)

    def _delete_versions(self, changes: Changes) -> None:
        """Delete the rows of the spans that are known already, and content that is replaced."""
        writer, first = self._writer, changes.first
        for span in changes.spans:
            if span.created >= first:
                continue
            key = (self._traces.of(bytes.fromhex(span.trace_id)), bytes.fromhex(span.span_id))
            for (content,) in writer.execute(_SPAN_DELETE, key).fetchall():
                if content != span.content:
                    writer.execute("DELETE FROM content WHERE no = ?", (content,))

    def _trace_names(self, spans: Iterable[SpanRecord]) -> dict[str, tuple[int, str]]:
        """Return for each trace of `spans` its number, and the process it would stand in for."""
        ids = {span.trace_id for span in spans}
        return {id_: (self._traces.of(bytes.fromhex(id_)), trace_process(id_)) for id_ in ids}

    def _insert(self, into: str, rows: Sequence[_Row], on_conflict: str = "") -> None:
        if rows:
            values = list(itertools.chain.from_iterable(rows))
            self._insert_values(into, len(rows[0]), values, on_conflict)

    def _insert_values(
        self, into: str, width: int, values: list[apsw.SQLiteValue], on_conflict: str = ""
    ) -> None:
        """Insert the values of many rows, in few steps."""
        done = 0
        for count in _ROWS_A_STEP:
            while len(values) - done >= count * width:
                step = values[done : done + count * width]
                self._writer.execute(_insertion(into, width, count, on_conflict), step)
                done += count * width

    def _add_moments(self, changes: Changes) -> None:
        rows: list[_Row] = []
        for moment in changes.moments:
            trace_id, session_id = moment.trace_id, moment.session_id
            trace_no = None if trace_id is None else self._traces.of(bytes.fromhex(trace_id))
            payload, pieces = self._without_shared(moment.content.payload, trace_no)
            rows.append(
                (
                    moment.change,
                    trace_no,
                    None if moment.span_id is None else bytes.fromhex(moment.span_id),
                    None
                    if trace_id is not None or session_id is None
                    else self._sessions.of(session_id),
                    moment.time_ns,
                    moment.name,
                    moment.digest,
                    self._origins.of(moment.content.origin),
                    payload,
                    moment.changed_ns,
                    pieces,
                )
            )
        self._insert("INTO moment", rows)

    def _depart(self, departure: Tombstone) -> None:
        if departure.is_whole:
            session_no = self._sessions.of(departure.session_id)
            if departure.moved_to is None:
                doom(self._writer, session_no)
                delete_control(self._writer, departure.session_id)
                self._traces.forget()
            self._writer.execute("DELETE FROM session WHERE no = ?", (session_no,))
            self._sessions.forget()
        self._writer.execute(
            "INSERT INTO departure VALUES (?, ?, ?, ?, ?, ?)",
            (
                departure.change,
                departure.session_id,
                departure.moved_to,
                departure.is_whole,
                departure.changed_ns,
                None if departure.trace_id is None else bytes.fromhex(departure.trace_id),
            ),
        )


@cache  # of a few lengths only, so that they stay prepared
def _insertion(into: str, width: int, count: int, on_conflict: str) -> str:
    row = f"({', '.join('?' * width)})"
    return f"INSERT {into} VALUES {', '.join([row] * count)} {on_conflict}"


def _gone(path: Path) -> StoreUnavailableError:
    return StoreUnavailableError(
        f"Cannot write to the store {path}: the file was deleted or moved. Restore it, or restart "
        "the service to create a new one."
    )
