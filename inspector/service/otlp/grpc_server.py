"""OTLP over gRPC, in the event loop of the service."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Container, Mapping
from pathlib import Path
from typing import Any, Protocol

import grpc
import grpc.aio
from google.protobuf.any_pb2 import Any as AnyMessage
from google.protobuf.duration_pb2 import Duration
from google.rpc import code_pb2, error_details_pb2, status_pb2  # type: ignore[import-untyped]  # it has no types

from inspector.errors import (
    InspectorError,
    OverloadedError,
    PortInUseError,
    ReceiveError,
    StoreUnavailableError,
    TooLargeError,
)
from inspector.service.otlp.body import MAX_BODY_BYTES
from inspector.service.otlp.receiver import Receiver
from inspector.service.otlp.signals import NO_TOKEN, SIGNALS, WRONG_TOKEN, OtlpSignal
from inspector.service.otlp.splice import SERVER, sender_of

MAX_CONCURRENT_CALLS = 64

MAX_CONCURRENT_READS = 4
"""Limit of messages read at one time: their size is unknown until they are in memory."""

MAX_READ_S = 30.0
"""Limit of the time to read a message: a stalled sender must not block the others."""

MAX_METADATA_BYTES = 64 * 1024
"""Limit of the headers of one call."""

MAX_HANDSHAKE_S = 10.0
"""Limit of the time to the HTTP/2 preface of a new connection."""

MAX_IDLE_S = 300.0
"""Limit of the time without a call. A sender connects again by itself."""

_OPTIONS = [
    ("grpc.max_receive_message_length", MAX_BODY_BYTES),
    ("grpc.max_metadata_size", MAX_METADATA_BYTES // 4),  # refused above it more and more often
    ("grpc.absolute_max_metadata_size", MAX_METADATA_BYTES),
    ("grpc.max_concurrent_streams", MAX_CONCURRENT_CALLS),
    ("grpc.server_handshake_timeout_ms", int(MAX_HANDSHAKE_S * 1000)),
    ("grpc.max_connection_idle_ms", int(MAX_IDLE_S * 1000)),
    # A vanished sender does not answer: its connection is closed.
    ("grpc.keepalive_time_ms", 60_000),
    ("grpc.keepalive_timeout_ms", 20_000),
    # Else two services would share the port, and each would get half of the spans.
    ("grpc.so_reuseport", 0),
]


class Doorkeeper(Protocol):
    """The access rules for senders; `Access` of `service.http` is one."""

    def is_bearer(self, authorization: str) -> bool:
        """Return whether it carries the token."""

    def is_open_to(self, peer: str, headers: Container[str]) -> bool:
        """Return whether this peer needs no token."""

    def log_refused(self, peer: str, code: str, detail: str) -> None:
        """Log a refused sender."""


class GrpcServer:
    """Receives OTLP/gRPC.

    Args:
        receiver: Receives the requests.
        access: Decides who may send.
    """

    def __init__(self, receiver: Receiver, access: Doorkeeper) -> None:
        self._receiver = receiver
        self._access = access
        self._reads = asyncio.Semaphore(MAX_CONCURRENT_READS)
        self._server = grpc.aio.server(
            options=_OPTIONS, maximum_concurrent_rpcs=MAX_CONCURRENT_CALLS
        )
        for signal in SIGNALS.values():
            # Messages stay bytes here, so that one bad span does not cost the whole request. On
            # the wire a unary call is a stream of one message; as a stream it is read when we ask.
            handler: Any = grpc.stream_unary_rpc_method_handler(
                self._handler(signal), response_serializer=lambda answer: answer.SerializeToString()
            )
            self._server.add_generic_rpc_handlers(
                (grpc.method_handlers_generic_handler(signal.service, {"Export": handler}),)
            )

    async def start(
        self,
        host: str,
        port: int | None,
        *,
        tls: tuple[bytes, bytes] | None = None,
        inside: Path | None = None,
    ) -> int:
        """Listen; return the port.

        Args:
            host: Address or name.
            port: 0 takes a free one; None: nowhere but `inside`.
            tls: Private key and certificate chain (PEM); None: without TLS.
            inside: Folder of this user's, for what is spliced to the server.

        Raises:
            PortInUseError: It is in use.
        """
        if inside:
            self._server.add_insecure_port(f"unix:{inside / SERVER}")
        bound = 0 if port is None else self._bind(host, port, tls)
        await self._server.start()
        return bound

    def _bind(self, host: str, port: int, tls: tuple[bytes, bytes] | None) -> int:
        address = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
        try:
            if tls:
                credentials = grpc.ssl_server_credentials([tls])
                return self._server.add_secure_port(address, credentials)
            return self._server.add_insecure_port(address)
        except RuntimeError as error:
            raise PortInUseError(f"Cannot listen on {address}: the port is in use.") from error

    async def stop(self, grace_s: float) -> None:
        """Stop listening, giving running calls `grace_s` seconds."""
        await self._server.stop(grace_s)

    def _handler(
        self, signal: OtlpSignal
    ) -> Callable[[object, grpc.aio.ServicerContext[bytes, Any]], Awaitable[Any]]:
        async def export(_: object, context: grpc.aio.ServicerContext[bytes, Any]) -> Any:
            metadata = dict(context.invocation_metadata() or ())
            if not self._may_send(metadata, peer := _address_of(context.peer())):
                why = WRONG_TOKEN if metadata.get("authorization") else NO_TOKEN
                self._access.log_refused(peer, "no_token", why)
                await context.abort(grpc.StatusCode.UNAUTHENTICATED, why)
            hops = str(metadata.get("x-inspector-hop", ""))
            try:
                return await self._take(signal, context, hops)
            except TimeoutError:
                code, why = (
                    grpc.StatusCode.DEADLINE_EXCEEDED,
                    f"The message did not arrive within {MAX_READ_S:g} seconds. Send it again.",
                )
            except InspectorError as error:
                code, why = _code_of(error), str(error)
                if isinstance(error, OverloadedError):
                    # Senders try again after RESOURCE_EXHAUSTED only if told when.
                    context.set_trailing_metadata((_retry_info(error),))
            # Out here the error is let go of, and with it the message.
            return await context.abort(code, why)

        return export

    async def _take(
        self, signal: OtlpSignal, context: grpc.aio.ServicerContext[Any, Any], hops: str
    ) -> Any:
        with self._receiver.room() as room:
            async with self._reads, asyncio.timeout(MAX_READ_S):
                # Not from the iterator that a handler is given, which keeps the message until the
                # next collection of garbage.
                read = await context.read()
                body = read if isinstance(read, bytes) else b""  # or the end
                room.grow(len(body))
            return await self._receiver.receive(signal, body, hops=hops, room=room)

    def _may_send(self, metadata: Mapping[str, str | bytes], peer: str) -> bool:
        authorization = str(metadata.get("authorization", ""))
        return self._access.is_open_to(peer, metadata) or self._access.is_bearer(authorization)


def _code_of(error: InspectorError) -> grpc.StatusCode:
    match error:
        case OverloadedError() | TooLargeError():
            return grpc.StatusCode.RESOURCE_EXHAUSTED
        case StoreUnavailableError():
            return grpc.StatusCode.UNAVAILABLE
        case ReceiveError():
            return grpc.StatusCode.INVALID_ARGUMENT
        case _:
            return grpc.StatusCode.INTERNAL


def _address_of(peer: str) -> str:
    """Return the address in `ipv4:127.0.0.1:53211`, `ipv6:%5B::1%5D:53211`, or a spliced one."""
    kind, _, rest = peer.partition(":")
    if kind == "unix":
        return sender_of(rest)
    address = rest.rpartition(":")[0]
    if kind == "ipv6":
        return address.replace("%5B", "").replace("%5D", "").strip("[]")
    return address if kind == "ipv4" else ""


def _retry_info(error: OverloadedError) -> tuple[str, bytes]:
    info = AnyMessage()
    info.Pack(error_details_pb2.RetryInfo(retry_delay=Duration(seconds=error.retry_after_s)))
    status = status_pb2.Status(code=code_pb2.RESOURCE_EXHAUSTED, message=str(error), details=[info])
    return "grpc-status-details-bin", status.SerializeToString()
