"""Compare sessions of several services: side by side in a small store, which is kept for a while.

They are imported from the files that their services export, and the routes of a service compare
them there.
"""

from __future__ import annotations

import asyncio
import secrets
import tempfile
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import unquote, urlsplit

import httpx
import orjson
from fastapi import FastAPI
from starlette.responses import Response

from inspector.service.app import assemble
from inspector.service.feed.feed import Feed
from inspector.service.files.importer import import_stream
from inspector.service.http import compare
from inspector.service.http.access import Access
from inspector.service.http.in_process import client_of
from inspector.service.http.parts import MAX_COMPARED_SPANS, ReadParts
from inspector.service.http.problems import ProblemError, session_not_found
from inspector.service.ingest.writer import Restored, Writer
from inspector.service.model.incoming import IncomingLog, IncomingSpan
from inspector.service.model.rows import SessionStatus
from inspector.service.model.writer_names import qualified
from inspector.service.otlp.untraced import untraced
from inspector.service.prices import Pricing
from inspector.service.reader.ids import segment
from inspector.service.reader.writers import ANSWER_S, SILENCE_S, RemoteWriter
from inspector.service.settings import Settings
from inspector.service.storage.sqlite import SqliteStore

_MOST_STORES = 4
"""Limit of stores, but for those in use."""
_MOST_IN_USE = 8
_LIVE = (SessionStatus.RUNNING, SessionStatus.WAITING, SessionStatus.PAUSED)


class _Side(NamedTuple):
    """A session to compare."""

    writer: RemoteWriter
    own_id: str
    row: dict[str, Any]
    """As the reader lists it."""


@dataclass
class _Import:
    """Sessions side by side."""

    client: asyncio.Task[httpx.AsyncClient]
    closing: AsyncExitStack
    users: int = field(default=0)


class ImportedSessions:
    """Stores with sessions of several services, each made when its sessions are first compared.

    Args:
        settings: Those of the reader; its price list says what is dearer.
    """

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._imports: dict[object, _Import] = {}

    async def close(self) -> None:
        """Remove all stores. Idempotent."""
        for key in [*self._imports]:
            await self._forget(key)

    async def compare(
        self,
        path: str,
        query: Sequence[tuple[str, str]],
        owners: Sequence[tuple[RemoteWriter, str]],
    ) -> Response:
        """Return what a service answers that has all these sessions.

        Args:
            path: Of a route of `inspector.service.http.compare`.
            query: Its parameters, with the ids that the sessions have in their services.
            owners: The services of the sessions, with these ids.

        Raises:
            ProblemError: They cannot be compared, or a service does not answer.
        """
        sides = await asyncio.gather(*(_side(writer, own_id) for writer, own_id in owners))
        _check(sides)
        merged = {own_id: side.own_id for (_, own_id), side in zip(owners, sides, strict=True)}
        params = httpx.QueryParams([(name, merged.get(value, value)) for name, value in query])
        async with self._imported(sides) as client:
            with untraced():
                answer = await client.get(path, params=params)
        if not answer.is_success:
            return Response(answer.content, answer.status_code, media_type=_type(answer))
        rows = {side.own_id: side.row for side in sides}
        body = orjson.loads(answer.content)
        for name in ("left", "right"):
            if name in body:
                body[name] = rows[body[name]["id"]]
        if "sessions" in body:
            body["sessions"] = [rows[one["id"]] for one in body["sessions"]]
        return Response(orjson.dumps(body), media_type=_type(answer))

    @asynccontextmanager
    async def _imported(self, sides: Sequence[_Side]) -> AsyncIterator[httpx.AsyncClient]:
        key = tuple((side.row["id"], side.row["change"]) for side in sides)
        found = self._imports.pop(key, None)
        if found is None:
            if sum(one.users > 0 for one in self._imports.values()) >= _MOST_IN_USE:
                raise ProblemError(
                    503,
                    "overloaded",
                    "Overloaded",
                    "Other sessions of several services are being compared. Try again in a moment.",
                    headers={"Retry-After": "5"},
                )
            stack = AsyncExitStack()
            found = _Import(asyncio.create_task(self._make(stack, sides)), stack)
        self._imports[key] = found  # the last is the one that was used last
        found.users += 1
        try:
            while len(self._imports) > _MOST_STORES and (unused := self._unused()):
                await self._forget(unused[0])
            yield await asyncio.shield(found.client)
        finally:
            found.users -= 1
            made = found.client
            has_failed = made.done() and (made.cancelled() or made.exception() is not None)
            if has_failed and self._imports.get(key) is found:
                await self._forget(key)

    def _unused(self) -> list[object]:
        return [key for key, one in self._imports.items() if not one.users]

    async def _forget(self, key: object) -> None:
        found = self._imports.pop(key)
        found.client.cancel()
        await asyncio.gather(found.client, return_exceptions=True)
        await found.closing.aclose()

    async def _make(self, stack: AsyncExitStack, sides: Sequence[_Side]) -> httpx.AsyncClient:
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="inspector-"))
        store = stack.enter_context(closing(SqliteStore(Path(folder, "sessions.sqlite3"))))
        feed = Feed(store)
        stack.push_async_callback(feed.close)
        writer = Writer(store, feed)
        stack.push_async_callback(writer.close)
        pricing = Pricing.with_file(self._settings.prices)

        async def receive(spans: Sequence[IncomingSpan], logs: Sequence[IncomingLog]) -> Restored:
            await writer.submit(spans, logs)
            return Restored()

        for side in sides:
            # What is restored does not run any more.
            store_rows = receive if side.row["status"] in _LIVE else writer.restore
            # The service that stored it removed its secrets, or was told not to.
            await import_stream(_file(side), store_rows, scrubs=False, pricing=pricing)
        expected = {side.own_id: side.row["span_count"] for side in sides}
        with store.read() as reader:
            found = {one.row.id: one.row.span_count for one in reader.sessions([*expected])}
        if any(found.get(own_id, 0) < count for own_id, count in expected.items()):
            raise _different_services("have a trace in common")
        token = secrets.token_urlsafe()
        access = Access.build(token, bind="127.0.0.1")
        app: FastAPI = assemble([compare.router], access)
        app.state.parts = ReadParts(settings=self._settings, access=access, store=store, feed=feed)
        return await stack.enter_async_context(client_of(app, token))


async def _side(writer: RemoteWriter, own_id: str) -> _Side:
    answer = await writer.send("GET", f"/sessions/{segment(own_id)}", timeout_s=ANSWER_S)
    body = await writer.body(answer)
    if answer.status_code == 308:  # it was merged into another
        path = unquote(urlsplit(answer.headers["location"]).path)
        return await _side(writer, path.removeprefix(f"{writer.base_path}/sessions/"))
    if answer.status_code == 404:
        raise session_not_found(qualified(writer.name, own_id))
    if answer.status_code != 200:
        raise writer.failed(f"answers {answer.status_code}")
    row = orjson.loads(body)
    return _Side(writer, own_id, {**row, "id": qualified(writer.name, own_id)})


async def _file(side: _Side) -> AsyncIterator[bytes]:
    path = f"/trace/{segment(side.own_id)}"
    answer = await side.writer.send("GET", path, timeout_s=SILENCE_S)
    try:
        if answer.status_code != 200:
            raise side.writer.failed(f"answers {answer.status_code}")
        async for piece in answer.aiter_raw():
            yield piece
    except httpx.HTTPError as error:
        raise side.writer.failed("ended the connection") from error
    finally:
        await answer.aclose()


def _check(sides: Sequence[_Side]) -> None:
    if len({side.own_id for side in sides}) < len({side.row["id"] for side in sides}):
        raise _different_services("have the same id there")
    if (total := sum(side.row["span_count"] for side in sides)) > MAX_COMPARED_SPANS:
        raise ProblemError(
            422,
            "too_many_spans",
            "Too many spans",
            f"The sessions have {total} spans in total; the limit is {MAX_COMPARED_SPANS} where "
            "they are of several services.",
        )


def _different_services(why: str) -> ProblemError:
    return ProblemError(
        422,
        "different_services",
        "Different services",
        f"Sessions of different services cannot be compared if they {why}.",
    )


def _type(answer: httpx.Response) -> str:
    return answer.headers["content-type"]
