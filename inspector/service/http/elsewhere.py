"""Proxy routes to a service in another process, under this service's access rules."""

from __future__ import annotations

from collections.abc import AsyncIterator

import httpx
from fastapi import APIRouter, Request
from starlette.background import BackgroundTask
from starlette.responses import Response, StreamingResponse

from inspector.runfile import RunFile
from inspector.service.http.problems import ProblemError, route_path
from inspector.service.otlp.untraced import untraced

CONNECT_TIMEOUT_S = 2.0

_PASSED_ON = (
    "accept",
    "accept-encoding",
    "content-encoding",
    "content-type",
    "if-none-match",
    "inspector-grant",
    "last-event-id",
    "mcp-protocol-version",
    "mcp-session-id",
    "range",
    "user-agent",
)
"""Headers of a request that are passed on: no cookie and no origin, which were checked here."""
_HOP_BY_HOP = frozenset({"connection", "date", "keep-alive", "server", "transfer-encoding"})
"""Headers of an answer that are not passed back."""


class Elsewhere:
    """Client of the service in the other process.

    Attributes:
        running: The running service; may be replaced.
    """

    def __init__(self, running: RunFile) -> None:
        self.running = running
        self._client = httpx.AsyncClient(timeout=httpx.Timeout(None, connect=CONNECT_TIMEOUT_S))

    async def is_answering(self) -> bool:
        """Return whether the service answers."""
        with untraced():
            try:
                answer = await self._client.get(
                    f"{self.running.url}/health", timeout=CONNECT_TIMEOUT_S
                )
                return answer.is_success
            except httpx.HTTPError:
                return False

    async def ask(self, request: Request) -> Response:
        """Return the service's response as a stream.

        Raises:
            ProblemError: It does not answer.
        """
        headers = {name: request.headers[name] for name in _PASSED_ON if name in request.headers}
        if self.running.token:
            headers["authorization"] = f"Bearer {self.running.token}"
        url = httpx.URL(f"{self.running.url}{route_path(request.scope)}")
        outgoing = self._client.build_request(
            request.method,
            url.copy_with(query=request.scope["query_string"]),
            headers=headers,
            content=None if request.method in ("GET", "HEAD") else request.stream(),
        )
        with untraced():
            try:
                answer = await self._client.send(outgoing, stream=True)
            except (httpx.HTTPError, RuntimeError) as error:  # closed: this app ends
                raise ProblemError(
                    503,
                    "no_service",
                    "No service",
                    f"The Inspector service at {self.running.url} does not respond: {error}.",
                ) from error
        back = StreamingResponse(
            _body(answer), answer.status_code, background=BackgroundTask(answer.aclose)
        )
        for name, value in answer.headers.multi_items():
            if name == "location" and value.startswith("/"):
                value = request.scope.get("root_path", "") + value
            if name not in _HOP_BY_HOP:
                back.headers.append(name, value)
        return back

    async def close(self) -> None:
        """End all open requests."""
        await self._client.aclose()


def elsewhere_router(elsewhere: Elsewhere) -> APIRouter:
    """Return a router that passes every path to `elsewhere`."""
    router = APIRouter()
    methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"]
    router.add_api_route("/{path:path}", elsewhere.ask, methods=methods, include_in_schema=False)
    return router


async def _body(answer: httpx.Response) -> AsyncIterator[bytes]:
    try:
        async for piece in answer.aiter_raw():
            yield piece
    except (httpx.HTTPError, httpx.StreamError):
        return  # it, or this app, has ended: so does the answer
