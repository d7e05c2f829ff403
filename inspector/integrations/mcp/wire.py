"""Messages of one MCP connection as operations: both directions, both protocol eras.

It knows JSON-RPC and nothing of an SDK or a transport, which pass it each message.
A message that we sent is an `rpc_request`, one that arrived an `rpc_handle`; each side counts its
own ids, and `1` and `"1"` are two of them. Unanswered requests end with the connection.
"""

from __future__ import annotations

import asyncio
from collections.abc import Hashable, Mapping
from itertools import count
from typing import Any, Literal, TypeAlias

from inspector.integrations.mcp.connections import in_connection, new_connection_id
from inspector.integrations.open_operations import OpenOperations
from inspector.integrations.verdicts import ErrorResultError, ProviderError
from instrument import Bus, Operation
from instrument import default as shared

Envelope: TypeAlias = Mapping[str, Any]
Noun: TypeAlias = Literal["rpc_request", "rpc_handle"]

PROGRESS, CANCELLED = "notifications/progress", "notifications/cancelled"
_SERVER_INFO = "io.modelcontextprotocol/serverInfo"
_NOTHING: Envelope = {"jsonrpc": "2.0"}
"""The result of a notification, which has none."""
MAX_NAME_CHARS = 256

_numbers = count(1)


class ConnectionFacts:
    """One connection.

    Attributes:
        connection_id: The id of the connection, unique across processes.
        server_name: The server's own name, once it is known.
        at_ns: The time of the next message, if that is not now.
    """

    def __init__(
        self,
        bus: Bus | None = None,
        *,
        transport: str = "stdio",
        uri: str | None = None,
        name: str | None = None,
        has_tools: bool = False,
    ) -> None:
        """Make one.

        Args:
            bus: Default: the bus that everybody shares.
            transport: `stdio`, `sse`, `http` or `websocket`.
            uri: The target: an address, or the command of a server.
            name: The name of the server; default: its own.
            has_tools: Report a `tool_call` around each `tools/call` that is sent; no other layer
                does.
        """
        self._bus = bus or shared.bus
        self._open = OpenOperations(self._bus)
        self._transport = transport
        self._uri = uri
        self._has_tools = has_tools
        # Over HTTP the server assigns the id of a connection.
        self._id = f"stdio-{next(_numbers)}" if transport == "stdio" else None
        self._tokens: dict[tuple[Noun, Hashable], Operation] = {}
        """Requests that have a progress token."""
        self._ours: dict[Hashable, Hashable] = {}
        """Unanswered requests that we sent, with the token of each."""
        self.connection_id = new_connection_id()
        self._is_connected = False
        self._began_ns: dict[Hashable, int] = {}
        self._is_named = name is not None
        self.server_name = name
        self.at_ns: int | None = None

    # --- the connection -----------------------------------------------------------------------

    def connected(self) -> None:
        """Report that the connection is up."""
        self._is_connected = True
        self._emit("transport_connected", uri=self._uri)

    def failed(self, step: str, error: BaseException) -> None:
        """Report a failure at `step`: `spawn`, `initialize`, `discover` or `list`."""
        self._emit("transport_failed", uri=self._uri, step=step, exc=error)

    def closed(self, reason: str | BaseException | None = None) -> None:
        """End the connection and its open requests. Idempotent."""
        text = str(reason) if reason else "the connection closed"
        self._open.end_all(ConnectionError(text))
        self._tokens.clear()
        self._ours.clear()
        self._began_ns.clear()
        if self._is_connected:
            self._is_connected = False
            self._emit("transport_disconnected", uri=self._uri, reason=reason)

    def output(self, text: str, stream: str = "stderr") -> None:
        """Report a server's output that is not a message."""
        self._emit("server_output", text=text, stream=stream)

    def _emit(self, hook: str, **kwargs: Any) -> None:
        about = {"transport_type": self._transport, "server_name": self.server_name}
        self._bus._emit_sync(hook, **about, **kwargs)

    # --- messages -----------------------------------------------------------------------------

    async def sent(self, message: Envelope) -> Envelope:
        """Report a message before it is sent; return it as changed by interceptors.

        Raises:
            HookVerdict: They decided against it. A response is never refused.
            HookContractError: One of them made a mistake.
        """
        return await self._report(message, "rpc_request", "rpc_handle")

    async def received(self, message: Envelope) -> Envelope:
        """Report a received message; return it as changed by interceptors, or raise as `sent`."""
        return await self._report(message, "rpc_handle", "rpc_request")

    def sent_now(self, message: Envelope) -> None:
        """Report as `sent` does, from sync code and without interceptors."""
        self._report_now(message, "rpc_request", "rpc_handle")

    def received_now(self, message: Envelope) -> None:
        """Report as `received` does, from sync code and without interceptors."""
        self._report_now(message, "rpc_handle", "rpc_request")

    async def _report(self, message: Envelope, noun: Noun, other: Noun) -> Envelope:
        if "method" not in message:
            return self._answered(message, other)
        try:
            asyncio.get_running_loop()
        except RuntimeError:  # another event loop: its tasks know no contexts of ours
            self._report_now(message, noun, other)
            return message
        key, parent = self._keys_of(message, noun)
        about = self._about(message)
        with in_connection(self.connection_id):
            operation = await self._open.begin_async(key, noun, parent=parent, **about)
        self._began(key, noun, message, operation)
        changed: Envelope = operation.args
        return changed

    def _report_now(self, message: Envelope, noun: Noun, other: Noun) -> None:
        if "method" not in message:
            self._answered(message, other)
            return
        key, parent = self._keys_of(message, noun)
        with in_connection(self.connection_id):
            operation = self._open.begin(key, noun, parent=parent, **self._about(message))
        self._began(key, noun, message, operation)

    def _keys_of(self, message: Envelope, noun: Noun) -> tuple[Hashable, Hashable]:
        """Return the key of the message, and that of its parent; open the tool call around it."""
        key = _key(noun, message["id"]) if "id" in message else (noun, object())
        if noun == "rpc_handle":
            # While one call alone is open, a request of the server is because of that call.
            return key, next(iter(self._ours)) if len(self._ours) == 1 else None
        tool = _tool_of(message) if self._has_tools and "id" in message else None
        if tool is None:
            return key, None
        call = ("tool_call", key)
        self._open.begin(
            call, "tool_call", tool_name=tool[0], args=tool[1], server_name=self.server_name
        )
        return key, call

    def _about(self, message: Envelope) -> dict[str, Any]:
        about: dict[str, Any] = {"envelope": message, "transport": self._transport}
        if self.server_name is not None:
            about["server_name"] = self.server_name
        if self._id is not None:
            about["connection_id"] = self._id
        return about

    def _began(self, key: Hashable, noun: Noun, message: Envelope, operation: Operation) -> None:
        params = _mapping(message.get("params"))
        if "id" in message:
            if self.at_ns is not None:
                self._began_ns[key] = self.at_ns
            token = _mapping(params.get("_meta")).get("progressToken")
            named = (noun, token) if _is_id(token) else None
            if named is not None:
                self._tokens[named] = operation
            if noun == "rpc_request":
                self._ours[key] = named
            return
        if message["method"] == PROGRESS:
            self._progress(noun, params)
        elif message["method"] == CANCELLED:
            self._cancelled(noun, params)
        self._open.end(key, _NOTHING)

    def _answered(self, message: Envelope, noun: Noun) -> Envelope:
        key = _key(noun, message.get("id"))
        if key not in self._open:
            return message
        self._learn(message)
        self._forget(key)
        outcome: dict[str, Any] = {}
        if self.server_name is not None:
            outcome["server_name"] = self.server_name
        began_ns = self._began_ns.pop(key, None)
        if began_ns is not None and self.at_ns is not None:
            outcome["duration_ms"] = (self.at_ns - began_ns) / 1e6
        changed: Envelope = self._open.end(key, message, **outcome)
        self._end_tool(key, changed)
        return changed

    def _end_tool(self, key: Hashable, message: Envelope) -> None:
        call = ("tool_call", key)
        if call not in self._open:
            return
        error, result = message.get("error"), message.get("result")
        if error is not None:
            text = str(_mapping(error).get("message") or "error")
            self._open.fail(call, ProviderError(text, error))
        elif _mapping(result).get("isError"):
            self._open.fail(call, ErrorResultError(text_of(_mapping(result)), result), result)
        else:
            self._open.end(call, result)

    def _forget(self, key: Hashable) -> None:
        token = self._ours.pop(key, None)
        if isinstance(token, tuple):
            self._tokens.pop(token, None)

    def _learn(self, message: Envelope) -> None:
        if self._is_named:
            return
        result = _mapping(message.get("result"))
        info = result.get("serverInfo") or _mapping(result.get("_meta")).get(_SERVER_INFO)
        name = _mapping(info).get("name")
        if isinstance(name, str) and name:
            self.server_name = name[:MAX_NAME_CHARS]

    def _progress(self, noun: Noun, params: Envelope) -> None:
        token = params.get("progressToken")
        request: Noun = "rpc_request" if noun == "rpc_handle" else "rpc_handle"
        operation = self._tokens.get((request, token)) if _is_id(token) else None
        done, total = params.get("progress"), params.get("total")
        is_share = isinstance(done, int | float) and isinstance(total, int | float) and total
        self._bus._emit_sync(
            "progress_update",
            operation_id=operation.call_id if operation is not None else str(token),
            percent=100 * done / total if is_share else None,  # type: ignore[operator]  # is_share
            message=params.get("message"),
            context=None,
            progress=done,
            total=total,
            **({} if operation is None else {"call_id": operation.call_id}),
        )

    def _cancelled(self, noun: Noun, params: Envelope) -> None:
        key, reason = _key(noun, params.get("requestId")), params.get("reason")
        found = self._open.find(key)
        if found is None:
            return
        self._bus._emit_sync(
            "operation_cancelled",
            operation_id=found.call_id,
            context=None,
            reason=reason if isinstance(reason, str) else None,
            call_id=found.call_id,
        )
        self._forget(key)
        # In both eras of the protocol it is never answered.
        self._open.fail(key, asyncio.CancelledError(reason))
        self._open.fail(("tool_call", key), asyncio.CancelledError(reason))

    def run(self, message: Envelope, function: Any) -> Any:
        """Call `function` inside the operation of the open request `message`."""
        noun: Noun
        for noun in ("rpc_request", "rpc_handle"):
            if (key := _key(noun, message.get("id"))) in self._open:
                return self._open.run(key, function)
        return function()


def text_of(result: Mapping[str, Any]) -> str:
    """Return the text of a tool's result."""
    content = result.get("content")
    blocks = content if isinstance(content, list) else []
    texts = (_mapping(block).get("text") for block in blocks)
    return "\n".join(text for text in texts if isinstance(text, str)) or "the tool failed"


def _tool_of(message: Envelope) -> tuple[str, Mapping[str, Any]] | None:
    params = _mapping(message.get("params"))
    name = params.get("name")
    if message.get("method") != "tools/call" or not isinstance(name, str):
        return None
    return name[:MAX_NAME_CHARS], _mapping(params.get("arguments"))


def _key(noun: Noun, id_: Any) -> Hashable:
    return (noun, type(id_), id_ if _is_id(id_) else None)


def _is_id(value: Any) -> bool:
    return isinstance(value, str | int | float)


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}
