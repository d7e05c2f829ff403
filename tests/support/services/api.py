"""The routes over a store of their own, without access control."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

import httpx
from fastapi import FastAPI
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from inspector.service.app import ROUTERS
from inspector.service.feed.commands import Dispatch
from inspector.service.feed.feed import Feed
from inspector.service.feed.viewing import FeedTiming
from inspector.service.http import problems
from inspector.service.http.access import Access
from inspector.service.http.mcp import McpEndpoint
from inspector.service.http.openapi import with_schemas
from inspector.service.http.parts import Parts
from inspector.service.ingest.repricing import Repricing
from inspector.service.ingest.writer import Clock, Writer
from inspector.service.model.incoming import IncomingLog, IncomingSpan
from inspector.service.otlp.receiver import Receiver
from inspector.service.prices import Pricing
from inspector.service.search import Indexer, open_words
from inspector.service.sessions.retention import Retention
from inspector.service.storage import Store, open_store
from inspector.service.storage.base import ReadableStore
from inspector.service.storage.word_reader import WordsOf
from tests.support.services.app import TOKEN, settings
from tests.support.telemetry.otlp import SECOND_NS, START_NS
from tests.support.telemetry.records import incoming

_NO_TELEMETRY: Any = {"tracing": False, "metrics": False, "logs": False}


class FakeClock:
    """A clock that a test sets."""

    def __init__(self, now_ns: int = START_NS) -> None:
        self.now_ns = now_ns

    def __call__(self) -> int:
        return self.now_ns


@asynccontextmanager
async def service(
    store: Store,
    clock: Clock | None = None,
    timing: FeedTiming | None = None,
    *,
    views: ReadableStore | None = None,
    words: WordsOf | None = None,
) -> AsyncIterator[FastAPI]:
    """Run writer, feed and routes on `store`; time passes only by `ingest.tick`.

    Args:
        store: The store.
        clock: Unix ns.
        timing: Of the feed.
        views: What routes read, in place of the store.
        words: In place of an index of words.
    """
    clock = clock or FakeClock()
    app = FastAPI(telemetry=_NO_TELEMETRY)
    problems.install(app)
    with_schemas(app)
    for router in ROUTERS:
        app.include_router(router)
    feed, dispatch = Feed(store, timing=timing, clock=clock), Dispatch(store)
    async with AsyncExitStack() as stack:
        if words is None:
            words = index = open_words(store, None)
            assert index is not None
            stack.callback(index.close)
            stack.callback(Indexer(store, index).close)
        writer = Writer(store, feed, clock=clock, tick_s=None, dispatch=dispatch)
        stack.push_async_callback(writer.close)
        stack.push_async_callback(dispatch.close)
        stack.push_async_callback(feed.close)
        pricing = Pricing()
        receiver = Receiver(writer.submit, pricing=pricing)
        stack.callback(receiver.close)
        repricing = Repricing(store, writer, pricing)
        stack.push_async_callback(repricing.close)
        app.state.parts = Parts(
            settings=settings(),
            access=Access.build(TOKEN, bind="127.0.0.1"),
            store=views or store,
            feed=feed,
            words=words,
            retention=Retention(),
            writer=writer,
            dispatch=dispatch,
            receiver=receiver,
            pricing=pricing,
            repricing=repricing,
            mcp=McpEndpoint(app, TOKEN, may_steer=False),
        )
        yield app


class Api(httpx.AsyncClient):
    """A client of the routes of `app` in this process, beside its writer and its clock."""

    def __init__(self, app: FastAPI, clock: FakeClock) -> None:
        headers = {"authorization": f"Bearer {TOKEN}"}
        transport = httpx.ASGITransport(app=app)
        super().__init__(transport=transport, base_url="http://inspector", headers=headers)
        self.clock = clock
        self.parts: Parts = app.state.parts

    async def submit(self, *items: Span | IncomingSpan | IncomingLog) -> None:
        """Commit spans and log records as one batch."""
        spans = [incoming(item) if isinstance(item, Span) else item for item in items]
        await self.parts.writer.submit(
            [item for item in spans if isinstance(item, IncomingSpan)],
            [item for item in spans if isinstance(item, IncomingLog)],
        )

    async def pass_time(self, seconds: float) -> None:
        """Move the clock, second by second."""
        end_ns = self.clock.now_ns + int(seconds * SECOND_NS)
        while self.clock.now_ns < end_ns:
            self.clock.now_ns = min(end_ns, self.clock.now_ns + SECOND_NS)
            await self.parts.writer.tick()


@asynccontextmanager
async def open_api(
    store: Store | None = None,
    clock: FakeClock | None = None,
    *,
    views: ReadableStore | None = None,
    words: WordsOf | None = None,
) -> AsyncIterator[Api]:
    """Run writer, feed and routes on `store`, else in memory; return a client of them."""
    clock = clock or FakeClock()
    running = service(store or open_store("memory:"), clock, views=views, words=words)
    async with running as app, Api(app, clock) as api:
        yield api
