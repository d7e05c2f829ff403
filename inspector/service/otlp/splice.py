"""Pass HTTP/2 connections that reach the HTTP/1.1 port on to the gRPC server.

`OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:4318` is what people set, and some SDKs speak gRPC
there. The server is reached over a socket file in a folder that only this user can open. There each
connection has the name of its sender, so that access is decided by the real sender and nobody
becomes a local one by way of us.
"""

from __future__ import annotations

import asyncio
import ipaddress
import itertools
import socket
from pathlib import Path
from typing import Any
from urllib.parse import unquote

SERVER = "grpc"
"""The socket file of the server."""

_MAX_PATH_BYTES = 100  # of a socket's name; Linux has 108, others 104
_LONGEST_NAME = "/1234567890-" + "f" * 45
_FOREIGN = "unknown"


def can_splice(folder: Path) -> bool:
    """Return whether the system has socket files, and `folder` a short enough name."""
    is_short = len(f"{folder}{_LONGEST_NAME}".encode()) <= _MAX_PATH_BYTES
    return hasattr(socket, "AF_UNIX") and is_short


def sender_of(peer: str) -> str:
    """Return the address of a sender from gRPC's peer name: `unix:FOLDER/NUMBER-ADDRESS`."""
    return unquote(peer).rpartition("/")[2].partition("-")[2]


class Splicer:
    """Joins connections to the gRPC server that listens in `folder`."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._numbers = itertools.count()

    def splice(
        self, transport: asyncio.Transport, begun: bytes, address: str, connections: set[Any]
    ) -> None:
        """Take over a connection.

        Args:
            transport: Of the sender.
            begun: The bytes that it has sent.
            address: Of the sender, from its socket.
            connections: Those of its port: it is one of them until it ends.
        """
        sender = _End(begun, connections)
        sender.connection_made(transport)
        transport.pause_reading()
        transport.set_protocol(sender)
        sender.joining = asyncio.get_running_loop().create_task(self._join(sender, address))

    async def _join(self, sender: _End, address: str) -> None:
        server = _End(b"", set())
        server.other = sender  # from the first: the server speaks as soon as it is reached
        loop = asyncio.get_running_loop()
        try:
            inside = self._connect(address)
            await loop.create_unix_connection(lambda: server, sock=inside)
        except OSError:
            return sender.close()
        if sender.transport.is_closing():
            return server.close()
        sender.other = server
        sender.transport.resume_reading()
        server.transport.write(sender.early)  # may pause it again
        sender.early = b""
        return None

    def _connect(self, address: str) -> socket.socket:
        name = self._folder / f"{next(self._numbers)}-{_plain(address)}"
        inside = socket.socket(socket.AF_UNIX)
        try:
            inside.setblocking(False)
            inside.bind(str(name))  # a sender without a name needs the token
            inside.connect(str(self._folder / SERVER))
        except OSError:
            inside.close()
            raise
        finally:
            name.unlink(missing_ok=True)  # the connection keeps it
        return inside


def _plain(address: str) -> str:
    try:
        return str(ipaddress.ip_address(address))
    except ValueError:
        return _FOREIGN


class _End(asyncio.Protocol):
    """One of the two ends: it forwards its input to the other, no faster than that reads."""

    transport: asyncio.Transport

    def __init__(self, early: bytes, connections: set[Any]) -> None:
        self.early = early
        """The bytes from before the ends were joined."""
        self.other: _End | None = None
        self.joining: asyncio.Task[None] | None = None
        self.idle_since_s = asyncio.get_running_loop().time()
        self._connections = connections

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        self.transport = transport
        self._connections.add(self)

    def data_received(self, data: bytes) -> None:
        self.idle_since_s = asyncio.get_running_loop().time()
        if self.other is None:
            self.early += data
        else:
            self.other.transport.write(data)

    def connection_lost(self, exc: Exception | None) -> None:
        self._connections.discard(self)
        if self.other is not None:
            self.other.close()

    def pause_writing(self) -> None:
        if self.other is not None:
            self.other.transport.pause_reading()

    def resume_writing(self) -> None:
        if self.other is not None and not self.other.transport.is_closing():
            self.other.transport.resume_reading()

    def close(self) -> None:
        self.transport.close()

    shutdown = close  # what uvicorn asks of a connection when it stops
