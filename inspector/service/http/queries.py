"""Shared parts of the routes that search or read all spans."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager
from typing import Annotated, TypeAlias

from fastapi import Query

from inspector.service import wire
from inspector.service.http.parts import ReadParts
from inspector.service.model.records import SpanRecord
from inspector.service.model.times import rfc3339
from inspector.service.query.syntax import MAX_CHARS
from inspector.service.search import PAGE_S, Search, open_search
from inspector.service.storage.base import Reader, SpanPosition

QUERY = (
    "A query in the language of `docs/query.md`: fields such as `status:failed tool:git_* "
    "tokens>10k`, and words in names or content."
)
MAX_MS = 4_000_000_000_000  # of the year 2096; in nanoseconds it is still an SQLite integer

QueryText: TypeAlias = Annotated[str, Query(max_length=MAX_CHARS, description=QUERY)]
SinceMs: TypeAlias = Annotated[
    int | None, Query(ge=0, le=MAX_MS, description="Unix time: started then or later.")
]
UntilMs: TypeAlias = Annotated[
    int | None, Query(ge=0, le=MAX_MS, description="Unix time: started before.")
]

HasPositions: TypeAlias = Annotated[
    bool, Query(description="Include where each row is, to merge this list with others.")
]


def searching(
    parts: ReadParts, now_ns: int, *, page_s: float = PAGE_S
) -> AbstractContextManager[Search]:
    """Open a snapshot of the store to search in."""
    return open_search(parts.store, parts.words, now_ns, page_s=page_s)


def span_pages(reader: Reader, session_id: str, size: int) -> Iterator[list[SpanRecord]]:
    """Yield the spans of a session by start, `size` at a time."""
    after: SpanPosition | None = None
    while True:
        page = reader.spans_of(session_id, after, size)
        yield page
        if len(page) < size:
            return
        after = SpanPosition(page[-1].start_ns, page[-1].span_id, page[-1].trace_id)


def partial_of(search: Search) -> list[wire.Partial]:
    """Return what a search could not look at."""
    if (missing := search.missing) is None:
        return []
    since = None if missing.since_ns is None else rfc3339(missing.since_ns)
    return [wire.Partial(part="history", why=missing.why, since=since)]


def index_state(search: Search) -> wire.IndexState | None:
    """Return the progress of the index of words; None without one."""
    if search.words is None or search.words.has_all:
        return None
    behind = max(search.reader.head - search.words.through, 0)
    return wire.IndexState(is_complete=behind == 0, changes_behind=behind)
