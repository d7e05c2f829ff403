"""The service's application with a stand-in for its writer."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace

import httpx
from fastapi import FastAPI
from starlette.applications import Starlette

from inspector.service.app import create_app, running
from inspector.service.http.access import Access
from inspector.service.http.parts import Parts
from inspector.service.model.incoming import IncomingLog, IncomingSpan
from inspector.service.otlp.receiver import Receiver
from inspector.service.settings import Settings

TOKEN = "a-token-for-tests"


class RecordingWriter:
    """A stand-in for `Writer` that records what was submitted, or raises `error`."""

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


def settings(**values: object) -> Settings:
    """Return settings that ignore the environment."""
    defaults = {"store": "memory:", "otlp_http_port": 0, "otlp_grpc_port": 0}
    return Settings.model_validate({**defaults, **values})


@asynccontextmanager
async def running_app(writer: RecordingWriter, **values: object) -> AsyncIterator[FastAPI]:
    """Run the application, with `writer` in place of the one that senders reach."""

    @asynccontextmanager
    async def open_parts(settings: Settings, access: Access) -> AsyncIterator[Parts]:
        receiver = Receiver(writer.submit, scrubs=settings.capture_content != "full")
        async with running(app, settings, access) as parts:
            try:
                yield replace(parts, receiver=receiver)
            finally:
                receiver.close()

    app = create_app(settings(**values), token=TOKEN, open_parts=open_parts)
    async with app.router.lifespan_context(app):
        yield app


@asynccontextmanager
async def service_client(**values: object) -> AsyncIterator[httpx.AsyncClient]:
    """Run the whole service in this process; return a client with its token."""
    app = create_app(settings(**values), token=TOKEN)
    async with app.router.lifespan_context(app), caller(app, token=TOKEN) as client:
        yield client


def caller(
    app: Starlette,
    *,
    peer: str = "127.0.0.1",
    host: str = "127.0.0.1:7800",
    token: str | None = None,
) -> httpx.AsyncClient:
    """Return a client that calls from `peer`."""
    transport = httpx.ASGITransport(app, client=(peer, 50_000), raise_app_exceptions=False)
    headers = {"authorization": f"Bearer {token}"} if token else {}
    return httpx.AsyncClient(transport=transport, base_url=f"http://{host}", headers=headers)
