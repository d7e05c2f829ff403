"""Run an ASGI application on a socket, inside an event loop of our own."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import AsyncIterator, Iterator
from functools import partial
from typing import Any

import uvicorn
from starlette.types import ASGIApp

from inspector.service.server.http_protocol import MAX_CONNECTIONS, HttpProtocol, TakeHttp2
from inspector.service.settings import Settings

KEEP_ALIVE_S = 30
"""Time that an idle connection stays open."""

GRACE_S = 2
"""Grace time for running requests when the service stops. Streams are ended before."""


@contextlib.asynccontextmanager
async def serving(
    app: ASGIApp,
    listener: socket.socket,
    settings: Settings,
    *,
    take_http2: TakeHttp2 | None = None,
    max_connections: int = MAX_CONNECTIONS,
) -> AsyncIterator[uvicorn.Server]:
    """Serve `app` on `listener`: accepting when the block begins, stopped when it has ended.

    The lifespan of `app` is not run: its parts are open. Connections of HTTP/2 go to `take_http2`;
    above `max_connections` an idle one is closed.
    """
    protocol = partial(HttpProtocol, take_http2=take_http2, max_connections=max_connections)
    config = _config(app, settings, protocol)
    if take_http2 and config.ssl:
        config.ssl.set_alpn_protocols(["http/1.1", "h2"])  # gRPC requires it
    server = _Server(config)
    task = asyncio.create_task(server.serve([listener]))
    listening = asyncio.create_task(server.listening.wait())
    try:
        await asyncio.wait([task, listening], return_when=asyncio.FIRST_COMPLETED)
        yield server
    finally:
        listening.cancel()
        server.should_exit = True
        await task


class _Server(uvicorn.Server):
    """A server that signals when it listens, and does not handle signals."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.listening = asyncio.Event()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self.listening.set()

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


def _config(app: ASGIApp, settings: Settings, protocol: Any) -> uvicorn.Config:
    config = uvicorn.Config(
        app,
        http=protocol,
        log_config=None,
        access_log=True,  # or uvicorn's log is off for the app, too; `HttpProtocol` writes none
        lifespan="off",
        ws="none",
        server_header=False,
        # By default uvicorn trusts every process of this machine.
        proxy_headers=bool(settings.trusted_proxies),
        forwarded_allow_ips=list(settings.trusted_proxies),
        timeout_graceful_shutdown=GRACE_S,
        timeout_keep_alive=KEEP_ALIVE_S,
        ssl_certfile=settings.tls_cert,
        ssl_keyfile=settings.tls_key,
    )
    config.load()
    return config
