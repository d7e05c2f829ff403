"""The answers of the routes that the page asks about one session, recorded from these routes.

What the page of a saved session shows is what this service answers: nothing is computed twice. What
shows every span comes first, the rows and what is added up over them; then the content, span by
span from the first on, while there is room for it.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import quote, urlencode

import orjson

from inspector.service.analysis.span_table import SpanTable
from inspector.service.http.context import calls_of
from inspector.service.otlp.untraced import untraced

if TYPE_CHECKING:
    import httpx

MAX_SPAN_BYTES = 512 * 1024
"""Limit of the body of a span, of its long values together, and of a message."""
MAX_STATES = 1_000
"""Limit of the captured states: the service reads the whole session for each of them."""
_ROWS, _LATER_ROWS = 20_000, 5_000
_READINGS = 40
_MAX_VALUE_BYTES = (65_536, 4_096, 256)
"""Limits of a value: the page's own, and those for a span that is too large with it."""


class SavedAnswer(NamedTuple):
    """One answer.

    Attributes:
        path: The path, with the query.
        text: The body.
        next_cursor: What the page finds in a header.
    """

    path: str
    text: str
    next_cursor: str | None


class Recording:
    """The answers about one session.

    Args:
        client: A client of the service.
        session_id: The session.
        table: Its spans.
        has_room: Return whether content may still be added.

    Attributes:
        left_out: Spans whose content is not there, or not all of it.
    """

    def __init__(
        self,
        client: httpx.AsyncClient,
        session_id: str,
        table: SpanTable,
        has_room: Callable[[], bool],
    ) -> None:
        self._client, self._table, self._has_room = client, table, has_room
        self._session = f"/sessions/{quote(session_id, safe='')}"
        self._new: list[SavedAnswer] = []
        self._states_left = MAX_STATES
        self.left_out = 0

    async def answers(self) -> AsyncIterator[list[SavedAnswer]]:
        """Yield the answers, a few at a time; what was deleted meanwhile is left out.

        Raises:
            RuntimeError: A route failed.
        """
        await self._keep(self._session)
        await self._keep_rows()
        for totals in ("true", "false"):
            await self._keep(f"{self._session}/statistics", totals=totals)
        await self._keep(f"{self._session}/context")
        await self._keep_messages()
        yield self._drained()
        before = await asyncio.to_thread(self._calls_before)
        for start in range(0, len(self._table), _READINGS):
            if not self._has_room():
                self.left_out += len(self._table) - start
                return
            places = range(start, min(start + _READINGS, len(self._table)))
            await self._keep_readings(
                [
                    f"{self._key(at)}~{self._key(before[at])}" if at in before else self._key(at)
                    for at in places
                ]
            )
            for at in places:
                await self._keep_span(at)
                yield self._drained()

    def _drained(self) -> list[SavedAnswer]:
        new, self._new = self._new, []
        return new

    async def _keep_rows(self) -> None:
        path = f"{self._session}/spans"
        rows = await self._keep(path, format="columns", limit=_ROWS)
        if rows is not None and rows.next_cursor is not None:
            await self._keep(path, cursor=rows.next_cursor, limit=_LATER_ROWS, format="pages")

    async def _keep_messages(self) -> None:
        """Keep the MCP log, and each message of which the log has only the beginning."""
        query: dict[str, object] = {}
        keys: list[str] = []
        while (page := await self._keep(f"{self._session}/mcp", **query)) is not None:
            log = orjson.loads(page.text)
            keys += [one["key"] for one in log["entries"] if not one["is_whole"]]
            query = {"cursor": log["next_cursor"]}
            if log["next_cursor"] is None or not self._has_room():
                break
        for key in keys:
            found = await self._get(f"{self._session}/mcp/frame", key=key)
            if found is not None and len(found.text) <= MAX_SPAN_BYTES and self._has_room():
                self._new.append(found)

    async def _keep_readings(self, wanted: Sequence[str]) -> None:
        while wanted:
            found = await self._keep(f"{self._session}/transcript", span=wanted)
            wanted = () if found is None else orjson.loads(found.text)["left_out"]

    async def _keep_span(self, at: int) -> None:
        trace_id, span_id, _ = self._table.named(at)
        path = f"/spans/{trace_id}/{span_id}"
        for limit in _MAX_VALUE_BYTES:
            body = await self._get(path, max_value_bytes=limit)
            if body is None:
                return
            if len(body.text) <= MAX_SPAN_BYTES:
                break
        else:
            self.left_out += 1
            return
        self._new.append(body)
        span = orjson.loads(body.text)
        sizes_bytes = accumulate(cut["size_bytes"] for cut in span["clamped"])
        for cut, size_bytes in zip(span["clamped"], sizes_bytes, strict=True):
            if size_bytes > MAX_SPAN_BYTES:
                self.left_out += 1
                break
            await self._keep(f"{path}/value", pointer=cut["pointer"])
        if span["view"]["state"]:
            await self._keep_states(f"{path}/state")

    async def _keep_states(self, path: str) -> None:
        """Keep what was captured on a span: the last state, of each name, after each change."""
        last = await self._keep_state(path)
        for name in () if last is None else orjson.loads(last.text)["names"]:
            named = await self._keep_state(path, name=name)
            for position in () if named is None else orjson.loads(named.text)["here"]:
                await self._keep_state(path, name=name, position=position)

    async def _keep_state(self, path: str, **query: object) -> SavedAnswer | None:
        self._states_left -= 1
        return await self._keep(path, **query) if self._states_left >= 0 else None

    async def _keep(self, path: str, **query: object) -> SavedAnswer | None:
        found = await self._get(path, **query)
        if found is not None:
            self._new.append(found)
        return found

    async def _get(self, path: str, **query: object) -> SavedAnswer | None:
        address = f"{path}?{urlencode(query, doseq=True)}" if query else path
        with untraced():
            response = await self._client.get(address)
        if response.status_code in (308, 404):  # deleted, or merged into another, meanwhile
            return None
        if not response.is_success:
            raise RuntimeError(f"{address} responds {response.status_code}")
        return SavedAnswer(address, response.text, response.headers.get("inspector-next-cursor"))

    def _calls_before(self) -> dict[int, int]:
        """Return the call before of each LLM call in its conversation, as the page sees it.

        All runs of an agent that nobody called are one conversation.
        """
        calls, _ = calls_of(self._table)
        parents = self._table.parents
        return {
            call.place: call.before
            for call in calls
            if call.before >= 0 and (call.is_same_run or parents[call.agent] < 0)
        }

    def _key(self, at: int) -> str:
        trace_id, span_id, _ = self._table.named(at)
        return f"{trace_id}.{span_id}"
