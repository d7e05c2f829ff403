"""The composition root: the one place that builds the parts and connects them."""

from __future__ import annotations

import secrets
import shutil
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from fastapi import APIRouter, FastAPI
from starlette.types import ASGIApp, Lifespan

from inspector.errors import SettingsError
from inspector.service.feed.commands import Dispatch
from inspector.service.feed.feed import Feed
from inspector.service.forward.forwarder import Forwarder
from inspector.service.http import (
    audit,
    causes,
    compare,
    context,
    control,
    events,
    exports,
    health,
    imports,
    mcp,
    mcp_log,
    otlp,
    prices,
    problems,
    processes,
    query_values,
    requests,
    saved_page,
    sessions,
    spans,
    states,
    statistics,
    transcript,
    ui,
)
from inspector.service.http.access import Access
from inspector.service.http.guard import Guard
from inspector.service.http.openapi import with_schemas
from inspector.service.http.parts import Parts, ReadParts
from inspector.service.ingest.repricing import Repricing
from inspector.service.ingest.writer import Writer
from inspector.service.otlp.batch import IsOwn
from inspector.service.otlp.intake import Intake
from inspector.service.otlp.receiver import Receiver, Submit
from inspector.service.prices import Pricing
from inspector.service.search import Indexer, open_words
from inspector.service.sessions.retention import Retention
from inspector.service.settings import Settings
from inspector.service.storage import check_store, open_store
from inspector.service.storage.base import ReadableStore, Store
from inspector.service.storage.sqlite_open import MEMORY_BYTES
from inspector.service.storage.word_reader import WordsOf
from inspector.service.token_file import load_token, store_path
from inspector.version import VERSION

if TYPE_CHECKING:
    from inspector.service.history.history import History
    from inspector.service.history.searching import HistoryIndex
    from inspector.service.history.tiers import TieredStore
    from inspector.service.http.elsewhere import Elsewhere

# FastAPI traces itself when a provider is set: the service would watch itself, without end.
_NO_TELEMETRY: Any = {"tracing": False, "metrics": False, "logs": False}

OpenParts: TypeAlias = Callable[[Settings, Access], AbstractAsyncContextManager[ReadParts]]

ROUTERS = [
    otlp.router,  # first: routes are tried in order, and nothing is asked for as often
    health.router,
    control.router,  # before the sessions, whose paths would take the verb for a part of the id
    # Before `/sessions/{id}`, whose ids may hold anything.
    statistics.router,
    context.router,
    transcript.router,
    mcp_log.router,
    saved_page.router,
    sessions.router,
    spans.router,
    states.router,
    query_values.router,
    exports.router,
    compare.router,
    causes.router,
    imports.router,
    events.router,
    requests.router,
    processes.router,
    prices.router,
    audit.router,
    mcp.router,
    ui.router,
]


def create_app(
    settings: Settings,
    *,
    token: str | None = None,
    open_parts: OpenParts | None = None,
    is_own: IsOwn | None = None,
) -> FastAPI:
    """Return the service as an ASGI application; its lifespan opens and closes the parts.

    Args:
        settings: The settings of the service.
        token: Instead of the one in `settings`, or beside the store.
        open_parts: Instead of all parts, such as for reading only.
        is_own: Spans about the service itself, which are left out.
    """
    access = Access.build(
        token or access_token(settings),
        bind=settings.host,
        hosts=settings.allowed_hosts,
        origins=settings.allowed_origins,
        require_ingest_token=settings.require_ingest_token,
        open_ingest=settings.open_ingest,
    )

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        opened = (
            open_parts(settings, access) if open_parts else running(app, settings, access, is_own)
        )
        async with opened as app.state.parts:
            yield

    return assemble(ROUTERS, access, lifespan)


def create_ingest_app(app: FastAPI) -> FastAPI:
    """Return the app of the OTLP port: ingest and health, on the open parts of `app`."""
    parts: Parts = app.state.parts
    ingest_app = assemble([health.router, otlp.router], parts.access)
    ingest_app.state.parts = parts
    return ingest_app


def create_passing_app(elsewhere: Elsewhere, settings: Settings) -> FastAPI:
    """Return the UI on the routes of a service that runs in another process, and has its token."""
    from inspector.service.http.elsewhere import elsewhere_router  # noqa: PLC0415 - loads httpx

    access = Access.build(
        elsewhere.running.token or secrets.token_urlsafe(32),
        bind=settings.host,
        hosts=settings.allowed_hosts,
        origins=settings.allowed_origins,
        require_ingest_token=True,
    )
    return assemble([ui.router, elsewhere_router(elsewhere)], access)


def access_token(settings: Settings) -> str:
    """Return the token in `settings`, or else the stored one.

    Raises:
        SettingsError: It cannot be read, or is too short for who can reach the service.
        StoreError: There is something else in place of the store.
        UntrustedFileError: Somebody else may have put it there.
    """
    check_store(settings.store)
    configured = settings.token.get_secret_value() if settings.token else None
    token = load_token(settings.store, configured=configured, file=settings.token_file)
    try:
        settings.check_token(token)
    except ValueError as error:
        raise SettingsError(f"Cannot start: {error}.") from error
    return token


@asynccontextmanager
async def running(
    app: ASGIApp, settings: Settings, access: Access, is_own: IsOwn | None = None
) -> AsyncIterator[Parts]:
    """Open the parts, and close them in the opposite order.

    Raises:
        StoreError: The store cannot be used.
        SettingsError: A target of forwarding is not an address, or the price file is no such file.
    """
    async with AsyncExitStack() as stack:
        store = open_store(settings.store)
        stack.callback(store.close)
        path = store_path(settings.store)
        feed = Feed(store)
        stack.push_async_callback(feed.close)
        dispatch = Dispatch(store)
        stack.push_async_callback(dispatch.close)
        retention, hot = Retention.parse(settings.retention), Retention.parse(settings.hot)
        if path is None:
            retention = retention.within(MEMORY_BYTES * 3 // 4)  # the rest is for what comes next
        history: History | None = None
        words: WordsOf | None
        views: ReadableStore = store
        departed: Callable[[Collection[str]], None] | None = None
        if settings.history and path is not None:
            history, tiers, words = _with_history(settings, store, path)
            for part in (tiers, words, history):
                stack.callback(part.close)
            views, departed = tiers, tiers.forget
            # A size is a limit of this disk, and what leaves it is in the history.
            sizes = [one for one in (hot.max_bytes, retention.max_bytes) if one is not None]
            hot = replace(hot, max_bytes=min(sizes, default=None))
            retention = replace(retention, max_bytes=None)
        else:
            words = _indexed(stack, store, path)
            if path is not None:  # a service with a history was killed
                shutil.rmtree(_unpacked(path), ignore_errors=True)
        intake = Intake()
        writer = Writer(
            store,
            feed,
            retention=retention,
            hot=hot,
            dispatch=dispatch,
            intake=intake,
            history=None if history is None else lambda: history.health,
            departed=departed,
        )
        stack.push_async_callback(writer.close)
        mcp_endpoint = mcp.McpEndpoint(app, access.token, may_steer=settings.mcp_control == "on")
        stack.push_async_callback(mcp_endpoint.close)
        forwarder = None
        if settings.forward_otlp:
            queue = path.with_name(path.name + ".forward") if path else None
            forwarder = Forwarder(settings.forward_otlp, queue)
            await forwarder.start()
            stack.push_async_callback(forwarder.close)
        scrubs = settings.capture_content != "full"
        pricing = Pricing.with_file(settings.prices)
        receiver = Receiver(
            _confirmed(writer, feed, history) if settings.ack == "history" else writer.submit,
            forwarder,
            is_own=is_own,
            scrubs=scrubs,
            intake=intake,
            pricing=pricing,
        )
        stack.callback(receiver.close)
        repricing = Repricing(store, writer, pricing)
        stack.push_async_callback(repricing.close)
        yield Parts(
            settings=settings,
            access=access,
            store=views,
            feed=feed,
            words=words,
            retention=retention,
            writer=writer,
            dispatch=dispatch,
            receiver=receiver,
            pricing=pricing,
            repricing=repricing,
            history=history,
            mcp=mcp_endpoint,
        )


def _confirmed(writer: Writer, feed: Feed, history: History | None) -> Submit:
    """Return the submission that ends when the history has what was submitted."""
    assert history is not None

    async def confirmed(stored: Awaitable[None]) -> None:
        await stored
        await history.confirm(feed.head)

    return lambda spans, logs: confirmed(writer.submit(spans, logs))


def _indexed(stack: AsyncExitStack, store: Store, path: Path | None) -> WordsOf | None:
    words = open_words(store, path)
    if words is not None:
        stack.callback(words.close)
        stack.callback(Indexer(store, words).close)
    return words


def _unpacked(store: Path) -> Path:
    return store.with_name(store.name + "-unpacked")


def _with_history(
    settings: Settings, store: Store, path: Path
) -> tuple[History, TieredStore, HistoryIndex]:
    from inspector.service.history.clickhouse import Stores  # noqa: PLC0415 - seldom wanted
    from inspector.service.history.history import History  # noqa: PLC0415
    from inspector.service.history.searching import HistoryIndex  # noqa: PLC0415
    from inspector.service.history.tiers import TieredStore  # noqa: PLC0415

    assert settings.history is not None
    password = settings.history_password
    history = History(
        settings.history,
        password.get_secret_value() if password else "",
        path,
        copies=settings.history_copies,
        is_at_once=settings.ack == "history",
    )
    index = HistoryIndex(Stores(store.id, store.former), history.connect, lambda: history.health)
    return history, TieredStore(store, _unpacked(path), history.unpack), index


def assemble(
    routers: Sequence[APIRouter], access: Access, lifespan: Lifespan[FastAPI] | None = None
) -> FastAPI:
    """Return an application of `routers`, behind `access`."""
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
    app.add_middleware(Guard, access=access)
    for router in routers:
        app.include_router(router)
    routes = [route for router in routers for route in router.routes]
    problems.install(app, routes, otlp.render)
    with_schemas(app)
    return app
