"""Export sessions to a file: from a running service, or else from the store itself."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Protocol
from urllib.parse import quote

from inspector.cli import session_spans
from inspector.cli.client import Client, NoServiceError
from inspector.cli.reader import find_reader
from inspector.errors import RefusedError
from inspector.service.files.unpacking import Unpacker

_PAGE = 1_000
_MAX_NAME_CHARS = 80


class Exporter(Protocol):
    """Reads and exports sessions, as gzip files."""

    def get(self, path: str, **query: object) -> Any:
        """Return the JSON at `path`."""

    def export(self, session_id: str) -> Iterator[bytes]:
        """Yield a session."""


class _Online:
    """A running service."""

    def __init__(self, client: Client) -> None:
        self.get = client.get
        self._client = client

    def export(self, session_id: str) -> Iterator[bytes]:
        """Yield a session."""
        return self._client.download(f"/trace/{quote(session_id, safe='')}")


def find_exporter() -> Exporter:
    """Return the running service, or else the store, read-only.

    Raises:
        NoServiceError: There is neither.
    """
    try:
        return _Online(Client.find())
    except NoServiceError:
        exporter: Any = find_reader()
        found: Exporter = exporter
        return found


def wanted(exporter: Exporter, session_id: str | None, query: str | None) -> list[str]:
    """Return the ids of the chosen sessions.

    Raises:
        RefusedError: There is none, or a beginning of an id is that of several.
    """
    if query is None:
        return [session_spans.one_session(exporter, session_id or "")["id"]]
    ids, cursor = list[str](), None
    while True:
        page = exporter.get("/sessions", q=query, limit=_PAGE, cursor=cursor)
        ids += [session["id"] for session in page["sessions"]]
        cursor = page["next_cursor"]
        if cursor is None:
            break
    if not ids:
        raise RefusedError(f"No session fits the query {query!r}.")
    return ids


def pieces(exporter: Exporter, session_id: str, *, is_packed: bool) -> Iterator[bytes]:
    """Yield a session as gzip or as plain lines; several in a row make a valid file."""
    packed = exporter.export(session_id)
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
