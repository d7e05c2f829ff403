"""A store whose older sessions are in the history: views read each where it is.

Lists are the writer's alone, which keeps the rows of all sessions. A session whose content has gone
is unpacked from the history into a file, from which the same code reads that reads the store.
"""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from pathlib import Path

import orjson

from inspector.errors import HistoryError, StoreError
from inspector.service.storage.base import ReadableStore, Reader, SingleStore
from inspector.service.storage.sqlite_readonly import ReadOnlySqliteStore

_MAX_BYTES = 2 * 1024**3
"""Limit of unpacked sessions on the disk; the least recently read go, one is always there."""


class TieredStore(SingleStore):
    """A `ReadableStore` of the writer's store and the history.

    Args:
        store: The writer's.
        folder: Of unpacked sessions; it is emptied.
        unpack: Writes sessions with all their content to a new store.
    """

    def __init__(
        self,
        store: ReadableStore,
        folder: Path,
        unpack: Callable[[Path, Sequence[str]], None],
    ) -> None:
        self.id, self.former = store.id, store.former
        self._store = store
        self._folder = folder
        self._unpack = unpack
        self._sessions: dict[Path, Sequence[str]] = {}
        self.close()

    def read(self) -> AbstractContextManager[Reader]:
        """Open a snapshot of the writer's store: of every session its row."""
        return self._store.read()

    @contextmanager
    def read_whole(self, *session_ids: str) -> Iterator[Reader]:
        """Open a snapshot that has these sessions with all their content.

        Raises:
            HistoryError: The history has some of it, and cannot be read.
        """
        with ExitStack() as stack:
            yield self._whole(stack, session_ids)

    def _whole(self, stack: ExitStack, session_ids: Sequence[str], tries: int = 3) -> Reader:
        with ExitStack() as here:
            reader = here.enter_context(self._store.read())
            if not reader.is_any_evicted(session_ids):
                stack.enter_context(here.pop_all())
                return reader
            head = reader.head
            changes = [reader.last_change(one) for one in session_ids]
        # Not within a snapshot: the store's journal would grow while the history is asked.
        name = hashlib.sha256(orjson.dumps([session_ids, changes])).hexdigest()[:32]
        path = self._folder / f"{name}.sqlite3"
        try:
            reader = stack.enter_context(self._open(path, session_ids).read())
        except StoreError as error:
            if path in self._sessions:
                raise
            if tries == 1:
                message = "Other sessions of the history need the room. Try again in a moment."
                raise HistoryError(message, is_passing=True) from error
            # It was deleted or merged meanwhile, or others needed the room.
            return self._whole(stack, session_ids, tries - 1)
        # It has all that is newer than it, too: nothing.
        reader.head = max(reader.head, head)
        return reader

    def forget(self, session_ids: Collection[str]) -> None:
        """Remove what is unpacked of sessions that were deleted or merged."""
        gone = set(session_ids)
        for path in [path for path, ids in list(self._sessions.items()) if gone.intersection(ids)]:
            with suppress(OSError):  # the writer calls this: it must not fail for a file
                path.unlink(missing_ok=True)
            self._sessions.pop(path, None)

    def close(self) -> None:
        """Remove what is unpacked. Idempotent."""
        shutil.rmtree(self._folder, ignore_errors=True)

    def _open(self, path: Path, session_ids: Sequence[str]) -> ReadOnlySqliteStore:
        with suppress(OSError, StoreError):
            os.utime(path)
            return ReadOnlySqliteStore(path)
        self._folder.mkdir(mode=0o700, exist_ok=True)
        self._sessions[path] = session_ids
        try:
            self._unpack(path, session_ids)
        except Exception:
            self._sessions.pop(path, None)
            raise
        if path not in self._sessions:  # deleted or merged meanwhile
            path.unlink(missing_ok=True)
        self._make_room(path)
        return ReadOnlySqliteStore(path)

    def _make_room(self, newest: Path) -> None:
        with suppress(OSError):
            files = [(one.stat(), one) for one in self._folder.glob("*.sqlite3")]
            left_bytes = _MAX_BYTES - newest.stat().st_size
            for found, path in sorted(files, key=lambda one: one[0].st_mtime, reverse=True):
                left_bytes -= found.st_size
                if path != newest and left_bytes < 0:
                    path.unlink(missing_ok=True)
                    self._sessions.pop(path, None)
