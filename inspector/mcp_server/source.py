"""Where the tools have their answers from."""

from __future__ import annotations

import asyncio
from typing import Any, Protocol
from urllib.parse import quote

from inspector.client import RefusedError
from inspector.model import SpanKind, SpanRow, SpanStatus
from inspector.visible import as_written

_PAGE = 20_000
MAX_SPANS = 200_000
"""A session with more is read as far as this."""


class Source(Protocol):
    """Asks the routes of `openapi.yaml`."""

    async def get(self, path: str, **query: object) -> Any:
        """Return the JSON at `path`.

        Raises:
            InspectorError: It is refused, or nobody answers.
        """


async def session_of(source: Source, session_id: str) -> dict[str, Any]:
    """Return a session by its id, as it is or as we showed it.

    Raises:
        RefusedError: There is none; says how to find one.
    """
    for wanted in dict.fromkeys((session_id, as_written(session_id))):
        if not wanted or wanted in (".", ".."):
            continue  # no address names them
        try:
            found: dict[str, Any] = await source.get(f"/sessions/{_segment(wanted)}")
        except RefusedError as error:
            if error.problem.get("code") != "session_not_found":
                raise
        else:
            return found
    raise RefusedError(
        f"No session has the id {session_id!r}. Take one that find_sessions lists, as it stands."
    )


async def spans_of(source: Source, session_id: str) -> list[SpanRow]:
    """Return the spans of a session by start, `MAX_SPANS` of them at most."""
    rows: list[SpanRow] = []
    cursor: str | None = None
    while True:
        page = await source.get(
            f"/sessions/{_segment(session_id)}/spans", format="columns", limit=_PAGE, cursor=cursor
        )
        rows += await asyncio.to_thread(_rows, page)
        cursor = page["next_cursor"]
        if cursor is None or len(rows) >= MAX_SPANS:
            return rows


async def span_of(source: Source, row: SpanRow) -> dict[str, Any]:
    """Return one span, whole."""
    found: dict[str, Any] = await source.get(f"/spans/{row.trace_id}/{row.span_id}")
    return found


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
