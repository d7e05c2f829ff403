"""Send one request to one OTLP receiver, and interpret its response."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from google.rpc import error_details_pb2, status_pb2  # type: ignore[import-untyped]  # no types

from inspector.service.forward.queue import QueuedRequest
from inspector.service.otlp.signals import SIGNALS

if TYPE_CHECKING:
    import grpc.aio
    import httpx

TIMEOUT_S = 10.0
LONGEST_RETRY_AFTER_S = 300.0
MAX_ANSWER_BYTES = 64 * 1024
HOP_HEADER = "x-inspector-hop"

_RETRYABLE_HTTP = frozenset({429, 502, 503, 504})
_RETRYABLE_GRPC = frozenset(
    {
        "CANCELLED",
        "DEADLINE_EXCEEDED",
        "ABORTED",
        "OUT_OF_RANGE",
        "UNAVAILABLE",
        "DATA_LOSS",
    }
)


@dataclass(frozen=True, slots=True)
class ForwardOutcome:
    """The result of sending a request.

    Attributes:
        is_final: It need not be sent again.
        why: Why it was not accepted; empty when it was.
        retry_after_s: The delay that the receiver wants.
        is_too_large: Refused for its size alone.
    """

    is_final: bool
    why: str = ""
    retry_after_s: float | None = None
    is_too_large: bool = False


ACCEPTED = ForwardOutcome(is_final=True)
SKIPPED = ForwardOutcome(is_final=True)
"""The receiver has refused this signal before."""


class Sender(Protocol):
    """Sends to one receiver."""

    async def send(self, request: QueuedRequest) -> ForwardOutcome:
        """Send once; never raises."""


@asynccontextmanager
async def open_sender(target: str) -> AsyncIterator[Sender]:
    """Open a sender for `target`: `grpc://` is OTLP/gRPC, all else OTLP/HTTP."""
    if target.startswith("grpc://"):
        import grpc.aio  # noqa: PLC0415 - only for those who forward by it

        async with grpc.aio.insecure_channel(target.removeprefix("grpc://")) as channel:
            yield _GrpcSender(channel)
        return
    # Takes half a second, which is not to be the start of the service's.
    httpx = await asyncio.to_thread(__import__, "httpx")
    async with httpx.AsyncClient(timeout=TIMEOUT_S) as client:
        yield _HttpSender(client, target.rstrip("/"))


class _HttpSender:
    def __init__(self, client: httpx.AsyncClient, url: str) -> None:
        self._client, self._url = client, url
        self._unsupported: set[str] = set()

    async def send(self, request: QueuedRequest) -> ForwardOutcome:
        if request.signal in self._unsupported:
            return SKIPPED
        import httpx  # noqa: PLC0415 - loaded already, see `open_sender`

        try:
            async with self._client.stream(
                "POST",
                f"{self._url}/v1/{request.signal}",
                content=request.body,
                headers={"content-type": "application/x-protobuf", HOP_HEADER: request.hops},
            ) as response:
                return self._http_outcome(request, response, await _read_some(response))
        except httpx.HTTPError as error:
            return ForwardOutcome(False, f"{type(error).__name__}: {error}")

    def _http_outcome(
        self, request: QueuedRequest, response: httpx.Response, body: bytes
    ) -> ForwardOutcome:
        if response.status_code == 200:
            return _outcome_of(request, body)
        if response.status_code == 404:
            self._unsupported.add(request.signal)  # it does not accept this signal: sent once
        is_final = response.status_code not in _RETRYABLE_HTTP
        after = response.headers.get("retry-after", "")
        return ForwardOutcome(
            is_final,
            f"HTTP {response.status_code} for {request.signal}",
            min(float(after), LONGEST_RETRY_AFTER_S) if after.isdigit() else None,
            is_too_large=response.status_code == 413,
        )


class _GrpcSender:
    def __init__(self, channel: grpc.aio.Channel) -> None:
        self._calls: dict[str, grpc.aio.UnaryUnaryMultiCallable[bytes, bytes]] = {
            name: channel.unary_unary(f"/{signal.service}/Export")
            for name, signal in SIGNALS.items()
        }
        self._unsupported: set[str] = set()

    async def send(self, request: QueuedRequest) -> ForwardOutcome:
        if request.signal in self._unsupported:
            return SKIPPED
        import grpc.aio  # noqa: PLC0415 - loaded already, see `open_sender`

        try:
            answer = await self._calls[request.signal](
                request.body, metadata=((HOP_HEADER, request.hops),), timeout=TIMEOUT_S
            )
        except grpc.aio.AioRpcError as error:
            return self._error_outcome(request, error)
        return _outcome_of(request, answer)

    def _error_outcome(self, request: QueuedRequest, error: grpc.aio.AioRpcError) -> ForwardOutcome:
        code = error.code().name
        why = f"{code}: {error.details()}"
        if code == "UNIMPLEMENTED":
            self._unsupported.add(request.signal)
        if code != "RESOURCE_EXHAUSTED":
            return ForwardOutcome(code not in _RETRYABLE_GRPC, why)
        # It means overload if it says when to come back, else that the message is too large.
        retry_after_s = _retry_delay_s(dict(error.trailing_metadata() or ()))
        return ForwardOutcome(retry_after_s is None, why, retry_after_s, retry_after_s is None)


def _retry_delay_s(trailers: Mapping[str, str | bytes]) -> float | None:
    status, info = status_pb2.Status(), error_details_pb2.RetryInfo()
    try:
        status.ParseFromString(trailers.get("grpc-status-details-bin", b""))
    except (ValueError, TypeError):
        return None
    for detail in status.details:
        if detail.Unpack(info):
            delay_s: float = info.retry_delay.seconds + info.retry_delay.nanos / 1e9
            return min(delay_s, LONGEST_RETRY_AFTER_S)
    return None


async def _read_some(response: httpx.Response) -> bytes:
    """Read the answer up to a limit: it comes from somebody else."""
    body = b""
    async for chunk in response.aiter_bytes():
        body += chunk
        if len(body) > MAX_ANSWER_BYTES:
            break
    return body


def _outcome_of(request: QueuedRequest, body: bytes) -> ForwardOutcome:
    signal = SIGNALS[request.signal]
    try:
        partial = signal.response.FromString(body).partial_success
    except ValueError:  # DecodeError: accepted all the same, with a 200
        return ACCEPTED
    rejected = getattr(partial, signal.rejected)
    if not rejected:
        return ACCEPTED
    return ForwardOutcome(
        True, f"{rejected} {signal.items} rejected: {partial.error_message[:200]}"
    )
