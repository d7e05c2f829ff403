"""The stream through a real socket, as a browser or `curl -N` gets it."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import pytest
import uvicorn
from pydantic import TypeAdapter

from inspector.service.feed.viewing import FeedTiming
from inspector.service.storage import open_store
from inspector.service.wire.control import StreamEvent
from tests.support.services.api import service
from tests.support.services.viewer import Row, Viewer
from tests.support.telemetry.otlp import START_NS, span
from tests.support.telemetry.records import heartbeat, incoming, started, trace_hex

_MESSAGE: TypeAdapter[StreamEvent] = TypeAdapter(StreamEvent)
_TIMING = FeedTiming(interval_s=0.01, keep_alive_s=0.2)


@contextlib.asynccontextmanager
async def serve(url: str) -> AsyncIterator[Served]:
    """Run the routes on a free port of this machine."""
    store = open_store(url)
    try:
        async with service(store, timing=_TIMING) as app:
            config = uvicorn.Config(app, log_level="error", timeout_graceful_shutdown=5)
            listener = socket.create_server(("127.0.0.1", 0))
            server = uvicorn.Server(config)
            task = asyncio.ensure_future(server.serve([listener]))
            port = listener.getsockname()[1]  # it listens already: the first request waits
            async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}") as client:
                yield Served(app, client)
            await app.state.parts.feed.close()
            server.should_exit = True
            async with asyncio.timeout(10):
                await task
    finally:
        store.close()


class Served:
    def __init__(self, app: object, client: httpx.AsyncClient) -> None:
        self.writer = app.state.parts.writer  # type: ignore[attr-defined]  # FastAPI's own
        self.client = client

    async def follow(
        self,
        viewer: Viewer,
        event_count: int,
        after: str | None = None,
        **narrowed: str | list[str],
    ) -> None:
        """Read so many events without keep-alives, as an EventSource does."""
        headers = {"Last-Event-ID": viewer.last_id} if viewer.last_id else {}
        query = {**({"after": after} if after else {}), **narrowed}
        async with (
            asyncio.timeout(20),
            self.client.stream("GET", "/events", headers=headers, params=query) as answer,
        ):
            assert answer.headers["content-type"].startswith("text/event-stream")
            pending = ""
            async for text in answer.aiter_text():
                *events, pending = (pending + text).split("\n\n")
                for event in events:
                    viewer.read(event)
                    _MESSAGE.validate_json(event.partition("data: ")[2])
                    event_count -= viewer.types[-1] != "Heartbeat"
                    if event_count <= 0:
                        return

    async def truth(self) -> tuple[dict[str, Row], dict[tuple[str, str], tuple[str, Row]]]:
        sessions = (await self.client.get("/sessions")).json()["sessions"]
        spans = {}
        for session in sessions:
            page = (await self.client.get(f"/sessions/{session['id']}/spans")).json()
            for row in page["spans"]:
                spans[row["trace_id"], row["span_id"]] = (session["id"], row)
        return {row["id"]: row for row in sessions}, spans


async def test_a_stream_that_is_cut_and_resumed_equals_the_lists() -> None:
    async with serve("memory:") as served:
        as_of = (await served.client.get("/sessions")).json()["as_of"]
        viewer = Viewer()
        for number in range(1, 9):
            await served.writer.submit([incoming(span(trace=number % 3 + 1, span_id=number))], [])
            await served.follow(viewer, 1, as_of)
        while (viewer.sessions, viewer.spans) != await served.truth():
            await served.follow(viewer, 1)


async def test_a_reader_goes_on_after_the_service_was_killed_and_started_again(
    tmp_path: Path,
) -> None:
    url = f"sqlite:///{tmp_path}/store.sqlite3"
    viewer = Viewer()
    async with serve(url) as served:
        viewer.last_id = (await served.client.get("/sessions")).json()["as_of"]
        await served.writer.submit([], [heartbeat(), started(span())])
        await served.follow(viewer, 1)
    async with serve(url) as served:
        await served.writer.submit([incoming(span(), "p1")], [])
        while (viewer.sessions, viewer.spans) != await served.truth():
            await served.follow(viewer, 1)
        assert viewer.types.count("Gap") == 0
        assert viewer.sessions[trace_hex(1)]["status"] == "completed"


async def test_a_viewer_of_a_part_of_the_list_gets_the_rows_that_fit_and_those_it_names() -> None:
    async with serve("memory:") as served:
        as_of = (await served.client.get("/sessions")).json()["as_of"]
        failed, fine, named = span(trace=1, error="no"), span(trace=2), span(trace=3)
        await served.writer.submit([incoming(one) for one in (failed, fine, named)], [])
        viewer = Viewer()
        rows = [trace_hex(3), trace_hex(4)]
        await served.follow(viewer, 2, as_of, q="errors>0", rows=rows)
        assert viewer.sessions.keys() == {trace_hex(1), trace_hex(3)}
        assert not viewer.spans


async def test_of_more_than_200_rows_in_a_second_the_rest_is_reported_and_in_the_list() -> None:
    async with serve("memory:") as served:
        as_of = (await served.client.get("/sessions")).json()["as_of"]
        await served.writer.submit([incoming(span(trace=n)) for n in range(1, 251)], [])
        viewer = Viewer()
        await served.follow(viewer, 201, as_of, q="")
        assert viewer.types.count("LeftOut") == 1
        assert len(viewer.sessions) == 200
        assert len((await served.client.get("/sessions?limit=1000")).json()["sessions"]) == 250


async def test_a_query_of_the_stream_has_the_errors_of_the_list() -> None:
    async with serve("memory:") as served:
        query = {"q": "status:faild"}
        of_list = await served.client.get("/sessions", params=query)
        of_stream = await served.client.get("/events", params=query)
        assert of_list.json()["code"] == "bad_query"
        assert (of_stream.status_code, of_stream.json()) == (400, of_list.json())
        many = {"rows": [str(number) for number in range(201)]}
        assert (await served.client.get("/events", params=many)).status_code == 422


@pytest.mark.slow
async def test_many_viewers_see_a_span_and_one_that_does_not_read_holds_nobody_up() -> None:
    async with serve("memory:") as served:
        as_of = (await served.client.get("/sessions")).json()["as_of"]
        async with served.client.stream("GET", "/events", params={"after": as_of}):
            viewers = [Viewer() for _ in range(10)]
            follows = [asyncio.ensure_future(served.follow(v, 2, as_of)) for v in viewers]
            big = span("x" * 10_000)
            await served.writer.submit([incoming(big)], [])
            await asyncio.gather(*follows)
            for number in range(2, 200):
                await served.writer.submit([incoming(span("y" * 10_000, span_id=number))], [])
            late = Viewer()
            await served.follow(late, 200, as_of)
        assert all(len(viewer.spans) == 1 for viewer in viewers)
        assert len(late.spans) == 199


async def test_only_the_requested_sessions_show_their_spans() -> None:
    async with serve("memory:") as served:
        as_of = (await served.client.get("/sessions")).json()["as_of"]
        batch = [incoming(span(trace=n, start_ns=START_NS)) for n in (1, 2, 3)]
        await served.writer.submit(batch, [])
        viewer = Viewer()
        wanted = f"{trace_hex(1)},{trace_hex(3)}"
        async with (
            asyncio.timeout(10),
            served.client.stream(
                "GET", "/events", params={"after": as_of, "session_id": wanted}
            ) as answer,
        ):
            pending = ""
            async for text in answer.aiter_text():
                *events, pending = (pending + text).split("\n\n")
                for event in events:
                    viewer.read(event)
                if len(viewer.spans) == 2:
                    break
        assert {trace_id for trace_id, _ in viewer.spans} == {trace_hex(1), trace_hex(3)}
        assert len(viewer.sessions) == 3
