"""A client's end of an MCP connection that announces every message on the hook bus.

It stands between the SDK and a transport, so what is told is what was on the wire: the envelopes
with their ids and `_meta`, each round of an input-required result, what the server asks, progress.
"""

from __future__ import annotations

import time
from collections.abc import AsyncGenerator, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any

from mcp.shared.message import SessionMessage
from pydantic import BaseModel

from instrument import _emit as emit

TRANSPORT = "stdio"


@dataclass
class Wire:
    """What is open on one connection; ids of each side count for themselves."""

    server: str
    asked: dict[Any, tuple[str, float, Mapping[str, Any]]] = field(default_factory=dict)
    serving: dict[Any, tuple[str, float, Mapping[str, Any]]] = field(default_factory=dict)
    number: int = 0

    def _call_id(self) -> str:
        self.number += 1
        return f"{self.server}-{self.number}"

    async def sent(self, message: Mapping[str, Any]) -> None:
        """Tell what the client wrote."""
        await self._tell("rpc_request", "rpc_handle", message, self.asked, self.serving)

    async def received(self, message: Mapping[str, Any]) -> None:
        """Tell what the server wrote."""
        if message.get("method") == "notifications/progress":
            await self._progress(message["params"])
            return
        await self._tell("rpc_handle", "rpc_request", message, self.serving, self.asked)

    async def _tell(
        self,
        noun: str,
        other: str,
        message: Mapping[str, Any],
        begun: dict[Any, Any],
        answered: dict[Any, Any],
    ) -> None:
        common = {"transport": TRANSPORT, "server_name": self.server}
        if "method" in message:
            call_id = self._call_id()
            await emit(f"before_{noun}", envelope=message, call_id=call_id, **common)
            if "id" in message:
                begun[message["id"]] = (call_id, time.perf_counter(), message)
                return
            if message["method"] == "notifications/cancelled":
                await self._cancelled(message["params"])
            after = "after_rpc_response" if noun == "rpc_request" else "after_rpc_handle"
            await emit(after, envelope={"jsonrpc": "2.0"}, duration_ms=0, call_id=call_id, **common)
        elif (found := answered.pop(message.get("id"), None)) is not None:
            call_id, began, request = found
            after = "after_rpc_response" if other == "rpc_request" else "after_rpc_handle"
            took_ms = (time.perf_counter() - began) * 1000
            await emit(
                after,
                envelope=message,
                duration_ms=took_ms,
                call_id=call_id,
                request_envelope=request,
                **common,
            )

    async def _progress(self, params: Mapping[str, Any]) -> None:
        call_id = self.asked.get(params["progressToken"], ("", 0.0, {}))[0]
        total = params.get("total")
        await emit(
            "progress_update",
            operation_id=call_id,
            call_id=call_id,
            percent=100 * params["progress"] / total if total else None,
            message=params.get("message"),
            context=None,
            progress=params["progress"],
            total=total,
        )

    async def _cancelled(self, params: Mapping[str, Any]) -> None:
        found = self.asked.get(params["requestId"])
        if found is not None:
            reason = params.get("reason")
            await emit(
                "operation_cancelled",
                operation_id=found[0],
                call_id=found[0],
                context=None,
                reason=reason,
            )

    async def closed(self, reason: str) -> None:
        """Tell that nothing more comes: what is open will not be answered."""
        for call_id, _, request in self.asked.values():
            await emit(
                "error_rpc_request",
                envelope=request,
                transport=TRANSPORT,
                server_name=self.server,
                call_id=call_id,
                exc=ConnectionError(reason),
            )
        self.asked.clear()
        await emit(
            "transport_disconnected",
            transport_type=TRANSPORT,
            uri=f"stdio:{self.server}",
            reason=reason,
            server_name=self.server,
        )


class _Read:
    def __init__(self, stream: Any, wire: Wire) -> None:
        self._stream, self._wire = stream, wire

    async def receive(self) -> Any:
        try:
            got = await self._stream.receive()
        except BaseException as error:
            await self._wire.closed(type(error).__name__)
            raise
        if isinstance(got, SessionMessage):
            await self._wire.received(_json(got.message))
        return got

    def __aiter__(self) -> _Read:
        return self

    async def __anext__(self) -> Any:
        try:
            got = await self._stream.__anext__()
        except StopAsyncIteration:
            await self._wire.closed("the server ended")
            raise
        if isinstance(got, SessionMessage):
            await self._wire.received(_json(got.message))
        return got

    async def __aenter__(self) -> _Read:
        await self._stream.__aenter__()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self._stream.__aexit__(kind, error, trace)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


class _Write(_Read):
    async def send(self, item: SessionMessage) -> None:
        await self._wire.sent(_json(item.message))
        await self._stream.send(item)


@asynccontextmanager
async def announced(
    transport: AbstractAsyncContextManager[Any], server: str
) -> AsyncGenerator[tuple[Any, Any]]:
    """Hand over a transport of the SDK that tells what goes over it."""
    wire = Wire(server)
    async with transport as (read, write):
        await emit(
            "transport_connected",
            transport_type=TRANSPORT,
            uri=f"stdio:{server}",
            server_name=server,
        )
        yield _Read(read, wire), _Write(write, wire)


def _json(message: BaseModel) -> dict[str, Any]:
    return message.model_dump(by_alias=True, mode="json", exclude_unset=True)
