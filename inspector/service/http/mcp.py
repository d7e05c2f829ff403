"""`POST /mcp`: the MCP server over streamable HTTP, behind the guard of all other routes.

Stateless: each request is answered in itself, so that there is no session to leak, to steal or to
lose by a restart. There is nothing to listen to, and so no GET: clients take the 405 for that.
"""

from __future__ import annotations

import asyncio
import contextlib
from typing import TYPE_CHECKING, Annotated, Any

from fastapi import APIRouter, Depends, Request
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from inspector.service.http.in_process import ask
from inspector.service.http.problems import ProblemError

if TYPE_CHECKING:
    from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

router = APIRouter(tags=["mcp"])

INSTALL = "pip install 'mcp-agent-inspector[serve,mcp]'"
MAX_BODY_BYTES = 1_048_576
_MESSAGE: dict[str, Any] = {
    "description": "A JSON-RPC message, as the Model Context Protocol defines them.",
    "content": {"application/json": {"schema": {"type": "object"}}},
}


class McpEndpoint:
    """The MCP server of a service, loaded on its first request: the library takes a second.

    Args:
        app: The service, whose routes the tools call.
        token: Its access token.
        may_steer: Whether the user who runs the service lets tools steer agents.
    """

    def __init__(self, app: ASGIApp, token: str, *, may_steer: bool) -> None:
        self._app, self._token = app, token
        self.may_steer = may_steer
        self._stop = asyncio.Event()
        self._ready: asyncio.Future[StreamableHTTPSessionManager] | None = None
        self._running: asyncio.Task[None] | None = None

    async def get(self, path: str, **query: object) -> Any:
        """Call a GET route of this app, for the tools."""
        return await ask(self._app, self._token, path, query)

    async def post(self, path: str, body: object, *, may_steer: bool) -> Any:
        """Send `body` to a route of this app, for the tools."""
        from inspector.service.mcp.source import CALLER, READ_ONLY  # noqa: PLC0415

        caller = CALLER.get()
        return await ask(
            self._app,
            self._token,
            path,
            {},
            body=body,
            is_change=True,
            headers={**caller.headers, **({} if may_steer else READ_ONLY)},
            peer=caller.address,
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request.

        Raises:
            ProblemError: The MCP library is not installed.
        """
        if self._ready is None:
            self._ready = asyncio.get_running_loop().create_future()
            self._running = asyncio.create_task(self._run(self._ready))
        manager = await asyncio.shield(self._ready)
        await manager.handle_request(scope, receive, send)

    async def close(self) -> None:
        """End all running requests."""
        self._stop.set()
        if self._running is not None:
            with contextlib.suppress(asyncio.CancelledError):
                await self._running

    async def _run(self, ready: asyncio.Future[StreamableHTTPSessionManager]) -> None:
        """Hold the server open, in one task: it may not be left by another than entered it."""
        try:
            manager = await asyncio.to_thread(_load, self)
        except ModuleNotFoundError:
            ready.set_exception(
                ProblemError(
                    501,
                    "no_mcp",
                    "Not installed",
                    f"The MCP library is not installed. Run: {INSTALL}",
                )
            )
            return
        except Exception as error:  # noqa: BLE001 - whoever waits must not wait for ever
            ready.set_exception(error)
            return
        async with manager.run():
            ready.set_result(manager)
            await self._stop.wait()


def _load(endpoint: McpEndpoint) -> StreamableHTTPSessionManager:
    from mcp.server.streamable_http_manager import (  # noqa: PLC0415 - it may not be installed
        StreamableHTTPSessionManager,
    )

    from inspector.service.mcp.server import create_server  # noqa: PLC0415

    # No security settings: host and origin are the guard's, as for every route.
    return StreamableHTTPSessionManager(
        create_server(endpoint, may_steer=endpoint.may_steer),
        json_response=True,
        stateless=True,
        max_request_body_size=MAX_BODY_BYTES,
    )


class _AppResponse(Response):
    """A response that another ASGI application writes."""

    def __init__(self, app: ASGIApp) -> None:
        super().__init__()
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._app(scope, receive, send)


async def _endpoint_of(request: Request) -> ASGIApp:
    endpoint: ASGIApp = request.app.state.parts.mcp
    return endpoint


_EndpointDep = Annotated[ASGIApp, Depends(_endpoint_of)]


@router.post(
    "/mcp",
    response_class=Response,
    responses={
        200: _MESSAGE,
        202: {"description": "Accepted; a notification has no response."},
        400: _MESSAGE,
        404: _MESSAGE,
        406: _MESSAGE,
        413: {"description": "The message is too large."},
    },
    openapi_extra={
        "requestBody": {"content": {"application/json": {"schema": {"type": "object"}}}}
    },
)
async def talk_mcp(request: Request, endpoint: _EndpointDep) -> Response:
    """Call the MCP server: see `docs/mcp-server.md`."""
    media_type = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if media_type != "application/json":
        raise ProblemError(415, "not_json", "Not JSON", "Send a JSON-RPC message as JSON.")
    return _AppResponse(endpoint)
