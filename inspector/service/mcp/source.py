"""The source of the tools' answers, and a cache in front of it."""

from __future__ import annotations

import asyncio
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, Protocol
from urllib.parse import quote

from inspector.errors import RefusedError
from inspector.service.analysis.sanitise import as_written
from inspector.service.analysis.span_tree import SpanTree
from inspector.service.model.rows import SpanKind, SpanRow, SpanStatus
from inspector.service.wire.control import MAX_ACTOR_CHARS
from inspector.version import VERSION

_PAGE = 20_000
MAX_SPANS = 200_000
"""Limit of the spans of a session that are read."""
IDLE_S = 60.0
"""Time that the last session is cached without a request."""

_ID_CHARS = 240
"""Limit of an id: with the name of a service before it where a reader answers."""

READ_ONLY = {"Inspector-Grant": "read"}
"""A header with which the service refuses and audits every change."""

_SETTLED = frozenset({"completed", "failed", "cancelled", "lost"})


@dataclass(frozen=True, slots=True)
class Caller:
    """The caller of a tool, for the audit log.

    Attributes:
        name: By its own claim.
        address: Address of the client; None: this machine, over standard input.
    """

    name: str = "mcp client"
    address: str | None = None

    @property
    def headers(self) -> dict[str, str]:
        """The headers that name the caller to the service."""
        return {
            "User-Agent": f"inspector-mcp/{VERSION}",
            "Inspector-Actor": quote(self.name[:MAX_ACTOR_CHARS]),
        }


CALLER: ContextVar[Caller] = ContextVar("caller", default=Caller())  # noqa: B039 - it is frozen


class RouteSource(Protocol):
    """Calls the routes of `openapi.yaml`."""

    async def get(self, path: str, **query: object) -> Any:
        """Return the JSON at `path`.

        Raises:
            InspectorError: It is refused, or the service does not answer.
        """

    async def post(self, path: str, body: object, *, may_steer: bool) -> Any:
        """Send `body` to `path` for the `CALLER`, and return the JSON of the answer.

        Args:
            path: Of a route that changes something.
            body: JSON.
            may_steer: Whether a person granted that. Otherwise the service refuses, and audits
                the attempt.

        Raises:
            InspectorError: It is refused, or the service does not answer.
        """


class Archive:
    """The source of the tools, with the tree of the last session cached.

    An LLM calls several tools about one session, and a large one takes seconds to read.
    """

    def __init__(self, source: RouteSource) -> None:
        self._source = source
        self._last: tuple[dict[str, Any], SpanTree] | None = None
        self._expiry: asyncio.TimerHandle | None = None

    async def get(self, path: str, **query: object) -> Any:
        """Return the JSON at `path`.

        Raises:
            InspectorError: It is refused, or the service does not answer.
        """
        return await self._source.get(path, **query)

    async def post(self, path: str, body: object) -> Any:
        """Send `body` to `path`, as a person granted, and return the JSON of the answer.

        Raises:
            InspectorError: It is refused, or the service does not answer.
        """
        return await self._source.post(path, body, may_steer=True)

    async def request(self, request_id: str) -> dict[str, Any]:
        """Return a request by its id, as it is or as we show it.

        Raises:
            RefusedError: There is none.
        """
        wanted = [one for one in (request_id, as_written(request_id)) if one not in (".", "..")]
        for place, one in enumerate(wanted):
            try:
                found: dict[str, Any] = await self.get(f"/requests/{_segment(one)}")
            except RefusedError as error:
                if error.problem.get("code") != "no_such_request" or place + 1 == len(wanted):
                    raise
            else:
                return found
        raise RefusedError(f"Request not found: {request_id!r}.")

    async def session(self, session_id: str) -> dict[str, Any]:
        """Return a session by its id, as it is or as we show it.

        Raises:
            RefusedError: There is none; says how to find one.
        """
        for wanted in dict.fromkeys((session_id, as_written(session_id))):
            if not wanted or wanted in (".", ".."):
                continue  # a URL cannot name them
            try:
                found: dict[str, Any] = await self.get(f"/sessions/{_segment(wanted)}")
            except RefusedError as error:
                if error.problem.get("code") != "session_not_found":
                    raise
            else:
                return found
        raise RefusedError(
            f"Session not found: {session_id!r}. Use an id from find_sessions, unchanged."
        )

    async def of_session(self, session: dict[str, Any], name: str, **query: object) -> Any:
        """Return the JSON at the route `name` of a session."""
        return await self.get(f"/sessions/{_segment(session['id'])}/{name}", **query)

    async def tree(self, session: dict[str, Any]) -> SpanTree:
        """Return the spans of a session, `MAX_SPANS` of them at most."""
        if self._last is None or self._last[0] != session:
            rows = await self._spans(session)
            tree = await asyncio.to_thread(SpanTree.of, rows)
            # A session that runs changes without notice.
            self._last = (session, tree) if session["status"] in _SETTLED else None
            found = tree
        else:
            found = self._last[1]
        if self._expiry:
            self._expiry.cancel()
        self._expiry = asyncio.get_running_loop().call_later(IDLE_S, self._forget)
        return found

    async def span(self, row: SpanRow) -> dict[str, Any]:
        """Return one span in full."""
        path = f"/spans/{row.trace_id}/{row.span_id}"
        found: dict[str, Any] = await self.get(path, session_id=row.session_id)
        return found

    async def _spans(self, session: dict[str, Any]) -> list[SpanRow]:
        rows: list[SpanRow] = []
        cursor: str | None = None
        while True:
            page = await self.of_session(
                session, "spans", format="columns", limit=_PAGE, cursor=cursor
            )
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


def path_id(value: object) -> str:
    """Return any argument as an id in a path: `unknown` if it is none."""
    wanted = as_written(value) if isinstance(value, str) else ""
    return _segment(wanted[:_ID_CHARS]) or "unknown"


def _segment(session_id: str) -> str:
    return quote(session_id, safe="")
