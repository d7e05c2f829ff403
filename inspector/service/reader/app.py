"""The application of a reader: its page, and the routes of a service, answered by several."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Annotated, Literal

from fastapi import APIRouter, FastAPI, Query, Request
from starlette.datastructures import MutableHeaders
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from inspector.errors import SettingsError
from inspector.service.app import ROUTERS, assemble
from inspector.service.feed.narrowing import LIST_ROWS
from inspector.service.feed.viewing import NO_SESSION
from inspector.service.http import mcp, ui
from inspector.service.http.access import Access, request_head
from inspector.service.http.events import HEADERS, MAX_IDS_CHARS, EventStream, narrowing_of
from inspector.service.model.writer_names import WriterAddress
from inspector.service.present import rows as presenter
from inspector.service.query.syntax import MAX_CHARS
from inspector.service.reader import lists
from inspector.service.reader.comparing import ImportedSessions
from inspector.service.reader.mirror import MirroredStream
from inspector.service.reader.parts import ReaderParts, reader_parts_of
from inspector.service.reader.passing import passing_router
from inspector.service.reader.writers import ROLE_HEADER, Fleet
from inspector.service.settings import Settings
from inspector.service.wire import Health
from inspector.version import VERSION

own = APIRouter()


def create_reader_app(settings: Settings) -> FastAPI:
    """Return the reader as an ASGI application; its lifespan opens and closes the parts.

    Raises:
        SettingsError: It has no token.
    """
    token = _token(settings)
    access = Access.build(
        token,
        bind=settings.host,
        hosts=settings.allowed_hosts,
        origins=settings.allowed_origins,
        require_ingest_token=True,
    )

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        async with AsyncExitStack() as stack:
            addresses = [WriterAddress.parse(one) for one in settings.writers]
            fleet = Fleet(addresses, token, settings.tokens_of_writers())
            stack.push_async_callback(fleet.close)
            stream = MirroredStream(fleet.writers.values())
            stack.push_async_callback(stream.close)
            endpoint = mcp.McpEndpoint(app, token, may_steer=settings.mcp_control == "on")
            stack.push_async_callback(endpoint.close)
            stream.start()
            imported = ImportedSessions(settings)
            stack.push_async_callback(imported.close)
            app.state.parts = ReaderParts(
                access=access, fleet=fleet, stream=stream, imported=imported, mcp=endpoint
            )
            yield

    passed_on = passing_router([route for router in ROUTERS for route in router.routes])
    app = assemble([own, mcp.router, lists.router, passed_on, ui.router], access, lifespan)
    app.add_middleware(_RoleHeader)
    return app


def _token(settings: Settings) -> str:
    try:
        token = settings.token.get_secret_value() if settings.token else None
        if token is None and settings.token_file is not None:
            token = settings.token_file.read_text("ascii").strip()
        if not token:
            raise SettingsError(
                "Cannot start a reader without a token: set INSPECTOR_TOKEN to the one of its "
                "services."
            )
        settings.check_token(token)
    except (OSError, ValueError) as error:
        raise SettingsError(f"Cannot start: {error}.") from error
    return token


class _RoleHeader:
    """ASGI middleware that says in each answer that this is a reader."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_named(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message)[ROLE_HEADER] = "reader"
            await send(message)

        await self._app(scope, receive, send_named)


@own.get("/health")
def health(request: Request) -> Health:
    """Report that the reader runs, and with the token whether its services answer."""
    parts = reader_parts_of(request)
    answer = Health(version=VERSION, ready=parts.stream.is_ready)
    if parts.access.is_known(request_head(request.scope)):
        answer.store = presenter.store_health(parts.stream.health)
        answer.writers = parts.stream.writer_health()
    return answer


@own.get("/events")
async def events(
    request: Request,
    after: Annotated[str | None, Query(max_length=10_000)] = None,
    session_id: Annotated[str | None, Query(max_length=MAX_IDS_CHARS)] = None,
    q: Annotated[str | None, Query(max_length=MAX_CHARS)] = None,
    rows: Annotated[list[str] | None, Query(max_length=LIST_ROWS)] = None,
    until: Literal["now"] | None = None,
) -> Response:
    """Stream the changes of all services."""
    narrowing = narrowing_of(q, rows)
    position = request.headers.get("last-event-id") or after
    wanted = {part for part in (session_id or "").split(",") if part}
    parts = reader_parts_of(request)
    wanted = {
        one if one == NO_SESSION or parts.owner(one) else await parts.find_owner(one)
        for one in wanted
    }
    stream = parts.stream.stream(position, wanted, narrowing, is_live=until is None)
    return EventStream(stream, headers=HEADERS)
