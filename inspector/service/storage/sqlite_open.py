"""Open a SQLite store: check access rights, lock and version."""

from __future__ import annotations

import ctypes
import uuid
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import TypeAlias

import apsw
from google.protobuf.message import DecodeError
from opentelemetry.proto.resource.v1.resource_pb2 import Resource
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from inspector.errors import StoreError, StoreInUseError, StoreNewerError
from inspector.paths import make_database
from inspector.service.storage.sqlite_errors import RESTORE, is_damage

_APPLICATION_ID = 0x494E5350  # "INSP"
LEAP = 2**32
"""Gap in the change numbers after a restore: commits after the backup used the next ones."""
FILE_HEAD = b"SQLite format 3\0"
"""The first bytes of every SQLite file that is not empty."""
BUSY_MS = 5_000
_MEMORY_BUSY_MS = 60_000  # nobody else is there: the wait is for our own commits and snapshots
MEMORY_BYTES = 1024**3
"""The largest store in memory."""
_WRITER_CACHE_KIB = 64 * 1024
_READER_CACHE_KIB = 4 * 1024  # there are several; the system caches the file for all of them
# Checkpoints copy every changed index page back into the file: at this size a page that was
# changed by hundreds of commits is copied once.
_CHECKPOINT_PAGES = 16_384


FileId: TypeAlias = tuple[int, int]
"""(device, inode): another file in the same place has another one."""

SESSION_NUMBERS = (
    "ended_ns",
    "waiting_ns",
    "waiting_since_ns",
    "idle_ns",
    "idle_since_ns",
    "span_count",
    "error_count",
    "llm_calls",
    "tool_calls",
    "input_tokens",
    "output_tokens",
    "cost_usd",
    "cause_key",
)
"""Fields of a session's row with a column of their own."""
_PAGE_BYTES = 8192
_FLUSH_BYTES = 64 * 1024  # SQLite takes no more than 128 KiB in one write
_READ_WRITE = apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE


@dataclass(slots=True)
class Lock:
    """This service's lock on the store, held as long as the process lives."""

    path: Path
    """Path of the store."""
    file: FileId | None
    """The one that is locked, beside the store."""
    release: Callable[[], None]

    def renewed(self) -> Lock:
        """Return a lock on the present store, which may be on another disk by now.

        Raises:
            StoreInUseError: Another service has it.
            StoreError: The folder cannot be written.
        """
        if self.file is not None and file_of(lock_path(self.path)) == self.file:
            return self
        self.release()
        return lock_store(self.path)


def file_of(path: Path) -> FileId | None:
    """Return the file that a path names now; None when there is none that can be seen."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def check_file(path: Path) -> None:
    """Refuse a file that is no database, before anything is made beside it.

    Raises:
        StoreError: It is something else.
    """
    try:
        with path.open("rb") as file:
            head = file.read(len(FILE_HEAD))
    except OSError:
        return  # there is none yet, or opening it says why not
    if head not in (b"", FILE_HEAD):
        raise _cannot("open", path, apsw.NotADBError("file is not a database"), "")


def lock_store(path: Path) -> Lock:
    """Lock the store for this process.

    The lock is SQLite's own, on a small file beside the store: it works on every system, and
    goes when the process goes, however it ends.

    Raises:
        StoreInUseError: Another service has it.
        StoreError: The folder cannot be written.
    """
    try:
        beside = lock_path(path)
        make_database(beside)
        holder = apsw.Connection(str(beside))
        # Stepped to the end: statements are run lazily, and the first of these has a row.
        holder.execute("PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE").fetchall()
    except apsw.BusyError as error:
        raise StoreInUseError(
            f"Cannot open the store {path}: another Inspector service has it open. Stop that one, "
            "or choose another store with INSPECTOR_STORE=sqlite:///PATH."
        ) from error
    except (OSError, apsw.Error) as error:
        raise StoreError(
            f"Cannot open the store {path}: {_reason(error)}."
            " Choose a writable path with INSPECTOR_STORE=sqlite:///PATH."
        ) from error
    return Lock(path, file_of(beside), holder.close)


def lock_path(path: Path) -> Path:
    """Return the file whose lock is that of a store."""
    return path.with_name(path.name + "-lock")


def open_writer(path: Path) -> apsw.Connection:
    """Open the store for writing; create or migrate it where needed.

    Raises:
        StoreNewerError: A newer version wrote it; it is left as it is.
        StoreError: It cannot be written, or is not a store of ours.
    """
    connection = None
    try:
        # Before SQLite does: its journals get the mode that the file has.
        make_database(path)
        _flush_journal(path)
        connection = _open_connection(str(path), _WRITER_CACHE_KIB)
        _check(connection, path)
        if connection.pragma("user_version") == 0:
            connection.pragma("page_size", _PAGE_BYTES)
        connection.pragma("journal_mode", "wal")
        connection.pragma("synchronous", "full")
        _migrate(connection)
        connection.pragma("wal_autocheckpoint", _CHECKPOINT_PAGES)
    except BaseException as error:
        if connection is not None:
            connection.close()
        if isinstance(error, OSError | apsw.Error):
            raise _cannot("open", path, error, "Make it writable") from error
        raise
    return connection


def _flush_journal(path: Path) -> None:
    """Write the journal of the last writer once more, and flush it to the disk.

    After a flush that failed, the system counts pages as written and never writes them. They look
    committed, so the commits after them would be lost with them when the power fails.
    """
    journal = path.with_name(path.name + "-wal")
    if not journal.exists():
        return
    flags = [apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_MAIN_DB, 0]
    file = apsw.VFSFile("", str(journal), flags)
    try:
        size_bytes = file.xFileSize()
        for offset in range(0, size_bytes, _FLUSH_BYTES):
            file.xWrite(file.xRead(min(_FLUSH_BYTES, size_bytes - offset), offset), offset)
        if size_bytes:
            file.xSync(apsw.SQLITE_SYNC_NORMAL)
    finally:
        file.xClose()


def memory_name() -> str:
    """Return a name that no store in memory has yet."""
    return f"file:/store-{uuid.uuid4().hex}?vfs=memdb"


def open_memory(name: str) -> apsw.Connection:
    """Open a store in the memory of this process; the first connection makes it.

    All connections with one name share it, from any thread, and it goes with the last of them.
    There is no WAL: a commit waits for the snapshots that are open, and they for it.
    """
    # Its pages are in memory already: what is cached is there twice.
    connection = _open_connection(name, _READER_CACHE_KIB, _READ_WRITE | apsw.SQLITE_OPEN_URI)
    connection.set_busy_timeout(_MEMORY_BUSY_MS)
    if connection.pragma("user_version") == 0:
        most_bytes = ctypes.c_int64(MEMORY_BYTES)
        pointer = ctypes.addressof(most_bytes)
        connection.file_control("main", apsw.SQLITE_FCNTL_SIZE_LIMIT, pointer)
        connection.pragma("page_size", _PAGE_BYTES)
        _migrate(connection)
    return connection


def open_reader(path: Path) -> apsw.Connection:
    """Open a connection for snapshots of a store that has a writer."""
    connection = _open_connection(str(path), _READER_CACHE_KIB)
    connection.pragma("query_only", 1)
    return connection


def open_read_only(path: Path) -> apsw.Connection:
    """Open a read-only connection to a store that a service may have open, too.

    Raises:
        StoreNewerError: A newer version wrote it.
        StoreError: It cannot be read, or is not a store of ours.
    """
    try:
        try:
            return _open_checked(path, apsw.SQLITE_OPEN_READONLY, str(path))
        except (apsw.CantOpenError, apsw.ReadOnlyError):
            # In a directory that cannot be written, readers cannot agree with a writer. Where
            # nobody left a journal there is none, and the file is all there is.
            if path.with_name(path.name + "-wal").exists():
                raise
            flags = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
            return _open_checked(path, flags, path.absolute().as_uri() + "?immutable=1")
    except apsw.Error as error:
        raise _cannot("read", path, error, "Make it readable") from error


def _cannot(verb: str, path: Path, error: Exception, what_to_do: str) -> StoreError:
    why = _reason(error)
    if is_damage(error):
        is_other = isinstance(error, apsw.NotADBError)
        why = (
            f"it is damaged, or not an SQLite file ({why})"
            if is_other
            else f"it is damaged ({why})"
        )
        what_to_do = RESTORE.removesuffix(".")
    return StoreError(
        f"Cannot {verb} the store {path}: {why}. {what_to_do},"
        " or choose another with INSPECTOR_STORE=sqlite:///PATH."
    )


def _open_checked(path: Path, flags: int, name: str) -> apsw.Connection:
    connection = _open_connection(name, _READER_CACHE_KIB, flags)
    try:
        _check(connection, path)
        if connection.pragma("user_version") == 0:
            raise StoreError(f"Cannot read the store {path}: it is empty.")
        if connection.pragma("user_version") < len(_scripts()):
            _stand_in(connection)
    except BaseException:
        connection.close()
        raise
    return connection


def _stand_in(connection: apsw.Connection) -> None:
    """Present an older store, which may not be changed, as if it had been migrated."""
    tables = "SELECT name, sql FROM sqlite_schema WHERE type = 'table'"
    with closing(_open_connection(":memory:", _READER_CACHE_KIB)) as newest:
        for script in _scripts():
            newest.execute(script)
        wanted = dict(newest.execute(tables))
    for name in wanted.keys() - dict(connection.execute(tables)).keys():
        connection.execute(wanted[name].replace("CREATE TABLE", "CREATE TEMP TABLE", 1))
    # The migration has the only rule of what a name says; here it is applied as rows are read.
    script = next(one for one in _scripts() if "SET subject" in one)
    update, _, _ = script.partition("SET subject = ")[2].partition(";")
    named, _, of_kinds = update.partition("WHERE ")
    span_later = dict.fromkeys(("waited", "service", "stall_start_ns", "stall_ns"), "NULL")
    span_later["subject"] = f"CASE WHEN {of_kinds} THEN {named} END"
    columns = {name for _, name, *_ in connection.execute("PRAGMA table_info(span)")}
    if missing := [f"{sql} AS {name}" for name, sql in span_later.items() if name not in columns]:
        later = ", ".join(missing)
        connection.execute(f"CREATE TEMP VIEW span AS SELECT *, {later} FROM main.span")
    later_empty = {"content": "pieces", "moment": "pieces", "departure": "trace_id"}
    for table, column in later_empty.items():
        columns = {name for _, name, *_ in connection.execute(f"PRAGMA table_info({table})")}
        if column not in columns:
            view = f"SELECT *, NULL AS {column} FROM main.{table}"
            connection.execute(f"CREATE TEMP VIEW {table} AS {view}")
    columns = {name for _, name, *_ in connection.execute("PRAGMA table_info(session)")}
    if "evicted" not in {name for _, name, *_ in connection.execute("PRAGMA table_info(meta)")}:
        connection.execute("CREATE TEMP VIEW meta AS SELECT *, 0 AS evicted FROM main.meta")
    session_later = {name: f"CAST(body AS TEXT) ->> '{name}'" for name in SESSION_NUMBERS}
    session_later |= dict.fromkeys(("evicted", "evicted_spans", "evicted_moments"), "0")
    if missing := [
        f"{sql} AS {name}" for name, sql in session_later.items() if name not in columns
    ]:
        numbers = ", ".join(missing)
        connection.execute(f"CREATE TEMP VIEW session AS SELECT *, {numbers} FROM main.session")


def _open_connection(name: str, cache_kib: int, flags: int = _READ_WRITE) -> apsw.Connection:
    connection = apsw.Connection(name, flags=flags)
    connection.set_busy_timeout(BUSY_MS)
    connection.pragma("cache_size", -cache_kib)
    connection.pragma("temp_store", "memory")
    connection.create_scalar_function("subject_in", _subject_in, 1, deterministic=True)
    return connection


def _subject_in(*values: apsw.SQLiteValue) -> str | None:
    """Return the subject of an encoded span, for migrations; None where it has none."""
    # Imported here: only a migration needs it, and commands that open a store would wait 0.3 s.
    from inspector.service.normalise.facts import read_span  # noqa: PLC0415

    (payload,) = values
    assert isinstance(payload, bytes)
    try:
        return read_span(Span.FromString(payload), Resource()).record.subject
    except DecodeError:  # one damaged span must not keep the store closed
        return None


def _check(connection: apsw.Connection, path: Path) -> None:
    """Refuse a database that is no store of a known version."""
    known = len(_scripts())
    version = connection.pragma("user_version")
    is_empty = not next(connection.execute("SELECT count(*) FROM sqlite_schema"))[0]
    if not is_empty and connection.pragma("application_id") != _APPLICATION_ID:
        raise StoreError(
            f"Cannot open the store {path}: it is the database of another program."
            " Choose another path with INSPECTOR_STORE=sqlite:///PATH."
        )
    if version > known:
        raise StoreNewerError(
            f"Cannot open the store {path}: a newer version wrote it (schema {version}; this "
            f"version supports {known}). Upgrade with `pip install -U mcp-agent-inspector`."
        )


def _migrate(connection: apsw.Connection) -> None:
    scripts = _scripts()
    version = connection.pragma("user_version")
    if version == len(scripts):
        return
    with connection:
        for number, script in enumerate(scripts[version:], start=version + 1):
            connection.execute(script)
            if number == 1:
                connection.pragma("application_id", _APPLICATION_ID)
                connection.execute(
                    "INSERT INTO meta (store_id, head) VALUES (?, 0)", (uuid.uuid4().hex[:12],)
                )
        connection.pragma("user_version", len(scripts))


def _scripts() -> list[str]:
    """Return the migrations; the number of each file is the schema version that it makes."""
    folder = resources.files("inspector.service.storage") / "schema"
    files = sorted((f for f in folder.iterdir() if f.name.endswith(".sql")), key=lambda f: f.name)
    return [file.read_text(encoding="utf-8") for file in files]


def _reason(error: Exception) -> str:
    return (error.strerror if isinstance(error, OSError) else None) or str(error) or repr(error)
