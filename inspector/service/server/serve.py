"""`inspector serve`: one process, one event loop, three ports."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import logging
import os
import signal
import socket
import ssl
import sys
import tempfile
from collections.abc import AsyncIterator, Callable, Iterator
from functools import partial
from pathlib import Path

import uvicorn
from fastapi import FastAPI

from inspector import runfile
from inspector.errors import PortInUseError, SettingsError, StoreInUseError
from inspector.runfile import RunFile
from inspector.service.app import access_token, create_app, create_ingest_app
from inspector.service.http.parts import Parts
from inspector.service.otlp.splice import Splicer, can_splice
from inspector.service.server.http_protocol import MAX_CONNECTIONS, TakeHttp2
from inspector.service.server.ports import listen, port_of
from inspector.service.server.serving import GRACE_S, serving
from inspector.service.settings import NO_CONTENT, PREFIX, Settings

if sys.platform != "win32":
    import resource

logger = logging.getLogger("inspector.serve")

_FILES_PER_CONNECTION = 8
"""Open files per connection: one on each of two ports, two where it is joined to gRPC; the rest are
for gRPC and the store."""

_LARGE_BYTES = 31 * 2**20
"""When so large an object was freed, glibc keeps what is free, up to twice as much. Else it gives
back the memory of each request, and the system clears it for the next."""

_SIGNALS = (signal.SIGINT, signal.SIGTERM)


def serve(settings: Settings, *, say: Callable[[str], None] = print) -> None:
    """Serve until SIGINT or SIGTERM.

    Args:
        settings: The settings of the service.
        say: Called with the one line with the address to open, once everything listens.

    Raises:
        PortInUseError: A configured port is in use.
        SettingsError: A setting cannot be used.
        StoreError: The store cannot be used.
    """
    if settings.capture_content == "off":
        what = f"`capture_content`: `off` is for agents. {NO_CONTENT}"
        if os.environ.get(f"{PREFIX}CAPTURE_CONTENT", "").strip().lower() != "off":
            raise SettingsError(f"{what}. Start the service with `--capture-content redacted`.")
        say(f"{what}, and redacts it.")  # a shell may have the variable for its agents
    logging.basicConfig(level=logging.WARNING, format="%(levelname)s %(name)s: %(message)s")
    max_connections = _prepare_for_connections()
    loop_factory = uvicorn.Config(_nothing, log_config=None).get_loop_factory()
    try:
        with asyncio.Runner(loop_factory=loop_factory) as runner:
            role = _serve_reader if settings.writers else _serve
            runner.run(role(settings, say, max_connections))
    except (PortInUseError, StoreInUseError) as error:
        if running := runfile.read():
            also = f"Inspector is already running at {running.url}/ui/: see `inspector open`."
            raise type(error)(f"{error} {also}") from error
        raise


def _prepare_for_many_objects() -> None:
    """Tune the process for its main work: to make thousands of rows, and free them at once.

    None of them is part of a cycle, so the collector looks at them in vain: a tenth of ingest. And
    a thread that waits for the interpreter while another one decodes waits 0.5 ms, not 5.
    """
    bytearray(_LARGE_BYTES)
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 50)
    gc.enable()
    sys.setswitchinterval(0.0005)


def _prepare_for_connections() -> int:
    """Raise the limit of open files; return the connections that a port may have within it.

    Clients must not use up the files that other clients and the store need.
    """
    if sys.platform == "win32":
        return MAX_CONNECTIONS
    wanted = MAX_CONNECTIONS * _FILES_PER_CONNECTION
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        wanted = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
    return wanted // _FILES_PER_CONNECTION


async def _serve_reader(
    settings: Settings, say: Callable[[str], None], max_connections: int
) -> None:
    from inspector.service.reader.app import create_reader_app  # noqa: PLC0415 - seldom wanted

    _tls(settings)
    async with contextlib.AsyncExitStack() as stack:
        main = stack.enter_context(listen(settings.host, settings.port, setting=f"{PREFIX}PORT"))
        app = create_reader_app(settings)
        await stack.enter_async_context(app.router.lifespan_context(app))
        served = serving(app, main, settings, max_connections=max_connections)
        stopping = _on_signals([await stack.enter_async_context(served)])
        base = base_url(settings, port_of(main))
        say(f"Inspector: {base}/ui/?token={app.state.parts.access.token}")
        await stopping.wait()
        await app.state.parts.stream.close()


async def _serve(settings: Settings, say: Callable[[str], None], max_connections: int) -> None:
    _tls(settings)
    async with contextlib.AsyncExitStack() as stack:
        # First of all: a port in use is found before the store is touched.
        main = stack.enter_context(listen(settings.host, settings.port, setting=f"{PREFIX}PORT"))
        ingest = _listen_if_free(settings, "otlp_http_port")
        app = create_app(settings)
        # Opened here and not by uvicorn, which fails with a traceback.
        await stack.enter_async_context(app.router.lifespan_context(app))
        take_http2 = await stack.enter_async_context(_grpc(settings, app))
        served = partial(
            serving, settings=settings, take_http2=take_http2, max_connections=max_connections
        )
        servers = [await stack.enter_async_context(served(app, main))]
        if ingest:
            stack.enter_context(ingest)
            ingest_app = create_ingest_app(app)
            servers.append(await stack.enter_async_context(served(ingest_app, ingest)))
        base = base_url(settings, port_of(main))
        token = access_token(settings)
        stopping = _on_signals(servers)
        with _run_file(RunFile(base, token, os.getpid(), settings.store)):
            say(f"Inspector: {base}/ui/?token={token}")
            _prepare_for_many_objects()
            await stopping.wait()
        parts: Parts = app.state.parts
        await parts.feed.close()  # ends the streams
        await parts.dispatch.close()


def base_url(settings: Settings, port: int) -> str:
    """Return the address of the service for clients on this machine."""
    scheme = "https" if settings.tls_cert else "http"
    host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(settings.host, settings.host)
    return f"{scheme}://[{host}]:{port}" if ":" in host else f"{scheme}://{host}:{port}"


@contextlib.contextmanager
def _run_file(run: RunFile) -> Iterator[None]:
    """Let agents of this user find the service while it runs, before any other."""
    before = runfile.read()
    if before is not None:
        logger.warning(
            "Inspector is already running at %s/ui/. Agents and commands use this one meanwhile.",
            before.url,
        )
    try:
        runfile.write(run)
    except OSError as error:
        logger.warning(
            "Cannot write the run-file (%s): agents need INSPECTOR_URL and INSPECTOR_TOKEN.", error
        )
    try:
        yield
    finally:
        runfile.remove(run.pid)
        if before is not None and runfile.is_alive(before.pid) and runfile.read() is None:
            with contextlib.suppress(OSError):
                runfile.write(before)


def _listen_if_free(settings: Settings, name: str) -> socket.socket | None:
    """Return a socket on the port of a setting; None if it is off, or in use and only a default."""
    port = getattr(settings, name)
    if not port:
        return None
    try:
        return listen(settings.host, port, setting=f"{PREFIX}{name.upper()}")
    except PortInUseError as error:
        if settings.is_explicit(name):
            raise
        logger.warning("%s OTLP is received on the other ports.", error)
        return None


@contextlib.asynccontextmanager
async def _grpc(settings: Settings, app: FastAPI) -> AsyncIterator[TakeHttp2 | None]:
    """Serve OTLP/gRPC; yield the function that takes over its connections on the other ports."""
    if not settings.otlp_grpc_port:
        yield None
        return
    from inspector.service.otlp.grpc_server import GrpcServer  # noqa: PLC0415 - not if it is off

    parts: Parts = app.state.parts
    server = GrpcServer(parts.receiver, parts.access)
    port = None
    # Tried by ourselves first: gRPC writes its errors to stderr.
    if listener := _listen_if_free(settings, "otlp_grpc_port"):
        listener.close()
        port = settings.otlp_grpc_port
    with _socket_folder() as inside:
        await server.start(settings.host, port, tls=_tls(settings), inside=inside)
        try:
            yield Splicer(inside).splice if inside else None
        finally:
            await server.stop(GRACE_S)


@contextlib.contextmanager
def _socket_folder() -> Iterator[Path | None]:
    """Yield a folder for socket files; None where there can be none, as on a read-only system."""
    try:
        temporary = tempfile.TemporaryDirectory(prefix="inspector-")
    except OSError:
        yield None
        return
    with temporary as name:
        folder = Path(name)
        yield folder if can_splice(folder) else None


def _tls(settings: Settings) -> tuple[bytes, bytes] | None:
    """Return key and certificate, if there are any.

    Raises:
        SettingsError: They cannot be used.
    """
    if not (settings.tls_key and settings.tls_cert):
        return None
    try:
        ssl.create_default_context(ssl.Purpose.CLIENT_AUTH).load_cert_chain(
            settings.tls_cert, settings.tls_key
        )
        return settings.tls_key.read_bytes(), settings.tls_cert.read_bytes()
    except OSError as error:  # an SSLError is one
        raise SettingsError(
            f"Cannot serve HTTPS with the certificate {settings.tls_cert} and the key "
            f"{settings.tls_key}: {error}."
        ) from error


def _on_signals(servers: list[uvicorn.Server]) -> asyncio.Event:
    """Return an event that SIGINT or SIGTERM sets; the next one ends everything at once."""
    stopping = asyncio.Event()
    loop = asyncio.get_running_loop()

    def stop() -> None:
        if stopping.is_set():
            for server in servers:
                server.force_exit = True
        stopping.set()

    for number in _SIGNALS:
        if sys.platform == "win32":
            signal.signal(number, lambda *_: loop.call_soon_threadsafe(stop))
        else:
            loop.add_signal_handler(number, stop)
    return stopping


async def _nothing(scope: object, receive: object, send: object) -> None:
    """Application that does nothing: only uvicorn's loop is used."""
