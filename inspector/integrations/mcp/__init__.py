"""Adapter for the MCP Python SDK, 1.x and 2.x: clients and servers, both protocol eras."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from functools import wraps
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary, WeakSet

from inspector.integrations.patches import Patches
from instrument import Bus
from instrument import default as shared

if TYPE_CHECKING:
    from inspector.integrations.mcp.wire import ConnectionFacts


def attach(*targets: Any, bus: Bus | None = None) -> Callable[[], None]:
    """Watch `targets`, or every client and server of this process, also those made later.

    Args:
        *targets: Of `mcp`: `ClientSession` or `Client`, before they are entered; `MCPServer`
            (`FastMCP` in 1.x) or the low-level `Server`.
        bus: Default: the bus that everybody shares.

    Returns:
        A function that detaches and leaves everything as it was. Idempotent.
    """
    return _Adapter(bus or shared.bus, targets).attach()


_opener: ContextVar[Any] = ContextVar("inspector-mcp-opener", default=None)


@contextmanager
def opened_by(client: Any) -> Iterator[None]:
    """Mark sessions entered in the block as those of `client`, of a package above the SDK."""
    token = _opener.set(client)
    try:
        yield
    finally:
        _opener.reset(token)


class _Adapter:
    """State of one `attach()`."""

    def __init__(self, bus: Bus, targets: tuple[Any, ...]) -> None:
        from inspector.integrations.mcp.sdk import Sdk  # noqa: PLC0415 - imports the SDK

        self._bus = bus
        self._patches = Patches("mcp")
        self._sdk = Sdk(self._patches)
        self._targets = [_low_level(target) for target in targets]
        self._sessions: WeakSet[Any] = WeakSet()
        """The sessions of clients that are targets."""
        self._wires: WeakKeyDictionary[Any, ConnectionFacts] = WeakKeyDictionary()

    def attach(self) -> Callable[[], None]:
        if not self._targets and not self._patches.claim(self._bus):
            return lambda: None
        self._watch_client()
        self._watch_server()
        return self._patches.undo

    # --- the client ---------------------------------------------------------------------------

    def _watch_client(self) -> None:
        from inspector.integrations.mcp.calls import ClientCalls  # noqa: PLC0415
        from inspector.integrations.mcp.transports import watch_transports  # noqa: PLC0415

        if not self._targets:
            watch_transports(self._patches, self._sdk, self._bus)
        calls = ClientCalls(self._sdk, self._bus, self._is_watched, self._wire_of)
        session = self._patches.find("mcp.client.session", "ClientSession")
        calls.wrap(session, self._patches)
        if self._sdk.major >= 2:  # its calls go on for several rounds
            client = self._patches.find("mcp.client", "Client")
            calls.wrap(client, self._patches)
            if self._targets:
                self._patches.put(client, "_build_session", self._building)
        self._patches.put(session, "__aenter__", self._entering)

    def _building(self, original: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(original)
        async def building(client: Any, *args: Any) -> Any:
            session = await original(client, *args)
            if self._is_watched(client):
                self._sessions.add(session)
            return session

        return building

    def _entering(self, original: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(original)
        async def entering(session: Any) -> Any:
            if self._is_watched(session) or self._is_watched(_opener.get()):
                with suppress(Exception):  # never into the program that is watched
                    self._sessions.add(session)
                    self._tap(session)
            return await original(session)

        return entering

    def _tap(self, session: Any) -> None:
        """Tap the streams of a session, unless they are tapped already."""
        from inspector.integrations.mcp.streams import tap, wire_of  # noqa: PLC0415
        from inspector.integrations.mcp.wire import ConnectionFacts  # noqa: PLC0415

        # In 2.x the dispatcher has them; in-process it has none, and there are no messages.
        holder = getattr(session, "_dispatcher", session)
        read, write = (getattr(holder, f"_{name}_stream", None) for name in ("read", "write"))
        if read is None or write is None:
            return
        tapped = wire_of(read) or wire_of(write)  # mcp-agent filters one of them once more
        if tapped is not None:
            self._wires[session] = tapped
            return
        wire = self._wires[session] = ConnectionFacts(self._bus)
        holder._read_stream, holder._write_stream = tap(read, write, wire, self._sdk)

    def _wire_of(self, target: Any) -> ConnectionFacts | None:
        with suppress(TypeError):
            return self._wires.get(getattr(target, "_session", None) or target)
        return None

    # --- the server ---------------------------------------------------------------------------

    def _watch_server(self) -> None:
        from inspector.integrations.mcp.server import Server  # noqa: PLC0415

        server = Server(self._sdk, self._bus, self._is_watched)
        if self._sdk.major >= 2:
            runner = self._patches.find("mcp.server.runner", "ServerRunner")
            self._patches.put(runner, "_compose_server_middleware", server.compose)
        else:
            self._patches.callback(server.detach)
            low_level = self._patches.find("mcp.server.lowlevel", "Server")
            self._patches.put(low_level, "_handle_request", server.handle_request)

    # --- both ---------------------------------------------------------------------------------

    def _is_watched(self, candidate: Any) -> bool:
        if not self._targets:
            return True
        if any(target is candidate for target in self._targets):
            return True
        with suppress(TypeError):
            return candidate in self._sessions
        return False


def _low_level(target: Any) -> Any:
    """Return the server that does the work of an `MCPServer` or `FastMCP`; others as they are."""
    for name in ("_lowlevel_server", "_mcp_server"):
        inner = getattr(target, name, None)
        if inner is not None:
            return inner
    return target
