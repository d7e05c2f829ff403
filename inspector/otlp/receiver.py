"""Take in one export request: decode, sort out, commit, pass on.

Both doors (HTTP and gRPC) call this; it knows neither.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from typing import Literal, Protocol

from inspector.errors import OverloadedError
from inspector.model import IncomingLog, IncomingSpan
from inspector.normalise.facts import ResourceFacts, encoded_span_facts, resource_facts
from inspector.otlp.batch import Batch, IsOwn, sort_out
from inspector.otlp.body import MAX_BODY_BYTES, decompress
from inspector.otlp.decode_json import decode_json
from inspector.otlp.decode_proto import decode_proto
from inspector.otlp.payloads import span_parts
from inspector.otlp.rejections import Rejections
from inspector.otlp.scrub import scrub
from inspector.otlp.signals import METRICS, ExportResponse, Signal

MAX_IN_FLIGHT_BYTES = 4 * MAX_BODY_BYTES
"""Bodies that are being received or decoded at one time; above it senders are asked to wait."""

SMALL_BODY_BYTES = 1024 * 1024
"""The last quarter of the room is for bodies up to here: large ones cannot keep them out."""

DECODERS = 2
"""Threads that decode. Parsing holds the interpreter: more would not be faster, only larger."""


class Submit(Protocol):
    """Where rows go. Returns when they are committed."""

    async def __call__(self, spans: Sequence[IncomingSpan], logs: Sequence[IncomingLog]) -> None:
        """Commit `spans` and `logs`.

        Raises:
            OverloadedError: More than can be committed is waiting.
            StoreUnavailableError: Nothing can be committed now.
        """


class Onward(Protocol):
    """Where requests go on to."""

    async def offer(self, signal: Signal, body: bytes, *, hops: str) -> None:
        """Queue the protobuf export request `body`; never fails, drops the oldest when full."""


class Receiver:
    """Takes in export requests.

    Attributes:
        counts: Items received, by signal, and `rejected`, since the start.

    Args:
        submit: Where rows are committed.
        onward: Where requests go on to.
        is_own: Spans that are about ourselves, and are left out.
        scrubs: Remove secrets before anything is kept or goes on.
    """

    def __init__(
        self,
        submit: Submit,
        onward: Onward | None = None,
        *,
        is_own: IsOwn | None = None,
        scrubs: bool = True,
    ) -> None:
        self.counts: Counter[str] = Counter()
        self._submit = submit
        self._onward = onward
        self._is_own = is_own
        self._scrubs = scrubs
        self._in_flight_bytes = 0
        self._decoders = ThreadPoolExecutor(DECODERS, thread_name_prefix="inspector-decode")

    async def receive(
        self,
        signal: Signal,
        body: bytes,
        *,
        encoding: Literal["protobuf", "json"] = "protobuf",
        coding: str = "",
        hops: str = "",
    ) -> ExportResponse:
        """Take in one request; what comes back says what was rejected and why.

        Args:
            signal: What the request is of.
            body: As it came.
            encoding: Of the body, once decompressed.
            coding: Content coding of the body, one of `body.CODINGS`.
            hops: Services that it has come through (`x-inspector-hop`).

        Raises:
            BadDataError: It cannot be read.
            TooLargeError: It is above a limit.
            OverloadedError: Ask again later.
            StoreUnavailableError: Ask again later.
        """
        rejections = Rejections()
        loop = asyncio.get_running_loop()
        read = partial(
            read_request,
            signal,
            body,
            encoding=encoding,
            coding=coding,
            rejections=rejections,
            is_own=self._is_own,
            scrubs=self._scrubs,
        )
        batch, onward = await loop.run_in_executor(self._decoders, read)
        if batch.spans or batch.logs:
            await self._submit(batch.spans, batch.logs)
        if self._onward and onward:
            await self._onward.offer(signal, onward, hops=hops)
        self.counts[signal.name] += len(batch.spans) + len(batch.logs) + batch.not_stored
        self.counts["rejected"] += rejections.count
        return _response(signal, batch, rejections)

    @contextmanager
    def room(self) -> Iterator[Room]:
        """Hold room for a body while it is received and decoded."""
        room = Room(self)
        try:
            yield room
        finally:
            self._in_flight_bytes -= room.size_bytes

    def close(self) -> None:
        """Stop decoding; what runs is finished."""
        self._decoders.shutdown(wait=False, cancel_futures=True)


class Room:
    """A part of `MAX_IN_FLIGHT_BYTES`, given back by `Receiver.room`."""

    def __init__(self, receiver: Receiver) -> None:
        self.size_bytes = 0
        self._receiver = receiver

    def grow(self, count_bytes: int) -> None:
        """Take more.

        Raises:
            OverloadedError: There is no more.
        """
        is_small = self.size_bytes + count_bytes <= SMALL_BODY_BYTES
        limit_bytes = MAX_IN_FLIGHT_BYTES if is_small else MAX_IN_FLIGHT_BYTES * 3 // 4
        if self._receiver._in_flight_bytes + count_bytes > limit_bytes:
            raise OverloadedError("Too much is arriving at once. Send it again a little later.")
        self._receiver._in_flight_bytes += count_bytes
        self.size_bytes += count_bytes


def read_request(
    signal: Signal,
    body: bytes,
    *,
    encoding: str = "protobuf",
    coding: str = "",
    rejections: Rejections,
    is_own: IsOwn | None = None,
    scrubs: bool = True,
) -> tuple[Batch, bytes]:
    """Return the rows of a request, and its bytes to pass on: as they came where possible."""
    plain = decompress(body, coding)
    decode = decode_json if encoding == "json" else decode_proto
    request = decode(signal, plain, rejections)
    is_original = encoding == "protobuf" and not rejections.count
    if scrubs and scrub(signal, request, plain if encoding == "protobuf" else None):
        is_original = False
    batch = sort_out(signal, request, rejections, size_bytes=len(plain), is_own=is_own)
    if batch.forward is None:
        return batch, b""
    is_as_it_came = is_original and not batch.is_changed
    onward = plain if is_as_it_came else batch.forward.SerializeToString()
    _read_facts(batch, onward)
    return batch, onward


def _read_facts(batch: Batch, body: bytes) -> None:
    """Give each span its bytes and its facts; `body` is the request that holds them."""
    of_resources: dict[int, ResourceFacts] = {}
    if not batch.spans:
        return
    for incoming, (payload, attributes) in zip(batch.spans, span_parts(body), strict=True):
        resource = incoming.resource  # the batch keeps it: its id is its own meanwhile
        of_resource = of_resources.get(id(resource))
        if of_resource is None:
            of_resource = of_resources[id(resource)] = resource_facts(resource)
        incoming.payload = payload
        incoming.facts = encoded_span_facts(incoming.span, attributes, of_resource)


def _response(signal: Signal, batch: Batch, rejections: Rejections) -> ExportResponse:
    response = signal.response()
    if rejections.count:
        setattr(response.partial_success, signal.rejected, rejections.count)
        response.partial_success.error_message = (
            f"{rejections.count} of the {signal.items} rejected: {rejections.reason}."
        )
    elif rejections.reason:
        response.partial_success.error_message = (
            f"Nothing of this request was kept: {rejections.reason}."
        )
    elif batch.not_stored:
        what = "metrics" if signal is METRICS else "log records without a trace id"
        response.partial_success.error_message = (
            f"{batch.not_stored} {what} were accepted, not stored: "
            "the inspector shows traces and what belongs to them."
        )
    return response
