"""`inspector.mount(app)`: the whole service inside a web app, under its own path.

The app starts whatever happens here. Where the store cannot be had, the process sends to the
service that runs, and its pages are that service's; where none runs, what it does is kept in
memory.
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
"""How long one who has the store may take to say where it is: workers start together."""
FOLLOW_S = 2.0
"""How often a worker looks whether that service has moved."""

_PATH_KEYS = frozenset({"url.path", "http.target", "http.route"})

_logger = logging.getLogger("inspector")


def mount(
    app: Starlette,
    settings: Settings | None = None,
    *,
    path: str = MOUNT_PATH,
    say: Callable[[str], None] | None = None,
) -> None:
    """Put the inspector into `app`, and watch this process with it.

    Call it before the app starts; the service runs while the app does. The app starts in any case.
    Where a service runs, unless a store was asked for, and where another process has the store (a
    second worker), this one sends its telemetry there and passes the pages on. Where the store
    cannot be used, the running service is used instead, or else memory, and one warning says why.
    The token is always asked for.

    Args:
        app: A FastAPI or Starlette application.
        settings: Instead of those of the environment. Host and ports are the app's own.
        path: Where, such as `/_inspector`.
        say: Gets the one line with what to open; default: stderr.
    """
    door = _Door()
    app.mount(path, door)
    around = app.router.lifespan_context

    @contextlib.asynccontextmanager
    async def lifespan(outer: Any) -> AsyncIterator[Any]:
        # Starlette does not run the lifespan of what is mounted.
        ours = contextlib.AsyncExitStack()
        try:
            (say or _say)(await _begin(ours, door, settings, path))
        except Exception:
            _logger.warning("Cannot start the inspector: this app runs without.", exc_info=True)
        try:
            async with around(outer) as state:
                yield state
        finally:
            try:
                await ours.aclose()
            except Exception:
                _logger.warning("The inspector did not end as it should.", exc_info=True)

    app.router.lifespan_context = lifespan


class _Door:
    """What is mounted: passes on to whoever answers, which is known when the app starts."""

    def __init__(self) -> None:
        self.to: ASGIApp = PlainTextResponse("The inspector does not run here.\n", 503)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        token = otel_context.attach(_untraced())
        try:
            await self.to(scope, receive, send)
        finally:
            otel_context.detach(token)


def _untraced() -> Context:
    """Return a context in which nobody makes spans of what we do.

    What FastAPI and instrumentations keep in the app's own context is left out. The parent is
    not sampled, so that whoever starts a span all the same starts one that is not recorded.
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
    stack: contextlib.AsyncExitStack, door: _Door, asked: Settings | None, path: str
) -> str:
    """Watch this process, in the best way there is; return the line that says how."""
    own = _SPARE
    elsewhere: Elsewhere | None = None
    why: InspectorError | None = None
    try:
        own = asked or load_settings()
        if not own.is_explicit("store"):  # nobody asked for another than is there
            elsewhere = await _running(own.store)
        if elsewhere is None:
            token = access_token(own)
            await stack.enter_async_context(_serving(door, own, token, path))
            return f"Inspector: {path}/ui/?token={token}"
    except StoreInUseError as error:
        elsewhere = await _running(own.store, within_s=STARTING_S)
        why = error if elsewhere is None else None
    except InspectorError as error:
        elsewhere, why = await _running(own.store), error
    if elsewhere is not None:
        await stack.enter_async_context(_passing_on(door, elsewhere, own, path))
        url, token = elsewhere.running.url, elsewhere.running.token
        if why is not None:
            _logger.warning("%s The inspector that runs at %s is used.", why, url)
        return f"Inspector: {url}/ui/" + (f"?token={token}" if token else "")
    token = secrets.token_urlsafe(32)
    await stack.enter_async_context(_serving(door, _SPARE, token, path))
    _logger.warning("%s Until then, what this app does is kept in memory.", why)
    return f"Inspector: {path}/ui/?token={token}"


_SPARE = Settings.model_construct(store="memory:")
"""Takes nothing over from the user's: any of that may be what is wrong."""


async def _running(store: str, *, within_s: float = 0.0) -> Elsewhere | None:
    """Return the service to use instead: the one that has `store`, if it can be found in time."""
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
async def _serving(door: _Door, asked: Settings, token: str, path: str) -> AsyncIterator[None]:
    """Run the service in this process, and watch the process with it.

    It listens on a port of its own besides. Not only for other workers: were the telemetry of this
    process sent through the app, each delivery would be a request that its instrumentation makes a
    span of, which has to be delivered.
    """
    own = asked.model_copy(update={"require_ingest_token": True, "open_ingest": False})
    plain = own.model_copy(update={"tls_cert": None, "tls_key": None})
    service = create_app(own, token=token, is_own=lambda item: is_about(item, path))

    async def end_streams() -> None:
        parts: Parts = service.state.parts
        await parts.feed.close()
        await parts.dispatch.close()

    async with contextlib.AsyncExitStack() as stack:
        await stack.enter_async_context(service.router.lifespan_context(service))
        taken = stack.enter_context(listen("127.0.0.1", 0, setting="a free port"))
        await stack.enter_async_context(serving(service, taken, plain))
        url = f"http://127.0.0.1:{port_of(taken)}"
        stack.enter_context(_told(RunFile(url, token, os.getpid(), own.store)))
        await stack.enter_async_context(_watched(url, token, path))
        stack.enter_context(_on_signals(end_streams))
        door.to = service
        yield


@contextlib.contextmanager
def _told(run: RunFile) -> Iterator[None]:
    """Let other workers, agents and the command line find the service, if no other runs."""
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
    door: _Door, elsewhere: Elsewhere, own: Settings, path: str
) -> AsyncIterator[None]:
    """Watch this process with the service that runs, and answer with what that answers."""
    async with contextlib.AsyncExitStack() as stack:
        stack.push_async_callback(elsewhere.close)
        following = asyncio.create_task(_follow(elsewhere, path))
        stack.push_async_callback(_ended, following)
        stack.enter_context(_on_signals(elsewhere.close))
        door.to = create_passing_app(elsewhere, own)
        yield


async def _follow(elsewhere: Elsewhere, path: str) -> None:
    """Send to the service wherever it is: the worker that has it may be started anew."""
    while True:
        async with _watched(elsewhere.running.url, elsewhere.running.token, path):
            while True:
                await asyncio.sleep(FOLLOW_S)
                now = _named_or_running()
                if now is not None and now != elsewhere.running:
                    elsewhere.running = now
                    break


async def _ended(task: asyncio.Task[None]) -> None:
    task.cancel()
    await asyncio.wait([task])


@contextlib.asynccontextmanager
async def _watched(url: str, token: str, path: str) -> AsyncIterator[None]:
    handle = attach(url, token=token or None)
    if handle._delivery is not None:  # another service does not know where its pages are here
        handle._delivery.leaves_out = lambda item: _is_told_about(item, path)
    try:
        yield
    finally:
        await asyncio.to_thread(handle.detach)


def is_about(item: Span | LogRecord, path: str) -> bool:
    """Say whether a span, or a live record of one, is of a request below `path`.

    Shown, they would be most of what there is to see: looking makes requests.
    """
    found = {pair.key: pair.value.string_value for pair in item.attributes}
    if isinstance(item, Span):
        return _is_below(path, item.name, found, is_server=item.kind == Span.SPAN_KIND_SERVER)
    kinds = [one.value.int_value for one in item.attributes if one.key == "inspector.span.kind"]
    name = found.get("inspector.span.name", "")
    return _is_below(path, name, found, is_server=kinds == [Span.SPAN_KIND_SERVER])


def _is_told_about(item: LiveRecord | ReadableSpan, path: str) -> bool:
    """Say the same of what is about to be sent."""
    span = item.span if isinstance(item, LiveRecord) else item
    return span is not None and _is_below(
        path, span.name, span.attributes or {}, is_server=span.kind is trace.SpanKind.SERVER
    )


def _is_below(path: str, name: str, attributes: Mapping[str, Any], *, is_server: bool) -> bool:
    if is_server:
        places = [str(attributes[key]) for key in _PATH_KEYS & attributes.keys()]
        return any(place == path or place.startswith(f"{path}/") for place in places)
    # ASGI instrumentation makes a span of each message too; they have no path but in the name.
    return "asgi.event.type" in attributes and f" {path}/" in name


@contextlib.contextmanager
def _on_signals(end_streams: Callable[[], Coroutine[Any, Any, None]]) -> Iterator[None]:
    """End open streams when the server is asked to stop: it waits for them, and ends us after."""
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
            if callable(before):  # the server's; without one, the process ends at once anyway
                replaced[number] = before
                signal.signal(number, chained(before))
    try:
        yield
    finally:
        for number, before in replaced.items():
            signal.signal(number, before)


def _say(line: str) -> None:
    sys.stderr.write(f"{line}\n")
    sys.stderr.flush()
