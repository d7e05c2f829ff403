"""Routes of a reader that one of its services answers."""

from __future__ import annotations

import gzip
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx
from fastapi import FastAPI

from inspector.service.app import ROUTERS, assemble
from inspector.service.http.access import Access
from inspector.service.model.writer_names import WriterAddress
from inspector.service.reader.comparing import ImportedSessions
from inspector.service.reader.mirror import MirroredStream
from inspector.service.reader.parts import ReaderParts
from inspector.service.reader.passing import passing_router
from inspector.service.reader.writers import Fleet, RemoteWriter
from tests.support.services.app import TOKEN, settings

_SPAN = f"/spans/{'0' * 32}/{'0' * 16}"


def _answer(status: int, media_type: str, content: bytes) -> httpx.Response:
    async def body() -> AsyncIterator[bytes]:
        yield content

    return httpx.Response(status, headers={"Content-Type": media_type}, content=body())


@asynccontextmanager
async def _reader(**answers: httpx.Response) -> AsyncIterator[httpx.AsyncClient]:
    access = Access.build(TOKEN, bind="127.0.0.1")
    app: FastAPI = assemble([passing_router(one for of in ROUTERS for one in of.routes)], access)
    transport = httpx.MockTransport(lambda request: answers[request.url.host])
    fleet = Fleet([], TOKEN, {})
    async with httpx.AsyncClient(transport=transport) as services:
        for name in answers:
            address = WriterAddress.parse(f"{name}=https://{name}")
            fleet.writers[name] = RemoteWriter(address, services, TOKEN)
        app.state.parts = ReaderParts(
            access=access,
            fleet=fleet,
            stream=MirroredStream([]),
            imported=ImportedSessions(settings()),
            mcp=app,
        )
        async with httpx.AsyncClient(
            transport=httpx.ASGITransport(app),
            base_url="http://127.0.0.1",
            headers={"Authorization": f"Bearer {TOKEN}"},
        ) as client:
            yield client
    await fleet.close()


async def test_a_span_is_found_behind_a_service_that_something_else_answers_for() -> None:
    page = _answer(404, "text/html", b"<h1>Not found</h1>")
    span = _answer(200, "application/json", b'{"session_id":"a"}')
    async with _reader(eu=page, us=span) as client:
        assert (await client.get(_SPAN)).json() == {"session_id": "us:a"}
        for answer in (page, span):
            assert answer.is_closed


async def test_a_span_that_no_service_has_is_away_if_something_else_answers_for_one() -> None:
    page = _answer(404, "text/html", b"<h1>Not found</h1>")
    missing = _answer(404, "application/problem+json", b'{"code":"span_not_found"}')
    async with _reader(eu=missing, us=page) as client:
        assert (await client.get(_SPAN)).json()["code"] == "writer_away"
    missing = _answer(404, "application/problem+json", b'{"code":"span_not_found"}')
    async with _reader(eu=missing) as client:
        answer = await client.get(_SPAN)
        assert (answer.status_code, answer.json()) == (404, {"code": "span_not_found"})


async def test_what_a_proxy_compresses_on_the_way_arrives_plain() -> None:
    export = _answer(200, "application/x-ndjson", gzip.compress(b'{"resourceSpans":[]}\n'))
    export.headers["Content-Encoding"] = "gzip"
    export.headers["Content-Length"] = "40"
    async with _reader(eu=export) as client:
        answer = await client.get("/trace/eu:a")
        assert answer.content == b'{"resourceSpans":[]}\n'
