"""The composition root: the one place that builds the parts and connects them."""

from __future__ import annotations

import secrets
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

from fastapi import APIRouter, FastAPI
from starlette.types import Lifespan

from inspector.errors import SettingsError
from inspector.service.feed.commands import Dispatch
from inspector.service.feed.feed import Feed
from inspector.service.forward.forwarder import Forwarder
from inspector.service.http import (
    audit,
    compare,
    control,
    events,
    exports,
    health,
    imports,
    mcp,
    mcp_log,
    otlp,
    problems,
    processes,
    query_values,
    requests,
    sessions,
    spans,
    states,
    statistics,
    transcript,
    ui,
)
from inspector.service.http.access import Access, Guard
from inspector.service.http.cache import ResponseCache
from inspector.service.http.elsewhere import Elsewhere, elsewhere_router
from inspector.service.http.mcp import McpDoor
from inspector.service.http.openapi import with_schemas
from inspector.service.ingest.writer import Writer
from inspector.service.otlp.batch import IsOwn
from inspector.service.otlp.receiver import Receiver, Submit
from inspector.service.search import Indexer, open_words
from inspector.service.sessions.retention import Retention
from inspector.service.settings import Settings
from inspector.service.storage import open_store
from inspector.service.storage.sqlite_open import MEMORY_BYTES
from inspector.service.token import load_token, store_path
from inspector.version import VERSION

# FastAPI traces itself when a provider is set: the service would be its own subject, without end.
_NO_TELEMETRY: Any = {"tracing": False, "metrics": False, "logs": False}

ROUTERS = [
    health.router,
    control.router,  # before the sessions, whose paths would take the verb for a part of the id
    # Before `/sessions/{id}`, whose ids may hold anything.
    statistics.router,
    transcript.router,
    mcp_log.router,
    sessions.router,
    spans.router,
    states.router,
    query_values.router,
    exports.router,
    compare.router,
    imports.router,
    events.router,
    requests.router,
    processes.router,
    audit.router,
    otlp.router,
    mcp.router,
    ui.router,
]


def create_app(
    settings: Settings,
    *,
    token: str | None = None,
    lifespan: Lifespan[FastAPI] | None = None,
    is_own: IsOwn | None = None,
) -> FastAPI:
    """Return the service as an ASGI application; its lifespan opens and closes the store.

    Args:
        settings: What the user asked for.
        token: Instead of the one in `settings`, or beside the store.
        lifespan: Instead of `running`; sets what the routes need on `app.state`.
        is_own: Spans about the service itself, which are left out.
    """
    app = _assemble(ROUTERS, lifespan or running)
    app.state.settings = settings
    app.state.is_own = is_own
    app.state.comparisons = ResponseCache(compare.KEPT_SPANS)
    app.state.statistics = ResponseCache(statistics.KEPT)
    app.state.exports = ResponseCache(exports.KEPT)
    app.state.access = Access.build(
        token or access_token(settings),
        bind=settings.host,
        hosts=settings.allowed_hosts,
        origins=settings.allowed_origins,
        require_ingest_token=settings.require_ingest_token,
        open_ingest=settings.open_ingest,
    )
    return app


def create_ingest_app(app: FastAPI) -> FastAPI:
    """Return the app of the OTLP port: ingest and health, on the parts of `app`."""
    ingest_app = _assemble([health.router, otlp.router], None)
    ingest_app.state = app.state
    return ingest_app


def create_passing_app(elsewhere: Elsewhere, settings: Settings) -> FastAPI:
    """Return the UI on the routes of a service that runs in another process, and has its token."""
    app = _assemble([ui.router, elsewhere_router(elsewhere)], None)
    app.state.access = Access.build(
        elsewhere.running.token or secrets.token_urlsafe(32),
        bind=settings.host,
        hosts=settings.allowed_hosts,
        origins=settings.allowed_origins,
        require_ingest_token=True,
    )
    return app


def access_token(settings: Settings) -> str:
    """Return the token in `settings`, or else the stored one.

    Raises:
        SettingsError: It cannot be read, or is too short for who can reach the service.
        UntrustedFileError: Somebody else may have put it there.
    """
    given = settings.token.get_secret_value() if settings.token else None
    token = load_token(settings.store, given=given, file=settings.token_file)
    try:
        settings.check_token(token)
    except ValueError as error:
        raise SettingsError(f"Cannot start: {error}.") from error
    return token


@asynccontextmanager
async def running(app: FastAPI) -> AsyncIterator[None]:
    """Open the parts, put them on `app.state`, and close them in the opposite order.

    Raises:
        StoreError: The store cannot be used.
        SettingsError: A target of forwarding is not an address.
    """
    settings: Settings = app.state.settings
    async with AsyncExitStack() as stack:
        store = open_store(settings.store)
        stack.callback(store.close)
        path = store_path(settings.store)
        app.state.words = open_words(store, path)
        if app.state.words is not None:
            stack.callback(app.state.words.close)
            stack.callback(Indexer(store, app.state.words).close)
        feed = Feed(store)
        stack.push_async_callback(feed.close)
        dispatch = Dispatch(store)
        stack.push_async_callback(dispatch.close)
        retention = Retention.parse(settings.retention)
        if path is None:
            retention = retention.within(MEMORY_BYTES * 3 // 4)  # the rest is for what comes next
        writer = Writer(store, feed, retention=retention, dispatch=dispatch)
        stack.push_async_callback(writer.close)
        app.state.store, app.state.feed, app.state.writer = store, feed, writer
        app.state.dispatch = dispatch
        app.state.mcp = McpDoor(app)
        stack.push_async_callback(app.state.mcp.close)
        await install_receiver(app, writer.submit, stack)
        yield


async def install_receiver(app: FastAPI, submit: Submit, stack: AsyncExitStack) -> None:
    """Put the receiver and its forwarder on `app.state`; `stack` closes them."""
    settings: Settings = app.state.settings
    forwarder = None
    if settings.forward_otlp:
        path = store_path(settings.store)
        queue = path.with_name(path.name + ".forward") if path else None
        forwarder = Forwarder(settings.forward_otlp, queue)
        await forwarder.start()
        stack.push_async_callback(forwarder.close)
    app.state.receiver = Receiver(
        submit,
        forwarder,
        is_own=app.state.is_own,
        scrubs=settings.capture_content != "full",
    )
    stack.callback(app.state.receiver.close)


def _assemble(routers: Sequence[APIRouter], lifespan: Lifespan[FastAPI] | None) -> FastAPI:
    app = FastAPI(
        title="Inspector",
        version=VERSION,
        summary="Watch AI agents and MCP applications while they run.",
        docs_url=None,
        redoc_url=None,
        openapi_url=None,
        redirect_slashes=False,
        telemetry=_NO_TELEMETRY,
        lifespan=lifespan,
    )
    app.add_middleware(Guard)
    for router in routers:
        app.include_router(router)
    routes = [route for router in routers for route in router.routes]
    problems.install(app, routes, otlp.render)
    with_schemas(app)
    return app
