"""Proxy routes to a service in another process, under this service's access rules."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager

import httpx
from fastapi import APIRouter, Request
from opentelemetry import context as otel_context
from starlette.background import BackgroundTask
from starlette.responses import Response, StreamingResponse

from inspector.runfile import RunFile
from inspector.service.http.problems import ProblemError, route_path

CONNECTED_WITHIN_S = 2.0

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
"""Headers of a request that go on. Who may ask was decided before: no cookie, no origin."""
_OF_THE_HOP = frozenset({"connection", "date", "keep-alive", "server", "transfer-encoding"})
"""Headers of an answer that do not go back."""


class Elsewhere:
    """Client of the service in the other process.

    Attributes:
        running: Where it is; may be replaced.
    """

    def __init__(self, running: RunFile) -> None:
        self.running = running
        self._client = httpx.AsyncClient(timeout=httpx.Timeout(None, connect=CONNECTED_WITHIN_S))

    async def is_answering(self) -> bool:
        """Return whether there is a service."""
        with _without_spans():
            try:
                asked = self._client.get(f"{self.running.url}/health", timeout=CONNECTED_WITHIN_S)
                return (await asked).is_success
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
        asked = self._client.build_request(
            request.method,
            url.copy_with(query=request.scope["query_string"]),
            headers=headers,
            content=None if request.method in ("GET", "HEAD") else request.stream(),
        )
        with _without_spans():
            try:
                answer = await self._client.send(asked, stream=True)
            except (httpx.HTTPError, RuntimeError) as error:  # closed: this app ends
                raise ProblemError(
                    503,
                    "no_service",
                    "No service",
                    f"The inspector at {self.running.url} does not answer: {error}.",
                ) from error
        back = StreamingResponse(
            _body(answer), answer.status_code, background=BackgroundTask(answer.aclose)
        )
        for name, value in answer.headers.multi_items():
            if name == "location" and value.startswith("/"):
                value = request.scope.get("root_path", "") + value
            if name not in _OF_THE_HOP:
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


@contextmanager
def _without_spans() -> Iterator[None]:
    """Keep instrumented HTTP clients from telling of what we ask for ourselves."""
    suppress = otel_context._SUPPRESS_INSTRUMENTATION_KEY
    mark = otel_context.attach(otel_context.set_value(suppress, True))
    try:
        yield
    finally:
        otel_context.detach(mark)
