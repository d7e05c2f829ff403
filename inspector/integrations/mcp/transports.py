"""Wrappers of the SDK's client transports: targets, failures, and server stderr.

`stdio_client` and its like are imported by name into any module, so that replacing an attribute
would reach some callers and not others. All of them are made by `asynccontextmanager`, which has
the generator function in a closure: that function is replaced, and put back.
"""

from __future__ import annotations

import codecs
import os
import threading
from collections.abc import AsyncGenerator, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from contextvars import copy_context
from functools import partial, wraps
from importlib import import_module
from typing import Any

from inspector.agent_side.servers import with_ours
from inspector.integrations.mcp.sdk import Sdk
from inspector.integrations.mcp.streams import tap
from inspector.integrations.mcp.wire import ConnectionFacts
from inspector.integrations.patches import Patches
from instrument import Bus

TRANSPORTS = (
    ("mcp.client.stdio", "stdio_client", "stdio"),
    ("mcp.client.sse", "sse_client", "sse"),
    ("mcp.client.streamable_http", "streamable_http_client", "http"),
    ("mcp.client.streamable_http", "streamablehttp_client", "http"),
    ("mcp.client.websocket", "websocket_client", "websocket"),
)
MAX_CHUNK_BYTES = 16_384

_NOT_FAILURES = (GeneratorExit, KeyboardInterrupt, SystemExit)


def watch_transports(patches: Patches, sdk: Sdk, bus: Bus) -> None:
    """Report every connection opened from now on."""
    for module, name, transport in TRANSPORTS:
        try:
            function = getattr(import_module(module), name, None)
        except ImportError:  # an extra of the SDK that is not installed, or gone in 2.x
            continue
        cell = _generator_of(function)
        if cell is not None:
            patches.put(cell, "cell_contents", partial(_watched, sdk, bus, transport))


def _generator_of(function: Any) -> Any:
    """Return the closure cell with the generator function of a transport; None if it has none."""
    for cell in getattr(function, "__closure__", None) or ():
        if getattr(cell.cell_contents, "__name__", "") == function.__name__:
            return cell
    return None


def _watched(sdk: Sdk, bus: Bus, transport: str, original: Any) -> Any:
    """Return a generator function that opens a transport as `original` does, and reports it."""
    opened = asynccontextmanager(original)

    @wraps(original)
    async def watched(*args: Any, **kwargs: Any) -> AsyncGenerator[Any, None]:
        wire = ConnectionFacts(bus, transport=transport, uri=_target(transport, args, kwargs))
        is_open = False
        try:
            with _listening(transport, args, kwargs, wire) as (args, kwargs):
                async with opened(*args, **kwargs) as streams:
                    is_open = True
                    wire.connected()
                    read, write = tap(streams[0], streams[1], wire, sdk)
                    yield (read, write, *streams[2:])
        except BaseException as error:
            if not is_open and not isinstance(error, _NOT_FAILURES):
                wire.failed("spawn", error)
            wire.closed(error)
            raise
        finally:
            wire.closed()

    return watched


def _target(transport: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> str | None:
    """Return the target of a connection: an address, or a command without its arguments."""
    first = args[0] if args else kwargs.get("url" if transport != "stdio" else "server")
    command = getattr(first, "command", None)
    if isinstance(command, str):
        return f"stdio:{command}"
    return first if isinstance(first, str) else None


@contextmanager
def _listening(
    transport: str, args: tuple[Any, ...], kwargs: dict[str, Any], wire: ConnectionFacts
) -> Iterator[tuple[tuple[Any, ...], dict[str, Any]]]:
    """Pass the standard error of a stdio server on to its target, and report it."""
    if transport != "stdio":
        yield args, kwargs
        return
    import sys  # noqa: PLC0415 - as the SDK's default does

    args, kwargs = _with_environment(args, kwargs)
    errlog: Any = args[1] if len(args) > 1 else kwargs.get("errlog", sys.stderr)
    try:
        target = os.dup(errlog.fileno())
        read, write = os.pipe()
    except (AttributeError, OSError, ValueError):  # no file: the SDK raises for it
        yield args, kwargs
        return
    thread = threading.Thread(
        target=copy_context().run, args=(_pass_on, read, target, wire), daemon=True
    )
    thread.start()
    try:
        with os.fdopen(write, "w") as ours:
            yield args[:1], {**kwargs, "errlog": ours}
    finally:
        thread.join(timeout=0.5)


def _with_environment(
    args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Set the environment that watches a server written in Python."""
    server: Any = args[0] if args else kwargs.get("server")
    try:
        server = server.model_copy(update={"env": with_ours(server.env)})
    except (AttributeError, TypeError):  # of a wrong type: the SDK raises for it
        return args, kwargs
    return ((server, *args[1:]), kwargs) if args else (args, {**kwargs, "server": server})


def _pass_on(read: int, target: int, wire: ConnectionFacts) -> None:
    """Copy and report what the server writes, until the last writer has closed the pipe."""
    # A read may end inside a character: the rest comes with the next one.
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    with suppress(OSError):
        while chunk := os.read(read, MAX_CHUNK_BYTES):
            with suppress(OSError):
                _write(target, chunk)
            if text := decoder.decode(chunk):
                wire.output(text)
        if text := decoder.decode(b"", final=True):
            wire.output(text)
    os.close(read)
    os.close(target)


def _write(target: int, chunk: bytes) -> None:
    view = memoryview(chunk)
    while view:
        view = view[os.write(target, view) :]
