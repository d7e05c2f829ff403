"""The service's application with a stand-in for its writer."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager

import httpx
from fastapi import FastAPI
from starlette.applications import Starlette

from inspector.service.app import create_app, install_receiver
from inspector.service.model.rows import IncomingLog, IncomingSpan
from inspector.service.settings import Settings

TOKEN = "a-token-for-tests"


class Remembering:
    """Stands for `Writer`: what was submitted, or the error to raise."""

    def __init__(self) -> None:
        self.spans: list[IncomingSpan] = []
        self.logs: list[IncomingLog] = []
        self.error: Exception | None = None
        self.before: Callable[[], Awaitable[object]] | None = None

    async def submit(self, spans: Sequence[IncomingSpan], logs: Sequence[IncomingLog]) -> None:
        if self.before:
            await self.before()
        if self.error:
            raise self.error
        self.spans.extend(spans)
        self.logs.extend(logs)


def settings(**given: object) -> Settings:
    """Return settings that take nothing from the machine."""
    values = {"store": "memory:", "otlp_http_port": 0, "otlp_grpc_port": 0, **given}
    return Settings.model_validate(values)


@asynccontextmanager
async def door(remembering: Remembering, **given: object) -> AsyncIterator[FastAPI]:
    """Run the application, with `remembering` in the place of the store."""

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        async with AsyncExitStack() as stack:
            await install_receiver(app, remembering.submit, stack)
            yield

    app = create_app(settings(**given), token=TOKEN, lifespan=lifespan)
    async with app.router.lifespan_context(app):
        yield app


def caller(
    app: Starlette, *, peer: str = "127.0.0.1", host: str = "127.0.0.1:7800"
) -> httpx.AsyncClient:
    """Return a client without a token, that calls from `peer`."""
    transport = httpx.ASGITransport(app, client=(peer, 50_000), raise_app_exceptions=False)
    return httpx.AsyncClient(transport=transport, base_url=f"http://{host}")
