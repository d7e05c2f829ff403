"""Sessions and their spans, read from a service or from the store."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from itertools import islice
from typing import Any
from urllib.parse import quote

from inspector.cli.reader import ServiceReader
from inspector.errors import RefusedError
from inspector.service.model.writer_names import split_id

_PAGE = 20_000
_ID_MATCHES = 100
_REQUESTS = 200

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

    A reader shows `eu:ID`: there the name of the service may be left out.

    Raises:
        RefusedError: There is none, or there are several, or a service that may have it is away.
    """
    quoted = wanted.replace("\\", "\\\\").replace('"', '\\"')
    names = cache(lambda: _writer_names(reader))
    fitting: list[Row] = []
    missing: list[Row] = []
    # The whole id first: any number of others may begin with it.
    for query in (f'id:"{quoted}"', f'id~"{quoted}"'):
        found = rows(reader, "/sessions", "sessions", missing, q=query, limit=_ID_MATCHES)
        if fitting := _fitting(found, wanted, names, is_whole=query.startswith("id:")):
            break
    return _only(fitting, "session", wanted, names, missing, "inspector sessions")


def one_of_requests(reader: ServiceReader, wanted: str, statuses: Sequence[str | None]) -> Row:
    """Return the request whose id begins with `wanted`, preferably one of the first status.

    Raises:
        RefusedError: There is none, or there are several, or a service that may have it is away.
    """
    names = cache(lambda: _writer_names(reader))
    fitting: list[Row] = []
    missing: list[Row] = []
    for status in statuses:
        found = rows(reader, "/requests", "requests", missing, status=status, limit=_REQUESTS)
        if fitting := _fitting(found, wanted, names):
            break
    return _only(fitting, "request", wanted, names, missing, "inspector requests --all")


def _fitting(
    found: Iterable[Row], wanted: str, names: Callable[[], list[str]], *, is_whole: bool = False
) -> list[Row]:
    """Return the row that is wanted, or at most two whose ids begin like it.

    What begins with the name of a service is an id of that service, and of no other.
    """
    is_named = ":" in wanted and split_id(wanted, names()) is not None

    def fits(shown_id: str) -> bool:
        shown = [shown_id]
        if not is_named and ":" in shown_id and (parts := split_id(shown_id, names())):
            shown.append(parts[1])
        return any(one == wanted if is_whole else one.startswith(wanted) for one in shown)

    fitting = list(islice((one for one in found if fits(one["id"])), 2))
    return [one for one in fitting if one["id"] == wanted] or fitting


def _only(
    fitting: Sequence[Row],
    what: str,
    wanted: str,
    names: Callable[[], list[str]],
    missing: Sequence[Row],
    command: str,
) -> Row:
    ids = [one["id"] for one in fitting]
    if len(ids) > 1 and all(one.partition(":")[2] == wanted for one in ids):
        raise RefusedError(
            f"Several services have the {what} {wanted!r}. Use one of {', '.join(ids)}."
        )
    if len(fitting) > 1:
        raise RefusedError(
            f"Several {what}s start with {wanted!r}. Give more characters of the id."
        )
    away = [one for one in missing if one["part"] == "writer"]
    if away and (named := split_id(wanted, names())):
        away = [one for one in away if one["writer"] == named[0]]
    if away:
        advice = "Give the id with the name of its service." if fitting else "Try again later."
        raise RefusedError(f"{away[0]['why']} It may have {wanted!r}. {advice}")
    if not fitting:
        raise RefusedError(f"{what.capitalize()} not found: {wanted!r}. See `{command}`.")
    return fitting[0]


def _writer_names(reader: ServiceReader) -> list[str]:
    """Return the names of the services of a reader; none of what is no reader."""
    writers = reader.get("/health").get("writers")  # services of before do not say
    return [one["name"] for one in writers or ()]


def rows(
    reader: ServiceReader,
    path: str,
    what: str,
    missing: list[Row] | None = None,
    **query: object,
) -> Iterator[Row]:
    """Yield all rows of a list, page by page; add what could not be searched to `missing`."""
    cursor: str | None = None
    while True:
        page = reader.get(path, cursor=cursor, **query)
        if missing is not None:
            missing += page.get("partial", ())
        yield from page[what]
        if (cursor := page["next_cursor"]) is None:
            return


def spans(reader: ServiceReader, session_id: str) -> list[Row]:
    """Return all spans of a session."""
    path = f"/sessions/{quote(session_id, safe='')}/spans"
    return list(rows(reader, path, "spans", limit=_PAGE))


def span(reader: ServiceReader, session_id: str, trace_id: str, span_id: str) -> Row:
    """Return one span of a session in full."""
    found: Row = reader.get(f"/spans/{trace_id}/{span_id}", session_id=session_id)
    return found
