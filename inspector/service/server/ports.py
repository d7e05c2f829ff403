"""Listening sockets."""

from __future__ import annotations

import errno
import os
import socket

from inspector.errors import PortInUseError, SettingsError

_BACKLOG = 2048


def listen(host: str, port: int, *, setting: str) -> socket.socket:
    """Return a listening socket.

    It listens at once: two sockets may bind one port, only one may listen on it; and a client that
    connects while the service starts waits instead of being refused.

    Args:
        host: Address or name; a name with several addresses means the first IPv4 one.
        port: 0 takes a free one.
        setting: Named in errors, such as `INSPECTOR_PORT`.

    Raises:
        PortInUseError: Another socket has the port.
        SettingsError: The address cannot be used.
    """
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except OSError as error:
        raise SettingsError(f"Cannot listen on {host}: {error.strerror or error}.") from error
    family, kind, protocol, _, address = min(found, key=lambda item: item[0] != socket.AF_INET)
    listener = socket.socket(family, kind, protocol)
    try:
        if os.name == "posix":
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        listener.listen(_BACKLOG)
    except OSError as error:
        listener.close()
        if error.errno == errno.EADDRINUSE:
            raise PortInUseError(
                f"Cannot listen on {host}:{port}: the port is in use. Stop the program that uses "
                f"it, or choose another port with {setting}."
            ) from error
        raise SettingsError(f"Cannot listen on {host}:{port}: {error.strerror}.") from error
    listener.setblocking(False)
    return listener


def port_of(listener: socket.socket) -> int:
    """Return the port of a socket that listens."""
    port: int = listener.getsockname()[1]
    return port
