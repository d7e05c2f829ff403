"""Shared parts of the routes that search."""

from __future__ import annotations

from contextlib import AbstractContextManager

from inspector.service import wire
from inspector.service.http.parts import ReadParts
from inspector.service.search import PAGE_S, Search, open_search

QUERY = (
    "What to look for, in the query language of `docs/query.md`: fields such as "
    "`status:failed tool:git_* tokens>10k`, and words that stand in a name or a content."
)


def searching(
    parts: ReadParts, now_ns: int, *, page_s: float = PAGE_S
) -> AbstractContextManager[Search]:
    """Open a snapshot of the service's store to search in."""
    return open_search(parts.store, parts.words, now_ns, page_s=page_s)


def index_state(search: Search) -> wire.IndexState | None:
    """Return how far the index of `search` is; None without one."""
    if search.words is None:
        return None
    behind = max(search.reader.head - search.words.through, 0)
    return wire.IndexState(is_complete=behind == 0, changes_behind=behind)
