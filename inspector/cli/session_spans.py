"""Read a session and its spans from a service or from the store."""

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
) -> tuple[list[Row], bool]:
    """Return up to the wanted number of rows, and whether there may be more.

    Pages of a query may be short, and not the last.
    """
    found: list[Row] = []
    cursor: str | None = None
    while len(found) < limit:
        page = reader.get(path, limit=limit - len(found), cursor=cursor, **query)
        found += page[what]
        cursor = page["next_cursor"]
        if cursor is None:
            break
    return found, cursor is not None


def one_session(reader: ServiceReader, wanted: str) -> Row:
    """Return the session whose id is or begins with `wanted`.

    Raises:
        RefusedError: None does, or several do.
    """
    quoted = wanted.replace("\\", "\\\\").replace('"', '\\"')
    # The whole id first: any number of others may begin with it.
    exact = (one for one in _found(reader, f'id:"{quoted}"') if one["id"] == wanted)
    beginning = (one for one in _found(reader, f'id~"{quoted}"') if one["id"].startswith(wanted))
    fitting = list(islice(exact, 1)) or list(islice(beginning, 2))
    if len(fitting) != 1:
        if fitting:
            raise RefusedError(f"Several sessions begin with {wanted!r}; give more of the id.")
        raise RefusedError(f"There is no session {wanted!r}: see `inspector sessions`.")
    return fitting[0]


def _found(reader: ServiceReader, query: str) -> Iterator[Row]:
    """Yield all sessions that fit."""
    cursor: str | None = None
    while True:
        page = reader.get("/sessions", q=query, limit=_ID_MATCHES, cursor=cursor)
        yield from page["sessions"]
        if (cursor := page["next_cursor"]) is None:
            return


def spans(reader: ServiceReader, session_id: str) -> tuple[list[Row], str]:
    """Return all spans of a session, and the position in the stream to follow it from."""
    address = f"/sessions/{quote(session_id, safe='')}/spans"
    page = reader.get(address, limit=_PAGE)
    found, as_of = page["spans"], page["as_of"]
    while cursor := page["next_cursor"]:
        page = reader.get(address, limit=_PAGE, cursor=cursor)
        found += page["spans"]
    return found, as_of


def span(reader: ServiceReader, trace_id: str, span_id: str) -> Row:
    """Return one span in full."""
    found: Row = reader.get(f"/spans/{trace_id}/{span_id}")
    return found
