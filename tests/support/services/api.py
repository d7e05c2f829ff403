"""The read API over its own store, without access control, for tests of routes."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx
from fastapi import FastAPI

from inspector.service.app import ROUTERS
from inspector.service.feed.commands import Dispatch
from inspector.service.feed.feed import Feed, FeedTiming
from inspector.service.http import compare, exports, problems, statistics
from inspector.service.http.cache import ResponseCache
from inspector.service.http.openapi import with_schemas
from inspector.service.ingest.writer import Clock, Writer
from inspector.service.search import Indexer, open_words
from inspector.service.storage import Store
from tests.support.services.app import settings
from tests.support.telemetry.otlp import START_NS

_NO_TELEMETRY: Any = {"tracing": False, "metrics": False, "logs": False}


class FakeClock:
    """A clock that stands still until told otherwise."""

    def __init__(self, now_ns: int = START_NS) -> None:
        self.now_ns = now_ns

    def __call__(self) -> int:
        return self.now_ns


@asynccontextmanager
async def service(
    store: Store, clock: Clock | None = None, timing: FeedTiming | None = None
) -> AsyncIterator[FastAPI]:
    """Run writer, feed and routes on `store`; time passes only by `ingest.tick`."""
    clock = clock or FakeClock()
    app = FastAPI(telemetry=_NO_TELEMETRY)
    app.state.settings = settings()
    app.state.store = store
    app.state.comparisons = ResponseCache(compare.KEPT_SPANS)
    app.state.statistics = ResponseCache(statistics.KEPT)
    app.state.exports = ResponseCache(exports.KEPT)
    app.state.words = open_words(store, None)
    indexer = Indexer(store, app.state.words) if app.state.words else None
    app.state.feed = Feed(store, timing=timing, clock=clock)
    app.state.dispatch = Dispatch(store)
    app.state.writer = Writer(
        store, app.state.feed, clock=clock, tick_s=None, dispatch=app.state.dispatch
    )
    problems.install(app)
    with_schemas(app)
    for router in ROUTERS:
        app.include_router(router)
    try:
        yield app
    finally:
        await app.state.feed.close()
        await app.state.dispatch.close()
        await app.state.writer.close()
        if indexer is not None:
            indexer.close()
            app.state.words.close()


@asynccontextmanager
async def client_of(app: FastAPI) -> AsyncIterator[httpx.AsyncClient]:
    """Return a client that calls `app` in this process."""
    transport = httpx.ASGITransport(app=app)
    async with httpx.AsyncClient(transport=transport, base_url="http://inspector") as client:
        yield client
