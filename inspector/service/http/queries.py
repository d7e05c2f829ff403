"""Shared parts of the routes that search."""

from __future__ import annotations

from contextlib import AbstractContextManager

from fastapi import Request

from inspector.service import wire
from inspector.service.search import PAGE_S, Search, open_search
from inspector.service.storage.base import Store
from inspector.service.storage.word_index import WordIndex

QUERY = (
    "What to look for, in the query language of `docs/query.md`: fields such as "
    "`status:failed tool:git_* tokens>10k`, and words that stand in a name or a content."
)


def searching(
    request: Request, now_ns: int, *, page_s: float = PAGE_S
) -> AbstractContextManager[Search]:
    """Open a snapshot of the service's store to search in."""
    state = request.app.state
    store: Store = state.store
    words: WordIndex | None = getattr(state, "words", None)
    return open_search(store, words, now_ns, page_s=page_s)


def index_state(search: Search) -> wire.IndexState | None:
    """Return how far the index of `search` is; None without one."""
    if search.words is None:
        return None
    behind = max(search.reader.head - search.words.through, 0)
    return wire.IndexState(is_complete=behind == 0, changes_behind=behind)
