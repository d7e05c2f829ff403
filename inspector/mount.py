"""`inspector.mount(app)`: the whole service inside a web app, under a path of its own."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import sys
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from types import FrameType
from typing import Any

from fastapi import FastAPI
from opentelemetry.proto.logs.v1.logs_pb2 import LogRecord
from opentelemetry.proto.trace.v1.trace_pb2 import Span
from starlette.applications import Starlette

from inspector.app import access_token, create_app, create_ingest_app
from inspector.attach import attach
from inspector.ports import listen, port_of
from inspector.serving import serving
from inspector.settings import Settings, load_settings

MOUNT_PATH = "/_inspector"

_PATH_KEYS = frozenset({"url.path", "http.target", "http.route"})


def mount(
    app: Starlette,
    settings: Settings | None = None,
    *,
    path: str = MOUNT_PATH,
    say: Callable[[str], None] | None = None,
) -> None:
    """Put the inspector into `app`, and watch this process with it.

    Call it before the app starts; the service runs while the app does. One worker process only:
    a second one cannot open the store. The token is always asked for.

    Args:
        app: A FastAPI or Starlette application.
        settings: Instead of those of the environment. Host and ports are the app's own.
        path: Where, such as `/_inspector`.
        say: Gets the one line with the path to open; default: stderr.
    """
    asked = settings or load_settings()
    own = asked.model_copy(update={"require_ingest_token": True})
    service = create_app(own, is_own=lambda item: is_about(item, path))
    app.mount(path, service)
    around = app.router.lifespan_context

    @contextlib.asynccontextmanager
    async def lifespan(outer: Any) -> AsyncIterator[Any]:
        # Starlette does not run the lifespan of what is mounted.
        async with service.router.lifespan_context(service), _watched(service, own):
            with _streams_end_on_signals(service):
                (say or _say)(f"Inspector: {path}/ui/?token={access_token(own)}")
                async with around(outer) as state:
                    yield state

    app.router.lifespan_context = lifespan


def is_about(item: Span | LogRecord, path: str) -> bool:
    """Say whether a span, or a live record of one, is of a request below `path`.

    Shown, they would be most of what there is to see: looking makes requests.
    """
    found = {pair.key: pair.value for pair in item.attributes}
    if isinstance(item, Span):
        kind, name = int(item.kind), item.name
    else:
        kind = found["inspector.span.kind"].int_value if "inspector.span.kind" in found else 0
        name = found["inspector.span.name"].string_value if "inspector.span.name" in found else ""
    if kind == Span.SPAN_KIND_SERVER:
        places = [found[key].string_value for key in _PATH_KEYS & found.keys()]
        return any(place == path or place.startswith(f"{path}/") for place in places)
    # ASGI instrumentation makes a span of each message too; they have no path but in the name.
    return "asgi.event.type" in found and f" {path}/" in name


@contextlib.asynccontextmanager
async def _watched(service: FastAPI, settings: Settings) -> AsyncIterator[None]:
    """Send the telemetry of this process in by a port of its own.

    Not through the app: each delivery would be a request that its instrumentation makes a span of,
    which has to be delivered.
    """
    plain = settings.model_copy(update={"tls_cert": None, "tls_key": None})
    with listen("127.0.0.1", 0, setting="a free port") as taken:
        async with serving(create_ingest_app(service), taken, plain):
            handle = attach(f"http://127.0.0.1:{port_of(taken)}", token=access_token(settings))
            try:
                yield
            finally:
                await asyncio.to_thread(handle.detach)


@contextlib.contextmanager
def _streams_end_on_signals(service: FastAPI) -> Iterator[None]:
    """End open streams when the server is asked to stop: it waits for them, and ends us after."""
    loop = asyncio.get_running_loop()
    ending: list[asyncio.Task[None]] = []

    def end_streams() -> None:
        ending.append(loop.create_task(service.state.feed.close()))
        ending.append(loop.create_task(service.state.dispatch.close()))

    def chained(before: Callable[[int, FrameType | None], Any]) -> Callable[..., None]:
        def handle(number: int, frame: FrameType | None) -> None:
            loop.call_soon_threadsafe(end_streams)
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
