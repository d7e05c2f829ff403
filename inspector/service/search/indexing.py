"""Fill the index of words behind the store, without delaying it.

A thread follows the store's changes from the end of the index. It may start late, stop and fall
behind: rows that are not indexed are read.
"""

from __future__ import annotations

import logging
import threading
import time
from contextlib import suppress
from pathlib import Path

from inspector.errors import StoreError, StoreUnavailableError
from inspector.service.model.records import Change, Content, SessionRecord, SpanRecord, Tombstone
from inspector.service.search.documents import VERSION, session_document, span_document
from inspector.service.storage.base import Store
from inspector.service.storage.word_index import Additions, SpanDocument, WordIndex

CHUNK = 500
"""Changes that are read together."""
_MAX_BYTES = 2 * 1024**2
"""Content after which fewer are."""
_MANY_CHUNKS = 16
"""Chunks that are indexed together while there are more: FTS5 merges less then."""
_THREAD = "inspector-words"
_IDLE_S = 0.25
_RETRY_S = 5.0
# Above so many changes a second, ingest needs the processor more.
_BUSY_CHANGES_PER_S = 2_000
_LOOK_S = 0.5
"""Interval of counting them: several commits long."""
_BUSY_SHARE = 0.1
_MAX_PAUSE_S = 5.0

_log = logging.getLogger("inspector.search")


def open_words(store: Store, store_path: Path | None) -> WordIndex | None:
    """Open the index of words of a store, beside its file; in memory when it has none.

    None when that fails, which is logged: searches take longer then.
    """
    path = store_path and store_path.with_name(store_path.name + "-words")
    try:
        return WordIndex(path, store.id, VERSION)
    except StoreUnavailableError as error:
        _log.warning("%s", error)
        return None


class Indexer:
    """Keeps an index up to date with its store.

    Args:
        store: To index.
        index: To fill.
        is_running: Whether a thread fills it; False: only `step` does.
    """

    def __init__(self, store: Store, index: WordIndex, *, is_running: bool = True) -> None:
        self._store = store
        self._index = index
        self._gathered: list[Additions] = []
        self._is_closed = threading.Event()
        self._thread = threading.Thread(target=self._work, name=_THREAD, daemon=True)
        if is_running:
            self._thread.start()

    def step(self) -> bool:
        """Read the next changes, index them once they are enough; return whether there are more.

        Raises:
            StoreError: The store cannot be read, or the index not written.
        """
        through = self._gathered[-1].through if self._gathered else self._index.through()
        with self._store.read() as reader:
            head = reader.head
            changes = _first_few(reader.changes(through, CHUNK))
            contents = reader.contents(
                [row.content for row in changes if isinstance(row, SpanRecord)]
            )
        if through > head:  # the store is an older copy of itself
            self._gathered.clear()
            self._index.reset()
            return True
        has_more = bool(changes) and changes[-1].change < head
        if through < head:
            reached = changes[-1].change if has_more else head
            self._gathered.append(_additions(reached, changes, contents))
        if self._gathered and not (has_more and len(self._gathered) < _MANY_CHUNKS):
            gathered, self._gathered = self._gathered, []
            self._index.add(gathered)
        return has_more

    def close(self) -> None:
        """Stop after the current step. Idempotent."""
        self._is_closed.set()
        if self._thread.is_alive():
            self._thread.join()

    def _work(self) -> None:
        with suppress(OSError):  # the system's tools tell it by its name; Python does since 3.14
            Path(f"/proc/self/task/{threading.get_native_id()}/comm").write_text(_THREAD)
        head, looked_s = 0, time.monotonic()
        pause_s, is_busy, is_failing = 0.0, False, False
        while not self._is_closed.wait(pause_s):
            started_s = time.monotonic()
            try:
                has_more = self.step()
                with self._store.read() as reader:
                    newest = reader.head
            except StoreError as error:
                if not is_failing:
                    _log.warning("Search is slower for now: %s", error)
                pause_s, is_failing = _RETRY_S, True
                continue
            except Exception:  # noqa: BLE001 - a bug here must not stop the service
                # A search without an index is slow, not wrong.
                _log.exception("The word index is disabled until the next start")
                return
            is_failing = False
            now_s = time.monotonic()
            if now_s - looked_s >= _LOOK_S:
                is_busy = 0 < head < newest - _BUSY_CHANGES_PER_S * (now_s - looked_s)
                head, looked_s = newest, now_s
            if is_busy:
                pause_s = min((now_s - started_s) * (1 / _BUSY_SHARE - 1), _MAX_PAUSE_S)
            else:
                pause_s = 0.0 if has_more else _IDLE_S


def _first_few(changes: list[Change]) -> list[Change]:
    """Return as many of `changes` as have content that fits into memory; at least one."""
    total_bytes = 0
    for count, row in enumerate(changes, 1):
        total_bytes += row.size_bytes if isinstance(row, SpanRecord) else 0
        if total_bytes > _MAX_BYTES:
            return changes[:count]
    return changes


def _additions(through: int, changes: list[Change], contents: list[Content]) -> Additions:
    found, content = Additions(through), iter(contents)
    for row in changes:
        if isinstance(row, SpanRecord):
            words = span_document(row, next(content))
            found.spans.append(SpanDocument(row.change, row.created, row.session_id, words))
        elif isinstance(row, SessionRecord):
            found.sessions.append((row.row.id, session_document(row)))
        elif isinstance(row, Tombstone) and row.is_whole:
            found.gone_sessions.append(row.session_id)
    return found
