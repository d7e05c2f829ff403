"""Sessions and their spans, read from a service or from the store."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any
from urllib.parse import quote

from inspector.cli.reader import ServiceReader
from inspector.errors import RefusedError

_PAGE = 20_000
_ID_MATCHES = 100

Row = dict[str, Any]


def pages(
    reader: ServiceReader, what: str, limit: int, path: str = "/sessions", **query: object
) -> tuple[list[Row], bool, list[Row]]:
    """Return at most `limit` rows, whether there may be more, and what could not be searched.

    A page of a query may be short without being the last.
    """
    found: list[Row] = []
    missing: list[Row] = []
    cursor: str | None = None
    while len(found) < limit:
        page = reader.get(path, limit=limit - len(found), cursor=cursor, **query)
        found += page[what]
        missing = page.get("partial") or missing  # services of before do not say
        cursor = page["next_cursor"]
        if cursor is None:
            break
    return found, cursor is not None, missing


def one_session(reader: ServiceReader, wanted: str) -> Row:
    """Return the session whose id is or begins with `wanted`.

    Raises:
        RefusedError: There is none, or there are several.
    """
    quoted = wanted.replace("\\", "\\\\").replace('"', '\\"')
    # The whole id first: any number of others may begin with it.
    exact = (one for one in _matches(reader, f'id:"{quoted}"') if one["id"] == wanted)
    beginning = (one for one in _matches(reader, f'id~"{quoted}"') if one["id"].startswith(wanted))
    fitting = list(islice(exact, 1)) or list(islice(beginning, 2))
    if len(fitting) != 1:
        if fitting:
            raise RefusedError(
                f"Several sessions start with {wanted!r}. Give more characters of the id."
            )
        raise RefusedError(f"Session not found: {wanted!r}. See `inspector sessions`.")
    return fitting[0]


def rows(reader: ServiceReader, path: str, what: str, **query: object) -> Iterator[Row]:
    """Yield all rows of a list, page by page."""
    cursor: str | None = None
    while True:
        page = reader.get(path, cursor=cursor, **query)
        yield from page[what]
        if (cursor := page["next_cursor"]) is None:
            return


def _matches(reader: ServiceReader, query: str) -> Iterator[Row]:
    return rows(reader, "/sessions", "sessions", q=query, limit=_ID_MATCHES)


def spans(reader: ServiceReader, session_id: str) -> list[Row]:
    """Return all spans of a session."""
    path = f"/sessions/{quote(session_id, safe='')}/spans"
    return list(rows(reader, path, "spans", limit=_PAGE))


def span(reader: ServiceReader, trace_id: str, span_id: str) -> Row:
    """Return one span in full."""
    found: Row = reader.get(f"/spans/{trace_id}/{span_id}")
    return found
