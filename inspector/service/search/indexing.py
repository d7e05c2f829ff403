"""Fill the index of words behind the store, without delaying it.

A thread follows the store's changes from the end of the index. It may start late, stop and fall
behind: rows that are not indexed are read.
"""

from __future__ import annotations

import logging
import threading
import time
from pathlib import Path

from inspector.errors import StoreError, StoreUnavailableError
from inspector.service.model.records import SessionRecord, SpanRecord, Tombstone
from inspector.service.search.documents import VERSION, session_document, span_document
from inspector.service.storage.base import Reader, Store
from inspector.service.storage.word_index import Additions, SpanDocument, WordIndex

CHUNK = 500
"""Changes that are indexed together."""
_IDLE_S = 0.25
_RETRY_S = 5.0
# Above so many changes a second, ingest needs the processor more.
_BUSY_CHANGES_PER_S = 2_000
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
        self._is_closed = threading.Event()
        self._thread = threading.Thread(target=self._work, name="inspector-words", daemon=True)
        if is_running:
            self._thread.start()

    def step(self) -> bool:
        """Index the next changes; return whether there may be more.

        Raises:
            StoreError: The store cannot be read, or the index not written.
        """
        through = self._index.through()
        with self._store.read() as reader:
            if through > reader.head:  # the store is an older copy of itself
                self._index.reset()
                return True
            additions = _additions(reader, through)
        if additions.through > through:
            self._index.add(additions)
        return additions.through < reader.head

    def close(self) -> None:
        """Stop after the current step. Idempotent."""
        self._is_closed.set()
        if self._thread.is_alive():
            self._thread.join()

    def _work(self) -> None:
        head, looked_s = 0, time.monotonic()
        pause_s, is_failing = 0.0, False
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
                _log.exception("The index of words is given up until the next start")
                return
            is_failing = False
            now_s = time.monotonic()
            is_busy = (newest - head) > _BUSY_CHANGES_PER_S * (now_s - looked_s)
            if head and is_busy:
                pause_s = min((now_s - started_s) * (1 / _BUSY_SHARE - 1), _MAX_PAUSE_S)
            else:
                pause_s = 0.0 if has_more else _IDLE_S
            head, looked_s = newest, now_s


def _additions(reader: Reader, after: int) -> Additions:
    changes = reader.changes(after, CHUNK)
    is_all = len(changes) < CHUNK
    found = Additions(through=reader.head if is_all else changes[-1].change)
    spans = [row for row in changes if isinstance(row, SpanRecord)]
    for span, content in zip(spans, reader.contents(spans), strict=True):
        words = span_document(span, content)
        found.spans.append(SpanDocument(span.change, span.created, span.session_id, words))
    for row in changes:
        if isinstance(row, SessionRecord):
            found.sessions.append((row.row.id, session_document(row)))
        elif isinstance(row, Tombstone) and row.is_whole:
            found.gone_sessions.append(row.session_id)
    return found
