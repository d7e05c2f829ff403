"""Receive one export request: decode, divide into rows, commit, forward.

Both doors (HTTP and gRPC) call this; it knows neither.
"""

from __future__ import annotations

import asyncio
import logging
import threading
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager, nullcontext, suppress
from functools import partial
from typing import Literal, Protocol

from inspector.errors import OverloadedError
from inspector.service.model.incoming import IncomingLog, IncomingSpan
from inspector.service.otlp.batch import Batch, IsOwn, make_batch
from inspector.service.otlp.body import MAX_BODY_BYTES, ExpandedTooLargeError, decompress
from inspector.service.otlp.decode_json import decode_json
from inspector.service.otlp.decode_proto import decode_proto
from inspector.service.otlp.intake import Intake
from inspector.service.otlp.rejections import Rejections
from inspector.service.otlp.scrub import scrub
from inspector.service.otlp.signals import METRICS, ExportResponse, OtlpSignal
from inspector.service.prices import Pricing

MAX_IN_FLIGHT_BYTES = 3 * MAX_BODY_BYTES // 2
"""Bodies, decompressed, that are received, decoded or committed at one time; above it senders are
asked to wait. In memory a body takes some six times its size."""

ITEM_BYTES = 256
"""Added for each span or log record: small ones need more room than their bytes."""

SMALL_BODY_BYTES = 1024 * 1024
"""The last quarter of the room is for bodies up to here: large ones cannot keep them out."""

DECODERS = 3
"""Threads that decode. Parsing holds the interpreter: more would not be faster, only larger."""

LANES = ((64 * 1024, DECODERS), (SMALL_BODY_BYTES, DECODERS - 1), (MAX_BODY_BYTES, DECODERS - 2))
"""Bodies up to so many bytes, and how many threads they and all larger ones may have: one that
takes long, as one full of secrets does, keeps no smaller one waiting."""

MAX_WAIT_S = 8.0
"""Limit of the wait for a thread; then a sender is asked to try again. Most senders give up after
ten seconds, and their requests would be read for nobody."""


logger = logging.getLogger("inspector.otlp")


class Submit(Protocol):
    """The destination of rows. What it returns waits until they are committed."""

    def __call__(
        self, spans: Sequence[IncomingSpan], logs: Sequence[IncomingLog]
    ) -> Awaitable[None]:
        """Commit `spans` and `logs`.

        Raises:
            OverloadedError: More than can be committed is waiting.
            StoreUnavailableError: Nothing can be committed now.
        """


class Onward(Protocol):
    """The destination of forwarded requests."""

    async def offer(self, signal: OtlpSignal, body: bytes, *, hops: str) -> None:
        """Queue the protobuf export request `body`; never fails, drops the oldest when full."""


class Receiver:
    """Receives export requests.

    Attributes:
        counts: Items received, by signal, and `rejected`, since the start.

    Args:
        submit: Submits a batch to the writer.
        onward: Forwards a request.
        is_own: Spans that are about ourselves, and are left out.
        scrubs: Remove secrets before anything is stored or goes on.
        intake: Shared with who commits.
        pricing: Says what LLM calls cost.
    """

    def __init__(
        self,
        submit: Submit,
        onward: Onward | None = None,
        *,
        is_own: IsOwn | None = None,
        scrubs: bool = True,
        intake: Intake | None = None,
        pricing: Pricing | None = None,
    ) -> None:
        self.counts: Counter[str] = Counter()
        self._submit = submit
        self._onward = onward
        self._is_own = is_own
        self._scrubs = scrubs
        self._pricing = pricing
        self._intake = intake or Intake()
        self._in_flight_bytes = 0
        self._room_lock = threading.Lock()
        self._decoders = ThreadPoolExecutor(DECODERS, thread_name_prefix="inspector-decode")
        self._lanes = [(limit_bytes, asyncio.Semaphore(most)) for limit_bytes, most in LANES]
        self._reported: set[OtlpSignal] = set()

    async def receive(
        self,
        signal: OtlpSignal,
        body: bytes,
        *,
        encoding: Literal["protobuf", "json"] = "protobuf",
        coding: str = "",
        hops: str = "",
        room: Room | None = None,
    ) -> ExportResponse:
        """Receive one request; return the rejected items, and the reason.

        Args:
            signal: What the request is of.
            body: As it came.
            encoding: Of the body, once decompressed.
            coding: Content coding of the body, one of `body.CODINGS`.
            hops: Services that it has come through (`x-inspector-hop`).
            room: Its reserved memory, which grows with the decoded body.

        Raises:
            BadDataError: It cannot be read.
            TooLargeError: It is above a limit.
            OverloadedError: Ask again later.
            StoreUnavailableError: Ask again later.
        """
        rejections = Rejections()
        read = partial(
            read_request,
            signal,
            body,
            encoding=encoding,
            coding=coding,
            rejections=rejections,
            is_own=self._is_own,
            scrubs=self._scrubs,
            room=room,
            pricing=self._pricing,
        )
        is_small = len(body) <= SMALL_BODY_BYTES
        with self._intake.coming() if is_small else nullcontext():
            batch = await self._decode(read, len(body))
            committed = self._submit(batch.spans, batch.logs)
        await committed
        if self._onward and batch.forward:
            await self._onward.offer(signal, batch.forward, hops=hops)
        self.counts[signal.name] += len(batch.spans) + len(batch.logs) + batch.not_stored
        self.counts["rejected"] += rejections.count
        if batch.not_stored:
            self._log_not_stored(signal)
        return _response(signal, rejections)

    async def _decode(self, read: Callable[..., Batch], size_bytes: int) -> Batch:
        loop, lanes = asyncio.get_running_loop(), list[asyncio.Semaphore]()
        for limit_bytes, lane in self._lanes:
            lanes.append(lane)
            is_last = lane is self._lanes[-1][1]
            if size_bytes <= limit_bytes or is_last:
                async with _turn(lanes):
                    # It is small only as long as it is packed: then it waits with the larger ones.
                    with suppress(*() if is_last else (ExpandedTooLargeError,)):
                        some = partial(read, limit_bytes=limit_bytes)
                        if not is_last:
                            some = partial(self._intake.in_turn, some)
                        return await loop.run_in_executor(self._decoders, some)
        raise AssertionError("The last lane must accept all sizes.")

    def _log_not_stored(self, signal: OtlpSignal) -> None:
        """Log it here, and once: some SDKs print the text of a response as an error, each time."""
        if signal in self._reported:
            return
        self._reported.add(signal)
        what = "Metrics" if signal is METRICS else "Log records without a trace id"
        logger.warning(
            "%s are counted and forwarded, but not stored: only traces and their log records are. "
            "To stop them, set OTEL_%s_EXPORTER=none at the sender.",
            what,
            signal.name.upper(),
        )

    @contextmanager
    def room(self) -> Iterator[Room]:
        """Reserve memory for a body until its content is committed."""
        room = Room(self)
        try:
            yield room
        finally:
            with self._room_lock:
                self._in_flight_bytes -= room.size_bytes
                room.is_over = True

    def close(self) -> None:
        """Stop decoding; running requests are finished."""
        self._decoders.shutdown(wait=False, cancel_futures=True)


@asynccontextmanager
async def _turn(lanes: Sequence[asyncio.Semaphore]) -> AsyncIterator[None]:
    """Wait for a thread that bodies of this size may have.

    Raises:
        OverloadedError: There is none in time.
    """
    async with AsyncExitStack() as locks:
        try:
            async with asyncio.timeout(MAX_WAIT_S):
                for lane in reversed(lanes):  # first among those of its size
                    await locks.enter_async_context(lane)
        except TimeoutError:
            raise OverloadedError(
                "The service is busy reading other requests. Send it again later, or in smaller "
                "batches.",
                retry_after_s=5,
            ) from None
        yield


class Room:
    """A share of `MAX_IN_FLIGHT_BYTES`, released by `Receiver.room`."""

    def __init__(self, receiver: Receiver) -> None:
        self.size_bytes = 0
        self.is_over = False
        self._receiver = receiver

    def grow(self, count_bytes: int) -> None:
        """Reserve more. A body that is alone always gets it: its own limits bound it.

        Raises:
            OverloadedError: There is no more.
        """
        self.hold(self.size_bytes + count_bytes)

    def hold(self, size_bytes: int, *, is_read: bool = False) -> None:
        """Reserve this much in all; from any thread.

        Args:
            size_bytes: How much.
            is_read: It is in memory already: it is only counted.

        Raises:
            OverloadedError: There is no more; its share is released.
        """
        is_small = size_bytes <= SMALL_BODY_BYTES
        limit_bytes = MAX_IN_FLIGHT_BYTES if is_small else MAX_IN_FLIGHT_BYTES * 3 // 4
        receiver = self._receiver
        with receiver._room_lock:
            others_bytes = receiver._in_flight_bytes - self.size_bytes
            if self.is_over or size_bytes <= self.size_bytes:  # the sender may have gone
                return
            is_full = bool(others_bytes) and others_bytes + size_bytes > limit_bytes
            if is_full and not is_read:
                # At once, while the rest of it may still come: else all that come would fail.
                receiver._in_flight_bytes, self.size_bytes = others_bytes, 0
                raise OverloadedError("Too much data is arriving. Send it again later.")
            receiver._in_flight_bytes = others_bytes + size_bytes
            self.size_bytes = size_bytes


def read_request(
    signal: OtlpSignal,
    body: bytes,
    *,
    encoding: str = "protobuf",
    coding: str = "",
    rejections: Rejections,
    is_own: IsOwn | None = None,
    scrubs: bool = True,
    limit_bytes: int = MAX_BODY_BYTES,
    room: Room | None = None,
    pricing: Pricing | None = None,
) -> Batch:
    """Return the rows of a request, and its bytes to forward, unchanged where possible."""
    plain = decompress(body, coding, limit_bytes=limit_bytes)
    if room is not None:
        room.hold(len(plain))
    decode = decode_json if encoding == "json" else decode_proto
    request = decode(signal, plain, rejections)
    encoded = None if encoding == "json" else plain
    is_original = not rejections.count
    if scrubs and scrub(signal, request, encoded):
        is_original = False
    batch = make_batch(
        signal,
        request,
        rejections,
        size_bytes=len(plain),
        body=encoded if is_original else None,
        is_own=is_own,
    )
    if pricing is not None:
        pricing.price(batch.spans)
    if room is not None:
        items_bytes = ITEM_BYTES * (len(batch.spans) + len(batch.logs))
        room.hold(len(plain) + items_bytes, is_read=True)
    return batch


def _response(signal: OtlpSignal, rejections: Rejections) -> ExportResponse:
    response = signal.response()
    if rejections.count:
        setattr(response.partial_success, signal.rejected, rejections.count)
        response.partial_success.error_message = (
            f"{rejections.count} {signal.items} rejected: {rejections.reason}."
        )
    elif rejections.reason:
        response.partial_success.error_message = (
            f"The whole request was rejected: {rejections.reason}."
        )
    return response
