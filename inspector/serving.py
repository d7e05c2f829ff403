"""Run an ASGI application on a socket, inside an event loop that is ours."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import AsyncIterator, Iterator

import uvicorn
from fastapi import FastAPI

from inspector.settings import Settings

GRACE_S = 2
"""What running requests get when the service stops. Streams are ended before."""


@contextlib.asynccontextmanager
async def serving(
    app: FastAPI, taken: socket.socket, settings: Settings
) -> AsyncIterator[uvicorn.Server]:
    """Serve `app` on `taken`: listening when the block begins, stopped when it has ended.

    The lifespan of `app` is not run: whoever serves it has opened its parts.
    """
    server = _Server(_config(app, settings))
    task = asyncio.create_task(server.serve([taken]))
    listening = asyncio.create_task(server.listening.wait())
    try:
        await asyncio.wait([task, listening], return_when=asyncio.FIRST_COMPLETED)
        yield server
    finally:
        listening.cancel()
        server.should_exit = True
        await task


class _Server(uvicorn.Server):
    """A server that says when it listens, and leaves signals to us."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.listening = asyncio.Event()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self.listening.set()

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


def _config(app: FastAPI, settings: Settings) -> uvicorn.Config:
    return uvicorn.Config(
        app,
        log_config=None,
        access_log=False,  # it would log the token that a login brings
        lifespan="off",
        ws="none",
        server_header=False,
        timeout_graceful_shutdown=GRACE_S,
        timeout_keep_alive=30,
        ssl_certfile=settings.tls_cert,
        ssl_keyfile=settings.tls_key,
    )
