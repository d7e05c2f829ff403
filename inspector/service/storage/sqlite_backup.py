"""Back up a store while it is written, and restore one from such a copy."""

from __future__ import annotations

import contextlib
import itertools
import os
import uuid
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import apsw

from inspector.errors import StoreError, StoreInUseError
from inspector.paths import make_dir
from inspector.service.storage.sqlite_errors import is_damage
from inspector.service.storage.sqlite_open import (
    FILE_HEAD,
    LEAP,
    lock_store,
    open_read_only,
    open_writer,
)

_ENDS = ("", "-wal", "-shm")


def back_up(store: Path, to: Path) -> int:
    """Copy a consistent snapshot of a store, even while it is written; return its size in bytes.

    Args:
        store: The store.
        to: The copy, one file that only its owner may read. There must be nothing yet.

    Raises:
        StoreError: The store cannot be read, is damaged, or the copy cannot be written.
    """
    if not store.exists():
        raise StoreError(f"Cannot back up the store {store}: no such file.")
    if not to.absolute().parent.is_dir():
        raise StoreError(f"Cannot write {to}: the directory does not exist. Create it first.")
    with closing(open_read_only(store)) as source, _copying("back up", store, to):
        _copy(source, to)
    return to.stat().st_size


def restore(backup: Path, store: Path) -> Path | None:
    """Replace a store by a copy; return the new place of the old store.

    It gets an id of its own, and change numbers that were never used: what viewers and agents
    know of the store that it was taken of means nothing here.

    Args:
        backup: A file that `back_up` wrote.
        store: The store; nobody may have it open.

    Raises:
        StoreInUseError: A service has it open.
        StoreError: The copy is no store, or damaged, or the store cannot be written.
    """
    if not backup.exists():
        raise StoreError(f"Cannot restore from {backup}: no such file.")
    _check_backup(backup)
    try:
        lock = lock_store(store)
    except StoreInUseError as error:
        raise StoreInUseError(
            f"Cannot restore {store}: an Inspector service has it open. Stop the service first."
        ) from error
    try:
        aside = store.with_name(f".{store.name}.{uuid.uuid4().hex[:8]}")
        with closing(open_read_only(backup)) as source, _copying("restore", backup, aside):
            _copy(source, aside)
        with closing(open_writer(aside)) as restored:
            head = max(_head(restored), _head_of(store)) + LEAP
            restored.execute("INSERT OR IGNORE INTO former_store SELECT store_id, head FROM meta")
            restored.execute(
                "UPDATE meta SET store_id = ?, head = ?", (uuid.uuid4().hex[:12], head)
            )
        moved_to = move_away(store)
        aside.rename(store)
        flush_folder(store.parent)
        return moved_to
    except OSError as error:
        raise StoreError(f"Cannot restore {store}: {error.strerror or error}.") from error
    finally:
        lock.release()


def _check_backup(backup: Path) -> None:
    with backup.open("rb") as file:
        is_sqlite = file.read(len(FILE_HEAD)) == FILE_HEAD
    if not is_sqlite:
        raise StoreError(
            f"Cannot restore from {backup}: it is no backup. Name a file that `inspector backup` "
            "wrote. Nothing was changed."
        )


def _copy(source: apsw.Connection, to: Path) -> None:
    with closing(apsw.Connection(str(to))) as target:
        # In one step, which is one moment; a writer goes on beside it.
        with target.backup("main", source, "main") as copying:
            copying.step()
        target.pragma("journal_mode", "delete")  # one file, and nothing beside it
        if (found := target.pragma("quick_check")) != "ok":
            raise apsw.CorruptError(str(found))


@contextmanager
def _copying(what: str, store: Path, to: Path) -> Iterator[None]:
    """Create the file to write, and remove it if that fails."""
    try:
        make_dir(to.parent)
        os.close(os.open(to, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    except FileExistsError as error:
        raise StoreError(f"Cannot write {to}: the file exists. Choose another name.") from error
    except OSError as error:
        raise StoreError(f"Cannot write {to}: {error.strerror or error}.") from error
    try:
        yield
    except BaseException as error:
        with contextlib.suppress(OSError):
            to.unlink()
        if isinstance(error, apsw.Error):
            why = f"its file is damaged ({error})" if is_damage(error) else str(error)
            raise StoreError(f"Cannot {what} {store}: {why}. Nothing was written.") from error
        raise


def _head(connection: apsw.Connection) -> int:
    return int(next(connection.execute("SELECT head FROM meta"))[0])


def _head_of(store: Path) -> int:
    """Return the newest change of the present store, if it can still be read."""
    try:
        with closing(open_read_only(store)) as connection:
            return _head(connection)
    except (StoreError, apsw.Error):
        return 0


def move_away(store: Path) -> Path | None:
    """Rename the existing store with its journal, so that nothing is lost; return the new path.

    A journal without its file moves too: SQLite would use it for the file to come.
    """
    if not any(store.with_name(store.name + end).exists() for end in _ENDS):
        return None
    names = (store.with_name(f"{store.name}.replaced-{number}") for number in itertools.count(1))
    moved_to = next(name for name in names if not name.exists())
    for end in reversed(_ENDS):
        with contextlib.suppress(FileNotFoundError):
            store.with_name(store.name + end).rename(moved_to.with_name(moved_to.name + end))
    return moved_to


def flush_folder(folder: Path) -> None:
    """Make the names in a folder durable."""
    with contextlib.suppress(PermissionError):  # on Windows a folder cannot be opened
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
