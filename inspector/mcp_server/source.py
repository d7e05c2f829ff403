"""Where the tools have their answers from."""

from __future__ import annotations

import asyncio
from typing import Any, Protocol
from urllib.parse import quote

from inspector.client import RefusedError
from inspector.model import SpanKind, SpanRow, SpanStatus
from inspector.reading.span_tree import SpanTree
from inspector.reading.visible import as_written

_PAGE = 20_000
MAX_SPANS = 200_000
"""A session with more is read as far as this."""
KEPT_S = 60.0
"""How long the last session is kept in memory."""

_SETTLED = frozenset({"completed", "failed", "cancelled", "lost"})


class Source(Protocol):
    """Asks the routes of `openapi.yaml`."""

    async def get(self, path: str, **query: object) -> Any:
        """Return the JSON at `path`.

        Raises:
            InspectorError: It is refused, or nobody answers.
        """


class Archive:
    """What the tools ask: a source, and the tree of the session that was asked about last.

    Who looks at a session looks at it several times, and a large one takes seconds to read.
    """

    def __init__(self, source: Source) -> None:
        self._source = source
        self._last: tuple[dict[str, Any], SpanTree] | None = None
        self._forgetting: asyncio.TimerHandle | None = None

    async def get(self, path: str, **query: object) -> Any:
        """Return the JSON at `path`.

        Raises:
            InspectorError: It is refused, or nobody answers.
        """
        return await self._source.get(path, **query)

    async def session(self, session_id: str) -> dict[str, Any]:
        """Return a session by its id, as it is or as we showed it.

        Raises:
            RefusedError: There is none; says how to find one.
        """
        for wanted in dict.fromkeys((session_id, as_written(session_id))):
            if not wanted or wanted in (".", ".."):
                continue  # no address names them
            try:
                found: dict[str, Any] = await self.get(f"/sessions/{_segment(wanted)}")
            except RefusedError as error:
                if error.problem.get("code") != "session_not_found":
                    raise
            else:
                return found
        raise RefusedError(
            f"No session has the id {session_id!r}. Take one that find_sessions lists, as it is."
        )

    async def tree(self, session: dict[str, Any]) -> SpanTree:
        """Return the spans of a session, `MAX_SPANS` of them at most."""
        if self._last is None or self._last[0] != session:
            rows = await self._spans(session["id"])
            tree = await asyncio.to_thread(SpanTree.of, rows)
            # One that runs changes without a word to us.
            self._last = (session, tree) if session["status"] in _SETTLED else None
            found = tree
        else:
            found = self._last[1]
        if self._forgetting:
            self._forgetting.cancel()
        self._forgetting = asyncio.get_running_loop().call_later(KEPT_S, self._forget)
        return found

    async def span(self, row: SpanRow) -> dict[str, Any]:
        """Return one span, whole."""
        found: dict[str, Any] = await self.get(f"/spans/{row.trace_id}/{row.span_id}")
        return found

    async def _spans(self, session_id: str) -> list[SpanRow]:
        rows: list[SpanRow] = []
        cursor: str | None = None
        path = f"/sessions/{_segment(session_id)}/spans"
        while True:
            page = await self.get(path, format="columns", limit=_PAGE, cursor=cursor)
            rows += await asyncio.to_thread(_rows, page)
            cursor = page["next_cursor"]
            if cursor is None or len(rows) >= MAX_SPANS:
                return rows

    def _forget(self) -> None:
        self._last = None


def _rows(page: dict[str, Any]) -> list[SpanRow]:
    columns = page["columns"]
    names = list(columns)
    rows = []
    for values in zip(*columns.values(), strict=True):
        fields = dict(zip(names, values, strict=True))
        fields["kind"], fields["status"] = SpanKind(fields["kind"]), SpanStatus(fields["status"])
        rows.append(SpanRow(session_id=page["session_id"], **fields))
    return rows


def _segment(session_id: str) -> str:
    return quote(session_id, safe="")
