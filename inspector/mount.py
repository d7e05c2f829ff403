"""`inspector.mount(app)`: the whole service inside a web app, under its own path.

The app starts in any case. Where the store cannot be used, the process sends to the running
service and shows its pages; where none runs, the store is in memory.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import secrets
import signal
import sys
import threading
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator, Mapping
from time import monotonic
from types import FrameType
from typing import Any

from opentelemetry import context as otel_context
from opentelemetry import trace
from opentelemetry.context import Context
from opentelemetry.proto.logs.v1.logs_pb2 import LogRecord
from opentelemetry.proto.trace.v1.trace_pb2 import Span
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.id_generator import RandomIdGenerator
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from inspector import runfile
from inspector.attach import attach, find_service
from inspector.errors import InspectorError, StoreInUseError
from inspector.runfile import RunFile
from inspector.service.app import access_token, create_app, create_passing_app
from inspector.service.http.elsewhere import Elsewhere
from inspector.service.http.parts import Parts
from inspector.service.server.ports import listen, port_of
from inspector.service.server.serving import serving
from inspector.service.settings import Settings, load_settings
from subscribers.send.live_record import LiveRecord

MOUNT_PATH = "/_inspector"

STARTING_S = 3.0
"""Time limit to find the worker that has the store: workers start together."""
FOLLOW_S = 2.0
"""Interval at which a worker checks whether that service has moved."""

_PATH_KEYS = frozenset({"url.path", "http.target", "http.route"})

_logger = logging.getLogger("inspector")


def mount(
    app: Starlette,
    settings: Settings | None = None,
    *,
    path: str = MOUNT_PATH,
    say: Callable[[str], None] | None = None,
) -> None:
    """Mount Inspector in `app` and watch this process with it.

    Call it before the app starts; the service runs as long as the app, which starts in any case.
    If a service runs and no store is configured, or another process (a second worker) has the
    store, this process sends its telemetry there and passes on its pages. Where the store cannot
    be used, the running service is used instead, or else memory, and one warning says why. The
    token is always required.

    Args:
        app: A FastAPI or Starlette application.
        settings: Replace those of the environment. Host and ports are the app's own.
        path: Path of the inspector, such as `/_inspector`.
        say: Gets the one line with the address to open; default: stderr.
    """
    mounted = _MountedApp()
    app.mount(path, mounted)
    around = app.router.lifespan_context

    @contextlib.asynccontextmanager
    async def lifespan(outer: Any) -> AsyncIterator[Any]:
        # Starlette does not run the lifespan of a mounted app.
        ours = contextlib.AsyncExitStack()
        try:
            (say or _print)(await _begin(ours, mounted, settings, path))
        except Exception:
            _logger.warning(
                "Cannot start the Inspector service: this app runs without it.", exc_info=True
            )
        try:
            async with around(outer) as state:
                yield state
        finally:
            try:
                await ours.aclose()
            except Exception:
                _logger.warning("The Inspector service did not shut down cleanly.", exc_info=True)

    app.router.lifespan_context = lifespan


class _MountedApp:
    """The mounted app: passes requests on to `target`, which is set when the outer app starts."""

    def __init__(self) -> None:
        self.target: ASGIApp = PlainTextResponse(
            "The Inspector service is not running in this app.\n", 503
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        token = otel_context.attach(_untraced())
        try:
            await self.target(scope, receive, send)
        finally:
            otel_context.detach(token)


def _untraced() -> Context:
    """Return a context in which instrumentations make no spans of our requests.

    It has nothing of the app's own context. Its parent is not sampled, so that spans started
    nevertheless are not recorded.
    """
    here = trace.get_current_span().get_span_context()
    ids = RandomIdGenerator()
    parent = trace.SpanContext(
        here.trace_id or ids.generate_trace_id(),
        here.span_id or ids.generate_span_id(),
        is_remote=False,
        trace_flags=trace.TraceFlags(trace.TraceFlags.DEFAULT),
    )
    context = trace.set_span_in_context(trace.NonRecordingSpan(parent), Context())
    return otel_context.set_value(otel_context._SUPPRESS_INSTRUMENTATION_KEY, True, context)


async def _begin(
    stack: contextlib.AsyncExitStack, mounted: _MountedApp, settings: Settings | None, path: str
) -> str:
    """Watch this process in the best possible way; return the line for people."""
    own = _SPARE
    elsewhere: Elsewhere | None = None
    why: InspectorError | None = None
    try:
        own = settings or load_settings()
        if not own.is_explicit("store"):  # no other store is configured
            elsewhere = await _running(own.store)
        if elsewhere is None:
            token = access_token(own)
            await stack.enter_async_context(_serving(mounted, own, token, path))
            return f"Inspector: {path}/ui/?token={token}"
    except StoreInUseError as error:
        elsewhere = await _running(own.store, within_s=STARTING_S)
        why = error if elsewhere is None else None
    except InspectorError as error:
        elsewhere, why = await _running(own.store), error
    if elsewhere is not None:
        await stack.enter_async_context(_passing_on(mounted, elsewhere, own, path))
        url, token = elsewhere.running.url, elsewhere.running.token
        if why is not None:
            _logger.warning("%s The Inspector service at %s is used instead.", why, url)
        return f"Inspector: {url}/ui/" + (f"?token={token}" if token else "")
    token = secrets.token_urlsafe(32)
    await stack.enter_async_context(_serving(mounted, _SPARE, token, path))
    _logger.warning("%s Until then, sessions of this app are kept in memory.", why)
    return f"Inspector: {path}/ui/?token={token}"


_SPARE = Settings.model_construct(store="memory:")
"""Default settings: any of the user's may be the fault."""


async def _running(store: str, *, within_s: float = 0.0) -> Elsewhere | None:
    """Return the service to use instead, preferably the one that has `store`."""
    end_s = monotonic() + within_s
    while True:
        found = _named_or_running()
        is_last = monotonic() >= end_s
        if found is not None and (is_last or found.store in ("", store)):
            elsewhere = Elsewhere(found)
            if await elsewhere.is_answering():
                return elsewhere
            await elsewhere.close()
        if is_last:
            return None
        await asyncio.sleep(0.05)


def _named_or_running() -> RunFile | None:
    service, running = find_service(), runfile.read()
    if service is None or not runfile.is_address(service.url):
        return None
    store = running.store if running is not None and running.url == service.url else ""
    return RunFile(service.url, service.token or "", 0, store)


@contextlib.asynccontextmanager
async def _serving(
    mounted: _MountedApp, settings: Settings, token: str, path: str
) -> AsyncIterator[None]:
    """Run the service in this process, and watch the process with it.

    It also listens on a port of its own. Other workers need it, and so does this process: each
    delivery through the app would be a request, thus a span, thus another delivery.
    """
    own = settings.model_copy(update={"require_ingest_token": True, "open_ingest": False})
    plain = own.model_copy(update={"tls_cert": None, "tls_key": None})
    service = create_app(own, token=token, is_own=lambda item: is_about(item, path))

    async def end_streams() -> None:
        parts: Parts = service.state.parts
        await parts.feed.close()
        await parts.dispatch.close()

    async with contextlib.AsyncExitStack() as stack:
        await stack.enter_async_context(service.router.lifespan_context(service))
        sockets = stack.enter_context(listen("127.0.0.1", 0, setting="a free port"))
        await stack.enter_async_context(serving(service, sockets, plain))
        url = f"http://127.0.0.1:{port_of(sockets)}"
        stack.enter_context(_announced(RunFile(url, token, os.getpid(), own.store)))
        await stack.enter_async_context(_watched(url, token, path))
        stack.enter_context(_on_signals(end_streams))
        mounted.target = service
        yield


@contextlib.contextmanager
def _announced(run: RunFile) -> Iterator[None]:
    """Write the run-file, unless another service runs."""
    try:
        if runfile.read() is None:
            runfile.write(run)
    except OSError as error:
        _logger.info("Cannot write the run-file (%s).", error)
    try:
        yield
    finally:
        runfile.remove(run.pid)


@contextlib.asynccontextmanager
async def _passing_on(
    mounted: _MountedApp, elsewhere: Elsewhere, own: Settings, path: str
) -> AsyncIterator[None]:
    """Watch this process with the running service, and pass requests on to it."""
    async with contextlib.AsyncExitStack() as stack:
        stack.push_async_callback(elsewhere.close)
        following = asyncio.create_task(_follow(elsewhere, path))
        stack.push_async_callback(asyncio.wait, [following])
        stack.callback(following.cancel)
        stack.enter_context(_on_signals(elsewhere.close))
        mounted.target = create_passing_app(elsewhere, own)
        yield


async def _follow(elsewhere: Elsewhere, path: str) -> None:
    """Follow the service to new addresses: its worker may be restarted."""
    while True:
        async with _watched(elsewhere.running.url, elsewhere.running.token, path):
            while True:
                await asyncio.sleep(FOLLOW_S)
                now = _named_or_running()
                if now is not None and now != elsewhere.running:
                    elsewhere.running = now
                    break


@contextlib.asynccontextmanager
async def _watched(url: str, token: str, path: str) -> AsyncIterator[None]:
    handle = attach(url, token=token or None)
    if handle._delivery is not None:  # another service does not know this path
        handle._delivery.leaves_out = lambda item: _is_record_about(item, path)
    try:
        yield
    finally:
        await asyncio.to_thread(handle.detach)


def is_about(item: Span | LogRecord, path: str) -> bool:
    """Return whether a span, or a live record of one, is of a request below `path`.

    They are hidden: looking makes requests, and these would be most of the list.
    """
    found = {pair.key: pair.value.string_value for pair in item.attributes}
    if isinstance(item, Span):
        return _is_below(path, item.name, found, is_server=item.kind == Span.SPAN_KIND_SERVER)
    kinds = [one.value.int_value for one in item.attributes if one.key == "inspector.span.kind"]
    name = found.get("inspector.span.name", "")
    return _is_below(path, name, found, is_server=kinds == [Span.SPAN_KIND_SERVER])


def _is_record_about(item: LiveRecord | ReadableSpan, path: str) -> bool:
    """Return the same for an item that is about to be sent."""
    span = item.span if isinstance(item, LiveRecord) else item
    return span is not None and _is_below(
        path, span.name, span.attributes or {}, is_server=span.kind is trace.SpanKind.SERVER
    )


def _is_below(path: str, name: str, attributes: Mapping[str, Any], *, is_server: bool) -> bool:
    if is_server:
        paths = [str(attributes[key]) for key in _PATH_KEYS & attributes.keys()]
        return any(one == path or one.startswith(f"{path}/") for one in paths)
    # ASGI instrumentation makes a span of each message too; they have no path but in the name.
    return "asgi.event.type" in attributes and f" {path}/" in name


@contextlib.contextmanager
def _on_signals(end_streams: Callable[[], Coroutine[Any, Any, None]]) -> Iterator[None]:
    """End open streams on a signal to stop: the server waits for them before it ends us."""
    loop = asyncio.get_running_loop()
    ending: list[asyncio.Task[None]] = []

    def begin() -> None:
        ending.append(loop.create_task(end_streams()))

    def chained(before: Callable[[int, FrameType | None], Any]) -> Callable[..., None]:
        def handle(number: int, frame: FrameType | None) -> None:
            loop.call_soon_threadsafe(begin)
            before(number, frame)

        return handle

    replaced: dict[signal.Signals, Any] = {}
    if threading.current_thread() is threading.main_thread():
        for number in (signal.SIGINT, signal.SIGTERM):
            before = signal.getsignal(number)
            if callable(before):  # the server's; without one, the process just ends
                replaced[number] = before
                signal.signal(number, chained(before))
    try:
        yield
    finally:
        for number, before in replaced.items():
            signal.signal(number, before)


def _print(line: str) -> None:
    sys.stderr.write(f"{line}\n")
    sys.stderr.flush()
