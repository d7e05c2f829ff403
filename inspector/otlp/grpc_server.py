"""OTLP over gRPC, in the event loop of the service."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
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
from inspector.otlp.body import MAX_BODY_BYTES
from inspector.otlp.receiver import MAX_IN_FLIGHT_BYTES, Receiver
from inspector.otlp.signals import SIGNALS, Signal

MAX_CONCURRENT_CALLS = 64

MAX_CONCURRENT_READS = MAX_IN_FLIGHT_BYTES // MAX_BODY_BYTES
"""Messages that come in at one time. Their size is known only when they are in memory."""

MAX_READ_S = 30.0
"""For one message: who stops must not keep the others from being read. Senders give up earlier."""

_OPTIONS = [
    ("grpc.max_receive_message_length", MAX_BODY_BYTES),
    # Else two services would share the port, and each would get half of the spans.
    ("grpc.so_reuseport", 0),
]


class Doorkeeper(Protocol):
    """Who may send; `inspector.http.access.Access` is one."""

    def is_bearer(self, authorization: str) -> bool:
        """Say whether it carries the token."""

    def is_open_to(self, peer: str) -> bool:
        """Say whether this peer needs none."""


class GrpcServer:
    """Receives OTLP/gRPC.

    Args:
        receiver: Takes the requests in.
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

    async def start(self, host: str, port: int, *, tls: tuple[bytes, bytes] | None = None) -> int:
        """Listen; return the port.

        Args:
            host: Address or name.
            port: 0 takes a free one.
            tls: Private key and certificate chain (PEM); None: without TLS.

        Raises:
            PortInUseError: It is taken.
        """
        address = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
        try:
            if tls:
                credentials = grpc.ssl_server_credentials([tls])
                bound = self._server.add_secure_port(address, credentials)
            else:
                bound = self._server.add_insecure_port(address)
        except RuntimeError as error:
            raise PortInUseError(f"Cannot listen on {address}: the port is in use.") from error
        await self._server.start()
        return bound

    async def stop(self, grace_s: float) -> None:
        """Stop listening, giving running calls `grace_s` seconds."""
        await self._server.stop(grace_s)

    def _handler(
        self, signal: Signal
    ) -> Callable[[AsyncIterator[bytes], grpc.aio.ServicerContext[bytes, Any]], Awaitable[Any]]:
        async def export(
            messages: AsyncIterator[bytes], context: grpc.aio.ServicerContext[bytes, Any]
        ) -> Any:
            metadata = dict(context.invocation_metadata() or ())
            if not self._may_send(str(metadata.get("authorization", "")), context.peer()):
                await context.abort(
                    grpc.StatusCode.UNAUTHENTICATED,
                    "A token is needed: send the metadata `authorization: Bearer TOKEN`.",
                )
            try:
                with self._receiver.room() as room:
                    async with self._reads, asyncio.timeout(MAX_READ_S):
                        body = await anext(messages, b"")
                        room.grow(len(body))
                    return await self._receiver.receive(
                        signal, body, hops=str(metadata.get("x-inspector-hop", ""))
                    )
            except TimeoutError:
                await context.abort(
                    grpc.StatusCode.DEADLINE_EXCEEDED,
                    f"The message did not come within {MAX_READ_S:g} seconds. Send it again.",
                )
            except OverloadedError as error:
                # Senders try again after RESOURCE_EXHAUSTED only if told when.
                context.set_trailing_metadata((_retry_info(error),))
                await context.abort(grpc.StatusCode.RESOURCE_EXHAUSTED, str(error))
            except StoreUnavailableError as error:
                await context.abort(grpc.StatusCode.UNAVAILABLE, str(error))
            except TooLargeError as error:
                await context.abort(grpc.StatusCode.RESOURCE_EXHAUSTED, str(error))
            except ReceiveError as error:
                await context.abort(grpc.StatusCode.INVALID_ARGUMENT, str(error))
            except InspectorError as error:
                await context.abort(grpc.StatusCode.INTERNAL, str(error))

        return export

    def _may_send(self, authorization: str, peer: str) -> bool:
        return self._access.is_open_to(_address_of(peer)) or self._access.is_bearer(authorization)


def _address_of(peer: str) -> str:
    """Return the address in `ipv4:127.0.0.1:53211` or `ipv6:%5B::1%5D:53211`."""
    kind, _, rest = peer.partition(":")
    address = rest.rpartition(":")[0]
    if kind == "ipv6":
        return address.replace("%5B", "").replace("%5D", "").strip("[]")
    return address if kind == "ipv4" else ""


def _retry_info(error: OverloadedError) -> tuple[str, bytes]:
    info = AnyMessage()
    info.Pack(error_details_pb2.RetryInfo(retry_delay=Duration(seconds=error.retry_after_s)))
    status = status_pb2.Status(code=code_pb2.RESOURCE_EXHAUSTED, message=str(error), details=[info])
    return "grpc-status-details-bin", status.SerializeToString()
