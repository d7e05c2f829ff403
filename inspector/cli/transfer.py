"""Export of sessions to a file, from a running service or from the store."""

from __future__ import annotations

import re
from collections.abc import Iterator

from inspector.cli import session_spans
from inspector.cli.output import say_missing
from inspector.cli.reader import ServiceReader
from inspector.errors import RefusedError
from inspector.service.files.unpacking import Unpacker

_PAGE = 1_000
_MAX_NAME_CHARS = 80


def select(reader: ServiceReader, session_id: str | None, query: str | None) -> list[str]:
    """Return the ids of the chosen sessions.

    Raises:
        RefusedError: There is none, or several ids begin with `session_id`.
    """
    if query is None:
        return [session_spans.one_session(reader, session_id or "")["id"]]
    missing: list[session_spans.Row] = []
    found = session_spans.rows(reader, "/sessions", "sessions", missing, q=query, limit=_PAGE)
    ids = [session["id"] for session in found]
    say_missing(missing)
    if ids:
        return ids
    raise RefusedError(f"No session matches the query {query!r}.")


def pieces(reader: ServiceReader, session_id: str, *, is_packed: bool) -> Iterator[bytes]:
    """Yield a session as gzip or as plain lines; several in a row make a valid file."""
    packed = reader.export(session_id)
    if is_packed:
        yield from packed
        return
    unpacker = Unpacker()
    for piece in packed:
        yield from unpacker.feed(piece)
    yield from unpacker.finish()


def file_name(session_id: str) -> str:
    """Return the part of an id that is safe in a file name."""
    return re.sub(r"[^A-Za-z0-9._-]+", "-", session_id)[:_MAX_NAME_CHARS].strip("-.") or "session"
