"""Compare sessions of several services: side by side in a small store, which is kept for a while.

They are imported from the files that their services export, and the routes of a service compare
them there.
"""

from __future__ import annotations

import asyncio
import re
import secrets
import tempfile
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, ExitStack, asynccontextmanager, closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import httpx
import orjson
from fastapi import FastAPI
from pydantic import ValidationError
from starlette.responses import Response

from inspector.service.app import assemble
from inspector.service.feed.feed import Feed
from inspector.service.files.importer import import_stream
from inspector.service.http import compare
from inspector.service.http.access import Access
from inspector.service.http.compare import check_version
from inspector.service.http.cursors import encode_cursor
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
from inspector.service.wire import Session

_MOST_STORES = 4
"""Limit of stores, but for those in use."""
_MOST_IN_USE = 8
_IDLE_S = 120.0
_IMPORT_S = 300.0
_MOST_BYTES = 2 * 10**9
"""Limit of the content that is imported: as much is on the disk."""
_ROW_BYTES = 1_000
_SESSION = re.compile("/sessions/(?P<session_id>.+)")
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
    users: int = 0
    used_s: float = 0.0


class ImportedSessions:
    """Stores with sessions of several services, each made when its sessions are first compared.

    Args:
        settings: Those of the reader; its price list says what is dearer.
    """

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._imports: dict[object, _Import] = {}
        self._expiring = set[asyncio.Future[None]]()

    async def close(self) -> None:
        """Remove all stores. Idempotent."""
        for key in [*self._imports]:
            await self._forget(key)
        await asyncio.gather(*self._expiring)

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
        # Numbers of the store that is made for it are the same after rows moved.
        version = encode_cursor(*(side.row["change"] for side in sides))
        check_version(dict(query).get("version"), version)
        merged = {own_id: side.own_id for (_, own_id), side in zip(owners, sides, strict=True)}
        params = httpx.QueryParams(
            [(name, merged.get(value, value)) for name, value in query if name != "version"]
        )
        async with self._imported(sides) as client:
            with untraced():
                answer = await client.get(path, params=params)
        if not answer.is_success:
            return Response(answer.content, answer.status_code, media_type=_type(answer))
        rows = {side.own_id: side.row for side in sides}
        body = orjson.loads(answer.content)
        if "version" in body:
            body["version"] = version
        for name in ("left", "right"):
            if name in body:
                body[name] = _row(rows, body[name])
        if "sessions" in body:
            body["sessions"] = [_row(rows, one) for one in body["sessions"]]
        return Response(orjson.dumps(body), media_type=_type(answer))

    @asynccontextmanager
    async def _imported(self, sides: Sequence[_Side]) -> AsyncIterator[httpx.AsyncClient]:
        # Another store in the place of one has its numbers, too.
        key = tuple((side.row["id"], side.row["change"], side.row["changed_at"]) for side in sides)
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
            yield await asyncio.shield(found.client)
        finally:
            found.users -= 1
            found.used_s = time.monotonic()
            made = found.client
            has_failed = made.done() and (made.cancelled() or made.exception() is not None)
            if has_failed and self._imports.get(key) is found:
                await self._forget(key)
            while len(self._imports) > _MOST_STORES and (unused := self._unused()):
                await self._forget(unused[0])
            asyncio.get_running_loop().call_later(_IDLE_S, self._expire)

    def _unused(self, idle_s: float = 0.0) -> list[object]:
        until_s = time.monotonic() - idle_s
        return [
            key for key, one in self._imports.items() if not one.users and one.used_s <= until_s
        ]

    def _expire(self) -> None:
        """Remove the stores that were not used for a while: their sessions may be deleted."""
        for key in self._unused(_IDLE_S):
            task = asyncio.ensure_future(self._forget(key))
            self._expiring.add(task)
            task.add_done_callback(self._expiring.discard)

    async def _forget(self, key: object) -> None:
        found = self._imports.pop(key, None)
        if found is None:
            return
        found.client.cancel()
        await asyncio.gather(found.client, return_exceptions=True)
        await found.closing.aclose()

    async def _make(self, stack: AsyncExitStack, sides: Sequence[_Side]) -> httpx.AsyncClient:
        # Files are made and removed beside the loop, which serves streams.
        files = ExitStack()
        opening = asyncio.create_task(asyncio.to_thread(_open, files))
        stack.push_async_callback(asyncio.to_thread, files.close)
        stack.push_async_callback(asyncio.wait, [opening])  # it goes on in its thread if cancelled
        store = await asyncio.shield(opening)
        feed = Feed(store)
        stack.push_async_callback(feed.close)
        writer = Writer(store, feed)
        stack.push_async_callback(writer.close)
        pricing = Pricing.with_file(self._settings.prices)
        left_bytes = _MOST_BYTES

        async def restore(spans: Sequence[IncomingSpan], logs: Sequence[IncomingLog]) -> Restored:
            nonlocal left_bytes
            left_bytes -= sum(_ROW_BYTES + len(one.content.payload) for one in spans)
            left_bytes -= sum(_ROW_BYTES + one.record.ByteSize() for one in logs)
            if left_bytes < 0:
                raise ProblemError(
                    422, "too_many_spans", "Too much content", "The sessions are too large."
                )
            return await writer.restore(spans, logs)

        expected = dict[str, int]()  # not of the row, which counts twice what came after it left
        for side in sides:
            try:
                async with asyncio.timeout(_IMPORT_S):
                    # The service that stored it removed its secrets, or was told not to.
                    found = await import_stream(_file(side), restore, scrubs=False, pricing=pricing)
            except TimeoutError as error:
                raise side.writer.failed(f"has not sent a session in {_IMPORT_S:.0f} s") from error
            if found.mistakes:
                raise _different_services(f"cannot be read: {found.mistakes[0].message}")
            expected[side.own_id] = found.spans + found.span_duplicates
        counts = await asyncio.to_thread(_span_counts, store, [*expected])
        if any(counts.get(own_id, 0) < count for own_id, count in expected.items()):
            raise _different_services(
                "have a trace in common, or one has traces that other sessions claim, too"
            )
        token = secrets.token_urlsafe()
        access = Access.build(token, bind="127.0.0.1")
        app: FastAPI = assemble([compare.router], access)
        parts = app.state.parts = ReadParts(
            settings=self._settings, access=access, store=store, feed=feed
        )
        for cache in (parts.comparisons, parts.runs):
            stack.callback(cache.clear)
        return await stack.enter_async_context(client_of(app, token))


def _open(files: ExitStack) -> SqliteStore:
    folder = files.enter_context(tempfile.TemporaryDirectory(prefix="inspector-"))
    return files.enter_context(closing(SqliteStore(Path(folder, "sessions.sqlite3"))))


def _span_counts(store: SqliteStore, ids: Sequence[str]) -> dict[str, int]:
    with store.read() as reader:
        return {one.row.id: one.row.span_count for one in reader.sessions(ids)}


async def _side(writer: RemoteWriter, own_id: str, *, is_merged: bool = False) -> _Side:
    try:
        async with asyncio.timeout(ANSWER_S):
            answer = await writer.send("GET", f"/sessions/{segment(own_id)}")
            body = await writer.body(answer)
    except TimeoutError as error:
        raise writer.failed(f"has not answered for {ANSWER_S:.0f} s") from error
    if answer.status_code == 308 and not is_merged:  # into another
        return await _side(writer, writer.target(answer, _SESSION), is_merged=True)
    if answer.status_code == 404:
        raise session_not_found(qualified(writer.name, own_id))
    if answer.status_code != 200:
        raise writer.failed(f"answers {answer.status_code}")
    try:
        row = Session.model_validate_json(body).model_dump(mode="json")
    except ValidationError as error:
        raise writer.failed("is not Inspector: check its address") from error
    return _Side(writer, own_id, {**row, "id": qualified(writer.name, own_id)})


def _row(rows: Mapping[str, dict[str, Any]], imported: dict[str, Any]) -> dict[str, Any]:
    """Return the row of a session, with the time from which the offsets of its steps count."""
    return {**rows[imported["id"]], "epoch_ns": imported["epoch_ns"]}


async def _file(side: _Side) -> AsyncIterator[bytes]:
    path = f"/trace/{segment(side.own_id)}"
    answer = await side.writer.send("GET", path, timeout_s=SILENCE_S)
    try:
        if answer.status_code == 404:  # deleted meanwhile
            raise session_not_found(side.row["id"])
        if answer.status_code != 200:
            raise side.writer.failed(f"answers {answer.status_code}")
        async for piece in answer.aiter_bytes():
            yield piece
    except httpx.HTTPError as error:
        raise side.writer.failed("ended the connection") from error
    finally:
        await answer.aclose()


def _check(sides: Sequence[_Side]) -> None:
    if len({side.own_id for side in sides}) < len({side.row["id"] for side in sides}):
        raise _different_services("have the same id there")
    for row in (side.row for side in sides):
        if row["status"] in _LIVE and row["idle_since"] is None:
            raise _different_services(f"run, as {row['id']} does: try again when it has ended")
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
